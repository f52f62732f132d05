//! The biases of layers as integers: whole units of the channels' accumulators.

use super::goal::Goal;
use kiln_quantised::accumulator::Reach;
use kiln_quantised::bias::UnitBias;
use kiln_quantised::channel::{Bias, range_of_sums};
use kiln_transforms::framework::target::Reason;

/// Gives another unit to a channel whose weights are all 0 and whose unit does not suit its bias.
pub(super) fn choose_units(
    reals: &mut [f64],
    units: &mut [f64],
    reaches: &[Reach],
    (is_wide, to): (bool, &Goal),
) {
    let channels = reals.iter_mut().zip(units).zip(reaches);
    for ((real, unit), _) in channels.filter(|(_, reach)| reach.0 == 0) {
        let bias = Bias {
            real: *real,
            unit: *unit,
        };
        let found = bias.without_weights(is_wide, to.step.scale);
        (*real, *unit) = (found.real, found.unit);
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
    let step = to.step.scale;
    for (&real, &unit) in reals.iter().zip(units) {
        if (Bias { real, unit }).is_apart(is_wide, step) {
            let rule = "a bias is near a whole number of units of the sums, which fits them";
            let found = format!("{real} in units of {unit}, for a step of {step}");
            return Err(Reason::new(rule, found));
        }
    }
    let (least, greatest) = range_of_sums(is_wide);
    Ok(UnitBias::of(reals, units, least, greatest).whole)
}
