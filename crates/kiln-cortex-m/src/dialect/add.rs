//! Sums of two operands of one size, for which Kiln has a kernel of its own.

use super::parameters::Add;

/// The factor 1/2: multiplier and shift.
const HALF: (i32, i32) = (1 << 30, 0);

impl Add {
    /// Whether `kiln_add_same_s8` computes the sum: operands are shifted left by 20, the first factor is 1/2, and the others are
    /// less.
    pub fn is_of_halves(&self) -> bool {
        self.left_shift == 20
            && (self.input_1_mult, self.input_1_shift) == HALF
            && self.input_2_mult >= 0
            && (-31..0).contains(&self.input_2_shift)
            && (-22..0).contains(&self.out_shift)
    }

    /// The same sum with its operands in the other order.
    pub(crate) fn swapped(&self) -> Add {
        Add {
            input_1_offset: self.input_2_offset,
            input_1_mult: self.input_2_mult,
            input_1_shift: self.input_2_shift,
            input_2_offset: self.input_1_offset,
            input_2_mult: self.input_1_mult,
            input_2_shift: self.input_1_shift,
            ..self.clone()
        }
    }
}
