//! A folder that appears complete or not at all.

use crate::pending_file::{directory, explained};
use kiln_process::interruption::Waiting;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

/// A folder that is being written, and appears with all of its files or not at all.
///
/// Its files are written to a temporary folder beside its place, which is removed if the value is dropped, and before a signal ends the
/// process. An older
/// folder, whose rights the new one gets, is exchanged in one step where the system can (Linux), so that one of the two is there at each moment.
/// Elsewhere the older folder is moved away first, and moved back if the new one cannot take its place.
#[derive(Debug)]
pub struct PendingFolder {
    place: PathBuf,
    beside: TempDir,
    /// The folders within that were made.
    made: Mutex<HashSet<PathBuf>>,
    /// The last field, so that it is dropped when the temporary folder is gone.
    _waiting: Waiting,
}

impl PendingFolder {
    /// An empty pending folder for this path. An older folder there must be empty, or `check` must find nothing in it that
    /// would be lost, so that no file of the user is.
    ///
    /// # Errors
    /// Something else is there, which `check` names, the current folder is there or within, or nothing can be written beside it.
    pub fn create(
        path: &Path,
        check: impl FnOnce(&Path) -> Result<(), String>,
    ) -> io::Result<PendingFolder> {
        // Without a trailing slash, with which `parent` would give the folder itself.
        let place: PathBuf = path.components().collect();
        let place = fs::canonicalize(&place).unwrap_or(place);
        if is_around_here(&place) {
            let message = "it is the current folder or has it within, and a new folder would take its place; give the path of another \
                           folder, such as NAME/, or go to the folder around it";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        if place.exists() && !is_empty(&place)? {
            check(&place).map_err(|found| {
                let message = format!("{found}; move it away, or give the path of a new folder");
                io::Error::new(io::ErrorKind::AlreadyExists, message)
            })?;
        }
        let waiting = Waiting::start()?;
        let mut builder = tempfile::Builder::new();
        // The rights of any new folder. The kernel subtracts the umask.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        let beside = builder.prefix(".kiln-").tempdir_in(directory(&place));
        Ok(PendingFolder {
            beside: beside.map_err(|error| explained(error, &place))?,
            place,
            made: Mutex::default(),
            _waiting: waiting,
        })
    }

    /// Writes a file. Its path is relative to the folder and must stay inside.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
        let path = path.as_ref();
        if !path.components().all(|c| matches!(c, Component::Normal(_))) {
            let message = format!("{} is not inside of the folder", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let within = path
            .parent()
            .filter(|within| !within.as_os_str().is_empty());
        if let Some(within) = within {
            self.make(within)?;
        }
        fs::write(self.beside.path().join(path), bytes)
    }

    /// Makes a folder within, once.
    fn make(&self, within: &Path) -> io::Result<()> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if !made.contains(within) {
            fs::create_dir_all(self.beside.path().join(within))?;
            made.insert(within.to_owned());
        }
        Ok(())
    }

    /// Moves the folder to its place.
    ///
    /// # Errors
    /// It cannot be moved there.
    pub fn persist(self) -> io::Result<()> {
        let new = self.beside.path();
        if !self.place.exists() {
            fs::rename(new, &self.place)?;
        } else {
            fs::set_permissions(new, fs::metadata(&self.place)?.permissions())?;
            replace(new, &self.place)?;
        }
        // Now the temporary folder holds the older folder, or nothing.
        match self.beside.close() {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Whether a folder is the one in which this process runs, or around it. A process there would be left in a folder that is gone.
fn is_around_here(place: &Path) -> bool {
    let here = std::env::current_dir().and_then(fs::canonicalize);
    here.is_ok_and(|here| here.starts_with(place))
}

fn is_empty(place: &Path) -> io::Result<bool> {
    Ok(fs::metadata(place)?.is_dir() && fs::read_dir(place)?.next().is_none())
}

/// Puts `new` at `place`. An older folder takes the name of `new`.
fn replace(new: &Path, place: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if renameat_with(CWD, new, CWD, place, RenameFlags::EXCHANGE).is_ok() {
            return Ok(());
        }
    }
    let aside = tempfile::Builder::new()
        .prefix(".kiln-")
        .tempdir_in(directory(place))?;
    let old = aside.path().join("old");
    fs::rename(place, &old)?;
    fs::rename(new, place).inspect_err(|_| {
        // The user must see why the new folder cannot take its place. A failure to move the older one back adds
        // nothing.
        let _ = fs::rename(&old, place);
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_appears_with_all_of_its_files() {
        let around = tempfile::tempdir().unwrap();
        let place = around.path().join("project/");
        let is_ours = |p: &Path| match p.join("mark").exists() {
            true => Ok(()),
            false => Err("it has no mark".to_owned()),
        };
        for (text, more) in [("first", "a.c"), ("second", "b.c")] {
            let folder = PendingFolder::create(&place, is_ours).unwrap();
            folder.write("mark", b"").unwrap();
            folder.write("src/text.c", text.as_bytes()).unwrap();
            folder.write(more, b"").unwrap();
            assert!(!place.join(more).exists());
            folder.persist().unwrap();
            assert_eq!(fs::read_to_string(place.join("src/text.c")).unwrap(), text);
            assert_eq!(names(&place), [more, "mark", "src"]);
            assert_eq!(names(around.path()), ["project"]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_has_the_rights_of_any_new_folder() {
        use std::os::unix::fs::PermissionsExt;
        let around = tempfile::tempdir().unwrap();
        let [place, other] = ["project", "other"].map(|name| around.path().join(name));
        let folder = PendingFolder::create(&place, |_| Ok(())).unwrap();
        folder.persist().unwrap();
        fs::create_dir(&other).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&place), mode(&other));
        // One that takes the place of an older folder has the rights of that.
        fs::set_permissions(&place, fs::Permissions::from_mode(0o700)).unwrap();
        let folder = PendingFolder::create(&place, |_| Ok(())).unwrap();
        folder.write("file", b"").unwrap();
        folder.persist().unwrap();
        assert_eq!(mode(&place) & 0o777, 0o700);
        assert_eq!(names(&place), ["file"]);
    }

    #[test]
    fn the_folder_of_the_process_stays() {
        let here = std::env::current_dir().unwrap();
        for place in [Path::new("."), &here, here.parent().unwrap()] {
            let refused = PendingFolder::create(place, |_| Ok(())).unwrap_err();
            assert!(
                refused.to_string().contains("the current folder"),
                "{refused}"
            );
        }
    }

    #[test]
    fn a_folder_that_is_dropped_leaves_the_older_one() {
        let around = tempfile::tempdir().unwrap();
        let place = around.path().join("project");
        fs::create_dir(&place).unwrap();
        let folder = PendingFolder::create(&place, |_| Err(String::new())).unwrap();
        folder.write("file", b"").unwrap();
        drop(folder);
        assert_eq!(names(&place), [""; 0]);
        assert_eq!(names(around.path()), ["project"]);
    }

    #[test]
    fn what_others_wrote_is_not_replaced() {
        let around = tempfile::tempdir().unwrap();
        fs::write(around.path().join("diary"), "dear").unwrap();
        let refused = PendingFolder::create(around.path(), |_| Err("diary is there".into()));
        let message = "diary is there; move it away, or give the path of a new folder";
        assert_eq!(refused.unwrap_err().to_string(), message);
        let missing = around.path().join("missing/project");
        let refused = PendingFolder::create(&missing, |_| Ok(()));
        let message = refused.unwrap_err().to_string();
        assert!(message.contains("there is no directory"), "{message}");
    }

    #[test]
    fn a_file_stays_inside() {
        let around = tempfile::tempdir().unwrap();
        let folder = PendingFolder::create(&around.path().join("p"), |_| Ok(())).unwrap();
        assert!(folder.write("../x", b"").is_err());
        assert!(folder.write("/x", b"").is_err());
    }
}
