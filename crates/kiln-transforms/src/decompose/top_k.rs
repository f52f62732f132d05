//! Expands `top_k` by comparing all pairs. The rank of an element is the number of elements that come before it.
//!
//! Of equal elements the earlier one comes first, and NaN counts as the greatest. So each rank belongs to exactly one
//! element, whose index a sum finds.
//!
//! ```kiln
//! decompose none top_k
//! graph "top_k" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": i32[2, 3]) {
//!     %1: i32[2, 2], %2: i64[2, 2] = top_k %0 {axis=1, k=2, largest=true}
//!     return %1
//!   }
//! }
//! ---
//! graph "top_k" {
//!   constant c0 "iota" bool[1, 3, 3] = [false, false, false, true, false, false, true, true, false]
//!   constant c1 "iota" i32[1, 1, 2] = [0, 1]
//!   constant c2 "iota" i32[1, 3, 1] = [0, 1, 2]
//!   constant c3 "" i32[1, 1, 1] = [0]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": i32[2, 3]) {
//!     %1: i32[2, 3, 1] = move %0 {movement=(a:2 b:3 -> a b 1)}
//!     %2: i32[2, 1, 3] = move %0 {movement=(a:2 b:3 -> a 1 b)}
//!     %3: bool[2, 3, 3] = compare %2, %1 {f=gt}
//!     %4: bool[2, 3, 3] = compare %2, %1 {f=eq}
//!     %5: bool[1, 3, 3] = constant {value=c0}
//!     %6: bool[2, 3, 3] = binary %4, %5 {f=bit_and}
//!     %7: bool[2, 3, 3] = binary %3, %6 {f=bit_or}
//!     %8: i32[2, 3, 3] = cast %7 {to=i32}
//!     %9: i32[2, 3, 1] = reduce %8 {f=sum, axes=[2]}
//!     %10: i32[1, 1, 2] = constant {value=c1}
//!     %11: bool[2, 3, 2] = compare %9, %10 {f=eq}
//!     %12: i32[1, 3, 1] = constant {value=c2}
//!     %13: i32[1, 1, 1] = constant {value=c3}
//!     %14: i32[2, 3, 2] = select %11, %12, %13 {}
//!     %15: i32[2, 1, 2] = reduce %14 {f=sum, axes=[1]}
//!     %16: i32[2, 2] = move %15 {movement=(a:2 1 b:2 -> a b)}
//!     %17: i64[2, 2] = cast %16 {to=i64}
//!     %18: i32[2, 2] = gather %0, %17 {axis=1}
//!     return %18
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, operand};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::ops::{BinaryFn, Compare, CompareFn, Gather, ReduceFn, Simple};
use kiln_ir::{Builder, DType, NodeId, ValueId};
use smallvec::smallvec;

guards! {
    /// Elements have an order; NaN has none.
    ORDERED;
}

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "top_k",
    rounds: Rounds::AsTheOp,
    expand,
};

/// The most pairs that are compared; they need 64 MiB of bools.
const MAX_PAIRS: i64 = 1 << 26;

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, TopK);
    let (x, axis) = (operand(emitter, node, 0), op.axis);
    let sizes = emitter.shape(x).to_vec();
    let elements = emitter.shape(x).max_elements(&emitter.graph().symbols);
    let elements = elements.unwrap_or(i64::MAX);
    let n = emitter.known(&sizes[axis], "a sort by pairs needs a row of known size")?;
    if elements.saturating_mul(n) > MAX_PAIRS {
        let rule = format!("a sort by pairs compares at most {MAX_PAIRS} pairs");
        return Err(Reason::new(rule, format!("{n} times {elements}")));
    }
    let rank = emitter.rank(x) + 1;
    let places = standing(emitter, x, axis, op.largest)?;
    let wanted = along(emitter, op.k, axis + 1, rank)?;
    let is_there = relation(emitter, CompareFn::Eq, places, wanted)?;
    let own = along(emitter, sizes[axis].clone(), axis, rank)?;
    let nothing = emitter.scalar_like(0i64, own);
    let found = emitter.select(is_there, own, nothing)?;
    let found = emitter.reduce(ReduceFn::Sum, found, [axis], true)?;
    let indices = emitter.squeeze(found, &[axis])?;
    let indices = emitter.cast(indices, DType::I64)?;
    let values = emitter.value(Gather { axis }, &[x, indices])?;
    Ok(smallvec![Some(values), Some(indices)])
}

fn relation(emitter: &mut Emitter<'_, '_>, f: CompareFn, a: ValueId, b: ValueId) -> Emitted {
    emitter.value(Compare { f }, &[a, b])
}

/// `0, 1, ..` along one axis, in a given rank.
fn along(emitter: &mut Emitter<'_, '_>, len: kiln_ir::Dim, axis: usize, rank: usize) -> Emitted {
    let numbers = emitter.iota(len, DType::I32)?;
    let others: Vec<usize> = (0..rank).filter(|&i| i != axis).collect();
    emitter.unsqueeze(numbers, &others)
}

/// The rank of each element, with an axis of size 1 after the sorted one.
fn standing(emitter: &mut Emitter<'_, '_>, x: ValueId, axis: usize, largest: bool) -> Emitted {
    let this = emitter.unsqueeze(x, &[axis + 1])?;
    let other = emitter.unsqueeze(x, &[axis])?;
    let f = match largest {
        true => CompareFn::Gt,
        false => CompareFn::Lt,
    };
    let mut before = relation(emitter, f, other, this)?;
    let mut equal = relation(emitter, CompareFn::Eq, other, this)?;
    if !ORDERED.holds(!emitter.ty(x).dtype.is_float()) {
        let [this, other] = [
            relation(emitter, CompareFn::Ne, this, this)?,
            relation(emitter, CompareFn::Ne, other, other)?,
        ];
        let both = emitter.binary(BinaryFn::BitAnd, other, this)?;
        equal = emitter.binary(BinaryFn::BitOr, equal, both)?;
        let (nan, number) = match largest {
            true => (other, this),
            false => (this, other),
        };
        let number = emitter.unary(Simple::BitNot, number)?;
        let by_nan = emitter.binary(BinaryFn::BitAnd, nan, number)?;
        before = emitter.binary(BinaryFn::BitOr, before, by_nan)?;
    }
    let size = emitter.shape(x)[axis].clone();
    let rank = emitter.rank(x) + 1;
    let mine = along(emitter, size.clone(), axis, rank)?;
    let its = along(emitter, size, axis + 1, rank)?;
    let earlier = relation(emitter, CompareFn::Lt, its, mine)?;
    let earlier = emitter.binary(BinaryFn::BitAnd, equal, earlier)?;
    let before = emitter.binary(BinaryFn::BitOr, before, earlier)?;
    let before = emitter.cast(before, DType::I32)?;
    emitter.reduce(ReduceFn::Sum, before, [axis + 1], true)
}
