//! Blocks that are dead in part while they are live: places whose live bytes move over time.
//!
//! A tensor that is read and written by rows holds few bytes at first, or at last. Two such blocks may share memory while both are live, if
//! one follows the other closely enough. So what two blocks forbid each other is a set of distances: those at which some instant
//! finds a byte that both hold. [`Holds`] makes these [`Distances`] from what each block holds at each instant, [`place`] gives each block
//! its offset, and [`check`] tells whether offsets keep all distances.
//!
//! # Invariants
//! - A placement that [`place`] returns passes [`check`].
//! - The same blocks and limits give the same placement on every machine.

use crate::random::SplitMix;
use std::ops::Range;

/// Memory that is placed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its size in bytes.
    pub size: u64,
    /// Its offset must be a multiple of this.
    pub alignment: u64,
}

/// The bytes that a block holds, from an instant on: one range for each of the instants that follow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holds {
    first: usize,
    ranges: Vec<Range<u64>>,
}

impl Holds {
    /// Notes that the block holds these bytes at an instant, and whatever lies between them and those noted before.
    pub fn add(&mut self, instant: usize, bytes: Range<u64>) {
        if bytes.is_empty() {
            return;
        }
        if self.ranges.is_empty() {
            self.first = instant;
        }
        while instant < self.first {
            self.ranges.insert(0, 0..0);
            self.first -= 1;
        }
        let place = instant - self.first;
        if place >= self.ranges.len() {
            self.ranges.resize(place + 1, 0..0);
        }
        let held = &mut self.ranges[place];
        *held = match held.is_empty() {
            true => bytes,
            false => held.start.min(bytes.start)..held.end.max(bytes.end),
        };
    }

    /// What is held at an instant; an empty range for nothing.
    pub fn at(&self, instant: usize) -> Range<u64> {
        let place = instant.checked_sub(self.first);
        place
            .and_then(|place| self.ranges.get(place).cloned())
            .unwrap_or(0..0)
    }

    /// The instants from the first to the last at which something is held.
    pub fn life(&self) -> Range<usize> {
        self.first..self.first + self.ranges.len()
    }

    /// Adds the distances of another block from this one at which both hold the same byte at the same instant, without the instants
    /// that are excepted.
    pub fn forbid(&self, other: &Holds, except: impl Fn(usize) -> bool, into: &mut Distances) {
        let (a, b) = (self.life(), other.life());
        let mut last: Option<(&Range<u64>, &Range<u64>)> = None;
        for instant in a.start.max(b.start)..a.end.min(b.end) {
            let pair = (
                &self.ranges[instant - a.start],
                &other.ranges[instant - b.start],
            );
            if last != Some(pair) && !except(instant) {
                into.forbid(pair.0, pair.1);
                last = Some(pair);
            }
        }
    }
}

/// Distances that are forbidden: ranges that do not touch, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distances(Vec<Range<i64>>);

impl Distances {
    /// Forbids the distances from a first block to a second at which these bytes of both have one in common.
    pub fn forbid(&mut self, first: &Range<u64>, second: &Range<u64>) {
        if first.is_empty() || second.is_empty() {
            return;
        }
        let [a, b, c, d] = [first.start, first.end, second.start, second.end].map(|x| x as i64);
        self.add(a - d + 1..b - c);
    }

    /// As [`Distances::forbid`], but for the distance at which the two are the same bytes.
    pub fn forbid_but_same(&mut self, first: &Range<u64>, second: &Range<u64>) {
        let [a, b, c, d] = [first.start, first.end, second.start, second.end].map(|x| x as i64);
        if b - a != d - c {
            return self.forbid(first, second);
        }
        self.add(a - d + 1..a - c);
        self.add(a - c + 1..b - c);
    }

