//! Benchmarks. `docs/benchmarks.md` defines each figure.

pub mod compile;
pub mod cortex_m;
pub mod latency;
mod long_model;
pub mod movement;
pub mod passes;
mod process;

pub use long_model::Shape;

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The archives of a folder whose name contains `filter`, sorted by name.
fn archives(folder: &Path, filter: Option<&str>) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "pt2"))
        .filter(|p| filter.is_none_or(|f| name(p).contains(f)))
        .collect();
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_stem()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// The path of `kiln` in the folder of this program.
fn kiln_binary() -> Result<PathBuf> {
    let exe = std::env::current_exe()?;
    let kiln = exe
        .parent()
        .context("this program has no folder")?
        .join("kiln");
    anyhow::ensure!(
        kiln.is_file(),
        "{} is not there; build the workspace",
        kiln.display()
    );
    Ok(kiln)
}

/// The median.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
