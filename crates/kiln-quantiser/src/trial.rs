//! Tries where ranges end, on samples.
//!
//! Which ends are better depends on the model: a few large numbers may be noise, or all that counts. So both are tried.

use crate::{Ends, Mode, Quantised, Ranges, RangesError, Scope, quantise};
use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::Graph;
use kiln_process::interruption;

/// How much less the noise has to be with extremes. They clamp nothing of the samples themselves, but they do of other inputs: on these,
/// ranges of the least error are nearer even where they are a little farther on the samples.
const CLEARLY: f64 = 0.85;
/// The least ratio of noise to signal that counts: about that of f32's rounding.
const LEAST: f64 = 1e-14;

/// What was quantised, and how far it is from the floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// What was quantised.
    pub quantised: Quantised,
    /// Where the ranges end.
    pub ends: Ends,
    /// The ratio of noise to signal in power, as a geometric mean over all outputs of floats. `None` if no output has a finite signal, and for
    /// [`Mode::Wide`], whose ranges end at the extremes.
    pub noise: Option<f64>,
    /// The number of samples on which this was measured.
    pub samples: usize,
}

/// Quantises as [`quantise`] does, with the ends of ranges that are nearer to the floats on some of the samples that
/// the ranges were observed on.
///
/// # Errors
/// A signal ends this program, or the work of its host.
pub fn quantise_nearest(
    graph: &mut Graph,
    ranges: &Ranges,
    samples: &[Vec<Tensor>],
    scope: Scope,
    mode: Mode,
) -> Result<Nearest, RangesError> {
    let tried = |ends| {
        // A graph at a time: each holds the weights once more.
        let mut tried = graph.clone();
        let done = quantise(&mut tried, ranges, scope, mode, ends);
        Ok::<_, RangesError>((done, noise(&tried, ranges, samples)?))
    };
    let (mut ends, mut noise) = (Ends::Extremes, None);
    if mode == Mode::Static {
        let (done, clamped) = tried(Ends::LeastError)?;
        (ends, noise) = (Ends::LeastError, clamped);
        if done.clamped > 0 {
            let (_, whole) = tried(Ends::Extremes)?;
            let is_nearer = |whole| clamped.is_none_or(|clamped| whole < CLEARLY * clamped);
            if whole.is_some_and(is_nearer) {
                (ends, noise) = (Ends::Extremes, whole);
            }
        }
    }
    Ok(Nearest {
        quantised: quantise(graph, ranges, scope, mode, ends),
        ends,
        noise,
        samples: ranges.outputs().len(),
    })
}

/// The ratio of noise to signal on the samples whose outputs are known, as a geometric mean: one sample does not decide.
fn noise(
    graph: &Graph,
    ranges: &Ranges,
    samples: &[Vec<Tensor>],
) -> Result<Option<f64>, RangesError> {
    let mut state = State::new(graph);
    let (mut sum, mut count) = (0.0, 0);
    for (sample, floats) in ranges.outputs() {
        interruption::check()?;
        let Some(inputs) = samples.get(*sample) else {
            continue;
        };
        let Ok(found) = evaluate(graph, inputs, &mut state, &Options::default()) else {
            return Ok(None);
        };
        for (float, found) in floats.iter().zip(&found.outputs) {
            if let Some(ratio) = ratio(float, found) {
                sum += ratio.max(LEAST).ln();
                count += 1;
            }
        }
    }
    Ok((count > 0).then(|| (sum / f64::from(count)).exp()))
}

/// The ratio for an output; `None` if it has no finite signal. A NaN in place of a number is as bad as no signal.
fn ratio(float: &Tensor, found: &Tensor) -> Option<f64> {
    if !float.dtype().is_float() || float.len() != found.len() {
        return None;
    }
    let pairs = float.scalars().into_iter().zip(found.scalars());
    let (mut signal, mut noise) = (0.0, 0.0);
    for (float, found) in pairs {
        let (float, found) = (float.as_f64(), found.as_f64());
        if float.is_finite() {
            let error = if found.is_finite() {
                float - found
            } else {
                float
            };
            signal += float * float;
            noise += error * error;
        }
    }
    let ratio = noise / signal;
    (signal > 0.0 && ratio.is_finite()).then_some(ratio)
}
