//! Greedy plans: place the items one after another, each in the first or the tightest hole. Many orders are tried and
//! the best plan is kept, because no order is always best.
//!
//! The sweeps cost `O(n log n)`, whatever overlaps. The orders cost as much as there are overlapping pairs, so they are
//! skipped if there are too many. Pinned items come before all others.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::bound::section_loads;
use crate::instance::{Instance, Item};
use crate::overlap::Overlaps;

/// The offsets of an instance's items, and their peak.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub offsets: Vec<u64>,
    pub peak: u64,
}

impl Plan {
    pub fn new(instance: &Instance, offsets: Vec<u64>) -> Self {
        let peak = instance
            .items
            .iter()
            .zip(&offsets)
            .map(|(item, at)| at + item.size)
            .max();
        Plan {
            offsets,
            peak: peak.unwrap_or(0),
        }
    }
}

/// The most overlapping pairs for which orders are tried.
const MAX_PAIRS: usize = 3_000_000;

/// The best greedy plan. Stops at the first one whose peak is at most `enough`.
pub(crate) fn plan(instance: &Instance, enough: u64) -> Plan {
    let mut best = sweep(instance, Direction::Forward);
    let keep = |best: &mut Plan, next: Plan| {
        if next.peak < best.peak {
            *best = next;
        }
        best.peak <= enough
    };
    if best.peak <= enough || keep(&mut best, sweep(instance, Direction::Backward)) {
        return best;
    }
    if let Some(overlaps) = Overlaps::new(instance, MAX_PAIRS) {
        for ordering in Ordering::ALL {
            let order = ordering.of(instance);
            if keep(&mut best, in_order(instance, &overlaps, &order)) {
                break;
            }
        }
    }
    best
}

/// An order of items: by the first quality, largest first, then by the second and the third.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ordering([Quality; 3]);

/// A quality of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quality {
    Size,
    /// The length of the live range, in steps.
    Length,
    /// The number of sections in the live range.
    Sections,
    /// The size times the length of the live range.
    Area,
    /// The load of its fullest section.
    Load,
    /// How early its live range starts.
    Earliness,
}

impl Ordering {
    /// The orders of the greedy plans.
    pub const ALL: [Ordering; 6] = {
        use Quality::{Area, Earliness, Length, Load, Size};
        [
            Ordering([Size, Length, Load]),
            Ordering([Area, Size, Load]),
            Ordering([Load, Size, Length]),
            Ordering([Load, Length, Area]),
            Ordering([Length, Area, Load]),
            Ordering([Earliness, Size, Length]),
        ]
    };

    /// The orders that are good starts of a search.
    pub const SEARCHED: [Ordering; 3] = {
        use Quality::{Area, Length, Load, Sections};
        [
            Ordering([Load, Sections, Area]),
            Ordering([Load, Length, Area]),
            Ordering([Load, Area, Length]),
        ]
    };

    /// All items of `instance` in this order. Equal items keep their order.
    pub fn of(self, instance: &Instance) -> Vec<usize> {
        let loads = section_loads(instance);
        let mut order: Vec<usize> = (0..instance.items.len()).collect();
        order.sort_by_cached_key(|&i| {
            Reverse(self.0.map(|quality| quality.of(&instance.items[i], &loads)))
        });
        order
    }
}

impl Quality {
    fn of(self, item: &Item, loads: &[u64]) -> u128 {
        let (size, length) = (u128::from(item.size), u128::from(item.length));
        match self {
            Quality::Size => size,
            Quality::Length => length,
            Quality::Sections => u128::from(item.end - item.first),
            Quality::Area => size * length,
            Quality::Load => u128::from(fullest(item, loads)),
            Quality::Earliness => u128::from(u32::MAX - item.first),
        }
    }
}

fn fullest(item: &Item, loads: &[u64]) -> u64 {
    loads[item.sections()].iter().copied().max().unwrap_or(0)
}

