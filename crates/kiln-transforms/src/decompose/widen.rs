//! An op on half types becomes one on f32 between casts.
//!
//! Half types compute in f32 and round once; so an op that is going to be taken apart is widened first,
//! and its parts never round to half.
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

use super::{Expanded, Expansion};
use crate::emitter::Emitter;
use crate::rewriting::Replacements;
use crate::target::{Placement, Reason};
use kiln_ir::{DType, Graph, NodeId, Op, ValueId};

/// For ops that are taken apart behind it.
pub const WIDEN: Expansion = Expansion {
    name: "widen_half",
    expand: widen,
};
/// For ops that are not: only if the target runs the wide one.
pub const WIDEN_IF_IT_HELPS: Expansion = Expansion {
    name: "widen_half",
    expand: widen_if_it_helps,
};

/// Bools are ordered as the bytes 0 and 1.
pub const WIDEN_BOOL: Expansion = Expansion {
    name: "widen_bool",
    expand: widen_bool,
};

fn is_half(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// True if the node takes or gives a half type, and no cast is made for that.
pub fn has_half(graph: &Graph, node: NodeId) -> bool {
    let node = graph.node(node);
    let is_made_for_it = matches!(
        node.op,
        Op::Cast(_) | Op::Iota(_) | Op::If(_) | Op::While(_)
    );
    !is_made_for_it && node.operands.iter().any(|&v| is_half(graph.ty(v).dtype))
}

/// True if the node orders bools, or finds the greatest.
pub fn orders_bools(graph: &Graph, node: NodeId) -> bool {
    let node = graph.node(node);
    matches!(node.op, Op::ArgReduce(_) | Op::TopK(_) | Op::Sort(_))
        && graph.ty(node.operands[0]).dtype == DType::Bool
}

fn wide_operands(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Result<Vec<ValueId>, Reason> {
    let operands = emitter.graph().node(node).operands.clone();
    let widen = |&v: &ValueId| match emitter.ty(v).dtype {
        dtype if is_half(dtype) => emitter.cast(v, DType::F32),
        _ => Ok(v),
    };
    operands.iter().map(widen).collect()
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

/// The node on operands of other types, its results cast back.
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
