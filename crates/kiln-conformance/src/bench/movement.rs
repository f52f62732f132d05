//! The bytes that programs only move, beside the lower bound for any program.

use super::{archives, name};
use anyhow::{Context, Result};
use kiln::compiler::{Job, compile};
use kiln::target::TargetName;
use kiln_target::Options;
use std::path::{Path, PathBuf};

/// Prints a table for each folder, with one row per model.
pub fn run(folders: &[PathBuf], filter: Option<&str>) -> Result<()> {
    for folder in folders {
        println!("\n## {}\n", name(folder));
        println!("| model | moved bytes | at least | which is | gap |");
        println!("|---|---:|---:|---|---:|");
        for path in archives(folder, filter)? {
            println!("{}", row(&path).with_context(|| name(&path))?);
        }
    }
    Ok(())
}

fn row(path: &Path) -> Result<String> {
    let target = TargetName::default().create(&Options::default());
    let compiled = compile(&Job::new(path, TargetName::default()))?;
    let (moved, least) = (
        compiled.methods[0].figures.transposed_bytes,
        compiled.least_moved(0, &*target),
    );
    let kind = if least.is_exact {
        "exact"
    } else {
        "a relaxation"
    };
    let gap = moved.saturating_sub(least.bytes);
    Ok(format!(
        "| {} | {moved} | {} | {kind} | {gap} |",
        name(path),
        least.bytes
    ))
}
