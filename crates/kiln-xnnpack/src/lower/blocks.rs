//! Transposed convolutions whose kernel is about a multiple of their stride, as decoders of segmentation networks and generators have them.
//!
//! Each place of the image makes a block of outputs as large as the stride. Where the kernel is as large, no other place adds to the block,
//! so one product of each place with all taps, `[n, h, w, bh * bw * o]`, gives all outputs, and their blocks are put side by side. Where
//! the kernel is `k` times as large, `k` neighbours along the axis add to a block, and the product is a convolution of `k` taps. The
//! padding of the transposed convolution cuts the border off. A kernel that is a little smaller than a multiple gets taps of 0, where no
//! infinity meets them. The library's own transposed convolution goes through the image once for each tap, in kernels for one or two
//! rows.

use super::product::Image;
use super::tensors::Tensors;
use super::{Lowering, Problem};
use crate::payload::{ConvKind, ConvParams, Padding2d, ValueId as Tensor, XnnOp};
use crate::weights;
use kiln_ir::{Dim, TensorData};

/// A convolution that makes blocks.
pub(super) struct Blocks {
    /// One product of each place, and of its neighbours where blocks overlap, with all taps.
    pub(super) image: Image,
    /// The height and the width of a block.
    pub(super) sizes: [u32; 2],
    /// The rows, then the columns, that are cut off at the front and at the end.
    cuts: [[u32; 2]; 2],
}

/// A list for one tap, for all taps.
pub(super) fn for_all_taps<T: Copy>(list: &[T], [height, width]: [u32; 2]) -> Vec<T> {
    list.repeat(height as usize * width as usize)
}

/// How many times as many products blocks may take for taps of 0: the library's own way takes twice the time for each (measured).
const MOST_PRODUCTS: f64 = 1.5;

impl Blocks {
    /// `None` for another convolution, if blocks have something between them, or if they would be one element. `is_finite` says that no
    /// input is NaN or infinite.
    fn of(image: &Image, is_finite: bool) -> Option<Blocks> {
        let params = &image.params;
        if image.kind != ConvKind::Transposed || params.groups != 1 || params.stride == [1, 1] {
            return None;
        }
        let image = match widened(params)? {
            kernel if kernel == params.kernel => image,
            kernel if is_finite => &with_zeros(image, kernel)?,
            _ => return None,
        };
        let params = &image.params;
        let overlaps = [0, 1].map(|axis| params.kernel[axis] / params.stride[axis]);
        // Blocks of the border see padding, which the library multiplies by taps.
        let is_finite = || image.filter.scalars().all(|s| s.as_f64().is_finite());
        if overlaps != [1, 1] && !is_finite() {
            return None;
        }
        let [height, width] = params.stride;
        let outputs = params
            .group_output_channels
            .checked_mul(height.checked_mul(width)?)?;
        let [rows, columns] = overlaps.map(|n| n - 1);
        let image = Image {
            kind: ConvKind::Conv2d,
            params: ConvParams {
                padding: Padding2d {
                    top: rows,
                    right: columns,
                    bottom: rows,
                    left: columns,
                },
                kernel: overlaps,
                stride: [1, 1],
                dilation: [1, 1],
                group_output_channels: outputs,
                adjustment: [0, 0],
                ..*params
            },
            filter: filter_of(image, overlaps)?,
        };
        Some(Blocks {
            image,
            sizes: params.stride,
            cuts: cuts(params)?,
        })
    }

    /// The height and the width of all blocks side by side, of which `output` is a part; `None` if they are not known.
    fn whole(&self, output: &[Dim]) -> Option<[i64; 2]> {
        let [_, height, width, _] = output else {
            return None;
        };
        let [rows, columns] = self
            .cuts
            .map(|[low, high]| i64::from(low) + i64::from(high));
        Some([height.as_const()? + rows, width.as_const()? + columns])
    }
}

/// The least kernel that is a multiple of the stride; `None` if blocks have something between them, or it is much larger than the kernel.
fn widened(params: &ConvParams) -> Option<[u32; 2]> {
    let (kernel, stride) = (params.kernel, params.stride);
    let is_dense = (0..2).all(|axis| kernel[axis] == 1 || params.dilation[axis] == 1);
    let wide = [0, 1].map(|axis| kernel[axis].checked_next_multiple_of(stride[axis]));
    let wide = [wide[0]?, wide[1]?];
    let area = |[height, width]: [u32; 2]| f64::from(height) * f64::from(width);
    (is_dense && area(wide) <= MOST_PRODUCTS * area(kernel)).then_some(wide)
}

