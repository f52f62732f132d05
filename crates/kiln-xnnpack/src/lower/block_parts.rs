//! The convolutions that make the blocks of a transposed convolution.
//!
//! Along an axis, the output `s * j + r` of block `j` has the taps `r`, `r + s`, `r + 2 * s` and so on, of the places `j`, `j - 1`, `j - 2`.
//! With a stride of `s` and a kernel of `k = m * s + a`, the first `a` rows of a block have `m + 1` taps and the others `m`. So a block has
//! one or two bands of rows and of columns, and for each pair of these a convolution makes a part of each block. No convolution has a tap
//! that the transposed one does not have: taps of 0 would take time and bytes, and make NaN of infinities.

use super::product::Image;
use crate::payload::{ConvKind, ConvParams, Padding2d};
use kiln_ir::TensorData;

/// Rows or columns of a block that have equally many taps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Band {
    /// The first of the rows.
    first: u32,
    pub(super) rows: u32,
    taps: u32,
}

/// An axis of a transposed convolution.
#[derive(Debug, PartialEq)]
pub(super) struct Axis {
    pub(super) bands: Vec<Band>,
    /// The size of a block.
    pub(super) stride: u32,
    /// How many outputs are cut off at the front and at the end.
    pub(super) cuts: [u32; 2],
    /// How many whole blocks of the border are not made, at the front and at the end. The latter may be negative.
    left_out: [i64; 2],
}

/// A convolution that makes some rows and columns of each block.
pub(super) struct Part {
    pub(super) image: Image,
    pub(super) rows: u32,
    pub(super) columns: u32,
}

impl Axis {
    /// An axis of a transposed convolution. `None` if blocks have something between them: outputs without taps.
    pub(super) fn of(params: &ConvParams, axis: usize) -> Option<Axis> {
        let (kernel, stride) = (params.kernel[axis], params.stride[axis]);
        let is_dense = kernel == 1 || params.dilation[axis] == 1;
        if !is_dense || kernel < stride {
            return None;
        }
        let (taps, more) = (kernel / stride, kernel % stride);
        let band = |first, rows, taps| Band { first, rows, taps };
        let bands = match more {
            0 => vec![band(0, stride, taps)],
            _ => vec![band(0, more, taps + 1), band(more, stride - more, taps)],
        };
        let pads = params.padding;
        let [front, end] = [[pads.top, pads.bottom], [pads.left, pads.right]][axis].map(i64::from);
        let most = i64::from(bands[0].taps) - 1;
        let (at_front, front) = cut(front, i64::from(taps) - 1, stride)?;
        // The last outputs, whose taps are those of a multiple of the stride, are no outputs of a smaller kernel.
        let beyond = i64::from(bands[0].taps * stride - kernel);
        let end = end + beyond - i64::from(params.adjustment[axis]);
        let (at_end, end) = cut(end, most, stride)?;
        Some(Axis {
            bands,
            stride,
            cuts: [front, end],
            left_out: [at_front, at_end],
        })
    }

    /// The padding of a convolution that makes a band: at the front the places that are before the first one, at the end those behind the
    /// last one.
    fn pads(&self, band: Band) -> Option<[u32; 2]> {
        let most = self.bands[0].taps;
        let pads = [i64::from(band.taps), i64::from(most)];
        let [front, end] = [0, 1].map(|at| pads[at] - 1 - self.left_out[at]);
        Some([u32::try_from(front).ok()?, u32::try_from(end).ok()?])
    }
}

/// Of `off` outputs that are taken away: how many whole blocks, at most `most`, and how many outputs remain to be cut off. Outputs that are
/// added are negative, and so are the blocks that have them.
fn cut(off: i64, most: i64, stride: u32) -> Option<(i64, u32)> {
    let blocks = off.div_euclid(i64::from(stride)).min(most);
    let rest = off - blocks * i64::from(stride);
    Some((blocks, u32::try_from(rest).ok()?))
}

