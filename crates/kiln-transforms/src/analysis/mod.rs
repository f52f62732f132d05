//! Analyses: questions about a graph that several passes and targets ask. Nothing is rewritten here.

pub mod constants;
pub mod layer;
pub mod pointwise;
pub mod ranges;
