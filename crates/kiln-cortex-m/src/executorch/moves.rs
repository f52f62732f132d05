//! Calls that move elements: by the kernels of CMSIS-NN, or by stock ones.

use super::convert::{Converter, int, kernel, no_kernel};
use super::names;
use crate::dialect::{Call, Copy, Function, Pad, Parameters, Transpose};
use kiln_portable::calls::{self, Argument};
use kiln_transforms::framework::target::Reason;

impl Converter<'_> {
    /// A border. The kernel takes its sizes in the order of memory.
    pub(super) fn pad(&mut self, call: &Call, pad: &Pad) -> Result<calls::Call, Reason> {
        let four = |dims: &crate::dialect::Dims| {
            Argument::Ints([dims.n, dims.h, dims.w, dims.c].map(i64::from).to_vec())
        };
        let arguments = vec![
            Argument::Tensor(self.image(call, 0, &pad.input_size)?),
            four(&pad.pre_pad),
            four(&pad.post_pad),
            int(pad.pad_value),
        ];
        let out = self.image(call, 1, &pad.output_size())?;
        Ok(kernel(names::PAD, arguments, out))
    }

    pub(super) fn transpose(
        &mut self,
        call: &Call,
        transpose: &Transpose,
    ) -> Result<calls::Call, Reason> {
        let axes = &transpose.transpose_params.permutations.0;
        let arguments = vec![
            Argument::Tensor(self.plain(call, 0, &transpose.input_sizes())?),
            Argument::Ints(axes.iter().map(|&axis| axis.into()).collect()),
        ];
        let out = self.plain(call, 1, &transpose.output_sizes())?;
        Ok(calls::Call {
            reorders: true,
            ..kernel(names::TRANSPOSE, arguments, out)
        })
    }

    /// A copy to contiguous elements: of a whole tensor, of a permutation of its axes, or by strides.
    pub(super) fn copy(&mut self, call: &Call, copy: &Copy) -> Result<calls::Call, Reason> {
        let of = |numbers: &[i32]| numbers.iter().map(|&n| i64::from(n)).collect::<Vec<i64>>();
        let sizes: Vec<usize> = of(&copy.strides.sizes.0)
            .iter()
            .map(|&n| n as usize)
            .collect();
        let strides = of(&copy.strides.strides_1.0);
        let dense = crate::lower::steps_of(&sizes);
        let is_dense = |strides: &[i64]| {
            let mut axes = sizes.iter().zip(strides.iter().zip(&dense));
            axes.all(|(&size, (own, dense))| size == 1 || own == dense)
        };
        if !is_dense(&of(&copy.strides.strides_2.0))
            || copy.output_first != 0
            || copy.input_first < 0
            || strides.iter().any(|&stride| stride < 0)
        {
            let rule = "the runtime's kernels copy forwards, to elements that lie together";
            return Err(Reason::new(rule, format!("{copy:?}")));
        }
        let out = self.plain(call, 1, &sizes)?;
        let whole = sizes.iter().product::<usize>() == self.elements(call, 0);
        if whole && is_dense(&strides) {
            let x = Argument::Tensor(self.plain(call, 0, &sizes)?);
            return Ok(kernel(names::CLONE, vec![x, Argument::None], out));
        }
        if let Some((from, axes)) = permutation(&sizes, &strides).filter(|_| whole) {
            let x = Argument::Tensor(self.plain(call, 0, &from)?);
            return Ok(calls::Call {
                reorders: true,
                ..kernel(names::PERMUTE, vec![x, Argument::Ints(axes)], out)
            });
        }
        let arguments = vec![
            Argument::Tensor(self.row(call, 0)?),
            Argument::Ints(sizes.iter().map(|&size| size as i64).collect()),
            Argument::Ints(strides),
            int(copy.input_first),
        ];
        Ok(kernel(names::AS_STRIDED, arguments, out))
    }

    /// Several calls that write one tensor after another into a longer one, as one kernel; and their number.
    pub(super) fn join(&mut self, calls: &[Call]) -> Result<(calls::Call, usize), Reason> {
        let first = calls
            .first()
            .ok_or_else(|| Reason::new("a tensor is joined", "none"))?;
        let (mut parts, mut offset, mut count, mut length) = (Vec::new(), 0, 0, 0);
        let mut rows = 0;
        for call in calls {
            let Parameters::Concat(concat) = &call.parameters else {
                break;
            };
            let is_next = call.function == Function::ConcatenationS8X
                && call.buffers[1] == first.buffers[1]
                && concat.offset == offset;
            if !is_next {
                break;
            }
            rows = usize::try_from(concat.input_y).unwrap_or(0);
            length = concat.output_size.unwrap_or(0);
            let own = usize::try_from(concat.input_x).unwrap_or(0);
            parts.push(self.plain(call, 0, &[rows, own])?);
            offset += concat.input_x;
            count += 1;
            if offset == length {
                break;
            }
        }
        if count == 0 || offset != length {
            return Err(no_kernel(first));
        }
        let length = usize::try_from(length).unwrap_or(0);
        let out = self.plain(first, 1, &[rows, length])?;
        let arguments = vec![Argument::Tensors(parts), int(1)];
        Ok((kernel(names::CAT, arguments, out), count))
    }
}

/// The sizes of a dense tensor, and its axis for each axis of the result, if the strides are those of a permutation.
fn permutation(sizes: &[usize], strides: &[i64]) -> Option<(Vec<usize>, Vec<i64>)> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&axis| std::cmp::Reverse((strides[axis], sizes[axis])));
    let from: Vec<usize> = order.iter().map(|&axis| sizes[axis]).collect();
    let dense = crate::lower::steps_of(&from);
    let is_permuted = order
        .iter()
        .zip(&dense)
        .all(|(&axis, &step)| strides[axis] == step);
    let place = |axis: usize| order.iter().position(|&o| o == axis).map(|p| p as i64);
    let axes: Option<Vec<i64>> = (0..sizes.len()).map(place).collect();
    Some((from, axes?)).filter(|_| is_permuted)
}
