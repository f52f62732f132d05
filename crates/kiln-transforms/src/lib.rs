//! Target descriptions and the target-independent rewrites.
//!
//! A pass is a plain function over the rewriter and a [`target::Target`]; a pipeline is a list of them.
//! Passes never ask which target they serve, only what it supports.

pub mod pass;
pub mod target;
