//! Functions of one element: `arm_relu*`, `arm_nn_activation_s16`.

use super::arguments::Arguments;
use super::data::Data;
use crate::dialect::{ActivationType, Function, Gate};
use kiln_quantised::sigmoid::{sigmoid, tanh};

/// Clamped from below by 0, and by `arm_relu6_s8` also from above by the integer 6.
pub(super) fn limited(function: Function, arguments: &Arguments<'_>) -> Data {
    let most = if function == Function::Relu6S8 {
        6
    } else {
        i32::MAX
    };
    let limited = arguments
        .data("data")
        .raised(0)
        .into_iter()
        .map(|x| x.clamp(0, most));
    Data::narrowed(arguments.result(), limited.collect())
}

/// The sigmoid or the tanh.
pub(super) fn gated(gate: &Gate, arguments: &Arguments<'_>) -> Data {
    Data::I16(activated(
        arguments.i16("input"),
        gate.left_shift,
        gate.r#type,
    ))
}

/// The sigmoid or the tanh of integers that stand for `integer * 2^(left_shift - 12)`.
pub(super) fn activated(x: &[i16], left_shift: i32, of: ActivationType) -> Vec<i16> {
    match of {
        ActivationType::Sigmoid => x.iter().map(|&x| sigmoid(x, left_shift)).collect(),
        ActivationType::Tanh => x.iter().map(|&x| tanh(x, left_shift)).collect(),
    }
}
