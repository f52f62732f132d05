//! TOSA files: flatbuffers with the identifier `TOSA`.
//!
//! [`write()`] lays out a graph so that the bytes of constants are streamed behind the tables. [`read()`] reads version
//! 1.0 files of the serialisers of the peer and of the reference model.
//!
//! # How a graph is stored
//! - A region is a region of one block with the same name. Tensors are referred to by name.
//! - An operand that the specification wants at compile time, and that is an attribute here, is a `CONST` or a
//!   `CONST_SHAPE` before its first use; equal ones of a region are stored once. The reader turns them back into
//!   attributes, unless something else uses them.
//! - A variable is a tensor. `VARIABLE` and `VARIABLE_WRITE` name it as an output, `VARIABLE_READ` as an input.
//! - Constants with equal bytes are stored once. Their bytes are aligned to 8.

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

/// The identifier: bytes 4 to 8 of a file.
const IDENTIFIER: [u8; 4] = *b"TOSA";
/// Version 1.0.0, not a draft.
const VERSION: [i32; 3] = [1, 0, 0];
/// The code of `CONST_SHAPE`, which the dialect does not have.
const CONST_SHAPE: u32 = 75;

/// True if these bytes begin a TOSA file.
pub fn is_tosa(head: &[u8]) -> bool {
    head.get(4..8) == Some(&IDENTIFIER[..])
}
