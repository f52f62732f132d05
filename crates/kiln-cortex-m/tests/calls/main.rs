//! Calls of single functions: those that the library recorded, by the evaluator; and those and random ones, by the compiled kernels
//! of `kiln_nn` on the host and on QEMU's boards.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod compiled;
mod driver;
mod random;
#[path = "../recorded/mod.rs"]
mod recorded;
mod trial;
mod vectors;
