//! Expands adaptive pools. An output size of 1 gives a reduction, and regular windows give a pool. Otherwise each axis
//! becomes a concatenation of its windows' reductions. Averages whose ties PyTorch's order decides are added in that order
//! (`ordered_pool`).
//!
//! Windows are regular if they have one size and one distance. They are if the output size divides the input size, and
//! sometimes otherwise (7 to 3).
//!
//! ```kiln
//! decompose none adaptive_pool
//! graph "adaptive_pool" {
//!   input tensor "x" [0, 1, 2, 3]
//!   output tensor
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 6, 7]) {
//!     %1: f32[1, 2, 1, 1] = adaptive_pool %0 {f=avg none, output=[1, 1]}
//!     %2: f32[1, 2, 3, 3] = adaptive_pool %0 {f=max, output=[3, 3]}
//!     %3: f32[1, 2, 6, 2] = adaptive_pool %0 {f=max, output=[6, 2]}
//!     return %1, %2, %3
//!   }
//! }
//! ---
//! graph "adaptive_pool" {
//!   input tensor "x" [0, 1, 2, 3]
//!   output tensor
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 6, 7]) {
//!     %1: f32[1, 2, 1, 1] = reduce %0 {f=mean, axes=[2, 3]}
//!     %2: f32[1, 2, 3, 3] = pool %0 {f=max, kernel=[2, 3], stride=[2, 2], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}
//!     %3: f32[1, 2, 6, 2] = pool %0 {f=max, kernel=[1, 4], stride=[1, 3], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}
//!     return %1, %2, %3
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand, ordered_pool};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::ops::{
    AdaptivePool, ArgFn, ArgReduce, BinaryFn, Compare, CompareFn, Gather, Pool, PoolFn, Quantised,
    Reduce, ReduceFn, Reverse,
};
use kiln_ir::{Builder, DType, NodeId, Op, ShapeNames, ValueId};
use smallvec::smallvec;

guards! {
    /// All windows have one size and one distance.
    EVEN;
}

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "adaptive_pool",
    rounds: Rounds::Often,
    expand,
};

/// The rule for averages of integers, which must round once. It applies only if a single op computes the same averages.
pub const QUANTISED: Expansion = Expansion {
    name: "adaptive_pool_of_integers",
    rounds: Rounds::AsTheOp,
    expand: of_integers,
};

fn of_integers(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let whole = attributes!(emitter, node, Quantised);
    let op = match *whole.op {
        Op::AdaptivePool(op) if matches!(op.f, PoolFn::Avg { .. }) => op,
        other => return Err(Reason::new("the op is an average", other.name())),
    };
    let x = operand(emitter, node, 0);
    let shape = emitter.shape(x);
    let axes: Vec<usize> = (2..shape.rank())
        .filter(|&i| op.output[i - 2] != shape[i])
        .collect();
    let is_whole = !axes.is_empty() && axes.iter().all(|&i| op.output[i - 2].is(1));
    let average: Op = match is_whole {
        true => {
            let f = ReduceFn::Mean;
            Reduce { f, axes }.into()
        }
        false => {
            let windows = windows_of(emitter, &op, x)?;
            let pool = regular_pool(op.f, &windows);
            let irregular = || {
                Reason::new(
                    "all windows have one size and one distance",
                    format!("{windows:?}"),
                )
            };
            pool.ok_or_else(irregular)?.into()
        }
    };
    let (quant, dtype) = (whole.quant, whole.dtype);
    let op = Box::new(average);
    only(emitter.value(Quantised { op, quant, dtype }, &[x]))
}

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, AdaptivePool);
    let x = operand(emitter, node, 0);
    let shape = emitter.shape(x);
    let f = match op.f {
        PoolFn::Max => ReduceFn::Max,
        PoolFn::Avg { .. } => ReduceFn::Mean,
        PoolFn::MaxWithIndices => return with_indices(emitter, x, &op),
    };
    let open: Vec<usize> = (0..op.output.len())
        .filter(|&i| op.output[i] != shape[i + 2])
        .collect();
    if open.iter().all(|&i| op.output[i].is(1)) {
        let axes: Vec<usize> = open.iter().map(|i| i + 2).collect();
        if f == ReduceFn::Max
            && !axes
                .iter()
                .all(|&a| emitter.symbols().is_positive(&shape[a]))
        {
            return Err(Reason::new(
                "a maximum needs at least one element",
                ShapeNames(&shape, emitter.symbols()).to_string(),
            ));
        }
        return only(if axes.is_empty() {
            Ok(x)
        } else {
            emitter.reduce(f, x, axes, true)
        });
    }
    if !open.iter().all(|&i| shape[i + 2].as_const().is_some()) {
        return only(by_symbolic_windows(emitter, x, f, &op));
    }
    let windows = windows_of(emitter, &op, x)?;
    if let Some(pool) = regular_pool(op.f, &windows) {
        return only(emitter.value(pool, &[x]));
    }
    let is_average = f == ReduceFn::Mean;
    if is_average && ordered_pool::is_ordered(emitter.graph(), node, &windows) {
        return only(ordered_pool::ordered(emitter, x, &windows));
    }
    let mut value = x;
    for (i, windows) in windows.iter().enumerate() {
        value = along_axis(emitter, value, f, i + 2, windows)?;
    }
    only(Ok(value))
}

