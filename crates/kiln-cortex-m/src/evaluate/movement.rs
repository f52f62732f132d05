//! Functions that only move elements: `arm_pad_s8`, `arm_transpose_s8`, `arm_concatenation_s8_*`.

use super::arguments::Arguments;
use super::data::Data;
use crate::dialect::{Concat, Function, Pad, Transpose};

/// The tensor with a border.
pub(super) fn padded(pad: &Pad, arguments: &Arguments<'_>) -> Data {
    let x = arguments.i8("input");
    let (input, output, before) = (
        pad.input_size.sizes(),
        pad.output_size().sizes(),
        pad.pre_pad.sizes(),
    );
    let mut results = vec![pad.pad_value as i8; output.iter().product()];
    let [n, h, w, c] = input;
    for (row, (n, h, w)) in (0..n)
        .flat_map(|n| (0..h).flat_map(move |h| (0..w).map(move |w| (n, h, w))))
        .enumerate()
    {
        let place = ((n + before[0]) * output[1] + h + before[1]) * output[2] + w + before[2];
        let first = place * output[3] + before[3];
        results[first..][..c].copy_from_slice(&x[row * c..][..c]);
    }
    Data::I8(results)
}

/// The tensor with its axes in another order.
pub(super) fn transposed(transpose: &Transpose, arguments: &Arguments<'_>) -> Data {
    let x = arguments.i8("input_data");
    let sizes = transpose.input_sizes();
    // Missing axes in front have size 1, so that there are four.
    let missing = 4 - sizes.len();
    let mut strides = [0; 4];
    let mut to = [1; 4];
    for (i, &axis) in transpose
        .transpose_params
        .permutations
        .0
        .iter()
        .take(sizes.len())
        .enumerate()
    {
        let axis = axis as usize;
        to[missing + i] = sizes[axis];
        strides[missing + i] = sizes[axis + 1..].iter().product();
    }
    let mut results = Vec::with_capacity(x.len());
    for (a, b, c) in
        (0..to[0]).flat_map(|a| (0..to[1]).flat_map(move |b| (0..to[2]).map(move |c| (a, b, c))))
    {
        let first = a * strides[0] + b * strides[1] + c * strides[2];
        results.extend((0..to[3]).map(|d| x[first + d * strides[3]]));
    }
    Data::I8(results)
}

/// The result with the tensor at its place. Other elements stay.
pub(super) fn concatenated(function: Function, concat: &Concat, arguments: &Arguments<'_>) -> Data {
    let x = arguments.i8("input");
    let mut results = arguments.i8("output").to_vec();
    let sizes = [
        concat.input_x,
        concat.input_y,
        concat.input_z,
        concat.input_w,
    ];
    let sizes = sizes.map(|size| usize::try_from(size).unwrap_or(0));
    // Elements from one place along the axis to the next, and how many places a run has.
    let axis = match function {
        Function::ConcatenationS8X => 0,
        Function::ConcatenationS8Y => 1,
        Function::ConcatenationS8Z => 2,
        _ => 3,
    };
    let inner: usize = sizes[..axis].iter().product();
    let run = inner * sizes[axis];
    let whole = inner * concat.output_size.map_or(sizes[axis], |size| size as usize);
    let first = inner * concat.offset as usize;
    if run > 0 {
        for (i, run_of_x) in x.chunks_exact(run).enumerate() {
            results[first + i * whole..][..run].copy_from_slice(run_of_x);
        }
    }
    Data::I8(results)
}
