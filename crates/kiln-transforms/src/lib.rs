//! The target-independent rewrites, and the framework that they are written in.
//!
//! A pass is a plain function over the rewriter and a [`framework::target::Target`]; a pipeline is a list of passes
//! ([`passes`] lists them all, with their order). Passes never ask which target they serve, only what it supports.
//! The folders say what passes are for; [`layout`] chooses memory orders and is asked by targets while they lower.

pub mod analysis;
pub mod decompose;
pub mod framework;
pub mod fuse;
pub mod joins;
pub mod layout;
pub mod moves;
pub mod passes;
pub mod quantised;
pub mod simplify;
pub mod split;
