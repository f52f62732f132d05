//! Tables of a function of one integer.
//!
//! Of 8 bits every integer has its entry, which is exact: the function of the integer's real, quantised once. Of 16 bits a
//! table has 513 entries 128 integers apart, between which TOSA interpolates with 7 fractional bits.

use crate::step::Step;

/// From one entry to the next of a table of 16-bit integers.
pub const STRIDE: i64 = 128;

/// Entries of a table of 16-bit integers.
pub const ENTRIES: usize = 513;

/// The entries for the integers from -128 to 127, in that order, within `min..=max`.
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

/// The integers at which the entries of a 16-bit table stand; the last is one beyond the type.
pub fn places() -> impl Iterator<Item = i64> {
    (0..ENTRIES as i64).map(|i| i * STRIDE - 32_768)
}

/// Results as entries in units of `unit`, ties to even, saturated.
pub fn of_words(results: impl IntoIterator<Item = f64>, unit: f64) -> Vec<i16> {
    let entry = |r: f64| (r / unit).round_ties_even().clamp(-32_768.0, 32_767.0) as i16;
    results.into_iter().map(entry).collect()
}

/// What TOSA's TABLE gives for a 16-bit integer: 128 times the interpolated entry.
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
}
