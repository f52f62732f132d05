//! Errors of artifacts.

use std::error::Error as Cause;

/// Why an artifact was not made, written, read or run: sentences for the user, the outermost first.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A sentence.
    #[error("{0}")]
    Message(String),
    /// An error of the crate that does the work.
    #[error(transparent)]
    Other(Box<dyn Cause + Send + Sync>),
    /// What was done when the error occurred, or to which file.
    #[error("{message}")]
    Context {
        /// In words.
        message: String,
        /// The error.
        source: Box<dyn Cause + Send + Sync>,
    },
}

impl Error {
    /// That sentence.
    pub fn new(message: impl Into<String>) -> Error {
        Error::Message(message.into())
    }

    /// An error of another crate, as it is.
    pub fn of(error: impl Cause + Send + Sync + 'static) -> Error {
        Error::Other(Box::new(error))
    }
}

/// Errors with what was done when they occurred.
pub trait Explain<T> {
    /// The same with a sentence in front.
    ///
    /// # Errors
    /// If this is one.
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
