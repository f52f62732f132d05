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
use std::cmp::Reverse;
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

    /// Notes that the block holds these bytes at these instants, which are behind all that were noted before. Nothing is noted of no
    /// bytes.
    ///
    /// # Panics
    /// If an instant is not behind those that were noted.
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
        let life = other.life();
        let first = self.0.partition_point(|run| run.instants.end <= life.start);
        let mut others = other.0.iter().peekable();
        for run in &self.0[first..] {
            while others
                .next_if(|o| o.instants.end <= run.instants.start)
                .is_some()
            {}
            let meets = |o: &&Run| o.instants.start < run.instants.end;
            for met in others.clone().take_while(meets) {
                let mut both = run.instants.start.max(met.instants.start)
                    ..run.instants.end.min(met.instants.end);
                if !both.all(&except) {
                    into.forbid(&run.bytes, &met.bytes);
                }
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
    let mut placing = Placing::new(blocks, pairs);
    placing.improve(enough, rounds);
    placing.found
}

/// The block by which an order differs from another, and the places in the order from the one that it had to the one that it has.
struct Moved {
    block: usize,
    places: Range<usize>,
}

/// What an order gives.
enum Placed {
    /// A peak above the least so far.
    Above,
    /// The same offsets as the best.
    Same,
    /// Offsets with this peak.
    At(u64),
}

/// The offset of a block that has none yet.
const UNPLACED: i64 = i64::MIN;

/// A search for offsets, with the best that was found so far.
pub struct Placing<'b> {
    blocks: &'b [Block],
    neighbours: Neighbours,
    found: Placement,
    /// The order that gives it.
    order: Vec<usize>,
    /// For the order under trial.
    offsets: Vec<i64>,
    /// The blocks that may have another place in it than in the best.
    is_stale: Vec<bool>,
    taken: Vec<Range<i64>>,
}

impl<'b> Placing<'b> {
    /// Places blocks in some plain orders.
    pub fn new(blocks: &'b [Block], pairs: &[Pair]) -> Placing<'b> {
        let given: Vec<usize> = (0..blocks.len()).collect();
        let mut placing = Placing {
            blocks,
            neighbours: Neighbours::new(blocks.len(), pairs),
            found: Placement {
                offsets: vec![0; blocks.len()],
                peak: u64::MAX,
            },
            order: Vec::new(),
            offsets: vec![UNPLACED; blocks.len()],
            is_stale: vec![true; blocks.len()],
            taken: Vec::new(),
        };
        let mut by_size = given.clone();
        by_size.sort_by_key(|&i| Reverse(blocks[i].size));
        let mut by_pairs = given.clone();
        let count = |i: usize| placing.neighbours.of(i).len() as u64;
        by_pairs.sort_by_key(|&i| Reverse(blocks[i].size * count(i)));
        let reversed = given.iter().rev().copied().collect();
        for order in [by_size, by_pairs, reversed, given] {
            placing.consider(order, None);
        }
        placing
    }

    /// The best placement so far.
    pub fn found(&self) -> &Placement {
        &self.found
    }

    /// Tries changes of the best order, until the peak is at most `enough` or so many were tried.
    pub fn improve(&mut self, enough: u64, rounds: usize) {
        let mut random = SplitMix::new();
        for _ in 0..rounds {
            if self.found.peak <= enough {
                break;
            }
            let (order, moved) = self.changed(&mut random);
            self.consider(order, Some(moved));
        }
    }

    /// The best order with a block that reaches the peak, or any other one, further in front.
    fn changed(&self, random: &mut SplitMix) -> (Vec<usize>, Moved) {
        let ends = |&i: &usize| self.found.offsets[i] + self.blocks[i].size == self.found.peak;
        let highest = (0..self.order.len()).filter(|&at| ends(&self.order[at]));
        let highest: Vec<usize> = highest.collect();
        let mut below = |end: usize| random.below(end as u64) as usize;
        let from = match below(3) {
            0 => below(self.order.len()),
            _ => highest[below(highest.len())],
        };
        let mut order = self.order.clone();
        let block = order.remove(from);
        let to = match below(3) {
            0 => below(order.len() + 1),
            _ => below(from + 1),
        };
        order.insert(to, block);
        let places = from.min(to)..from.max(to) + 1;
        (order, Moved { block, places })
    }

    /// Takes an order that is no worse: any, or the best with a block moved.
    fn consider(&mut self, order: Vec<usize>, moved: Option<Moved>) {
        match self.place(&order, moved) {
            Placed::Above => return,
            Placed::Same => {}
            Placed::At(peak) => {
                let offsets = self.offsets.iter().map(|&at| at as u64);
                self.found.offsets.clear();
                self.found.offsets.extend(offsets);
                self.found.peak = peak;
            }
        }
        self.order = order;
    }

    /// What an order gives. A block keeps its place until one of its neighbours was moved or has another place.
    fn place(&mut self, order: &[usize], moved: Option<Moved>) -> Placed {
        self.is_stale.fill(moved.is_none());
        let mut changes = moved.is_none();
        if let Some(moved) = &moved {
            self.note_neighbours(moved.block);
            let passed = &order[moved.places.clone()];
            if !passed.iter().any(|&block| self.is_stale[block]) {
                return Placed::Same;
            }
            self.is_stale[moved.block] = true;
        }
        let places = moved.map_or(0..0, |moved| moved.places);
        self.offsets.fill(UNPLACED);
        let mut peak = 0;
        for (at, &block) in order.iter().enumerate() {
            if !changes && at >= places.end {
                return Placed::Same;
            }
            let known = self.found.offsets[block] as i64;
            let offset = match self.is_stale[block] && at >= places.start {
                true => self.first_free(block),
                false => known,
            };
            self.offsets[block] = offset;
            if offset != known {
                self.note_neighbours(block);
                changes = true;
            }
            peak = peak.max(offset as u64 + self.blocks[block].size);
            if peak > self.found.peak {
                return Placed::Above;
            }
        }
        Placed::At(peak)
    }

    fn note_neighbours(&mut self, block: usize) {
        for (other, _) in self.neighbours.of(block) {
            self.is_stale[*other] = true;
        }
    }

    /// The lowest offset of a block that those with offsets leave.
    fn first_free(&mut self, block: usize) -> i64 {
        let taken = &mut self.taken;
        taken.clear();
        for (other, distances) in self.neighbours.of(block) {
            let at = self.offsets[*other];
            if at == UNPLACED {
                continue;
            }
            let distances = &self.neighbours.distances[distances.clone()];
            taken.extend(distances.iter().map(|d| at + d.start..at + d.end));
        }
        taken.sort_unstable_by_key(|r| r.start);
        let alignment = self.blocks[block].alignment;
        let mut at = 0;
        for range in taken.iter() {
            if range.start <= at && at < range.end {
                at = (range.end as u64).next_multiple_of(alignment) as i64;
            }
        }
        at
    }
}

/// For each block, those that it is in a pair with, and its distances from them that are forbidden.
struct Neighbours {
    /// Where the list of each block begins.
    starts: Vec<usize>,
    others: Vec<(usize, Range<usize>)>,
    distances: Vec<Range<i64>>,
}

impl Neighbours {
    fn of_pairs(pairs: &[Pair]) -> impl Iterator<Item = &Pair> {
        pairs.iter().filter(|pair| !pair.distances.is_empty())
    }

