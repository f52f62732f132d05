//! Convolutions of few channels, which read neighbouring columns of an image as channels.
//!
//! The library's convolutions of integers take eight channels at a time, so that 3 channels take as long as 8. Where a convolution has a
//! stride, the columns of one step can be channels: `[n, h, w, c]` is read as `[n, h, w / f, f * c]`, which moves nothing, and taps
//! beside the window are zeros. The sums are the same integers. An image of one column has its rows in place of columns.

use super::Lowering;
use super::pool::Window;
use super::product::{Image, windows};
use super::window::padding;
use crate::payload::{ConvKind, ConvParams, ValueId as Tensor};
use kiln_ir::{Dim, TensorData};

/// The channels that a kernel takes at a time.
pub(super) const BLOCK: u64 = 8;
/// The most columns that become one. Larger strides are rare, and each number of columns is tried.
const MOST_COLUMNS: u32 = 64;

/// A window over columns that are folded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fold {
    /// The folded axis of the image: 0 for rows, 1 for columns.
    axis: usize,
    /// How many columns become one.
    columns: u32,
    before: Window,
    window: Window,
}

/// The products of an output along a window, with those of the padding of channels.
fn work(window: Window, channels: u64) -> u64 {
    u64::from(window.kernel) * channels.next_multiple_of(BLOCK)
}

/// How a window's kernel goes through a size of that many columns; `None` if a fold saves less than a fifth.
pub(crate) fn fold(windows: [Window; 2], sizes: [Option<i64>; 2], channels: u32) -> Option<Fold> {
    let is_row = windows[1].kernel == 1 && sizes[1] == Some(1);
    let axis = if is_row { 0 } else { 1 };
    let before = windows[axis];
    let size = u32::try_from(sizes[axis]?).ok()?;
    let folds = (2..=before.stride.min(size).min(MOST_COLUMNS)).filter_map(|columns| {
        let window = folded(before, size, columns)?;
        Some(Fold {
            axis,
            columns,
            before,
            window,
        })
    });
    let cost = |fold: &Fold| work(fold.window, fold.channels(channels));
    let least = folds.min_by_key(|fold| (cost(fold), fold.window.kernel))?;
    (cost(&least) * 5 <= work(before, channels.into()) * 4).then_some(least)
}

/// The window over columns of which `columns` became one; `None` if the results are not at whole columns.
fn folded(window: Window, size: u32, columns: u32) -> Option<Window> {
    if !window.stride.is_multiple_of(columns) || !size.is_multiple_of(columns) {
        return None;
    }
    let last = window.kernel.checked_sub(1)?;
    let reach = last.checked_mul(window.dilation)?.checked_add(1)?;
    let steps = size.checked_add(window.low)?.checked_add(window.high)?;
    let steps = steps.checked_sub(reach)? / window.stride;
    let low = window.low.div_ceil(columns);
    let kernel = place(window, columns, last).0 + 1;
    let stride = window.stride / columns;
    let needed = steps * stride + kernel;
    let high = needed.saturating_sub(size / columns + low);
    let folded = Window {
        kernel,
        stride,
        low,
        high,
        dilation: 1,
    };
    let own = (size / columns + low + high - kernel) / stride;
    (own == steps).then_some(folded)
}

/// The folded tap of a tap, and the column in it.
fn place(window: Window, columns: u32, tap: u32) -> (u32, u32) {
    let [low, apart, columns] = [window.low, window.dilation, columns].map(u64::from);
    let at = low.next_multiple_of(columns) - low + u64::from(tap) * apart;
    ((at / columns) as u32, (at % columns) as u32)
}

/// The products of an output: those of the kernel of integers, folded where that pays, and those of the window.
pub(crate) fn products(windows: [Window; 2], sizes: [Option<i64>; 2], channels: u32) -> [u64; 2] {
    let [rows, columns] = windows.map(|w| u64::from(w.kernel));
    let integers = match fold(windows, sizes, channels) {
        Some(fold) if fold.axis == 0 => columns * work(fold.window, fold.channels(channels)),
        Some(fold) => rows * work(fold.window, fold.channels(channels)),
        None => rows * work(windows[1], channels.into()),
    };
    [integers, rows * columns * u64::from(channels)]
}

impl Fold {
    /// The channels of the folded image.
    fn channels(&self, channels: u32) -> u64 {
        u64::from(channels) * u64::from(self.columns)
    }

    /// The weights `[outputs, height, width, channels]` of the folded window.
    fn filter(&self, filter: &TensorData) -> Option<TensorData> {
        let mut sizes = filter.sizes().to_vec();
        let (axis, element) = (1 + self.axis, filter.dtype().size());
        let (taps, unit) = (sizes[axis], sizes[3] * element);
        let step = self.columns as usize * unit;
        let image = self.window.kernel as usize * step;
        sizes[axis] = self.window.kernel as usize;
        sizes[3] *= self.columns as usize;
        let old = filter.bytes();
        let mut bytes = vec![0; old.len() / (taps * unit).max(1) * image];
        for (from, to) in old
            .chunks_exact(taps * unit)
            .zip(bytes.chunks_exact_mut(image))
        {
            for (tap, weights) in from.chunks_exact(unit).enumerate() {
                let (at, column) = place(self.before, self.columns, tap as u32);
                let start = at as usize * step + column as usize * unit;
                to[start..start + unit].copy_from_slice(weights);
            }
        }
        TensorData::new(filter.dtype(), sizes, bytes.into()).ok()
    }
}

