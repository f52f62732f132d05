//! The softmax of rows: `arm_softmax_*`.

use super::arguments::Arguments;
use super::data::Data;
use super::stage::factor;
use crate::dialect::{Dtype, Softmax, SoftmaxTable};
use kiln_quantised::cmsis::{exp_of_negative, one_over_one_plus, requantize};
use kiln_quantised::gemmlowp::{divide_by_power_of_two, doubling_high_multiply};

/// The integer bits of the sum of exponentials.
const ACCUMULATOR_BITS: i32 = 12;

/// The softmax of 8-bit rows, by fixed-point arithmetic.
pub(super) fn fixed(softmax: &Softmax, arguments: &Arguments<'_>) -> Data {
    let x = arguments.data("input").raised(0);
    let result = arguments.result();
    let size = usize::try_from(softmax.row_size).unwrap_or(0);
    let mut results = Vec::with_capacity(x.len());
    if size > 0 {
        x.chunks_exact(size)
            .for_each(|row| fixed_row(softmax, row, result, &mut results));
    }
    Data::narrowed(result, results)
}

/// One row.
pub(super) fn fixed_row(softmax: &Softmax, row: &[i32], result: Dtype, results: &mut Vec<i32>) {
    // The least result stands for 0, and a step is 2^-8 or 2^-16 of 1.
    let (least, greatest) = result.range().unwrap_or((0, 0));
    let (least, greatest) = (least as i32, greatest as i32);
    let fraction = if result == Dtype::I16 { 15 } else { 23 };
    let max = row.iter().copied().fold(i32::MIN, i32::max);
    let exponential = |x: i32| exponential(softmax, x - max);
    let exponentials = row.iter().filter_map(|&x| exponential(x));
    let sum = exponentials.fold(0i32, |sum, e| {
        sum.wrapping_add(divide_by_power_of_two(e, ACCUMULATOR_BITS as u32))
    });
    let headroom = sum.leading_zeros();
    let normal = if sum > 0 {
        sum.wrapping_shl(headroom)
    } else {
        0
    };
    let scale = one_over_one_plus(normal.wrapping_sub(i32::MIN));
    let shift = ACCUMULATOR_BITS - headroom as i32 + fraction;
    results.extend(row.iter().map(|&x| match exponential(x) {
        Some(e) => {
            let found = divide_by_power_of_two(doubling_high_multiply(scale, e), shift as u32);
            found.wrapping_add(least).clamp(least, greatest)
        }
        None => least,
    }));
}

/// The exponential of a difference; `None` if it counts as 0.
fn exponential(softmax: &Softmax, difference: i32) -> Option<i32> {
    (difference >= softmax.diff_min).then(|| {
        let scaled = difference.wrapping_mul(1i32.wrapping_shl(softmax.shift as u32));
        exp_of_negative(doubling_high_multiply(scaled, softmax.mult))
    })
}

/// One 16-bit row. The sum has all bits, and each share of it is rounded once to 15 fractional bits.
pub(super) fn fine_row(softmax: &Softmax, row: &[i32], results: &mut Vec<i32>) {
    let max = row.iter().copied().fold(i32::MIN, i32::max);
    let exponential = |&x: &i32| i64::from(exponential(softmax, x - max).unwrap_or(0));
    let sum: i64 = row.iter().map(exponential).sum();
    // The greatest element's exponential is 2^31 - 1.
    let bits = (32 - sum.leading_zeros().min(32)) as i64;
    let above = ((sum >> bits) as u32).saturating_sub(1 << 31);
    let factor = i64::from(one_over_one_plus(above as i32));
    results.extend(row.iter().map(|x| {
        let share = (factor * exponential(x) + (1 << (46 + bits))) >> (47 + bits);
        share.min(32_767) as i32
    }));
}

/// The softmax of 16-bit rows, by tables.
pub(super) fn of_tables(softmax: &SoftmaxTable, arguments: &Arguments<'_>) -> Data {
    let x = arguments.i16("input");
    let [exp, inverse] =
        ["exp_lut", "one_by_one_lut"].map(|name| arguments.i16(&format!("softmax_params.{name}")));
    let size = usize::try_from(softmax.row_size).unwrap_or(0);
    let by = factor(softmax.mult, softmax.shift);
    let mut results: Vec<i16> = Vec::with_capacity(x.len());
    if size == 0 {
        return Data::I16(results);
    }
    for row in x.chunks_exact(size) {
        let max = row.iter().copied().fold(i16::MIN, i16::max);
        let exponential = |&x: &i16| {
            let scaled = requantize(i32::from(x) - i32::from(max), by);
            let place = scaled.wrapping_add(32_767).clamp(-32_768, 32_767);
            i32::from(looked_up(exp, place as i16))
        };
        let exponentials: Vec<i32> = row.iter().map(exponential).collect();
        let sum = exponentials
            .iter()
            .fold(0i32, |sum, e| sum.wrapping_add(*e));
        let headroom = sum.leading_zeros() as i32;
        let shifted = sum
            .wrapping_shl((headroom - 1) as u32)
            .wrapping_add(1 << 13)
            >> 14;
        // The table is of 1 / (1 + x): 1 is taken off, and the middle of the table is 0.
        let scale = i32::from(looked_up(inverse, shifted.wrapping_sub(98_304) as i16));
        let result = |e: &i32| {
            let twice = e.wrapping_mul(scale).wrapping_shr((30 - headroom) as u32);
            (twice.wrapping_add(1) >> 1) as i16
        };
        results.extend(exponentials.iter().map(result));
    }
    Data::I16(results)
}

/// The interpolated entry of a table, in 16 bits.
pub(super) fn looked_up(table: &[i16], x: i16) -> i16 {
    let (place, fraction) = ((256 + (i32::from(x) >> 7)) as usize, i32::from(x) & 0x7F);
    let (base, next) = (table[place], table[place + 1]);
    let slope = i32::from(next.wrapping_sub(base));
    let delta = (slope * fraction + 64) >> 7;
    base.wrapping_add(delta as i16)
}
