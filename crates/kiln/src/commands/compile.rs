//! `kiln compile`: archives to a program.

use crate::budgets::{self, Budgets};
use crate::compiler::{Compiled, DimChoice, Job, PassOptions, compile};
use crate::import::UnknownOps;
use crate::output;
use crate::quantisation::Quantisation;
use crate::report::{self, Report};
use crate::target::TargetName;
use crate::usage::UsageError;
use anyhow::{Result, bail};
use kiln_files::Pending;
use kiln_ir::DType;
use kiln_target::{Error, Half, Options as TargetOptions};
use kiln_transforms::framework::pass::StopAfter;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// The arguments of `kiln compile`.
pub struct Options {
    /// The archive of the method `forward`.
    pub model: PathBuf,
    /// The path of the program.
    pub output: PathBuf,
    /// The target.
    pub target: TargetName,
    /// Further methods: name and archive.
    pub methods: Vec<(String, PathBuf)>,
    /// Check every pass.
    pub verify: bool,
    /// End the pipeline early, at this application of a pass.
    pub stop_after: Option<StopAfter>,
    /// The path of the report.
    pub report: Option<PathBuf>,
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
    /// Keep floats at the border of an integer program.
    pub float_io: bool,
    /// Further arguments for Vela, for targets that call it.
    pub vela: Vec<String>,
    /// Stock kernels only for what the NPU does not take.
    pub stock_kernels: bool,
    /// The model's name in C.
    pub name: Option<String>,
    /// What the user says about symbols.
    pub dims: Vec<DimChoice>,
    /// Namespaces whose unknown ops are kernels that the user registers with the runtime.
    pub custom_ops: Vec<String>,
    /// Limits on the program's costs.
    pub budgets: Budgets,
    /// Print nothing.
    pub quiet: bool,
}

/// Compiles, checks the budgets, and writes the program and the report. The program appears last. Where the pass to stop after is
/// `list`, only prints the passes.
///
/// # Errors
/// The model is refused, a budget is exceeded, or a file cannot be written. No program is left then. Over
/// budget, the report is still
/// written, because it says where the costs are.
pub fn run(options: &Options) -> Result<()> {
    if options
        .stop_after
        .as_ref()
        .is_some_and(|s| s.pass == super::LIST)
    {
        let target = options.target.create(&TargetOptions::default());
        return super::print_passes(target.pipeline());
    }
    let mut methods = vec![("forward".to_string(), options.model.clone())];
    for (name, path) in &options.methods {
        if methods.iter().any(|(n, _)| n == name) {
            return Err(UsageError::new(format!("two methods are called {name}")).into());
        }
        methods.push((name.clone(), path.clone()));
    }
    let mut written = vec![("-o", options.output.as_path())];
    written.extend(options.report.iter().map(|p| ("--report", p.as_path())));
    let mut read: Vec<&Path> = methods.iter().map(|(_, p)| p.as_path()).collect();
    read.extend(options.quantisation.iter().flat_map(Quantisation::paths));
    output::check_paths(&written, &read)?;
    check_no_folder(&options.output, options.target)?;
    let job = Job {
        methods,
        target: options.target,
        target_options: TargetOptions {
            strict_nan: options.strict_nan,
            fast_nan: options.fast_nan,
            half: options.half,
            float_io: options.float_io,
            name: options.name.clone(),
            arena: options.budgets.arena,
            output: Some(options.output.clone()),
            arguments: options.vela.clone(),
            stock_kernels: options.stock_kernels,
            stand_in: false,
        },
        passes: PassOptions {
            verify: options.verify,
            stop_after: options.stop_after.clone(),
        },
        dims: options.dims.clone(),
        custom_ops: options.custom_ops.clone(),
        precision: options.precision,
        quantisation: options.quantisation.clone(),
    };
    let compiled = match compile(&job) {
        Ok(compiled) => compiled,
        Err(error) => {
            super::print_region(&error);
            if let (Some(path), Some(unknown)) =
                (&options.report, error.downcast_ref::<UnknownOps>())
            {
                output::write_file(path, &serde_json::to_vec_pretty(unknown)?)?;
            }
            return Err(error);
        }
    };
    if let Err(over) = budgets::check(&options.budgets, &compiled) {
        if let Some(path) = &options.report {
            let size = compiled.artifact.size()?;
            write_report(&compiled, &job, size, path)?;
        }
        bail!(over);
    }
    let (pending, size) = prepared(&compiled, &job, options)?;
    output::persist(pending, &options.output)?;
    if !options.quiet {
        let target = options.target;
        output::say(report::summary(&compiled, target, &options.output, size).trim_end());
        for warning in budgets::unused(&options.budgets, &compiled) {
            output::say(format_args!("warning: {warning}"));
        }
    }
    // The process ends: to give back graphs and weights piece by piece is of no use.
    std::mem::forget(compiled);
    Ok(())
}

/// Writes the program where it does not appear yet, and the report, which an artifact that is a folder also has in it. Gives the program's
/// size.
fn prepared(compiled: &Compiled, job: &Job, options: &Options) -> Result<(Pending, u64)> {
    let made = OnceCell::new();
    let within = |size| -> Result<String, Error> {
        let text = report_text(compiled, job, size)?;
        Ok(made.get_or_init(|| text).clone())
    };
    let (pending, size) = compiled.artifact.prepare_with(&options.output, &within)?;
    match (&options.report, made.get()) {
        (Some(path), Some(text)) => output::write_file(path, text.as_bytes())?,
        (Some(path), None) => write_report(compiled, job, size, path)?,
        (None, _) => {}
    }
    Ok((pending, size))
}

/// A target of files does not write into a folder.
fn check_no_folder(path: &Path, target: TargetName) -> Result<()> {
    let kind = target.kind();
    if kind.extension.is_empty() || !kiln_files::is_folder(path) {
        return Ok(());
    }
    let (path, extension) = (path.display(), kind.extension);
    bail!(
        "-o {path} is a folder, and --target {target} writes a file; end it in .{extension}, or give a target that writes \
         a folder (cortex-*, host-c)"
    )
}

fn write_report(compiled: &Compiled, job: &Job, size: u64, path: &Path) -> Result<()> {
    output::write_file(path, report_text(compiled, job, size)?.as_bytes())
}

fn report_text(compiled: &Compiled, job: &Job, size: u64) -> Result<String, Error> {
    let report = Report::of(compiled, job.target, &job.target_options, size);
    serde_json::to_string_pretty(&report).map_err(Error::of)
}
