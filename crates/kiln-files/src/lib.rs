//! Files and folders that appear whole or not at all.
//!
//! A file or folder is written in the directory where it will appear, under no name or under a temporary one, and moved
//! to its name when it is complete. If anything fails before, an older file or folder stays.

mod pending_file;
mod pending_folder;
#[cfg(target_os = "linux")]
mod unnamed;

pub use pending_file::{PendingFile, STDOUT};
pub use pending_folder::PendingFolder;

use std::io;
use std::path::Path;

/// A complete file or folder that is not in its place yet.
#[derive(Debug)]
pub enum Pending {
    /// A file.
    File(PendingFile),
    /// A folder of files.
    Folder(PendingFolder),
}

impl Pending {
    /// Moves it to its place.
    ///
    /// # Errors
    /// It cannot be moved there.
    pub fn persist(self) -> io::Result<()> {
        match self {
            Pending::File(file) => file.persist(),
            Pending::Folder(folder) => folder.persist(),
        }
    }
}

/// Whether a path means a folder: it ends in a slash, or one is there.
pub fn is_folder(path: &Path) -> bool {
    let text = path.as_os_str().as_encoded_bytes();
    text.ends_with(b"/")
        || text.ends_with(std::path::MAIN_SEPARATOR_STR.as_bytes())
        || path.is_dir()
}

/// Writes bytes to a path, whole or not at all.
///
/// # Errors
/// The bytes cannot be written. Nothing is left of them then.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    prepare(path, bytes)?.persist()
}

/// Writes bytes to a pending file, which does not appear yet.
///
/// # Errors
/// The bytes cannot be written.
pub fn prepare(path: &Path, bytes: &[u8]) -> io::Result<PendingFile> {
    let file = PendingFile::create(path)?;
    io::Write::write_all(&mut file.as_file(), bytes)?;
    Ok(file)
}
