//! The search for offsets: orders in which blocks take the lowest offset that those before them leave.

use super::{Between, Block, Distances, Placement};
use crate::random::SplitMix;
use std::cmp::Reverse;
use std::ops::Range;

/// An order of blocks. Those without bytes and neighbours lie anywhere, so only their places are known.
#[derive(Clone, Debug, Default)]
struct Order {
    /// All other blocks, in order.
    blocks: Vec<usize>,
    /// The place of each of them among all blocks.
    places: Vec<usize>,
}

impl Order {
    /// The order of all blocks without those that lie anywhere.
    fn of(all: impl Iterator<Item = usize>, lies_anywhere: impl Fn(usize) -> bool) -> Order {
        // Many orders are made: with room for all blocks, their lists do not grow.
        let (_, count) = all.size_hint();
        let [mut blocks, mut places] = [(); 2].map(|()| Vec::with_capacity(count.unwrap_or(0)));
        for (place, block) in all.enumerate() {
            if !lies_anywhere(block) {
                blocks.push(block);
                places.push(place);
            }
        }
        Order { blocks, places }
    }

    /// Which of the blocks moves, and where to, if what is at a place among all blocks moves to another. `None` if it lies anywhere.
    fn moved(&self, from: usize, to: usize) -> Option<(usize, usize)> {
        let at = self.places.binary_search(&from).ok()?;
        let before = match to <= from {
            true => self.places.partition_point(|&place| place < to),
            false => self.places.partition_point(|&place| place <= to) - 1,
        };
        Some((at, before))
    }

    /// Moves a block; those between give way by one.
    fn move_block(&mut self, from: usize, to: usize) {
        rotate(&mut self.blocks, from, to);
    }

    /// The places of blocks behind a move from a place among all blocks to another.
    fn move_places(&mut self, from: usize, to: usize, moved: Option<(usize, usize)>) {
        let first = self.places.partition_point(|&at| at < from.min(to));
        let end = self.places.partition_point(|&at| at <= from.max(to));
        for place in &mut self.places[first..end] {
            *place = match *place {
                at if at == from => to,
                at if (to..from).contains(&at) => at + 1,
                at if (from + 1..=to).contains(&at) => at - 1,
                at => at,
            };
        }
        if let Some((from, to)) = moved {
            rotate(&mut self.places, from, to);
        }
    }
}

/// Moves an element; those between give way by one.
fn rotate(all: &mut [usize], from: usize, to: usize) {
    match from <= to {
        true => all[from..=to].rotate_left(1),
        false => all[to..=from].rotate_right(1),
    }
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
    /// The order that gives it, or the one under trial.
    order: Order,
    /// For the order under trial.
    offsets: Vec<i64>,
    /// The blocks that may have another place in it than in the best.
    is_stale: Vec<bool>,
    taken: Vec<Range<i64>>,
    /// The places of blocks that reach the peak.
    highest: Vec<usize>,
}

