//! Files that are written whole or not at all, and data on stdout.

use anyhow::{Context, Result};
use std::io::Write;
use std::path::Path;

/// Writes `bytes` to `path` by way of a temporary file beside it.
///
/// # Errors
/// If it cannot be written; nothing is left then.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let name = || format!("cannot write {}", path.display());
    let folder = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(name)?;
    file.write_all(bytes).with_context(name)?;
    file.persist(path).with_context(name)?;
    Ok(())
}

/// Writes data to stdout. A reader that closed the pipe has what it wanted.
///
/// # Errors
/// If stdout cannot be written for another reason.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to stdout")
        }
        _ => Ok(()),
    }
}
