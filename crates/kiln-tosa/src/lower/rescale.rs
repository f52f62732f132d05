//! Factors of integers: TOSA's RESCALE.
//!
//! A factor is `multiplier / 2^shift` with a multiplier of 31 bits, or of 15 where the operand has 48 (TOSA 1.0, RESCALE
//! and `apply_scale_32`): relative to the real factor it is off by at most 2^-31, or 2^-15.

use super::Lowering;
use crate::dialect::{NanMode, Rescale, TensorId, TosaDtype, TosaOp};
use kiln_transforms::framework::target::Reason;

/// The factor nearest to a real one.
pub(crate) fn factor(real: f64, bits: i32) -> Result<(i32, i8), Reason> {
    let refused = || {
        Reason::new(
            "factors of integers are positive and at most 2^29",
            real.to_string(),
        )
    };
    if !(real.is_finite() && real > 0.0) {
        return Err(refused());
    }
    let exponent = real.log2().floor() as i32 + 1;
    let mut mantissa =
        (real / f64::from(exponent).exp2() * f64::from(bits).exp2()).round_ties_even();
    let mut shift = bits - exponent;
    if mantissa >= f64::from(bits).exp2() {
        mantissa /= 2.0;
        shift -= 1;
    }
    if shift > 62 {
        mantissa = (mantissa / f64::from((shift - 62).min(bits)).exp2()).floor();
        shift = 62;
    }
    match i8::try_from(shift) {
        Ok(shift) if shift >= 2 => Ok((mantissa as i32, shift)),
        _ => Err(refused()),
    }
}

/// What integers become.
#[derive(Clone, Copy, Debug)]
pub(crate) struct To {
    pub(crate) dtype: TosaDtype,
    pub(crate) zero_point: i32,
}

impl To {
    /// Words in which to compute.
    pub(crate) const WORDS: To = To {
        dtype: TosaDtype::I32,
        zero_point: 0,
    };
}

/// Times so much, any integer but 0 leaves 16 bits.
const SATURATING: f64 = 131_072.0;

/// Integers, and how far they are from their zero point at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct From {
    pub(crate) zero_point: i32,
    pub(crate) reach: f64,
}

/// From where on RESCALE by the factor says nothing of what it gives (TOSA 1.0, `apply_scale_32`).
fn unpredictable_from(factor: f64) -> f64 {
    (29.0 - factor.log2().floor()).exp2()
}

impl Lowering<'_, '_> {
    /// As [`Lowering::rescale`], whatever the factors: what saturates anyway is limited before.
    pub(crate) fn saturated(
        &mut self,
        x: TensorId,
        from: From,
        factors: &[f64],
        to: To,
    ) -> Result<TensorId, Reason> {
        let wide = self.parts.dtype(x) == TosaDtype::I48;
        let far = factors
            .iter()
            .find(|&&f| from.reach * f >= f64::from(i32::MAX));
        if let Some(factor) = far.filter(|_| wide) {
            let rule = "sums of 48 bits are scaled to 32 at most";
            return Err(Reason::new(rule, format!("a factor of {factor}")));
        }
        if wide || to.dtype == TosaDtype::I32 {
            return self.rescale(x, from.zero_point, factors, to);
        }
        let factors: Vec<f64> = factors.iter().map(|f| f.min(SATURATING)).collect();
        if factors.iter().all(|&f| from.reach < unpredictable_from(f)) {
            return self.rescale(x, from.zero_point, &factors, to);
        }
        let x = match self.parts.dtype(x) {
            TosaDtype::I32 => x,
            _ => self.rescale(x, from.zero_point, &[1.0], To::WORDS)?,
        };
        let limited = self.limited(x, &factors)?;
        self.rescale(limited, 0, &factors, to)
    }

    /// Words that leave 16 bits once they are multiplied, as the least that do.
    fn limited(&mut self, x: TensorId, factors: &[f64]) -> Result<TensorId, Reason> {
        let most = |f: &f64| ((SATURATING / f).ceil() as i64).min(i32::MAX.into());
        let highest: Vec<i64> = factors.iter().map(most).collect();
        let lowest: Vec<i64> = highest.iter().map(|h| -h).collect();
        let mut shape = vec![1; self.parts.shape(x).len()];
        if let Some(last) = shape.last_mut() {
            *last = factors.len();
        }
        let nan_mode = NanMode::Propagate;
        let highest = self.parts.integers(TosaDtype::I32, &shape, &highest)?;
        let x = self.parts.op(TosaOp::Minimum { nan_mode }, &[x, highest])?;
        let lowest = self.parts.integers(TosaDtype::I32, &shape, &lowest)?;
        self.parts.op(TosaOp::Maximum { nan_mode }, &[x, lowest])
    }

    /// `(x - zero_point) * factor`, one factor or one by index of the last axis.
    pub(crate) fn rescale(
        &mut self,
        x: TensorId,
        zero_point: i32,
        factors: &[f64],
        to: To,
    ) -> Result<TensorId, Reason> {
        let wide = self.parts.dtype(x) == TosaDtype::I48;
        let pairs = factors
            .iter()
            .map(|&f| factor(f, if wide { 15 } else { 31 }));
        let (multiplier, shift) = pairs
            .collect::<Result<Vec<(i32, i8)>, Reason>>()?
            .into_iter()
            .unzip();
        let rescale = Rescale {
            input_zp: zero_point,
            output_zp: to.zero_point,
            scale32: !wide,
            ..Rescale::new(to.dtype, multiplier, shift)
        };
        self.parts.op(TosaOp::Rescale(rescale), &[x])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_near() {
        for real in [1.0, 0.5, 0.75, 1e-9, 3.0, 524288.0, 0.999_999_999_9] {
            let (multiplier, shift) = factor(real, 31).unwrap();
            let near = f64::from(multiplier) / f64::from(shift).exp2();
            assert!((near / real - 1.0).abs() <= 1e-9, "{real}: {near}");
        }
        assert_eq!(factor(1.0, 31).unwrap(), (1 << 30, 30));
        assert!(factor(0.0, 31).is_err());
        assert!(factor(1e12, 31).is_err());
    }
}