/// The convolutions that make a transposed one's blocks: for each band of rows those of each band of columns. `None` if one would multiply
/// padding by a weight that is not finite.
pub(super) fn parts(image: &Image, [vertical, horizontal]: &[Axis; 2]) -> Option<Vec<Part>> {
    let mut parts = Vec::with_capacity(4);
    let pairs = vertical.bands.iter();
    let pairs = pairs.flat_map(|v| horizontal.bands.iter().map(move |h| (*v, *h)));
    for (v, h) in pairs {
        let ([top, bottom], [left, right]) = (vertical.pads(v)?, horizontal.pads(h)?);
        let outputs = image.params.group_output_channels;
        let padding = Padding2d {
            top,
            right,
            bottom,
            left,
        };
        let params = ConvParams {
            padding,
            kernel: [v.taps, h.taps],
            stride: [1, 1],
            dilation: [1, 1],
            group_output_channels: outputs.checked_mul(v.rows.checked_mul(h.rows)?)?,
            adjustment: [0, 0],
            ..image.params
        };
        let filter = filter(image, v, h)?;
        let is_padded = padding != Padding2d::default();
        if is_padded && !filter.scalars().all(|s| s.as_f64().is_finite()) {
            return None;
        }
        let kind = ConvKind::Conv2d;
        parts.push(Part {
            image: Image {
                kind,
                params,
                filter,
            },
            rows: v.rows,
            columns: h.rows,
        });
    }
    Some(parts)
}

/// The weights `[g * o, kh, kw, i]` as those of a part, `[g * rows * columns * o, taps, taps, i]`. The first of the places that add to a block
/// meets it with its last taps.
fn filter(image: &Image, v: Band, h: Band) -> Option<TensorData> {
    let params = &image.params;
    let [_, width] = params.kernel.map(|n| n as usize);
    let [outputs, inputs] = [params.group_output_channels, params.group_input_channels];
    let (outputs, inputs) = (outputs as usize, inputs as usize);
    let place = inputs * image.filter.dtype().size();
    let of_output = params.kernel[0] as usize * width * place;
    let weights = image.filter.bytes();
    let tap = |band: Band, stride: u32, row: u32, at: u32| {
        (band.first + row + stride * (band.taps - 1 - at)) as usize
    };
    let mut bytes = Vec::new();
    for group in weights.chunks(outputs * of_output) {
        for (row, column) in pairs(v.rows, h.rows) {
            for own in group.chunks(of_output) {
                for (y, x) in pairs(v.taps, h.taps) {
                    let y = tap(v, params.stride[0], row, y);
                    let x = tap(h, params.stride[1], column, x);
                    let start = (y * width + x) * place;
                    bytes.extend_from_slice(own.get(start..start + place)?);
                }
            }
        }
    }
    let channels = params.groups as usize * (v.rows * h.rows) as usize * outputs;
    let sizes = vec![channels, v.taps as usize, h.taps as usize, inputs];
    TensorData::new(image.filter.dtype(), sizes, bytes.into()).ok()
}

