//! Folders of tests that compile C.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// An empty folder, which is removed with this value. Its path is the same in each run: a cache of a C compiler, as ccache is, knows an
/// object by the paths of its sources, too.
pub struct Place {
    folder: PathBuf,
    /// Held while this value lives.
    _lock: File,
}

impl Place {
    /// The folder of this name in the target folder; one with another name if it is in use.
    ///
    /// # Errors
    /// If the folder cannot be made or emptied. The message has its path.
    pub fn of(name: &Path) -> io::Result<Place> {
        let folder = crate::target_folder().join("places").join(name);
        let place = Place::at(&folder);
        place.map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", folder.display())))
    }

    fn at(folder: &Path) -> io::Result<Place> {
        let mut lock = folder.as_os_str().to_owned();
        lock.push(".lock");
        fs::create_dir_all(folder.parent().unwrap_or(folder))?;
        let lock = File::create(lock)?;
        // To wait could take for ever: the thread that holds the lock may wait for one that this thread holds.
        if lock.try_lock().is_err() {
            return Ok(Place {
                folder: tempfile::tempdir()?.keep(),
                _lock: lock,
            });
        }
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => fs::create_dir(folder)?,
        }
        Ok(Place {
            folder: folder.to_owned(),
            _lock: lock,
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // The next run empties it.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_folder_is_empty_and_of_one_user() {
        let name = Path::new("kiln-testing/one");
        let first = Place::of(name).unwrap();
        fs::write(first.path().join("file"), "text").unwrap();
        let second = Place::of(name).unwrap();
        assert_ne!(first.path(), second.path());
        let folders = [first.path().to_owned(), second.path().to_owned()];
        drop((first, second));
        assert!(folders.iter().all(|folder| !folder.exists()));
        let third = Place::of(name).unwrap();
        assert_eq!(third.path(), folders[0]);
        assert_eq!(fs::read_dir(third.path()).unwrap().count(), 0);
    }
}
