//! The committed tables of results: outcomes for people, and counts that show the effect of a change.
//!
//! A run of some cases, or on some executors, is compared with their part of the table. So a part of the corpus is checked against
//! the same table as the whole corpus. Only a run of all cases writes the table.

use crate::case_run::CaseResult;
use anyhow::{Context, Result, ensure};
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// The results of a suite, by the name of the case.
pub type Results = IndexMap<String, CaseResult>;

const COUNTS: &str = "| case | bytes | delegates | kernel calls | planned | at least | transposed |\n\
                      |---|---:|---:|---|---:|---:|---:|\n";

/// The number of cases with each status, by executor.
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

/// The table of a suite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The executors, in the order of the totals, with the number of cases that are ok.
    executors: Vec<(String, usize)>,
    /// The status and detail of outcomes that are not ok, by case and index of the executor in `executors`.
    faults: BTreeMap<(String, usize), String>,
    /// The cells behind the name of each case.
    counts: BTreeMap<String, String>,
}

impl Table {
    /// Reads a table as [`Table::markdown`] writes it. Lines of another form are ignored.
    pub fn parse(text: &str) -> Table {
        let mut table = Table::default();
        for line in text.lines() {
            if let Some((case, rest)) = split(line, "- `", "` on ") {
                if let Some((executor, fault)) = rest.split_once(": ") {
                    let place = table.place(executor);
                    table.faults.insert((case.into(), place), fault.into());
                }
            } else if let Some((executor, totals)) = split(line, "- ", ": ") {
                let place = table.place(executor);
                let mut totals = totals.split(", ");
                let ok = totals.find_map(|total| total.strip_suffix(" ok")?.parse().ok());
                table.executors[place].1 = ok.unwrap_or(0);
            } else if let Some((case, cells)) = split(line, "| ", " | ")
                && !COUNTS.contains(line)
            {
                table.counts.insert(case.into(), cells.into());
            }
        }
        table
    }

    /// The table with these results in place of its results of the same cases on the same executors. `is_all` is true if
    /// the suite has no other cases.
    pub fn with(&self, results: &Results, is_all: bool) -> Table {
        let (mut table, cases) = (self.clone(), self.cases());
        if is_all {
            let is_gone = |case: &&&str| !results.contains_key(**case);
            cases
                .iter()
                .filter(is_gone)
                .for_each(|case| table.remove(case));
        }
        for (case, result) in results {
            for (executor, outcome) in &result.outcomes {
                let key = (case.clone(), table.place(executor));
                let ok = &mut table.executors[key.1].1;
                let was_there = cases.contains(case.as_str()) && key.1 < self.executors.len();
                let was_ok = was_there && !self.faults.contains_key(&key);
                *ok = ok.saturating_sub(usize::from(was_ok));
                if outcome.status == "ok" {
                    *ok += 1;
                    table.faults.remove(&key);
                } else {
                    let fault = format!("{}: {}", outcome.status, outcome.detail);
                    table.faults.insert(key, fault);
                }
            }
            let has_program = result.outcomes.keys().any(|name| name != "evaluator");
            match &result.counts {
                Some(counts) => table.counts.insert(case.clone(), counts.cells()),
                None if has_program => table.counts.remove(case),
                None => continue,
            };
        }
        table
    }

    /// The cases of the table: each has the counts of its program, or a fault.
    fn cases(&self) -> BTreeSet<&str> {
        let with_faults = self.faults.keys().map(|(case, _)| case.as_str());
        let with_counts = self.counts.keys().map(String::as_str);
        with_faults.chain(with_counts).collect()
    }

    /// Removes what is known of a case.
    fn remove(&mut self, case: &str) {
        self.counts.remove(case);
        for (place, (_, ok)) in self.executors.iter_mut().enumerate() {
            if self.faults.remove(&(case.to_owned(), place)).is_none() {
                *ok = ok.saturating_sub(1);
            }
        }
    }

    /// The table in Markdown: totals, outcomes that are not ok, and counts by case.
    pub fn markdown(&self, suite: &str) -> String {
        let mut text = format!("# {suite}\n\n");
        for (place, (executor, ok)) in self.executors.iter().enumerate() {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            for ((_, of), fault) in &self.faults {
                let status = fault.split(':').next().unwrap_or_default();
                *counts.entry(status).or_default() += usize::from(*of == place);
            }
            counts.insert("ok", *ok);
            counts.retain(|_, count| *count > 0);
            let parts: Vec<String> = counts.iter().map(|(s, n)| format!("{n} {s}")).collect();
            line(
                &mut text,
                format_args!("- {executor}: {}", parts.join(", ")),
            );
        }
        text.push_str("\n## Not ok\n\n");
        for ((case, place), fault) in &self.faults {
            let (executor, _) = &self.executors[*place];
            line(&mut text, format_args!("- `{case}` on {executor}: {fault}"));
        }
        text.push_str(if self.faults.is_empty() {
            "None.\n"
        } else {
            ""
        });
        text.push_str("\n## Counts\n\n");
        text.push_str(COUNTS);
        for (case, cells) in &self.counts {
            line(&mut text, format_args!("| {case} | {cells}"));
        }
        text
    }

