//! Improves the plan of one partition. Searches from several heuristic orders look for the least possible capacity,
//! each with few nodes at first and more later. In between, short searches (dives) try capacities closer to that of the
//! current plan.

use std::ops::Range;

use crate::bound::live_load;
use crate::greedy::{self, Ordering, Plan};
use crate::instance::Instance;
use crate::limits::{Budget, Tricks};
use crate::overlap::Overlaps;
use crate::random::SplitMix;
use crate::search::{Outcome, Style, search};

/// The most items and the most overlapping pairs of a partition that is searched. In a larger one, a node costs too
/// much.
const MAX_ITEMS: usize = 4_000;
const MAX_PAIRS: usize = 1_000_000;

/// The nodes of the shortest searches. Measured on the puzzles: 4,000 leaves one unsolved, 16,000 to 40,000 none.
const MIN_NODES: u64 = 20_000;

/// The number of dives before each search, and the number of nodes of a dive per item.
const DIVES: usize = 6;
const DIVE_NODES: u64 = 4;

/// The number of searches for a given capacity before the first dive. A dive cannot show that the capacity is enough, but
/// it gives a better plan for the report where nothing fits.
const DIRECT: u64 = 30;

/// When the searches may stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// The peak that is low enough.
    pub enough: u64,
    /// True if the caller gave this peak as a capacity, false if it is the least that is possible.
    pub is_capacity: bool,
}

/// A partition, with the best plan so far.
pub(crate) struct Part {
    instance: Instance,
    plan: Plan,
    lower_bound: u64,
}

impl Part {
    /// The partition `members` of `whole`, whose sections are `range`, with a greedy plan that stops at the peak
    /// `enough`.
    pub fn new(whole: &Instance, members: &[usize], range: Range<usize>, enough: u64) -> Self {
        let instance = whole.part(members, range);
        let pinned = instance
            .items
            .iter()
            .filter_map(|item| Some(item.pin? + item.size))
            .max();
        let lower_bound = live_load(&instance).max(pinned.unwrap_or(0));
        let plan = greedy::plan(&instance, enough);
        Part {
            instance,
            plan,
            lower_bound,
        }
    }

    pub fn peak(&self) -> u64 {
        self.plan.peak
    }

    pub fn lower_bound(&self) -> u64 {
        self.lower_bound
    }

    pub fn is_optimal(&self) -> bool {
        self.plan.peak == self.lower_bound
    }

    /// The buffer in the problem and the offset of each item.
    pub fn offsets(&self) -> impl Iterator<Item = (usize, u64)> {
        self.instance
            .items
            .iter()
            .zip(&self.plan.offsets)
            .map(|(item, &at)| (item.buffer, at))
    }

    /// Searches until the peak is at most `goal.enough`, or proven to be the least, or the budget is exhausted.
    pub fn improve(&mut self, goal: Goal, budget: &mut Budget, tricks: Tricks) {
        let enough = goal.enough;
        let Some(mut styles) = Styles::new(&self.instance) else {
            return;
        };
        let mut aim = Aim { next: u64::MAX - 1 };
        while !self.is_settled(enough) && !budget.is_spent() {
            if !goal.is_capacity || styles.tried >= DIRECT {
                self.dive(&mut styles, &mut aim, enough, (budget, tricks));
            }
            if self.is_settled(enough) {
                break;
            }
            let style = styles.next_style();
            self.attempt(
                &styles,
                style,
                enough.max(self.lower_bound),
                (budget, tricks),
            );
        }
    }

    /// Runs a few short searches at growing capacities. They improve the plan if the least capacity is out of reach.
    fn dive(
        &mut self,
        styles: &mut Styles,
        aim: &mut Aim,
        enough: u64,
        (budget, tricks): (&mut Budget, Tricks),
    ) {
        for _ in 0..DIVES {
            if self.is_settled(enough) {
                break;
            }
            let capacity = aim.next(enough.max(self.lower_bound), self.plan.peak);
            let style = styles.next_dive();
            self.attempt(styles, style, capacity, (budget, tricks));
        }
    }

