//! How long the solver may think, and which of its tricks it may use.

use std::time::{Duration, Instant};

/// The budget of one call. Only `steps` decides by default, so the same problem gives the same plan on every machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Units of work (a waiting buffer looked at in one section) that the search may spend after the greedy plans; 0 = greedy
    /// only. The default takes about a tenth of a second, and is spent only where the greedy plans leave a gap.
    pub steps: u64,
    /// Wall-clock limit on top. A plan found under it may differ from one machine to the next.
    pub seconds: Option<f64>,
    /// What the search may do.
    pub tricks: Tricks,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            steps: 20_000_000,
            seconds: None,
            tricks: Tricks::default(),
        }
    }
}

impl Limits {
    /// The greedy plans only.
    pub fn greedy() -> Self {
        Limits {
            steps: 0,
            ..Limits::default()
        }
    }

    /// A hundred times the default: for one hard problem that is worth seconds.
    pub fn patient() -> Self {
        Limits {
            steps: 2_000_000_000,
            ..Limits::default()
        }
    }

    /// As many steps as fit in `seconds` of wall-clock time.
    pub fn within_seconds(seconds: f64) -> Self {
        Limits {
            steps: u64::MAX,
            seconds: Some(seconds),
            ..Limits::default()
        }
    }
}

/// The search's tricks by name. Each only saves work: none changes which plans exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tricks {
    /// Search each stretch of time alone once nothing unplaced links it to the rest.
    pub decompose: bool,
    /// Leave no room that a waiting buffer could have filled.
    pub dominance: bool,
    /// A buffer passed over must come to lie on one that is still to be placed.
    pub support: bool,
    /// Place equal buffers in a fixed order.
    pub twins: bool,
    /// Do not move a buffer that nothing else depends on when the rest fails.
    pub hatless: bool,
}

impl Tricks {
    /// The plain search.
    pub const NONE: Tricks = Tricks {
        decompose: false,
        dominance: false,
        support: false,
        twins: false,
        hatless: false,
    };
    /// Every trick.
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

/// What is left of a [`Limits`] while a call runs.
pub(crate) struct Budget {
    left: u64,
    deadline: Option<Instant>,
    next_look: u64,
}

/// Steps between two looks at the clock.
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

    /// Spends `steps`; false once the budget is gone, and ever after.
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

    /// Whether nothing is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }
}
