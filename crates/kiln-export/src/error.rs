//! Why a graph cannot be written.

/// Why a graph cannot be written as an archive.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// An op has no form in an archive.
    #[error("{place}: {op} cannot be written to an archive: {why}")]
    Op {
        /// The op's name.
        op: String,
        /// The node, with the user's line if it is known.
        place: String,
        /// What cannot be said, and what to do.
        why: String,
    },
    /// An input, an output or a state has no form in an archive.
    #[error("{what} cannot be written to an archive: {why}")]
    Border {
        /// The input, output or state.
        what: String,
        /// What cannot be said, and what to do.
        why: String,
    },
    /// The archive's reader and writer refuse a tensor.
    #[error(transparent)]
    Archive(#[from] kiln_pt2::Error),
}

/// Why a writer of an op refuses it; the caller knows the op and the node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unwritten(pub(crate) String);

impl Unwritten {
    /// A reason.
    pub(crate) fn new(why: impl Into<String>) -> Unwritten {
        Unwritten(why.into())
    }
}

impl From<kiln_pt2::Error> for Unwritten {
    fn from(error: kiln_pt2::Error) -> Unwritten {
        Unwritten(error.to_string())
    }
}
