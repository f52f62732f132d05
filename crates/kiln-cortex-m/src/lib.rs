//! The Cortex-M target: programs of calls of CMSIS-NN and of Kiln's own kernels.
//!
//! A [`dialect`] program is a list of calls of C functions on typed buffers. [`verify`](mod@verify) lists the rules of the
//! library that a program breaks. [`evaluate`](mod@evaluate) computes by the library's arithmetic, bit for bit.
//! [`plan`](mod@plan) places each buffer in the arena. [`compile()`] lowers a graph that went through the [`pipeline()`] to a
//! program. [`stream`] rewrites a program so that chains of layers run in row tiles, in a smaller arena. A [`project`] is a
//! program as a folder of C99.

mod artifact;
pub mod bands;
mod compile;
mod compile_target;
pub mod cores;
pub mod dialect;
mod embedded;
pub mod evaluate;
mod executorch;
mod floats;
mod linked;
mod lower;
mod orders;
mod pipeline;
pub mod plan;
pub mod project;
pub mod stream;
mod target;
mod threads;
pub mod verify;

pub use artifact::{
    C_PROJECT, CProjects, Library, NewProject, Outcome, Together, Workshop, lacks_qemu, measure,
};
pub use compile::{CompileError, compile, least_moved};
pub use compile_target::{CompiledProject, TARGETS, compile_observed, compile_project};
pub use executorch::{Firmware, Library as Kernels, regions, regions_of};
pub use lower::trial;
pub use orders::Orders;
pub use pipeline::pipeline;
pub use target::CortexM;
