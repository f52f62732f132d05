//! The Ethos-U target: integers on the NPU, kernels of the stock runtime for the rest.
//!
//! [`compile()`] cuts a graph into what the NPU takes, lowers each part to TOSA, and lets [`Vela`] make a command stream
//! of it, which [`payload`] wraps as the stock runtime's Ethos-U backend reads it. [`support()`] says of a TOSA graph
//! whether a [`Core`] runs it, and why not.
//!
//! The one place here that starts a process and opens files is [`Vela`].

mod compile;
mod compile_target;
mod core_name;
mod fallback;
mod interruption;
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
