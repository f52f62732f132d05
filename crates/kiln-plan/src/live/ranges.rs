//! When places hold something.
//!
//! A place is live from its first to its last access in the order of the steps. One that is accessed before a loop and in
//! it is live to the loop's end, because the loop may come round again; one whose first access is inside is live within an
//! iteration, because there it is written before it is read. Of a branch only one side runs, so places of the two sides
//! may share memory.

use super::{PlaceId, Sequence};
use std::ops::Range;

/// Time runs from 0 (before the steps) over step `i` at `i + 1` to the end; none for a place that nothing accesses.
pub(super) type Life = Option<Range<usize>>;

/// The time of a step.
pub(super) fn time_of(step: usize) -> usize {
    step + 1
}

pub(super) fn live_ranges(sequence: &Sequence) -> Vec<Life> {
    let end = time_of(sequence.steps.len());
    let mut lives: Vec<Life> = vec![None; sequence.places.len()];
    let mut touch = |PlaceId(place): PlaceId, time: usize| {
        let life = lives[place].get_or_insert(time..time + 1);
        *life = life.start.min(time)..life.end.max(time + 1);
    };
    for (number, step) in sequence.steps.iter().enumerate() {
        for area in step.reads.iter().chain(&step.writes) {
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

/// Until nothing changes, because an extension may end inside of another loop.
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
