//! `kiln explain`: why each node is where it is.

use crate::compiler::{Job, compile};
use crate::explain::{self, Scope};
use crate::report::Report;
use anyhow::{Context, Result};
use std::path::PathBuf;

/// The arguments of `kiln explain`.
pub struct Options {
    /// What is compiled, and how.
    pub job: Job,
    /// Print the JSON report of `compile --report` in place of text.
    pub json: bool,
    /// The path of the page.
    pub html: Option<PathBuf>,
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
    let mut job = options.job.clone();
    if let Some(path) = &options.html {
        crate::output::check_paths(&[("--html", path)], &job.paths())?;
    }
    if let Some(lack) = job.target.create(&job.target_options).lacks() {
        if !options.quiet {
            crate::output::say(format_args!("warning: {lack}"));
        }
        job.target_options.stand_in = true;
    }
    let compiled = compile(&job)?;
    let path = job.model();
    let size = compiled
        .artifact
        .size()
        .with_context(|| path.display().to_string())?;
    let model = path.file_name().unwrap_or_default().to_string_lossy();
    let target = job.target.to_string();
    if let Some(path) = &options.html {
        let page = explain::html::page(&compiled, &model, &target, size);
        crate::output::write_file(path, page.as_bytes())?;
    }
    if options.json {
        let report = Report::of(&compiled, job.target, &job.target_options, size);
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
