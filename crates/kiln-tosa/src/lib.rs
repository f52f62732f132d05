//! The TOSA target: dialect, files, verifier and evaluator; and the lowering of the core graph.
//!
//! [`dialect`] is TOSA 1.0 as typed operators, with the builder that a lowering uses; [`mod@file`] reads and writes them.
//! [`compile()`] lowers a graph that went through the [`pipeline()`].

mod border;
mod compile;
pub mod dialect;
pub mod file;
mod lower;
mod orders;
mod pipeline;
mod target;

pub use compile::{CompileError, compile, least_moved, moved_bytes};
pub use kiln_transforms::layout::Least;
pub use pipeline::pipeline;
pub use target::Tosa;
