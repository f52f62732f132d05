//! Which elements of a maximum pool's windows show every NaN that a convolution got from its operand.
//!
//! A convolution gives NaN wherever its window holds a NaN of the operand. So one NaN of the operand is a rectangle of NaN in the result,
//! in all channels of the group. With 7x7 taps and strides of 2 such a rectangle has at least 3 rows and columns within the image, and a
//! window of 3x3 elements that meets the rectangle has a corner in it. A guard that reads the four corners costs a third of one that
//! reads nine elements.
//!
//! A convolution also makes NaN of infinities (`inf - inf`), at single places. The guard may miss these
//! ([`crate::support::difference`]).

use super::cover::is_tile;
use super::pool::{Window, out_size};
use crate::support::is_bounded;
use kiln_ir::ops::{Conv, UnaryFn};
use kiln_ir::{DType, Graph, NodeId, Op, Shape, ValueId};
use kiln_transforms::analysis::constants::is_constant;

/// The longest axis of an operand, and the longest window, whose places are searched. Beyond, a guard reads all elements.
const MOST_PLACES: i64 = 1 << 14;
const MOST_TAPS: u32 = 32;

/// The windows that a guard has to read for a maximum over windows of `value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Witnesses {
    /// The same places with fewer elements each.
    pub(crate) windows: [Window; 2],
    /// True if they also show each NaN that the convolution makes of infinities, since there are none.
    pub(crate) show_all: bool,
}

/// The witnesses of NaN in windows of `value`; `None` if all elements have to be read.
pub(crate) fn witnesses(graph: &Graph, value: ValueId, windows: [Window; 2]) -> Option<Witnesses> {
    let conv = graph.node(convolution(graph, value)?);
    let Op::Conv(op) = &conv.op else { return None };
    let shape = |v: ValueId| &graph.ty(v).shape;
    let (x, weight) = (shape(conv.operands[0]), shape(conv.operands[1]));
    let axes = axes(op, [x, weight, shape(conv.result())])?;
    let thinner = |axis: usize| {
        let (window, axis) = (windows[axis], axes.get(axis));
        let gaps = (1..window.kernel.min(MOST_TAPS))
            .filter(move |g| (window.kernel - 1).is_multiple_of(*g));
        let found = gaps.map(move |gap| window.every(gap));
        let shown = found.filter(move |w| axis.is_some_and(|axis| axis.shows(&window, w)));
        [window].into_iter().chain(shown)
    };
    let taps = |[h, w]: &[Window; 2]| u64::from(h.kernel) * u64::from(w.kernel);
    let is_kernel = |all: &[Window; 2]| u32::try_from(taps(all)).is_ok_and(is_tile);
    let windows = thinner(0)
        .flat_map(|h| thinner(1).map(move |w| [h, w]))
        .filter(|all| taps(all) < taps(&windows) && is_kernel(all))
        .min_by_key(taps)?;
    let show_all = is_bounded(graph, conv.result());
    Some(Witnesses { windows, show_all })
}

/// The convolution that computes a value up to functions that keep NaN.
pub(super) fn convolution(graph: &Graph, mut value: ValueId) -> Option<NodeId> {
    loop {
        let id = graph.producer(value)?;
        let node = graph.node(id);
        match &node.op {
            Op::Unary(op) => match op.f {
                UnaryFn::Clamp { .. } | UnaryFn::LeakyRelu { .. } | UnaryFn::Elu { .. } => {
                    value = node.operands[0];
                }
                _ => return None,
            },
            Op::Conv(_) => {
                let is_f32 = graph.ty(value).dtype == DType::F32;
                return (is_f32 && is_constant(graph, node.operands[1])).then_some(id);
            }
            _ => return None,
        }
    }
}

/// One spatial axis of a convolution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// The sizes of the operand and of the result.
    sizes: [i64; 2],
    kernel: i64,
    stride: i64,
    low: i64,
}

