//! The Cortex-M target: programs of calls of CMSIS-NN and of Kiln's own kernels.
//!
//! [`dialect`] is a program as typed buffers and a list of calls of C functions. [`verify`](mod@verify) lists the rules of the
//! library that a program breaks, [`evaluate`](mod@evaluate) computes by the library's arithmetic, bit for bit, and [`plan`](mod@plan)
//! gives each buffer its place in the arena. [`stream`] rewrites a program so that chains of layers are computed by rows, in a smaller
//! arena.

pub mod cores;
pub mod dialect;
pub mod evaluate;
pub mod plan;
pub mod stream;
pub mod verify;
