//! TOSA files: flatbuffers with the identifier `TOSA`.
//!
//! [`write()`] lays a graph out, so that constants are streamed behind the tables; [`read()`] takes what the TOSA
//! serialisers of the peer and of the reference model write, version 1.0.
//!
//! # How a graph is stored
//! - A region is a region with one block of the same name. Tensors are referred to by name.
//! - What is a compile-time operand in the specification and an attribute here is a `CONST` or a `CONST_SHAPE` in
//!   front of its first use, one for all equal ones of a region. Reading takes them back, if nothing else uses them.
//! - A variable is a tensor of its own, which `VARIABLE` and `VARIABLE_WRITE` name as output and `VARIABLE_READ` as
//!   input.
//! - Constants with equal bytes are stored once. Bytes start at multiples of 8.

mod attribute;
mod budget;
mod code;
mod encode;
mod error;
mod operand;
mod parameters;
mod read;
#[allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    clippy::undocumented_unsafe_blocks
)]
#[path = "../gen/tosa.rs"]
mod tosa_fb;
mod write;

pub use error::{ReadError, WriteError};
pub use read::read;
pub use write::{File, write};

/// Bytes 4 to 8 of a file.
const IDENTIFIER: [u8; 4] = *b"TOSA";
/// Version 1.0.0, no draft.
const VERSION: [i32; 3] = [1, 0, 0];
/// The code of `CONST_SHAPE`, which is no operator of the dialect.
const CONST_SHAPE: u32 = 75;

/// True for the first bytes of a TOSA file.
pub fn is_tosa(head: &[u8]) -> bool {
    head.get(4..8) == Some(&IDENTIFIER[..])
}
