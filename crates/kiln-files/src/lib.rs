//! Files and folders that appear whole or not at all.
//!
//! What is written lies in the directory of its place, without a name or under another one, until it is complete; then it
//! is moved there. An older file or folder stays if anything fails before.

mod pending_file;
mod pending_folder;
#[cfg(target_os = "linux")]
mod unnamed;

pub use pending_file::PendingFile;
pub use pending_folder::PendingFolder;

use std::io;
use std::path::Path;

/// What is written and not in its place yet.
#[derive(Debug)]
pub enum Pending {
    /// A file.
    File(PendingFile),
    /// A folder of files.
    Folder(PendingFolder),
}

impl Pending {
    /// Puts it in its place.
    ///
    /// # Errors
    /// If it cannot be moved there.
    pub fn persist(self) -> io::Result<()> {
        match self {
            Pending::File(file) => file.persist(),
            Pending::Folder(folder) => folder.persist(),
        }
    }
}

/// Writes bytes to a path, whole or not at all.
///
/// # Errors
/// If they cannot be written; nothing is left then.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    prepare(path, bytes)?.persist()
}

/// A file of those bytes that does not appear yet.
///
/// # Errors
/// If it cannot be written.
pub fn prepare(path: &Path, bytes: &[u8]) -> io::Result<PendingFile> {
    let file = PendingFile::create(path)?;
    io::Write::write_all(&mut file.as_file(), bytes)?;
    Ok(file)
}
