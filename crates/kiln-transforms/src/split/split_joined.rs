//! Replaces a layer on concatenated channels by a sum of layers on the parts, so that the parts need not be copied.
//!
//! The pass does this for convolutions without groups and for linear layers, if the concatenation has no other reader
//! and costs more than the additions and the additional operators, according to the target's cost model
//! ([`Target::elements_per_operator`]). Layers of half types stay, because the results of the parts would be rounded
//! before they are added.
//!
//! ```kiln
//! split_joined
//! graph "split_joined" {
//!   constant c0 "w" f32[1, 4] = [1.0, 2.0, 3.0, 4.0]
//!   constant c1 "b" f32[1] = [5.0]
//!   input tensor "x" [0, 1]
//!   input tensor "y" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[90, 3], %1 "y": f32[90, 1]) {
//!     %2: f32[1, 4] = constant {value=c0}
//!     %3: f32[1] = constant {value=c1}
//!     %4: f32[90, 4] = concat %0, %1 {axis=1}
//!     %5: f32[90, 1] = linear %4, %2, %3 {}
//!     return %5
//!   }
//! }
//! ---
//! graph "split_joined" {
//!   constant c0 "b" f32[1] = [5.0]
//!   constant c1 "w" f32[1, 3] = [1.0, 2.0, 3.0]
//!   constant c2 "w" f32[1, 1] = [4.0]
//!   input tensor "x" [0, 1]
//!   input tensor "y" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[90, 3], %1 "y": f32[90, 1]) {
//!     %2: f32[1] = constant {value=c0}
//!     %3: f32[1, 3] = constant {value=c1}
//!     %4: f32[90, 1] = linear %0, %3, %2 {}
//!     %5: f32[1, 1] = constant {value=c2}
//!     %6: f32[90, 1] = linear %1, %5 {}
//!     %7: f32[90, 1] = binary %4, %6 {f=add}
//!     return %7
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, is_read_once, names, run_pass};
use crate::framework::target::{Reason, Target};
use crate::guards;
use kiln_ir::graph::ValueList;
use kiln_ir::ops::BinaryFn;
use kiln_ir::{Builder, DType, Graph, NodeId, Op, Rewriter, ValueId};

guards! {
    /// The bias is added once.
    ONE_BIAS;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "split_joined",
    keeps_bits: false,
    run,
    rules: &names::<{ RULES.len() }>(RULES, &[]),
    guards: &[GUARDS],
};

const RULES: &[Rule] = &[Rule {
    name: "layer_of_concat",
    rewrite,
}];

/// The cost of adding one more result, in copied elements per element of the result: one for writing it, one for adding
/// it.
const COPIES_OF_SUM: u64 = 2;

/// The axis of a weight that corresponds to the layer's input channels.
const INPUT_AXIS: usize = 1;

/// Splits layers; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, RULES);
}

/// A concatenation of channels that a layer reads.
struct Joined {
    parts: ValueList,
    /// The number of elements of the concatenation and of the layer's result.
    elements: (u64, u64),
    axis: usize,
    dtype: DType,
}

fn joined(graph: &Graph, id: NodeId) -> Option<Joined> {
    let node = graph.node(id);
    let value = *node.operands.first()?;
    let ty = graph.ty(value);
    let axis = match &node.op {
        Op::Conv(op) if op.groups == 1 && !op.transposed => 1,
        Op::Linear(_) => ty.rank().checked_sub(1)?,
        _ => return None,
    };
    let is_known = |&v: &ValueId| graph.as_constant(v).is_some() && is_read_once(graph, v);
    let producer = graph
        .producer(value)
        .filter(|_| is_read_once(graph, value))?;
    let concat = graph.node(producer);
    let is_joined = matches!(&concat.op, Op::Concat(op) if op.axis == axis);
    if !is_joined || ty.quant.is_some() || !node.operands[1..].iter().all(is_known) {
        return None;
    }
    let elements = |v: ValueId| graph.ty(v).shape.max_elements(&graph.symbols);
    Some(Joined {
        parts: concat.operands.clone(),
        elements: (
            elements(value)?.try_into().ok()?,
            elements(node.result())?.try_into().ok()?,
        ),
        axis,
        dtype: ty.dtype,
    })
}

impl Joined {
    /// The cost of adding results instead of concatenating operands, in copied elements.
    fn cost(&self, per_operator: u64) -> u64 {
        let further = self.parts.len() as u64 - 1;
        let operators = (2 * further).saturating_sub(1);
        let sums = self.elements.1.saturating_mul(COPIES_OF_SUM * further);
        sums.saturating_add(per_operator.saturating_mul(operators))
    }
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let Some(joined) = joined(emitter.graph(), id) else {
        return Ok(None);
    };
    if joined.dtype.size() < DType::F32.size() {
        let rule = "the results of the parts are not rounded to a half type before they are added";
        return Err(Reason::new(rule, joined.dtype.name()));
    }
    let copied = joined.elements.0;
    if copied <= joined.cost(emitter.elements_per_operator()) {
        return Err(Reason::new(
            "the saved copies cost more than the additions",
            format!("{copied} elements"),
        ));
    }
    let node = emitter.graph().node(id);
    let (op, weights) = (node.op.clone(), node.operands[1..].to_vec());
    let bytes = emitter.graph().as_constant(weights[0]);
    let bytes = bytes.map_or(0, |c| c.data.bytes().len());
    emitter.allow_bytes(bytes);
    let (mut start, mut sum) = (0, None);
    for &part in &joined.parts {
        let rule = "the number of channels of each part is known";
        let channels = emitter.known(&emitter.shape(part)[joined.axis], rule)?;
        let weight = emitter.slice(weights[0], INPUT_AXIS, start, channels, 1)?;
        start += channels;
        let bias = weights[1..]
            .iter()
            .copied()
            .filter(|_| ONE_BIAS.holds(sum.is_none()));
        let operands: Vec<ValueId> = [part, weight].into_iter().chain(bias).collect();
        if !emitter.is_no_worse(id, op.clone(), &operands) {
            let rule = "the target runs a layer on each part at least as well as the whole layer";
            return Err(Reason::new(rule, "that it runs a part worse"));
        }
        let value = emitter.value(op.clone(), &operands)?;
        sum = Some(match sum {
            Some(sum) => emitter.binary(BinaryFn::Add, sum, value)?,
            None => value,
        });
    }
    Ok(sum)
}
