//! The target-independent passes, and the framework that they are built on.
//!
//! A pass is a plain function over a [`kiln_ir::Rewriter`] and a [`framework::target::Target`]. A pipeline is a list of
//! passes; [`passes`] lists all passes and their order. A pass asks what the target supports, never which target it is.
//! Each folder is named for the purpose of its passes. [`layout`] is not a pass: targets call it to choose memory
//! orders while they lower.

pub mod analysis;
pub mod decompose;
pub mod framework;
pub mod fuse;
pub mod joins;
pub mod layout;
pub mod moves;
pub mod passes;
pub mod precision;
pub mod quantised;
pub mod simplify;
pub mod split;
