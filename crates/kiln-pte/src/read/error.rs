//! Why a file is not taken.

use crate::Fault;
use crate::flatbuffer::{Expands, describe};

/// Why bytes are not a program that the stock runtime would take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The file is shorter than what its first bytes announce.
    #[error("the file is cut off: {what} ends at byte {needed}, but there are {found}")]
    Truncated {
        /// What does not fit.
        what: String,
        /// Where it ends.
        needed: u64,
        /// How many bytes there are.
        found: u64,
    },
    /// Not this format, or another generation of it.
    #[error("not an ExecuTorch program: bytes 4 to 8 are {found:02x?}, not \"ET12\"")]
    Identifier {
        /// What is where the identifier belongs.
        found: [u8; 4],
    },
    /// The extended header contradicts itself.
    #[error("the extended header is wrong: {0}")]
    Header(String),
    /// A table of the flatbuffer is out of bounds, or holds a code that the schema does not have.
    #[error("the flatbuffer is wrong: {0}")]
    Flatbuffer(String),
    /// A field that the runtime needs is absent.
    #[error("{0} is absent")]
    Missing(&'static str),
    /// A number is outside of what the runtime takes.
    #[error("{what} is {found}, but {allowed} is needed")]
    Value {
        /// The field.
        what: &'static str,
        /// What it holds.
        found: i128,
        /// What it may hold.
        allowed: &'static str,
    },
    /// The file has something that this reader (and the stock runtime) has no use for.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// Tables of the flatbuffer are shared too often.
    #[error("the program is not taken: {0}")]
    Expands(#[from] Expands),
    /// The tables are sound, but what they say breaks a rule.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<planus::Error> for ReadError {
    fn from(error: planus::Error) -> Self {
        ReadError::Flatbuffer(describe(&error))
    }
}