/// All pairs of numbers below two numbers, in order.
fn pairs(a: u32, b: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..a).flat_map(move |x| (0..b).map(move |y| (x, y)))
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use kiln_ir::{DType, Scalar};

    /// A transposed convolution whose weights are their positions.
    pub(in super::super) fn transposed(
        kernel: [u32; 2],
        stride: [u32; 2],
        [inputs, outputs]: [u32; 2],
    ) -> Image {
        let count = inputs * outputs * kernel[0] * kernel[1];
        let sizes = [outputs, kernel[0], kernel[1], inputs].map(|n| n as usize);
        let numbers = (0..count).map(|i| Scalar::Float(i.into()));
        Image {
            kind: ConvKind::Transposed,
            params: ConvParams {
                padding: Padding2d::default(),
                kernel,
                stride,
                dilation: [1, 1],
                groups: 1,
                group_input_channels: inputs,
                group_output_channels: outputs,
                adjustment: [0, 0],
            },
            filter: TensorData::from_scalars(DType::F32, sizes.to_vec(), numbers),
        }
    }

    fn axes(image: &Image) -> Option<[Axis; 2]> {
        Some([Axis::of(&image.params, 0)?, Axis::of(&image.params, 1)?])
    }

    fn numbers(part: &Part) -> Vec<f64> {
        let all = part.image.filter.scalars();
        all.map(|s| s.as_f64()).collect()
    }

    #[test]
    fn the_taps_of_a_block_are_output_channels() {
        let image = transposed([1, 2], [1, 2], [1, 2]);
        let parts = parts(&image, &axes(&image).unwrap()).unwrap();
        // Output 0 has the taps 0 and 1, output 1 the taps 2 and 3: the outputs of the first tap come first.
        assert_eq!(numbers(&parts[0]), [0.0, 2.0, 1.0, 3.0]);
        assert_eq!(parts[0].image.params.group_output_channels, 4);
    }

    #[test]
    fn the_outputs_of_a_group_are_together() {
        // Two groups of one input and two outputs, with the taps 0, 1; 2, 3; 4, 5; 6, 7.
        let mut image = transposed([1, 2], [1, 2], [1, 4]);
        (image.params.groups, image.params.group_output_channels) = (2, 2);
        let parts = parts(&image, &axes(&image).unwrap()).unwrap();
        assert_eq!(numbers(&parts[0]), [0.0, 2.0, 1.0, 3.0, 4.0, 6.0, 5.0, 7.0]);
    }

    #[test]
    fn places_add_to_a_block_in_reverse() {
        let mut image = transposed([1, 4], [1, 2], [1, 1]);
        (image.params.padding.left, image.params.padding.right) = (1, 1);
        image.params.adjustment = [0, 1];
        let axes = axes(&image).unwrap();
        let parts = parts(&image, &axes).unwrap();
        // The first output of a block has the taps 2 and 0 of the place before and of its own, the second one 3 and 1.
        assert_eq!(numbers(&parts[0]), [2.0, 0.0, 3.0, 1.0]);
        let params = parts[0].image.params;
        assert_eq!([params.kernel, params.stride], [[1, 2], [1, 1]]);
        assert_eq!([params.padding.left, params.padding.right], [1, 1]);
        assert_eq!([axes[0].cuts, axes[1].cuts], [[0, 0], [1, 0]]);
    }

    #[test]
    fn bands_have_the_taps_that_there_are() {
        let image = transposed([1, 5], [1, 2], [1, 1]);
        let axes = axes(&image).unwrap();
        let parts = parts(&image, &axes).unwrap();
        let found: Vec<_> = parts.iter().map(numbers).collect();
        assert_eq!(found, [vec![4.0, 2.0, 0.0], vec![3.0, 1.0]]);
        let pads = parts.iter().map(|part| part.image.params.padding);
        let pads: Vec<_> = pads.map(|pads| [pads.left, pads.right]).collect();
        // Both convolutions make as many blocks. The second band has no output in the last one.
        assert_eq!(pads, [[2, 2], [1, 2]]);
        assert_eq!(axes[1].cuts, [0, 1]);
    }

    #[test]
    fn only_parts_of_blocks_are_cut_off() {
        assert_eq!(cut(0, 0, 2), Some((0, 0)));
        assert_eq!(cut(1, 1, 2), Some((0, 1)));
        assert_eq!(cut(2, 2, 2), Some((1, 0)));
        assert_eq!(cut(5, 2, 2), Some((2, 1)));
        // More than the border: the first places are cut off too.
        assert_eq!(cut(7, 1, 2), Some((1, 5)));
        // Outputs that are added are those of a block that sees padding alone.
        assert_eq!(cut(-1, 0, 2), Some((-1, 1)));
        assert_eq!(cut(-2, 1, 2), Some((-1, 0)));
    }

    #[test]
    fn outputs_between_blocks_have_no_taps() {
        let is_made = |image: Image| axes(&image).is_some();
        assert!(is_made(transposed([3, 2], [2, 2], [3, 4])));
        assert!(!is_made(transposed([2, 2], [3, 2], [3, 4])));
        let mut dilated = transposed([2, 2], [2, 2], [3, 4]);
        dilated.params.dilation = [1, 2];
        assert!(!is_made(dilated));
    }

    #[test]
    fn padding_meets_no_infinite_weight() {
        let mut image = transposed([1, 4], [1, 2], [1, 1]);
        let numbers = (0..4).map(|i| Scalar::Float(if i == 3 { f64::INFINITY } else { 1.0 }));
        image.filter = TensorData::from_scalars(DType::F32, vec![1, 1, 4, 1], numbers);
        assert!(parts(&image, &axes(&image).unwrap()).is_none());
        (image.params.padding.left, image.params.padding.right) = (2, 2);
        assert!(parts(&image, &axes(&image).unwrap()).is_some());
    }
}
