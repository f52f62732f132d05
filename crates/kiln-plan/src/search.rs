//! Depth-first search for a plan whose peak is at most a given capacity.
//!
//! Every plan can be *pushed down* until each free item lies at 0 or on another item; only such plans are looked at, and each
//! only in the order of its items' offsets. So a node is a set of placed items, the next item always lies at its *lowest*
//! offset (on top of the placed items that it overlaps), and offsets never fall on the way down. Equal offsets are ordered by
//! *rank*, the item's place in a heuristic order.
//!
//! What prunes, each named in [`Tricks`], holds for the pushed-down plans below a node:
//! - each section must stack what is left of it, no item below its lowest offset, within the capacity;
//! - an item passed over must still come to lie on something that is not placed yet (`support`);
//! - no item may be placed above the lowest top that some waiting item could have (`dominance`);
//! - twins are placed in rank order (`twins`);
//! - where placing an item that nothing left overlaps fails, the fault is not its own (`hatless`);
//! - where no waiting item links two stretches of time, each is searched alone (`decompose`).
//!
//! A failed search also learns the least peak that any pruned branch might have reached: the next capacity worth trying.

use std::cmp::Reverse;

use crate::bound::{gcd, largest_rounding};
use crate::instance::{Instance, Item, raise};
use crate::limits::{Budget, Tricks};
use crate::overlap::Overlaps;

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Offsets of the items, within the capacity.
    Found(Vec<u64>),
    /// No plan fits the capacity, nor any less than this.
    Exhausted(u64),
    /// The budget ran out.
    Stopped,
}

/// What makes one search differ from another; none of it changes what a search can find.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    /// Which items to prefer: all of them, the first one first.
    pub order: Vec<usize>,
    /// Whether a part that has come loose is ordered anew, by the load that is left in it.
    pub rerank: bool,
    /// Nodes after which to give up.
    pub nodes: u64,
}

/// Looks for a plan within `capacity`.
pub(crate) fn search(
    instance: &Instance,
    overlaps: &Overlaps,
    style: Style,
    capacity: u64,
    (budget, tricks): (&mut Budget, Tricks),
) -> Outcome {
    let search = Search::new(instance, overlaps, style, capacity, (budget, tricks));
    let items = instance.items.len();
    if items <= SHALLOW {
        return search.run();
    }
    std::thread::scope(|scope| {
        let stack_size = items * STACK_PER_ITEM;
        match std::thread::Builder::new()
            .stack_size(stack_size)
            .spawn_scoped(scope, || search.run())
        {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => Outcome::Stopped,
        }
    })
}

/// Up to this many items a search runs on the caller's stack; a deeper one brings its own.
const SHALLOW: usize = 100;
/// Bytes of stack for each level of the recursion; about four times what a debug build uses.
const STACK_PER_ITEM: usize = 8 << 10;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Done,
    Dead,
    Stop,
}

struct Search<'a> {
    items: &'a [Item],
    overlaps: &'a Overlaps,
    capacity: u64,
    tricks: Tricks,
    style: Style,
    nodes: u64,
    budget: &'a mut Budget,
    /// Place of each item in the heuristic order.
    rank: Vec<u32>,
    /// The twin that goes before an item.
    twin: Vec<Option<u32>>,
    /// Sizes rounded as in `bound`, and what each section may take back.
    rounded: Vec<u64>,
    relief: Vec<u64>,
    placed: Vec<bool>,
    /// Where each placed item lies; for a waiting one, the lowest offset that the placed ones leave it.
    offsets: Vec<u64>,
    /// The least peak above the capacity that a pruned branch might have reached.
    least_excess: u64,
    /// Scratch of one node, by item and by section.
    earliest: Vec<u64>,
    stack: Vec<u64>,
    links: Vec<i32>,
}

/// A waiting item as a node sees it: no completion has it below `earliest`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    earliest: u64,
    rank: u32,
    item: u32,
    /// Its turn has passed: it cannot lie at its lowest offset any more.
    passed: bool,
}

