//! The folder of a case while it runs.

use crate::suite::Case;
use kiln::target::TargetName;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A folder of the case, which is removed with this value. Its path is the same in each run: a cache of a C compiler, as ccache is,
/// knows an object by the paths of its sources, too.
pub struct Place {
    folder: PathBuf,
    /// Another process that runs the case waits for this lock.
    _lock: File,
}

impl Place {
    /// The empty folder of a case that is compiled for a target.
    ///
    /// # Errors
    /// If the folder cannot be made or emptied.
    pub fn of(case: &Case, target: TargetName) -> io::Result<Place> {
        let suite = case.folder.file_name().unwrap_or_default();
        let all = kiln_testing::target_folder().join("conformance");
        let folder = all.join(target.to_string()).join(suite).join(&case.name);
        let lock = folder.with_file_name(format!("{}.lock", case.name));
        fs::create_dir_all(folder.parent().unwrap_or(&all))?;
        let lock = File::create(lock)?;
        lock.lock()?;
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => fs::create_dir(&folder)?,
        }
        Ok(Place {
            folder,
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
