//! Target descriptions and the target-independent rewrites.
//!
//! A pass is a plain function over the rewriter and a [`target::Target`]; a pipeline is a list of them.
//! Passes never ask which target they serve, only what it supports.

pub mod canonical;
pub mod clean;
pub mod decompose;
pub mod emitter;
pub mod folding;
pub mod linear_forms;
pub mod pass;
pub mod rewriting;
pub mod target;

use pass::Pass;

/// Every pass, in the order in which a pipeline may name them.
pub fn all_passes() -> &'static [Pass] {
    const PASSES: &[Pass] = &[clean::PASS, decompose::PASS, canonical::PASS];
    PASSES
}
