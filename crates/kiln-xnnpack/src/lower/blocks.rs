//! Transposed convolutions whose kernel is a multiple of their stride, as decoders of segmentation networks and generators have them.
//!
//! Each place of the image makes a block of outputs as large as the stride. Where the kernel is as large, no other place adds to the block,
//! so one product of each place with all taps, `[n, h, w, bh * bw * o]`, gives all outputs, and their blocks are put side by side. Where
//! the kernel is `k` times as large, `k` neighbours along the axis add to a block, and the product is a convolution of `k` taps. The
//! padding of the transposed convolution cuts the border off. The library's own transposed convolution goes through the image once for
//! each tap, in kernels for one or two rows, and in groups it computes one group after the other.
//!
//! Taps of 0 would make a multiple of any kernel, and a network of kernels of 5 x 5 faster. They are not added: they take bytes of the file,
//! and make NaN of infinities.

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

/// The most dims of a tensor that the library transposes.
const MOST_DIMS: usize = 6;

/// How many times as large as the output all blocks may be. An image of one place that adds to four blocks, of which a quarter remains,
/// took 1.35 of the time of the library's own convolution (512 channels); one of four places, of whose blocks 0.44 remain, 0.77. In
/// groups the library takes several times as long.
const MOST_CUT: f64 = 3.0;

/// One end of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
struct End {
    /// The padding of the convolution.
    pad: u32,
    /// How many outputs are cut off.
    cut: u32,
}

impl End {
    /// The end of an axis where the transposed convolution takes `off` outputs away, or adds some. `overlap` places add to each block. Only a
    /// part of a block is cut off: whole blocks are not made.
    fn of(off: i64, overlap: u32, stride: u32) -> Option<End> {
        let (most, stride) = (i64::from(overlap) - 1, i64::from(stride));
        let blocks = off.div_euclid(stride).min(most);
        Some(End {
            pad: u32::try_from(most - blocks).ok()?,
            cut: u32::try_from(off - blocks * stride).ok()?,
        })
    }
}

