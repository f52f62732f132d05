//! The improvement of one partition: searches from several heuristic orders at the least capacity that may do, each allowed
//! few nodes first and then ever more, and between them dives at capacities nearer to the plan at hand.

use std::ops::Range;

use crate::bound::live_load;
use crate::greedy::{self, Ordering, Plan};
use crate::instance::Instance;
use crate::limits::{Budget, Tricks};
use crate::overlap::Overlaps;
use crate::random::SplitMix;
use crate::search::{Outcome, Style, search};

/// Beyond this many items or overlapping pairs a partition is not searched: a node would cost too much to get anywhere.
const MOST_ITEMS: usize = 4_000;
const MOST_PAIRS: usize = 1_000_000;

/// Nodes of the shortest searches; measured on the puzzles: 4,000 leaves one unsolved, 16,000 to 40,000 none.
const FEWEST_NODES: u64 = 20_000;

/// Dives before each search, and nodes of a dive for each item.
const DIVES: usize = 6;
const DIVE_NODES: u64 = 4;

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
        let mut aim = Aim { next: u64::MAX - 1 };
        while !self.is_settled(enough) && !budget.is_spent() {
            self.dive(&mut styles, &mut aim, enough, (budget, tricks));
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

    /// A few short searches at growing capacities: they are what betters the plan where the least capacity is out of reach.
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

    /// Whether this part fits `capacity`; None if the budget ran out over the question.
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

/// Which capacity a dive tries: a climb from the least that may do towards the plan at hand, which starts over when it arrives.
struct Aim {
    next: u64,
}

/// What part of the way up a climb takes at once.
const CLIMB: u64 = 3;

impl Aim {
    /// A capacity in `[least, peak)`; `least < peak`.
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

/// The styles of the successive searches. The first ones follow the heuristics; later ones shake their orders, because a search
/// that goes wrong early rarely recovers, while one from a slightly different order may run straight through.
struct Styles {
    overlaps: Overlaps,
    orders: Vec<Vec<usize>>,
    tried: u64,
    dives: u64,
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

    /// Which order a search has, and how many it has had before.
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
