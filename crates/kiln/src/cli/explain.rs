//! The arguments of `kiln explain`.

use super::values::or_stdout;
use crate::commands::explain::Options;
use crate::model_options::ModelOptions;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct ExplainArgs {
    /// The archive (.pt2) of the method `forward`.
    model: PathBuf,
    #[command(flatten)]
    options: ModelOptions,
    /// Print the report of `compile --report`.
    #[arg(long)]
    json: bool,
    /// Write a page that shows the graph; no text then.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Also say what the passes did, and which rewrites were declined and why.
    #[arg(short, long)]
    verbose: bool,
}

impl ExplainArgs {
    /// What the command takes.
    pub(super) fn into_options(self, quiet: bool) -> Result<Options> {
        Ok(Options {
            job: self.options.job(vec![("forward".into(), self.model)])?,
            json: self.json,
            html: self.html.map(or_stdout),
            verbose: self.verbose,
            quiet,
        })
    }
}
