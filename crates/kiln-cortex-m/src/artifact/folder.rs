//! Folders of projects.

use super::C_PROJECT;
use super::building::Sources;
use super::library::Library;
use super::machine::Built;
use super::manifest::{FILE, Manifest};
use kiln_files::Pending;
use kiln_target::{
    Artifact, Error, Executor, Explain, Format, Found, Kind, Loading, Measured, Runs, Signature,
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

/// A project that is in a folder.
struct Folder {
    path: PathBuf,
    manifest: Manifest,
}

fn manifest(folder: &Path) -> Result<Manifest, Error> {
    let text = fs::read(folder.join(FILE)).explain(|| format!("cannot read {FILE}"))?;
    Manifest::read(&text)
}

/// Whether a folder has the files of a project, as Kiln wrote them, and no others: then another project may take its place.
pub(super) fn is_untouched(folder: &Path) -> bool {
    let Ok(manifest) = manifest(folder) else {
        return false;
    };
    let files: FxHashMap<PathBuf, u64> = manifest
        .files
        .iter()
        .map(|(path, bytes)| (folder.join(path), *bytes))
        .collect();
    all_files(folder).is_ok_and(|found| {
        found
            .iter()
            .all(|(path, bytes)| *path == folder.join(FILE) || files.get(path) == Some(bytes))
    })
}

/// All files in a folder and in those within, with their sizes. What is no file and no folder has none.
fn all_files(folder: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let ty = entry.file_type()?;
            match (ty.is_dir(), ty.is_file()) {
                (true, _) => waiting.push(entry.path()),
                (_, true) => found.push((entry.path(), entry.metadata()?.len())),
                _ => found.push((entry.path(), u64::MAX)),
            }
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
