//! Writing to a path, all or nothing.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::Path;

use super::{WriteError, write};
use crate::Program;

/// Gathers the small pieces; whole weights go past it.
const BUFFER: usize = 1 << 16;

/// Writes a `.pte` file, and returns its size in bytes.
///
/// The file appears complete or not at all: it is written beside its place under another name, then moved there, so
/// that an older file stays if anything fails. What is there already and no regular file (a pipe, a device) is
/// written to directly.
pub fn write_file(program: &Program, path: &Path) -> Result<u64, WriteError> {
    let io_error = |source| WriteError::Io {
        what: path.display().to_string(),
        source,
    };
    let named = |error| match error {
        WriteError::Io { source, .. } => io_error(source),
        fault @ WriteError::Fault(_) => fault,
    };
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if fs::metadata(&place).is_ok_and(|found| !found.is_file()) {
        let out = OpenOptions::new()
            .write(true)
            .open(&place)
            .map_err(io_error)?;
        return write_buffered(program, &out).map_err(named);
    }
    let temporary = beside(&place).map_err(io_error)?;
    let size = write_buffered(program, temporary.as_file()).map_err(named)?;
    temporary
        .persist(&place)
        .map_err(|error| io_error(error.error))?;
    Ok(size)
}

fn write_buffered(program: &Program, out: &File) -> Result<u64, WriteError> {
    write(program, &mut BufWriter::with_capacity(BUFFER, out))
}

/// A file in the directory of `path`, with the rights of a new file, that goes away unless it is moved.
fn beside(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kiln-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(directory)
}
