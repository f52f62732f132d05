//! What the stock runtime's Ethos-U backend is given: Vela's command stream with what it needs, in blocks.
//!
//! # Format
//! Little endian. A block is a header of 32 bytes (a name of at most 15 bytes filled up with NUL to 16, the number of
//! bytes, whether they are elsewhere, 11 bytes of 0) and its bytes, filled up with 0 to a multiple of 16. The first block,
//! `vela_bin_stream`, and the last, `vela_end_stream`, are empty. Between them are `cmd_data`, `weight_data`,
//! `scratch_size` (4 bytes), `inputs` and `outputs` (a count, then nine words for each tensor).
//!
//! # Invariants
//! - What is read can be written, and reads the same.
//! - Reading copies no block, and takes memory in proportion to the payload.

mod read;
mod write;

pub use read::{ReadError, read};
pub use write::{WriteError, write};

use bytes::Bytes;

/// Bytes of a block's header; blocks start at multiples of half of it.
const HEADER: usize = 32;
/// Blocks start at multiples of this.
const ALIGNMENT: usize = 16;
/// Bytes of a block's name.
const NAME: usize = 16;
/// The empty block in front.
const FIRST: &str = "vela_bin_stream";
/// The empty block at the end.
const LAST: &str = "vela_end_stream";
const COMMANDS: &str = "cmd_data";
const WEIGHTS: &str = "weight_data";
const SCRATCH: &str = "scratch_size";
const INPUTS: &str = "inputs";
const OUTPUTS: &str = "outputs";
/// The words of a tensor.
const WORDS: usize = 9;
/// What a command stream begins with.
const MAGIC: [&[u8]; 2] = [b"COP1", b"COP2"];

/// A command stream and what it runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The command stream, which begins with `COP1` or `COP2`.
    pub commands: Data,
    /// Weights, biases and tables, as the commands read them.
    pub weights: Data,
    /// Bytes of memory that the commands take while they run, inputs and outputs among them.
    pub scratch_bytes: u32,
    /// What is given, in the order of the call's arguments.
    pub inputs: Vec<Slot>,
    /// What is made.
    pub outputs: Vec<Slot>,
}

/// A block's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// In the payload.
    Here(Bytes),
    /// In the program's named data, under this key of 64 hexadecimal digits.
    Named(String),
}

impl Data {
    /// How many bytes, if they are in the payload.
    pub fn len(&self) -> Option<usize> {
        match self {
            Data::Here(bytes) => Some(bytes.len()),
            Data::Named(_) => None,
        }
    }

    /// True if there is nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }
}

/// Where a tensor of the border lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Sizes as they lie, outermost first, with ones in front.
    pub dims: [i32; 6],
    /// Bytes of an element.
    pub element_bytes: i32,
    /// Where it begins in the region.
    pub offset: i32,
    /// The memory region: that of the scratch memory.
    pub region: i32,
}

impl Slot {
    /// How many elements; `None` if a size is below 0, or they do not fit.
    pub fn elements(&self) -> Option<usize> {
        let mut sizes = self.dims.iter();
        sizes.try_fold(1usize, |n, &d| n.checked_mul(usize::try_from(d).ok()?))
    }
}

/// True for the first bytes of a payload.
pub fn is_payload(head: &[u8]) -> bool {
    head.starts_with(FIRST.as_bytes())
}
