//! Guards: facts without which a rewrite is wrong.
//!
//! A rule asks its guard where it needs the fact: `ONE_AXIS.holds(inner.axis == outer.axis)`. A file declares its guards by
//! [`guards!`](crate::guards), and a pass lists them ([`Pass::guards`](crate::framework::pass::Pass::guards)). So a test can
//! take them away one by one and see that random graphs show each removal. Whether a rewrite pays, or ends, is no guard.
//!
//! The test needs the feature `removable_guards`; without it a guard is its condition and nothing else.

/// A fact without which a rewrite is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Guard {
    /// The module that asks it.
    pub module: &'static str,
    /// Its name there.
    pub name: &'static str,
    /// The fact.
    pub fact: &'static str,
}

impl Guard {
    /// True if the fact holds.
    #[inline]
    #[must_use]
    pub fn holds(&self, condition: bool) -> bool {
        #[cfg(feature = "removable_guards")]
        if !condition {
            return removal::lets_pass(*self);
        }
        condition
    }
}

/// Declares guards, each by its document, which is the fact, and its name; and the list of them, `GUARDS`.
#[macro_export]
macro_rules! guards {
    ($($(#[doc = $fact:literal])+ $name:ident;)+) => {
        $(
            $(#[doc = $fact])+
            const $name: $crate::framework::guard::Guard = $crate::framework::guard::Guard {
                module: module_path!(),
                name: stringify!($name),
                fact: concat!($($fact),+),
            };
        )+

        /// The guards of this file.
        pub(crate) const GUARDS: &[$crate::framework::guard::Guard] = &[$($name),+];
    };
}

#[cfg(feature = "removable_guards")]
pub use removal::{observed, without};

#[cfg(feature = "removable_guards")]
mod removal {
    use super::Guard;
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeSet;

    thread_local! {
        static REMOVED: Cell<Option<Guard>> = const { Cell::new(None) };
        static FORBADE: RefCell<BTreeSet<Guard>> = const { RefCell::new(BTreeSet::new()) };
    }

    /// True for a guard that is taken away. Any other is noted: its fact does not hold.
    pub(super) fn lets_pass(guard: Guard) -> bool {
        let is_removed = REMOVED.get() == Some(guard);
        if !is_removed {
            FORBADE.with_borrow_mut(|all| all.insert(guard));
        }
        is_removed
    }

    /// Runs something on this thread as if the guard always held. The guard stays away if `run` panics.
    pub fn without<T>(guard: Guard, run: impl FnOnce() -> T) -> T {
        REMOVED.set(Some(guard));
        let made = run();
        REMOVED.set(None);
        made
    }

    /// Runs something on this thread, and gives the guards that forbade something there.
    pub fn observed<T>(run: impl FnOnce() -> T) -> (T, BTreeSet<Guard>) {
        FORBADE.take();
        let made = run();
        (made, FORBADE.take())
    }
}
