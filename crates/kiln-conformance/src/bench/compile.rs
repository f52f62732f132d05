//! The compile time and memory of models.

use super::process::{Usage, measure};
use super::{archives, kiln_binary, name};
use anyhow::{Context, Result, anyhow};
use kiln::target::TargetName;
use kiln_cortex_m::cores::Core;
use std::path::Path;
use std::process::Command;

/// The number of runs, of which the fastest counts.
const REPEATS: usize = 5;

/// Prints a table with one row per model.
pub fn run(
    models: &Path,
    peer_python: Option<&Path>,
    peer: Option<&Path>,
    filter: Option<&str>,
    target: TargetName,
) -> Result<()> {
    let kiln = kiln_binary()?;
    let known: Option<serde_json::Value> = match peer {
        Some(path) => Some(serde_json::from_str(&std::fs::read_to_string(path)?)?),
        None => None,
    };
    let folder = tempfile::tempdir()?;
    println!(
        "| model | archive MB | compile ms (CPU) | wall ms | copy ms (CPU) | wall ms | times copy | peer s (CPU) | peer / Kiln | peak MB | peak / archive | bytes | peer's |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for path in archives(models, filter)? {
        let compiling = best_of(folder.path(), output(target), |out| {
            measure(
                Command::new(&kiln)
                    .arg("compile")
                    .arg(&path)
                    .args(["--target", target.name()])
                    .arg("-o")
                    .arg(out)
                    .arg("-q"),
            )
        });
        let (best, size) = compiling.with_context(|| name(&path))?;
        let (copying, _) = best_of(folder.path(), "copy", |copy| {
            measure(Command::new("cp").arg(&path).arg(copy))
        })?;
        let peer = match peer_python {
            Some(python) => Some(peer_seconds(
                python,
                &path,
                &folder.path().join("peer.pte"),
            )?),
            None => known.as_ref().and_then(|k| known_seconds(k, &name(&path))),
        };
        print_row(&path, best, copying, size, peer)?;
    }
    Ok(())
}

/// The least CPU time of all runs, the wall time of that run, the greatest memory of all runs, and the bytes that a run writes.
///
/// Each run writes to a new path, because to replace a file the file system first writes the old one to disk. Folders of many files stay up
/// to the end: ext4 passes over all files that were removed in the last seconds, one by one, whenever a file is made.
fn best_of(
    folder: &Path,
    output: &str,
    run: impl Fn(&Path) -> Result<Usage>,
) -> Result<(Usage, u64)> {
    let (mut best, mut size): (Option<Usage>, u64) = (None, 0);
    for _ in 0..REPEATS {
        let out = tempfile::tempdir_in(folder)?.keep().join(output);
        let usage = run(&out)?;
        size = bytes_of(&out)?;
        if out.is_file() {
            std::fs::remove_file(&out)?;
        }
        let peak_bytes = best.map_or(0, |best| best.peak_bytes).max(usage.peak_bytes);
        let faster = best.filter(|best| best.cpu_seconds <= usage.cpu_seconds);
        best = Some(Usage {
            peak_bytes,
            ..faster.unwrap_or(usage)
        });
    }
    Ok((best.context("no run")?, size))
}

/// What a target writes to: a folder, which ends in a slash, or a file.
fn output(target: TargetName) -> &'static str {
    match Core::named(target.name()) {
        Some(_) => "out/",
        None => "out.pte",
    }
}

/// The bytes of a file, or of all files of a folder.
fn bytes_of(out: &Path) -> Result<u64> {
    if !out.is_dir() {
        return Ok(std::fs::metadata(out)?.len());
    }
    let entries = std::fs::read_dir(out)?;
    entries.map(|entry| bytes_of(&entry?.path())).sum()
}

/// The CPU seconds in which the peer loads, lowers and emits a model, and the size of its program.
type Peer = (f64, u64);

fn peer_seconds(python: &Path, model: &Path, out: &Path) -> Result<Peer> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/peer_lower.py");
    let output = Command::new(python)
        .arg(script)
        .arg(model)
        .arg(out)
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text
        .lines()
        .rfind(|l| l.starts_with('{'))
        .ok_or_else(|| anyhow!("the peer failed on {}", model.display()))?;
    let json: serde_json::Value = serde_json::from_str(line)?;
    let seconds = |key: &str| json[key].as_f64().unwrap_or(f64::NAN);
    Ok((
        seconds("load_s") + seconds("lower_s"),
        std::fs::metadata(out)?.len(),
    ))
}

fn known_seconds(known: &serde_json::Value, name: &str) -> Option<Peer> {
    let lower = &known["float"][name]["lower"];
    Some((
        lower["load_cpu_s"].as_f64()? + lower["lower_cpu_s"].as_f64()?,
        lower["pte_bytes"].as_u64()?,
    ))
}

fn print_row(path: &Path, ours: Usage, copy: Usage, size: u64, peer: Option<Peer>) -> Result<()> {
    let archive = std::fs::metadata(path)?.len() as f64;
    let mega = |bytes: f64| bytes / (1u64 << 20) as f64;
    let times_copy = ours.cpu_seconds / copy.cpu_seconds.max(1e-6);
    let (peer_text, ratio, peer_size) = match peer {
        Some((seconds, bytes)) => (
            format!("{seconds:.2}"),
            format!("{:.0}", seconds / ours.cpu_seconds),
            bytes.to_string(),
        ),
        None => ("-".into(), "-".into(), "-".into()),
    };
    println!(
        "| {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {times_copy:.1} | {peer_text} | {ratio} | {:.1} | {:.2} | {size} | {peer_size} |",
        name(path),
        mega(archive),
        ours.cpu_seconds * 1e3,
        ours.wall_seconds * 1e3,
        copy.cpu_seconds * 1e3,
        copy.wall_seconds * 1e3,
        mega(ours.peak_bytes as f64),
        ours.peak_bytes as f64 / archive,
    );
    Ok(())
}
