//! Why a file is refused.

use crate::Fault;
use crate::flatbuffer::{Expands, describe};

/// Why bytes are no program that the stock runtime would load.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The file is shorter than its first bytes announce.
    #[error("the file is cut off: {what} ends at byte {needed}, but there are {found}")]
    Truncated {
        /// The part that does not fit.
        what: String,
        /// The end of this part, in bytes.
        needed: u64,
        /// The number of bytes of the file.
        found: u64,
    },
    /// The file has another format, or another version of it.
    #[error("not an ExecuTorch program: bytes 4 to 8 are {found:02x?}, not \"ET12\"")]
    Identifier {
        /// The bytes in place of the identifier.
        found: [u8; 4],
    },
    /// The extended header is inconsistent.
    #[error("the extended header is wrong: {0}")]
    Header(String),
    /// A table of the flatbuffer is out of bounds, or has a code that the schema does not have.
    #[error("the file is damaged or cut off; its flatbuffer is wrong: {0}")]
    Flatbuffer(String),
    /// A field that the runtime needs is absent.
    #[error("{0} is absent")]
    Missing(&'static str),
    /// A number is outside of the range that the runtime accepts.
    #[error("{what} is {found}, but {allowed} is needed")]
    Value {
        /// The field.
        what: &'static str,
        /// The value of the field.
        found: i128,
        /// The allowed values.
        allowed: &'static str,
    },
    /// The file has a feature that this reader and the stock runtime do not support.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// Tables of the flatbuffer are shared too often.
    #[error("the program is not supported: {0}")]
    Expands(#[from] Expands),
    /// The tables are valid, but the program violates a rule.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<planus::Error> for ReadError {
    fn from(error: planus::Error) -> Self {
        ReadError::Flatbuffer(describe(&error))
    }
}
