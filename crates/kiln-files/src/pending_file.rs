//! A file that is written whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A file that is being written and appears complete or not at all.
///
/// It is written in the directory of its place, then moved there, so that an older file stays if anything fails or the
/// value is dropped. Until then it has no name where the system knows such files (Linux, nearly every file system), so
/// that nothing is left of a process that is killed; elsewhere it has another name. It has the rights of a new file, a
/// link stays one, and what is there already and no regular file (a pipe, a device) is written to directly.
#[derive(Debug)]
pub struct PendingFile {
    place: PathBuf,
    out: Out,
}

#[derive(Debug)]
enum Out {
    #[cfg(target_os = "linux")]
    Unnamed(crate::unnamed::UnnamedFile),
    Beside(tempfile::NamedTempFile),
    There(File),
}

impl PendingFile {
    /// A file for that path, empty so far.
    ///
    /// # Errors
    /// If nothing can be written there.
    pub fn create(path: &Path) -> io::Result<PendingFile> {
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let out = match fs::metadata(&place) {
            Ok(found) if !found.is_file() => {
                Out::There(OpenOptions::new().write(true).open(&place)?)
            }
            _ => new_file(&place).map_err(|error| explained(error, &place))?,
        };
        Ok(PendingFile { place, out })
    }

    /// Where to write.
    pub fn as_file(&self) -> &File {
        match &self.out {
            #[cfg(target_os = "linux")]
            Out::Unnamed(file) => file.as_file(),
            Out::Beside(file) => file.as_file(),
            Out::There(file) => file,
        }
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// If it cannot be moved there.
    pub fn persist(self) -> io::Result<()> {
        match self.out {
            #[cfg(target_os = "linux")]
            Out::Unnamed(file) => file.persist(&self.place),
            Out::Beside(file) => file.persist(&self.place).map_err(|e| e.error).map(drop),
            Out::There(_) => Ok(()),
        }
    }
}

/// An error that says which directory is missing; the system's does not say that it is one.
pub(crate) fn explained(error: io::Error, place: &Path) -> io::Error {
    let directory = directory(place);
    match error.kind() {
        io::ErrorKind::NotFound if !directory.exists() => {
            let message = format!("there is no directory {}", directory.display());
            io::Error::new(error.kind(), message)
        }
        _ => error,
    }
}

/// A file that will be at `path`.
fn new_file(path: &Path) -> io::Result<Out> {
    #[cfg(target_os = "linux")]
    if let Some(file) = crate::unnamed::UnnamedFile::create(directory(path)) {
        return Ok(Out::Unnamed(file));
    }
    let file = beside(path, |path| {
        OpenOptions::new().write(true).create_new(true).open(path)
    });
    file.map(Out::Beside)
}

/// Makes something under a new name in the directory of `path`, that goes away unless it is moved. Errors do not name it:
/// its name says nothing to the user.
pub(crate) fn beside<T>(
    path: &Path,
    make: impl FnMut(&Path) -> io::Result<T>,
) -> io::Result<tempfile::NamedTempFile<T>> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kiln-").make_in(directory(path), make)
}

pub(crate) fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
