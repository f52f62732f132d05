//! A file that appears complete or not at all.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The path of stdout, for what is written as a file.
pub const STDOUT: &str = "/dev/stdout";

/// A file that is being written, and appears complete or not at all.
///
/// It is written in the directory where it will appear and moved to its name at the end, so an older file stays if
/// anything fails or the value is dropped. Where the system has files without a name (Linux, on nearly every file
/// system), the file has none until then, and a killed process leaves nothing behind. Elsewhere it has a temporary
/// name. The file gets the rights of an older file that it replaces, else those of any new file. A symbolic link stays a link. An existing path that is not a regular
/// file (a pipe, a device) is written directly, and so is [`STDOUT`], behind what it has already.
#[derive(Debug)]
pub struct PendingFile {
    place: PathBuf,
    out: Out,
}

#[derive(Debug)]
enum Out {
    #[cfg(target_os = "linux")]
    Unnamed(crate::unnamed::UnnamedFile),
    Beside(tempfile::NamedTempFile),
    There(File),
}

impl PendingFile {
    /// An empty pending file for this path.
    ///
    /// # Errors
    /// Nothing can be written there.
    pub fn create(path: &Path) -> io::Result<PendingFile> {
        if path == Path::new(STDOUT) {
            return Ok(PendingFile {
                place: path.to_path_buf(),
                out: Out::There(stdout()?),
            });
        }
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let out = match fs::metadata(&place) {
            Ok(found) if !found.is_file() => {
                Out::There(OpenOptions::new().write(true).open(&place)?)
            }
            _ => new_file(&place).map_err(|error| explained(error, &place))?,
        };
        Ok(PendingFile { place, out })
    }

    /// The writer.
    pub fn as_file(&self) -> &File {
        match &self.out {
            #[cfg(target_os = "linux")]
            Out::Unnamed(file) => file.as_file(),
            Out::Beside(file) => file.as_file(),
            Out::There(file) => file,
        }
    }

    /// Moves the file to its place.
    ///
    /// # Errors
    /// It cannot be moved there.
    pub fn persist(self) -> io::Result<()> {
        if let (false, Ok(older)) = (matches!(self.out, Out::There(_)), fs::metadata(&self.place)) {
            let given = self.as_file().set_permissions(rights(older.permissions()));
            // Some file systems have no rights, and the file is as good without them.
            let is_refused = |error: &io::Error| {
                matches!(
                    error.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported
                )
            };
            given.or_else(|error| {
                if is_refused(&error) {
                    Ok(())
                } else {
                    Err(error)
                }
            })?;
        }
        match self.out {
            #[cfg(target_os = "linux")]
            Out::Unnamed(file) => file.persist(&self.place),
            Out::Beside(file) => file.persist(&self.place).map_err(|e| e.error).map(drop),
            Out::There(_) => Ok(()),
        }
    }
}

/// Who may read, write and execute; no other bits, such as those that lend the owner's rights.
#[cfg(unix)]
fn rights(older: fs::Permissions) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    fs::Permissions::from_mode(older.mode() & 0o777)
}

#[cfg(not(unix))]
fn rights(older: fs::Permissions) -> fs::Permissions {
    older
}

/// Stdout as it is: a file would be emptied or replaced by opening it again, and a socket cannot be opened.
fn stdout() -> io::Result<File> {
    #[cfg(unix)]
    let own = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?;
    #[cfg(windows)]
    let own = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned()?;
    Ok(File::from(own))
}

/// An error that says which directory is missing. The system's error does not say that a directory is.
pub(crate) fn explained(error: io::Error, place: &Path) -> io::Error {
    let directory = directory(place);
    match error.kind() {
        io::ErrorKind::NotFound if !directory.exists() => {
            let message = format!("there is no directory {}", directory.display());
            io::Error::new(error.kind(), message)
        }
        _ => error,
    }
}

/// A pending file for `path`.
fn new_file(path: &Path) -> io::Result<Out> {
    #[cfg(target_os = "linux")]
    if let Some(file) = crate::unnamed::UnnamedFile::create(directory(path)) {
        return Ok(Out::Unnamed(file));
    }
    let file = beside(path, |path| {
        OpenOptions::new().write(true).create_new(true).open(path)
    });
    file.map(Out::Beside)
}

/// Makes something under a temporary name in the directory of `path`; it is removed unless it is moved. Errors leave
/// out the temporary name, which tells the user nothing.
pub(crate) fn beside<T>(
    path: &Path,
    make: impl FnMut(&Path) -> io::Result<T>,
) -> io::Result<tempfile::NamedTempFile<T>> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kiln-").make_in(directory(path), make)
}

pub(crate) fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
