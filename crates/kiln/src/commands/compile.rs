//! `kiln compile`: archives to a program.

use crate::budgets::{self, Budgets};
use crate::compiler::{Compiled, Job, compile};
use crate::import::Refusals;
use crate::output;
use crate::report::{self, Report};
use crate::target::TargetName;
use crate::usage::UsageError;
use anyhow::{Result, bail};
use kiln_files::Pending;
use kiln_target::{Error, Options as TargetOptions};
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// The arguments of `kiln compile`.
pub struct Options {
    /// What is compiled, and how.
    pub job: Job,
    /// The path of the program.
    pub output: PathBuf,
    /// The path of the report.
    pub report: Option<PathBuf>,
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
    let job = &options.job;
    let stop_after = job.passes.stop_after.as_ref();
    if stop_after.is_some_and(|stop| stop.pass == super::LIST) {
        let target = job.target.create(&TargetOptions::default());
        return super::print_passes(target.pipeline());
    }
    check_paths(options)?;
    let compiled = match compile(job) {
        Ok(compiled) => compiled,
        Err(error) => {
            super::print_region(&error);
            if let (Some(path), Some(refusals)) =
                (&options.report, error.downcast_ref::<Refusals>())
            {
                output::write_file(path, &serde_json::to_vec_pretty(refusals)?)?;
            }
            return Err(error);
        }
    };
    if let Err(over) = budgets::check(&options.budgets, &compiled) {
        if let Some(path) = &options.report {
            let size = compiled.artifact.size()?;
            write_report(&compiled, job, size, path)?;
        }
        bail!(over);
    }
    let (pending, size) = prepared(&compiled, job, options)?;
    output::persist(pending, &options.output)?;
    if !options.quiet {
        output::say(report::summary(&compiled, job.target, &options.output, size).trim_end());
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

/// Refuses two methods of one name, and paths that would be written over each other or over what is read.
fn check_paths(options: &Options) -> Result<()> {
    let methods = &options.job.methods;
    for (i, (name, _)) in methods.iter().enumerate() {
        if methods[..i].iter().any(|(other, _)| other == name) {
            return Err(UsageError::new(format!("two methods are called {name}")).into());
        }
    }
    let mut written = vec![("-o", options.output.as_path())];
    written.extend(options.report.iter().map(|p| ("--report", p.as_path())));
    output::check_paths(&written, &options.job.paths())?;
    check_no_folder(&options.output, options.job.target)
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
