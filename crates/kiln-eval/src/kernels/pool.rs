//! `pool` and `adaptive_pool`.

use super::data::known;
use super::reduce::reduce;
use super::spatial::{Axes, three};
use crate::dispatch::with_number;
use crate::element::*;
use crate::error::{Cause, misfit};
use crate::nest::filled_rows;
use crate::tensor::Tensor;
use kiln_ir::ops::{AdaptivePool, Pool, PoolFn, Reduce, ReduceFn};

/// A window along one axis: `taps` positions from `first` on, `step` apart.
#[derive(Clone, Copy)]
struct Window {
    first: usize,
    taps: usize,
    step: usize,
    /// The number of positions in the input or its padding.
    counted: usize,
}

/// The divisor of a window's sum.
#[derive(Clone, Copy)]
enum Divisor {
    /// This number.
    Fixed(i64),
    /// The number of positions in the input or its padding.
    Counted,
    /// The number of positions in the input.
    Seen,
    /// The number of positions in the input along each axis, one axis after the other.
    SeenByAxis,
}

impl Divisor {
    fn of(self, windows: [Window; 3]) -> [i64; 3] {
        let product = |count: fn(Window) -> usize| {
            let count = windows.into_iter().map(count).product::<usize>();
            [(count as i64).max(1), 1, 1]
        };
        match self {
            Divisor::Fixed(number) => [number, 1, 1],
            Divisor::Counted => product(|w| w.counted),
            Divisor::Seen => product(|w| w.taps),
            Divisor::SeenByAxis => windows.map(|w| w.taps as i64),
        }
    }
}

/// The windows along each axis, one for each index of the result.
type Plan = Axes<Vec<Window>>;

fn axis_windows(op: &Pool, axis: usize, size: usize, windows: usize) -> Vec<Window> {
    let (step, kernel) = (op.dilation[axis], op.kernel[axis]);
    let end = size as i64 + op.pad_high[axis];
    // The number of taps before a bound.
    let below =
        |start: i64, bound: i64| ((bound - start + step - 1).div_euclid(step)).clamp(0, kernel);
    let window = |w: usize| {
        let start = w as i64 * op.stride[axis] - op.pad_low[axis];
        let skipped = below(start, 0);
        let taps = below(start, size as i64) - skipped;
        Window {
            first: (start + skipped * step).max(0) as usize,
            taps: taps.max(0) as usize,
            step: step as usize,
            counted: below(start, end) as usize,
        }
    };
    (0..windows).map(window).collect()
}

/// Reduces windows.
///
/// # Errors
/// If there are more than three spatial axes, or integers are divided by zero.
pub fn pool(op: &Pool, x: &Tensor, sizes: &[usize]) -> Result<Vec<Tensor>, Cause> {
    let axis = |i: usize| axis_windows(op, i, x.sizes()[i + 2], sizes[i + 2]);
    fold(op.f, x, (0..op.spatial()).map(axis).collect(), sizes, false)
}

/// Reduces windows to given output sizes.
///
/// # Errors
/// If there are more than three spatial axes, or no elements.
pub fn adaptive_pool(op: &AdaptivePool, x: &Tensor, sizes: &[usize]) -> Result<Vec<Tensor>, Cause> {
    if let PoolFn::Avg { .. } = op.f
        && sizes[2..].iter().all(|&n| n == 1)
        && !x.is_empty()
    {
        // PyTorch computes a mean here, which adds in another order than its windows.
        let axes = (2..x.rank()).collect();
        let mean = Reduce {
            f: ReduceFn::Mean,
            axes,
        };
        return Ok(vec![reduce(&mean, x, sizes)?]);
    }
    let mut plan = Vec::new();
    for (axis, output) in op.output.iter().enumerate() {
        let (from, to) = (x.sizes()[axis + 2] as u128, known(output)? as u128);
        if from == 0 {
            misfit!(
                "an adaptive pool of sizes {:?}, which has no elements",
                x.sizes()
            );
        }
        let window = |i: u128| {
            let (first, end) = (i * from / to, ((i + 1) * from).div_ceil(to));
            Window {
                first: first as usize,
                taps: (end - first) as usize,
                step: 1,
                counted: (end - first) as usize,
            }
        };
        plan.push((0..to).map(window).collect());
    }
    fold(op.f, x, plan, sizes, true)
}

