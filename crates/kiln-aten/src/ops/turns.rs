//! Cosines and sines of parts of a whole turn, exact at its quarters: a sum that is exactly 0 by symmetry stays so.

use std::f64::consts::TAU;

/// The cosine of `step / period` of a turn; exactly 0 at the odd quarters.
pub(super) fn cosine(step: i64, period: i64) -> f64 {
    let step = step.rem_euclid(period);
    if 4 * step == period || 4 * step == 3 * period {
        0.0
    } else {
        angle(step, period).cos()
    }
}

/// The sine of `step / period` of a turn; exactly 0 at the halves.
pub(super) fn sine(step: i64, period: i64) -> f64 {
    let step = step.rem_euclid(period);
    if step == 0 || 2 * step == period {
        0.0
    } else {
        angle(step, period).sin()
    }
}

fn angle(step: i64, period: i64) -> f64 {
    TAU * (step as f64 / period as f64)
}

#[cfg(test)]
mod tests {
    use super::{cosine, sine};

    #[test]
    fn quarters_are_exact() {
        let of = |f: fn(i64, i64) -> f64| [0, 1, 2, 3, 4, -1].map(|step| f(3 * step, 12));
        assert_eq!(of(cosine), [1.0, 0.0, -1.0, 0.0, 1.0, 0.0]);
        assert_eq!(of(sine), [0.0, 1.0, 0.0, -1.0, 0.0, -1.0]);
    }
}
