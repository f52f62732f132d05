//! Live ranges of places.
//!
//! A place is live from its first to its last access, in the order of the points. A place that is accessed before a loop
//! and in it is live until the end of the loop, because the loop may run again. A place whose first access is in the
//! loop is live within an iteration, because it is written there before it is read. Only one side of a branch runs, so
//! places of the two sides may share memory.

use super::{PlaceId, Sequence};
use std::ops::Range;

/// A live range. Time 0 is before the points, point `i` is at `i + 1`, and the end follows the last point. `None` for a
/// place without accesses.
pub(super) type Life = Option<Range<usize>>;

/// The time of a point.
pub(super) fn time_of(point: usize) -> usize {
    point + 1
}

/// The points of a life. One that begins before the first point begins there, and one that ends behind the last ends there.
pub(super) fn points_of(life: &Range<usize>, sequence: &Sequence) -> Range<usize> {
    let end = (life.end - 1).min(sequence.points.len());
    life.start.saturating_sub(1).min(end)..end
}

pub(super) fn live_ranges(sequence: &Sequence) -> Vec<Life> {
    let end = time_of(sequence.points.len());
    let mut lives: Vec<Life> = vec![None; sequence.places.len()];
    let mut touch = |PlaceId(place): PlaceId, time: usize| {
        let life = lives[place].get_or_insert(time..time + 1);
        *life = life.start.min(time)..life.end.max(time + 1);
    };
    for (number, point) in sequence.points.iter().enumerate() {
        for area in point.reads.iter().chain(&point.writes) {
            touch(area.place, time_of(number));
        }
    }
    for (id, place) in sequence.places.iter().enumerate() {
        if place.from_start || place.keeps {
            touch(PlaceId(id), 0);
        }
        if place.to_end || place.keeps {
            touch(PlaceId(id), end);
        }
    }
    let loops = sequence.loops();
    for life in lives.iter_mut().flatten() {
        extend_over_loops(life, &loops);
    }
    lives
}

/// Repeats until nothing changes, because an extension may end within another loop.
fn extend_over_loops(life: &mut Range<usize>, loops: &[Range<usize>]) {
    loop {
        let before = life.end;
        for body in loops {
            let (first, last) = (time_of(body.start), time_of(body.end));
            if life.start < first && life.end > first && life.end < last {
                life.end = last;
            }
        }
        if life.end == before {
            return;
        }
    }
}
