//! Computes the offsets of a sequence's places.

use super::merge::merge;
use super::ranges::{live_ranges, points_of, time_of};
use super::{PlaceId, Sequence};
use crate::{Buffer, Limits, Problem, ProblemError, solve};
use std::ops::Range;

/// The offsets of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrangement {
    /// The offset of each place.
    pub places: Vec<u64>,
    /// The offsets of each point's scratch buffers.
    pub scratch: Vec<Vec<u64>>,
    /// For each place, the place into which it is merged, or itself.
    pub merged: Vec<PlaceId>,
    /// The points during which each place holds data. `None` for a place that nothing accesses.
    pub lives: Vec<Option<Range<usize>>>,
    /// The size of the arena in bytes.
    pub bytes: u64,
    /// The greatest sum of sizes that are live at one time. No arrangement with the same merges has a smaller arena.
    pub lower_bound: u64,
}

/// Merges places where possible, and plans the offsets.
///
/// # Errors
/// If a place's pin or alignment is invalid, or sums of sizes exceed 64 bits.
pub fn arrange(sequence: &Sequence, limits: &Limits) -> Result<Arrangement, ProblemError> {
    let mut lives = live_ranges(sequence);
    let own_lives = lives
        .iter()
        .map(|life| life.as_ref().map(|life| points_of(life, sequence)));
    let own_lives = own_lives.collect();
    let merged = merge(sequence, &mut lives);
    let own: Vec<usize> = (0..merged.len()).filter(|&p| merged[p].0 == p).collect();
    let mut buffers: Vec<Buffer> = own
        .iter()
        .map(|&p| {
            let place = sequence.places[p];
            // A place without accesses still needs an offset in the arena.
            let life = lives[p].clone().unwrap_or(0..0);
            let (lower, upper) = (life.start as u64, life.end as u64);
            Buffer {
                pin: place.pin,
                ..Buffer::new(format!("b{p}"), lower, upper, place.size).aligned(place.alignment)
            }
        })
        .collect();
    for (number, point) in sequence.points.iter().enumerate() {
        let time = time_of(number) as u64;
        buffers.extend(point.scratch.iter().map(|scratch| {
            Buffer::new(
                format!("scratch of point {number}"),
                time,
                time + 1,
                scratch.size,
            )
            .aligned(scratch.alignment)
        }));
    }
    let problem = Problem::new(buffers);
    let solution = solve(&problem, limits)?;
    let mut offsets = solution.offsets.iter().copied();
    let mut of_roots = vec![0u64; merged.len()];
    for (&place, offset) in own.iter().zip(offsets.by_ref()) {
        of_roots[place] = offset;
    }
    let scratch = sequence.points.iter();
    Ok(Arrangement {
        places: merged.iter().map(|root| of_roots[root.0]).collect(),
        scratch: scratch
            .map(|point| offsets.by_ref().take(point.scratch.len()).collect())
            .collect(),
        merged,
        lives: own_lives,
        bytes: solution.peak,
        lower_bound: live_load(&problem),
    })
}

/// The greatest sum of sizes of buffers that are live at one time.
fn live_load(problem: &Problem) -> u64 {
    let mut changes: Vec<(u64, i128)> = Vec::new();
    for buffer in problem.buffers.iter().filter(|b| b.occupies()) {
        changes.push((buffer.lower, i128::from(buffer.size)));
        changes.push((buffer.upper, -i128::from(buffer.size)));
    }
    // At the same time, ends come before starts.
    changes.sort_unstable();
    let mut load = 0;
    let peak = changes.iter().fold(0i128, |peak, (_, change)| {
        load += change;
        peak.max(load)
    });
    u64::try_from(peak).unwrap_or(u64::MAX)
}
