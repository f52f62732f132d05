//! Folders of projects.

use super::C_PROJECT;
use super::building::Sources;
use super::library::Library;
use super::machine::Built;
use super::manifest::{FILE, Manifest, Written};
use kiln_files::Pending;
use kiln_target::{
    Activations, Artifact, Error, Executor, Explain, Format, Found, Kind, Loading, Measured, Runs,
    Signature,
};
use rustc_hash::FxHashMap;
use serde_json::Value;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The format.
pub struct CProjects;

impl Format for CProjects {
    fn kind(&self) -> &'static Kind {
        &C_PROJECT
    }

    fn recognises(&self, found: &Found<'_>) -> bool {
        found.head.is_none() && found.path.join(FILE).is_file()
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Artifact>, Error> {
        Ok(Box::new(Folder {
            path: path.to_owned(),
            manifest: manifest(path)?,
        }))
    }
}

/// Runs the project of a folder on the board of its core, with CMSIS-NN in place of Kiln's kernels if it is given. The report has
/// `instructions`, in all and by call (`layers`), and the bytes of `flash`.
///
/// # Errors
/// If the folder has no project, or it does not compile or run.
pub fn measure(
    folder: &Path,
    library: Option<&Library>,
    inputs: &Runs,
    runs: usize,
) -> Result<Measured, Error> {
    let manifest = manifest(folder)?;
    let sources = Sources::Folder(folder);
    Built::for_board(&manifest, &sources, library)?.run(inputs, runs, None)
}

/// A project in a folder.
struct Folder {
    path: PathBuf,
    manifest: Manifest,
}

fn manifest(folder: &Path) -> Result<Manifest, Error> {
    let text = fs::read(folder.join(FILE)).explain(|| format!("cannot read {FILE}"))?;
    Manifest::read(&text)
}

/// Checks that a folder has the files of a project as Kiln wrote them, and no others. Then another project may take its place.
///
/// # Errors
/// The first file that Kiln did not write, or that has changed since, in words for the user.
pub(super) fn check_untouched(folder: &Path) -> Result<(), String> {
    let mut found =
        all_files(folder).map_err(|error| format!("the folder cannot be read: {error}"))?;
    found.sort();
    let Ok(manifest) = manifest(folder) else {
        let first = found.first().map_or(folder, PathBuf::as_path);
        let name = first.strip_prefix(folder).unwrap_or(first).display();
        return Err(format!(
            "the folder is no project of Kiln's: it holds {name} and no {FILE} of one"
        ));
    };
    let files: FxHashMap<&Path, &Written> = manifest
        .files
        .iter()
        .map(|file| (Path::new(&file.path), file))
        .collect();
    for path in found {
        let name = path.strip_prefix(folder).unwrap_or(&path);
        match files.get(name) {
            _ if name == Path::new(FILE) => {}
            // A folder of the project whose files are gone.
            None if path.is_dir() && files.keys().any(|file| file.starts_with(name)) => {}
            None => {
                return Err(format!(
                    "it holds {}, which is not of the project",
                    name.display()
                ));
            }
            Some(file) if file.is_in(&path) => {}
            Some(_) => {
                let name = name.display();
                return Err(format!("{name} has changed since Kiln wrote it"));
            }
        }
    }
    Ok(())
}

/// All files in a folder and in the folders within, all entries that are neither files nor folders, and all folders within that are
/// empty.
fn all_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let mut is_empty = true;
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            is_empty = false;
            match entry.file_type()?.is_dir() {
                true => waiting.push(entry.path()),
                false => found.push(entry.path()),
            }
        }
        if is_empty {
            found.push(folder);
        }
    }
    Ok(found)
}

impl Artifact for Folder {
    fn kind(&self) -> &'static Kind {
        &C_PROJECT
    }

    fn methods(&self) -> Vec<String> {
        Vec::new()
    }

    fn signature(&self, _: &str) -> Option<Signature> {
        Some(self.manifest.signature())
    }

    fn activations(&self, _: &str, _: usize) -> Activations {
        self.manifest.activations()
    }

    fn prepare(&self, path: &Path) -> Result<(Pending, u64), Error> {
        let message = format!(
            "{} is a project already; copy the folder",
            self.path.display()
        );
        Err(Error::new(format!(
            "cannot write {}: {message}",
            path.display()
        )))
    }

    fn size(&self) -> Result<u64, Error> {
        Ok(self.manifest.size())
    }

    fn inspect(&self) -> Result<Value, Error> {
        Ok(self.manifest.inspected())
    }

    fn load<'a>(&'a self, _: &str, loading: &Loading) -> Result<Box<dyn Executor + 'a>, Error> {
        let sources = Sources::Folder(&self.path);
        Ok(Box::new(Built::new(&self.manifest, &sources, loading)?))
    }
}
