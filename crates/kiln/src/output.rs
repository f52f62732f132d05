//! Files that are written whole or not at all.

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
