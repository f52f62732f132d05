//! The rules that several families share.

use crate::dialect::{
    Activation, Buffer, Build, Call, Dtype, Function, Program, Tile, Value, View,
};
use std::ops::RangeInclusive;

/// The shifts of factors, for accumulators of 32 bits and of 64.
const SHIFTS: RangeInclusive<i32> = -31..=30;
const WIDE_SHIFTS: RangeInclusive<i32> = -49..=14;

/// The call under check, and the rules that it breaks.
pub(super) struct Rules<'c> {
    pub program: &'c Program,
    pub call: &'c Call,
    /// Its parameters.
    pub value: &'c Value,
    pub build: Build,
    pub found: &'c mut Vec<String>,
}

impl<'c> Rules<'c> {
    /// Notes a fault unless the rule holds.
    pub fn rule(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.found.push(otherwise());
        }
    }

    /// The function.
    pub fn function(&self) -> Function {
        self.call.function
    }

    /// The buffer of a slot.
    pub fn buffer(&self, slot: &str) -> Option<&'c Buffer> {
        let place = self.call.function.row().slot(slot)?;
        self.program.buffer((*self.call.buffers.get(place)?)?)
    }

    /// The part of its buffer that a slot uses.
    pub fn used(&self, slot: &str) -> Option<View> {
        let place = self.call.function.row().slot(slot)?;
        self.program.used(self.call, place)
    }

    /// The type of a slot's buffer.
    pub fn dtype(&self, slot: &str) -> Option<Dtype> {
        self.buffer(slot).map(|buffer| buffer.dtype)
    }

    /// Sizes are not negative, and 32 bits count the elements of all dims.
    pub fn sizes(&mut self, value: &Value, place: &str) -> bool {
        let Value::Struct(name, members) = value else {
            return true;
        };
        if *name == "cmsis_nn_dims" {
            let sizes: Vec<i64> = members
                .iter()
                .filter_map(|(_, v)| {
                    if let Value::Int(i) = v {
                        Some(*i)
                    } else {
                        None
                    }
                })
                .collect();
            let product = sizes
                .iter()
                .try_fold(1i64, |product, &size| product.checked_mul(size));
            let fits = sizes.iter().all(|&size| size >= 0)
                && product.is_some_and(|p| p <= i32::MAX.into());
            self.rule(fits, || format!("{place} is {sizes:?}"));
            return fits;
        }
        let mut all = true;
        for (member, value) in members {
            all &= self.sizes(value, member);
        }
        all
    }

    /// An input or filter offset is minus a zero point of 8 bits.
    pub fn offset(&mut self, name: &str, offset: i32) {
        self.rule((-127..=128).contains(&offset), || {
            format!("{name} is {offset}; it is -127 to 128")
        });
    }

    /// A parameter that the library takes to be 0 is 0.
    pub fn no_offset(&mut self, name: &str, offset: i32) {
        self.rule(offset == 0, || {
            format!("{name} is {offset}; with 16 bits it is 0")
        });
    }

    /// An output offset is small enough to be added in 32 bits.
    pub fn output_offset(&mut self, offset: i32) {
        self.rule((-65_536..=65_535).contains(&offset), || {
            format!("the output's offset is {offset}")
        });
    }

    /// The activation range lies within the range of a slot's type.
    pub fn range(&mut self, slot: &str, range: &Activation) {
        let Some((low, high)) = self.dtype(slot).and_then(Dtype::range) else {
            return;
        };
        let (min, max) = (i64::from(range.min), i64::from(range.max));
        self.rule(low <= min && min <= max && max <= high, || {
            format!("the range is {min} to {max}; it lies within {low} to {high}")
        });
    }

    /// The multiplier and the shift of a 32-bit accumulator.
    pub fn factor(&mut self, name: &str, multiplier: i32, shift: i32) {
        self.rule(multiplier >= 0, || {
            format!("the multiplier of {name} is {multiplier}; it is not negative")
        });
        self.rule(SHIFTS.contains(&shift), || {
            format!("the shift of {name} is {shift}; it is -31 to 30")
        });
    }

    /// The multiplier and the shift of a 64-bit accumulator.
    pub fn wide_factor(&mut self, name: &str, multiplier: i32, shift: i32) {
        self.rule(multiplier >= 0, || {
            format!("the multiplier of {name} is {multiplier}; it is not negative")
        });
        self.rule(WIDE_SHIFTS.contains(&shift), || {
            format!("the shift of {name} is {shift}; it is -49 to 14")
        });
    }

    /// A factor for each channel.
    pub fn factors(&mut self, multipliers: &[i32], shifts: &[i32], channels: i32, is_wide: bool) {
        let counts = [multipliers.len(), shifts.len()];
        self.rule(
            counts
                .iter()
                .all(|&count| count as i64 == i64::from(channels)),
            || format!("{counts:?} multipliers and shifts of {channels} channels"),
        );
        let within = if is_wide { WIDE_SHIFTS } else { SHIFTS };
        let is_wrong = |(_, (multiplier, shift)): &(usize, (&i32, &i32))| {
            **multiplier < 0 || !within.contains(*shift)
        };
        let factors = multipliers.iter().zip(shifts).enumerate();
        for (channel, (&multiplier, &shift)) in factors.filter(is_wrong) {
            let name = format!("channel {channel}");
            match is_wide {
                true => self.wide_factor(&name, multiplier, shift),
                false => self.factor(&name, multiplier, shift),
            }
        }
    }

    /// Strides are positive, padding is not negative.
    pub fn windows(&mut self, stride: &Tile, padding: &Tile) -> bool {
        let is_stride = stride.w >= 1 && stride.h >= 1;
        self.rule(is_stride, || {
            format!("a stride of {} x {}", stride.h, stride.w)
        });
        let is_padding = (0..=i32::from(i16::MAX)).contains(&padding.w)
            && (0..=i32::from(i16::MAX)).contains(&padding.h);
        self.rule(is_padding, || {
            format!("a padding of {} x {}", padding.h, padding.w)
        });
        is_stride && is_padding
    }

    /// A number that the library holds in so many bits, unsigned.
    pub fn fits(&mut self, name: &str, number: i32, bits: u32) {
        let most = (1i64 << bits) - 1;
        self.rule((0..=most).contains(&number.into()), || {
            format!("{name} is {number}; it is 0 to {most}")
        });
    }

    /// Two numbers are the same.
    pub fn equal(&mut self, what: &str, found: i32, expected: i32) {
        self.rule(found == expected, || {
            format!("{what}: {found}, not {expected}")
        });
    }
}
