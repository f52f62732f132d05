//! Errors that have an exit status of their own.

/// Wrong usage that only the model shows. The exit status is 2 instead of 1. The message says what was asked for, and what there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageError(String);

impl UsageError {
    /// The error with this message.
    pub fn new(message: impl Into<String>) -> UsageError {
        UsageError(message.into())
    }
}

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// A run gave other values than expected. The exit status is 3 instead of 1. The message says which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherValues(String);

impl OtherValues {
    /// The error with this message.
    pub fn new(message: impl Into<String>) -> OtherValues {
        OtherValues(message.into())
    }
}

impl std::fmt::Display for OtherValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OtherValues {}
