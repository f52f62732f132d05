//! Programs that work beside `kiln`, each a process of its own: the stock runtime's runner, the benchmarks.

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// A program that `kiln` starts.
#[derive(Clone, Copy, Debug)]
pub struct Companion {
    /// What its file is called.
    pub name: &'static str,
    /// The environment variable that says where it is.
    pub variable: &'static str,
    /// What it is and how to get it, for the error.
    pub remedy: &'static str,
}

impl Companion {
    /// Where it is: what the variable says, else the file beside this program or one folder above (test binaries stand
    /// deeper), else the one on PATH.
    ///
    /// # Errors
    /// If there is none; says how to get it.
    pub fn find(self) -> Result<PathBuf> {
        if let Some(path) = std::env::var_os(self.variable) {
            return Ok(path.into());
        }
        let this = std::env::current_exe().unwrap_or_default();
        let beside = this.ancestors().skip(1).take(2).map(Path::to_path_buf);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut folders = beside.chain(std::env::split_paths(&path));
        let found = folders.find_map(|folder| Some(folder.join(self.name)).filter(|p| p.is_file()));
        match found {
            Some(found) => Ok(found),
            None => bail!("{} is not there: {}", self.name, self.remedy),
        }
    }
}
