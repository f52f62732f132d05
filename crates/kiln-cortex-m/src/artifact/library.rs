//! CMSIS-NN, compiled from its sources in place of Kiln's kernels.

use super::tools::{arm_compiler, compile};
use crate::cores::Core;
use kiln_target::{Error, Explain, progress};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// CMSIS-NN for a core.
pub struct Library {
    include: PathBuf,
    folder: TempDir,
    objects: Vec<PathBuf>,
}

impl Library {
    /// Compiles the sources of a checkout of CMSIS-NN for a core. Functions of floats are left out.
    ///
    /// # Errors
    /// If the folder has no sources, or they do not compile.
    pub fn build(checkout: &Path, core: &Core) -> Result<Library, Error> {
        let _stage = progress::stage(format!("building CMSIS-NN for {}", core.name));
        let checkout = std::path::absolute(checkout).map_err(Error::of)?;
        let sources = sources(&checkout.join("Source"))?;
        let folder = tempfile::tempdir().map_err(Error::of)?;
        let include = checkout.join("Include");
        let words = "-O2 -mthumb -ffunction-sections -fdata-sections -c -I";
        let mut arguments: Vec<OsString> = words.split(' ').map(Into::into).collect();
        arguments.push(include.clone().into());
        arguments.extend(core.flags.iter().map(Into::into));
        arguments.extend(sources.iter().map(Into::into));
        compile(arm_compiler()?, &arguments, folder.path())?;
        let object = |source: &PathBuf| {
            let name = source.file_name().unwrap_or_default();
            folder.path().join(name).with_extension("o")
        };
        let objects = sources.iter().map(object).collect();
        Ok(Library {
            include,
            folder,
            objects,
        })
    }

    /// The flags of a project that calls it.
    pub(super) fn flags(&self) -> [OsString; 3] {
        [
            "-DKILN_NN_USE_CMSIS".into(),
            "-I".into(),
            self.include.clone().into(),
        ]
    }

    /// What is linked.
    pub(super) fn objects(&self) -> &[PathBuf] {
        debug_assert!(self.folder.path().exists());
        &self.objects
    }
}

/// The C sources in a folder and in those within, sorted.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).explain(|| {
        format!(
            "{} has no sources of CMSIS-NN; give the folder of a checkout",
            folder.display()
        )
    })?;
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