impl<'b> Placing<'b> {
    /// Places blocks in some plain orders.
    pub fn new<'d>(
        blocks: &'b [Block],
        pairs: impl Iterator<Item = Between<'d>> + Clone,
    ) -> Placing<'b> {
        Placing::within(blocks, pairs, u64::MAX).expect("no peak is greater")
    }

    /// Places blocks in some plain orders. `None` if the peaks of all of them are greater than so many bytes, which takes less time to find
    /// than these peaks.
    pub fn within<'d>(
        blocks: &'b [Block],
        pairs: impl Iterator<Item = Between<'d>> + Clone,
        most: u64,
    ) -> Option<Placing<'b>> {
        let mut placing = Placing {
            blocks,
            neighbours: Neighbours::new(blocks.len(), pairs),
            found: Placement {
                offsets: vec![0; blocks.len()],
                peak: most,
            },
            order: Order::default(),
            offsets: vec![UNPLACED; blocks.len()],
            is_stale: vec![true; blocks.len()],
            taken: Vec::new(),
            highest: Vec::new(),
        };
        let count = |i: usize| placing.neighbours.of(i).len() as u64;
        let given = 0..blocks.len();
        let by_size = sorted(blocks.len(), |i| blocks[i].size);
        let by_pairs = sorted(blocks.len(), |i| blocks[i].size * count(i));
        let lies_anywhere = |i: usize| blocks[i].size == 0 && count(i) == 0;
        let lies_anywhere: Vec<bool> = given.clone().map(lies_anywhere).collect();
        let lies_anywhere = |i: usize| lies_anywhere[i];
        let orders = [
            Order::of(by_size, lies_anywhere),
            Order::of(by_pairs, lies_anywhere),
            Order::of(given.clone().rev(), lies_anywhere),
            Order::of(given, lies_anywhere),
        ];
        let mut is_within = false;
        for order in orders {
            is_within |= placing.consider(order);
        }
        is_within.then_some(placing)
    }

    /// The best placement so far.
    pub fn found(&self) -> &Placement {
        &self.found
    }

    /// The same, of which no more is asked.
    pub(super) fn into_found(self) -> Placement {
        self.found
    }

    /// Tries changes of the best order, until the peak is at most `enough` or so many were tried.
    pub fn improve(&mut self, enough: u64, rounds: usize) {
        let mut random = SplitMix::new();
        for _ in 0..rounds {
            if self.found.peak <= enough {
                break;
            }
            self.change(&mut random);
        }
    }

    /// Takes an order, if it is no worse. Whether it is.
    fn consider(&mut self, order: Order) -> bool {
        let before = std::mem::replace(&mut self.order, order);
        match self.place(None) {
            Placed::Above => {
                self.order = before;
                return false;
            }
            Placed::Same => {}
            Placed::At(peak) => self.take_offsets(peak),
        }
        true
    }

    /// Moves a block that reaches the peak, or any other one, further in front, or anywhere, if the order is no worse then.
    fn change(&mut self, random: &mut SplitMix) {
        let (from, to) = self.chosen(random);
        let moved = self.order.moved(from, to);
        if let Some((at, before)) = moved {
            self.order.move_block(at, before);
            match self.place(Some((at, before))) {
                Placed::Above => return self.order.move_block(before, at),
                Placed::Same => {}
                Placed::At(peak) => self.take_offsets(peak),
            }
        }
        self.order.move_places(from, to, moved);
    }

    /// A place among all blocks, and one to move the block there to.
    fn chosen(&mut self, random: &mut SplitMix) -> (usize, usize) {
        let count = self.blocks.len();
        let mut below = |end: usize| random.below(end as u64) as usize;
        let from = match below(3) {
            0 => below(count),
            _ => {
                let ends =
                    |i: usize| self.found.offsets[i] + self.blocks[i].size == self.found.peak;
                let order = self.order.blocks.iter().zip(&self.order.places);
                let highest = order.filter(|(block, _)| ends(**block));
                self.highest.clear();
                self.highest.extend(highest.map(|(_, place)| *place));
                // A block reaches the peak.
                self.highest[below(self.highest.len())]
            }
        };
        let to = match below(3) {
            0 => below(count),
            _ => below(from + 1),
        };
        (from, to)
    }

    fn take_offsets(&mut self, peak: u64) {
        let offsets = self
            .order
            .blocks
            .iter()
            .map(|&block| (block, self.offsets[block]));
        offsets.for_each(|(block, at)| self.found.offsets[block] = at as u64);
        self.found.peak = peak;
    }

    /// What the order gives: any, or the best with a block moved from one place in it to another. A block keeps its place until one of
    /// its neighbours was moved or has another place.
    fn place(&mut self, moved: Option<(usize, usize)>) -> Placed {
        self.is_stale.fill(moved.is_none());
        let mut changes = moved.is_none();
        let mut passed = 0..0;
        if let Some((from, to)) = moved {
            let block = self.order.blocks[to];
            passed = from.min(to)..from.max(to) + 1;
            self.note_neighbours(block);
            let mut blocks = self.order.blocks[passed.clone()].iter();
            if !blocks.any(|&block| self.is_stale[block]) {
                return Placed::Same;
            }
            self.is_stale[block] = true;
        }
        self.offsets.fill(UNPLACED);
        let mut peak = 0;
        for at in 0..self.order.blocks.len() {
            if !changes && at >= passed.end {
                return Placed::Same;
            }
            let block = self.order.blocks[at];
            let known = self.found.offsets[block] as i64;
            let offset = match self.is_stale[block] && at >= passed.start {
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
        let alignment = self.blocks[block].alignment;
        let behind = |range: &Range<i64>| (range.end as u64).next_multiple_of(alignment) as i64;
        let (mut at, taken) = (0, &mut self.taken);
        taken.clear();
        for (other, distances) in self.neighbours.of(block) {
            let offset = self.offsets[*other];
            if offset == UNPLACED {
                continue;
            }
            for distance in &self.neighbours.distances[distances.clone()] {
                let range = offset + distance.start..offset + distance.end;
                match range.start <= at {
                    true if at < range.end => at = behind(&range),
                    true => {}
                    false => taken.push(range),
                }
            }
        }
        // Most ranges are passed by now, or further up: few are left to be sorted.
        taken.retain(|range| at < range.end);
        if taken.iter().all(|range| at < range.start) {
            return at;
        }
        taken.sort_unstable_by_key(|range| range.start);
        for range in taken.iter() {
            if range.start <= at && at < range.end {
                at = behind(range);
            }
        }
        at
    }
}

/// So many blocks, the greatest first; of equal ones, the first.
fn sorted(count: usize, size: impl Fn(usize) -> u64) -> impl Iterator<Item = usize> {
    // Many have no size: they need no sorting.
    let (mut all, mut rest) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for i in 0..count {
        match size(i) {
            0 => rest.push(i),
            size => all.push((Reverse(size), i)),
        }
    }
    all.sort_unstable();
    all.into_iter().map(|(_, i)| i).chain(rest)
}

/// For each block, those that it is in a pair with, and its distances from them that are forbidden.
struct Neighbours {
    /// Where the list of each block begins.
    starts: Vec<usize>,
    others: Vec<(usize, Range<usize>)>,
    distances: Vec<Range<i64>>,
}

impl Neighbours {
    fn new<'d>(blocks: usize, pairs: impl Iterator<Item = Between<'d>> + Clone) -> Neighbours {
        let pairs = pairs.filter(|(_, _, distances)| !distances.is_empty());
        let (mut starts, mut count) = (vec![0; blocks + 1], 0);
        for (first, second, Distances(forbidden)) in pairs.clone() {
            starts[first + 1] += 1;
            starts[second + 1] += 1;
            count += 2 * forbidden.len();
        }
        for block in 0..blocks {
            starts[block + 1] += starts[block];
        }
        let mut next = starts.clone();
        let mut others = vec![(0, 0..0); starts[blocks]];
        let mut distances: Vec<Range<i64>> = Vec::with_capacity(count);
        for (first, second, Distances(forbidden)) in pairs {
            let mut note =
                |block: usize, other: usize, ranges: &mut dyn Iterator<Item = Range<i64>>| {
                    let first = distances.len();
                    distances.extend(ranges);
                    others[next[block]] = (other, first..distances.len());
                    next[block] += 1;
                };
            // The distance is that of the second from the first.
            let back = forbidden.iter().map(|d| 1 - d.end..1 - d.start);
            note(first, second, &mut back.into_iter());
            note(second, first, &mut forbidden.iter().cloned());
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

#[cfg(test)]
mod tests {
    use super::super::Pair;
    use super::*;

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
            let between = || pairs.iter().map(Pair::between);
            let mut placing = Placing::new(&blocks, between());
            let plain = placing.found.peak;
            for _ in 0..30 * usize::from(plain > 0) {
                placing.change(&mut orders);
                let mut whole = Placing::new(&blocks, between());
                whole.found.peak = u64::MAX;
                whole.consider(placing.order.clone());
                assert_eq!(whole.found, placing.found);
            }
            improved += usize::from(placing.found.peak < plain);
        }
        assert!(improved > 20, "{improved}");
    }

    /// Orders without the blocks that lie anywhere are those of all blocks, also behind moves.
    #[test]
    fn some_blocks_move_as_among_all() {
        let mut random = SplitMix::new();
        let mut below = |end: usize| random.below(end as u64) as usize;
        for count in 2..12 {
            let mut all: Vec<usize> = (0..count).collect();
            let lies_anywhere = |block: usize| block.is_multiple_of(3);
            let mut order = Order::of(all.iter().copied(), lies_anywhere);
            for _ in 0..50 {
                let (from, to) = (below(count), below(count));
                let block = all.remove(from);
                all.insert(to, block);
                let moved = order.moved(from, to);
                assert_eq!(moved.is_none(), lies_anywhere(block));
                if let Some((at, before)) = moved {
                    order.move_block(at, before);
                }
                order.move_places(from, to, moved);
                let whole = Order::of(all.iter().copied(), lies_anywhere);
                assert_eq!(
                    (&order.blocks, &order.places),
                    (&whole.blocks, &whole.places)
                );
            }
        }
    }
}
