//! The improvement of one partition: searches from several heuristic orders, at capacities between what is proven and what is
//! found, each allowed a few nodes first and then ever more.

use std::ops::Range;

use crate::bound::live_load;
use crate::greedy::{self, Ordering, Plan};
use crate::instance::Instance;
use crate::limits::{Budget, Tricks};
use crate::overlap::Overlaps;
use crate::search::{Outcome, Style, search};

/// Beyond this many items or overlapping pairs a partition is not searched: a node would cost too much to get anywhere.
const MOST_ITEMS: usize = 4_000;
const MOST_PAIRS: usize = 1_000_000;

/// Nodes of the shortest searches; measured on the puzzles: 4,000 leaves one unsolved, 16,000 to 40,000 none.
const FEWEST_NODES: u64 = 20_000;

/// A partition with its best plan so far.
pub(crate) struct Part {
    instance: Instance,
    plan: Plan,
    lower_bound: u64,
}

impl Part {
    /// The greedy plan for `members` of `whole`, whose sections are `range`; no better than `enough`.
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

    /// Each item's buffer in the problem, with its offset.
    pub fn offsets(&self) -> impl Iterator<Item = (usize, u64)> {
        self.instance
            .items
            .iter()
            .zip(&self.plan.offsets)
            .map(|(item, &at)| (item.buffer, at))
    }

    /// Searches until the peak is at most `enough`, or proven least, or the budget is spent.
    pub fn improve(&mut self, enough: u64, budget: &mut Budget, tricks: Tricks) {
        let Some(mut styles) = Styles::new(&self.instance) else {
            return;
        };
        while !self.is_settled(enough) && !budget.is_spent() {
            let capacity = self.aim(enough, styles.tried);
            self.attempt(&mut styles, capacity, budget, tricks);
        }
    }

    /// Whether this part fits `capacity`; None if the budget ran out over the question.
    pub fn fits(&mut self, capacity: u64, budget: &mut Budget, tricks: Tricks) -> Option<bool> {
        let mut styles = Styles::new(&self.instance);
        while self.plan.peak > capacity && self.lower_bound <= capacity {
            let styles = styles.as_mut().filter(|_| !budget.is_spent())?;
            self.attempt(styles, capacity, budget, tricks);
        }
        Some(self.plan.peak <= capacity)
    }

    fn attempt(&mut self, styles: &mut Styles, capacity: u64, budget: &mut Budget, tricks: Tricks) {
        let style = styles.next_style();
        match search(
            &self.instance,
            &styles.overlaps,
            style,
            capacity,
            (budget, tricks),
        ) {
            Outcome::Found(offsets) => self.plan = Plan::new(&self.instance, offsets),
            Outcome::Exhausted(least) => {
                self.lower_bound = self.lower_bound.max(least.min(self.plan.peak))
            }
            Outcome::Stopped => {}
        }
    }

    fn is_settled(&self, enough: u64) -> bool {
        self.plan.peak <= enough.max(self.lower_bound)
    }

    /// The capacity to try next: as a rule the least that may do, every fourth time one nearer to the plan at hand.
    /// The plan must not be settled.
    fn aim(&self, enough: u64, tried: u64) -> u64 {
        let least = enough.max(self.lower_bound);
        let gap = self.plan.peak - least;
        match tried % 16 {
            3 => least + gap / 8,
            7 => least + gap / 4,
            11 => least + gap / 2,
            15 => self.plan.peak - 1,
            _ => least,
        }
    }
}

/// The styles of the successive searches. The first ones follow the heuristics; later ones shake their orders, because a search
/// that goes wrong early rarely recovers, while one from a slightly different order may run straight through.
struct Styles {
    overlaps: Overlaps,
    orders: Vec<Vec<usize>>,
    tried: u64,
    random: SplitMix,
}

impl Styles {
    /// None if the instance is too large to be searched.
    fn new(instance: &Instance) -> Option<Self> {
        let small = instance.items.len() <= MOST_ITEMS;
        let overlaps = small.then(|| Overlaps::new(instance, MOST_PAIRS))??;
        let orders = Ordering::SEARCHED
            .iter()
            .map(|ordering| ordering.of(instance))
            .collect();
        Some(Styles {
            overlaps,
            orders,
            tried: 0,
            random: SplitMix(0),
        })
    }

    fn next_style(&mut self) -> Style {
        let round = self.tried / self.orders.len() as u64;
        let order = &self.orders[(self.tried % self.orders.len() as u64) as usize];
        self.tried += 1;
        let shake: u64 = if round < 2 {
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
        Style {
            order: keyed.into_iter().map(|(_, i)| i).collect(),
            rerank: round % 2 == 1,
            nodes: FEWEST_NODES.saturating_mul(luby(round + 1)),
        }
    }
}

/// The Luby sequence 1 1 2 1 1 2 4 ...: the best that restarts can do when nothing is known of how long a search will take.
fn luby(n: u64) -> u64 {
    let bits = 64 - n.leading_zeros();
    if n + 1 == 1 << bits {
        1 << (bits - 1)
    } else {
        luby(n + 1 - (1 << (bits - 1)))
    }
}

/// A small generator of numbers that are the same on every machine (Steele, Lea and Flood's SplitMix64).
struct SplitMix(u64);

impl SplitMix {
    /// A number below `end`, which is not 0.
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}
