//! `kiln compile`: archives to a program.

use crate::compiler::{Compiled, Job, PassOptions, TargetOptions, compile};
use crate::report;
use crate::target::TargetName;
use anyhow::{Context, Result, bail};
use kiln_transforms::pass::StopAfter;
use std::path::PathBuf;

/// What to do.
pub struct Options {
    /// The archive of the method `forward`.
    pub model: PathBuf,
    /// The program to write.
    pub output: PathBuf,
    /// What it runs on.
    pub target: TargetName,
    /// Other methods by name.
    pub methods: Vec<(String, PathBuf)>,
    /// Check every pass.
    pub verify: bool,
    /// End the pipeline early.
    pub stop_after: Option<StopAfter>,
    /// Where to write the report.
    pub report: Option<PathBuf>,
    /// Refuse delegate ops whose NaN or infinity differs from PyTorch's.
    pub strict_nan: bool,
    /// Greatest values of symbols that nothing bounds.
    pub dims: Vec<(String, i64)>,
    /// What the program may cost.
    pub budgets: Budgets,
    /// Say nothing.
    pub quiet: bool,
}

/// Limits that fail a compilation which exceeds them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budgets {
    /// Delegates of a method.
    pub delegates: Option<u64>,
    /// Kernel calls of a method.
    pub kernel_calls: Option<u64>,
    /// Bytes that a method reorders.
    pub transposed_bytes: Option<u64>,
    /// Bytes that a method plans.
    pub arena: Option<u64>,
}

/// Compiles, checks the budgets, writes program and report.
///
/// # Errors
/// If the model is refused, a budget is exceeded, or a file cannot be written; no program is left then.
pub fn run(options: &Options) -> Result<()> {
    let mut methods = vec![("forward".to_string(), options.model.clone())];
    for (name, path) in &options.methods {
        if methods.iter().any(|(n, _)| n == name) {
            bail!("two methods are called {name}");
        }
        methods.push((name.clone(), path.clone()));
    }
    let job = Job {
        methods,
        target: options.target,
        target_options: TargetOptions {
            strict_nan: options.strict_nan,
        },
        passes: PassOptions {
            verify: options.verify,
            stop_after: options.stop_after.clone(),
        },
        dims: options.dims.clone(),
    };
    let compiled = compile(&job)?;
    check_budgets(&options.budgets, &compiled)?;
    let size = kiln_pte::write_file(&compiled.emitted.program, &options.output)
        .with_context(|| options.output.display().to_string())?;
    if let Some(path) = &options.report {
        let json = report::json(&compiled, options.target, size);
        crate::output::write_file(path, serde_json::to_string_pretty(&json)?.as_bytes())?;
    }
    if !options.quiet {
        eprint!("{}", report::summary(&compiled, &options.output, size));
    }
    Ok(())
}

fn check_budgets(budgets: &Budgets, compiled: &Compiled) -> Result<()> {
    let mut broken = Vec::new();
    for (figures, method) in compiled.emitted.reports.iter().zip(&compiled.methods) {
        let kernel_calls = figures.kernel_calls.values().sum::<usize>() as u64;
        let rows = [
            ("delegates", budgets.delegates, figures.delegates as u64),
            ("kernel calls", budgets.kernel_calls, kernel_calls),
            (
                "transposed bytes",
                budgets.transposed_bytes,
                figures.transposed_bytes,
            ),
            ("planned bytes", budgets.arena, figures.planned_bytes),
        ];
        for (what, limit, found) in rows {
            if let Some(limit) = limit.filter(|&l| found > l) {
                let nodes = report::outside_delegates(method);
                broken.push(format!(
                    "method {}: {found} {what}, the budget is {limit}{nodes}",
                    figures.name
                ));
            }
        }
    }
    if broken.is_empty() {
        Ok(())
    } else {
        bail!("{}", broken.join("; "))
    }
}
