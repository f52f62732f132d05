//! The one error type of the crate: which file, which entry of it, what was found there and what would do.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A refused archive, program or tensor.
///
/// Displays as `file: entry: what was found`; file and entry are left out while they are not known.
#[derive(Clone, Debug)]
pub struct Error(Box<Located>);

#[derive(Clone, Debug)]
struct Located {
    file: Option<PathBuf>,
    entry: Option<String>,
    kind: ErrorKind,
}

/// What is wrong. Every message says what was found and, where there is a way out, what would do.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file cannot be opened or mapped.
    #[error("cannot be read: {0}")]
    Io(Arc<std::io::Error>),
    /// The container is not a zip file that `torch.export.save` could have written.
    #[error("not a readable zip archive: {0}")]
    Zip(String),
    /// The zip holds no exported program.
    #[error("{0}")]
    NotAnExport(String),
    /// A version, byte order or form which this reader does not know.
    #[error("{0}")]
    Unsupported(String),
    /// An entry, model, tensor or attribute that is referred to but absent.
    #[error("{0}")]
    Missing(String),
    /// The JSON is malformed or does not follow the schema.
    #[error("malformed JSON at line {line} column {column}: {message}")]
    Json {
        /// Line of the fault, counted from 1.
        line: usize,
        /// Column of the fault, counted from 1.
        column: usize,
        /// The parser's words.
        message: String,
    },
    /// A pickle is malformed, or uses what the safe subset refuses.
    #[error("{0}")]
    Pickle(String),
    /// A tensor's shape, strides or storage do not fit together.
    #[error("{0}")]
    Tensor(String),
    /// A symbolic expression cannot be parsed.
    #[error("{0}")]
    Expression(String),
    /// A stated limit was passed; the limits exist so that hostile input cannot exhaust memory.
    #[error("{0}")]
    Limit(String),
}

impl Error {
    /// What is wrong, without its place.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The archive's file, if it was opened by path.
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// The entry of the archive at fault, e.g. `data/weights/weight_3`.
    pub fn entry(&self) -> Option<&str> {
        self.0.entry.as_deref()
    }

    /// Names the entry, unless an inner place is already named.
    #[must_use]
    pub fn in_entry(mut self, entry: &str) -> Self {
        self.0.entry.get_or_insert_with(|| entry.to_owned());
        self
    }

    /// Names the file, unless one is already named.
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

    /// That the file is something else, and what would do.
    pub(crate) fn not_torch_export(found: &str) -> Self {
        Self::not_an_export(format!(
            "{found}; save the model with torch.export.save(torch.export.export(...), path)"
        ))
    }

    pub(crate) fn zip(message: impl fmt::Display) -> Self {
        ErrorKind::Zip(message.to_string()).into()
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
            ErrorKind::Io(error) => Some(error.as_ref()),
            _ => None,
        }
    }
}
