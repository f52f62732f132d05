//! The guard of a maximum pool that reads the image of the convolution in front of it, in place of the convolution's result.
//!
//! A NaN of the image is NaN in all channels of each of the pool's windows that it reaches. So one tensor without channels tells where: sums
//! over the image's channels and rows, then over its columns, each of them 0 or NaN. An image has few channels, the result of a first layer some
//! dozens, so these sums take about half of the time of sums over the result (25 us in place of 43 to 51, of 1,050 us for 7x7 taps and 64
//! channels on 224x224 places; measured with AVX-512, one thread).
//!
//! XNNPACK sums over windows of rows and columns, with channels innermost. A plain image `[n, c, h, w]` is one of `c` rows and `h` columns, with `w`
//! channels. The sums over its channels and rows are small, so they are transposed for the sums over columns.

use super::cover::{TILES, is_tile};
use super::depthwise::Depthwise;
use super::nan_witnesses::{axes, convolution, witnesses};
use super::pool::{Window, out_size};
use super::window::UNIT;
use super::{Lowering, Problem};
use crate::orders::ROWS;
use crate::payload::{Clamp, ValueId as Tensor};
use crate::weights;
use kiln_ir::{DType, Dim, Graph, Op, Shape, ValueId};
use kiln_transforms::layout::Order;

/// The first factor: no sum of numbers is infinite behind it.
const FIRST: f64 = 1.0 / (1u64 << 10) as f64;

/// A factor that brings sums of numbers within [`LIMITS`] to 0.
const VANISHING: f64 = 1.0 / (1u128 << 100) as f64;

/// What the first sum is limited to. An infinity would stay one behind every factor, and change the result.
const LIMITS: Clamp = Clamp {
    min: 0.0,
    max: VANISHING as f32,
};

/// Which windows of an image a maximum pool reads through a convolution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImageGuard {
    image: ValueId,
    /// `[n, c, h, w]`.
    sizes: [i64; 4],
    /// By axis, windows of the image, as many as the pool has: two sums, one after the other.
    windows: [[Window; 2]; 2],
}

/// The guard of a maximum over windows of `value`, where the image has no more elements than the maximum. `None` where a guard of `value` would
/// have to read all elements ([`witnesses`]): that one shows every NaN.
pub(crate) fn image_guard(
    graph: &Graph,
    value: ValueId,
    windows: [Window; 2],
) -> Option<ImageGuard> {
    witnesses(graph, value, windows)?;
    let node = graph.node(convolution(graph, value)?);
    let Op::Conv(op) = &node.op else { return None };
    let [x, weight, y] = [node.operands[0], node.operands[1], node.result()];
    let shape = |v: ValueId| &graph.ty(v).shape;
    let axes = axes(op, [x, weight, y].map(shape))?;
    let [rows, columns] = axes[..] else {
        return None;
    };
    let sizes = sizes(shape(x))?;
    let (rows, columns) = (rows.through(&windows[0])?, columns.through(&windows[1])?);
    let windows = [in_two(rows, sizes[1])?, in_two(columns, 1)?];
    let [_, c, h, w] = sizes;
    let [height, width] = [(h, rows), (w, columns)].map(|(n, w)| out_size(&n.into(), &w));
    let results = shape(y)[1].as_const()? * height.as_const()? * width.as_const()?;
    let is_dense = op.groups == 1 && graph.ty(x).dtype == DType::F32;
    (is_dense && c * h * w <= results).then_some(ImageGuard {
        image: x,
        sizes,
        windows,
    })
}

fn sizes(shape: &Shape) -> Option<[i64; 4]> {
    let sizes: Option<Vec<i64>> = shape.iter().map(Dim::as_const).collect();
    sizes?.try_into().ok()
}

/// Two windows, one behind the other, that read the elements of this one. The first also spans all channels, so its taps times the channels are
/// those of a kernel of the library. `None` if there are no such kernels.
fn in_two(window: Window, channels: i64) -> Option<[Window; 2]> {
    let channels = u32::try_from(channels).ok()?;
    let is_first = |taps: u32| {
        let all = taps.checked_mul(channels);
        all.is_some_and(|all| is_tile(all) || all == 1)
    };
    let pairs = [1, 3, 4, 9].into_iter().flat_map(|a| TILES.map(|b| (a, b)));
    let mut pairs = pairs.filter(|&(a, b)| a + b - 1 == window.kernel && is_first(a));
    let (first, second) = pairs.next()?;
    if first == 1 {
        return Some([UNIT, window]);
    }
    // The first reads the padding, the second moves by the stride.
    let first = Window {
        kernel: first,
        stride: 1,
        ..window
    };
    let second = Window {
        kernel: second,
        stride: window.stride,
        ..UNIT
    };
    Some([first, second])
}