/// The spatial axes of a convolution whose windows have no gaps; `None` for others, and for unknown sizes.
pub(super) fn axes(op: &Conv, [x, weight, y]: [&Shape; 3]) -> Option<Vec<Axis>> {
    if op.transposed || op.dilation.iter().any(|&n| n != 1) {
        return None;
    }
    let axis = |i: usize| {
        Some(Axis {
            sizes: [x[i + 2].as_const()?, y[i + 2].as_const()?],
            kernel: weight[i + 2].as_const()?,
            stride: op.stride[i],
            low: op.pad_low[i],
        })
    };
    (0..op.spatial()).map(axis).collect()
}

impl Axis {
    /// The first and the last place of the result that reads a place of the operand, cut to the result. The first is behind the last
    /// if none reads it.
    fn readers(&self, place: i64) -> [i64; 2] {
        let first = div_up(place + self.low - self.kernel + 1, self.stride);
        let last = (place + self.low).div_euclid(self.stride);
        [first.max(0), last.min(self.sizes[1] - 1)]
    }

    /// True if `few`, which has the places of `all` with fewer elements each, has an element wherever `all` has one among the
    /// readers of a place.
    fn shows(&self, all: &Window, few: &Window) -> bool {
        let places = out_size(&self.sizes[1].into(), all).as_const();
        let is_small = self.sizes[0] <= MOST_PLACES && self.kernel <= MOST_PLACES / 64;
        let is_searched = is_small && all.kernel <= MOST_TAPS && all.dilation == 1;
        let Some(places) = places.filter(|_| is_searched) else {
            return false;
        };
        let (stride, low) = (i64::from(all.stride), i64::from(all.low));
        let extent = i64::from(all.kernel) - 1;
        (0..self.sizes[0]).all(|place| {
            let [first, last] = self.readers(place);
            let meets = div_up(first + low - extent, stride)..=(last + low).div_euclid(stride);
            first > last
                || meets.into_iter().all(|window| {
                    let start = window * stride - low;
                    let mut taps = (0..few.kernel).map(|tap| start + i64::from(tap * few.dilation));
                    !(0..places).contains(&window) || taps.any(|at| (first..=last).contains(&at))
                })
        })
    }

    /// The window of the operand that a window of the result reads. `None` unless each place of the operand is in the windows by which it is read,
    /// and in no others.
    pub(super) fn through(&self, window: &Window) -> Option<Window> {
        let is_small = self.sizes[0].max(self.kernel).max(self.stride) <= MOST_PLACES;
        if !is_small || window.dilation != 1 {
            return None;
        }
        let places = out_size(&self.sizes[1].into(), window).as_const()?;
        let (stride, pad) = (i64::from(window.stride), i64::from(window.low));
        let extent = i64::from(window.kernel) - 1;
        let whole = Axis {
            sizes: [self.sizes[0], places],
            kernel: extent * self.stride + self.kernel,
            stride: stride * self.stride,
            low: pad * self.stride + self.low,
        };
        let readers = |place: i64| {
            let [first, last] = self.readers(place);
            let meets = [
                div_up(first + pad - extent, stride),
                (last + pad).div_euclid(stride),
            ];
            (first <= last).then_some([meets[0].max(0), meets[1].min(places - 1)])
        };
        let is_same = |place: i64| {
            let [first, last] = whole.readers(place);
            readers(place).filter(|[a, b]| a <= b) == (first <= last).then_some([first, last])
        };
        if !(0..whole.sizes[0]).all(is_same) {
            return None;
        }
        let high = (places - 1) * whole.stride + whole.kernel - whole.sizes[0] - whole.low;
        let size = |n: i64| u32::try_from(n).ok();
        Some(Window {
            kernel: size(whole.kernel)?,
            stride: size(whole.stride)?,
            low: size(whole.low)?,
            high: size(high)?,
            dilation: 1,
        })
    }
}

impl Window {
    /// The same window with every `gap`-th element, the first and the last among them.
    fn every(self, gap: u32) -> Window {
        Window {
            kernel: (self.kernel - 1) / gap + 1,
            dilation: self.dilation * gap,
            ..self
        }
    }
}

/// The quotient, rounded up.
fn div_up(dividend: i64, divisor: i64) -> i64 {
    -(-dividend).div_euclid(divisor)
}

