//! Lowers the nodes that no delegate takes to kernels of the stock runtime, and emits whole programs.
//!
//! [`emit()`] turns graphs and the regions that delegates take ([`region`]) into a program. Every node outside of a
//! region becomes calls of kernels that the stock runtime 1.5.1 registers. Primitive ops compute sizes that are known
//! only at run time. Branches and loops become jumps. Everything that is not constant gets a place in one planned
//! arena. [`support()`] says beforehand which nodes can be lowered.
//!
//! # Invariants
//!
//! - A node that `support` accepts is emitted. A node that it declines is an [`EmitError`] with the same reason.
//! - Kernels of the stock runtime see contiguous tensors only. Memory orders of callers, delegates and a target's own kernels ([`calls`])
//!   are converted at the border.
//! - No byte of a constant, blob or named datum is copied.
//! - The same graphs, regions and options give the same program.

mod arena;
mod bounds;
pub mod calls;
mod compile_target;
mod difference;
mod draft;
mod emit;
mod error;
mod kernels;
mod lower;
mod memory;
mod order;
mod pipeline;
pub mod program;
pub mod region;
mod report;
mod support;
mod target;
mod views;

pub use bounds::widest;
pub use compile_target::TARGETS;
pub use difference::difference;
pub use emit::{Emitted, Method, Options, emit};
pub use error::EmitError;
pub use kernels::KERNELS;
pub use pipeline::pipeline;
pub use report::MethodReport;
pub use support::{placement, quotients_below, support};
pub use target::Portable;
pub use views::{MAX_NESTED, is_read_by, joins_in_place, lies_together};