impl Blocks {
    /// `None` for another convolution, if blocks have something between them, or if they would be one element.
    fn of(image: &Image) -> Option<Blocks> {
        let params = &image.params;
        let has_channels = params.group_input_channels > 0 && params.group_output_channels > 0;
        if image.kind != ConvKind::Transposed || params.stride == [1, 1] || !has_channels {
            return None;
        }
        let overlaps = [overlap(params, 0)?, overlap(params, 1)?];
        let [[top, bottom], [left, right]] = ends(params, overlaps)?;
        // Blocks of the border see padding, which the library multiplies by taps.
        let is_padded = [top, bottom, left, right].iter().any(|end| end.pad > 0);
        if is_padded && !image.filter.scalars().all(|s| s.as_f64().is_finite()) {
            return None;
        }
        let [height, width] = params.stride;
        let outputs = params
            .group_output_channels
            .checked_mul(height.checked_mul(width)?)?;
        let image = Image {
            kind: ConvKind::Conv2d,
            params: ConvParams {
                padding: Padding2d {
                    top: top.pad,
                    right: right.pad,
                    bottom: bottom.pad,
                    left: left.pad,
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
            cuts: [[top, bottom], [left, right]].map(|ends| ends.map(|end| end.cut)),
        })
    }

    /// A list for the output channels, for those of all taps. Each group has outputs of its own.
    pub(super) fn for_all_taps<T: Copy>(&self, list: &[T]) -> Vec<T> {
        let taps = self.sizes.map(|size| size as usize).iter().product();
        let of_group = (list.len() / self.image.params.groups as usize).max(1);
        let groups = list.chunks(of_group);
        groups.flat_map(|group| group.repeat(taps)).collect()
    }

    /// The bias of all taps.
    pub(super) fn bias(&self, bias: &TensorData) -> Option<TensorData> {
        let elements: Vec<&[u8]> = bias.bytes().chunks(bias.dtype().size()).collect();
        let all = self.for_all_taps(&elements);
        TensorData::new(bias.dtype(), vec![all.len()], all.concat().into()).ok()
    }

    /// The dims of the blocks of `output`, as the convolution gives them, each with its place where blocks are side by side. `None` if sizes
    /// are not known.
    fn dims(&self, output: &[Dim]) -> Option<Vec<(Dim, usize)>> {
        let [height, width] = self.whole(output)?;
        let [rows, columns] = self.sizes.map(i64::from);
        let groups = i64::from(self.image.params.groups);
        let outputs = output[3].as_const()? / groups;
        let (h, w) = (height / rows, width / columns);
        let images = match output[0].as_const() {
            Some(n) => vec![((n * h).into(), 0)],
            None => vec![(output[0].clone(), 0), (h.into(), 1)],
        };
        let places = match groups {
            1 => vec![(w, 3), (rows, 2), (columns * outputs, 4)],
            _ => vec![(w, 3), (groups, 5), (rows, 2), (columns, 4), (outputs, 6)],
        };
        let places = places.into_iter().map(|(size, to)| (size.into(), to));
        let all = images.into_iter().chain(places);
        Some(all.filter(|(dim, _)| !dim.is(1)).collect())
    }

    /// How many times as large as the output all blocks are; `None` if sizes are not known.
    fn excess(&self, output: &[Dim]) -> Option<f64> {
        let area = |[height, width]: [i64; 2]| height as f64 * width as f64;
        let [_, height, width, _] = output else {
            return None;
        };
        let kept = [height.as_const()?, width.as_const()?];
        Some(area(self.whole(output)?) / area(kept).max(1.0))
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

/// How many places add to each block along an axis; `None` if blocks have something between them.
fn overlap(params: &ConvParams, axis: usize) -> Option<u32> {
    let (kernel, stride) = (params.kernel[axis], params.stride[axis]);
    let is_dense = kernel == 1 || params.dilation[axis] == 1;
    let is_whole = kernel >= stride && kernel.is_multiple_of(stride);
    (is_dense && is_whole).then_some(kernel / stride)
}

/// The front and the end of each axis.
fn ends(params: &ConvParams, overlaps: [u32; 2]) -> Option<[[End; 2]; 2]> {
    let (pads, more) = (params.padding, params.adjustment);
    let [more_rows, more_columns] = more.map(i64::from);
    let end = |axis: usize, off| End::of(off, overlaps[axis], params.stride[axis]);
    Some([
        [
            end(0, pads.top.into())?,
            end(0, i64::from(pads.bottom) - more_rows)?,
        ],
        [
            end(1, pads.left.into())?,
            end(1, i64::from(pads.right) - more_columns)?,
        ],
    ])
}

/// The weights `[g * o, kh, kw, i]` as those of a convolution that makes blocks, `[g * bh * bw * o, kh / bh, kw / bw, i]`.
fn filter_of(image: &Image, overlaps: [u32; 2]) -> Option<TensorData> {
    let params = &image.params;
    let [rows, columns] = overlaps.map(|n| n as usize);
    let [height, width] = params.stride.map(|n| n as usize);
    let (outputs, inputs) = (params.group_output_channels, params.group_input_channels);
    let (groups, outputs, inputs) = (params.groups as usize, outputs as usize, inputs as usize);
    let split = vec![groups, outputs, rows, height, columns, width, inputs];
    let taps = image.filter.reshaped(split).ok()?;
    let sizes = [groups * height * width * outputs, rows, columns, inputs];
    let filter = weights::permuted(&taps, &[0, 3, 5, 1, 2, 4, 6], &sizes)?;
    if overlaps == [1, 1] {
        return Some(filter);
    }
    // The first of the places that add to a block meets it with its last taps.
    let place = inputs * filter.dtype().size();
    let mut bytes = Vec::with_capacity(filter.bytes().len());
    for filter in filter.bytes().chunks(rows * columns * place) {
        let reversed = filter.chunks(place).rev();
        reversed.for_each(|taps| bytes.extend_from_slice(taps));
    }
    TensorData::new(filter.dtype(), sizes.to_vec(), bytes.into()).ok()
}

impl Lowering<'_> {
    /// The blocks of which a convolution's `output`, `[n, height, width, channels]`, is made, if it is.
    pub(super) fn blocks(&self, image: &Image, output: Tensor) -> Option<Blocks> {
        let blocks = Blocks::of(image)?;
        let output = self.tensors.dims(output);
        let fits = blocks.dims(output)?.len() <= MOST_DIMS;
        let is_cheap = image.params.groups > 1 || blocks.excess(output)? <= MOST_CUT;
        (fits && is_cheap).then_some(blocks)
    }
}

impl Tensors<'_> {
    /// A tensor for the blocks of `output`, as the convolution gives them.
    ///
    /// # Errors
    /// If the sizes of `output` are not known.
    pub(super) fn add_blocks(&mut self, of: &Blocks, output: Tensor) -> Result<Tensor, Problem> {
        let dims = self.dims(output);
        let [height, width] = of.whole(dims).ok_or(UNKNOWN)?;
        let [rows, columns] = of.sizes.map(i64::from);
        let channels = dims[3].as_const().ok_or(UNKNOWN)? * rows * columns;
        let [h, w, c] = [height / rows, width / columns, channels].map(Dim::constant);
        let (elements, images) = (self.elements(output), dims[0].clone());
        Ok(self.add(elements, vec![images, h, w, c]))
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
        let dims = self.dims(output).to_vec();
        let (split, places): (Vec<Dim>, Vec<usize>) =
            of.dims(&dims).ok_or(UNKNOWN)?.into_iter().unzip();
        let mut order: Vec<usize> = (0..split.len()).collect();
        order.sort_by_key(|&at| places[at]);
        // Rows of blocks of one row follow each other already.
        let side_by_side = match order.is_sorted() {
            true => blocks,
            false => {
                let split = self.reshape(blocks, &split);
                self.transpose(split, &order)
            }
        };
        if of.cuts == [[0; 2]; 2] {
            self.push_reshape(side_by_side, output);
            return Ok(());
        }
        let [height, width] = of.whole(&dims).ok_or(UNKNOWN)?.map(Dim::constant);
        let all = [dims[0].clone(), height, width, dims[3].clone()];
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
}

const UNKNOWN: &str = "blocks of an unknown size";

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
        let blocks = Blocks::of(&transposed([1, 2], [1, 2], [1, 2])).unwrap();
        // Output 0 has the taps 0 and 1, output 1 the taps 2 and 3: the outputs of the first tap come first.
        assert_eq!(numbers(&blocks), [0.0, 2.0, 1.0, 3.0]);
        assert_eq!(blocks.image.params.group_output_channels, 4);
        assert_eq!(blocks.for_all_taps(&['a', 'b']), ['a', 'b', 'a', 'b']);
    }

