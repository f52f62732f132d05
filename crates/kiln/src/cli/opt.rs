//! The arguments of `kiln opt`.

use super::values::parse_stop;
use crate::commands::opt::Options;
use crate::target::TargetName;
use clap::Args;
use kiln_transforms::framework::pass::StopAfter;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct OptArgs {
    /// An archive or a text graph.
    file: PathBuf,
    /// Passes in order, separated by commas [default: the target's]; `--passes list` names all.
    #[arg(long, value_delimiter = ',')]
    passes: Option<Vec<String>>,
    /// Whose support and pipeline.
    #[arg(long, value_enum, default_value = "xnnpack")]
    target: TargetName,
    /// Run the verifier and the evaluator behind each pass; what fails is cut down and printed.
    #[arg(long)]
    verify: bool,
    /// End the passes after the first run of one, or after its N-th rewrite, counted over all its runs.
    #[arg(long, value_name = "PASS[:N]", value_parser = parse_stop)]
    stop_after: Option<StopAfter>,
    /// Print all constants in full, so that the text stands alone: without, no command can read it.
    #[arg(long)]
    full: bool,
}

impl OptArgs {
    /// What the command takes.
    pub(super) fn into_options(self, quiet: bool) -> Options {
        Options {
            file: self.file,
            passes: self.passes,
            target: self.target,
            verify: self.verify,
            stop_after: self.stop_after,
            full: self.full,
            quiet,
        }
    }
}
