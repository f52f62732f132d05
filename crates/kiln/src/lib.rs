//! Kiln as a library: the commands' work, without a command line.

// `output` writes without panicking where a pipe is closed.
#![deny(clippy::print_stderr, clippy::print_stdout)]

pub mod arithmetic;
pub mod budgets;
mod choices;
mod cli;
pub mod commands;
pub mod compare;
pub mod compiler;
pub mod counted;
mod custom;
pub mod entry;
pub mod evaluator;
pub mod explain;
mod growth;
pub mod import;
pub mod model;
pub mod model_options;
pub mod operators;
pub mod output;
pub mod quantisation;
mod refusals;
pub mod report;
pub mod target;
pub mod usage;
pub mod verified;
mod warnings;
