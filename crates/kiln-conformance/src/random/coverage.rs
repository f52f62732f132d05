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

/// One application over all targets is wanted per this many graphs. A run with fewer graphs has no minimum.
const GRAPHS_PER_APPLICATION: u64 = 1000;

/// One application on each target that lists the rule is wanted per this many graphs, and one at least in every run with
/// a minimum.
const GRAPHS_PER_APPLICATION_ON_TARGET: u64 = 5000;

/// How often each rule has to be applied in a run of so many graphs: over all targets, and on each target that lists it.
/// `None` if the run is too small for a minimum.
pub fn wanted(graphs: u64) -> Option<(u64, u64)> {
    let over_all = Some(graphs / GRAPHS_PER_APPLICATION).filter(|&n| n > 0)?;
    Some((over_all, (graphs / GRAPHS_PER_APPLICATION_ON_TARGET).max(1)))
}

/// A pass and a rule of it.
type Key = (&'static str, &'static str);

/// A cell for each column: `None` where the pipeline does not list the pass.
type Cells = Vec<Option<AtomicU64>>;

/// Applications by rule and target.
pub struct Coverage {
    columns: Vec<&'static str>,
    rows: IndexMap<Key, Cells>,
}

impl Default for Coverage {
    fn default() -> Coverage {
        let columns = columns();
        let mut rows: IndexMap<Key, Cells> = IndexMap::new();
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

    /// True if a rule was applied often enough for so many graphs.
    pub fn is_reached(&self, pass: &str, rule: &str, graphs: u64) -> bool {
        let row = |&(key, _): &(&Key, &Cells)| *key == (pass, rule);
        let mut rows = self.rows.iter().filter(row);
        rows.all(|(key, cells)| self.too_rare(key, cells, graphs).is_empty())
    }

    /// Rules that were applied too rarely, or although [`NEVER`] lists them, as messages. Rules of passes without a minimum may
    /// be rare.
    pub fn gaps(&self, graphs: u64, has_minimum: impl Fn(&str) -> bool) -> Vec<String> {
        let mut gaps = Vec::new();
        for (key, cells) in &self.rows {
            if has_minimum(key.0) {
                gaps.extend(self.too_rare(key, cells, graphs));
            }
            for (column, cell) in self.columns.iter().zip(cells) {
                let count = cell.as_ref().map_or(0, load);
                let never = never(key.0, key.1, column).filter(|n| !n.but_constants(column));
                if let (Some(never), 1..) = (never, count) {
                    gaps.push(format!(
                        "rule {} of {} on {column}: applied {count} times, but listed as never ({})",
                        key.1, key.0, never.why
                    ));
                }
            }
        }
        gaps
    }

    /// Where a rule was applied too rarely for so many graphs, as messages.
    fn too_rare(&self, &(pass, rule): &Key, cells: &Cells, graphs: u64) -> Vec<String> {
        let Some((over_all, on_target)) = wanted(graphs) else {
            return Vec::new();
        };
        let possible = self.columns.iter().zip(cells).filter_map(|(column, cell)| {
            let cell = cell
                .as_ref()
                .filter(|_| never(pass, rule, column).is_none());
            Some((*column, load(cell?)))
        });
        let possible: Vec<(&str, u64)> = possible.collect();
        let total: u64 = possible.iter().map(|(_, count)| count).sum();
        let too_rare = |place: &str, count: u64, least: u64| {
            let text = || {
                format!(
                    "rule {rule} of {pass}{place}: applied {count} times, at least {least} are wanted"
                )
            };
            (count < least).then(text)
        };
        let of_all = too_rare("", total, over_all).filter(|_| !possible.is_empty());
        let of_each = possible
            .iter()
            .filter_map(|(column, count)| too_rare(&format!(" on {column}"), *count, on_target));
        of_all.into_iter().chain(of_each).collect()
    }
}

fn load(cell: &AtomicU64) -> u64 {
    cell.load(Ordering::Relaxed)
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
