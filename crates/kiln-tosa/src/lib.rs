//! The TOSA target: the lowering of the core graph, and the dialect with its files, verifier and evaluator.
//!
//! [`dialect`] is TOSA 1.0 as a graph of typed operators, with the builder that the lowering uses. [`mod@file`] reads
//! and writes such graphs. [`verify`](mod@verify) lists the rules of the specification that a graph breaks,
//! [`evaluate`](mod@evaluate) computes by the specification's arithmetic, and [`mod@reference`] runs the reference
//! model. [`compile()`] lowers a graph that went through the [`pipeline()`]; [`compile_part`] lowers the nodes of a
//! delegate.

mod artifact;
mod compile;
mod compile_target;
pub mod dialect;
mod difference;
pub mod evaluate;
pub mod file;
mod lower;
mod machine;
mod orders;
mod pipeline;
pub mod reference;
mod target;
pub mod verify;

pub use artifact::{TOSA_FILE, TosaFiles};
pub use compile::{CompileError, compile, compile_for, compile_part, least_moved, moved_bytes};
pub use compile_target::{TARGETS, TosaTarget};
pub use kiln_transforms::layout::Least;
pub use lower::trial;
pub use machine::Machine;
pub use orders::Orders;
pub use pipeline::{integer_pipeline, pipeline};
pub use target::Tosa;
