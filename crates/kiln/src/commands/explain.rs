//! `kiln explain`: why each node is where it is.

use crate::compiler::{DimChoice, Job, compile};
use crate::explain::{self, Scope};
use crate::quantisation::Quantisation;
use crate::report::Report;
use crate::target::TargetName;
use anyhow::{Context, Result};
use kiln_ir::DType;
use kiln_target::{Half, Options as TargetOptions};
use std::path::PathBuf;

/// The arguments of `kiln explain`.
pub struct Options {
    /// The archive of the method `forward`.
    pub model: PathBuf,
    /// The target.
    pub target: TargetName,
    /// Print the JSON report of `compile --report` in place of text.
    pub json: bool,
    /// The path of the page.
    pub html: Option<PathBuf>,
    /// Refuse operators of a delegate that answer NaN or infinity differently from PyTorch.
    pub strict_nan: bool,
    /// Leave out the guards against operators that answer NaN or infinity differently.
    pub fast_nan: bool,
    /// In which floats f16 is computed.
    pub half: Option<Half>,
    /// The floats in which the model computes, if not those of its export.
    pub precision: Option<DType>,
    /// How the model is quantised.
    pub quantisation: Option<Quantisation>,
    /// What the user says about symbols.
    pub dims: Vec<DimChoice>,
    /// Namespaces whose unknown ops are kernels that the user registers with the runtime.
    pub custom_ops: Vec<String>,
    /// Also say what the passes did and declined.
    pub verbose: bool,
    /// Print nothing but errors.
    pub quiet: bool,
}

/// Compiles without writing the program, and explains the result.
///
/// # Errors
/// The model is refused, or the page cannot be written.
pub fn run(options: &Options) -> Result<()> {
    if let Some(path) = &options.html {
        let mut read = vec![options.model.as_path()];
        read.extend(options.quantisation.iter().flat_map(Quantisation::paths));
        crate::output::check_paths(&[("--html", path)], &read)?;
    }
    let mut target_options = TargetOptions {
        strict_nan: options.strict_nan,
        fast_nan: options.fast_nan,
        half: options.half,
        ..TargetOptions::default()
    };
    if let Some(lack) = options.target.create(&target_options).lacks() {
        if !options.quiet {
            crate::output::say(format_args!("warning: {lack}"));
        }
        target_options.stand_in = true;
    }
    let job = Job {
        target_options,
        dims: options.dims.clone(),
        custom_ops: options.custom_ops.clone(),
        precision: options.precision,
        quantisation: options.quantisation.clone(),
        ..Job::new(&options.model, options.target)
    };
    let compiled = compile(&job)?;
    let size = compiled
        .artifact
        .size()
        .with_context(|| options.model.display().to_string())?;
    let (model, target) = (
        options
            .model
            .file_name()
            .unwrap_or_default()
            .to_string_lossy(),
        options.target.to_string(),
    );
    if let Some(path) = &options.html {
        let page = explain::html::page(&compiled, &model, &target, size);
        crate::output::write_file(path, page.as_bytes())?;
    }
    if options.json {
        let report = Report::of(&compiled, options.target, &job.target_options, size);
        return crate::output::print(&format!("{}\n", serde_json::to_string_pretty(&report)?));
    }
    let warnings = compiled.warnings(size);
    for warning in warnings.iter().filter(|_| !options.quiet) {
        crate::output::say(format_args!("warning: {warning}"));
    }
    for note in compiled.notes().filter(|_| !options.quiet) {
        crate::output::say(format_args!("note: {note}"));
    }
    if options.html.is_none() {
        let scope = Scope {
            internals: options.verbose,
        };
        return crate::output::print(&explain::text(&compiled, &model, &target, size, scope));
    }
    Ok(())
}