    fn add(&mut self, new: Range<i64>) {
        if new.is_empty() {
            return;
        }
        let from = self.0.partition_point(|r| r.end < new.start);
        let to = self.0.partition_point(|r| r.start <= new.end);
        let met = &self.0[from..to];
        let start = met.first().map_or(new.start, |r| r.start.min(new.start));
        let end = met.last().map_or(new.end, |r| r.end.max(new.end));
        self.0.splice(from..to, std::iter::once(start..end));
    }

    /// Whether nothing is forbidden.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn has(&self, distance: i64) -> bool {
        let after = self.0.partition_point(|r| r.end <= distance);
        self.0.get(after).is_some_and(|r| r.contains(&distance))
    }
}

/// Two blocks, and the distances of the second from the first that are forbidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// A block.
    pub first: usize,
    /// Another block.
    pub second: usize,
    /// Offsets of the second less offsets of the first.
    pub distances: Distances,
}

/// The offset of each block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// In the order of the blocks.
    pub offsets: Vec<u64>,
    /// The greatest end of a block.
    pub peak: u64,
}

/// Places blocks: first in some plain orders, then in changes of the best, until the peak is at most `enough` or `rounds` orders were
/// tried. Orders are those in which blocks take the lowest offset that those before them leave.
pub fn place(blocks: &[Block], pairs: &[Pair], enough: u64, rounds: usize) -> Placement {
    let neighbours = Neighbours::of(blocks.len(), pairs);
    let mut best: Option<(Placement, Vec<usize>)> = None;
    let consider = |order: Vec<usize>, best: &mut Option<(Placement, Vec<usize>)>| {
        let found = neighbours.place(blocks, pairs, &order);
        if best.as_ref().is_none_or(|(b, _)| found.peak <= b.peak) {
            *best = Some((found, order));
        }
    };
    let given: Vec<usize> = (0..blocks.len()).collect();
    let mut by_size = given.clone();
    by_size.sort_by_key(|&i| std::cmp::Reverse(blocks[i].size));
    let mut by_pairs = given.clone();
    by_pairs.sort_by_key(|&i| std::cmp::Reverse(blocks[i].size * neighbours.of[i].len() as u64));
    let reversed = given.iter().rev().copied().collect();
    for order in [by_size, by_pairs, reversed, given] {
        consider(order, &mut best);
    }
    let mut random = SplitMix::new();
    for _ in 0..rounds {
        let Some((found, order)) = best.as_ref().filter(|(found, _)| found.peak > enough) else {
            break;
        };
        let order = changed(blocks, found, order, &mut random);
        consider(order, &mut best);
    }
    best.map(|(found, _)| found).unwrap_or(Placement {
        offsets: Vec::new(),
        peak: 0,
    })
}

/// The order with a block that reaches the peak, or any other one, further in front.
fn changed(
    blocks: &[Block],
    found: &Placement,
    order: &[usize],
    random: &mut SplitMix,
) -> Vec<usize> {
    let ends = |&i: &usize| found.offsets[i] + blocks[i].size == found.peak;
    let highest: Vec<usize> = (0..order.len()).filter(|&at| ends(&order[at])).collect();
    let mut below = |end: usize| random.below(end as u64) as usize;
    let from = match below(3) {
        0 => below(order.len()),
        _ => highest[below(highest.len())],
    };
    let mut order = order.to_vec();
    let block = order.remove(from);
    let to = match below(3) {
        0 => below(order.len() + 1),
        _ => below(from + 1),
    };
    order.insert(to, block);
    order
}

/// For each block, the pairs that it is in.
struct Neighbours {
    of: Vec<Vec<(usize, usize, bool)>>,
}

impl Neighbours {
    fn of(blocks: usize, pairs: &[Pair]) -> Neighbours {
        let mut of = vec![Vec::new(); blocks];
        for (at, pair) in pairs
            .iter()
            .enumerate()
            .filter(|(_, p)| !p.distances.is_empty())
        {
            of[pair.first].push((at, pair.second, false));
            of[pair.second].push((at, pair.first, true));
        }
        Neighbours { of }
    }

