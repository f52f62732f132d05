//! The integers of a NaN if the quantisation comes before ops that select elements, instead of behind them.
//!
//! The maximum of a NaN and 3 is a NaN, and its integer is open. If the quantisation comes first, the result is the
//! maximum of an open integer and that of 3. Both are right. Only the ops between tell which integers other forms of a
//! graph give, so these ops are repeated on integers here.

use crate::numbers::Numbers;
use crate::random::Random;
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::{AdaptivePool, Pool, PoolFn, Quantised, Quantize};
use kiln_ir::types::QuantScheme;
use kiln_ir::{Graph, NodeId, Op, ValueId};
use rustc_hash::FxHashMap;

/// Values that contain a NaN selected by ops, with the operands of these ops.
#[derive(Default)]
pub(super) struct Picks {
    made: FxHashMap<ValueId, (NodeId, Vec<Tensor>)>,
}

impl Picks {
    /// Remembers a node's result and operands, if the node may have to be repeated.
    pub(super) fn note(
        &mut self,
        graph: &Graph,
        id: NodeId,
        operands: &[Tensor],
        results: &[Tensor],
    ) {
        let node = graph.node(id);
        let (Some(own), Some(result)) = (node.results.first(), results.first()) else {
            return;
        };
        let has_nan = || Numbers::of(result).iter().any(f64::is_nan);
        if result.dtype().is_float() && node.op.facts().rounding.picks() && has_nan() {
            self.made.insert(*own, (id, operands.to_vec()));
        } else {
            self.made.remove(own);
        }
    }

    /// The integers of real numbers if the quantisation comes before the ops that selected them: before all of them or,
    /// with `random`, before some.
    pub(super) fn integers(
        &self,
        graph: &Graph,
        quantize: NodeId,
        reals: &Tensor,
        random: Option<&mut Random>,
    ) -> Option<Tensor> {
        let node = graph.node(quantize);
        let Op::Quantize(to) = &node.op else {
            return None;
        };
        // Quantisation by channel would have to follow the channels' axis through these ops.
        if !matches!(to.quant.scheme, QuantScheme::PerTensor { .. }) {
            return None;
        }
        let mut search = Search {
            picks: self,
            graph,
            to,
            random,
            known: FxHashMap::default(),
        };
        search.of(*node.operands.first()?, reals)
    }
}

/// The op without its second result, the places of what it picks.
fn without_indices(op: &Op) -> Op {
    let values = |f: PoolFn| match f {
        PoolFn::MaxWithIndices => PoolFn::Max,
        other => other,
    };
    let mut op = op.clone();
    match &mut op {
        Op::Pool(Pool { f, .. }) | Op::AdaptivePool(AdaptivePool { f, .. }) => *f = values(*f),
        _ => {}
    }
    op
}

/// The integers of the values in front of one quantisation.
struct Search<'s> {
    picks: &'s Picks,
    graph: &'s Graph,
    to: &'s Quantize,
    random: Option<&'s mut Random>,
    known: FxHashMap<ValueId, Tensor>,
}

impl Search<'_> {
    fn of(&mut self, value: ValueId, reals: &Tensor) -> Option<Tensor> {
        if let Some(known) = self.known.get(&value) {
            return Some(known.clone());
        }
        let is_behind = self.random.as_mut().is_some_and(|r| r.chance(30));
        let found = match self.picks.made.get(&value) {
            Some((node, operands)) if !is_behind => self.picked(*node, operands)?,
            _ => self.evaluated(&Op::from(self.to.clone()), std::slice::from_ref(reals))?,
        };
        self.known.insert(value, found.clone());
        Some(found)
    }

    fn picked(&mut self, node: NodeId, operands: &[Tensor]) -> Option<Tensor> {
        let node = self.graph.node(node);
        let pairs = node.operands.iter().zip(operands);
        let integers = pairs.map(|(&value, t)| match t.dtype().is_float() {
            true => self.of(value, t),
            false => Some(t.clone()),
        });
        let integers: Vec<Tensor> = integers.collect::<Option<_>>()?;
        let op = Quantised {
            op: Box::new(without_indices(&node.op)),
            quant: self.to.quant.clone(),
            dtype: self.to.dtype,
        };
        self.evaluated(&op.into(), &integers)
    }

    fn evaluated(&self, op: &Op, operands: &[Tensor]) -> Option<Tensor> {
        let mut bindings = Bindings::new(&self.graph.symbols);
        let found = evaluate_op(op, operands, &mut bindings, 4 << 30).ok()?;
        found.into_iter().next()
    }
}
