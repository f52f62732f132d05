//! The structs of Kiln's own kernels (`kiln_nn/kiln_ops.h`).

use super::structs::Activation;
use super::value::{Misread, Parameter, Value, c_structs};

/// The number of axes for which a kernel's struct has room (`KILN_MAX_RANK`).
pub const MAX_RANK: usize = 6;

c_structs! {
    /// The elements that a kernel visits, and their places in two tensors.
    Strides "kiln_strides" {
        /// How many axes are used.
        rank: i32,
        /// Their sizes.
        sizes: PerAxis,
        /// The strides in the first tensor; 0 repeats an element.
        strides_1: PerAxis,
        /// The strides in the second tensor.
        strides_2: PerAxis,
    }

    /// `requantise(x + input_offset) + output_offset`, clamped.
    Scaling "kiln_scaling" {
        /// Minus the zero point of the input.
        input_offset: i32,
        /// The factor.
        multiplier: i32,
        /// Its shift.
        shift: i32,
        /// The zero point of the output.
        output_offset: i32,
        /// The output's range.
        activation: Activation,
    }

    /// Two operands and their result.
    Operands "kiln_operands" {
        /// Minus the zero point of the first operand.
        offset_1: i32,
        /// The factor of the first.
        multiplier_1: i32,
        /// Its shift.
        shift_1: i32,
        /// Minus the zero point of the second operand.
        offset_2: i32,
        /// The factor of the second.
        multiplier_2: i32,
        /// Its shift.
        shift_2: i32,
        /// The left shift of both operands, before their factors.
        left_shift: i32,
        /// The zero point of the output.
        output_offset: i32,
        /// The factor of the result.
        multiplier: i32,
        /// Its shift.
        shift: i32,
        /// The output's range.
        activation: Activation,
    }

    /// The sizes of a tensor, and the elements of the output in front of it and behind it.
    Padding "kiln_padding" {
        /// How many axes are used.
        rank: i32,
        /// Their sizes in the input.
        sizes: PerAxis,
        /// The elements of the output in front of the input; a negative number cuts the input.
        before: PerAxis,
        /// The elements of the output behind the input.
        after: PerAxis,
    }

    /// The divisor of a window's sum.
    Average "kiln_average" {
        /// The zero point of input and output.
        zero_point: i32,
        /// The divisor; 0 for the number of elements that count.
        divisor: i32,
        /// Whether the padding counts.
        padding_counts: bool,
        /// The real of a step.
        scale: f32,
        /// The steps of 1.
        inverse: f32,
    }

    /// The quantisation of a mean and of what it is of, and its range.
    Mean "kiln_mean" {
        /// The zero point.
        zero_point: i32,
        /// The real of a step.
        scale: f32,
        /// The steps of 1.
        inverse: f32,
        /// The output's range.
        activation: Activation,
    }
}

/// A number for each axis that is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PerAxis(pub Vec<i32>);

impl Parameter for PerAxis {
    fn value(&self) -> Value {
        Value::List(self.0.as_slice().into())
    }

    fn of(value: &Value) -> Result<PerAxis, Misread> {
        match value {
            Value::List(numbers) => Ok(PerAxis(numbers.to_vec())),
            _ => Err(Misread::new(format!("{value} is no list"))),
        }
    }
}

impl Padding {
    /// The sizes of the output.
    pub fn output_sizes(&self) -> Vec<i32> {
        let ends = self.before.0.iter().zip(&self.after.0);
        let all = self.sizes.0.iter().zip(ends);
        all.map(|(&size, (&before, &after))| size.saturating_add(before).saturating_add(after))
            .collect()
    }
}

impl Strides {
    /// Sizes, and the strides in both tensors.
    pub fn new(sizes: &[i32], strides_1: &[i32], strides_2: &[i32]) -> Strides {
        Strides {
            rank: sizes.len() as i32,
            sizes: PerAxis(sizes.to_vec()),
            strides_1: PerAxis(strides_1.to_vec()),
            strides_2: PerAxis(strides_2.to_vec()),
        }
    }

    /// The number of elements that are visited.
    pub fn elements(&self) -> usize {
        self.sizes
            .0
            .iter()
            .map(|&size| usize::try_from(size).unwrap_or(0))
            .product()
    }

    /// Calls a function with the places of each element in both tensors, in order.
    pub fn each(&self, mut f: impl FnMut(i64, i64)) {
        let mut place = [0; MAX_RANK];
        let rank = self.sizes.0.len().min(MAX_RANK);
        let (mut first, mut second) = (0i64, 0i64);
        for _ in 0..self.elements() {
            f(first, second);
            // The last axis goes on; behind its end it starts anew, and the axis in front of it goes on.
            for axis in (0..rank).rev() {
                let [one, other] =
                    [&self.strides_1, &self.strides_2].map(|strides| i64::from(strides.0[axis]));
                (first, second) = (first + one, second + other);
                place[axis] += 1;
                if place[axis] < self.sizes.0[axis] {
                    break;
                }
                let size = i64::from(self.sizes.0[axis]);
                (first, second) = (first - one * size, second - other * size);
                place[axis] = 0;
            }
        }
    }
}
