//! The checker of arrangements. It shares no code with `arrange`: it computes the liveness of bytes
//! backwards from the reads over the control flow, without intervals.

use super::{Area, Arrangement, Next, PlaceId, Sequence};
use std::collections::BTreeSet;
use std::ops::Range;
use thiserror::Error;

/// A fault of an arrangement.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The number of offsets does not match the places, or the scratch buffers of a point.
    #[error("the number of offsets does not match the places and scratch buffers")]
    Count,
    /// Memory lies outside of the arena.
    #[error("place {place} at {offset} ends beyond the arena")]
    Outside {
        /// The place, or the point that has the scratch buffer.
        place: usize,
        /// Its offset.
        offset: u64,
    },
    /// An offset is no multiple of the alignment, or differs from the pin.
    #[error("place {place} is misaligned or not at its pin: its offset is {offset}")]
    Misplaced {
        /// The place, or the point that has the scratch buffer.
        place: usize,
        /// Its offset.
        offset: u64,
    },
    /// A point overwrites bytes that are read later, or that it reads itself and must not overwrite.
    #[error("point {point} overwrites bytes of place {place} that are still needed")]
    Overwritten {
        /// The point. The number of points stands for what is written before the first point.
        point: usize,
        /// The place.
        place: usize,
    },
}

/// The faults of an arrangement; empty if it is sound.
pub fn check(sequence: &Sequence, arrangement: &Arrangement) -> Vec<Fault> {
    let counts = sequence.points.iter().map(|point| point.scratch.len());
    if arrangement.places.len() != sequence.places.len()
        || !counts.eq(arrangement.scratch.iter().map(Vec::len))
    {
        return vec![Fault::Count];
    }
    let mut faults = lying(sequence, arrangement);
    if !faults.is_empty() {
        return faults;
    }
    let segments = Segments::of(sequence);
    let wanted = segments.wanted(sequence);
    for (number, point) in sequence.points.iter().enumerate() {
        let after = successors(sequence, number).flat_map(|to| wanted[to].iter().copied());
        let after: BTreeSet<usize> = after.collect();
        let mut writes: Vec<(Range<u64>, BTreeSet<usize>)> = Vec::new();
        for area in &point.writes {
            let mut own: BTreeSet<usize> = segments.of_area(*area).collect();
            let over = point.overwrites.iter().filter(|o| o.out == area.place);
            let read_over = over.filter(|o| {
                arrangement.places[o.operand.0] == arrangement.places[area.place.0]
                    && sequence.places[o.operand.0].size == sequence.places[area.place.0].size
            });
            for operand in read_over {
                let all = segments.of_area(sequence.whole(operand.operand));
                own.extend(all.filter(|s| !after.contains(s)));
            }
            writes.push((bytes_of(arrangement, *area), own));
        }
        for (scratch, &offset) in point.scratch.iter().zip(&arrangement.scratch[number]) {
            writes.push((offset..offset + scratch.size, BTreeSet::new()));
        }
        let reads = point.reads.iter().flat_map(|&area| segments.of_area(area));
        let written = point.writes.iter().flat_map(|&area| segments.of_area(area));
        let held: BTreeSet<usize> = after.iter().copied().chain(reads).chain(written).collect();
        for (bytes, own) in &writes {
            let hit = held.iter().filter(|s| !own.contains(s));
            let hit = hit.filter(|&&s| meet(bytes, &bytes_of(arrangement, segments.all[s])));
            faults.extend(hit.map(|&s| Fault::Overwritten {
                point: number,
                place: segments.all[s].place.0,
            }));
        }
        faults.extend(scratches_meet(sequence, arrangement, number));
    }
    faults.extend(before_first(sequence, arrangement, &segments, &wanted[0]));
    faults.dedup();
    faults
}

/// Places outside of the arena, or with a wrong offset.
fn lying(sequence: &Sequence, arrangement: &Arrangement) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut one = |place: usize, offset: u64, size: u64, alignment: u64, pin: Option<u64>| {
        if offset
            .checked_add(size)
            .is_none_or(|end| end > arrangement.bytes)
        {
            faults.push(Fault::Outside { place, offset });
        }
        if !offset.is_multiple_of(alignment) || pin.is_some_and(|pin| pin != offset) {
            faults.push(Fault::Misplaced { place, offset });
        }
    };
    for (id, (place, &offset)) in sequence.places.iter().zip(&arrangement.places).enumerate() {
        one(id, offset, place.size, place.alignment, place.pin);
    }
    for (number, point) in sequence.points.iter().enumerate() {
        for (scratch, &offset) in point.scratch.iter().zip(&arrangement.scratch[number]) {
            one(number, offset, scratch.size, scratch.alignment, None);
        }
    }
    faults
}

