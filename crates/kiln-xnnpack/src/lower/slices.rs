//! Tensors that are sliced or padded along their dims.

use super::tensors::Parts;
use crate::payload::{ValueId as Tensor, XnnOp};
use kiln_ir::Dim;

/// The places of a dim that are kept, at least one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) dim: usize,
    pub(super) start: i64,
    pub(super) len: i64,
}

/// The elements of 0 that are added before and after a dim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pads {
    pub(super) dim: usize,
    pub(super) pads: [u32; 2],
}

impl Parts<'_> {
    /// Writes what is kept of a tensor. Dims without a range are kept whole.
    pub(super) fn push_slice(&mut self, input: Tensor, output: Tensor, ranges: &[Range]) {
        let rank = self.dims(input).len();
        // The library keeps a dim whole whose size is 0, so a range has places.
        debug_assert!(ranges.iter().all(|r| r.start >= 0 && r.len > 0));
        let (mut offsets, mut sizes) = (vec![0; rank], vec![0; rank]);
        for range in ranges {
            (offsets[range.dim], sizes[range.dim]) = (range.start as u32, range.len as u32);
        }
        self.push_op(XnnOp::Slice {
            offsets,
            sizes,
            input,
            output,
            flags: 0,
        });
    }

    /// What is kept of a tensor: the tensor itself if that is all of it.
    pub(super) fn sliced(&mut self, input: Tensor, ranges: &[Range]) -> Tensor {
        let mut dims = self.dims(input).to_vec();
        let is_cut = |range: &Range| !dims[range.dim].is(range.len);
        let ranges: Vec<Range> = ranges.iter().copied().filter(is_cut).collect();
        if ranges.is_empty() {
            return input;
        }
        for range in &ranges {
            dims[range.dim] = Dim::constant(range.len);
        }
        let elements = self.elements(input);
        let output = self.add(elements, dims);
        self.push_slice(input, output, &ranges);
        output
    }

    /// A tensor with zeros around it: the tensor itself if none are added.
    pub(super) fn padded(&mut self, input: Tensor, around: &[Pads]) -> Tensor {
        if around.iter().all(|at| at.pads == [0; 2]) {
            return input;
        }
        let mut dims = self.dims(input).to_vec();
        let (mut before, mut after) = (vec![0; dims.len()], vec![0; dims.len()]);
        for &Pads { dim, pads } in around {
            (before[dim], after[dim]) = (pads[0], pads[1]);
            dims[dim] = dims[dim].clone() + i64::from(pads[0]) + i64::from(pads[1]);
        }
        let elements = self.elements(input);
        let output = self.add(elements, dims);
        self.push_op(XnnOp::ConstantPad {
            before,
            after,
            value: 0.0,
            input,
            output,
            flags: 0,
        });
        output
    }
}
