//! Expands a scatter that reduces, by comparison: each position of the result reduces the elements whose index is that
//! position. A scatter that sets a single number is expanded too, since repeated indices do not matter for it.
//!
//! It needs positions times elements comparisons. So it is for small scatters, and for targets without a kernel.
//!
//! ```kiln
//! decompose none scatter
//! graph "scatter" {
//!   input tensor "x" [0, 1]
//!   input tensor "index" [0, 1]
//!   input tensor "source" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[3, 2], %1 "index": i64[5, 2], %2 "source": f32[5, 2]) {
//!     %3: f32[3, 2] = scatter %0, %1, %2 {axis=0, f=max}
//!     return %3
//!   }
//! }
//! ---
//! graph "scatter" {
//!   constant c0 "iota" i64[3, 1, 1] = [0, 1, 2]
//!   constant c1 "" i64[1, 1] = [3]
//!   constant c2 "" i64[1, 1] = [0]
//!   constant c3 "" f32[1, 1, 1] = [-inf]
//!   input tensor "x" [0, 1]
//!   input tensor "index" [0, 1]
//!   input tensor "source" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[3, 2], %1 "index": i64[5, 2], %2 "source": f32[5, 2]) {
//!     %3: i64[3, 1, 1] = constant {value=c0}
//!     %4: i64[1, 1] = constant {value=c1}
//!     %5: i64[5, 2] = binary %1, %4 {f=add}
//!     %6: i64[1, 1] = constant {value=c2}
//!     %7: bool[5, 2] = compare %1, %6 {f=lt}
//!     %8: i64[5, 2] = select %7, %5, %1 {}
//!     %9: i64[1, 5, 2] = move %8 {movement=(a:5 b:2 -> 1 a b)}
//!     %10: bool[3, 5, 2] = compare %9, %3 {f=eq}
//!     %11: f32[1, 5, 2] = move %2 {movement=(a:5 b:2 -> 1 a b)}
//!     %12: f32[1, 1, 1] = constant {value=c3}
//!     %13: f32[3, 5, 2] = select %10, %11, %12 {}
//!     %14: f32[3, 1, 2] = reduce %13 {f=max, axes=[1]}
//!     %15: f32[3, 2] = move %14 {movement=(a:3 1 b:2 -> a b)}
//!     %16: f32[3, 2] = binary %0, %15 {f=max}
//!     return %16
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use kiln_ir::ops::{BinaryFn, Compare, CompareFn, ReduceFn, Scatter, ScatterFn};
use kiln_ir::{Builder, DType, Dim, NodeId, Scalar, Shape, ValueId};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "scatter_by_comparison",
    rounds: Rounds::AsTheOp,
    expand,
};

/// The most comparisons.
const MAX_COMPARISONS: i64 = 1 << 26;

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Scatter);
    let dtype = emitter.ty(operand(emitter, node, 0)).dtype;
    let source = operand(emitter, node, 2);
    if op.f == ScatterFn::Set
        && let Some(number) = emitter.graph().as_number(source)
    {
        return only(replaced(emitter, node, &op, number));
    }
    let (fold, meet) = match op.f {
        ScatterFn::Mul => (ReduceFn::Prod, BinaryFn::Mul),
        ScatterFn::Max => (ReduceFn::Max, BinaryFn::Max),
        ScatterFn::Min => (ReduceFn::Min, BinaryFn::Min),
        ScatterFn::Add => (ReduceFn::Sum, BinaryFn::Add),
        ScatterFn::Set => {
            return Err(Reason::new(
                "the scatter reduces, or sets a single known number",
                op.f.text(),
            ));
        }
    };
    let neutral = neutral(op.f, dtype)
        .ok_or_else(|| Reason::new("the scattered elements are numbers", dtype.name()))?;
    let x = operand(emitter, node, 0);
    let chosen = chosen(emitter, node, &op, neutral)?;
    let folded = folded(emitter, node, &op, (fold, chosen), neutral)?;
    let met = emitter.binary(meet, x, folded)?;
    if op.f == ScatterFn::Add && dtype.is_float() {
        // The sum of no elements is 0, and adding it would turn -0 into 0. So positions without elements keep `x`.
        let is_met = is_given(emitter, node, &op)?;
        return only(emitter.select(is_met, met, x));
    }
    only(Ok(met))
}

/// `x` with a number at the given indices.
fn replaced(emitter: &mut Emitter<'_, '_>, node: NodeId, op: &Scatter, number: Scalar) -> Emitted {
    let x = operand(emitter, node, 0);
    let is_given = is_given(emitter, node, op)?;
    let number = emitter.scalar_like(number, x);
    emitter.select(is_given, number, x)
}

