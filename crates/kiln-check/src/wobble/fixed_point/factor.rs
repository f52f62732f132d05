//! Factors of sums: how kernels multiply them, and by how much each way errs.

use super::{Computation, Goal, MULTIPLIER};
use kiln_ir::DType;
use kiln_quantised::accumulator::Reach;
use kiln_quantised::channel::limited;
use kiln_quantised::cmsis::{requantize, requantize_once, requantize_wide, rounded_once};
use kiln_quantised::multiplier::Multiplier;

impl Goal<'_> {
    /// The greatest distance of an integer of the range from the zero point.
    pub fn most(&self) -> u32 {
        let ends = [self.quant.min, self.quant.max];
        let far = ends.map(|end| end.abs_diff(self.step.zero_point.into()));
        u32::try_from(far[0].max(far[1])).unwrap_or(u32::MAX - 1)
    }

    /// The reals of the ends of the range.
    pub fn ends(&self) -> [f64; 2] {
        let zero_point = f64::from(self.step.zero_point);
        [self.quant.min, self.quant.max].map(|end| self.real(end as f64 - zero_point))
    }

    /// The factor of sums whose unit is such a real: limited where every integer but 0 is beyond the range. `None` if sums of that reach
    /// do not fit 32 bits, shifted.
    pub fn factor(&self, unit: f64, reach: Reach) -> Option<Multiplier> {
        let by = self.wide_factor(unit)?;
        let shifted = Reach(reach.0.saturating_mul(1 << by.shift.max(0)));
        shifted.fits(32).then_some(by)
    }

    /// The factor of sums of any size.
    pub fn wide_factor(&self, unit: f64) -> Option<Multiplier> {
        Multiplier::of(limited(unit / self.step.scale, self.dtype == DType::I8)).ok()
    }

    /// The real of a number of steps.
    pub fn real(&self, steps: f64) -> f64 {
        steps * self.step.scale
    }
}

/// How a kernel multiplies sums.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// `arm_nn_requantize`.
    Twice,
    /// Kiln's own kernels.
    Once,
    /// `arm_nn_requantize` with a multiplier of fewer bits and no shift.
    FewerBits(Multiplier),
    /// `arm_nn_requantize_s64`.
    Wide,
}

/// A factor of sums.
#[derive(Clone, Copy)]
pub(super) struct Factor {
    pub by: Multiplier,
    pub way: Way,
}

impl Factor {
    /// Of Kiln's own kernels.
    pub fn once(by: Multiplier) -> Factor {
        let way = Way::Once;
        Factor { by, way }
    }

    /// Of the library's functions, rounded once where that is wanted and there is such a factor.
    pub fn of_library(of: &Computation<'_>, by: Multiplier) -> Factor {
        let is_wanted = of.is_once && of.to.dtype == DType::I8;
        let once = rounded_once(by, of.to.most() + 1).filter(|_| is_wanted);
        let way = once.map_or(Way::Twice, Way::FewerBits);
        Factor { by, way }
    }

    /// The steps of the result for a sum; not rounded where it does not fit.
    pub fn steps(self, sum: f64) -> f64 {
        let left = f64::from(self.by.shift.max(0)).exp2();
        let fits = (sum * left).abs() < 31f64.exp2() && self.by.shift <= 30;
        let found = match self.way {
            Way::Wide if sum.abs() < 47f64.exp2() && self.by.shift <= 14 => {
                requantize_wide(sum as i64, self.by)
            }
            Way::Twice if fits => requantize(sum as i32, self.by),
            Way::Once if fits => requantize_once(sum as i32, self.by),
            Way::FewerBits(by) if fits => requantize(sum as i32, by),
            _ => return sum * self.by.real(),
        };
        f64::from(found)
    }

    /// How far a result of so many steps is off before it is rounded, in steps.
    pub fn error(self, steps: f64) -> f64 {
        let steps = steps.abs();
        let own = match self.way {
            Way::Once => 0.0,
            // `rounded_once` gives a factor only where it is nearer.
            Way::Twice | Way::FewerBits(_) => self.first_rounding(),
            Way::Wide => {
                let lost = (i64::from(self.by.reduced()) << 16) - i64::from(self.by.multiplier);
                steps * lost.unsigned_abs() as f64 / f64::from(self.by.multiplier.max(1))
            }
        };
        own + MULTIPLIER * steps
    }

    /// Half of what the first of two roundings rounds to, in what the second rounds to.
    pub fn first_rounding(self) -> f64 {
        match self.by.shift {
            ..0 => f64::from(self.by.shift - 1).exp2(),
            _ => 0.0,
        }
    }
}