/// The same convolution with a larger kernel, whose last taps are 0.
fn with_zeros(image: &Image, kernel: [u32; 2]) -> Option<Image> {
    let params = &image.params;
    let more = [0, 1].map(|axis| kernel[axis] - params.kernel[axis]);
    let filter = &image.filter;
    let &[outputs, height, width, inputs] = filter.sizes() else {
        return None;
    };
    let place = inputs * filter.dtype().size();
    let [rows, columns] = kernel.map(|n| n as usize);
    let (mut bytes, line) = (vec![0; outputs * rows * columns * place], width * place);
    for (at, taps) in filter.bytes().chunks(line).enumerate() {
        let start = (at / height * rows + at % height) * columns * place;
        bytes[start..start + line].copy_from_slice(taps);
    }
    let sizes = vec![outputs, rows, columns, inputs];
    let pads = params.padding;
    Some(Image {
        kind: image.kind,
        params: ConvParams {
            kernel,
            padding: Padding2d {
                bottom: pads.bottom.checked_add(more[0])?,
                right: pads.right.checked_add(more[1])?,
                ..pads
            },
            ..*params
        },
        filter: TensorData::new(filter.dtype(), sizes, bytes.into()).ok()?,
    })
}

/// What the padding of a transposed convolution takes off each axis, at the front and at the end; `None` if something is added there.
fn cuts(params: &ConvParams) -> Option<[[u32; 2]; 2]> {
    let (pads, [rows, columns]) = (params.padding, params.adjustment);
    Some([
        [pads.top, pads.bottom.checked_sub(rows)?],
        [pads.left, pads.right.checked_sub(columns)?],
    ])
}

/// The weights `[o, kh, kw, i]` as those of a convolution that makes blocks, `[bh * bw * o, kh / bh, kw / bw, i]`.
fn filter_of(image: &Image, overlaps: [u32; 2]) -> Option<TensorData> {
    let params = &image.params;
    let [rows, columns] = overlaps.map(|n| n as usize);
    let [height, width] = params.stride.map(|n| n as usize);
    let (outputs, inputs) = (params.group_output_channels, params.group_input_channels);
    let (outputs, inputs) = (outputs as usize, inputs as usize);
    let split = vec![outputs, rows, height, columns, width, inputs];
    let taps = image.filter.reshaped(split).ok()?;
    let sizes = [height * width * outputs, rows, columns, inputs];
    let filter = weights::permuted(&taps, &[2, 4, 0, 1, 3, 5], &sizes)?;
    if overlaps == [1, 1] {
        return Some(filter);
    }
    // The first of the places that add to a block meets it with its last taps.
    let place = inputs * filter.dtype().size();
    let filters = filter.bytes().chunks(rows * columns * place);
    let reversed = filters.flat_map(|filter| filter.chunks(place).rev().flatten());
    let bytes: Vec<u8> = reversed.copied().collect();
    TensorData::new(filter.dtype(), sizes.to_vec(), bytes.into()).ok()
}

impl Lowering<'_> {
    /// The blocks of which a convolution's `output`, `[n, height, width, channels]`, is made, if it is. `is_finite` says that no input is NaN
    /// or infinite.
    pub(super) fn blocks(&self, image: &Image, is_finite: bool, output: Tensor) -> Option<Blocks> {
        Blocks::of(image, is_finite)
            .filter(|blocks| blocks.whole(self.tensors.dims(output)).is_some())
    }
}

impl Tensors<'_> {
    /// A tensor for the blocks of `output`, one after the other.
    ///
    /// # Errors
    /// If the sizes of `output` are not known.
    pub(super) fn add_blocks(&mut self, of: &Blocks, output: Tensor) -> Result<Tensor, Problem> {
        let [n, h, w, pixel] = self.dims_of_blocks(of, output)?;
        let channels = Dim::constant(pixel.as_const().unwrap_or(0) * i64::from(of.sizes[0]));
        let elements = self.elements(output);
        Ok(self.add(elements, vec![n, h, w, channels]))
    }

    /// Puts blocks side by side into `output`, without what is cut off.
    ///
    /// # Errors
    /// If the sizes of `output` are not known.
    pub(super) fn push_blocks(
        &mut self,
        blocks: Tensor,
        of: &Blocks,
        output: Tensor,
    ) -> Result<(), Problem> {
        let [n, h, w, row] = self.dims_of_blocks(of, output)?;
        // Rows of blocks of one row follow each other already.
        let side_by_side = if of.sizes[0] == 1 || w.is(1) {
            blocks
        } else {
            let rows = Dim::constant(of.sizes[0].into());
            let split = self.reshape(blocks, &[n, h, w, rows, row]);
            self.transpose(split, &[0, 1, 3, 2, 4])
        };
        if of.cuts == [[0; 2]; 2] {
            self.push_reshape(side_by_side, output);
            return Ok(());
        }
        let dims = self.dims(output).to_vec();
        let [height, width] = of.whole(&dims).ok_or(UNKNOWN)?;
        let all = [
            dims[0].clone(),
            height.into(),
            width.into(),
            dims[3].clone(),
        ];
        let input = self.reshape(side_by_side, &all);
        let [top, left] = of.cuts.map(|[low, _]| low);
        let known = |axis: usize| dims[axis].as_const().unwrap_or(0) as u32;
        self.push_op(XnnOp::Slice {
            offsets: vec![0, top, left, 0],
            sizes: vec![0, known(1), known(2), 0],
            input,
            output,
            flags: 0,
        });
        Ok(())
    }

    /// Images, places of a column and of a row, and the elements of a row of a block.
    fn dims_of_blocks(&self, of: &Blocks, output: Tensor) -> Result<[Dim; 4], Problem> {
        let dims = self.dims(output);
        let [height, width] = of.whole(dims).ok_or(UNKNOWN)?;
        let places = [
            height / i64::from(of.sizes[0]),
            width / i64::from(of.sizes[1]),
        ];
        let channels = dims[3].as_const().ok_or(UNKNOWN)?;
        let row = channels * i64::from(of.sizes[1]);
        let [h, w] = places.map(Dim::constant);
        Ok([dims[0].clone(), h, w, row.into()])
    }
}

