//! Merges two casts into one if the first one loses nothing.
//!
//! ```kiln
//! clean
//! graph "casts" {
//!   input tensor "x" [0]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f16[3]) {
//!     %1: f32[3] = cast %0 {to=f32}
//!     %2: f16[3] = cast %1 {to=f16}
//!     %3: f64[3] = cast %1 {to=f64}
//!     return %2, %3
//!   }
//! }
//! ---
//! graph "casts" {
//!   input tensor "x" [0]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f16[3]) {
//!     %1: f64[3] = cast %0 {to=f64}
//!     return %0, %1
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::rewriting::{Rewritten, Rule};
use crate::guards;
use kiln_ir::{Builder, DType, NodeId, Op};

guards! {
    /// The first cast loses nothing.
    LOSSLESS;
}

/// The rule.
pub const RULE: Rule = Rule {
    name: "join_casts",
    rewrite,
};

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let Op::Cast(outer) = &graph.node(id).op else {
        return Ok(None);
    };
    let to = outer.to;
    let Some(inner) = graph.producer(graph.node(id).operands[0]) else {
        return Ok(None);
    };
    let inner = graph.node(inner);
    let Op::Cast(between) = &inner.op else {
        return Ok(None);
    };
    let x = inner.operands[0];
    if graph.ty(x).quant.is_some() || !LOSSLESS.holds(is_lossless(graph.ty(x).dtype, between.to)) {
        return Ok(None);
    }
    emitter.cast(x, to).map(Some)
}

/// True if `to` holds every value of `from`. Then a further cast gives the same as one from `from`.
pub fn is_lossless(from: DType, to: DType) -> bool {
    use DType::{BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8};
    let targets: &[DType] = match from {
        Bool => &[Bool, U8, I8, I16, I32, I64, F16, BF16, F32, F64],
        U8 => &[U8, I16, I32, I64, F16, BF16, F32, F64],
        I8 => &[I8, I16, I32, I64, F16, BF16, F32, F64],
        I16 => &[I16, I32, I64, F32, F64],
        I32 => &[I32, I64, F64],
        I64 => &[I64],
        F16 => &[F16, F32, F64],
        BF16 => &[BF16, F32, F64],
        F32 => &[F32, F64],
        F64 => &[F64],
    };
    targets.contains(&to)
}
