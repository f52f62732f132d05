//! Merges places where a point may overwrite what it reads.

use super::ranges::{Life, time_of};
use super::{Overwrite, PlaceId, Sequence};

/// For each place, the place into which it is merged, or itself. The live range of the latter then covers both, and the
/// former has none.
pub(super) fn merge(sequence: &Sequence, lives: &mut [Life]) -> Vec<PlaceId> {
    let mut merged: Vec<usize> = (0..lives.len()).collect();
    for (number, point) in sequence.points.iter().enumerate() {
        for candidate in &point.overwrites {
            let (out, into) = (candidate.out.0, root(&merged, candidate.operand.0));
            let is_free = merged[out] == out && out != into;
            if !is_free || !may_merge(sequence, lives, number, candidate, into) {
                continue;
            }
            let Some(taken) = lives[out].take() else {
                continue;
            };
            merged[out] = into;
            if let Some(life) = &mut lives[into] {
                life.end = life.end.max(taken.end);
            }
        }
    }
    (0..merged.len())
        .map(|place| PlaceId(root(&merged, place)))
        .collect()
}

fn root(merged: &[usize], mut place: usize) -> usize {
    while merged[place] != place {
        place = merged[place];
    }
    place
}

/// True if `out` becomes live where `into` dies, and neither has to keep its memory.
fn may_merge(
    sequence: &Sequence,
    lives: &[Life],
    point: usize,
    candidate: &Overwrite,
    into: usize,
) -> bool {
    let time = time_of(point);
    let (out, over) = (sequence.places[candidate.out.0], sequence.places[into]);
    let starts = lives[candidate.out.0]
        .as_ref()
        .is_some_and(|l| l.start == time);
    let ends = lives[into].as_ref().is_some_and(|l| l.end == time + 1);
    let is_bound = out.keeps || out.from_start || out.pin.is_some() || over.keeps;
    !is_bound && out.size == over.size && out.alignment <= over.alignment && starts && ends
}
