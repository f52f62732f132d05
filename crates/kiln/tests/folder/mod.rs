//! Runs the command in a temporary folder.

use std::path::PathBuf;
use std::process::{Command, Output};

/// A temporary folder.
pub struct Folder(pub tempfile::TempDir);

impl Folder {
    /// A folder with one file.
    pub fn with(name: &str, content: &str) -> Folder {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        std::fs::write(folder.path().join(name), content).unwrap();
        Folder(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn kiln(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_kiln"))
            .args(arguments)
            .current_dir(self.0.path())
            .env_remove("RUST_BACKTRACE")
            .output()
            .unwrap()
    }
}
