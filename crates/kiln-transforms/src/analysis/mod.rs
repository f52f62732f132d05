//! Analyses that several passes and targets use. They never rewrite the graph.

pub mod constants;
pub mod equal_steps;
pub mod pointwise;
pub mod ranges;