fn fold(
    f: PoolFn,
    x: &Tensor,
    plan: Vec<Vec<Window>>,
    sizes: &[usize],
    adaptive: bool,
) -> Result<Vec<Tensor>, Cause> {
    let spatial = three(&x.sizes()[2..], 1)?;
    let point = Window {
        first: 0,
        taps: 1,
        step: 1,
        counted: 1,
    };
    let mut axes = plan.into_iter().rev();
    let mut next = || axes.next().unwrap_or_else(|| vec![point]);
    let (inner, middle, outer) = (next(), next(), next());
    let plan = [outer, middle, inner];
    with_number!(x.dtype(), T, {
        Ok(match f {
            PoolFn::Max => vec![Tensor::new(sizes, greatest::<T>(x, &plan, spatial))],
            PoolFn::MaxWithIndices => {
                let values = greatest::<T>(x, &plan, spatial);
                let places = places::<T>(x, &plan, spatial);
                vec![Tensor::new(sizes, values), Tensor::new(sizes, places)]
            }
            PoolFn::Avg {
                count_include_pad,
                divisor,
            } => {
                if divisor == Some(0) {
                    misfit!("the divisor of an average is 0");
                }
                let divisor = match divisor {
                    Some(number) => Divisor::Fixed(number),
                    None if adaptive => Divisor::SeenByAxis,
                    None if count_include_pad => Divisor::Counted,
                    None => Divisor::Seen,
                };
                vec![Tensor::new(sizes, means::<T>(x, &plan, spatial, divisor))]
            }
        })
    })
}

/// Calls `make(window, plane)` for each element of the result.
fn each<T: Number, R: Element>(
    x: &Tensor,
    plan: &Plan,
    spatial: Axes<usize>,
    make: impl Fn([Window; 3], &[T]) -> R + Sync,
) -> Vec<R> {
    let [outer, middle, inner] = plan;
    let (plane, pixels) = (
        spatial.iter().product::<usize>(),
        outer.len() * middle.len() * inner.len(),
    );
    let planes = x.sizes()[0] * x.sizes()[1];
    filled_rows(planes, pixels, |row, out| {
        let from = &x.of::<T>()[row * plane..(row + 1) * plane];
        let windows = outer.iter().flat_map(|&a| {
            let inner = move |b| inner.iter().map(move |&c| [a, b, c]);
            middle.iter().copied().flat_map(inner)
        });
        windows.zip(out).for_each(|(w, o)| *o = make(w, from));
    })
}

/// Calls `visit` with the positions of a window in the input, in row-major order.
fn seen(windows: [Window; 3], sizes: Axes<usize>, mut visit: impl FnMut(usize)) {
    let [a, b, c] = windows;
    for i in 0..a.taps {
        for j in 0..b.taps {
            let (outer, middle) = (a.first + i * a.step, b.first + j * b.step);
            let line = (outer * sizes[1] + middle) * sizes[2];
            (0..c.taps).for_each(|k| visit(line + c.first + k * c.step));
        }
    }
}

fn greatest<T: Number>(x: &Tensor, plan: &Plan, sizes: Axes<usize>) -> Vec<T> {
    each(x, plan, sizes, |windows, from: &[T]| {
        let mut best = T::Compute::LEAST;
        seen(windows, sizes, |place| {
            best = best.greater(from[place].up())
        });
        T::down(best)
    })
}

/// The position of the maximum: the first of equal elements, but the last NaN.
fn places<T: Number>(x: &Tensor, plan: &Plan, sizes: Axes<usize>) -> Vec<i64> {
    each(x, plan, sizes, |windows, from: &[T]| {
        let mut best = None;
        seen(windows, sizes, |place| {
            let value = from[place];
            if best.is_none_or(|b: usize| value > from[b] || value.is_nan()) {
                best = Some(place);
            }
        });
        best.map_or(0, |b| b as i64)
    })
}

/// Averages. Sums accumulate in the compute type and in order, as in PyTorch, so that ties between two integers of a
/// later quantisation round to the same side.
fn means<T: Number>(x: &Tensor, plan: &Plan, sizes: Axes<usize>, divisor: Divisor) -> Vec<T> {
    each(x, plan, sizes, |windows, from: &[T]| {
        let mut sum = T::Compute::ZERO;
        seen(windows, sizes, |place| sum = sum.add(from[place].up()));
        T::down(divisor.of(windows).into_iter().fold(sum, Arithmetic::over))
    })
}