/// The pool for input sizes that are known only at run time.
fn by_symbolic_windows(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    f: ReduceFn,
    op: &AdaptivePool,
) -> Emitted {
    let mut value = x;
    for (i, output) in op.output.iter().enumerate() {
        let size = emitter.shape(x)[i + 2].clone();
        if *output == size {
            continue;
        }
        let m = emitter.known(output, "an adaptive pool has a known number of windows")?;
        if !(1..=MAX_WINDOWS).contains(&m) || !emitter.symbols().is_positive(&size) {
            let rule = format!("there are 1 to {MAX_WINDOWS} windows of at least one element");
            return Err(Reason::new(rule, format!("{m} of {size}")));
        }
        let mut parts = Vec::new();
        for window in 0..m {
            let start = (&size * window).floor_div(&m.into());
            let end = (&size * (window + 1) + (m - 1)).floor_div(&m.into());
            let part = emitter.slice(value, i + 2, start.clone(), end - start, 1)?;
            parts.push(emitter.reduce(f, part, [i + 2], true)?);
        }
        value = emitter.concat(&parts, i + 2)?;
    }
    Ok(value)
}

/// The most windows along one axis. Each window takes several nodes.
const MAX_WINDOWS: i64 = 4096;

/// The start and the length of each window.
pub(super) type Windows = Vec<(i64, i64)>;

/// The windows along each spatial axis.
fn windows_of(
    emitter: &Emitter<'_, '_>,
    op: &AdaptivePool,
    x: ValueId,
) -> Result<Vec<Windows>, Reason> {
    const RULE: &str = "an adaptive pool to more than one element is of known sizes";
    let shape = emitter.shape(x);
    let axis = |i: usize| {
        let (n, m) = (
            emitter.known(&shape[i + 2], RULE)?,
            emitter.known(&op.output[i], RULE)?,
        );
        if n < 1 || !(1..=MAX_WINDOWS).contains(&m) || n > i64::MAX / MAX_WINDOWS {
            return Err(Reason::new(
                format!("there are 1 to {MAX_WINDOWS} windows"),
                format!("{m} of {n}"),
            ));
        }
        let window = |i: i64| (i * n / m, ((i + 1) * n + m - 1) / m - i * n / m);
        Ok((0..m).map(window).collect())
    };
    (0..op.output.len()).map(axis).collect()
}

/// The common size and distance of the windows, if they have one.
fn regular(windows: &Windows) -> Option<(i64, i64)> {
    let (first, size) = *windows.first()?;
    let distance = windows.get(1).map_or(1, |w| w.0 - first);
    let fits = |(i, w): (usize, &(i64, i64))| *w == (first + i as i64 * distance, size);
    (distance > 0 && EVEN.holds(windows.iter().enumerate().all(fits))).then_some((size, distance))
}

