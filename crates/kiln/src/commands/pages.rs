//! `kiln completions` and `kiln man`: what shells and manuals know of the commands.

use anyhow::{Context, Result};
use clap::Command;
use clap_complete::Shell;
use std::path::Path;

/// Prints the completions for a shell.
///
/// # Errors
/// The output is closed.
pub fn completions(shell: Shell, command: &mut Command) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, command, "kiln", &mut script);
    crate::output::print(&String::from_utf8_lossy(&script))
}

/// Writes `kiln.1` and a page for each command, as `kiln-compile.1`.
///
/// # Errors
/// The folder or a page cannot be written.
pub fn manual(folder: &Path, command: Command) -> Result<()> {
    let cannot = || format!("cannot write to {}", folder.display());
    std::fs::create_dir_all(folder).with_context(cannot)?;
    clap_mangen::generate_to(command, folder).with_context(cannot)
}
