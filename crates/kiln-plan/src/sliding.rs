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

mod placing;

pub use placing::Placing;
use smallvec::SmallVec;
use std::ops::Range;

/// Memory that is placed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its size in bytes.
    pub size: u64,
    /// Its offset must be a multiple of this.
    pub alignment: u64,
}

/// The bytes that a block holds over time: runs of instants with the same bytes, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holds(Vec<Run>);

/// Instants at which a block holds the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    instants: Range<usize>,
    bytes: Range<u64>,
}

impl Holds {
    /// Nothing, with room for so many runs of instants.
    pub fn with_capacity(runs: usize) -> Holds {
        Holds(Vec::with_capacity(runs))
    }

    /// Records that the block holds `bytes` during these instants. Instants are given in ascending order. Empty ranges are ignored.
    ///
    /// # Panics
    /// If an instant is not later than those that were recorded.
    pub fn add(&mut self, instants: Range<usize>, bytes: Range<u64>) {
        if bytes.is_empty() || instants.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.instants.end == instants.start && last.bytes == bytes => {
                last.instants.end = instants.end;
            }
            last => {
                let end = last.map_or(0, |last| last.instants.end);
                assert!(end <= instants.start, "instants are in order");
                self.0.push(Run { instants, bytes });
            }
        }
    }

    /// The same, by so many instants later.
    pub fn later(&self, by: usize) -> Holds {
        let later = |run: &Run| Run {
            instants: run.instants.start + by..run.instants.end + by,
            bytes: run.bytes.clone(),
        };
        Holds(self.0.iter().map(later).collect())
    }

    /// The instants from the first to the last at which something is held.
    pub fn life(&self) -> Range<usize> {
        match (self.0.first(), self.0.last()) {
            (Some(first), Some(last)) => first.instants.start..last.instants.end,
            _ => 0..0,
        }
    }

    /// The runs of instants at which the same bytes are held, in order.
    pub fn runs(&self) -> impl Iterator<Item = (Range<usize>, Range<u64>)> + '_ {
        let runs = self.0.iter();
        runs.map(|run| (run.instants.clone(), run.bytes.clone()))
    }

    /// Adds the distances of another block from this one at which both hold the same byte at the same instant, without the instants
    /// that are excepted.
    pub fn forbid(&self, other: &Holds, except: impl Fn(usize) -> bool, into: &mut Distances) {
        let behind = |start: usize| move |run: &Run| run.instants.end <= start;
        let first = self.0.partition_point(behind(other.life().start));
        let second = other.0.partition_point(behind(self.life().start));
        let (mut runs, mut others) = (&self.0[first..], &other.0[second..]);
        while let ([run, more_runs @ ..], [met, more_others @ ..]) = (runs, others) {
            let start = run.instants.start.max(met.instants.start);
            let mut both = start..run.instants.end.min(met.instants.end);
            if !both.all(&except) {
                into.forbid(&run.bytes, &met.bytes);
            }
            // The run that ends first meets no more.
            match run.instants.end <= met.instants.end {
                true => runs = more_runs,
                false => others = more_others,
            }
        }
    }
}

/// Distances that are forbidden: ranges that do not touch, in order. Most pairs of blocks forbid one range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distances(SmallVec<[Range<i64>; 1]>);

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
        let is_within = |known: &Range<i64>| known.start <= new.start && new.end <= known.end;
        // Blocks mostly slide in one direction: what is new is beside what came last, or within.
        if new.is_empty() || self.0.last().is_some_and(is_within) {
            return;
        }
        let from = self.0.partition_point(|r| r.end < new.start);
        let to = self.0.partition_point(|r| r.start <= new.end);
        let met = &mut self.0[from..to];
        let end = met.last().map_or(new.end, |r| r.end.max(new.end));
        match met.first_mut() {
            None => self.0.insert(from, new),
            Some(first) => {
                *first = first.start.min(new.start)..end;
                self.0.drain(from + 1..to);
            }
        }
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

/// Two blocks, and the forbidden distances of the second from the first.
pub type Between<'d> = (usize, usize, &'d Distances);

impl Pair {
    /// The same without a copy of the distances.
    pub fn between(&self) -> Between<'_> {
        (self.first, self.second, &self.distances)
    }
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
    let mut placing = Placing::new(blocks, pairs.iter().map(Pair::between));
    placing.improve(enough, rounds);
    placing.into_found()
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
            let now = instant as usize..instant as usize + 1;
            holds[0].add(now.clone(), instant * 10..100);
            holds[1].add(now, 0..(instant + 1) * 10);
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
        assert_eq!(distances.0.as_slice(), [-7..0, 1..8]);
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
