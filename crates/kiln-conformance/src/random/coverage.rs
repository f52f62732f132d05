//! How often each rule of each target's pipeline was applied.
//!
//! A rule that is never applied was not checked, however many graphs there were. So every rule that a pipeline lists is
//! a cell of the table, which counts, and a run fails if one counts too few. [`NEVER`] says which cannot be applied, and
//! why; a run fails as well if one of those was.

use super::targets::columns;
use super::unreachable::{NEVER, Never};
use indexmap::IndexMap;
use kiln_transforms::framework::pass::PassRun;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// For so many graphs a rule is applied once at least, over all targets.
const GRAPHS_PER_APPLICATION: u64 = 1000;

/// For so many graphs a rule is applied once at least on each target that lists it.
const GRAPHS_PER_APPLICATION_ON_TARGET: u64 = 5000;

/// Applications by rule and target.
pub struct Coverage {
    columns: Vec<&'static str>,
    /// By pass and rule, a cell for each column: `None` where the pipeline does not list the pass.
    rows: IndexMap<(&'static str, &'static str), Vec<Option<AtomicU64>>>,
}

impl Default for Coverage {
    fn default() -> Coverage {
        let columns = columns();
        let mut rows: IndexMap<_, Vec<Option<AtomicU64>>> = IndexMap::new();
        for (i, (_, passes)) in columns.iter().enumerate() {
            for pass in *passes {
                for rule in pass.rules {
                    let row = rows.entry((pass.name, *rule)).or_default();
                    row.resize_with(columns.len(), || None);
                    row[i].get_or_insert_default();
                }
            }
        }
        let columns = columns.into_iter().map(|(name, _)| name).collect();
        Coverage { columns, rows }
    }
}

impl Coverage {
    /// Counts what passes applied on a target; a rule that the pass does not list, if there is one.
    pub fn add(&self, target: &str, runs: &[PassRun]) -> Option<&'static str> {
        let column = self.columns.iter().position(|c| *c == target)?;
        let mut unlisted = None;
        for run in runs {
            for applied in &run.report.applied {
                let row = self.rows.get(&(run.pass, applied.rule));
                match row.and_then(|row| row[column].as_ref()) {
                    Some(cell) => {
                        cell.fetch_add(1, Ordering::Relaxed);
                    }
                    None => unlisted = Some(applied.rule),
                }
            }
        }
        unlisted
    }

    /// Rules that were applied too rarely for so many graphs, or against what [`NEVER`] says; in words.
    pub fn gaps(&self, graphs: u64) -> Vec<String> {
        let least_of_all = graphs / GRAPHS_PER_APPLICATION;
        let least = graphs / GRAPHS_PER_APPLICATION_ON_TARGET;
        let mut gaps = Vec::new();
        for (&(pass, rule), row) in &self.rows {
            let counts = row
                .iter()
                .flatten()
                .map(|cell| cell.load(Ordering::Relaxed));
            let total: u64 = counts.sum();
            let is_possible = |(column, cell): (&&str, &Option<AtomicU64>)| {
                cell.is_some() && never(pass, rule, column).is_none()
            };
            if total < least_of_all && self.columns.iter().zip(row).any(is_possible) {
                gaps.push(format!(
                    "rule {rule} of {pass}: applied {total} times, at least {least_of_all} are wanted"
                ));
            }
            for (column, cell) in self.columns.iter().zip(row) {
                let Some(cell) = cell else { continue };
                let count = cell.load(Ordering::Relaxed);
                let place = format!("rule {rule} of {pass} on {column}");
                match never(pass, rule, column) {
                    Some(never) if count > 0 => gaps.push(format!(
                        "{place}: applied {count} times, but listed as never ({})",
                        never.why
                    )),
                    None if count < least => gaps.push(format!(
                        "{place}: applied {count} times, at least {least} are wanted"
                    )),
                    _ => {}
                }
            }
        }
        gaps
    }
}

fn never(pass: &str, rule: &str, target: &str) -> Option<&'static Never> {
    let fits = |n: &&Never| (n.pass, n.rule) == (pass, rule) && n.targets.contains(&target);
    NEVER.iter().find(fits)
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<42}", "")?;
        for column in &self.columns {
            write!(f, "{column:>14}")?;
        }
        writeln!(f)?;
        for (&(pass, rule), row) in &self.rows {
            let name = if pass == rule {
                rule.to_string()
            } else {
                format!("{pass}/{rule}")
            };
            write!(f, "{name:<42}")?;
            for (column, cell) in self.columns.iter().zip(row) {
                let text = match cell.as_ref().map(|cell| cell.load(Ordering::Relaxed)) {
                    None => String::new(),
                    Some(0) if never(pass, rule, column).is_some() => "never".into(),
                    Some(count) => count.to_string(),
                };
                write!(f, "{text:>14}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
