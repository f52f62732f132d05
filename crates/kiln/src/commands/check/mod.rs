//! `kiln check`: compiles many models, compares them with their budgets and golden outputs, and prints a table.

mod config;

use crate::budgets;
use crate::commands::run;
use crate::compare::{Tolerance, enough};
use crate::compiler::{Compiled, Job, compile};
use crate::counted::counted;
use anyhow::{Result, bail};
use config::Wanted;
use kiln_target::{Choice, progress};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The arguments of `kiln check`.
pub struct Options {
    /// The file of models and budgets.
    pub file: PathBuf,
    /// Print one JSON document in place of the table.
    pub json: bool,
    /// Print nothing but errors and the table.
    pub quiet: bool,
}

/// What was found of a model.
#[derive(Default)]
struct Found {
    delegates: Option<usize>,
    kernel_calls: usize,
    transposed_bytes: u64,
    planned_bytes: Option<u64>,
    bytes: u64,
    /// The least signal-to-noise ratio in dB; infinite where all outputs are equal.
    sqnr: Option<f64>,
    /// True if an output is not as expected.
    is_wrong: bool,
    /// True if a budget is exceeded.
    is_over: bool,
    /// Warnings of the compilation.
    warnings: Vec<String>,
}

/// A model and its outcome.
struct Row {
    wanted: Wanted,
    /// `None` for a model that is refused.
    found: Option<Found>,
    faults: Vec<String>,
}

/// Checks all models of the file. One that fails does not keep the others from being checked.
///
/// # Errors
/// The file is refused, or a model is: it does not compile, is over budget, or gives other values than expected. The message counts
/// those; the faults are said before.
pub fn run(options: &Options) -> Result<()> {
    let wanted = config::read(&options.file)?;
    let rows: Vec<Row> = wanted.into_iter().map(checked).collect();
    for row in &rows {
        for fault in &row.faults {
            let (name, target) = (&row.wanted.name, row.wanted.job.target);
            crate::output::say(format_args!("{name} for {target}: {fault}"));
        }
    }
    for row in rows.iter().filter(|_| !options.quiet) {
        let warnings = row.found.iter().flat_map(|found| &found.warnings);
        for warning in warnings {
            let (name, target) = (&row.wanted.name, row.wanted.job.target);
            crate::output::say(format_args!("{name} for {target}: warning: {warning}"));
        }
    }
    let bad = rows.iter().filter(|row| !row.faults.is_empty()).count();
    if options.json {
        let models: Vec<Value> = rows.iter().map(Row::json).collect();
        let document = json!({"ok": bad == 0, "models": models});
        crate::output::print(&format!("{document}\n"))?;
    } else {
        crate::output::print(&table(&rows))?;
    }
    if bad > 0 {
        bail!("{bad} of {} failed", counted(rows.len(), "model"));
    }
    if !options.quiet {
        crate::output::say(format_args!(
            "{} within budget",
            counted(rows.len(), "model")
        ));
    }
    Ok(())
}

fn checked(wanted: Wanted) -> Row {
    let _shown = progress::stage(wanted.name.as_str());
    let (found, faults) = match examine(&wanted) {
        Ok((found, faults)) => (Some(found), faults),
        Err(error) => (None, vec![format!("{error:#}")]),
    };
    Row {
        wanted,
        found,
        faults,
    }
}

/// Compiles a model and judges it.
fn examine(wanted: &Wanted) -> Result<(Found, Vec<String>)> {
    let budgets = &wanted.budgets;
    let compiled = compile(&wanted.job)?;
    let mut found = figures(&compiled)?;
    let over = budgets::check(budgets, &compiled).err();
    let mut faults: Vec<String> = over.into_iter().collect();
    if let Some(limit) = wanted.max_bytes.filter(|&limit| found.bytes > limit) {
        faults.push(format!("{} bytes, the budget is {limit}", found.bytes));
    }
    found.is_over = !faults.is_empty();
    if let Some(golden) = &wanted.expect {
        let (sqnr, fault) = judged(&compiled, wanted, golden)?;
        found.sqnr = sqnr;
        found.is_wrong = fault.is_some();
        faults.extend(fault);
    }
    found.warnings = compiled.warnings(found.bytes);
    found.warnings.extend(budgets::unused(budgets, &compiled));
    Ok((found, faults))
}