impl ImageGuard {
    /// The sums over channels and rows, then over columns: windows over dims `[n, h, w, c]`, and what weighs each element.
    fn sums(&self) -> [[([Window; 2], f64); 2]; 2] {
        let [rows, columns] = self.windows;
        let all = Window {
            kernel: self.sizes[1] as u32,
            ..UNIT
        };
        [
            [([all, rows[0]], FIRST), ([UNIT, rows[1]], VANISHING)],
            [([columns[0], UNIT], 1.0), ([columns[1], UNIT], VANISHING)],
        ]
    }
}

impl Lowering<'_> {
    /// 0 for each of the pool's windows, or NaN where the image has one, as `[n, h, w, 1]`. `None` if the image would have to be moved.
    pub(super) fn guard_by_image(&mut self, guard: &ImageGuard) -> Result<Option<Tensor>, Problem> {
        let plain = Order::plain(guard.sizes.len());
        let to = plain.to_memory(&self.graph.ty(guard.image).shape, ROWS);
        if self.tensors.cost_of(guard.image, &to) > 0 {
            return Ok(None);
        }
        let mut tensor = self.tensors.operand(guard.image, &plain)?;
        let mut clamp = Some(LIMITS);
        for sums in guard.sums() {
            for (windows, factor) in sums
                .into_iter()
                .filter(|(w, _)| w.iter().any(|w| w.kernel > 1))
            {
                tensor = self.tile_sum(tensor, windows, factor, clamp.take())?;
            }
            tensor = self.tensors.transpose(tensor, &[0, 3, 1, 2]);
        }
        Ok(Some(tensor))
    }

    /// A sum by one kernel of the library, each element times the factor.
    fn tile_sum(
        &mut self,
        input: Tensor,
        windows: [Window; 2],
        factor: f64,
        clamp: Option<Clamp>,
    ) -> Result<Tensor, Problem> {
        let [n, h, w, c] = [0, 1, 2, 3].map(|i| self.tensors.dims(input)[i].clone());
        let channels = c.as_const().ok_or("channels are not known")? as usize;
        let [rows, columns] = &windows;
        let sizes = vec![
            n.clone(),
            out_size(&h, rows),
            out_size(&w, columns),
            c.clone(),
        ];
        let elements = self.tensors.elements(input);
        let output = self.tensors.add(elements, sizes);
        let taps = windows.map(|w| w.kernel as usize);
        let filter = weights::splat(DType::F32, &[1, taps[0], taps[1], channels], factor);
        let conv = Depthwise {
            windows,
            filter: &filter,
            bias: None,
            clamp,
        };
        self.depthwise(&conv, &[n, c, h, w].into_iter().collect(), input, output)?;
        Ok(output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(kernel: u32) -> Window {
        let (stride, low) = (4, 5);
        Window {
            kernel,
            stride,
            low,
            ..UNIT
        }
    }

    #[test]
    fn windows_are_two_kernels_of_the_library() {
        let taps = |kernel, channels| Some(in_two(window(kernel), channels)?.map(|w| w.kernel));
        assert_eq!(taps(11, 3), Some([3, 9]));
        assert_eq!(taps(11, 1), Some([3, 9]));
        assert_eq!(taps(9, 3), Some([1, 9]));
        assert_eq!(taps(12, 1), Some([4, 9]));
        // Twelve taps over three channels have no kernel, and no two kernels have seven taps together.
        assert_eq!((taps(12, 3), taps(7, 3)), (None, None));
        let [first, second] = in_two(window(11), 3).unwrap();
        assert_eq!((first.low, first.stride), (5, 1));
        assert_eq!((second.low, second.stride), (0, 4));
        assert_eq!(in_two(window(9), 3), Some([UNIT, window(9)]));
    }
}
