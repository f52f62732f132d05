//! The biases of layers as integers: whole units of the channels' accumulators.

use super::goal::Goal;
use kiln_quantised::accumulator::Reach;
use kiln_quantised::bias::{UnitBias, split};
use kiln_transforms::framework::target::Reason;

/// The greatest error of a bias in whole units, in steps of the result. Rounding adds half a step, so results stay within a step.
const MAX_APART: f64 = 0.25;

/// The units per step of the result for a channel whose weights are all 0.
const UNITS_PER_STEP: f64 = 256.0;

/// A bias of this many steps or more takes every 16-bit result beyond its range.
const MAX_STEPS: f64 = 131_072.0;

/// The range of accumulators: 32 bits, or 48 where operands have 16 bits. The library multiplies the latter by 16 bits, in 64.
pub(super) fn limits(is_wide: bool) -> (i64, i64) {
    let bits = if is_wide { 48 } else { 32 };
    (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
}

/// Gives another unit to a channel whose weights are all 0 and whose unit does not suit its bias. The accumulator of such a
/// channel is the bias alone. Observers give such a channel the least scale that there is.
pub(super) fn choose_units(
    reals: &mut [f64],
    units: &mut [f64],
    reaches: &[Reach],
    (is_wide, to): (bool, &Goal),
) {
    let channels = reals.iter_mut().zip(units).zip(reaches);
    for ((real, unit), _) in channels.filter(|(_, reach)| reach.0 == 0) {
        if is_apart(*real, *unit, is_wide, to) {
            let most = MAX_STEPS * to.step.scale;
            *real = real.clamp(-most, most);
            *unit = to.step.scale / UNITS_PER_STEP;
        }
    }
}

/// The biases in whole units.
///
/// # Errors
/// If a bias in whole units that fits the accumulator is not near the real one.
pub(super) fn whole(
    reals: &[f64],
    units: &[f64],
    is_wide: bool,
    to: &Goal,
) -> Result<Vec<i64>, Reason> {
    let pairs = reals.iter().zip(units);
    for (real, unit) in pairs {
        if is_apart(*real, *unit, is_wide, to) {
            let rule = "a bias is near a whole number of units of the sums, which fits them";
            let step = to.step.scale;
            let found = format!("{real} in units of {unit}, for a step of {step}");
            return Err(Reason::new(rule, found));
        }
    }
    let (least, greatest) = limits(is_wide);
    Ok(UnitBias::of(reals, units, least, greatest).whole)
}

/// Whether the bias in whole units is more than a quarter of a step from the real one, or the factor of its channel becomes 0
/// although the bias counts.
fn is_apart(real: f64, unit: f64, is_wide: bool, to: &Goal) -> bool {
    let (least, greatest) = limits(is_wide);
    let (_, rest) = split(real, unit, least, greatest);
    let factor = unit / to.step.scale;
    let is_lost = to.vanishes(factor) && (real / to.step.scale).abs() > MAX_APART;
    is_lost || rest.abs() * factor > MAX_APART
}
