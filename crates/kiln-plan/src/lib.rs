//! The memory planner: from live ranges and sizes to offsets and a proof.
//!
//! The planner knows no graphs. A [`Problem`] is a list of [`Buffer`]s with live ranges and sizes, which may be aligned
//! or pinned. [`solve`] gives each an offset, such that no two buffers share a byte while both are live. It also says
//! how good the plan is: the peak, a lower bound, and a [`Proof`] or the gap. [`validate`] checks a solution
//! independently. [`conflict()`] names buffers that cannot fit a capacity together. [`read_csv`] and [`write_csv`] are
//! the text form. [`live`] makes a problem from program points that access memory. [`sliding`] places blocks that may overlap while
//! both are live, because their live bytes move.
//!
//! # Invariants
//! - Every solution is valid, whatever the [`Limits`]. They only bound the effort to lower the peak.
//! - Without a wall-clock limit, the same problem and limits give the same solution on every machine.
//! - Greedy plans cost `O(n log n)` plus the number of overlapping pairs, and only `O(n log n)` if there are too many
//!   pairs.
//! - A [`Proof`] other than a gap holds for all plans, not only for those that the search examines.
//! - No input makes the planner panic, exceed its limits, or allocate more than in proportion to the input (plus a
//!   fixed cap for overlapping pairs).
//!
//! The search follows google/minimalloc: canonical placement, decomposition, dominance. It adds bounds that stack each
//! section exactly, restarts with perturbed orders, and proofs of the least peak.

mod bound;
mod conflict;
mod crowded;
mod csv;
mod greedy;
mod instance;
mod limits;
pub mod live;
mod overlap;
mod portfolio;
mod problem;
mod random;
mod search;
pub mod sliding;
mod solution;
mod solve;
mod validate;

pub use conflict::{Cause, Conflict, conflict};
pub use csv::{CsvError, read_csv, write_csv};
pub use limits::{Limits, Tricks};
pub use problem::{Buffer, Problem, ProblemError};
pub use solution::{Proof, Solution};
pub use solve::solve;
pub use validate::{Fault, validate};
