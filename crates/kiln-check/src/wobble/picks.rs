//! The integers of a NaN that is quantised in front of what picks elements, and not behind.
//!
//! The greatest of a NaN and 3 is a NaN, and quantised it is any integer; where they are quantised first it is the greater
//! of any integer and that of 3. Both are right, for the one leaves it open which integer it gives. Which integers other
//! forms of a graph come to is known only from the ops between: so those are done again, on integers.

use crate::numbers::Numbers;
use crate::random::Random;
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::{Quantised, Quantize};
use kiln_ir::types::QuantScheme;
use kiln_ir::{Graph, NodeId, Op, ValueId};
use rustc_hash::FxHashMap;

/// Values with NaN among them that ops have picked, with what the ops have taken.
#[derive(Default)]
pub(super) struct Picks {
    made: FxHashMap<ValueId, (NodeId, Vec<Tensor>)>,
}

impl Picks {
    /// Remembers what a node has made of its operands, if it is to be done again.
    pub(super) fn note(
        &mut self,
        graph: &Graph,
        id: NodeId,
        operands: &[Tensor],
        results: &[Tensor],
    ) {
        let node = graph.node(id);
        let ([own], [result]) = (&node.results[..], results) else {
            return;
        };
        let has_nan = || Numbers::of(result).iter().any(f64::is_nan);
        if result.dtype().is_float() && node.op.facts().rounding.picks() && has_nan() {
            self.made.insert(*own, (id, operands.to_vec()));
        } else {
            self.made.remove(own);
        }
    }

    /// The integers of reals where quantisation comes in front of the ops that picked them: of all of them, or, with
    /// `random`, of some.
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
        // Channels would have to be followed to the axes that they have in front.
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

/// Integers of the values behind one quantisation.
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
            op: Box::new(node.op.clone()),
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