/// The pool with exactly these windows. Its attributes leave room for no further window.
fn regular_pool(f: PoolFn, windows: &[Windows]) -> Option<Pool> {
    let axes: Vec<(i64, i64)> = windows.iter().map(regular).collect::<Option<_>>()?;
    let f = match f {
        PoolFn::Avg { .. } => PoolFn::Avg {
            count_include_pad: true,
            divisor: None,
        },
        PoolFn::Max | PoolFn::MaxWithIndices => f,
    };
    Some(Pool {
        f,
        kernel: axes.iter().map(|a| a.0).collect(),
        stride: axes.iter().map(|a| a.1).collect(),
        pad_low: vec![0; axes.len()],
        pad_high: vec![0; axes.len()],
        dilation: vec![1; axes.len()],
        ceil: false,
    })
}

fn along_axis(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    f: ReduceFn,
    axis: usize,
    windows: &Windows,
) -> Emitted {
    if regular(windows) == Some((1, 1)) {
        return Ok(x);
    }
    let mut parts = Vec::with_capacity(windows.len());
    for &(start, len) in windows {
        let window = emitter.slice(x, axis, start, len, 1)?;
        parts.push(emitter.reduce(f, window, [axis], true)?);
    }
    emitter.concat(&parts, axis)
}

fn with_indices(emitter: &mut Emitter<'_, '_>, x: ValueId, op: &AdaptivePool) -> Expanded {
    let windows = windows_of(emitter, op, x)?;
    if let Some(pool) = regular_pool(op.f, &windows) {
        let results = emitter.results(pool, &[x])?;
        return Ok(results.into_iter().map(Some).collect());
    }
    let (mut value, mut index): (ValueId, Option<ValueId>) = (x, None);
    for axis in (2..emitter.rank(x)).rev() {
        let inner: i64 = emitter.shape(x)[axis + 1..]
            .iter()
            .filter_map(|d| d.as_const())
            .product();
        let (next, next_index) = choose(emitter, value, index, axis, inner, &windows[axis - 2])?;
        (value, index) = (next, Some(next_index));
    }
    Ok(smallvec![Some(value), index])
}

/// The maximum of each window along an axis, and its index in the input. `inner` is the distance of neighbours along
/// this axis; `index` holds the indices along the axes behind it. Inner axes come first, so that of equal maxima the
/// first in row-major order is chosen.
fn choose(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    index: Option<ValueId>,
    axis: usize,
    inner: i64,
    windows: &Windows,
) -> Result<(ValueId, ValueId), Reason> {
    let (mut values, mut indices) = (Vec::new(), Vec::new());
    for &(start, len) in windows {
        let window = emitter.slice(x, axis, start, len, 1)?;
        values.push(emitter.reduce(ReduceFn::Max, window, [axis], true)?);
        let local = place_of_greatest(emitter, window, axis, values[values.len() - 1])?;
        let place = emitter.with(BinaryFn::Add, local, start)?;
        let mut place = emitter.with(BinaryFn::Mul, place, inner)?;
        if let Some(index) = index {
            let candidates = emitter.slice(index, axis, start, len, 1)?;
            let below = emitter.value(Gather { axis }, &[candidates, local])?;
            place = emitter.binary(BinaryFn::Add, place, below)?;
        }
        debug_assert_eq!(emitter.ty(place).dtype, DType::I64);
        indices.push(place);
    }
    Ok((
        emitter.concat(&values, axis)?,
        emitter.concat(&indices, axis)?,
    ))
}

/// The index of the maximum: the first of equal elements, but the last of several NaN, as in a pool.
fn place_of_greatest(
    emitter: &mut Emitter<'_, '_>,
    window: ValueId,
    axis: usize,
    greatest: ValueId,
) -> Emitted {
    let first = ArgReduce {
        f: ArgFn::Max,
        axis,
    };
    let place = emitter.value(first.clone(), &[window])?;
    let len = emitter.known(
        &emitter.shape(window)[axis].clone(),
        "a window is of known size",
    )?;
    if len == 1 || !emitter.ty(window).dtype.is_float() {
        return Ok(place);
    }
    let backwards = emitter.value(Reverse { axes: vec![axis] }, &[window])?;
    let from_end = emitter.value(first, &[backwards])?;
    let end = emitter.scalar_like(len - 1, from_end);
    let last = emitter.binary(BinaryFn::Sub, end, from_end)?;
    let is_nan = emitter.value(Compare { f: CompareFn::Ne }, &[greatest, greatest])?;
    emitter.select(is_nan, last, place)
}