fn figures(compiled: &Compiled) -> Result<Found> {
    let mut found = Found {
        bytes: compiled.artifact.size()?,
        ..Found::default()
    };
    for method in &compiled.methods {
        let figures = &method.figures;
        found.delegates = figures.delegates.or(found.delegates);
        found.kernel_calls += figures.kernel_call_count();
        found.transposed_bytes += figures.transposed_bytes;
        found.planned_bytes = figures.planned_bytes.or(found.planned_bytes);
    }
    Ok(found)
}

/// The least ratio of the outputs, if all were compared, and why they are not as expected.
fn judged(
    compiled: &Compiled,
    wanted: &Wanted,
    golden: &Path,
) -> Result<(Option<f64>, Option<String>)> {
    let tolerance = Tolerance {
        sqnr: wanted.min_sqnr.or(enough(&wanted.job)),
        ..Tolerance::default()
    };
    let stand_in = match wanted.job.target.has(Choice::Vela) {
        // A command stream runs on its NPU only. The TOSA file that it is made of computes the same.
        true => Some(compile(&as_tosa(&wanted.job))?),
        false => None,
    };
    let compiled = stand_in.as_ref().unwrap_or(compiled);
    let verdict = run::judged(compiled, &wanted.path, golden, tolerance)?;
    let failure = verdict.failure(&golden.display().to_string());
    let least = verdict.least_sqnr();
    let failure = failure.map(|error| error.to_string());
    Ok((least, failure))
}

fn as_tosa(job: &Job) -> Job {
    let mut job = job.clone();
    job.target_options.output = Some("model.tosa".into());
    job
}

impl Row {
    fn verdict(&self) -> &'static str {
        let state = |found: &Found| (found.is_over, found.is_wrong);
        match self.found.as_ref().map(state) {
            None => "refused",
            Some((false, false)) => "ok",
            Some((true, false)) => "over budget",
            Some((false, true)) => "wrong",
            Some((true, true)) => "over budget and wrong",
        }
    }

    fn json(&self) -> Value {
        let figures = self.found.as_ref().map(|found| {
            json!({
                "delegates": found.delegates,
                "kernel_calls": found.kernel_calls,
                "transposed_bytes": found.transposed_bytes,
                "planned_bytes": found.planned_bytes,
                "bytes": found.bytes,
                // JSON has no infinity.
                "sqnr": found.sqnr.filter(|sqnr| sqnr.is_finite()),
                "equal": found.sqnr.map(f64::is_infinite),
                "warnings": found.warnings,
            })
        });
        json!({
            "name": self.wanted.name,
            "target": self.wanted.job.target.name(),
            "ok": self.faults.is_empty(),
            "faults": self.faults,
            "figures": figures,
        })
    }
}

/// The table in Markdown, for terminals and pull requests.
fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| model | target | delegates | kernel calls | moved bytes | planned bytes | bytes | dB | verdict |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---|\n",
    );
    for row in rows {
        let cells = match &row.found {
            None => vec![String::new(); 6],
            Some(found) => {
                let known = |n: Option<u64>| n.map_or(String::new(), |n| n.to_string());
                let decibels = found.sqnr.map(|sqnr| match sqnr.is_finite() {
                    true => format!("{sqnr:.1}"),
                    false => "equal".to_owned(),
                });
                vec![
                    known(found.delegates.map(|n| n as u64)),
                    found.kernel_calls.to_string(),
                    found.transposed_bytes.to_string(),
                    known(found.planned_bytes),
                    found.bytes.to_string(),
                    decibels.unwrap_or_default(),
                ]
            }
        };
        // A bar would end the cell.
        let (name, target) = (row.wanted.name.replace('|', "\\|"), row.wanted.job.target);
        let (cells, verdict) = (cells.join(" | "), row.verdict());
        text += &format!("| {name} | {target} | {cells} | {verdict} |\n");
    }
    text
}
