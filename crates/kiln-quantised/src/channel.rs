//! An output channel of a layer as CMSIS-NN's functions compute it: the unit of its sums, its bias in such units, and its factor.
//!
//! A function adds an integer to the channel's sum of products and multiplies once. Real biases are near whole units in most models.
//! Where they are not, or where the factor cannot be represented, the layer needs another form.

use crate::bias::split;
use crate::multiplier::Multiplier;

/// The greatest error of a bias in whole units, in steps of the result. Rounding adds half a step, so results stay within a step.
pub const MAX_APART: f64 = 0.25;

/// The units per step of the result for a channel whose weights are all 0.
const UNITS_PER_STEP: f64 = 256.0;

/// A bias of this many steps or more takes every 16-bit result beyond its range.
const MAX_STEPS: f64 = 131_072.0;

/// The range of accumulators: 32 bits, or 48 where operands have 16 bits. The library multiplies the latter by 16 bits, in 64.
pub const fn range_of_sums(is_wide: bool) -> (i64, i64) {
    let bits = if is_wide { 48 } else { 32 };
    (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
}

/// Whether the kernels' factor is 0 in place of this one.
///
/// ```
/// use kiln_quantised::channel::vanishes;
/// assert!(!vanishes(2f64.powi(-32)) && vanishes(2f64.powi(-33)));
/// ```
pub fn vanishes(factor: f64) -> bool {
    Multiplier::of(factor).is_ok_and(|found| found == Multiplier::ZERO)
}

/// The factor of sums to results of 8 bits if `is_byte`, else of 16. A factor that brings every integer but 0 beyond the range may be any such factor,
/// so it is limited: kernels shift to the left before they multiply, in 32 bits.
///
/// ```
/// use kiln_quantised::channel::limited;
/// assert_eq!([limited(512.0, true), limited(5000.0, true), limited(5000.0, false)], [512.0, 1024.0, 5000.0]);
/// ```
pub fn limited(factor: f64, is_byte: bool) -> f64 {
    let most: u32 = if is_byte { 1 << 10 } else { 1 << 18 };
    factor.min(most.into())
}

/// The real bias of a channel, and the real of one unit of its sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bias {
    /// The bias.
    pub real: f64,
    /// The unit.
    pub unit: f64,
}

impl Bias {
    /// Whether the bias in whole units is more than [`MAX_APART`] from the real one, or the factor of the channel becomes 0 although
    /// the bias counts. `is_wide` says whether operands have 16 bits; `step` is the result's scale.
    pub fn is_apart(self, is_wide: bool, step: f64) -> bool {
        let (least, greatest) = range_of_sums(is_wide);
        let (_, rest) = split(self.real, self.unit, least, greatest);
        let factor = self.unit / step;
        let is_lost = vanishes(factor) && (self.real / step).abs() > MAX_APART;
        is_lost || rest.abs() * factor > MAX_APART
    }

    /// That of a channel whose weights are all 0: its sum is the bias alone, so any unit does. It has another one where its own does
    /// not suit the bias. Observers give such a channel the least scale that there is.
    ///
    /// ```
    /// use kiln_quantised::channel::Bias;
    /// let bias = Bias { real: 3.0, unit: 1e-20 };
    /// let found = bias.without_weights(false, 0.5);
    /// assert_eq!(found, Bias { real: 3.0, unit: 0.5 / 256.0 });
    /// ```
    #[must_use]
    pub fn without_weights(self, is_wide: bool, step: f64) -> Bias {
        if !self.is_apart(is_wide, step) {
            return self;
        }
        let most = MAX_STEPS * step;
        Bias {
            real: self.real.clamp(-most, most),
            unit: step / UNITS_PER_STEP,
        }
    }
}
