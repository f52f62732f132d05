//! The effort limits of the solver, and the pruning rules of its search.

use std::time::{Duration, Instant};

/// The budget of one call. By default only `steps` limits it, so the same problem gives the same plan on every machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// The units of work that the search may do after the greedy plans; 0 means greedy plans only. A unit is about one
    /// waiting buffer examined in one section. The default takes about a tenth of a second, and is used only if the
    /// greedy plans leave a gap.
    pub steps: u64,
    /// An additional wall-clock limit. Plans under such a limit may differ between machines.
    pub seconds: Option<f64>,
    /// The pruning rules of the search.
    pub tricks: Tricks,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            steps: 10_000_000,
            seconds: None,
            tricks: Tricks::default(),
        }
    }
}

impl Limits {
    /// Only the greedy plans.
    pub fn greedy() -> Self {
        Limits {
            steps: 0,
            ..Limits::default()
        }
    }

    /// Two hundred times the default, for a hard problem that is worth seconds.
    pub fn patient() -> Self {
        Limits {
            steps: 2_000_000_000,
            ..Limits::default()
        }
    }

    /// As many steps as possible within `seconds` of wall-clock time.
    pub fn within_seconds(seconds: f64) -> Self {
        Limits {
            steps: u64::MAX,
            seconds: Some(seconds),
            ..Limits::default()
        }
    }
}

/// The pruning rules of the search. Each only saves work: none excludes a lower peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tricks {
    /// Search stretches of time separately, once no unplaced buffer links them.
    pub decompose: bool,
    /// Leave no room below a buffer that a waiting buffer could have filled.
    pub dominance: bool,
    /// A buffer that was passed over must come to lie on one that is still to be placed.
    pub support: bool,
    /// Place equal buffers in a fixed order.
    pub twins: bool,
    /// If the search fails after placing a buffer that no waiting buffer overlaps, do not try other positions for it.
    pub hatless: bool,
}

impl Tricks {
    /// No pruning.
    pub const NONE: Tricks = Tricks {
        decompose: false,
        dominance: false,
        support: false,
        twins: false,
        hatless: false,
    };
    /// All pruning rules.
    pub const ALL: Tricks = Tricks {
        decompose: true,
        dominance: true,
        support: true,
        twins: true,
        hatless: true,
    };
}

impl Default for Tricks {
    fn default() -> Self {
        Tricks::ALL
    }
}

/// The rest of the [`Limits`] during a call.
pub(crate) struct Budget {
    left: u64,
    deadline: Option<Instant>,
    next_look: u64,
}

/// The number of steps between two readings of the clock.
const LOOK_EVERY: u64 = 1 << 16;

impl Budget {
    pub(crate) fn new(limits: &Limits) -> Self {
        let deadline = limits
            .seconds
            .and_then(|s| Duration::try_from_secs_f64(s.max(0.0)).ok())
            .and_then(|wait| Instant::now().checked_add(wait));
        Budget {
            left: limits.steps,
            deadline,
            next_look: limits.steps.saturating_sub(LOOK_EVERY),
        }
    }

    /// Uses up `steps`. False once the budget is exhausted, and from then on.
    pub(crate) fn spend(&mut self, steps: u64) -> bool {
        self.left = self.left.saturating_sub(steps);
        if self.left <= self.next_look {
            self.next_look = self.left.saturating_sub(LOOK_EVERY);
            if self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
            {
                self.left = 0;
            }
        }
        self.left > 0
    }

    /// True if the budget is exhausted.
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }
}
