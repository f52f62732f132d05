//! Expands a sort to a `top_k` of all elements. Equal elements, which `top_k` leaves in any order, are then put in the
//! order of their indices.
//!
//! The sorted values form runs of equal elements, numbered by a running sum. Sorting by the key `run * n + index` keeps
//! the runs in place and sorts the indices within each. No key occurs twice, so the order is unique.
//!
//! ```kiln
//! decompose none sort
//! graph "sort" {
//!   symbol s0 in 1..=9
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[s0]) {
//!     %1: f32[s0], %2: i64[s0] = sort %0 {axis=0, descending=false}
//!     return %1
//!   }
//! }
//! ---
//! graph "sort" {
//!   symbol s0 in 1..=9
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[s0]) {
//!     %1: f32[s0], %2: i64[s0] = top_k %0 {axis=0, k=s0, largest=false}
//!     return %1
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, operand};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use kiln_ir::ops::{BinaryFn, Compare, CompareFn, Gather, Scan, ScanFn, TopK};
use kiln_ir::{Builder, DType, NodeId, ValueId};
use smallvec::smallvec;

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "sort",
    rounds: Rounds::AsTheOp,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Sort);
    let x = operand(emitter, node, 0);
    let results = emitter.graph().node(node).results.clone();
    let is_used = |at: usize| !emitter.graph().value(results[at]).uses().is_empty();
    let [values_used, indices_used] = [is_used(0), is_used(1)];
    let [values, indices] = extremes(emitter, x, op.axis, op.descending)?;
    if !indices_used {
        return Ok(smallvec![Some(values), Some(indices)]);
    }
    let indices = in_order(emitter, values, indices, op.axis)?;
    // Zeros of unlike signs are equal, so they have to be reordered too.
    let values = match values_used && emitter.ty(x).dtype.is_float() {
        true => emitter.value(Gather { axis: op.axis }, &[x, indices])?,
        false => values,
    };
    Ok(smallvec![Some(values), Some(indices)])
}

/// All elements in order, and their indices. Equal elements are in any order.
fn extremes(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    axis: usize,
    largest: bool,
) -> Result<[ValueId; 2], Reason> {
    let k = emitter.shape(x)[axis].clone();
    let results = emitter.results(TopK { axis, k, largest }, &[x])?;
    Ok([results[0], results[1]])
}

/// The indices of sorted values, ascending among equal values.
fn in_order(
    emitter: &mut Emitter<'_, '_>,
    values: ValueId,
    indices: ValueId,
    axis: usize,
) -> Emitted {
    let f = ScanFn::Sum;
    let starts = starts(emitter, values, axis)?;
    let run = emitter.value(Scan { f, axis }, &[starts])?;
    let (size, rank) = (emitter.shape(values)[axis].clone(), emitter.rank(values));
    let size = emitter.dim(&size, DType::I64, rank)?;
    let base = emitter.binary(BinaryFn::Mul, run, size)?;
    let keys = emitter.binary(BinaryFn::Add, base, indices)?;
    let [keys, _] = extremes(emitter, keys, axis, false)?;
    emitter.binary(BinaryFn::Sub, keys, base)
}

/// 1 where a value differs from the one before it, else 0. The first entry is arbitrary.
fn starts(emitter: &mut Emitter<'_, '_>, values: ValueId, axis: usize) -> Emitted {
    let size = emitter.shape(values)[axis].clone();
    let before = emitter.pad_axis(values, axis, 1, 0, 0i64)?;
    let before = emitter.slice(before, axis, 0, size, 1)?;
    let [equal, unequal] = [CompareFn::Eq, CompareFn::Ne].map(|f| Compare { f });
    let mut differs = emitter.value(unequal, &[values, before])?;
    if emitter.ty(values).dtype.is_float() {
        let this = emitter.value(equal.clone(), &[values, values])?;
        let other = emitter.value(equal, &[before, before])?;
        let is_number = emitter.binary(BinaryFn::BitOr, this, other)?;
        differs = emitter.binary(BinaryFn::BitAnd, differs, is_number)?;
    }
    emitter.cast(differs, DType::I64)
}
