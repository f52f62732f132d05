//! Functions of elements that lie by strides: `kiln_add_*` and its kind, and `kiln_copy`.

use super::arguments::Arguments;
use super::data::Data;
use super::stage::{Stage, factor};
use crate::dialect::{Broadcast, Copy, Function, Operands, Strides};
use kiln_quantised::cmsis::requantize;

/// The results for pairs of elements, in order.
fn pairs(
    strides: &Strides,
    first: &[i32],
    second: &[i32],
    f: impl Fn(i32, i32) -> i32,
) -> Vec<i32> {
    let mut results = Vec::with_capacity(strides.elements());
    strides.each(|a, b| results.push(f(first[a as usize], second[b as usize])));
    results
}

/// The sum, the difference, the product or the quotient.
pub(super) fn computed(function: Function, of: &Broadcast, arguments: &Arguments<'_>) -> Data {
    let o = &of.operands;
    let first = arguments.data("input_1").raised(o.offset_1);
    let second = arguments.data("input_2").raised(o.offset_2);
    let stage = Stage::new(&[o.multiplier], &[o.shift], o.output_offset, &o.activation);
    let brought = |x: i32, multiplier, shift| {
        requantize(
            x.wrapping_shl(o.left_shift as u32),
            factor(multiplier, shift),
        )
    };
    let operands = |x, y| {
        let first = brought(x, o.multiplier_1, o.shift_1);
        (first, brought(y, o.multiplier_2, o.shift_2))
    };
    let results = match function {
        Function::KilnAddS8 | Function::KilnAddS16 => {
            pairs(&of.strides, &first, &second, |x, y| {
                let (x, y) = operands(x, y);
                stage.of(0, x.wrapping_add(y))
            })
        }
        Function::KilnSubS8 | Function::KilnSubS16 => {
            pairs(&of.strides, &first, &second, |x, y| {
                let (x, y) = operands(x, y);
                stage.of(0, x.wrapping_sub(y))
            })
        }
        Function::KilnMulS8 | Function::KilnMulS16 => {
            pairs(&of.strides, &first, &second, |x, y| {
                stage.of_own(x.wrapping_mul(y))
            })
        }
        _ => pairs(&of.strides, &first, &second, |x, y| quotient(o, x, y)),
    };
    Data::narrowed(arguments.result(), results)
}

/// The exact quotient times the factor, rounded once, halves to even. A division by 0 gives the end of the range on the
/// dividend's side. 0 / 0 is a NaN, which is quantised to 0.
fn quotient(o: &Operands, x: i32, y: i32) -> i32 {
    let (min, max) = (o.activation.min, o.activation.max);
    if y == 0 {
        return match x.signum() {
            1 => max,
            -1 => min,
            _ => 0.max(min).min(max),
        };
    }
    let numerator = i128::from(x.unsigned_abs()) * i128::from(o.multiplier);
    let denominator = i128::from(y.unsigned_abs()) << (31 - o.shift);
    let (whole, twice) = (numerator / denominator, numerator % denominator * 2);
    let is_up = twice > denominator || twice == denominator && whole % 2 == 1;
    // Far more than any result and any offset of one.
    let size = (whole + i128::from(is_up)).min(1 << 24) as i32;
    let signed = if (x < 0) != (y < 0) { -size } else { size };
    signed.wrapping_add(o.output_offset).max(min).min(max)
}

/// The greater or the lesser.
pub(super) fn extreme(function: Function, strides: &Strides, arguments: &Arguments<'_>) -> Data {
    let [first, second] = ["input_1", "input_2"].map(|name| arguments.data(name).raised(0));
    let f = match function {
        Function::KilnMaximumS8 | Function::KilnMaximumS16 => i32::max,
        _ => i32::min,
    };
    Data::narrowed(arguments.result(), pairs(strides, &first, &second, f))
}

/// The output with the elements copied to their places. Other elements stay.
pub(super) fn copied(copy: &Copy, arguments: &Arguments<'_>) -> Data {
    fn moved<T: Clone>(copy: &Copy, x: &[T], y: &[T]) -> Vec<T> {
        let mut all = y.to_vec();
        let (from, to) = (i64::from(copy.input_first), i64::from(copy.output_first));
        copy.strides
            .each(|a, b| all[(to + b) as usize] = x[(from + a) as usize].clone());
        all
    }
    match (arguments.data("input"), arguments.data("output")) {
        (Data::I8(x), Data::I8(y)) => Data::I8(moved(copy, x, y)),
        (Data::U8(x), Data::U8(y)) => Data::U8(moved(copy, x, y)),
        (Data::I16(x), Data::I16(y)) => Data::I16(moved(copy, x, y)),
        (Data::I32(x), Data::I32(y)) => Data::I32(moved(copy, x, y)),
        (Data::I64(x), Data::I64(y)) => Data::I64(moved(copy, x, y)),
        (Data::F32(x), Data::F32(y)) => Data::F32(moved(copy, x, y)),
        (Data::F16(x), Data::F16(y)) => Data::F16(moved(copy, x, y)),
        (Data::Bf16(x), Data::Bf16(y)) => Data::Bf16(moved(copy, x, y)),
        (x, y) => unreachable!("a copy of {} to {}", x.dtype(), y.dtype()),
    }
}
