//! RESCALE: products of integers and real factors.
//!
//! A factor is a [`Scale`] with a multiplier of 31 bits, or of 15 bits for operands of 48 bits.

use super::Lowering;
use crate::dialect::{NanMode, Rescale, TensorId, TosaDtype, TosaOp};
use kiln_quantised::multiplier::Scale;
use kiln_quantised::tosa::{SATURATING, saturating_from, unpredictable_from};
use kiln_transforms::framework::target::Reason;

/// The factor nearest to a real one.
fn factor(real: f64, bits: i32) -> Result<Scale, Reason> {
    let rule = "factors of integers are positive and at most 2^29";
    Scale::of(real, bits).map_err(|_| Reason::new(rule, real.to_string()))
}

/// The type and the zero point of the result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct To {
    pub(crate) dtype: TosaDtype,
    pub(crate) zero_point: i32,
}

impl To {
    /// 32 bits about 0, for intermediate results.
    pub(crate) const WORDS: To = To {
        dtype: TosaDtype::I32,
        zero_point: 0,
    };
}

/// The operand's zero point, and the greatest distance of its integers from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct From {
    pub(crate) zero_point: i32,
    pub(crate) reach: f64,
}

impl Lowering<'_, '_> {
    /// As [`Lowering::rescale`], for any factors. Integers for which RESCALE is not predictable, and whose results
    /// saturate anyway, are limited first.
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

    /// Limits 32-bit integers to those that saturate 16 bits under the factors.
    fn limited(&mut self, x: TensorId, factors: &[f64]) -> Result<TensorId, Reason> {
        let highest: Vec<i64> = factors.iter().map(|&f| saturating_from(f).into()).collect();
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

    /// `(x - zero_point) * factor`, with one factor or one for each index of the last axis.
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
            .collect::<Result<Vec<Scale>, Reason>>()?
            .into_iter()
            .map(|scale| (scale.multiplier, scale.shift))
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
