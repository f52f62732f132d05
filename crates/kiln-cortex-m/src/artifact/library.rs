//! CMSIS-NN, compiled from its sources in place of Kiln's kernels.

use super::building::{machine_flags, object_of, words};
use super::no_folder;
use super::tools::{arm_compiler, compile_each, host_compiler};
use crate::cores::Core;
use kiln_target::{Error, Explain, progress};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// CMSIS-NN for a core, or for this machine.
pub struct Library {
    include: PathBuf,
    objects: Vec<PathBuf>,
    /// The folder of the objects, which is removed with this value.
    _folder: TempDir,
}

impl Library {
    /// Compiles the sources of a checkout of CMSIS-NN: for a core, or for this machine. Functions of floats are left out.
    ///
    /// # Errors
    /// If the folder has no sources, or they do not compile.
    pub fn build(checkout: &Path, core: Option<&Core>) -> Result<Library, Error> {
        let _stage = progress::stage("building CMSIS-NN");
        let checkout = std::path::absolute(checkout).map_err(Error::of)?;
        let folder = checkout.join("Source");
        let sources = sources(&folder)?;
        if sources.is_empty() {
            return Err(Error::new(no_sources(&folder)));
        }
        let folder = tempfile::tempdir().explain(no_folder)?;
        let include = checkout.join("Include");
        let mut arguments = words("-std=gnu11 -w -I");
        arguments.push(include.clone().into());
        arguments.extend(machine_flags(core));
        let compiler = || match core {
            Some(_) => arm_compiler(),
            None => host_compiler(),
        };
        let objects = compile_each(compiler, &arguments, &sources, folder.path(), object_of)?;
        let objects = objects.iter().map(|object| folder.path().join(object));
        Ok(Library {
            include,
            objects: objects.collect(),
            _folder: folder,
        })
    }

    /// The library of the checkout that `CMSIS_NN_PATH` in the environment names, if it names one.
    ///
    /// # Errors
    /// As [`Library::build`].
    pub(super) fn of_environment(core: Option<&Core>) -> Result<Option<Library>, Error> {
        let built = environment().map(|path| Library::build(Path::new(&path), core));
        built.transpose().explain(|| "CMSIS_NN_PATH".into())
    }

    /// Whether the environment names a checkout.
    pub(super) fn is_in_environment() -> bool {
        environment().is_some()
    }

    /// The flags of sources that call the library.
    pub(super) fn flags(&self) -> Vec<OsString> {
        let mut flags = words("-DKILN_NN_USE_CMSIS -isystem");
        flags.push(self.include.clone().into());
        flags
    }

    /// The objects to link.
    pub(super) fn objects(&self) -> &[PathBuf] {
        &self.objects
    }
}

/// The checkout that `CMSIS_NN_PATH` names.
fn environment() -> Option<OsString> {
    std::env::var_os("CMSIS_NN_PATH").filter(|path| !path.is_empty())
}

fn no_sources(folder: &Path) -> String {
    format!(
        "{} has no sources of CMSIS-NN; give the folder of a checkout",
        folder.display()
    )
}

/// The C sources in a folder and in the folders within, sorted.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).explain(|| no_sources(folder))?;
    for entry in entries {
        let path = entry.map_err(Error::of)?.path();
        let is_float = |stem: &str| stem.ends_with("f16") || stem.ends_with("f32");
        let stem = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|e| e == "c") && !is_float(stem) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
