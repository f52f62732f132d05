//! The reference interpreter: what every core op means, in plain kernels.
//!
//! [`evaluate()`] runs a [`kiln_ir::Graph`] on dense tensors; [`evaluate_op`] runs one op.
//! The documents of the op families in [`kiln_ir::ops`] are the contract; where they leave a choice,
//! the answer is that of PyTorch's CPU kernels.
//!
//! # Semantics
//! - Elementary functions of f32 compute in f64 and round once; half types compute in f32 and round once.
//! - Sums and means, averages of pools, matrix products and samples of linear resizing add up in the
//!   compute type (f32 for halves), the first two and the last in PyTorch's order; scans and statistics
//!   of normalisations in f64.
//! - Integers wrap. An integer division by zero, an index out of range and a size outside a symbol's
//!   range are errors.
//! - A result does not depend on the number of threads.
//!
//! # Invariants
//! - No graph that [`kiln_ir::verify`](mod@kiln_ir::verify) accepts panics, whatever its sizes: every
//!   op is inferred again at the sizes found before its kernel runs, and each allocation is counted
//!   against [`Options::max_bytes`].
//! - A tensor is dropped behind its last use.

mod bindings;
mod concrete;
mod dispatch;
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