const UNKNOWN: &str = "blocks of an unknown size";

/// The bias of all taps.
pub(super) fn bias_of(bias: &TensorData, sizes: [u32; 2]) -> Option<TensorData> {
    let bytes = for_all_taps(bias.bytes(), sizes);
    let elements = bias.elements() * sizes[0] as usize * sizes[1] as usize;
    TensorData::new(bias.dtype(), vec![elements], bytes.into()).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use kiln_ir::{DType, Scalar};

    fn transposed(kernel: [u32; 2], stride: [u32; 2], [inputs, outputs]: [u32; 2]) -> Image {
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

    fn numbers(blocks: &Blocks) -> Vec<f64> {
        let all = blocks.image.filter.scalars();
        all.map(|s| s.as_f64()).collect()
    }

    #[test]
    fn the_taps_of_a_block_are_output_channels() {
        let blocks = Blocks::of(&transposed([1, 2], [1, 2], [1, 2]), false).unwrap();
        // Output 0 has the taps 0 and 1, output 1 the taps 2 and 3: the outputs of the first tap come first.
        assert_eq!(numbers(&blocks), [0.0, 2.0, 1.0, 3.0]);
        assert_eq!(blocks.image.params.group_output_channels, 4);
        assert_eq!(for_all_taps(&['a', 'b'], [1, 2]), ['a', 'b', 'a', 'b']);
    }

    #[test]
    fn places_add_to_a_block_in_reverse() {
        let mut image = transposed([1, 4], [1, 2], [1, 1]);
        image.params.padding.left = 1;
        image.params.padding.right = 1;
        image.params.adjustment = [0, 1];
        let blocks = Blocks::of(&image, false).unwrap();
        // The first output of a block has the taps 2 and 0 of the place before and of its own, the second one 3 and 1.
        assert_eq!(numbers(&blocks), [2.0, 0.0, 3.0, 1.0]);
        let params = blocks.image.params;
        assert_eq!([params.kernel, params.stride], [[1, 2], [1, 1]]);
        assert_eq!([params.padding.left, params.padding.right], [1, 1]);
        assert_eq!(blocks.cuts, [[0, 0], [1, 0]]);
    }

    #[test]
    fn taps_of_zero_meet_no_infinity() {
        let mut image = transposed([1, 5], [1, 3], [1, 1]);
        image.params.padding.right = 2;
        assert!(Blocks::of(&image, false).is_none());
        let blocks = Blocks::of(&image, true).unwrap();
        assert_eq!(numbers(&blocks), [3.0, 0.0, 4.0, 1.0, 0.0, 2.0]);
        assert_eq!(blocks.cuts, [[0, 0], [0, 3]]);
        // A third of the products would be of zeros.
        assert!(Blocks::of(&transposed([3, 3], [2, 2], [1, 1]), true).is_none());
    }

    #[test]
    fn blocks_that_are_apart_or_not_whole_are_none() {
        let is_made = |image: Image| Blocks::of(&image, false).is_some();
        let plain = || transposed([2, 2], [2, 2], [3, 4]);
        assert!(is_made(plain()));
        assert!(!is_made(transposed([3, 3], [2, 2], [3, 4])));
        assert!(!is_made(transposed([2, 2], [3, 3], [3, 4])));
        assert!(!is_made(transposed([3, 3], [1, 1], [3, 4])));
        assert!(is_made(transposed([4, 6], [2, 2], [3, 4])));
        let mut infinite = transposed([4, 2], [2, 2], [1, 1]);
        let numbers = (0..8).map(|i| Scalar::Float(if i == 3 { f64::INFINITY } else { 1.0 }));
        infinite.filter = TensorData::from_scalars(DType::F32, vec![1, 4, 2, 1], numbers);
        assert!(!is_made(infinite));
        let mut grouped = plain();
        grouped.params.groups = 2;
        assert!(!is_made(grouped));
        let mut padded = plain();
        padded.params.padding.top = 1;
        assert!(is_made(padded));
        let mut wider = plain();
        wider.params.adjustment = [1, 0];
        assert!(!is_made(wider));
        let mut dilated = plain();
        dilated.params.dilation = [1, 2];
        assert!(!is_made(dilated));
        let mut convolution = plain();
        convolution.kind = ConvKind::Conv2d;
        assert!(!is_made(convolution));
    }
}
