//! The framework of passes: passes and their reports, the target as passes see it, rules and their application,
//! constant folding, and the partition of a graph into delegates.

pub mod emitter;
pub mod folding;
pub mod guard;
pub mod pass;
pub mod regions;
pub mod rewriting;
pub mod target;
