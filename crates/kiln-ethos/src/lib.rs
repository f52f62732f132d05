//! The Ethos-U target: regions of integers run on the NPU, all else as kernels of the stock runtime.
//!
//! [`compile()`] finds the regions of a graph that the NPU takes and lowers each to TOSA. [`Vela`] makes its command
//! stream, and [`payload`] wraps this stream as the stock runtime's Ethos-U backend reads it. [`support()`] says
//! whether a [`Core`] runs the operators of a TOSA graph, and why not.
//!
//! Only [`Vela`] starts a process and opens files.

mod compile;
mod compile_target;
mod core_name;
mod fallback;
mod kernels;
mod npy;
mod npz;
mod orders;
pub mod payload;
mod payload_reader;
mod stand_in;
mod support;
mod target;
mod vela;

pub use compile::{BACKEND, CommandStreams, CompileError, Refusal, compile, least_moved};
pub use compile_target::TARGETS;
pub use core_name::{Core, Family};
pub use fallback::{Delegates, compile_or_fall_back};
pub use npz::{NpzError, read_npz};
pub use payload_reader::EthosUPayloads;
pub use stand_in::{StandIn, stood_in};
pub use support::{refusals, support};
pub use target::EthosU;
pub use vela::{VELA, Vela, VelaError};
