//! Files without a name, on Linux. The system removes such a file when the process ends.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};

use crate::pending_file::beside;

#[derive(Debug)]
pub(crate) struct UnnamedFile(File);

impl UnnamedFile {
    /// `None` where the file system or the kernel has no such files, or where nothing could name the file later. The
    /// caller then makes a file with a temporary name, and gets the error if that fails too.
    pub(crate) fn create(directory: &Path) -> Option<UnnamedFile> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        // The rights of any new file. The kernel subtracts the umask.
        let opened = rustix::fs::open(directory, flags, Mode::from_raw_mode(0o666)).ok()?;
        let file = UnnamedFile(File::from(opened));
        file.descriptor().exists().then_some(file)
    }

    pub(crate) fn as_file(&self) -> &File {
        &self.0
    }

    /// Gives the file its name, replacing an older file.
    pub(crate) fn persist(self, place: &Path) -> io::Result<()> {
        match self.link(place) {
            // A link replaces nothing; a move does.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let named = beside(place, |path| self.link(path))?;
                named.persist(place).map_err(|e| e.error)
            }
            linked => linked,
        }
    }

    fn link(&self, path: &Path) -> io::Result<()> {
        let (old, flags) = (self.descriptor(), AtFlags::SYMLINK_FOLLOW);
        Ok(rustix::fs::linkat(CWD, old, CWD, path, flags)?)
    }

    /// The path by which this process can name the file. Linking by an empty path would need rights that few processes
    /// have.
    fn descriptor(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_has_no_name_until_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("place");
        for text in ["first", "second"] {
            let Some(file) = UnnamedFile::create(folder.path()) else {
                return kiln_testing::part::UNNAMED_FILES.skip();
            };
            let names = || std::fs::read_dir(folder.path()).unwrap().count();
            let before = names();
            file.as_file().write_all(text.as_bytes()).unwrap();
            assert_eq!(names(), before);
            file.persist(&place).unwrap();
            assert_eq!(std::fs::read_to_string(&place).unwrap(), text);
            assert_eq!(names(), 1);
        }
    }
}
