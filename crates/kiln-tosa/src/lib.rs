//! The TOSA target: dialect, files, verifier and evaluator; and the lowering of the core graph.
//!
//! [`dialect`] is TOSA 1.0 as typed operators, with the builder that a lowering uses; [`mod@file`] reads and writes them;
//! [`verify`](mod@verify) lists what breaks a rule of the specification, and
//! [`evaluate`](mod@evaluate) is its arithmetic, [`mod@reference`] the reference model.
//! [`compile()`] lowers a graph that went through the [`pipeline()`], [`compile_part`] what a delegate takes of one.

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
