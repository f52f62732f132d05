//! The process: programs that Kiln starts as processes of their own, and signals that end this one.
//!
//! A program is found, or the error says how to get it. Each is declared where it is started: the reference model in `kiln-tosa`, Vela in `kiln-ethos`, the runner
//! of the stock runtime in `kiln-portable`.

pub mod interruption;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// An external program.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// The name of its file.
    pub name: &'static str,
    /// The environment variable that may hold its path.
    pub variable: &'static str,
    /// Its path below a target folder, if a script of this repository installs it.
    pub installed: Option<&'static str>,
    /// What it is and how to get it; part of the error message.
    pub remedy: &'static str,
}

/// A program was not found.
#[derive(Debug, thiserror::Error)]
pub enum Missing {
    /// It is in none of the places.
    #[error("{} is not there: {}", .0.name, .0.remedy)]
    Everywhere(Tool),
    /// The environment variable has another path.
    #[error("{}, which {} names, is not there; {}: {}", .path.display(), .tool.variable, .tool.name, .tool.remedy)]
    Named {
        /// The program.
        tool: Tool,
        /// The path.
        path: PathBuf,
    },
}

impl Tool {
    /// The path of the program: the value of the environment variable; otherwise the installed file next to this
    /// executable or up to two folders above it (test executables are deeper); otherwise the first match on `PATH`.
    ///
    /// # Errors
    /// If it is in none of these places.
    pub fn find(self) -> Result<PathBuf, Missing> {
        self.find_as(std::env::var_os(self.variable))
    }

    /// The path of the program, where the environment variable has this value.
    fn find_as(self, named: Option<OsString>) -> Result<PathBuf, Missing> {
        let on_path = |name: &Path| {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let mut places = std::env::split_paths(&path).map(|folder| folder.join(name));
            places.find(|path| path.is_file())
        };
        let named = named.filter(|path| !path.is_empty());
        if let Some(path) = named.map(PathBuf::from) {
            // A path, or a name alone.
            let found = match path.is_file() {
                true => Some(path.clone()),
                false => on_path(&path),
            };
            return found.ok_or(Missing::Named { tool: self, path });
        }
        let this = std::env::current_exe().unwrap_or_default();
        let names = [Some(self.name), self.installed];
        let in_folder = |folder: PathBuf| names.map(|name| name.map(|name| folder.join(name)));
        let above = this.ancestors().skip(1).take(3);
        let beside = above.flat_map(|folder| in_folder(folder.to_path_buf()));
        let mut beside = beside.flatten();
        let found = beside.find(|path| path.is_file());
        let found = found.or_else(|| on_path(Path::new(self.name)));
        found.ok_or(Missing::Everywhere(self))
    }
}

#[cfg(test)]
mod tests {
    use super::Tool;

    #[test]
    fn a_missing_program_says_how_to_get_it() {
        let tool = Tool {
            name: "kiln-no-such-program",
            variable: "KILN_NO_SUCH_PROGRAM",
            installed: None,
            remedy: "nothing; `scripts/nothing` installs it",
        };
        let message = tool.find_as(None).map_err(|e| e.to_string());
        let expected = "kiln-no-such-program is not there: nothing; `scripts/nothing` installs it";
        assert_eq!(message, Err(expected.to_owned()));
        assert_eq!(
            tool.find_as(Some("".into())).map_err(|e| e.to_string()),
            Err(expected.to_owned())
        );
    }

    #[test]
    fn a_path_that_is_not_there_is_named() {
        let tool = Tool {
            name: "sh",
            variable: "KILN_SHELL",
            installed: None,
            remedy: "`scripts/nothing` installs it",
        };
        let message = tool
            .find_as(Some("/no/such/shell".into()))
            .map_err(|e| e.to_string());
        let expected = "/no/such/shell, which KILN_SHELL names, is not there; sh: `scripts/nothing` installs it";
        assert_eq!(message, Err(expected.to_owned()));
        assert!(
            tool.find_as(Some("sh".into()))
                .is_ok_and(|path| path.is_file())
        );
        assert!(tool.find_as(Some("no-such-shell".into())).is_err());
    }
}
