//! Errors of artifacts.

use std::error::Error as Cause;

/// Why an artifact was not made, written, read or run. The outermost message comes first.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A sentence.
    #[error("{0}")]
    Message(String),
    /// An error of another crate.
    #[error(transparent)]
    Other(Box<dyn Cause + Send + Sync>),
    /// An error with its context: what was being done, or to which file.
    #[error("{message}")]
    Context {
        /// The context.
        message: String,
        /// The error.
        source: Box<dyn Cause + Send + Sync>,
    },
}

impl Error {
    /// An error that consists of one sentence.
    pub fn new(message: impl Into<String>) -> Error {
        Error::Message(message.into())
    }

    /// Wraps an error of another crate, without context.
    pub fn of(error: impl Cause + Send + Sync + 'static) -> Error {
        Error::Other(Box::new(error))
    }
}

/// Adds context to errors.
pub trait Explain<T> {
    /// The result, with a sentence in front of its error.
    ///
    /// # Errors
    /// The result is an error.
    fn explain(self, message: impl FnOnce() -> String) -> Result<T, Error>;
}

impl<T, E: Cause + Send + Sync + 'static> Explain<T> for Result<T, E> {
    fn explain(self, message: impl FnOnce() -> String) -> Result<T, Error> {
        self.map_err(|error| Error::Context {
            message: message(),
            source: Box::new(error),
        })
    }
}
