//! The reference interpreter: the meaning of every core op, in simple kernels.
//!
//! [`evaluate()`] runs a [`kiln_ir::Graph`] on dense tensors, [`evaluate_op`] runs one op. The documents of the op
//! families in [`kiln_ir::ops`] are the contract. Where they leave a choice, the interpreter does what PyTorch's CPU
//! kernels do.
//!
//! # Semantics
//! - Elementary functions of f32 are computed in f64 and rounded once. Half types compute in f32 and round once.
//! - These accumulate in the compute type (f32 for half types): sums, means, averages of pools, matrix products and
//!   samples of linear resizes. Sums, means and linear resizes add in PyTorch's order. Scans, and statistics of
//!   normalisations, accumulate in f64.
//! - Integers wrap. An integer division by zero, an index out of range and a size outside of a symbol's range are
//!   errors.
//! - Results do not depend on the number of threads.
//!
//! # Invariants
//! - No graph that [`kiln_ir::verify`](mod@kiln_ir::verify) accepts causes a panic, whatever its sizes. The shape rule
//!   of every op runs again for the actual sizes before its kernel does, and each allocation counts against
//!   [`Options::max_bytes`].
//! - A tensor is dropped after its last use.

mod bindings;
mod concrete;
mod dispatch;
mod dynamic;
mod element;
mod error;
mod evaluate;
mod kernels;
mod liveness;
mod nest;
mod op;
mod quantised;
mod state;
mod tensor;

pub use bindings::Bindings;
pub use element::Element;
pub use error::{Cause, EvalError, NodePlace};
pub use evaluate::{Observer, Options, Outcome, evaluate, evaluate_observed};
pub use op::evaluate_op;
pub use state::State;
pub use tensor::Tensor;
