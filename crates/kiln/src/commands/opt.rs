//! `kiln opt`: runs passes on a graph and prints it as text.

use super::LIST;
use crate::compiler;
use crate::import::ImportOptions;
use crate::model::Model;
use crate::target::TargetName;
use anyhow::Result;
use kiln_ir::text::{Data, print};
use kiln_transforms::framework::pass::StopAfter;
use std::path::PathBuf;

/// The arguments of `kiln opt`.
pub struct Options {
    /// An archive or a text graph.
    pub file: PathBuf,
    /// Passes in order; the target's pipeline if absent.
    pub passes: Option<Vec<String>>,
    /// The target that decides support and the default pipeline.
    pub target: TargetName,
    /// Check every pass.
    pub verify: bool,
    /// End the pipeline early, at this application of a pass.
    pub stop_after: Option<StopAfter>,
    /// Print constants in full.
    pub full: bool,
    /// Print nothing but errors.
    pub quiet: bool,
}

fn is_list(passes: Option<&[String]>) -> bool {
    matches!(passes, Some([only]) if only == LIST)
}

/// Runs passes and prints the graph on stdout.
///
/// # Errors
/// The file is refused, a pass is unknown, or a check fails.
pub fn run(options: &Options) -> Result<()> {
    let target = options.target.create(&kiln_target::Options::default());
    if is_list(options.passes.as_deref()) {
        return super::print_passes(&compiler::known_passes(&*target));
    }
    if options.stop_after.as_ref().is_some_and(|s| s.pass == LIST) {
        return super::print_passes(target.pipeline());
    }
    let model = Model::open(&options.file)?;
    if options.verify {
        model.verify_checksums()?;
    }
    let import = ImportOptions {
        loops: target.takes_loops(),
        ..ImportOptions::default()
    };
    let mut graph = model.graph_with(&options.file, "forward", import)?;
    let passes = match &options.passes {
        Some(names) => compiler::passes_named(names, &*target)?,
        None => target.pipeline().to_vec(),
    };
    let settings = compiler::PassOptions {
        verify: options.verify,
        stop_after: options.stop_after.clone(),
    };
    let passed = compiler::run_passes(&mut graph, &*target, &passes, &settings)
        .inspect_err(super::print_region)?;
    if let Some(verified) = passed.verified.filter(|_| !options.quiet) {
        crate::output::say(verified.text(passed.runs.len()));
    }
    crate::output::print(&print(
        &graph,
        if options.full {
            Data::Full
        } else {
            Data::Digest
        },
    ))?;
    Ok(())
}
