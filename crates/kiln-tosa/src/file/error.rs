//! What can be wrong with a file.

/// A graph cannot be a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// Offsets in a flatbuffer have 31 bits.
    #[error("the file would have {0} bytes; a TOSA file has less than 2 GiB")]
    TooLarge(u64),
    /// Something that the format has no place for.
    #[error("{place}: {what}")]
    At {
        /// Region and operator or tensor.
        place: String,
        /// What is wrong.
        what: String,
    },
}

/// Bytes are no TOSA 1.0 file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Another format.
    #[error("not a TOSA file: the identifier is {found:02x?}, not \"TOSA\"")]
    Identifier {
        /// What is where the identifier belongs.
        found: Vec<u8>,
    },
    /// A table is out of bounds, or holds a code that the schema does not have.
    #[error("the flatbuffer is wrong: {0}")]
    Flatbuffer(String),
    /// Another version.
    #[error("the file is of TOSA {found}; version 1.0 is read")]
    Version {
        /// Its version.
        found: String,
    },
    /// Parts are shared so often that memory would not suffice.
    #[error("reading would take more than {limit} bytes, out of proportion to the file's size")]
    Expands {
        /// What a file of its size may take.
        limit: u64,
    },
    /// Something that is missing, or does not fit.
    #[error("{place}: {what}")]
    At {
        /// Region, and operator or tensor.
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
    /// From the limit of a budget.
    fn from(limit: u64) -> Self {
        ReadError::Expands { limit }
    }
}
