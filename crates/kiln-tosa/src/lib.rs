//! The TOSA target: dialect, files, verifier and evaluator.
//!
//! [`dialect`] is TOSA 1.0 as typed operators, with the builder that a lowering uses; [`mod@file`] reads and writes them.

pub mod dialect;
pub mod file;
