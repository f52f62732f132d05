//! The mask of an attention: a summand for the logits, and which rows keep any position.
//!
//! A row that keeps nothing gives zeros, not the NaN that a softmax of only `-inf` gives. Without a mask every row
//! keeps all, and a causal mask keeps at least the first position. A constant mask is inspected. For any other mask the
//! rows are tested at run time. A row that keeps nothing gets a summand of 0, so its softmax is finite, and its result
//! is multiplied by `0`; other results are multiplied by `1`. So NaN in its scores or values stays NaN.
//!
//! Some targets run a select outside of their delegate, but arithmetic inside. For them a mask of bools becomes one of
//! ones and zeros `m`, and the summand is `1 - 1 / m`, which is exactly `0` where kept and `-inf` elsewhere.
//!
//! ```kiln
//! decompose none attention
//! graph "masked" {
//!   input tensor "q" [0, 1]
//!   input tensor "k" [0, 1]
//!   input tensor "v" [0, 1]
//!   input tensor "mask" [0, 1]
//!   output tensor
//!   block b0 (%0 "q": f32[2, 4], %1 "k": f32[3, 4], %2 "v": f32[3, 5], %3 "mask": bool[2, 3]) {
//!     %4: f32[2, 5] = attention %0, %1, %2, %3 {scale=1.0, causal=false, grouped=false}
//!     return %4
//!   }
//! }
//! ---
//! graph "masked" {
//!   constant c0 "" f32[1, 1] = [0.0]
//!   constant c1 "" f32[1, 1] = [-inf]
//!   constant c2 "" f32[1, 1] = [0.0]
//!   input tensor "q" [0, 1]
//!   input tensor "k" [0, 1]
//!   input tensor "v" [0, 1]
//!   input tensor "mask" [0, 1]
//!   output tensor
//!   block b0 (%0 "q": f32[2, 4], %1 "k": f32[3, 4], %2 "v": f32[3, 5], %3 "mask": bool[2, 3]) {
//!     %4: f32[4, 3] = move %1 {movement=(a:3 b:4 -> b a)}
//!     %5: f32[2, 3] = matmul %0, %4 {}
//!     %6: f32[1, 1] = constant {value=c0}
//!     %7: f32[1, 1] = constant {value=c1}
//!     %8: f32[2, 3] = select %3, %6, %7 {}
//!     %9: bool[2, 1] = reduce %3 {f=any, axes=[1]}
//!     %10: f32[1, 1] = constant {value=c2}
//!     %11: f32[2, 3] = select %9, %8, %10 {}
//!     %12: f32[2, 1] = cast %9 {to=f32}
//!     %13: f32[2, 3] = binary %5, %11 {f=add}
//!     %14: f32[2, 3] = softmax %13 {axis=1, log=false}
//!     %15: f32[2, 5] = matmul %14, %2 {}
//!     %16: f32[2, 5] = binary %15, %12 {f=mul}
//!     return %16
//!   }
//! }
//! ```

use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::ops::{Attention, Binary, BinaryFn, Compare, CompareFn, ReduceFn, Select};
use kiln_ir::tensor::TensorData;
use kiln_ir::{Builder, DType, Dim, Scalar, ValueId};

guards! {
    /// The mask keeps something in every row: a row of which nothing is kept gives zeros.
    KEEPS_IN_ROWS;
    /// A maximum is of at least one element.
    HAS_COLUMNS;
    /// The mask alone says which rows keep nothing: no causal mask hides more.
    MASK_ALONE;
}

/// The largest causal mask that becomes a constant, in bytes. A larger one is computed at run time.
const MAX_CAUSAL_BYTES: i64 = 64 << 20;

/// The effect of a mask.
pub struct Mask {
    /// The value that is added to the logits.
    pub summand: Option<ValueId>,
    /// `[.., l, 1]`, in the dtype of the logits: 1 for rows that keep a position, 0 for others. `None` if all rows keep
    /// one.
    pub keeps: Option<ValueId>,
}

/// The mask of an attention with the logits `[.., l, s]`.
///
/// # Errors
/// If the operands do not fit.
pub fn mask(
    emitter: &mut Emitter<'_, '_>,
    op: &Attention,
    logits: ValueId,
    given: Option<ValueId>,
) -> Result<Mask, Reason> {
    let causal = if op.causal {
        Some(causal(emitter, logits)?)
    } else {
        None
    };
    let Some(given) = given else {
        return Ok(Mask {
            summand: causal,
            keeps: None,
        });
    };
    if causal.is_none()
        && emitter.ty(given).dtype == DType::Bool
        && let Some(mask) = arithmetic(emitter, given, logits)?
    {
        return Ok(mask);
    }
    let given_summand = summand_of(emitter, given, logits)?;
    let summand = match causal {
        Some(causal) => emitter.binary(BinaryFn::Add, given_summand, causal)?,
        None => given_summand,
    };
    let source = match MASK_ALONE.holds(causal.is_none()) {
        true => given,
        false => summand,
    };
    let Some(keeps) = keeps(emitter, source)? else {
        return Ok(Mask {
            summand: Some(summand),
            keeps: None,
        });
    };
    let dtype = emitter.ty(logits).dtype;
    let zero = emitter.scalar_like(0.0, summand);
    Ok(Mask {
        summand: Some(emitter.select(keeps, summand, zero)?),
        keeps: Some(emitter.cast(keeps, dtype)?),
    })
}

