//! The form of a pool: XNNPACK's maximum pool, a global average, or depthwise convolutions that sum.
//!
//! The library's average pool turns NaN into minus infinity; its convolutions do not. Its maximum pool keeps a NaN only
//! at some places of the window (measured). So each window of non-negative numbers is also summed, with a weight so
//! small that subtracting the sum changes no bit of a number, while NaN and infinity pass through.

use super::window::{UNIT, image};
use super::window_sum;
use crate::weights::check_elements;
use kiln_ir::ops::{AdaptivePool, Pool, PoolFn};
use kiln_ir::{Dim, Shape};
use kiln_transforms::framework::target::Reason;

/// The window's parameters along one spatial axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) kernel: u32,
    pub(crate) stride: u32,
    pub(crate) low: u32,
    pub(crate) high: u32,
    pub(crate) dilation: u32,
}

/// The form of a pool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Plan {
    /// The maximum pool.
    Max(Vec<Window>),
    /// The mean of the whole image.
    Global,
    /// A sum over windows, times one factor.
    Sum { windows: Vec<Window>, factor: f64 },
    /// A sum over windows, times a factor for each place: the product of its axes' factors.
    Counted {
        windows: Vec<Window>,
        factors: Vec<Vec<f64>>,
    },
}

/// The factor of the sum that keeps NaN in a maximum. It is negative, so that subtracting 0 keeps the sign of 0.
pub(crate) const GUARD: f64 = -1.0 / (1u64 << 60) as f64;

/// The most elements for which that sum is below half a unit in the last place of the largest, even if some elements
/// count several times.
pub(crate) const MAX_GUARDED_TAPS: i64 = 1 << 24;

/// The most places of an average whose windows count different numbers of elements: 4 MiB of factors as f32.
const MAX_PLACES: u64 = 1 << 20;

/// The form of the pool on an input of that shape.
pub(crate) fn plan(shape: &Shape, op: &Pool) -> Result<Plan, Reason> {
    let windows: Result<Vec<Window>, Reason> =
        (0..op.spatial()).map(|i| window(shape, op, i)).collect();
    let windows = windows?;
    match op.f {
        PoolFn::Max => Ok(Plan::Max(windows)),
        PoolFn::MaxWithIndices => Err(Reason::new(
            "XNNPACK's pools give no positions",
            "indices of the maxima",
        )),
        PoolFn::Avg {
            count_include_pad,
            divisor,
        } => {
            if shape[1].as_const().is_none() {
                return Err(Reason::new("channels are known", format!("{}", shape[1])));
            }
            average(shape, op, windows, count_include_pad, divisor)
        }
    }
}

/// The form of a pool whose NaN and infinities are PyTorch's.
///
/// # Errors
/// Why there is none.
pub(crate) fn exact(shape: &Shape, op: &Pool) -> Result<Plan, Reason> {
    let plan = plan(shape, op)?;
    match &plan {
        Plan::Global => {}
        Plan::Sum { windows, .. } | Plan::Counted { windows, .. } => {
            window_sum::sum(image(windows, UNIT), shape)?;
        }
        Plan::Max(windows) => keeps_nan(shape, op, windows)?,
    }
    Ok(plan)
}

/// Whether the library's maximum pool takes integers. Windows of one element, which it refuses, are sums of one tap for floats only.
///
/// # Errors
/// Why it does not.
pub(crate) fn of_integers(shape: &Shape, op: &Pool) -> Result<(), Reason> {
    plan(shape, op)?;
    if op.kernel.iter().all(|&n| n == 1) {
        let rule = "XNNPACK's maximum pools of integers have windows of more than one element";
        return Err(Reason::new(rule, "1"));
    }
    Ok(())
}

/// Whether a maximum over windows can keep NaN, which takes a sum over the same windows.
fn keeps_nan(shape: &Shape, op: &Pool, windows: &[Window]) -> Result<(), Reason> {
    if shape[1].as_const().is_none() {
        return Err(Reason::new("channels are known", format!("{}", shape[1])));
    }
    let taps = op.kernel.iter().fold(1i64, |n, &k| n.saturating_mul(k));
    if taps > MAX_GUARDED_TAPS {
        let rule = format!("a maximum that keeps NaN is of at most {MAX_GUARDED_TAPS} elements");
        return Err(Reason::new(rule, taps.to_string()));
    }
    let windows = image(windows, UNIT);
    match taps {
        1 => window_sum::sum(windows, shape),
        _ => window_sum::sum_of_any(windows, shape),
    }
    .map(drop)
}