    #[test]
    fn the_outputs_of_a_group_are_together() {
        // Two groups of one input and two outputs, with the taps 0, 1; 2, 3; 4, 5; 6, 7.
        let mut image = transposed([1, 2], [1, 2], [1, 4]);
        (image.params.groups, image.params.group_output_channels) = (2, 2);
        let blocks = Blocks::of(&image).unwrap();
        assert_eq!(numbers(&blocks), [0.0, 2.0, 1.0, 3.0, 4.0, 6.0, 5.0, 7.0]);
        let found = blocks.for_all_taps(&['a', 'b', 'c', 'd']);
        assert_eq!(found, ['a', 'b', 'a', 'b', 'c', 'd', 'c', 'd']);
        assert_eq!(blocks.image.params.group_output_channels, 4);
        let dims = blocks.dims(&[1, 3, 8, 4].map(Dim::constant)).unwrap();
        let found: Vec<_> = dims.iter().map(|(dim, to)| (dim.as_const(), *to)).collect();
        let size = Some;
        let (rows, groups) = ((size(3), 0), (size(2), 5));
        assert_eq!(
            found,
            [rows, (size(4), 3), groups, (size(2), 4), (size(2), 6)]
        );
    }

    #[test]
    fn places_add_to_a_block_in_reverse() {
        let mut image = transposed([1, 4], [1, 2], [1, 1]);
        image.params.padding.left = 1;
        image.params.padding.right = 1;
        image.params.adjustment = [0, 1];
        let blocks = Blocks::of(&image).unwrap();
        // The first output of a block has the taps 2 and 0 of the place before and of its own, the second one 3 and 1.
        assert_eq!(numbers(&blocks), [2.0, 0.0, 3.0, 1.0]);
        let params = blocks.image.params;
        assert_eq!([params.kernel, params.stride], [[1, 2], [1, 1]]);
        assert_eq!([params.padding.left, params.padding.right], [1, 1]);
        assert_eq!(blocks.cuts, [[0, 0], [1, 0]]);
    }

    #[test]
    fn only_parts_of_blocks_are_cut_off() {
        let end = |off, overlap, stride| {
            let end = End::of(off, overlap, stride).unwrap();
            (end.pad, end.cut)
        };
        assert_eq!(end(0, 1, 2), (0, 0));
        assert_eq!(end(1, 2, 2), (1, 1));
        assert_eq!(end(2, 3, 2), (1, 0));
        assert_eq!(end(5, 3, 2), (0, 1));
        // More than the border: the first places are cut off too.
        assert_eq!(end(7, 2, 2), (0, 5));
        // Outputs that are added are those of a block that sees padding alone.
        assert_eq!(end(-1, 1, 2), (1, 1));
        assert_eq!(end(-2, 2, 2), (2, 0));
    }

    #[test]
    fn blocks_that_are_apart_or_not_whole_are_none() {
        let is_made = |image: Image| Blocks::of(&image).is_some();
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
        let mut padded = plain();
        padded.params.padding.top = 1;
        assert!(is_made(padded));
        let mut dilated = plain();
        dilated.params.dilation = [1, 2];
        assert!(!is_made(dilated));
        let mut convolution = plain();
        convolution.kind = ConvKind::Conv2d;
        assert!(!is_made(convolution));
    }
}
