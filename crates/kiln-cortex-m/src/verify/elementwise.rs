//! The rules of functions of elements and of rows: sums, products, clamps, softmaxes.

use super::rules::Rules;
use crate::dialect::{Activation, Add, Dims, Dtype, Function, MinMax, Mul, Relu, Softmax};

/// The size of the longest row whose sum of exponentials fits 31 bits.
const LONGEST_ROW: i32 = 4095;

impl Rules<'_> {
    /// `arm_elementwise_add_*`, `kiln_add_same_s8`.
    pub fn add(&mut self, add: &Add) {
        if self.function() == Function::KilnAddSameS8 {
            self.rule(add.is_of_halves(), || {
                "the first factor is not 1/2, or a shift has not its range".into()
            });
        }
        // An operand with a negative factor is subtracted.
        for (name, multiplier, shift) in [
            ("the first", add.input_1_mult, add.input_1_shift),
            ("the second", add.input_2_mult, add.input_2_shift),
        ] {
            self.factor(name, multiplier.saturating_abs(), shift);
        }
        self.factor("the sum", add.out_mult, add.out_shift);
        self.pair(add.input_1_offset, add.input_2_offset, add.out_offset);
        self.limits(add.out_activation_min, add.out_activation_max);
        // The operand, shifted, has room in 32 bits.
        let most = if self.dtype("output") == Some(Dtype::I16) {
            15
        } else {
            22
        };
        self.rule((0..=most).contains(&add.left_shift), || {
            format!("left_shift is {}; it is 0 to {most}", add.left_shift)
        });
    }

    /// `arm_elementwise_mul_*`.
    pub fn mul(&mut self, mul: &Mul) {
        self.factor("the product", mul.out_mult, mul.out_shift);
        self.pair(mul.input_1_offset, mul.input_2_offset, mul.out_offset);
        self.limits(mul.out_activation_min, mul.out_activation_max);
    }

    fn limits(&mut self, min: i32, max: i32) {
        self.range("output", &Activation { min, max });
    }

    /// The offsets of two operands and a result.
    fn pair(&mut self, first: i32, second: i32, output: i32) {
        if self.dtype("output") == Some(Dtype::I16) {
            self.no_offset("input_1_offset", first);
            self.no_offset("input_2_offset", second);
            self.no_offset("out_offset", output);
        } else {
            self.offset("input_1_offset", first);
            self.offset("input_2_offset", second);
            self.output_offset(output);
        }
    }

    /// `arm_maximum_s8`, `arm_minimum_s8`.
    pub fn min_max(&mut self, dims: &MinMax) {
        let sizes = |dims: &Dims| [dims.n, dims.h, dims.w, dims.c];
        let [first, second, output] =
            [&dims.input_1_dims, &dims.input_2_dims, &dims.output_dims].map(sizes);
        for axis in 0..4 {
            self.repeated(first[axis], second[axis], output[axis]);
        }
        for (one, other) in [(first, second), (second, first)] {
            let [_, height, width, channels] = one;
            let is_row = height > 1 && (width, channels) == (1, 1);
            self.rule(!(is_row && other[2] > 1), || {
                format!("{one:?} with {other:?}: the library skips every other row")
            });
        }
    }

    /// The sizes broadcast: they are equal, or one is 1.
    pub fn repeated(&mut self, first: i32, second: i32, output: i32) {
        let fits = first.max(second) == output
            && [first, second]
                .iter()
                .all(|&size| size == output || size == 1);
        self.rule(fits, || {
            format!("axes of {first} and {second} make none of {output}")
        });
    }

    /// `arm_softmax_s8` and those of its kind.
    pub fn softmax(&mut self, softmax: &Softmax) {
        self.rule((1..=LONGEST_ROW).contains(&softmax.row_size), || {
            format!(
                "rows of {}; they have 1 to {LONGEST_ROW} elements",
                softmax.row_size
            )
        });
        self.rule(softmax.mult >= 0, || {
            format!("mult is {}; it is not negative", softmax.mult)
        });
        self.rule((0..=30).contains(&softmax.shift), || {
            format!("shift is {}; it is 0 to 30", softmax.shift)
        });
        self.rule(
            self.function() != Function::SoftmaxU8 || softmax.diff_min <= 0,
            || {
                format!(
                    "diff_min is {}; without an exponential there is no sum",
                    softmax.diff_min
                )
            },
        );
    }

    /// `arm_relu*`.
    pub fn relu(&mut self, relu: &Relu) {
        self.fits("size", relu.size, 16);
    }

    /// The shift of a sigmoid or a tanh.
    pub fn gate_shift(&mut self, name: &str, shift: i32) {
        self.rule((-31..=14).contains(&shift), || {
            format!("{name} is {shift}; it is -31 to 14")
        });
    }
}