/// Places that the caller writes before the first point and that overlap.
fn before_first(
    sequence: &Sequence,
    arrangement: &Arrangement,
    segments: &Segments,
    wanted: &BTreeSet<usize>,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (id, place) in sequence.places.iter().enumerate() {
        if !place.from_start && !place.keeps {
            continue;
        }
        let bytes = bytes_of(arrangement, sequence.whole(PlaceId(id)));
        let others = wanted.iter().map(|&s| segments.all[s]);
        let hit =
            others.filter(|area| area.place.0 != id && meet(&bytes, &bytes_of(arrangement, *area)));
        faults.extend(hit.map(|area| Fault::Overwritten {
            point: sequence.points.len(),
            place: area.place.0,
        }));
    }
    faults
}

/// Overlapping scratch buffers of one point.
fn scratches_meet(sequence: &Sequence, arrangement: &Arrangement, point: usize) -> Option<Fault> {
    let sizes = sequence.points[point].scratch.iter();
    let mut all: Vec<Range<u64>> = sizes
        .zip(&arrangement.scratch[point])
        .map(|(scratch, &offset)| offset..offset + scratch.size)
        .filter(|bytes| !bytes.is_empty())
        .collect();
    all.sort_unstable_by_key(|bytes| bytes.start);
    let shared = all.windows(2).any(|pair| meet(&pair[0], &pair[1]));
    shared.then_some(Fault::Overwritten {
        point,
        place: point,
    })
}

fn meet(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end && !a.is_empty() && !b.is_empty()
}

fn bytes_of(arrangement: &Arrangement, area: Area) -> Range<u64> {
    let start = arrangement.places[area.place.0] + area.offset;
    start..start + area.size
}

/// The successors of a point. The number of points stands for the end.
fn successors(sequence: &Sequence, point: usize) -> impl Iterator<Item = usize> {
    let other = match sequence.points[point].next {
        Next::Following => None,
        Next::Either(to) => Some(to.min(sequence.points.len())),
    };
    [Some(point + 1), other].into_iter().flatten()
}

/// Places cut into segments at the borders of areas, so that each area is a number of whole segments.
struct Segments {
    all: Vec<Area>,
    /// The index of the first segment of each place, and the number of all segments.
    first: Vec<usize>,
}

impl Segments {
    fn of(sequence: &Sequence) -> Segments {
        let mut cuts: Vec<BTreeSet<u64>> = sequence
            .places
            .iter()
            .map(|place| BTreeSet::from([0, place.size]))
            .collect();
        for point in &sequence.points {
            for area in point.reads.iter().chain(&point.writes) {
                cuts[area.place.0].extend([area.offset, area.offset + area.size]);
            }
        }
        let (mut all, mut first) = (Vec::new(), Vec::new());
        for (place, cuts) in cuts.iter().enumerate() {
            first.push(all.len());
            let ends = cuts.iter().zip(cuts.iter().skip(1));
            all.extend(ends.map(|(&from, &to)| Area {
                place: PlaceId(place),
                offset: from,
                size: to - from,
            }));
        }
        first.push(all.len());
        Segments { all, first }
    }

    fn of_area(&self, area: Area) -> impl Iterator<Item = usize> + '_ {
        let of_place = self.first[area.place.0]..self.first[area.place.0 + 1];
        let end = area.offset + area.size;
        of_place.filter(move |&s| {
            self.all[s].offset >= area.offset && self.all[s].offset + self.all[s].size <= end
        })
    }

    /// For each point and for the end, the segments that are live before it.
    fn wanted(&self, sequence: &Sequence) -> Vec<BTreeSet<usize>> {
        let count = sequence.points.len();
        let mut wanted = vec![BTreeSet::new(); count + 1];
        for (id, place) in sequence.places.iter().enumerate() {
            if place.to_end || place.keeps {
                wanted[count].extend(self.of_area(sequence.whole(PlaceId(id))));
            }
        }
        loop {
            let mut changed = false;
            for (number, point) in sequence.points.iter().enumerate().rev() {
                let mut now: BTreeSet<usize> = successors(sequence, number)
                    .flat_map(|to| wanted[to].iter().copied())
                    .collect();
                for area in &point.writes {
                    self.of_area(*area).for_each(|s| {
                        now.remove(&s);
                    });
                }
                for area in &point.reads {
                    now.extend(self.of_area(*area));
                }
                changed |= now != wanted[number];
                wanted[number] = now;
            }
            if !changed {
                return wanted;
            }
        }
    }
}
