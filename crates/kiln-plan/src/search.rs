//! Depth-first search for a plan whose peak is at most a given capacity.
//!
//! Every plan can be *pushed down*, until each free item lies at 0 or on another item. The search examines only such
//! plans, and each only in the order of its items' offsets. So a node is a set of placed items. The next item always
//! lies at its *lowest* offset, which is the top of the placed items that it overlaps. Offsets never decrease on the
//! way down. Equal offsets are ordered by *rank*, which is the item's position in a heuristic order.
//!
//! These rules prune the pushed-down plans below a node. Their names are those in [`Tricks`]:
//! - the waiting items of each section must fit the capacity when they are stacked, none below its lowest offset;
//! - an item that was passed over must still come to lie on an item that is not placed yet (`support`);
//! - no item may lie above the lowest top that a waiting item could have (`dominance`);
//! - equal items are placed in rank order (`twins`);
//! - if the search fails after placing an item that no waiting item overlaps, other positions of this item are not
//!   tried (`hatless`);
//! - if no waiting item links two stretches of time, each is searched separately (`decompose`).
//!
//! A failed search also gives the least peak that a pruned branch might have reached: the next capacity worth trying.

use std::cmp::Reverse;

use crate::bound::{gcd, largest_rounding};
use crate::crowded::Crowded;
use crate::instance::{Instance, Item, raise};
use crate::limits::{Budget, Tricks};
use crate::overlap::Overlaps;

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The offsets of the items, within the capacity.
    Found(Vec<u64>),
    /// No plan fits the capacity, or any capacity below this one.
    Exhausted(u64),
    /// The budget ran out.
    Stopped,
}

/// The parameters in which searches differ. None of them changes which plans a search can find.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    /// All items, in the order in which they are preferred.
    pub order: Vec<usize>,
    /// True if a part that has been separated is sorted again, by the load that remains in it.
    pub rerank: bool,
    /// The number of nodes after which the search gives up.
    pub nodes: u64,
}