    fn place(&self, blocks: &[Block], pairs: &[Pair], order: &[usize]) -> Placement {
        let mut offsets: Vec<Option<u64>> = vec![None; blocks.len()];
        let mut peak = 0;
        let mut taken: Vec<Range<i64>> = Vec::new();
        for &block in order {
            taken.clear();
            for &(pair, other, is_second) in &self.of[block] {
                let Some(at) = offsets[other] else { continue };
                let ranges = pairs[pair].distances.0.iter();
                taken.extend(ranges.map(|r| match is_second {
                    true => at as i64 + r.start..at as i64 + r.end,
                    // The distance is that of the other from this block.
                    false => at as i64 - r.end + 1..at as i64 - r.start + 1,
                }));
            }
            taken.sort_unstable_by_key(|r| (r.start, r.end));
            let mut at = 0i64;
            for range in &taken {
                if range.start <= at && at < range.end {
                    let end = range.end as u64;
                    at = end.next_multiple_of(blocks[block].alignment) as i64;
                }
            }
            offsets[block] = Some(at as u64);
            peak = peak.max(at as u64 + blocks[block].size);
        }
        let offsets = offsets.into_iter().map(|at| at.unwrap_or(0)).collect();
        Placement { offsets, peak }
    }
}

/// The first pair whose distance is forbidden, or block whose offset is no multiple of its alignment (paired with itself).
pub fn check(blocks: &[Block], pairs: &[Pair], offsets: &[u64]) -> Option<(usize, usize)> {
    let crooked = |(block, at): (&Block, &u64)| at % block.alignment != 0;
    if let Some(at) = blocks.iter().zip(offsets).position(crooked) {
        return Some((at, at));
    }
    let distance = |pair: &Pair| offsets[pair.second] as i64 - offsets[pair.first] as i64;
    let broken = pairs.iter().find(|pair| pair.distances.has(distance(pair)));
    broken.map(|pair| (pair.first, pair.second))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block that fills from its start while another empties from its start may follow it at once, below, and not above.
    #[test]
    fn a_block_slides_into_another() {
        let mut holds = [Holds::default(), Holds::default()];
        for instant in 0..10u64 {
            holds[0].add(instant as usize, instant * 10..100);
            holds[1].add(instant as usize, 0..(instant + 1) * 10);
        }
        let mut distances = Distances::default();
        holds[0].forbid(&holds[1], |_| false, &mut distances);
        let pairs = [Pair {
            first: 0,
            second: 1,
            distances,
        }];
        let blocks = [Block {
            size: 100,
            alignment: 1,
        }; 2];
        let found = place(&blocks, &pairs, 110, 10);
        assert_eq!(
            (found.peak, found.offsets.as_slice()),
            (110, [10, 0].as_slice())
        );
        assert_eq!(check(&blocks, &pairs, &found.offsets), None);
        assert_eq!(check(&blocks, &pairs, &[9, 0]), Some((0, 1)));
    }

    /// Bytes may be replaced in place, and not with a shift.
    #[test]
    fn a_block_takes_the_place_of_another() {
        let mut distances = Distances::default();
        distances.forbid_but_same(&(0..8), &(0..8));
        assert_eq!(distances, Distances(vec![-7..0, 1..8]));
        let pairs = [Pair {
            first: 0,
            second: 1,
            distances,
        }];
        let blocks = [Block {
            size: 8,
            alignment: 4,
        }; 2];
        assert_eq!(place(&blocks, &pairs, 8, 0).peak, 8);
        assert_eq!(check(&blocks, &pairs, &[0, 4]), Some((0, 1)));
        assert_eq!(check(&blocks, &pairs, &[0, 8]), None);
    }

    #[test]
    fn ranges_are_joined() {
        let mut distances = Distances::default();
        for range in [0..2, 6..8, 2..3, 4..5, 3..6] {
            distances.add(range);
        }
        assert_eq!(distances.0.iter().collect::<Vec<_>>(), [&(0..8)]);
    }
}
