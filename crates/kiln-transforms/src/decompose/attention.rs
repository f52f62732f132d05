//! Expands attention into matrix products around a softmax.
//!
//! The scale multiplies the smaller of `q` and `k`. Heads that share keys and values are rows of one product, so
//! nothing is repeated. Masks are added. A row that keeps nothing gives zeros; this is guarded only if there may be
//! such rows (see the `attention_mask` module).
//!
//! ```kiln
//! decompose none attention
//! graph "attention" {
//!   input tensor "q" [0, 1, 2]
//!   input tensor "k" [0, 1, 2]
//!   input tensor "v" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "q": f32[4, 2, 8], %1 "k": f32[2, 3, 8], %2 "v": f32[2, 3, 5]) {
//!     %3: f32[4, 2, 5] = attention %0, %1, %2 {scale=0.5, causal=true, grouped=true}
//!     return %3
//!   }
//! }
//! ---
//! graph "attention" {
//!   constant c0 "" f32[1, 1, 1] = [0.5]
//!   constant c1 "causal_mask" f32[1, 2, 3] = [0.0, -inf, -inf, 0.0, 0.0, -inf]
//!   input tensor "q" [0, 1, 2]
//!   input tensor "k" [0, 1, 2]
//!   input tensor "v" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "q": f32[4, 2, 8], %1 "k": f32[2, 3, 8], %2 "v": f32[2, 3, 5]) {
//!     %3: f32[1, 1, 1] = constant {value=c0}
//!     %4: f32[2, 3, 8] = binary %1, %3 {f=mul}
//!     %5: f32[2, 4, 8] = move %0 {movement=((a:2 b:2) c:2 d:8 -> a (b c) d)}
//!     %6: f32[2, 8, 3] = move %4 {movement=(a:2 b:3 c:8 -> a c b)}
//!     %7: f32[2, 4, 3] = matmul %5, %6 {}
//!     %8: f32[4, 2, 3] = move %7 {movement=(a:2 (b:2 c:2) d:3 -> (a b) c d)}
//!     %9: f32[1, 2, 3] = constant {value=c1}
//!     %10: f32[4, 2, 3] = binary %8, %9 {f=add}
//!     %11: f32[4, 2, 3] = softmax %10 {axis=2, log=false}
//!     %12: f32[2, 4, 3] = move %11 {movement=((a:2 b:2) c:2 d:3 -> a (b c) d)}
//!     %13: f32[2, 4, 5] = matmul %12, %2 {}
//!     %14: f32[4, 2, 5] = move %13 {movement=(a:2 (b:2 c:2) d:5 -> (a b) c d)}
//!     return %14
//!   }
//! }
//! ```

use super::attention_mask::{Mask, mask};
use super::{Expanded, Expansion, Rounds, only};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use kiln_ir::ops::{Attention, BinaryFn, Simple, Softmax};
use kiln_ir::{Builder, DType, Dim, NodeId, ShapeNames, ValueId};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "attention",
    rounds: Rounds::Often,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Attention);
    let operands = emitter.graph().node(node).operands.clone();
    let (q, k, v) = (operands[0], operands[1], operands[2]);
    let rank = emitter.rank(q);
    let (q, k) = match scale_of(emitter, &op, q) {
        Some(scale) => scaled(emitter, q, k, scale)?,
        None => (scaled_by_unknown(emitter, q)?, k),
    };
    let heads = if op.grouped {
        share_of_heads(emitter, q, k)?
    } else {
        None
    };
    let q = rows_of_shared_heads(emitter, q, heads.as_ref())?;
    let transposed = emitter.transpose(k, rank - 2, rank - 1)?;
    let logits = emitter.matmul(q, transposed)?;
    let logits = heads_of_rows(emitter, logits, heads.as_ref())?;
    let Mask { summand, keeps } = mask(emitter, &op, logits, operands.get(3).copied())?;
    let logits = match summand {
        Some(summand) => emitter.binary(BinaryFn::Add, logits, summand)?,
        None => logits,
    };
    let weights = emitter.value(
        Softmax {
            axis: rank - 1,
            log: false,
        },
        &[logits],
    )?;
    let weights = rows_of_shared_heads(emitter, weights, heads.as_ref())?;
    let value = emitter.matmul(weights, v)?;
    let value = heads_of_rows(emitter, value, heads.as_ref())?;
    only(match keeps {
        Some(keeps) => emitter.binary(BinaryFn::Mul, value, keeps),
        None => Ok(value),
    })
}