/// Searches for a plan within `capacity`.
pub(crate) fn search(
    instance: &Instance,
    overlaps: &Overlaps,
    style: Style,
    capacity: u64,
    (budget, tricks): (&mut Budget, Tricks),
) -> Outcome {
    let search = Search::new(instance, overlaps, style, capacity, (budget, tricks));
    let items = instance.items.len();
    if items <= MAX_ITEMS_ON_STACK {
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

/// The most items for which a search runs on the caller's stack. A deeper search has a stack of its own.
const MAX_ITEMS_ON_STACK: usize = 100;
/// The bytes of stack for each level of the recursion: about four times what a debug build needs.
const STACK_PER_ITEM: usize = 8 << 10;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Descent {
    /// All waiting items are placed.
    Done,
    /// The waiting items do not fit.
    Dead,
    /// The budget or the limit of nodes is exhausted.
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
    /// The position of each item in the heuristic order.
    rank: Vec<u32>,
    /// For each item, the equal item that is placed before it.
    twin: Vec<Option<u32>>,
    /// The sizes rounded as in `bound`, and for each section the rounding of its topmost item.
    rounded: Vec<u64>,
    relief: Vec<u64>,
    placed: Vec<bool>,
    /// The offset of each placed item. For a waiting item, the lowest offset that the placed items allow.
    offsets: Vec<u64>,
    /// The least peak above the capacity that a pruned branch might have reached.
    least_excess: u64,
    /// Temporary values of one node, by item and by section.
    earliest: Vec<u64>,
    stack: Vec<u64>,
    links: Vec<i32>,
    crowded: Crowded,
}

/// A waiting item at a node. In no completion does it lie below `earliest`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Waiting {
    pub earliest: u64,
    rank: u32,
    pub item: u32,
    /// The item was passed over, so it cannot lie at its lowest offset any more.
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
            crowded: Crowded::new(),
            style,
        }
    }

    fn run(mut self) -> Outcome {
        let waiting: Vec<u32> = self.style.order.iter().map(|&i| i as u32).collect();
        match self.descend(&waiting, (0, 0)) {
            Descent::Done => Outcome::Found(self.offsets),
            Descent::Dead => Outcome::Exhausted(self.least_excess),
            Descent::Stop => Outcome::Stopped,
        }
    }

    /// Places all `waiting` items, which are in rank order. None may have an offset and rank before `after`.
    fn descend(&mut self, waiting: &[u32], after: (u64, u32)) -> Descent {
        if waiting.is_empty() {
            return Descent::Done;
        }
        self.nodes = self.nodes.saturating_sub(1);
        if !self.budget.spend(waiting.len() as u64) || self.nodes == 0 {
            return Descent::Stop;
        }
        let Some(view) = self.look(waiting, after) else {
            return Descent::Dead;
        };
        if self.tricks.decompose {
            let parts = self.split(waiting);
            if parts.len() > 1 {
                return self.descend_parts(&parts, after);
            }
        }
        self.branch(waiting, &view)
    }

    /// Places each part separately. The first part that fails makes the node fail.
    fn descend_parts(&mut self, parts: &[Vec<u32>], after: (u64, u32)) -> Descent {
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
            if step != Descent::Done {
                // The parts before this one are placed, and have to be removed too.
                for (i, offset, rank) in before {
                    (self.placed[i], self.offsets[i], self.rank[i]) = (false, offset, rank);
                }
                return step;
            }
        }
        Descent::Done
    }

    /// Sorts a part by the load of its items' fullest section, and sets the items' ranks accordingly.
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

    fn branch(&mut self, waiting: &[u32], view: &[Waiting]) -> Descent {
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
            if step == Descent::Done {
                return step;
            }
            self.unplace(w.item, &undo);
            if step == Descent::Stop || (self.tricks.hatless && self.is_hatless(w.item)) {
                return step;
            }
        }
        Descent::Dead
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

    /// Places `item` at its lowest offset, and raises the waiting items that overlap it. Returns their old offsets.
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

    /// The waiting items by earliest offset. `None` if they cannot be completed within the capacity.
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
        self.check_crowded(&view, after.0)?;
        if self.tricks.support {
            let raised = self.support(&mut view)?;
            if raised {
                self.check_crowded(&view, after.0)?;
            }
        }
        view.sort_unstable();
        self.stack_up(&view)?;
        Some(view)
    }

    /// Raises the items that were passed over to the lowest top on which they could lie. `None` if one of them has
    /// nothing to lie on, or nothing that prevents it from being pushed down to its lowest offset. True if any was raised.
    fn support(&mut self, view: &mut [Waiting]) -> Option<bool> {
        let mut raised = false;
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
            let earliest = w.earliest.max(self.items[i].raise(lowest_top));
            raised |= earliest > w.earliest;
            w.earliest = earliest;
            self.earliest[i] = earliest;
        }
        Some(raised)
    }

    /// `None` if the waiting items exceed the capacity in a section where others did lately.
    fn check_crowded(&mut self, view: &[Waiting], floor: u64) -> Option<()> {
        let sizes = (self.rounded.as_slice(), self.relief.as_slice());
        let Some(peak) = self
            .crowded
            .excess(self.items, view, sizes, (floor, self.capacity))
        else {
            return Some(());
        };
        self.least_excess = self.least_excess.min(peak);
        None
    }

    /// Stacks the items of each section in order of their earliest offsets. No plan has a lower peak in that section.
    fn stack_up(&mut self, view: &[Waiting]) -> Option<()> {
        let mut work = 0;
        for w in view {
            let sections = self.items[w.item as usize].sections();
            work += sections.len() as u64;
            self.stack[sections].fill(0);
        }
        // The next node stops if this exhausts the budget.
        self.budget.spend(work);
        let (mut peak, mut fullest) = (0, (0, 0));
        for w in view {
            let i = w.item as usize;
            peak = peak.max(w.earliest + self.items[i].size);
            for s in self.items[i].sections() {
                let top = self.stack[s].max(w.earliest) + self.rounded[i];
                self.stack[s] = top;
                fullest = fullest.max((top - self.relief[s], s));
            }
        }
        if fullest.0 > self.capacity {
            self.crowded.add(fullest.1);
        }
        let peak = peak.max(fullest.0);
        if peak <= self.capacity {
            return Some(());
        }
        self.least_excess = self.least_excess.min(peak);
        None
    }

    /// Groups the waiting items such that no two groups share a section. Each group is in rank order.
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
        // Now `links[s]` is the number of the group of section `s`.
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

/// For each item, the previous item in `order` that is equal except for its name.
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