#[cfg(test)]
mod tests {
    use super::super::window::UNIT;
    use super::*;
    use proptest::prelude::*;

    /// The convolution's axis, and the places of its result that are NaN if the operand is NaN at one place.
    fn nan(axis: &Axis, place: i64) -> Vec<bool> {
        let reads =
            |at: i64| (0..axis.kernel).any(|tap| at * axis.stride - axis.low + tap == place);
        (0..axis.sizes[1]).map(reads).collect()
    }

    /// Which windows have an element that is NaN.
    fn has_nan(nan: &[bool], window: &Window) -> Vec<bool> {
        let size = nan.len() as i64;
        let places = out_size(&size.into(), window).as_const().unwrap();
        let at = |place: i64, tap: u32| {
            place * i64::from(window.stride) - i64::from(window.low)
                + i64::from(tap * window.dilation)
        };
        let is_nan = |i: i64| (0..size).contains(&i) && nan[i as usize];
        let any = |place: i64| (0..window.kernel).any(|tap| is_nan(at(place, tap)));
        (0..places).map(any).collect()
    }

    fn axis(size: i64, kernel: i64, stride: i64, low: i64) -> Axis {
        let out = (size + 2 * low - kernel).div_euclid(stride) + 1;
        let sizes = [size, out];
        Axis {
            sizes,
            kernel,
            stride,
            low,
        }
    }

    fn pool(kernel: u32, stride: u32, pad: u32) -> Window {
        let (low, high) = (pad, pad);
        Window {
            kernel,
            stride,
            low,
            high,
            ..UNIT
        }
    }

    #[test]
    fn corners_show_what_the_stem_of_a_residual_network_holds() {
        let window = pool(3, 2, 1);
        assert!(axis(224, 7, 2, 3).shows(&window, &window.every(2)));
        let through = axis(224, 7, 2, 3).through(&window).unwrap();
        assert_eq!((through.kernel, through.stride), (11, 4));
        assert_eq!((through.low, through.high), (5, 2));
        // One place alone may be NaN.
        assert!(!axis(224, 1, 1, 0).shows(&window, &window.every(2)));
        assert!(!axis(224, 3, 2, 1).shows(&window, &window.every(2)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// `shows` is true just where a search over all places finds no NaN that is missed.
        #[test]
        fn shown_is_what_a_search_finds(
            (beyond, kernel, stride, low) in (0i64..24, 1i64..8, 1i64..4, 0i64..4),
            (gaps, gap, step, pad) in (1u32..4, 1u32..5, 1u32..4, 0u32..3),
        ) {
            let axis = axis(kernel + beyond, kernel, stride, low);
            let all = pool(gaps * gap + 1, step, pad);
            let few = all.every(gap);
            prop_assume!(axis.sizes[1] + 2 * i64::from(pad) >= i64::from(all.kernel));
            let misses = |place| {
                let nan = nan(&axis, place);
                has_nan(&nan, &all) != has_nan(&nan, &few)
            };
            prop_assert_eq!(axis.shows(&all, &few), !(0..axis.sizes[0]).any(misses));
        }

        /// The windows through a convolution have an element that is NaN just where the result's windows have one.
        #[test]
        fn windows_of_the_operand_show_what_the_result_shows(
            (beyond, kernel, stride, low) in (0i64..24, 1i64..8, 1i64..4, 0i64..4),
            (taps, step, pad) in (1u32..6, 1u32..4, 0u32..3),
        ) {
            let axis = axis(kernel + beyond, kernel, stride, low);
            let window = pool(taps, step, pad);
            prop_assume!(axis.sizes[1] + 2 * i64::from(pad) >= i64::from(taps));
            let shown = |place: i64| has_nan(&nan(&axis, place), &window);
            let of_operand = |place: i64, found: &Window| {
                let places: Vec<bool> = (0..axis.sizes[0]).map(|at| at == place).collect();
                has_nan(&places, found)
            };
            if let Some(found) = axis.through(&window) {
                for place in 0..axis.sizes[0] {
                    prop_assert_eq!(of_operand(place, &found), shown(place));
                }
            }
        }
    }
}
