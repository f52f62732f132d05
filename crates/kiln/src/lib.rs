//! The library facade of Kiln: what the commands do, callable without a command line.

pub mod artifact;
pub mod budgets;
pub mod commands;
pub mod compare;
pub mod compiler;
pub mod counted;
pub mod execute;
pub mod explain;
pub mod import;
pub mod model;
pub mod output;
pub mod placement;
pub mod progress;
mod refusals;
pub mod report;
pub mod target;
pub mod tensors;
pub mod usage;
mod warnings;
