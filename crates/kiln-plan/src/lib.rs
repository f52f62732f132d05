//! The memory planner: intervals and sizes in, offsets and a proof out.
mod bound;
mod csv;
mod greedy;
mod instance;
mod limits;
mod overlap;
mod portfolio;
mod problem;
mod search;
mod solution;
mod solve;
mod validate;

pub use csv::{CsvError, read_csv, write_csv};
pub use limits::{Limits, Tricks};
pub use problem::{Buffer, Problem, ProblemError};
pub use solution::{Proof, Solution};
pub use solve::solve;
pub use validate::{Fault, validate};
