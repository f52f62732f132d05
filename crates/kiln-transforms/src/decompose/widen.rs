//! Expands an op on half types to the op on f32 between casts.
//!
//! Half types compute in f32 and round once. So an op that will be expanded is widened first, and its parts never round
//! to half.
//!
//! ```kiln
//! decompose none softmax.f16
//! graph "widen" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f16[2, 3]) {
//!     %1: f16[2, 3] = softmax %0 {axis=1, log=false}
//!     return %1
//!   }
//! }
//! ---
//! graph "widen" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f16[2, 3]) {
//!     %1: f32[2, 3] = cast %0 {to=f32}
//!     %2: f32[2, 3] = softmax %1 {axis=1, log=false}
//!     %3: f16[2, 3] = cast %2 {to=f16}
//!     return %3
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds};
use crate::framework::emitter::Emitter;
use crate::framework::rewriting::Replacements;
use crate::framework::target::{Placement, Reason};
use crate::guards;
use kiln_ir::ops::UnaryFn;
use kiln_ir::{Builder, DType, Graph, NodeId, Op, ValueId};

guards! {
    /// The bounds of a clamp are numbers of the narrow type. In a wider type the same bounds clamp other values.
    BOUNDS_ARE_BYTES;
}

/// The rule for ops that are expanded afterwards.
pub const WIDEN: Expansion = Expansion {
    name: "widen_half",
    rounds: Rounds::AsTheOp,
    expand: widen,
};
/// The rule for ops that are not expanded. It applies only if the target runs the op on f32.
pub const WIDEN_IF_IT_HELPS: Expansion = Expansion {
    name: "widen_half",
    rounds: Rounds::AsTheOp,
    expand: widen_if_it_helps,
};

/// The rule that orders bools as the bytes 0 and 1.
pub const WIDEN_BOOL: Expansion = Expansion {
    name: "widen_bool",
    rounds: Rounds::AsTheOp,
    expand: widen_bool,
};

/// The rule that computes u8 in i32, if the target runs that.
pub const WIDEN_BYTES: Expansion = Expansion {
    name: "widen_bytes",
    rounds: Rounds::AsTheOp,
    expand: widen_bytes,
};

/// True if the node has an operand of a half type. Casts and other ops that must keep their dtypes do not count.
pub fn has_half(graph: &Graph, node: NodeId) -> bool {
    takes(graph, node, DType::is_half)
}

/// True if the node has an operand of u8. Casts and other ops that must keep their dtypes do not count.
pub fn has_bytes(graph: &Graph, node: NodeId) -> bool {
    takes(graph, node, |dtype| dtype == DType::U8)
}

fn takes(graph: &Graph, node: NodeId, is_sought: fn(DType) -> bool) -> bool {
    let node = graph.node(node);
    let is_made_for_it = matches!(
        node.op,
        Op::Cast(_) | Op::Iota(_) | Op::If(_) | Op::While(_)
    );
    !is_made_for_it && node.operands.iter().any(|&v| is_sought(graph.ty(v).dtype))
}

/// True if the node sorts bools, or finds their extremes.
pub fn orders_bools(graph: &Graph, node: NodeId) -> bool {
    let node = graph.node(node);
    matches!(node.op, Op::ArgReduce(_) | Op::TopK(_) | Op::Sort(_))
        && graph.ty(node.operands[0]).dtype == DType::Bool
}

fn wide_operands(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Result<Vec<ValueId>, Reason> {
    cast_operands(emitter, node, DType::is_half, DType::F32)
}

fn cast_operands(
    emitter: &mut Emitter<'_, '_>,
    node: NodeId,
    is_narrow: fn(DType) -> bool,
    to: DType,
) -> Result<Vec<ValueId>, Reason> {
    let operands = emitter.graph().node(node).operands.clone();
    let widen = |&v: &ValueId| match is_narrow(emitter.ty(v).dtype) {
        true => emitter.cast(v, to),
        false => Ok(v),
    };
    operands.iter().map(widen).collect()
}

/// Truncating the i32 result gives what wraps in u8. A clamp is widened only if u8 holds its bounds.
fn widen_bytes(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = emitter.graph().node(node).op.clone();
    if let Op::Unary(unary) = &op
        && let UnaryFn::Clamp { min, max } = unary.f
    {
        let mut bounds = [min, max].into_iter().flatten();
        if !BOUNDS_ARE_BYTES.holds(bounds.all(|bound| DType::U8.saturated(bound) == bound)) {
            return Err(Reason::new(
                "the bounds of the clamp fit into u8",
                format!("{:?}", unary.f),
            ));
        }
    }
    let operands = cast_operands(emitter, node, |dtype| dtype == DType::U8, DType::I32)?;
    match emitter.placement(op, &operands)? {
        Placement::None(why) => Err(why),
        Placement::Delegate | Placement::Kernel(_) => on_others(emitter, node, &operands),
    }
}

fn widen_bool(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let bools = emitter.graph().node(node).operands[0];
    let bytes = emitter.cast(bools, DType::U8)?;
    on_others(emitter, node, &[bytes])
}

fn widen(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let operands = wide_operands(emitter, node)?;
    on_others(emitter, node, &operands)
}

/// Emits the node's op on the operands of other dtypes, and casts the results back.
fn on_others(emitter: &mut Emitter<'_, '_>, node: NodeId, operands: &[ValueId]) -> Expanded {
    let op = emitter.graph().node(node).op.clone();
    let wide = emitter.results(op, operands)?;
    let results = emitter.graph().node(node).results.clone();
    let narrow = |(value, old): (ValueId, &ValueId)| {
        let dtype = emitter.ty(*old).dtype;
        emitter.cast(value, dtype).map(Some)
    };
    wide.into_iter()
        .zip(&results)
        .map(narrow)
        .collect::<Result<Replacements, Reason>>()
}

fn widen_if_it_helps(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let operands = wide_operands(emitter, node)?;
    let op = emitter.graph().node(node).op.clone();
    match emitter.placement(op, &operands)? {
        Placement::None(why) => Err(why),
        Placement::Delegate | Placement::Kernel(_) => widen(emitter, node),
    }
}