/// First fit in the given order.
pub(crate) fn in_order(instance: &Instance, overlaps: &Overlaps, order: &[usize]) -> Plan {
    let items = &instance.items;
    let mut at: Vec<Option<u64>> = items.iter().map(|item| item.pin).collect();
    let mut busy = Vec::new();
    for &i in order {
        if at[i].is_some() {
            continue;
        }
        busy.clear();
        busy.extend(overlaps.of(i).iter().filter_map(|&j| {
            let from = at[j as usize]?;
            Some((from, from + items[j as usize].size))
        }));
        busy.sort_unstable();
        at[i] = Some(first_hole(&items[i], &busy));
    }
    let offsets = at
        .into_iter()
        .map(|at| at.expect("the order names every item"))
        .collect();
    Plan::new(instance, offsets)
}

/// The lowest offset for `item` between `busy` ranges, which are sorted by start.
fn first_hole(item: &Item, busy: &[(u64, u64)]) -> u64 {
    let mut offset = 0;
    for &(from, to) in busy {
        if offset + item.size <= from {
            break;
        }
        offset = offset.max(item.raise(to));
    }
    offset
}

/// The direction of a sweep through time.
#[derive(Clone, Copy)]
enum Direction {
    Forward,
    Backward,
}

/// Best fit in order of time, with a list of holes. All free items lie above the pinned ones.
fn sweep(instance: &Instance, direction: Direction) -> Plan {
    let items = &instance.items;
    let floor = items
        .iter()
        .filter_map(|item| item.pin.map(|pin| pin + item.size))
        .max()
        .unwrap_or(0);
    let mut events: Vec<(u32, bool, Reverse<u64>, usize)> = Vec::with_capacity(2 * items.len());
    for (i, item) in items
        .iter()
        .enumerate()
        .filter(|(_, item)| item.pin.is_none())
    {
        let (start, stop) = match direction {
            Direction::Forward => (item.first, item.end),
            Direction::Backward => (u32::MAX - item.end, u32::MAX - item.first),
        };
        events.push((start, true, Reverse(item.size), i));
        events.push((stop, false, Reverse(0), i));
    }
    events.sort_unstable();
    let mut offsets: Vec<u64> = items.iter().map(|item| item.pin.unwrap_or(0)).collect();
    let mut holes = Holes::above(floor);
    for (_, starts, _, i) in events {
        if starts {
            offsets[i] = holes.take(&items[i]);
        } else {
            holes.give(offsets[i], offsets[i] + items[i].size);
        }
    }
    Plan::new(instance, offsets)
}

/// The free ranges of memory at one time. Invariant: no two ranges touch, and the last one ends at `u64::MAX`.
struct Holes {
    by_start: BTreeMap<u64, u64>,
    by_length: BTreeSet<(u64, u64)>,
}

impl Holes {
    fn above(floor: u64) -> Self {
        let mut holes = Holes {
            by_start: BTreeMap::new(),
            by_length: BTreeSet::new(),
        };
        holes.insert(floor, u64::MAX);
        holes
    }

    fn insert(&mut self, from: u64, to: u64) {
        if from < to {
            self.by_start.insert(from, to);
            self.by_length.insert((to - from, from));
        }
    }

    fn remove(&mut self, from: u64, to: u64) {
        self.by_start.remove(&from);
        self.by_length.remove(&(to - from, from));
    }

    /// The offset of the tightest hole for `item`. The item then fills it.
    fn take(&mut self, item: &Item) -> u64 {
        let fits = |&(length, from): &(u64, u64)| item.raise(from) - from + item.size <= length;
        // A hole may be too small only because of the alignment. A hole that is longer by the alignment is not.
        let (length, from) = self
            .by_length
            .range((item.size, 0)..)
            .take(8)
            .copied()
            .find(|hole| fits(hole))
            .or_else(|| {
                self.by_length
                    .range((item.size + item.alignment, 0)..)
                    .next()
                    .copied()
            })
            .expect("the last hole is longer than all sizes and alignments together");
        let (offset, to) = (item.raise(from), from + length);
        self.remove(from, to);
        self.insert(from, offset);
        self.insert(offset + item.size, to);
        offset
    }

    /// Frees a range, and merges it with holes that it touches.
    fn give(&mut self, mut from: u64, mut to: u64) {
        let below = self
            .by_start
            .range(..from)
            .next_back()
            .map(|(&a, &b)| (a, b));
        if let Some((a, b)) = below.filter(|&(_, b)| b == from) {
            self.remove(a, b);
            from = a;
        }
        if let Some(b) = self.by_start.get(&to).copied() {
            self.remove(to, b);
            to = b;
        }
        self.insert(from, to);
    }
}
