//! The library facade of Kiln: what the commands do, callable without a command line.

pub mod commands;
pub mod compare;
pub mod import;
pub mod model;
pub mod output;
pub mod target;
pub mod tensors;
