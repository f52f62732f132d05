//! Products of matrices and vectors: `arm_fully_connected_*`, `arm_batch_matmul_*`, `arm_vector_sum_*`.

use super::arguments::Arguments;
use super::data::Data;
use super::stage::{Stage, dot, dot_wide};
use crate::dialect::{BatchMatmul, Build, Dtype, FullyConnected, VectorSum};

/// A fully connected layer. On MVE the kernel sums stand for the bias and for the zero point of the input. Only 8-bit weights
/// have a zero point of the filter, and only 8-bit inputs one of the input.
pub(super) fn connected(layer: &FullyConnected, arguments: &Arguments<'_>, build: Build) -> Data {
    let (input, filter) = (arguments.data("input_data"), arguments.data("filter_data"));
    let params = &layer.fc_params;
    let (multipliers, shifts) = layer.quant_params.factors();
    let is_wide = input.dtype() == Dtype::I16;
    let offset = if is_wide { 0 } else { params.output_offset };
    let stage = Stage::new(multipliers, shifts, offset, &params.activation);
    let takes_filter_offset = filter.dtype() == Dtype::I8 && !is_wide;
    let w = filter.raised(if takes_filter_offset {
        params.filter_offset
    } else {
        0
    });
    let inputs = layer.filter_dims.sizes()[0];
    let results = if is_wide {
        let bias = arguments.i64("bias_data");
        rows(&input.raised(0), &w, inputs, |x, w, channel| {
            stage.of_wide(
                channel,
                dot_wide(x, w) + bias.map_or(0, |bias| bias[channel]),
            )
        })
    } else {
        let sums = arguments.i32("ctx.buf").filter(|_| build == Build::Mve);
        let input_offset = if sums.is_some() {
            0
        } else {
            params.input_offset
        };
        let first = sums.or(arguments.i32("bias_data"));
        rows(&input.raised(input_offset), &w, inputs, |x, w, channel| {
            stage.of(
                channel,
                dot(x, w).wrapping_add(first.map_or(0, |first| first[channel])),
            )
        })
    };
    Data::narrowed(arguments.result(), results)
}

/// Calls a function for each row of the left with each row of the right, and with the numbers of both.
fn rows(
    left: &[i32],
    right: &[i32],
    size: usize,
    mut f: impl FnMut(&[i32], &[i32], usize) -> i32,
) -> Vec<i32> {
    if size == 0 {
        return Vec::new();
    }
    let mut results = Vec::with_capacity(left.len() / size * (right.len() / size));
    for left in left.chunks_exact(size) {
        let of_row = right.chunks_exact(size).enumerate();
        results.extend(of_row.map(|(i, right)| f(left, right, i)));
    }
    results
}

/// Products of matrices. A batch axis of size 1 is repeated. 16-bit operands have no zero points.
pub(super) fn product(product: &BatchMatmul, arguments: &Arguments<'_>) -> Data {
    let params = &product.bmm_params.fc_params;
    let is_wide = arguments.result() == Dtype::I16;
    let offset = |offset: i32| if is_wide { 0 } else { offset };
    let quant = &product.quant_params;
    let stage = Stage::new(
        &[quant.multiplier],
        &[quant.shift],
        offset(params.output_offset),
        &params.activation,
    );
    let left = arguments
        .data("input_lhs")
        .raised(offset(params.input_offset));
    let right = arguments
        .data("input_rhs")
        .raised(offset(params.filter_offset));
    let [_, _, left_rows, size] = product.input_lhs_dims.sizes();
    let right_rows = product.input_rhs_dims.sizes()[2];
    let [outer, inner, ..] = product.output_dims.sizes();
    let matrix = |dims: &crate::dialect::Dims, [n, h]: [usize; 2]| {
        let [outer, inner, ..] = dims.sizes();
        (n % outer) * inner + h % inner
    };
    let mut results = Vec::with_capacity(product.output_dims.elements());
    for place in (0..outer).flat_map(|n| (0..inner).map(move |h| [n, h])) {
        let left =
            &left[matrix(&product.input_lhs_dims, place) * left_rows * size..][..left_rows * size];
        let right = &right[matrix(&product.input_rhs_dims, place) * right_rows * size..]
            [..right_rows * size];
        results.extend(rows(left, right, size, |x, w, _| match is_wide {
            true => stage.of_wide(0, dot_wide(x, w)),
            false => stage.of(0, dot(x, w)),
        }));
    }
    Data::narrowed(arguments.result(), results)
}

/// `bias + lhs_offset * sum(row + rhs_offset)` of each row.
pub(super) fn sums(sum: &VectorSum, arguments: &Arguments<'_>) -> Data {
    let raised = arguments
        .data("vector_data")
        .raised(sum.rhs_offset.unwrap_or(0));
    let columns = usize::try_from(sum.vector_cols).unwrap_or(0);
    let rows = (0..usize::try_from(sum.vector_rows).unwrap_or(0))
        .map(|row| &raised[row * columns..][..columns]);
    match arguments.result() {
        Dtype::I64 => {
            let bias = arguments.i64("bias_data");
            let sums = rows.enumerate().map(|(row, w)| {
                let all: i64 = w.iter().map(|&w| i64::from(w)).sum();
                bias.map_or(0, |bias| bias[row]) + all * i64::from(sum.lhs_offset)
            });
            Data::I64(sums.collect())
        }
        _ => {
            let bias = arguments.i32("bias_data");
            let sums = rows.enumerate().map(|(row, w)| {
                let all = w.iter().fold(0i32, |sum, &w| sum.wrapping_add(w));
                all.wrapping_mul(sum.lhs_offset)
                    .wrapping_add(bias.map_or(0, |bias| bias[row]))
            });
            Data::I32(sums.collect())
        }
    }
}