impl Lowering<'_> {
    /// The image in which to convolve, and the convolution, with columns as channels if that takes less work.
    ///
    /// The weights are integers about 0, in the order `[outputs, height, width, channels]`.
    pub(super) fn in_columns(&mut self, input: Tensor, image: Image) -> (Tensor, Image) {
        let dims = self.tensors.dims(input).to_vec();
        let known = dims.iter().filter(|dim| dim.as_const().is_none()).count() <= 1;
        let is_plain = image.kind == ConvKind::Conv2d && image.params.groups == 1;
        let [_, h, w, _] = &dims[..] else {
            return (input, image);
        };
        let (windows, channels) = (windows(&image.params), image.params.group_input_channels);
        let found = fold(windows, [h.as_const(), w.as_const()], channels);
        let Some(fold) = found.filter(|_| known && is_plain) else {
            return (input, image);
        };
        let Some(filter) = fold.filter(&image.filter) else {
            return (input, image);
        };
        let mut windows = windows;
        windows[fold.axis] = fold.window;
        let params = ConvParams {
            padding: padding(windows),
            kernel: windows.map(|w| w.kernel),
            stride: windows.map(|w| w.stride),
            dilation: windows.map(|w| w.dilation),
            group_input_channels: channels * fold.columns,
            ..image.params
        };
        let mut to = dims.clone();
        let columns = i64::from(fold.columns);
        to[1 + fold.axis] = Dim::constant(to[1 + fold.axis].as_const().unwrap_or(0) / columns);
        to[3] = Dim::constant(i64::from(channels) * columns);
        let input = self.tensors.reshape(input, &to);
        let kind = image.kind;
        (
            input,
            Image {
                kind,
                params,
                filter,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn window(kernel: u32, stride: u32, low: u32, high: u32, dilation: u32) -> Window {
        Window {
            kernel,
            stride,
            low,
            high,
            dilation,
        }
    }

    #[test]
    fn three_channels_in_strides() {
        let of = |w, size, channels| {
            fold([w; 2], [Some(size); 2], channels).map(|f| (f.columns, f.window))
        };
        assert_eq!(
            of(window(3, 2, 1, 1, 1), 224, 3),
            Some((2, window(2, 1, 1, 0, 1)))
        );
        assert_eq!(
            of(window(7, 2, 3, 3, 1), 224, 3),
            Some((2, window(4, 1, 2, 1, 1)))
        );
        assert_eq!(
            of(window(4, 4, 0, 0, 1), 224, 3),
            Some((4, window(1, 1, 0, 0, 1)))
        );
        assert_eq!(of(window(3, 2, 1, 1, 1), 225, 3), None);
        assert_eq!(of(window(3, 2, 1, 1, 1), 224, 8), None);
        assert_eq!(of(window(3, 1, 1, 1, 1), 224, 3), None);
    }

    /// What a window reads at its outputs: for each, the column of each tap, padding left out.
    fn read(w: Window, size: u32) -> Vec<Vec<(u32, u32)>> {
        let reach = (w.kernel - 1) * w.dilation + 1;
        let outputs = (size + w.low + w.high - reach) / w.stride + 1;
        let taps = |o: u32| {
            (0..w.kernel).filter_map(move |t| {
                let column = (o * w.stride + t * w.dilation).checked_sub(w.low)?;
                (column < size).then_some((t, column))
            })
        };
        (0..outputs).map(|o| taps(o).collect()).collect()
    }

    proptest! {
        /// Each tap reads the same columns through the folded window, and there are as many outputs.
        #[test]
        fn folded_windows_read_the_same(
            kernel in 1u32..9, stride in 1u32..5, low in 0u32..5, high in 0u32..5, dilation in 1u32..4, size in 1u32..40, columns in 2u32..5,
        ) {
            let before = window(kernel, stride, low, high, dilation);
            prop_assume!(size + low + high > (kernel - 1) * dilation);
            let Some(after) = folded(before, size, columns) else { return Ok(()) };
            let (own, through) = (read(before, size), read(after, size / columns));
            prop_assert_eq!(own.len(), through.len());
            for (own, through) in own.iter().zip(&through) {
                for t in 0..kernel {
                    let (at, column) = place(before, columns, t);
                    prop_assert!(at < after.kernel);
                    let direct = own.iter().find(|(tap, _)| *tap == t).map(|(_, c)| *c);
                    let folded = through.iter().find(|(tap, _)| *tap == at).map(|(_, c)| c * columns + column);
                    prop_assert_eq!(direct, folded);
                }
            }
        }
    }
}
