//! Lowering of what no delegate takes to the kernels of the stock runtime.
//!
//! [`emit()`] turns graphs, with the parts that delegates take of them ([`region`]), into a program: every node
//! outside of a region becomes calls of exactly the kernels that the stock 1.5.1 runtime registers, sizes that are
//! known only when running are computed by its primitive ops, branches and loops become jumps, and everything
//! that is not constant gets a place in one planned arena. [`support()`] says beforehand which nodes that can be.
//!
//! # Invariants
//! - A node that `support` accepts is emitted; one that it declines is an [`EmitError`] with the same reason.
//! - Kernels see contiguous tensors only; memory orders of users and delegates are converted at the border.
//! - No byte of a constant, blob or named datum is copied.
//! - The same graphs, regions and options give the same program.

mod bounds;
mod compile_target;
mod difference;
mod draft;
mod emit;
mod error;
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
pub use pipeline::pipeline;
pub use report::MethodReport;
pub use support::{placement, quotients_below, support};
pub use target::Portable;
pub use views::{is_read_by, joins_in_place, lies_together};