/// A mask of bools by arithmetic. `None` unless the target runs selects outside of its delegate and this arithmetic
/// inside.
fn arithmetic(
    emitter: &mut Emitter<'_, '_>,
    given: ValueId,
    logits: ValueId,
) -> Result<Option<Mask>, Reason> {
    let last = emitter.rank(given) - 1;
    let columns = emitter.shape(given)[last].clone();
    if emitter.graph().as_constant(given).is_some() || !emitter.symbols().is_positive(&columns) {
        return Ok(None);
    }
    let (zero, one) = (
        emitter.scalar_like(0.0, logits),
        emitter.scalar_like(1.0, logits),
    );
    let dtype = emitter.ty(logits).dtype;
    let kept = emitter.cast(given, dtype)?;
    let runs = emitter.delegates(Binary { f: BinaryFn::Div }, &[one, kept])
        && emitter.delegates(Binary { f: BinaryFn::Sub }, &[one, kept])
        && !emitter.delegates(Select {}, &[given, zero, one]);
    if !runs {
        return Ok(None);
    }
    let any = emitter.reduce(ReduceFn::Max, kept, [last], true)?;
    let none = emitter.binary(BinaryFn::Sub, one, any)?;
    let kept = emitter.binary(BinaryFn::Add, kept, none)?;
    let inverse = emitter.binary(BinaryFn::Div, one, kept)?;
    Ok(Some(Mask {
        summand: Some(emitter.binary(BinaryFn::Sub, one, inverse)?),
        keeps: Some(any),
    }))
}

/// `0` for kept positions and `-inf` for others.
fn summand_of(emitter: &mut Emitter<'_, '_>, mask: ValueId, logits: ValueId) -> Emitted {
    if emitter.ty(mask).dtype != DType::Bool {
        return Ok(mask);
    }
    let (zero, out) = (
        emitter.scalar_like(0.0, logits),
        emitter.scalar_like(f64::NEG_INFINITY, logits),
    );
    emitter.select(mask, zero, out)
}

/// A bool for each row that says if it keeps a position; `None` if all rows do.
fn keeps(emitter: &mut Emitter<'_, '_>, mask: ValueId) -> Result<Option<ValueId>, Reason> {
    let last = emitter.rank(mask) - 1;
    let keeps_all = keeps_in_every_row(emitter, mask);
    if emitter.ty(mask).shape[last].is(0) || KEEPS_IN_ROWS.holds(keeps_all) {
        return Ok(None);
    }
    if emitter.ty(mask).dtype == DType::Bool {
        return emitter.reduce(ReduceFn::Any, mask, [last], true).map(Some);
    }
    let columns = emitter.ty(mask).shape[last].clone();
    if !HAS_COLUMNS.holds(emitter.symbols().is_positive(&columns)) {
        return Err(Reason::new(
            "a float mask has at least one column, whatever the sizes",
            "a size that may be 0",
        ));
    }
    let greatest = emitter.reduce(ReduceFn::Max, mask, [last], true)?;
    emitter
        .compare_with(CompareFn::Ne, greatest, f64::NEG_INFINITY)
        .map(Some)
}

/// True if the mask is a constant that keeps a position in every row.
fn keeps_in_every_row(emitter: &Emitter<'_, '_>, mask: ValueId) -> bool {
    let Some(constant) = emitter.graph().as_constant(mask) else {
        return false;
    };
    let row = constant.data.sizes().last().copied().unwrap_or(1).max(1);
    let keeps = |s: Scalar| match s {
        Scalar::Bool(kept) => kept,
        other => other.as_f64() != f64::NEG_INFINITY,
    };
    let (mut found, mut at) = (false, 0);
    for scalar in constant.data.scalars() {
        found |= keeps(scalar);
        at += 1;
        if at == row {
            if !found {
                return false;
            }
            (found, at) = (false, 0);
        }
    }
    true
}

/// `0` up to the diagonal and `-inf` beyond, in the rank of `logits`.
fn causal(emitter: &mut Emitter<'_, '_>, logits: ValueId) -> Emitted {
    let shape = emitter.shape(logits);
    let rank = shape.rank();
    let (rows, columns) = (shape[rank - 2].clone(), shape[rank - 1].clone());
    if let (Some(l), Some(s)) = (rows.as_const(), columns.as_const()) {
        let bytes = l.checked_mul(s).and_then(|n| n.checked_mul(4));
        if bytes.is_some_and(|n| n <= MAX_CAUSAL_BYTES) {
            return constant_causal(emitter, logits, l as usize, s as usize);
        }
    }
    let place = |emitter: &mut Emitter<'_, '_>, size: &Dim, axis: usize| {
        let places = emitter.iota(size.clone(), DType::I64)?;
        let others: Vec<usize> = (0..rank).filter(|&a| a != axis).collect();
        emitter.unsqueeze(places, &others)
    };
    let row = place(emitter, &rows, rank - 2)?;
    let column = place(emitter, &columns, rank - 1)?;
    let kept = emitter.value(Compare { f: CompareFn::Le }, &[column, row])?;
    summand_of(emitter, kept, logits)
}

fn constant_causal(emitter: &mut Emitter<'_, '_>, logits: ValueId, l: usize, s: usize) -> Emitted {
    let mut sizes = vec![1; emitter.rank(logits)];
    let rank = sizes.len();
    (sizes[rank - 2], sizes[rank - 1]) = (l, s);
    let mut elements = vec![f32::NEG_INFINITY; l * s];
    for (row, kept) in elements.chunks_mut(s.max(1)).enumerate() {
        kept[..(row + 1).min(s)].fill(0.0);
    }
    let data = TensorData::from_f32(sizes, &elements);
    let mask = emitter.constant("causal_mask", data);
    let dtype = emitter.ty(logits).dtype;
    emitter.cast(mask, dtype)
}
