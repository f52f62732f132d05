//! The improvement of one partition: searches from several heuristic orders, at capacities between what is proven and what is
//! found, each allowed a few nodes first and then ever more.

use std::ops::Range;

use crate::bound::live_load;
use crate::greedy::{self, Ordering, Plan};
use crate::instance::Instance;
use crate::limits::{Budget, Tricks};
use crate::overlap::Overlaps;
use crate::search::{Outcome, search};

/// Beyond this many items or overlapping pairs a partition is not searched: a node would cost too much to get anywhere.
const MOST_ITEMS: usize = 4_000;
const MOST_PAIRS: usize = 1_000_000;

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
        let pinned = instance.items.iter().filter_map(|item| Some(item.pin? + item.size)).max();
        let lower_bound = live_load(&instance).max(pinned.unwrap_or(0));
        let plan = greedy::plan(&instance, enough);
        Part { instance, plan, lower_bound }
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
        self.instance.items.iter().zip(&self.plan.offsets).map(|(item, &at)| (item.buffer, at))
    }

    /// Searches until the peak is at most `enough`, or proven least, or the budget is spent.
    pub fn improve(&mut self, enough: u64, budget: &mut Budget, tricks: Tricks) {
        if self.instance.items.len() > MOST_ITEMS {
            return;
        }
        let Some(overlaps) = Overlaps::new(&self.instance, MOST_PAIRS) else { return };
        let pick: Option<usize> = std::env::var("PICK").ok().and_then(|s| s.parse().ok());
        let orders: Vec<Vec<usize>> = Ordering::SEARCHED.iter().enumerate().filter(|(i,_)| pick.is_none_or(|p| p==*i)).map(|(_,o)| o.of(&self.instance)).collect();
        let mut nodes = 4 * self.instance.items.len() as u64;
        while !self.is_settled(enough) && !budget.is_spent() {
            self.bisect(enough, |part, capacity| {
                for order in &orders {
                    match search(&part.instance, &overlaps, order, capacity, (nodes, budget, tricks)) {
                        Outcome::Stopped => {}
                        outcome => return outcome,
                    }
                }
                Outcome::Stopped
            });
            nodes = nodes.saturating_mul(2);
        }
    }

    fn is_settled(&self, enough: u64) -> bool {
        self.plan.peak <= enough.max(self.lower_bound)
    }

    /// Tries capacities: the least that may do first, then half way up to the plan at hand, for as long as searches stop early.
    fn bisect(&mut self, enough: u64, mut attempt: impl FnMut(&Part, u64) -> Outcome) {
        let mut tried = enough.max(self.lower_bound);
        while tried < self.plan.peak {
            match attempt(self, tried) {
                Outcome::Found(offsets) => {
                    self.plan = Plan::new(&self.instance, offsets);
                    tried = enough.max(self.lower_bound);
                    if self.is_settled(enough) {
                        return;
                    }
                }
                Outcome::Exhausted(least) => {
                    self.lower_bound = self.lower_bound.max(least.min(self.plan.peak));
                    tried = tried.max(self.lower_bound);
                }
                Outcome::Stopped => tried += (self.plan.peak - tried).div_ceil(2),
            }
        }
    }
}
