//! The memory planner: intervals and sizes in, offsets and a proof out.
//!
//! It knows no graphs. A [`Problem`] is a list of [`Buffer`]s, each live for a while, of a size, perhaps aligned or pinned;
//! [`solve`] gives each an offset such that no two share a byte while both are live, and says how good that is: the peak, a
//! lower bound, and a [`Proof`] or the gap. [`validate`] judges a solution without a look at how it came about. [`conflict()`]
//! names buffers that cannot fit a capacity together. [`read_csv`] and [`write_csv`] are the text form. [`live`] makes a
//! problem of steps that access memory.
//!
//! # Invariants
//! - Every solution is valid, whatever the [`Limits`]; they only bound how hard the solver tries to lower the peak.
//! - Without a wall-clock limit the same problem and limits give the same solution on every machine.
//! - Greedy plans cost `O(n log n)` beside the overlapping pairs, and are kept to `O(n log n)` where those are too many.
//! - A [`Proof`] other than a gap holds for every plan, not only for those that the search would look at.
//! - No input makes the planner panic, hang past its limits, or allocate more than in proportion to it (beside a fixed cap on
//!   overlapping pairs).
//!
//! The search learns from google/minimalloc: canonical placement, decomposition, dominance. It adds
//! bounds that stack each section exactly, restarts from shaken orders, and proofs of the least peak.

mod bound;
mod conflict;
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