    /// True if this partition fits `capacity`; `None` if the budget runs out first.
    pub fn fits(&mut self, capacity: u64, budget: &mut Budget, tricks: Tricks) -> Option<bool> {
        let mut styles = Styles::new(&self.instance);
        while self.plan.peak > capacity && self.lower_bound <= capacity {
            let styles = styles.as_mut().filter(|_| !budget.is_spent())?;
            let style = styles.next_style();
            self.attempt(styles, style, capacity, (budget, tricks));
        }
        Some(self.plan.peak <= capacity)
    }

    fn attempt(
        &mut self,
        styles: &Styles,
        style: Style,
        capacity: u64,
        (budget, tricks): (&mut Budget, Tricks),
    ) {
        match search(
            &self.instance,
            &styles.overlaps,
            style,
            capacity,
            (budget, tricks),
        ) {
            Outcome::Found(offsets) => self.keep(Plan::new(&self.instance, offsets)),
            Outcome::Exhausted(least) => {
                self.lower_bound = self.lower_bound.max(least.min(self.plan.peak))
            }
            Outcome::Stopped => {}
        }
    }

    fn keep(&mut self, plan: Plan) {
        if plan.peak < self.plan.peak {
            self.plan = plan;
        }
    }

    fn is_settled(&self, enough: u64) -> bool {
        self.plan.peak <= enough.max(self.lower_bound)
    }
}

/// The capacities of dives: they climb from the least possible capacity toward the peak of the current plan, and then
/// start over.
struct Aim {
    next: u64,
}

/// A climb covers one part in this many of the remaining distance at each dive.
const CLIMB: u64 = 3;

impl Aim {
    /// The next capacity, in `[least, peak)`. Needs `least < peak`.
    fn next(&mut self, least: u64, peak: u64) -> u64 {
        let from = if self.next + 1 >= peak {
            least
        } else {
            self.next.max(least)
        };
        self.next = from + (peak - from).div_ceil(CLIMB);
        self.next.min(peak - 1)
    }
}

/// The orders of successive searches. The first ones are the heuristic orders, later ones are perturbed: a search that
/// goes wrong early rarely recovers, but one from a slightly different order may succeed at once.
struct Styles {
    overlaps: Overlaps,
    orders: Vec<Vec<usize>>,
    tried: u64,
    dives: u64,
    random: SplitMix,
}

impl Styles {
    /// `None` if the instance is too large to be searched.
    fn new(instance: &Instance) -> Option<Self> {
        let small = instance.items.len() <= MAX_ITEMS;
        let overlaps = small.then(|| Overlaps::new(instance, MAX_PAIRS))??;
        let orders = Ordering::SEARCHED
            .iter()
            .map(|ordering| ordering.of(instance))
            .collect();
        Some(Styles {
            overlaps,
            orders,
            tried: 0,
            dives: 0,
            random: SplitMix::new(),
        })
    }

    fn next_dive(&mut self) -> Style {
        let (order, round) = self.turn(self.dives);
        self.dives += 1;
        Style {
            nodes: DIVE_NODES * self.orders[order].len() as u64,
            ..self.style(order, round)
        }
    }

    fn next_style(&mut self) -> Style {
        let (order, round) = self.turn(self.tried);
        self.tried += 1;
        self.style(order, round)
    }

    /// The index of the order for search number `count`, and how often that order was used before.
    fn turn(&self, count: u64) -> (usize, u64) {
        let orders = self.orders.len() as u64;
        ((count % orders) as usize, count / orders)
    }

    fn style(&mut self, order: usize, round: u64) -> Style {
        let order = &self.orders[order];
        let shake = if round < 2 {
            0
        } else {
            (order.len() as u64 / 4).max(1) >> (round % 4)
        };
        let mut keyed: Vec<(u64, usize)> = order
            .iter()
            .enumerate()
            .map(|(at, &i)| (at as u64 + self.random.below(shake + 1), i))
            .collect();
        keyed.sort_by_key(|&(key, _)| key);
        let order = keyed.into_iter().map(|(_, i)| i).collect();
        Style {
            order,
            rerank: round % 2 == 1,
            nodes: MIN_NODES.saturating_mul(luby(round + 1)),
        }
    }
}

/// The Luby sequence 1 1 2 1 1 2 4 ..., which is the best restart strategy if nothing is known about the length of
/// searches.
fn luby(n: u64) -> u64 {
    let bits = 64 - n.leading_zeros();
    if n + 1 == 1 << bits {
        1 << (bits - 1)
    } else {
        luby(n + 1 - (1 << (bits - 1)))
    }
}