/// For each position of the result, whether an element is scattered to it.
fn is_given(emitter: &mut Emitter<'_, '_>, node: NodeId, op: &Scatter) -> Emitted {
    let is_here = is_here(emitter, node, op)?;
    let found = (ReduceFn::Any, is_here);
    folded(emitter, node, op, found, Scalar::Bool(false))
}

/// Reduces along the axis of elements, and pads the result to the size of `x`.
fn folded(
    emitter: &mut Emitter<'_, '_>,
    node: NodeId,
    op: &Scatter,
    (fold, found): (ReduceFn, ValueId),
    neutral: Scalar,
) -> Emitted {
    let folded = emitter.reduce(fold, found, vec![op.axis + 1], true)?;
    let mut folded = emitter.squeeze(folded, &[op.axis + 1])?;
    let shape = emitter.shape(operand(emitter, node, 0));
    for (axis, size) in shape.iter().enumerate() {
        let missing = size.clone() - emitter.shape(folded)[axis].clone();
        folded = emitter.pad_axis(folded, axis, 0, missing, neutral)?;
    }
    Ok(folded)
}

/// The element if its index is the position, otherwise the neutral element. Axes: positions, then elements.
fn chosen(emitter: &mut Emitter<'_, '_>, node: NodeId, op: &Scatter, neutral: Scalar) -> Emitted {
    let is_here = is_here(emitter, node, op)?;
    let shape = emitter.shape(operand(emitter, node, 1));
    let source = cut(emitter, operand(emitter, node, 2), &shape)?;
    let source = emitter.unsqueeze(source, &[op.axis])?;
    let nothing = emitter.scalar_like(neutral, source);
    emitter.select(is_here, source, nothing)
}

/// Whether an element's index is the position. Axes: positions, then elements.
fn is_here(emitter: &mut Emitter<'_, '_>, node: NodeId, op: &Scatter) -> Emitted {
    let (x, index) = (operand(emitter, node, 0), operand(emitter, node, 1));
    let (shape, axis) = (emitter.shape(index), op.axis);
    if shape.iter().any(|d| d.is(0)) {
        return Err(Reason::new("the scatter has at least one element", "none"));
    }
    let places = emitter.shape(x)[axis].clone();
    let counted: Shape = shape.iter().cloned().chain([places.clone()]).collect();
    let comparisons = counted.max_elements(&emitter.graph().symbols);
    if comparisons.is_none_or(|n| n > MAX_COMPARISONS) {
        return Err(Reason::new(
            format!("a scatter by comparison needs at most {MAX_COMPARISONS} comparisons"),
            comparisons.map_or("any number".into(), |n| n.to_string()),
        ));
    }
    let dtype = emitter.ty(index).dtype;
    let place = emitter.iota(places.clone(), dtype)?;
    let around: Vec<usize> = (0..=shape.rank()).filter(|&i| i != axis).collect();
    let place = emitter.unsqueeze(place, &around)?;
    let index = from_start(emitter, index, &places)?;
    let index = emitter.unsqueeze(index, &[axis])?;
    emitter.value(Compare { f: CompareFn::Eq }, &[index, place])
}

/// The index counted from the start. Negative indices count from the end.
pub(super) fn from_start(emitter: &mut Emitter<'_, '_>, index: ValueId, size: &Dim) -> Emitted {
    let (dtype, rank) = (emitter.ty(index).dtype, emitter.rank(index));
    let size = emitter.dim(size, dtype, rank)?;
    let above = emitter.binary(BinaryFn::Add, index, size)?;
    let is_below = emitter.compare_with(CompareFn::Lt, index, 0)?;
    emitter.select(is_below, above, index)
}

/// The part of the source that the index covers.
fn cut(emitter: &mut Emitter<'_, '_>, mut source: ValueId, shape: &Shape) -> Emitted {
    for (axis, size) in shape.iter().enumerate() {
        if emitter.shape(source)[axis] != *size {
            source = emitter.slice(source, axis, 0, size.clone(), 1)?;
        }
    }
    Ok(source)
}

fn neutral(f: ScatterFn, dtype: DType) -> Option<Scalar> {
    let (least, greatest) = match dtype.int_range() {
        Some((least, greatest)) => (Scalar::Int(least), Scalar::Int(greatest)),
        None if dtype.is_float() => (
            Scalar::Float(f64::NEG_INFINITY),
            Scalar::Float(f64::INFINITY),
        ),
        None => return None,
    };
    match f {
        ScatterFn::Mul => Some(Scalar::Int(1)),
        ScatterFn::Max => Some(least),
        ScatterFn::Min => Some(greatest),
        ScatterFn::Add => Some(Scalar::Int(0)),
        ScatterFn::Set => None,
    }
}