fn window(shape: &Shape, op: &Pool, i: usize) -> Result<Window, Reason> {
    let small = |n: i64, what: &str| match u32::try_from(n) {
        Ok(n) if n < 1 << 16 => Ok(n),
        _ => Err(Reason::new(
            format!("a pool's {what} is below 2^16"),
            n.to_string(),
        )),
    };
    let mut high = op.pad_high[i];
    if op.ceil {
        let sizes = (
            shape[i + 2].as_const(),
            op.spatial_size(i, &shape[i + 2]).as_const(),
        );
        let (Some(size), Some(out)) = sizes else {
            return Err(Reason::new(
                "a pool that rounds up sees known sizes",
                format!("{}", shape[i + 2]),
            ));
        };
        let extent = op.dilation[i] * (op.kernel[i] - 1) + 1;
        high = ((out - 1) * op.stride[i] + extent - size - op.pad_low[i]).max(0);
    }
    Ok(Window {
        kernel: small(op.kernel[i], "kernel")?,
        stride: small(op.stride[i], "stride")?,
        low: small(op.pad_low[i], "padding")?,
        high: small(high, "padding")?,
        dilation: small(op.dilation[i], "dilation")?,
    })
}

fn average(
    shape: &Shape,
    op: &Pool,
    windows: Vec<Window>,
    count_include_pad: bool,
    divisor: Option<i64>,
) -> Result<Plan, Reason> {
    let area = windows.iter().map(|w| f64::from(w.kernel)).product::<f64>();
    let padded = windows.iter().any(|w| w.low > 0 || w.high > 0);
    let whole = windows
        .iter()
        .enumerate()
        .all(|(i, w)| shape[i + 2].is(i64::from(w.kernel)) && w.dilation == 1);
    match divisor {
        Some(0) => return Err(Reason::new("an average divides by a number", "0")),
        Some(divisor) => {
            return Ok(Plan::Sum {
                windows,
                factor: 1.0 / divisor as f64,
            });
        }
        None if whole && !padded => return Ok(Plan::Global),
        None if !padded || (count_include_pad && !op.ceil) => {
            return Ok(Plan::Sum {
                windows,
                factor: 1.0 / area,
            });
        }
        None => {}
    }
    let sizes = |i: usize| {
        let size = shape[i + 2].as_const()?;
        Some((size, op.spatial_size(i, &shape[i + 2]).as_const()?))
    };
    let sizes: Option<Vec<(i64, i64)>> = (0..windows.len()).map(sizes).collect();
    let Some(sizes) = sizes else {
        return Err(Reason::new(
            "an average over padding sees known sizes",
            format!("{shape:?}"),
        ));
    };
    let places = sizes.iter().map(|&(_, out)| out);
    check_elements("an average over padding", MAX_PLACES, places)?;
    let factors = sizes.iter().enumerate().map(|(i, &(size, out))| {
        (0..out)
            .map(|at| 1.0 / count(op, i, size, at, count_include_pad) as f64)
            .collect()
    });
    let factors = factors.collect();
    Ok(Plan::Counted { windows, factors })
}

/// The number of elements along axis `i` that the window at `at` counts.
fn count(op: &Pool, i: usize, size: i64, at: i64, include_pad: bool) -> i64 {
    let start = at * op.stride[i] - op.pad_low[i];
    let (least, end) = if include_pad {
        (start, size + op.pad_high[i])
    } else {
        (0, size)
    };
    let before = |place: i64| {
        let taps = (place - start + op.dilation[i] - 1).div_euclid(op.dilation[i]);
        taps.clamp(0, op.kernel[i])
    };
    (before(end) - before(least)).max(1)
}

/// The pool with fixed windows that equals an adaptive pool.
pub(crate) fn of_adaptive(shape: &Shape, op: &AdaptivePool) -> Result<Pool, Reason> {
    let mut kernel = Vec::new();
    for (i, out) in op.output.iter().enumerate() {
        let size = &shape[i + 2];
        let exact = match (size.as_const(), out.as_const()) {
            (Some(size), Some(out)) if out > 0 && size % out == 0 => Some(size / out),
            _ => None,
        };
        kernel.push(exact.ok_or_else(|| {
            Reason::new(
                "windows of one size cover the input",
                format!("{out} windows over {size} elements"),
            )
        })?);
    }
    let n = kernel.len();
    Ok(Pool {
        f: op.f,
        stride: kernel.clone(),
        kernel,
        pad_low: vec![0; n],
        pad_high: vec![0; n],
        dilation: vec![1; n],
        ceil: false,
    })
}

/// The size of a pool's result along a spatial axis.
pub(crate) fn out_size(size: &Dim, window: &Window) -> Dim {
    let extent = i64::from(window.dilation * (window.kernel - 1) + 1);
    let span = size + i64::from(window.low + window.high) - extent;
    span.floor_div(&i64::from(window.stride).into()) + 1
}
