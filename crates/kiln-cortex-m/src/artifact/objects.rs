//! Objects of kernels, each of which a process compiles once.
//!
//! Projects share the sources of their kernels, so programs that are built one after the other, as checks of many models do, share the
//! objects. An object depends on the compiler's flags, on the text of its source, and on the texts of the headers beside it.

use super::building::object_of;
use super::tools::bytes_of;
use kiln_target::Error;
use rustc_hash::FxHashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// By the hash of all that an object depends on.
type Made = FxHashMap<blake3::Hash, Arc<[u8]>>;

static MADE: LazyLock<Mutex<Made>> = LazyLock::new(Mutex::default);

/// The most bytes of objects that a process keeps. All kernels for one core take less than a megabyte.
const MOST_BYTES: usize = 64 << 20;

/// The sources that have no object yet, each with its hash. Those of the others are written into the folder.
///
/// # Errors
/// If a file cannot be read or written.
pub(super) fn put_known(
    sources: &[PathBuf],
    flags: &[OsString],
    folder: &Path,
) -> Result<Vec<(PathBuf, blake3::Hash)>, Error> {
    let common = common(sources, flags)?;
    let mut unknown = Vec::new();
    for source in sources {
        let mut hash = common.clone();
        hash.update(source.file_name().unwrap_or_default().as_encoded_bytes());
        hash.update(&bytes_of(source)?);
        let hash = hash.finalize();
        let known = lock().get(&hash).cloned();
        match known {
            Some(object) => fs::write(folder.join(object_of(source)), object).map_err(Error::of)?,
            None => unknown.push((source.clone(), hash)),
        }
    }
    Ok(unknown)
}

/// Remembers objects that the compiler wrote into the folder.
///
/// # Errors
/// If an object cannot be read.
pub(super) fn remember(made: &[(PathBuf, blake3::Hash)], folder: &Path) -> Result<(), Error> {
    for (source, hash) in made {
        let object = bytes_of(&folder.join(object_of(source)))?;
        let mut known = lock();
        let held: usize = known.values().map(|object| object.len()).sum();
        if held + object.len() <= MOST_BYTES {
            known.insert(*hash, object.into());
        }
    }
    Ok(())
}

fn lock() -> std::sync::MutexGuard<'static, Made> {
    MADE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The hash of the flags, and of the headers beside the sources.
fn common(sources: &[PathBuf], flags: &[OsString]) -> Result<blake3::Hasher, Error> {
    let mut hash = blake3::Hasher::new();
    for flag in flags {
        hash.update(flag.as_encoded_bytes()).update(b"\0");
    }
    let mut headers = Vec::new();
    let mut folders: Vec<&Path> = sources
        .iter()
        .filter_map(|source| source.parent())
        .collect();
    folders.dedup();
    for folder in folders {
        for entry in fs::read_dir(folder).map_err(Error::of)? {
            let path = entry.map_err(Error::of)?.path();
            if path.extension().is_some_and(|extension| extension == "h") {
                headers.push(path);
            }
        }
    }
    headers.sort();
    for header in headers {
        hash.update(header.file_name().unwrap_or_default().as_encoded_bytes());
        hash.update(blake3::hash(&bytes_of(&header)?).as_bytes());
    }
    Ok(hash)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn an_object_is_known_until_something_it_depends_on_changes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let write = |name: &str, text: &str| fs::write(at(name), text).unwrap();
        write("kernel.c", "int f(void) { return 7351; }");
        write("kernel.h", "/* 7351 */");
        let sources = [at("kernel.c")];
        let unknown = |flags: &str| put_known(&sources, &[flags.into()], folder.path()).unwrap();
        let first = unknown("-O2");
        assert_eq!(first.len(), 1);
        write("kernel.o", "an object");
        remember(&first, folder.path()).unwrap();
        fs::remove_file(at("kernel.o")).unwrap();
        assert!(unknown("-O2").is_empty());
        assert_eq!(fs::read_to_string(at("kernel.o")).unwrap(), "an object");
        assert_eq!(unknown("-O1").len(), 1);
        write("kernel.h", "/* 7352 */");
        assert_eq!(unknown("-O2").len(), 1);
        write("kernel.h", "/* 7351 */");
        assert!(unknown("-O2").is_empty());
        write("kernel.c", "int f(void) { return 7352; }");
        assert_eq!(unknown("-O2").len(), 1);
    }
}
