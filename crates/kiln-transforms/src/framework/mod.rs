//! What every pass is built on: the pass itself, the target as passes see it, rules and how they are applied, constant
//! folding, and the partition of a graph into delegates.

pub mod emitter;
pub mod folding;
pub mod pass;
pub mod regions;
pub mod rewriting;
pub mod target;