    /// The index of an executor, which is added if the table lacks it.
    fn place(&mut self, executor: &str) -> usize {
        let found = self.executors.iter().position(|(e, _)| e == executor);
        found.unwrap_or_else(|| {
            self.executors.push((executor.to_owned(), 0));
            self.executors.len() - 1
        })
    }
}

/// The two parts of a line behind a prefix, split at a separator.
fn split<'a>(line: &'a str, prefix: &str, separator: &str) -> Option<(&'a str, &'a str)> {
    line.strip_prefix(prefix)?.split_once(separator)
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    writeln!(text, "{arguments}").expect("a string takes all");
}

/// Writes the results of cases into the table of their suite, or returns the lines in which they differ from it.
///
/// # Errors
/// If the file cannot be read or written, or only some of the `listed` cases of the suite have results to write.
pub fn write_or_check(
    path: &Path,
    name: &str,
    results: &Results,
    listed: usize,
    bless: bool,
) -> Result<Vec<String>> {
    let old = std::fs::read_to_string(path).unwrap_or_default();
    let is_all = results.len() == listed;
    let text = Table::parse(&old).with(results, is_all).markdown(name);
    if bless {
        ensure!(
            is_all,
            "{name}: {} of {listed} cases ran; --bless writes the results of all",
            results.len()
        );
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        std::fs::write(path, text).with_context(|| path.display().to_string())?;
        return Ok(Vec::new());
    }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;
    use crate::case_run::{Counts, Outcome};

    fn results(cases: &[(&str, &str, u64)]) -> Results {
        let result = |&(name, status, size): &(&str, &str, u64)| {
            let outcome = |status: &str| Outcome {
                status: status.into(),
                detail: "why: this".into(),
                sqnr: None,
            };
            let outcomes = [("evaluator", "ok"), ("stock", status)];
            let outcomes = outcomes.map(|(executor, s)| (executor.into(), outcome(s)));
            let counts = Counts {
                size,
                ..Counts::default()
            };
            let result = CaseResult {
                outcomes: outcomes.into_iter().collect(),
                counts: (status != "refused").then_some(counts),
                ..CaseResult::default()
            };
            (name.to_owned(), result)
        };
        cases.iter().map(result).collect()
    }

    fn differences(path: &Path, cases: &[(&str, &str, u64)]) -> usize {
        let found = write_or_check(path, "suite", &results(cases), 3, false);
        found.unwrap().len()
    }

    #[test]
    fn a_part_is_checked_against_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tables/suite.md");
        let all = [("a", "ok", 7), ("b", "refused", 0), ("c", "wrong", 9)];
        write_or_check(&path, "suite", &results(&all), 3, true).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("- evaluator: 3 ok\n- stock: 1 ok, 1 refused, 1 wrong\n"));
        assert!(
            text.contains("- `c` on stock: wrong: why: this\n"),
            "{text}"
        );
        assert_eq!(Table::parse(&text).markdown("suite"), text);
        assert_eq!(differences(&path, &all), 0);
        for (i, case) in all.iter().enumerate() {
            assert_eq!(differences(&path, &[*case]), 0, "{i}");
            // The row of counts or the line of the fault, and the totals if the status changes.
            assert!(differences(&path, &[(case.0, "failed", 8)]) >= 2, "{i}");
        }
        assert_eq!(differences(&path, &[("a", "ok", 8)]), 2);
        assert_eq!(differences(&path, &[("b", "ok", 1)]), 4);
    }

    #[test]
    fn cases_that_are_gone_leave_the_table() {
        let all = results(&[("a", "ok", 7), ("b", "wrong", 0)]);
        let table = Table::default().with(&all, true);
        let rest = results(&[("a", "ok", 7)]);
        let text = table.with(&rest, true).markdown("suite");
        assert!(!text.contains("| b |") && text.contains("None."), "{text}");
        assert!(
            text.contains("- evaluator: 1 ok\n- stock: 1 ok\n"),
            "{text}"
        );
        assert_eq!(table.with(&rest, false), table);
    }

    /// Cases that this machine lacks are not counted, and no table is written without them.
    #[test]
    fn only_results_are_counted() {
        let part = results(&[("a", "ok", 7), ("b", "wrong", 0)]);
        let text = Table::default().with(&part, false).markdown("suite");
        assert!(
            text.contains("- evaluator: 2 ok\n- stock: 1 ok, 1 wrong\n"),
            "{text}"
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("suite.md");
        let refused = write_or_check(&path, "suite", &part, 3, true).unwrap_err();
        assert!(refused.to_string().contains("2 of 3 cases"), "{refused}");
        assert!(!path.exists());
    }
}
