//! The payload that the stock runtime's Ethos-U backend reads: Vela's command stream and what it needs, in blocks.
//!
//! # Format
//! Little endian. A block has a header of 32 bytes and its data, padded with 0 to a multiple of 16. The header is a
//! name of at most 15 bytes, padded with NUL to 16; the number of bytes; whether they are elsewhere; and 11 bytes of 0.
//! The first block, `vela_bin_stream`, and the last, `vela_end_stream`, are empty. Between them are `cmd_data`,
//! `weight_data`, `scratch_size` (4 bytes), `inputs` and `outputs` (a count, then nine words for each tensor).
//!
//! # Invariants
//! - What the reader accepts can be written, and the reader finds the same in it.
//! - The reader copies no block, and takes memory in proportion to the payload.

mod read;
mod write;

pub use read::{ReadError, read};
pub use write::{WriteError, write};

use bytes::Bytes;

/// The bytes of a block's header.
const HEADER: usize = 32;
/// The alignment of blocks, in bytes.
const ALIGNMENT: usize = 16;
/// The bytes of a block's name.
const NAME: usize = 16;
/// The name of the empty block at the start.
const FIRST: &str = "vela_bin_stream";
/// The name of the empty block at the end.
const LAST: &str = "vela_end_stream";
const COMMANDS: &str = "cmd_data";
const WEIGHTS: &str = "weight_data";
const SCRATCH: &str = "scratch_size";
const INPUTS: &str = "inputs";
const OUTPUTS: &str = "outputs";
/// The 32-bit words of a tensor.
const WORDS: usize = 9;
/// The first bytes of a command stream.
const MAGIC: [&[u8]; 2] = [b"COP1", b"COP2"];

/// A command stream with its weights, its memory and its tensors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The command stream, which begins with `COP1` or `COP2`.
    pub commands: Data,
    /// The weights, biases and tables that the commands read.
    pub weights: Data,
    /// The memory that the commands take while they run, inputs and outputs included, in bytes.
    pub scratch_bytes: u32,
    /// The inputs, in the order of the call's arguments.
    pub inputs: Vec<Slot>,
    /// The outputs.
    pub outputs: Vec<Slot>,
}

/// The data of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// The data lies in the payload.
    Here(Bytes),
    /// The data lies in the program's named data, under a key of 64 hexadecimal digits.
    Named(String),
}

impl Data {
    /// The length in bytes, if the data lies in the payload.
    pub fn len(&self) -> Option<usize> {
        match self {
            Data::Here(bytes) => Some(bytes.len()),
            Data::Named(_) => None,
        }
    }

    /// True if the data is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }
}

/// An input or output of the command stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The sizes in memory order, outermost first, padded with ones at the front.
    pub dims: [i32; 6],
    /// The bytes of an element.
    pub element_bytes: i32,
    /// The offset in the memory region, in bytes.
    pub offset: i32,
    /// The memory region: the one of the scratch memory.
    pub region: i32,
}

impl Slot {
    /// The number of elements. `None` if a size is negative, or if the number does not fit.
    pub fn elements(&self) -> Option<usize> {
        let mut sizes = self.dims.iter();
        sizes.try_fold(1usize, |n, &d| n.checked_mul(usize::try_from(d).ok()?))
    }
}

/// True if these bytes begin a payload.
pub fn is_payload(head: &[u8]) -> bool {
    head.starts_with(FIRST.as_bytes())
}
