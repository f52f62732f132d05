//! Formats of artifacts. A file's format is found by its content.

use crate::artifact::{Artifact, Kind};
use crate::error::{Error, Explain};
use bytes::Bytes;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A format from which Kiln reads artifacts.
pub trait Format: Sync {
    /// The kind of its artifacts, for messages.
    fn kind(&self) -> &'static Kind;

    /// True if `found` is an artifact of this format.
    fn recognises(&self, found: &Found<'_>) -> bool;

    /// Reads the artifact.
    ///
    /// # Errors
    /// The artifact breaks a rule of the format.
    fn open(&self, path: &Path) -> Result<Box<dyn Artifact>, Error>;
}

/// A path and its first bytes, before the artifact is read.
#[derive(Clone, Debug)]
pub struct Found<'p> {
    /// The path.
    pub path: &'p Path,
    /// The first bytes of a file, at most 16; empty for an empty file, `None` for a folder.
    pub head: Option<Vec<u8>>,
}

impl Found<'_> {
    /// Looks at a path.
    ///
    /// # Errors
    /// Nothing is there, or it cannot be read.
    pub fn at(path: &Path) -> Result<Found<'_>, Error> {
        if path.is_dir() {
            return Ok(Found { path, head: None });
        }
        let file = File::open(path).explain(|| "cannot open".into())?;
        let mut head = Vec::new();
        let read = file.take(16).read_to_end(&mut head);
        read.explain(|| "cannot read".into())?;
        Ok(Found {
            path,
            head: Some(head),
        })
    }

    /// The first bytes; empty for a folder.
    pub fn head(&self) -> &[u8] {
        self.head.as_deref().unwrap_or_default()
    }
}

/// A file's bytes, mapped.
///
/// # Errors
/// The file cannot be opened or mapped.
pub fn read_mapped(path: &Path) -> Result<Bytes, Error> {
    let file = File::open(path).explain(|| "cannot open".into())?;
    // SAFETY: the map is read only. Another process that truncates the file while it is mapped makes reads
    // fault; users are told not to change a model while it is read, as with every mapping tool.
    let map = unsafe { memmap2::Mmap::map(&file) }.explain(|| "cannot map".into())?;
    Ok(Bytes::from_owner(map))
}
