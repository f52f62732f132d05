//! Tables of a function of one integer.
//!
//! A table of 8-bit integers has an entry for each, which is exact: the function of the integer's real, quantised once. Kernels of
//! TOSA and XNNPACK index it by the integer (XNNPACK by its byte); ExecuTorch's Cortex-M kernel by the integer and 128. CMSIS-NN
//! has no such function.
//!
//! A table of 16-bit integers has 513 entries 128 integers apart. Between them TOSA's TABLE and the softmax of CMSIS-NN
//! (`arm_softmax_s16`) interpolate with 7 fractional bits. CMSIS-NN's sigmoid and tanh of 16 bits have tables of their own.

use crate::step::Step;

/// The distance from one entry of a table of 16-bit integers to the next.
pub const STRIDE: i64 = 128;

/// The number of entries of a table of 16-bit integers.
pub const ENTRIES: usize = 513;

/// The entries for the integers from -128 to 127, in that order, within `min..=max`. Ties go to even; the tables that
/// ExecuTorch makes for Cortex-M (`build_activation_lut`) round ties away from 0.
///
/// ```
/// use kiln_quantised::{step::Step, table::of_bytes};
/// let (x, y) = (Step { scale: 0.1, zero_point: 0 }, Step { scale: 1.0 / 256.0, zero_point: -128 });
/// let table = of_bytes(x, y, -128, 127, |x| 1.0 / (1.0 + (-x).exp()));
/// assert_eq!((table[128], table[0], table[255]), (0, -128, 127));
/// ```
pub fn of_bytes(from: Step, to: Step, min: i64, max: i64, f: impl Fn(f64) -> f64) -> [i8; 256] {
    std::array::from_fn(|i| to.integer(f(from.real(i as i64 - 128)), min, max) as i8)
}

/// The integers at which the entries of a 16-bit table stand. The last is 32,768, one more than the type holds.
pub fn places() -> impl Iterator<Item = i64> {
    (0..ENTRIES as i64).map(|i| i * STRIDE - 32_768)
}

/// The distances of 8-bit integers from their zero point for which the entries of a 16-bit table stand, if the table is looked up
/// with [`STRIDE`] times the distance. An integer then has an entry of its own, and nothing is interpolated.
pub fn distances() -> impl Iterator<Item = i64> {
    (0..ENTRIES as i64).map(|i| i - 256)
}

/// Results as entries: multiples of `unit`, ties to even, saturated.
pub fn of_words(results: impl IntoIterator<Item = f64>, unit: f64) -> Vec<i16> {
    let entry = |r: f64| (r / unit).round_ties_even().clamp(-32_768.0, 32_767.0) as i16;
    results.into_iter().map(entry).collect()
}

/// The finest unit in which 16-bit entries hold all finite results. It is never 0.
pub fn finest_unit(results: impl IntoIterator<Item = f64>) -> f64 {
    let sizes = results.into_iter().filter(|r| r.is_finite()).map(f64::abs);
    let greatest = sizes.fold(0.0, f64::max);
    (greatest / 32_767.0).max(f64::MIN_POSITIVE.sqrt())
}

/// The 513 entries of a function over `low..=high`, in units of `2^-15`: TFLite's `gen_lut`, in f32. Each entry is
/// moved by half of the error that interpolation makes in the middle between it and the next. CMSIS-NN's softmax of 16
/// bits takes two such tables (`cmsis_nn_softmax_lut_s16`): `exp` over -10 to 0 and `1 / (1 + x)` over 0 to 1.
pub fn balanced(low: f32, high: f32, f: impl Fn(f32) -> f32) -> Vec<i16> {
    let step = (high - low) / (ENTRIES - 1) as f32;
    let scaled = |x: f32| f(x) * 32_768.0;
    let entry = |i: usize| {
        let x = low + i as f32 * step;
        let here = scaled(x).round();
        let interpolated = ((scaled(low + (i + 1) as f32 * step) + here) / 2.0).round();
        let error = interpolated - scaled(x + step / 2.0).round();
        here - (error / 2.0).round()
    };
    let entries = (0..ENTRIES - 1).map(entry);
    let all = entries.chain([scaled(high).round()]);
    all.map(|entry| entry.clamp(-32_768.0, 32_767.0) as i16)
        .collect()
}

/// The result of TOSA's TABLE for a 16-bit integer: 128 times the interpolated entry.
pub fn interpolated(entries: &[i16], x: i16) -> i32 {
    let place = i32::from(x) + 32_768;
    let (index, fraction) = ((place >> 7) as usize, place & 0x7F);
    let (base, next) = (i32::from(entries[index]), i32::from(entries[index + 1]));
    (base << 7) + (next - base) * fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_interpolated_exactly_and_curves_by_chords() {
        assert_eq!(places().last(), Some(32_768));
        let line = of_words(places().map(|p| p as f64), 128.0);
        let step = Step {
            scale: 8.0 / 32_768.0,
            zero_point: 0,
        };
        let curve = of_words(places().map(|p| step.real(p).tanh()), 1.0 / 32_768.0);
        // A chord is off by an eighth of its length squared times the curvature, and its ends by half a unit; 1 is saturated,
        // and off by a whole one.
        let (length, curvature) = (step.real(STRIDE), 4.0 / 27f64.sqrt());
        let bound = length.powi(2) / 8.0 * curvature + 15f64.exp2().recip();
        for x in i16::MIN..=i16::MAX {
            assert_eq!(interpolated(&line, x), x.into());
            let near = f64::from(interpolated(&curve, x)) / 128.0 / 32_768.0;
            assert!((near - step.real(x.into()).tanh()).abs() <= bound, "{x}");
        }
    }

    #[test]
    fn bytes_that_become_words_stand_at_entries() {
        let to = Step {
            scale: 1.0 / 20_000.0,
            zero_point: 0,
        };
        let from = Step {
            scale: 0.05,
            zero_point: 100,
        };
        let reals = distances().map(|d| (d as f64 * from.scale).tanh());
        let entries = of_words(reals, to.scale);
        for integer in -128i64..128 {
            let x = (integer - 100) * STRIDE;
            let found = interpolated(&entries, x as i16);
            let exact = to.integer(from.real(integer).tanh(), -32_768, 32_767);
            assert_eq!(i64::from(found), exact * STRIDE, "{integer}");
        }
    }

    #[test]
    fn units_hold_what_is_finite() {
        assert_eq!(finest_unit([1.0, -32_767.0, f64::INFINITY, f64::NAN]), 1.0);
        let tiny = finest_unit([0.0]);
        assert_eq!(
            of_words([0.0, f64::INFINITY, f64::NAN], tiny),
            [0, 32_767, 0]
        );
    }

    #[test]
    fn entries_saturate() {
        let from = Step {
            scale: 1e-30,
            zero_point: 0,
        };
        let table = of_bytes(from, from, -8, 7, |x| x * 1e6);
        assert_eq!((table[0], table[127], table[129]), (-8, -8, 7));
        let zero = Step {
            scale: 0.0,
            zero_point: 3,
        };
        let table = of_bytes(zero, from, -128, 127, |x| x);
        assert!(table.iter().all(|&entry| entry == 0));
        let table = of_bytes(from, zero, -128, 127, |x| x);
        assert_eq!((table[0], table[128], table[255]), (-128, 3, 127));
    }
}
