//! Writes a program to a file, completely or not at all.

use std::io::{self, BufWriter};
use std::path::Path;

use kiln_files::PendingFile;

use super::{WriteError, write};
use crate::Program;

/// The size of the buffer for small pieces. Whole weights bypass it.
const BUFFER: usize = 1 << 16;

/// Writes a `.pte` file, and returns its size in bytes. The file appears only once it is complete ([`PendingFile`]).
///
/// # Errors
/// If the program violates a rule of the format, or the file cannot be written.
pub fn write_file(program: &Program, path: &Path) -> Result<u64, WriteError> {
    let (file, size) = prepare_file(program, path)?;
    file.persist().map_err(|source| io_error(path, source))?;
    Ok(size)
}

/// Writes a `.pte` file that does not appear yet. Returns it with its size in bytes.
///
/// # Errors
/// As [`write_file`].
pub fn prepare_file(program: &Program, path: &Path) -> Result<(PendingFile, u64), WriteError> {
    let file = PendingFile::create(path).map_err(|source| io_error(path, source))?;
    let size = write(
        program,
        &mut BufWriter::with_capacity(BUFFER, file.as_file()),
    );
    let size = size.map_err(|error| match error {
        WriteError::Io { source, .. } => io_error(path, source),
        fault @ WriteError::Fault(_) => fault,
    })?;
    Ok((file, size))
}

fn io_error(path: &Path, source: io::Error) -> WriteError {
    WriteError::Io {
        what: path.display().to_string(),
        source,
    }
}
