//! Functions of pairs of elements: `arm_elementwise_*`, `arm_maximum_s8`, `arm_minimum_s8`.

use super::arguments::Arguments;
use super::data::Data;
use super::stage::{Stage, factor};
use crate::dialect::{Activation, Add, Dims, Dtype, Function, MinMax, Mul};
use kiln_quantised::cmsis::requantize;

/// Sums. Each operand is requantised to a common scale first. 16-bit operands have no zero points.
pub(super) fn sum(add: &Add, arguments: &Arguments<'_>) -> Data {
    let is_wide = arguments.result() == Dtype::I16;
    let offset = |offset: i32| if is_wide { 0 } else { offset };
    let brought = |name, by: i32, multiplier, shift| {
        let raised = arguments.data(name).raised(offset(by)).into_iter();
        let left = add.left_shift as u32;
        raised.map(move |x| requantize(x.wrapping_shl(left), factor(multiplier, shift)))
    };
    let first = brought(
        "input_1_vect",
        add.input_1_offset,
        add.input_1_mult,
        add.input_1_shift,
    );
    let second = brought(
        "input_2_vect",
        add.input_2_offset,
        add.input_2_mult,
        add.input_2_shift,
    );
    let range = Activation {
        min: add.out_activation_min,
        max: add.out_activation_max,
    };
    let stage = Stage::new(
        &[add.out_mult],
        &[add.out_shift],
        offset(add.out_offset),
        &range,
    );
    let results = first
        .zip(second)
        .map(|(a, b)| stage.of(0, a.wrapping_add(b)));
    Data::narrowed(arguments.result(), results.collect())
}

/// Products. 16-bit operands have no zero points.
pub(super) fn product(mul: &Mul, arguments: &Arguments<'_>) -> Data {
    let is_wide = arguments.result() == Dtype::I16;
    let offset = |offset: i32| if is_wide { 0 } else { offset };
    let range = Activation {
        min: mul.out_activation_min,
        max: mul.out_activation_max,
    };
    let stage = Stage::new(
        &[mul.out_mult],
        &[mul.out_shift],
        offset(mul.out_offset),
        &range,
    );
    let first = arguments
        .data("input_1_vect")
        .raised(offset(mul.input_1_offset));
    let second = arguments
        .data("input_2_vect")
        .raised(offset(mul.input_2_offset));
    let results = first
        .into_iter()
        .zip(second)
        .map(|(a, b)| stage.of(0, a.wrapping_mul(b)));
    Data::narrowed(arguments.result(), results.collect())
}

/// The greater or the lesser of two elements. An axis of size 1 is repeated.
pub(super) fn extreme(function: Function, dims: &MinMax, arguments: &Arguments<'_>) -> Data {
    let [first, second] = [
        ("input_1_data", &dims.input_1_dims),
        ("input_2_data", &dims.input_2_dims),
    ]
    .map(|(name, from)| repeated(arguments.i8(name), from, &dims.output_dims));
    let pairs = first.into_iter().zip(second);
    Data::I8(match function {
        Function::MaximumS8 => pairs.map(|(a, b)| a.max(b)).collect(),
        _ => pairs.map(|(a, b)| a.min(b)).collect(),
    })
}

/// The elements, with axes of size 1 repeated.
fn repeated(x: &[i8], from: &Dims, to: &Dims) -> Vec<i8> {
    if from == to {
        return x.to_vec();
    }
    let (from, [n, h, w, c]) = (from.sizes(), to.sizes());
    let at = |axis: usize, place: usize| if from[axis] == 1 { 0 } else { place };
    let mut all = Vec::with_capacity(n * h * w * c);
    for (n, h, w) in (0..n).flat_map(|n| (0..h).flat_map(move |h| (0..w).map(move |w| (n, h, w)))) {
        let row = ((at(0, n) * from[1] + at(1, h)) * from[2] + at(2, w)) * from[3];
        all.extend((0..c).map(|c| x[row + at(3, c)]));
    }
    all
}
