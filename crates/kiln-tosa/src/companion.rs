//! Programs that work beside this one, each a process of its own: the reference model, Vela, the stock runtime's runner.

use std::path::PathBuf;

/// A program that this one starts.
#[derive(Clone, Copy, Debug)]
pub struct Companion {
    /// What its file is called.
    pub name: &'static str,
    /// The environment variable that says where it is.
    pub variable: &'static str,
    /// Where a script puts it under a target folder, if one does.
    pub installed: Option<&'static str>,
    /// What it is and how to get it, for the error.
    pub remedy: &'static str,
}

/// A program that is nowhere.
#[derive(Debug, thiserror::Error)]
#[error("{} is not there: {}", .0.name, .0.remedy)]
pub struct Missing(pub Companion);

impl Companion {
    /// Where it is: what the variable says, else the file beside this program or up to two folders above (test binaries
    /// stand deeper), else the one on PATH.
    ///
    /// # Errors
    /// If there is none; says how to get it.
    pub fn find(self) -> Result<PathBuf, Missing> {
        if let Some(path) = std::env::var_os(self.variable) {
            return Ok(path.into());
        }
        let this = std::env::current_exe().unwrap_or_default();
        let names = [Some(self.name), self.installed];
        let in_folder = |folder: PathBuf| names.map(|name| name.map(|name| folder.join(name)));
        let above = this.ancestors().skip(1).take(3);
        let beside = above.flat_map(|folder| in_folder(folder.to_path_buf()));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let on_path = std::env::split_paths(&path).map(|folder| Some(folder.join(self.name)));
        let mut places = beside.chain(on_path).flatten();
        places.find(|path| path.is_file()).ok_or(Missing(self))
    }
}
