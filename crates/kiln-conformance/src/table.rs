//! Results as files: a table for people, and counts that show what a change did.

use crate::case_run::CaseResult;
use anyhow::{Context, Result};
use indexmap::IndexMap;
use std::fmt::Write;
use std::path::Path;

/// Results of a suite, by case.
pub type Results = IndexMap<String, CaseResult>;

/// How many cases ended how, by executor.
pub fn totals(results: &Results) -> IndexMap<String, IndexMap<String, usize>> {
    let mut totals: IndexMap<String, IndexMap<String, usize>> = IndexMap::new();
    for result in results.values() {
        for (executor, outcome) in &result.outcomes {
            *totals
                .entry(executor.clone())
                .or_default()
                .entry(outcome.status.clone())
                .or_default() += 1;
        }
    }
    totals.values_mut().for_each(|t| t.sort_keys());
    totals
}

/// The table of a suite in Markdown: totals, what is not ok, and counts by case.
pub fn markdown(suite: &str, results: &Results) -> String {
    let mut text = format!("# {suite}\n\n");
    for (executor, counts) in totals(results) {
        let parts: Vec<String> = counts
            .iter()
            .map(|(status, n)| format!("{n} {status}"))
            .collect();
        writeln!(text, "- {executor}: {}", parts.join(", ")).expect("a string takes all");
    }
    text.push_str("\n## Not ok\n\n");
    let mut all_ok = true;
    for (case, result) in results {
        for (executor, outcome) in result.outcomes.iter().filter(|(_, o)| o.status != "ok") {
            all_ok = false;
            writeln!(
                text,
                "- `{case}` on {executor}: {}: {}",
                outcome.status, outcome.detail
            )
            .expect("a string takes all");
        }
    }
    text.push_str(if all_ok { "None.\n" } else { "" });
    text.push_str("\n## Counts\n\n| case | bytes | delegates | kernel calls | planned | at least | transposed |\n|---|---:|---:|---|---:|---:|---:|\n");
    for (case, result) in results {
        let Some(counts) = &result.counts else {
            continue;
        };
        let kernels: Vec<String> = counts
            .kernel_calls
            .iter()
            .map(|(k, n)| format!("{k} {n}"))
            .collect();
        writeln!(
            text,
            "| {case} | {} | {} | {} | {} | {} | {} |",
            counts.size,
            counts.delegates,
            kernels.join(", "),
            counts.planned_bytes,
            counts.planned_lower_bound,
            counts.transposed_bytes
        )
        .expect("a string takes all");
    }
    text
}

/// Writes the table, or, checking, says how it differs from the one there.
///
/// # Errors
/// If the file cannot be read or written.
pub fn write_or_check(path: &Path, text: &str, bless: bool) -> Result<Vec<String>> {
    if bless {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        std::fs::write(path, text).with_context(|| path.display().to_string())?;
        return Ok(Vec::new());
    }
    let old = std::fs::read_to_string(path).unwrap_or_default();
    let (before, now): (Vec<&str>, Vec<&str>) = (old.lines().collect(), text.lines().collect());
    let gone = before
        .iter()
        .filter(|l| !now.contains(l))
        .map(|l| format!("- {l}"));
    let new = now
        .iter()
        .filter(|l| !before.contains(l))
        .map(|l| format!("+ {l}"));
    Ok(gone.chain(new).collect())
}
