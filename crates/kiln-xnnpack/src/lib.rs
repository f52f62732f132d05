//! The XNNPACK target: support table, payload dialect, lowering, writer, reader and evaluator.
//!
//! [`compile()`] cuts a graph into convex regions, chooses memory orders, and lowers each region to a
//! [`payload`]. [`support()`] says of each node whether a delegate runs it, and why not. [`execute`] runs a payload without the runtime.

mod compile;
mod compile_target;
mod evaluate;
mod halves;
mod lower;
mod orders;
pub mod payload;
mod payload_reader;
mod pipeline;
mod rates;
mod repeats;
mod support;
mod target;
mod weights;

pub use compile::{BACKEND, CompileError, compile, least_moved};
pub use compile_target::{TARGETS, finer_layer_count};
pub use evaluate::{ExecuteError, Loaded, execute};
pub use kiln_target::Half;
pub use kiln_transforms::framework::regions::find_reentry;
pub use kiln_transforms::layout::Least;
pub use lower::LowerError;
pub use payload_reader::{XnnpackPayloads, adds_up_in_f16};
pub use pipeline::pipeline;
pub use rates::RATES;
pub use support::{Options, difference, support, support_with};
pub use target::Xnnpack;