/// The scale, if it is known: the attribute, or `1 / sqrt(e)` for a known size `e`.
fn scale_of(emitter: &Emitter<'_, '_>, op: &Attention, q: ValueId) -> Option<f64> {
    op.scale.or_else(|| {
        let size = emitter.ty(q).shape[emitter.rank(q) - 1].as_const()?;
        Some(1.0 / (size as f64).sqrt())
    })
}

/// `q / sqrt(e)`, for a size `e` that is known only at run time.
fn scaled_by_unknown(emitter: &mut Emitter<'_, '_>, q: ValueId) -> Emitted {
    let (rank, dtype) = (emitter.rank(q), emitter.ty(q).dtype);
    let size = emitter.ty(q).shape[rank - 1].clone();
    let wide = if dtype == DType::F64 {
        dtype
    } else {
        DType::F32
    };
    let size = emitter.dim(&size, wide, rank)?;
    let scale = emitter.unary(Simple::Rsqrt, size)?;
    let scale = emitter.cast(scale, dtype)?;
    emitter.binary(BinaryFn::Mul, q, scale)
}

/// `q` and `k`, after the one with fewer elements was scaled; `q` if that depends on the sizes.
fn scaled(
    emitter: &mut Emitter<'_, '_>,
    q: ValueId,
    k: ValueId,
    scale: f64,
) -> Result<(ValueId, ValueId), Reason> {
    if scale == 1.0 {
        return Ok((q, k));
    }
    let elements = |v: ValueId| emitter.ty(v).shape.elements();
    let is_constant = |v: ValueId| emitter.graph().as_constant(v).is_some();
    // A decoder's step has few queries, however many a prompt may have. So `k` must be smaller for all sizes.
    let takes_k =
        is_constant(k) || emitter.symbols().less_equal(&elements(q), &elements(k)) == Some(false);
    if takes_k && !is_constant(q) {
        return Ok((q, emitter.with(BinaryFn::Mul, k, scale)?));
    }
    Ok((emitter.with(BinaryFn::Mul, q, scale)?, k))
}

/// The number of heads of `k`, and the number of heads of `q` that share each of them.
type Heads = (Dim, Dim);

fn share_of_heads(
    emitter: &Emitter<'_, '_>,
    q: ValueId,
    k: ValueId,
) -> Result<Option<Heads>, Reason> {
    let axis = emitter
        .rank(q)
        .checked_sub(3)
        .ok_or_else(|| Reason::new("grouped heads are axis -3", "rank 2"))?;
    let (all, shared) = (&emitter.ty(q).shape[axis], &emitter.ty(k).shape[axis]);
    if all == shared {
        return Ok(None);
    }
    match all.exact_div(shared) {
        Some(each) => Ok(Some((shared.clone(), each))),
        None => Err(Reason::new(
            "the heads of q are a multiple of those of k",
            format!("{all:?} and {shared:?}"),
        )),
    }
}

/// `[.., heads * each, l, e]` viewed as `[.., heads, each * l, e]`.
fn rows_of_shared_heads(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    heads: Option<&Heads>,
) -> Emitted {
    let Some((heads, each)) = heads else {
        return Ok(x);
    };
    let mut shape = emitter.shape(x);
    let rank = shape.rank();
    shape[rank - 2] = each * &shape[rank - 2];
    shape[rank - 3] = heads.clone();
    emitter.reshape(x, shape)
}

/// The inverse of [`rows_of_shared_heads`].
fn heads_of_rows(emitter: &mut Emitter<'_, '_>, x: ValueId, heads: Option<&Heads>) -> Emitted {
    let Some((heads, each)) = heads else {
        return Ok(x);
    };
    let mut shape = emitter.shape(x);
    let rank = shape.rank();
    let Some(rows) = shape[rank - 2].exact_div(each) else {
        return Err(Reason::new(
            "the rows are a multiple of the shared heads",
            ShapeNames(&shape, emitter.symbols()).to_string(),
        ));
    };
    shape[rank - 2] = rows;
    shape[rank - 3] = heads * each;
    emitter.reshape(x, shape)
}
