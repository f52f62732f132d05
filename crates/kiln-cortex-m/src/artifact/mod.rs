//! C projects as artifacts: new ones, and those read back from folders.
//!
//! A new project writes itself, and runs on the evaluator. A project in a folder is built and run by a C compiler. Either can run
//! on this machine ([`Runtime::Host`]) or on a board of QEMU ([`Runtime::Qemu`]).

mod arena;
mod building;
mod evaluated;
mod flash;
mod folder;
mod library;
mod machine;
mod manifest;
mod objects;
mod together;
mod tools;

use crate::project::{File, Project};
use crate::threads::both;
use building::Sources;
use evaluated::Evaluated;
pub use folder::{CProjects, measure};
use kiln_files::{Pending, PendingFolder};
use kiln_target::{
    Activations, Arena, Artifact, Error, Executor, Explain, Kind, Loading, RunChoice, Runtime,
    Signature,
};
pub use library::Library;
use machine::Built;
use manifest::Manifest;
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
pub use together::{Outcome, Together, Workshop};
pub use tools::lacks_qemu;

/// C projects, as messages call them.
pub const C_PROJECT: Kind = Kind {
    name: "a C project",
    extension: "",
    runtimes: &[Runtime::Builtin, Runtime::Qemu, Runtime::Host],
    advice: "run it without --runtime on this machine, or with --runtime qemu on a board of its core",
    ignores: &[RunChoice::Threads],
};

/// A project that is not written yet.
pub struct NewProject {
    project: Project,
    files: Vec<File>,
    manifest: Manifest,
}

impl NewProject {
    /// The artifact of a project.
    pub fn new(project: Project) -> NewProject {
        let files = project.files();
        let manifest = Manifest::of(&project, &files);
        NewProject {
            project,
            files,
            manifest,
        }
    }

    /// The sections that only the report of a project has, by name.
    pub fn sections(&self) -> serde_json::Map<String, Value> {
        self.manifest.sections()
    }
}

impl Artifact for NewProject {
    fn kind(&self) -> &'static Kind {
        &C_PROJECT
    }

    /// None: a project has one method, which has no name.
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
        self.prepare_with(path, &|_| Ok(format!("{:#}\n", self.manifest.json())))
    }

    fn prepare_with(
        &self,
        path: &Path,
        report: &dyn Fn(u64) -> Result<String, Error>,
    ) -> Result<(Pending, u64), Error> {
        let named = || format!("cannot write {}", path.display());
        let folder = PendingFolder::create(path, folder::check_untouched).explain(named)?;
        let write = |path: &str, text: &str| folder.write(path, text.as_bytes()).explain(named);
        let (files, size, next) = (&self.files, self.manifest.size(), AtomicUsize::new(0));
        // Many small files take about as long as the report, so both threads write what is left.
        let write_rest = || {
            let left = std::iter::from_fn(|| files.get(next.fetch_add(1, Ordering::Relaxed)));
            left.into_iter()
                .try_for_each(|file| write(&file.path, &file.text))
        };
        let ((report, rest), others) = both(|| (report(size), write_rest()), write_rest);
        rest.and(others)?;
        write(manifest::FILE, &report?)?;
        Ok((Pending::Folder(folder), size))
    }

    fn size(&self) -> Result<u64, Error> {
        Ok(self.manifest.size())
    }

    fn inspect(&self) -> Result<Value, Error> {
        Ok(self.manifest.inspected())
    }

    fn name(&self) -> Option<&str> {
        Some(self.manifest.name.as_str())
    }

    fn arena(&self, _: &str) -> Option<Arena> {
        Some(arena::arena(&self.project))
    }

    fn load<'a>(&'a self, _: &str, loading: &Loading) -> Result<Box<dyn Executor + 'a>, Error> {
        if loading.runtime == Runtime::Builtin {
            return Ok(Box::new(Evaluated::new(&self.project)));
        }
        let sources = Sources::Files(&self.files);
        Ok(Box::new(Built::new(&self.manifest, &sources, loading)?))
    }
}

/// What is said where there is no place for a temporary folder.
fn no_folder() -> String {
    format!(
        "cannot make a folder in {}, where temporary files go (TMPDIR names another place)",
        std::env::temp_dir().display()
    )
}
