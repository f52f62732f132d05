//! The arguments of `kiln check`.

use crate::commands::check::Options;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct CheckArgs {
    /// The models and their budgets.
    #[arg(default_value = "kiln.toml")]
    file: PathBuf,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl CheckArgs {
    /// What the command takes.
    pub(super) fn into_options(self, quiet: bool) -> Options {
        Options {
            file: self.file,
            json: self.json,
            quiet,
        }
    }
}
