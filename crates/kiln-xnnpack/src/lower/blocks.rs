//! Transposed convolutions whose kernel is as large as their stride, as decoders of segmentation networks have them.
//!
//! Each place of the image makes a block of outputs that no other place adds to. So one product of each place with all taps,
//! `[n, h, w, kh * kw * o]`, gives all outputs, and their blocks are put side by side. The library's own transposed convolution goes
//! through the image once for each tap, in kernels for one or two rows.

use super::Lowering;
use super::product::Image;
use super::tensors::Tensors;
use crate::payload::{ConvKind, ConvParams, Padding2d, ValueId as Tensor};
use crate::weights;
use kiln_ir::{Dim, TensorData};

/// A convolution that makes blocks.
pub(super) struct Blocks {
    /// One product of each place with all taps.
    pub(super) image: Image,
    /// The height and the width of a block.
    pub(super) sizes: [u32; 2],
}

/// A list for one tap, for all taps.
pub(super) fn for_all_taps<T: Copy>(list: &[T], [height, width]: [u32; 2]) -> Vec<T> {
    list.repeat(height as usize * width as usize)
}

impl Blocks {
    /// `None` for another convolution, or if blocks overlap or have something between them.
    fn of(image: &Image) -> Option<Blocks> {
        let params = &image.params;
        let is_block = params.kernel == params.stride && params.kernel != [1, 1];
        let is_plain = params.groups == 1
            && params.padding == Padding2d::default()
            && params.adjustment == [0, 0];
        let dense = (0..2).all(|axis| params.kernel[axis] == 1 || params.dilation[axis] == 1);
        if image.kind != ConvKind::Transposed || !is_block || !is_plain || !dense {
            return None;
        }
        let [height, width] = params.kernel;
        let outputs = params
            .group_output_channels
            .checked_mul(height.checked_mul(width)?)?;
        let inputs = params.group_input_channels;
        let sizes = [outputs as usize, 1, 1, inputs as usize];
        let image = Image {
            kind: ConvKind::Conv2d,
            params: ConvParams {
                kernel: [1, 1],
                stride: [1, 1],
                dilation: [1, 1],
                group_output_channels: outputs,
                ..*params
            },
            filter: weights::permuted(&image.filter, &[1, 2, 0, 3], &sizes)?,
        };
        Some(Blocks {
            image,
            sizes: [height, width],
        })
    }
}

impl Lowering<'_> {
    /// The blocks of which a convolution's `output`, `[n, height, width, channels]`, is made, if it is.
    pub(super) fn blocks(&self, image: &Image, output: Tensor) -> Option<Blocks> {
        let unknown = |dim: &Dim| dim.as_const().is_none();
        let [_, height, width, _] = self.tensors.dims(output) else {
            return None;
        };
        let is_known = !unknown(height) && !unknown(width);
        Blocks::of(image).filter(|_| is_known)
    }
}

impl Tensors<'_> {
    /// A tensor for the blocks of `output`, one after the other.
    pub(super) fn add_blocks(&mut self, sizes: [u32; 2], output: Tensor) -> Tensor {
        let [n, h, w, pixel] = self.dims_of_blocks(sizes, output);
        let channels = Dim::constant(pixel.as_const().unwrap_or(0) * i64::from(sizes[0]));
        let elements = self.elements(output);
        self.add(elements, vec![n, h, w, channels])
    }

    /// Puts blocks side by side into `output`.
    pub(super) fn push_blocks(&mut self, blocks: Tensor, sizes: [u32; 2], output: Tensor) {
        let [n, h, w, row] = self.dims_of_blocks(sizes, output);
        // Rows of blocks of one column follow each other already.
        if sizes[0] == 1 || w.is(1) {
            return self.push_reshape(blocks, output);
        }
        let rows = Dim::constant(sizes[0].into());
        let split = self.reshape(blocks, &[n, h, w, rows, row]);
        let turned = self.transpose(split, &[0, 1, 3, 2, 4]);
        self.push_reshape(turned, output);
    }

    /// Images, places of a column and of a row, and the elements of a row of a block.
    fn dims_of_blocks(&self, [height, width]: [u32; 2], output: Tensor) -> [Dim; 4] {
        let dims = self.dims(output);
        let known = |axis: usize| dims[axis].as_const().unwrap_or(0);
        let [h, w] = [known(1) / i64::from(height), known(2) / i64::from(width)];
        let row = known(3) * i64::from(width);
        [dims[0].clone(), h.into(), w.into(), row.into()]
    }
}

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

    #[test]
    fn the_taps_of_a_block_are_output_channels() {
        let blocks = Blocks::of(&transposed([1, 2], [1, 2], [1, 2])).unwrap();
        let filter = blocks.image.filter.scalars().map(|s| s.as_f64());
        // Output 0 has the taps 0 and 1, output 1 the taps 2 and 3: the outputs of the first tap come first.
        assert_eq!(filter.collect::<Vec<_>>(), [0.0, 2.0, 1.0, 3.0]);
        assert_eq!(blocks.image.params.group_output_channels, 4);
        assert_eq!(for_all_taps(&['a', 'b'], [1, 2]), ['a', 'b', 'a', 'b']);
    }

    #[test]
    fn blocks_that_overlap_or_are_apart_are_none() {
        let is_made = |image: Image| Blocks::of(&image).is_some();
        let plain = || transposed([2, 2], [2, 2], [3, 4]);
        assert!(is_made(plain()));
        assert!(!is_made(transposed([3, 3], [2, 2], [3, 4])));
        assert!(!is_made(transposed([2, 2], [3, 3], [3, 4])));
        assert!(!is_made(transposed([1, 1], [1, 1], [3, 4])));
        let mut grouped = plain();
        grouped.params.groups = 2;
        assert!(!is_made(grouped));
        let mut padded = plain();
        padded.params.padding.top = 1;
        assert!(!is_made(padded));
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