    fn new(blocks: usize, pairs: &[Pair]) -> Neighbours {
        let mut starts = vec![0; blocks + 1];
        for pair in Neighbours::of_pairs(pairs) {
            starts[pair.first + 1] += 1;
            starts[pair.second + 1] += 1;
        }
        for block in 0..blocks {
            starts[block + 1] += starts[block];
        }
        let mut next = starts.clone();
        let mut others = vec![(0, 0..0); starts[blocks]];
        let mut distances: Vec<Range<i64>> = Vec::new();
        for pair in Neighbours::of_pairs(pairs) {
            let forbidden = &pair.distances.0;
            let mut note =
                |block: usize, other: usize, ranges: &mut dyn Iterator<Item = Range<i64>>| {
                    let first = distances.len();
                    distances.extend(ranges);
                    others[next[block]] = (other, first..distances.len());
                    next[block] += 1;
                };
            // The distance is that of the second from the first.
            let back = forbidden.iter().map(|d| 1 - d.end..1 - d.start);
            note(pair.first, pair.second, &mut back.into_iter());
            note(pair.second, pair.first, &mut forbidden.iter().cloned());
        }
        Neighbours {
            starts,
            others,
            distances,
        }
    }

    fn of(&self, block: usize) -> &[(usize, Range<usize>)] {
        &self.others[self.starts[block]..self.starts[block + 1]]
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

    /// What is placed of a changed order is what all of it gives from the start.
    #[test]
    fn a_changed_order_gives_what_it_gives_as_a_whole() {
        let (mut random, mut orders) = (SplitMix::new(), SplitMix::new());
        let mut below = |end: u64| random.below(end);
        let mut improved = 0;
        for _ in 0..200 {
            let count = 2 + below(12) as usize;
            let blocks = (0..count).map(|_| Block {
                size: below(60),
                alignment: [1, 4, 16][below(3) as usize],
            });
            let blocks: Vec<Block> = blocks.collect();
            let mut pairs = Vec::new();
            for second in 1..count {
                for first in (0..second).filter(|_| below(3) == 0).collect::<Vec<_>>() {
                    let mut distances = Distances::default();
                    let [a, b] = [below(30), below(30)];
                    distances.forbid(&(a..a + 1 + below(30)), &(b..b + 1 + below(30)));
                    pairs.push(Pair {
                        first,
                        second,
                        distances,
                    });
                }
            }
            let mut placing = Placing::new(&blocks, &pairs);
            let plain = placing.found.peak;
            for _ in 0..30 {
                let (order, moved) = placing.changed(&mut orders);
                placing.consider(order, Some(moved));
                let mut whole = Placing::new(&blocks, &pairs);
                whole.found.peak = u64::MAX;
                whole.consider(placing.order.clone(), None);
                assert_eq!(whole.found, placing.found);
            }
            improved += usize::from(placing.found.peak < plain);
        }
        assert!(improved > 20, "{improved}");
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