impl<'a> Search<'a> {
    fn new(
        instance: &'a Instance,
        overlaps: &'a Overlaps,
        style: Style,
        capacity: u64,
        (budget, tricks): (&'a mut Budget, Tricks),
    ) -> Self {
        let items = &instance.items;
        let g = items.iter().fold(0, |g, item| gcd(g, item.alignment));
        let mut rank = vec![0; items.len()];
        style
            .order
            .iter()
            .enumerate()
            .for_each(|(at, &i)| rank[i] = at as u32);
        Search {
            items,
            overlaps,
            capacity,
            tricks,
            nodes: style.nodes,
            budget,
            rank,
            twin: twins(items, &style.order),
            rounded: items.iter().map(|item| raise(item.size, g)).collect(),
            relief: largest_rounding(instance, g),
            placed: vec![false; items.len()],
            offsets: items.iter().map(|item| item.pin.unwrap_or(0)).collect(),
            least_excess: u64::MAX,
            earliest: vec![0; items.len()],
            stack: vec![0; instance.sections],
            links: vec![0; instance.sections],
            style,
        }
    }

    fn run(mut self) -> Outcome {
        let waiting: Vec<u32> = self.style.order.iter().map(|&i| i as u32).collect();
        match self.descend(&waiting, (0, 0)) {
            Step::Done => Outcome::Found(self.offsets),
            Step::Dead => Outcome::Exhausted(self.least_excess),
            Step::Stop => Outcome::Stopped,
        }
    }

    /// What a look at `waiting` costs.
    fn work(&self, waiting: &[u32]) -> u64 {
        waiting
            .iter()
            .map(|&i| 1 + self.items[i as usize].sections().len() as u64)
            .sum()
    }

    /// Places all of `waiting`, which are in rank order, none at an offset and rank before `after`.
    fn descend(&mut self, waiting: &[u32], after: (u64, u32)) -> Step {
        if waiting.is_empty() {
            return Step::Done;
        }
        self.nodes = self.nodes.saturating_sub(1);
        if !self.budget.spend(self.work(waiting)) || self.nodes == 0 {
            return Step::Stop;
        }
        let Some(view) = self.look(waiting, after) else {
            return Step::Dead;
        };
        if self.tricks.decompose {
            let parts = self.split(waiting);
            if parts.len() > 1 {
                return self.descend_parts(&parts, after);
            }
        }
        self.branch(waiting, &view)
    }

    /// Each part alone; the first that fails fails all.
    fn descend_parts(&mut self, parts: &[Vec<u32>], after: (u64, u32)) -> Step {
        let items = parts.iter().flatten().map(|&i| i as usize);
        let before: Vec<(usize, u64, u32)> =
            items.map(|i| (i, self.offsets[i], self.rank[i])).collect();
        for part in parts {
            let step = if self.style.rerank {
                let part = self.ranked(part);
                self.descend(&part, (after.0, 0))
            } else {
                self.descend(part, after)
            };
            if step != Step::Done {
                // The parts before this one are placed: they are taken back too.
                for (i, offset, rank) in before {
                    (self.placed[i], self.offsets[i], self.rank[i]) = (false, offset, rank);
                }
                return step;
            }
        }
        Step::Done
    }

    /// A part in an order of its own, which becomes its items' rank: the items of its fullest section go first.
    fn ranked(&mut self, part: &[u32]) -> Vec<u32> {
        for &i in part {
            self.stack[self.items[i as usize].sections()].fill(0);
        }
        for &i in part {
            let size = self.items[i as usize].size;
            self.stack[self.items[i as usize].sections()]
                .iter_mut()
                .for_each(|load| *load += size);
        }
        let load = |i: u32| {
            self.stack[self.items[i as usize].sections()]
                .iter()
                .copied()
                .max()
        };
        let mut order = part.to_vec();
        order.sort_by_cached_key(|&i| (Reverse(load(i)), self.rank[i as usize]));
        order
            .iter()
            .enumerate()
            .for_each(|(at, &i)| self.rank[i as usize] = at as u32);
        order
    }

    fn branch(&mut self, waiting: &[u32], view: &[Waiting]) -> Step {
        let lowest_top = waiting
            .iter()
            .map(|&i| self.lowest_top(i))
            .min()
            .unwrap_or(u64::MAX);
        for w in view {
            if w.passed || self.waits_for_twin(w.item) {
                continue;
            }
            if self.tricks.dominance && w.earliest >= lowest_top {
                break;
            }
            let undo = self.place(w.item);
            let left: Vec<u32> = waiting.iter().copied().filter(|&i| i != w.item).collect();
            let step = self.descend(&left, (w.earliest, w.rank));
            if step == Step::Done {
                return step;
            }
            self.unplace(w.item, &undo);
            if step == Step::Stop || (self.tricks.hatless && self.is_hatless(w.item)) {
                return step;
            }
        }
        Step::Dead
    }

    fn lowest_top(&self, item: u32) -> u64 {
        self.offsets[item as usize] + self.items[item as usize].size
    }

    fn waits_for_twin(&self, item: u32) -> bool {
        self.tricks.twins
            && self.twin[item as usize].is_some_and(|twin| !self.placed[twin as usize])
    }

    fn is_hatless(&self, item: u32) -> bool {
        self.overlaps
            .of(item as usize)
            .iter()
            .all(|&j| self.placed[j as usize])
    }

    /// Fixes `item` at its lowest offset and lifts what overlaps it. Returns the offsets that changed.
    fn place(&mut self, item: u32) -> Vec<(u32, u64)> {
        let i = item as usize;
        self.placed[i] = true;
        let top = self.offsets[i] + self.items[i].size;
        let mut undo = Vec::new();
        for &j in self.overlaps.of(i) {
            let other = &self.items[j as usize];
            let old = self.offsets[j as usize];
            if !self.placed[j as usize] && old < top {
                undo.push((j, old));
                self.offsets[j as usize] = other.raise(top);
            }
        }
        undo
    }

    fn unplace(&mut self, item: u32, undo: &[(u32, u64)]) {
        self.placed[item as usize] = false;
        for &(j, old) in undo {
            self.offsets[j as usize] = old;
        }
    }

    /// The waiting items by earliest offset; None if they cannot be completed within the capacity.
    fn look(&mut self, waiting: &[u32], after: (u64, u32)) -> Option<Vec<Waiting>> {
        let mut view = Vec::with_capacity(waiting.len());
        for &item in waiting {
            let i = item as usize;
            let (lowest, rank) = (self.offsets[i], self.rank[i]);
            let passed = (lowest, rank) < after;
            if self.items[i].pin.is_some_and(|pin| pin != lowest || passed) {
                return None;
            }
            let earliest = lowest.max(after.0);
            self.earliest[i] = earliest;
            view.push(Waiting {
                earliest,
                rank,
                item,
                passed,
            });
        }
        if self.tricks.support {
            self.support(&mut view)?;
        }
        view.sort_unstable();
        self.stack_up(&view)?;
        Some(view)
    }

    /// Lifts the items passed over to the lowest top that they could come to lie on. None if one of them has nothing to lie
    /// on, or nothing that keeps it from sinking to its lowest offset.
    fn support(&mut self, view: &mut [Waiting]) -> Option<()> {
        for w in view.iter_mut().filter(|w| w.passed) {
            let i = w.item as usize;
            let (mut lowest_top, mut lowest) = (u64::MAX, u64::MAX);
            for j in self
                .overlaps
                .of(i)
                .iter()
                .map(|&j| j as usize)
                .filter(|&j| !self.placed[j])
            {
                lowest = lowest.min(self.earliest[j]);
                lowest_top = lowest_top.min(self.earliest[j] + self.items[j].size);
            }
            if lowest >= self.lowest_top(w.item) {
                return None;
            }
            w.earliest = w.earliest.max(self.items[i].raise(lowest_top));
            self.earliest[i] = w.earliest;
        }
        Some(())
    }

    /// Stacks each section's items in order of their earliest offsets: no plan has a lower peak there.
    fn stack_up(&mut self, view: &[Waiting]) -> Option<()> {
        for w in view {
            self.stack[self.items[w.item as usize].sections()].fill(0);
        }
        let mut peak = 0;
        for w in view {
            let i = w.item as usize;
            peak = peak.max(w.earliest + self.items[i].size);
            for s in self.items[i].sections() {
                let top = self.stack[s].max(w.earliest) + self.rounded[i];
                self.stack[s] = top;
                peak = peak.max(top - self.relief[s]);
            }
        }
        if peak <= self.capacity {
            return Some(());
        }
        self.least_excess = self.least_excess.min(peak);
        None
    }

    /// The waiting items grouped so that no group shares a section with another; each group in rank order.
    fn split(&mut self, waiting: &[u32]) -> Vec<Vec<u32>> {
        let range = |item: &Item| (item.first as usize, item.end as usize);
        let (mut from, mut to) = (usize::MAX, 0);
        for &i in waiting {
            let (first, end) = range(&self.items[i as usize]);
            (from, to) = (from.min(first), to.max(end));
        }
        self.links[from..to].fill(0);
        for &i in waiting {
            let (first, end) = range(&self.items[i as usize]);
            self.links[first] += 1;
            self.links[end - 1] -= 1;
        }
        // After this, `links[s]` is the number of the group that section `s` belongs to.
        let (mut linked, mut group) = (0, 0);
        for s in from..to {
            linked += self.links[s];
            self.links[s] = group;
            group += i32::from(linked == 0);
        }
        let mut parts = vec![Vec::new(); group as usize];
        for &i in waiting {
            parts[self.links[self.items[i as usize].first as usize] as usize].push(i);
        }
        parts.retain(|part| !part.is_empty());
        parts
    }
}

/// For each item the one before it in `order` that is the same but for its name.
fn twins(items: &[Item], order: &[usize]) -> Vec<Option<u32>> {
    let key = |i: usize| {
        let Item {
            size,
            alignment,
            pin,
            first,
            end,
            ..
        } = items[i];
        (first, end, size, alignment, pin)
    };
    let mut sorted = order.to_vec();
    sorted.sort_by_key(|&i| key(i));
    let mut twin = vec![None; items.len()];
    for pair in sorted.windows(2) {
        if key(pair[0]) == key(pair[1]) && items[pair[0]].pin.is_none() {
            twin[pair[1]] = Some(pair[0] as u32);
        }
    }
    twin
}
