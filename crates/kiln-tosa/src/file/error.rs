//! The errors of writing and reading files.

/// Why a graph cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The file would be too large: offsets of a flatbuffer have 31 bits.
    #[error("the file would have {0} bytes; a TOSA file has less than 2 GiB")]
    TooLarge(u64),
    /// The format has no place for a value.
    #[error("{place}: {what}")]
    At {
        /// The region, and the operator or tensor.
        place: String,
        /// What is wrong.
        what: String,
    },
}

/// Why bytes are not a TOSA 1.0 file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The file has another format.
    #[error("not a TOSA file: the identifier is {found:02x?}, not \"TOSA\"")]
    Identifier {
        /// The bytes at the place of the identifier.
        found: Vec<u8>,
    },
    /// A table is out of bounds, or has a code that the schema does not have.
    #[error("the file is damaged or cut off; its flatbuffer is wrong: {0}")]
    Flatbuffer(String),
    /// The file has another version.
    #[error("the file is of TOSA {found}; version 1.0 is read")]
    Version {
        /// The version that was found.
        found: String,
    },
    /// Tables are shared so often that the graph would take too much memory.
    #[error("reading would take more than {limit} bytes, out of proportion to the file's size")]
    Expands {
        /// The memory that a file of its size may take, in bytes.
        limit: u64,
    },
    /// Something is missing, or does not fit.
    #[error("{place}: {what}")]
    At {
        /// The region, and the operator or tensor.
        place: String,
        /// What was found, and what is allowed.
        what: String,
    },
}

impl From<planus::Error> for ReadError {
    fn from(error: planus::Error) -> Self {
        ReadError::Flatbuffer(error.to_string())
    }
}

impl From<u64> for ReadError {
    /// The error of a budget's limit.
    fn from(limit: u64) -> Self {
        ReadError::Expands { limit }
    }
}
