//! The rules of functions that only move elements.

use super::rules::Rules;
use crate::dialect::{Build, Concat, Function, Pad, Transpose};

/// The longest row that MVE reaches by 16-bit offsets when it transposes the last two axes.
const LONGEST_GATHERED_ROW: usize = u16::MAX as usize / 7;

impl Rules<'_> {
    /// `arm_pad_s8`.
    pub fn pad(&mut self, pad: &Pad) {
        self.rule((-128..=127).contains(&pad.pad_value), || {
            format!("pad_value is {}", pad.pad_value)
        });
    }

    /// `arm_transpose_s8`.
    pub fn transpose(&mut self, transpose: &Transpose) {
        let params = &transpose.transpose_params;
        let (axes, from, to) = (
            params.num_dims,
            transpose.input_sizes(),
            transpose.output_sizes(),
        );
        self.rule((1..=4).contains(&axes), || {
            format!("{axes} axes; there are 1 to 4")
        });
        let order = &params.permutations.0;
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let is_order = sorted.iter().copied().eq(0..axes);
        self.rule(is_order, || format!("{order:?} is no order of {axes} axes"));
        if !is_order || !(1..=4).contains(&axes) {
            return;
        }
        let expected: Vec<usize> = order.iter().map(|&axis| from[axis as usize]).collect();
        self.rule(to == expected, || {
            format!("sizes of the output of {to:?}, not {expected:?}")
        });
        // Two axes are always exchanged, whatever the order says; on MVE also the last two of four behind the first two.
        let is_exchange = match (axes, self.build) {
            (2, _) => true,
            (4, Build::Mve) => order.starts_with(&[0, 1]),
            _ => false,
        };
        if is_exchange {
            let last = from.len() - 1;
            self.rule(order[last] == axes - 2, || {
                format!("an order of {order:?}: the last two axes are exchanged")
            });
            self.rule(
                from[last] <= LONGEST_GATHERED_ROW && from[last - 1] <= u16::MAX.into(),
                || {
                    format!(
                        "{} x {} elements; the library counts them in 16 bits",
                        from[last - 1],
                        from[last]
                    )
                },
            );
        }
    }

    /// `arm_concatenation_s8_*`.
    pub fn concat(&mut self, concat: &Concat) {
        let sizes = [
            concat.input_x,
            concat.input_y,
            concat.input_z,
            concat.input_w,
        ];
        for (name, size) in ["input_x", "input_y", "input_z", "input_w"]
            .into_iter()
            .zip(sizes)
        {
            self.fits(name, size, 16);
        }
        let axis = match self.function() {
            Function::ConcatenationS8X => 0,
            Function::ConcatenationS8Y => 1,
            Function::ConcatenationS8Z => 2,
            _ => 3,
        };
        let end = i64::from(concat.offset) + i64::from(sizes[axis]);
        self.rule(concat.offset >= 0, || {
            format!("offset is {}", concat.offset)
        });
        if let Some(output) = concat.output_size {
            self.fits("output_size", output, 16);
            self.rule(end <= output.into(), || {
                format!("it ends at {end}, behind the result's {output}")
            });
        }
    }
}
