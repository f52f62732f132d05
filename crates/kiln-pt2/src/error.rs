//! The error type of the crate: the file, its entry, what was found there, and what to do.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why an archive, program or tensor is refused.
///
/// Displays as `file: entry: what was found`, without file and entry while they are unknown.
#[derive(Clone, Debug)]
pub struct Error(Box<Located>);

#[derive(Clone, Debug)]
struct Located {
    file: Option<PathBuf>,
    entry: Option<String>,
    kind: ErrorKind,
}

/// The kinds of errors. Every message says what was found and, where possible, what to do.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file cannot be opened or mapped.
    #[error("cannot be read: {0}")]
    Io(Arc<std::io::Error>),
    /// Bytes cannot be written where the caller wants them.
    #[error("{0}")]
    Write(Arc<std::io::Error>),
    /// The file is no zip file that `torch.export.save` could have written.
    #[error("not a readable zip archive, or one that is damaged or cut off: {0}")]
    Zip(String),
    /// The bytes of an entry are not those that were written.
    #[error("{0}")]
    Damaged(String),
    /// The zip file has no exported program.
    #[error("{0}")]
    NotAnExport(String),
    /// The version, byte order or form is not supported.
    #[error("{0}")]
    Unsupported(String),
    /// An entry, model, tensor or attribute is referred to, but absent.
    #[error("{0}")]
    Missing(String),
    /// The JSON is malformed, or does not match the schema.
    #[error("malformed JSON at line {line} column {column}: {message}")]
    Json {
        /// The line of the error, counted from 1.
        line: usize,
        /// The column of the error, counted from 1.
        column: usize,
        /// The message of the parser.
        message: String,
    },
    /// A pickle is malformed, or uses something that the safe subset excludes.
    #[error("{0}")]
    Pickle(String),
    /// Shape, strides and storage of a tensor do not match.
    #[error("{0}")]
    Tensor(String),
    /// A symbolic expression cannot be parsed.
    #[error("{0}")]
    Expression(String),
    /// A limit was exceeded. Limits exist so that hostile input cannot exhaust memory.
    #[error("{0}")]
    Limit(String),
}

impl Error {
    /// The error without its place.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The file of the archive, if it was opened by path.
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// The entry of the archive with the error, for example `data/weights/weight_3`.
    pub fn entry(&self) -> Option<&str> {
        self.0.entry.as_deref()
    }

    /// Sets the entry, unless an inner one is already set.
    #[must_use]
    pub fn in_entry(mut self, entry: &str) -> Self {
        self.0.entry.get_or_insert_with(|| entry.to_owned());
        self
    }

    /// Sets the file, unless one is already set.
    #[must_use]
    pub fn in_file(mut self, file: &Path) -> Self {
        self.0.file.get_or_insert_with(|| file.to_owned());
        self
    }

    pub(crate) fn io(error: std::io::Error) -> Self {
        ErrorKind::Io(Arc::new(error)).into()
    }

    pub(crate) fn not_an_export(message: impl Into<String>) -> Self {
        ErrorKind::NotAnExport(message.into()).into()
    }

    /// The error for a file of another format, which says what to do.
    pub(crate) fn not_torch_export(found: &str) -> Self {
        Self::not_an_export(format!(
            "{found}; save the model with torch.export.save(torch.export.export(...), path)"
        ))
    }

    pub(crate) fn zip(message: impl fmt::Display) -> Self {
        ErrorKind::Zip(message.to_string()).into()
    }

    /// The error of the zip writer. Its input is right, so what fails is where it writes.
    pub(crate) fn write(error: rawzip::Error) -> Self {
        match error.into_kind() {
            rawzip::ErrorKind::IO(error) => ErrorKind::Write(Arc::new(error)).into(),
            other => Self::zip(other),
        }
    }

    pub(crate) fn damaged(message: impl Into<String>) -> Self {
        ErrorKind::Damaged(message.into()).into()
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        ErrorKind::Unsupported(message.into()).into()
    }

    pub(crate) fn missing(message: impl Into<String>) -> Self {
        ErrorKind::Missing(message.into()).into()
    }

    pub(crate) fn pickle(message: impl Into<String>) -> Self {
        ErrorKind::Pickle(message.into()).into()
    }

    pub(crate) fn tensor(message: impl Into<String>) -> Self {
        ErrorKind::Tensor(message.into()).into()
    }

    pub(crate) fn expression(message: impl Into<String>) -> Self {
        ErrorKind::Expression(message.into()).into()
    }

    pub(crate) fn limit(message: impl Into<String>) -> Self {
        ErrorKind::Limit(message.into()).into()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(Located {
            file: None,
            entry: None,
            kind,
        }))
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let text = error.to_string();
        let place = format!(" at line {line} column {column}");
        let message = text
            .strip_suffix(place.as_str())
            .unwrap_or(&text)
            .to_owned();
        ErrorKind::Json {
            line,
            column,
            message,
        }
        .into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = self.file() {
            write!(f, "{}: ", file.display())?;
        }
        if let Some(entry) = self.entry() {
            write!(f, "{entry}: ")?;
        }
        self.0.kind.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            ErrorKind::Io(error) | ErrorKind::Write(error) => Some(error.as_ref()),
            _ => None,
        }
    }
}
