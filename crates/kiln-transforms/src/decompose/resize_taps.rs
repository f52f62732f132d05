//! Determines which elements a resize along one axis reads, and with which weights.
//!
//! The op is evaluated on unit vectors, and on rows with one NaN or one infinity. An element that is read with weight 0
//! counts, since `0 * inf` is NaN. So does an element that is read twice with opposite signs.
//!
//! # Invariants
//! - The weighted sum of the taps is NaN, infinite or finite exactly where the op's result is.
//! - Positions ascend from tap to tap, so that the tables of regular resizes are regular.

use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::Builder;
use kiln_ir::ValueId;
use kiln_ir::ops::Index;
use kiln_ir::tensor::TensorData;

guards! {
    /// The places of a run have one distance.
    STEADY;
}

/// One neighbour for each result.
pub struct Tap {
    /// The index of the element that each result reads.
    pub places: Vec<i64>,
    /// The weight of that element for each result.
    pub weights: Vec<f64>,
}

/// The taps of a resize of `from` elements to `to`. `respond` evaluates the resize on rows of `from` elements.
///
/// # Errors
/// The errors of `respond`.
pub fn taps(
    from: usize,
    to: usize,
    respond: impl Fn(Vec<f64>) -> Result<Vec<f64>, Reason>,
) -> Result<Vec<Tap>, Reason> {
    let one_of = |value: f64| {
        let at = |i: usize| if i / from == i % from { value } else { 0.0 };
        respond((0..from * from).map(at).collect())
    };
    let (weights, nans, infinities) = (one_of(1.0)?, one_of(f64::NAN)?, one_of(f64::INFINITY)?);
    let read_by = |result: usize| {
        let mut read: Vec<(usize, f64)> = Vec::new();
        for place in 0..from {
            let at = place * to + result;
            if !nans[at].is_nan() {
                continue;
            }
            read.push((place, weights[at]));
            if infinities[at].is_nan() && weights[at] != 0.0 {
                read.push((place, 0.0));
            }
        }
        read
    };
    let mut read: Vec<Vec<(usize, f64)>> = (0..to).map(read_by).collect();
    let most = read.iter().map(Vec::len).max().unwrap_or(0);
    read.iter_mut().for_each(|list| fill(list, most));
    let tap = |n: usize| Tap {
        places: read.iter().map(|list| list[n].0 as i64).collect(),
        weights: read.iter().map(|list| list[n].1).collect(),
    };
    Ok((0..most).map(tap).collect())
}

/// Splits taps into halves until there are `most`. Two halves add up exactly, also for infinities.
fn fill(read: &mut Vec<(usize, f64)>, most: usize) {
    if read.is_empty() {
        read.push((0, 0.0));
    }
    while read.len() < most {
        let last = read.len() - 1;
        // Splits the outermost tap, as if a neighbour beyond the end were the end itself.
        let split = if read[0].0 == 0 { 0 } else { last };
        read[split].1 /= 2.0;
        read.insert(split, read[split]);
    }
}

/// The elements at these positions along an axis: by slices and repetitions if the positions are regular, otherwise by
/// a look-up.
///
/// # Errors
/// If the operand does not fit.
pub fn picked(emitter: &mut Emitter<'_, '_>, x: ValueId, axis: usize, places: &[i64]) -> Emitted {
    let Some(runs) = regular(places) else {
        let table = emitter.constant("", TensorData::from_i64(vec![places.len()], places));
        return emitter.value(Index::new(axis), &[x, table]);
    };
    let parts: Result<Vec<ValueId>, Reason> = runs
        .iter()
        .map(|run| run.picked(emitter, x, axis))
        .collect();
    match parts?[..] {
        [one] => Ok(one),
        ref parts => emitter.concat(parts, axis),
    }
}

/// Elements at equal distances, each repeated equally often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    start: i64,
    step: i64,
    count: i64,
    times: i64,
}

impl Run {
    fn picked(&self, emitter: &mut Emitter<'_, '_>, x: ValueId, axis: usize) -> Emitted {
        let part = emitter.slice(x, axis, self.start, self.count, self.step)?;
        if self.times == 1 {
            return Ok(part);
        }
        let mut merged = emitter.shape(part);
        merged[axis] = (self.count * self.times).into();
        let apart = emitter.unsqueeze(part, &[axis + 1])?;
        let mut repeated = emitter.shape(apart);
        repeated[axis + 1] = self.times.into();
        let repeated = emitter.broadcast(apart, repeated)?;
        emitter.reshape(repeated, merged)
    }
}

/// The positions as at most three runs: the first element, the last one, and those in between.
fn regular(places: &[i64]) -> Option<Vec<Run>> {
    let mut elements: Vec<(i64, i64)> = Vec::new();
    for &place in places {
        match elements.last_mut() {
            Some((known, times)) if *known == place => *times += 1,
            _ => elements.push((place, 1)),
        }
    }
    let mut runs: Vec<Run> = Vec::new();
    for (start, times) in elements {
        let run = Run {
            start,
            step: 1,
            count: 1,
            times,
        };
        match runs.last_mut() {
            Some(last) if last.times == times && last.takes(start) => {
                last.step = if last.count == 1 {
                    start - last.start
                } else {
                    last.step
                };
                last.count += 1;
            }
            _ => runs.push(run),
        }
    }
    (runs.len() <= 3).then_some(runs)
}

impl Run {
    fn takes(&self, place: i64) -> bool {
        let next = self.start + self.count * self.step;
        place > self.start && (self.count == 1 || STEADY.holds(place == next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubled_rows_are_three_runs() {
        let runs = regular(&[0, 0, 0, 1, 1, 2, 2, 3]).unwrap();
        let starts: Vec<(i64, i64, i64)> =
            runs.iter().map(|r| (r.start, r.count, r.times)).collect();
        assert_eq!(starts, [(0, 1, 3), (1, 2, 2), (3, 1, 1)]);
    }

    #[test]
    fn every_other_is_one_run() {
        let runs = regular(&[1, 3, 5]).unwrap();
        assert_eq!((runs.len(), runs[0].step, runs[0].count), (1, 2, 3));
    }

    #[test]
    fn irregular_places_are_no_runs() {
        assert_eq!(regular(&[0, 0, 1, 2, 2, 3, 4, 4]), None);
    }

    #[test]
    fn what_is_read_with_weight_nought_is_a_tap() {
        // The means of neighbours, and the last element with weight 0.
        let respond = |rows: Vec<f64>| {
            let row = |r: &[f64]| [0.5 * r[0] + 0.5 * r[1], r[1] + 0.0 * r[1]];
            Ok(rows.chunks(2).flat_map(row).collect())
        };
        let taps = taps(2, 2, respond).unwrap();
        let shown: Vec<_> = taps
            .iter()
            .map(|t| (&t.places[..], &t.weights[..]))
            .collect();
        assert_eq!(
            shown,
            [
                (&[0, 1][..], &[0.5, 1.0][..]),
                (&[1, 1][..], &[0.5, 0.0][..])
            ]
        );
    }
}
