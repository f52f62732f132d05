//! The latency of programs on the stock runtime, beside that of the peer's programs.
//!
//! A round runs both programs on one thread, each in its own process, and takes the median time of an execution. The order
//! alternates from round to round. The ratio is the median of the rounds' ratios. Its 95 % interval follows from order
//! statistics (binomial).

use super::{archives, kiln_binary, median, name};
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

/// The least duration of a round, in microseconds.
const ROUND_US: f64 = 2000.0;

/// Prints a table with one row per model, and the geometric mean of the ratios.
pub fn run(
    models: &Path,
    peer: &Path,
    rounds: usize,
    wall: bool,
    filter: Option<&str>,
) -> Result<()> {
    let (kiln, runner) = (kiln_binary()?, kiln_portable::program::RUNNER.find()?);
    let folder = tempfile::tempdir()?;
    println!("| model | ours ms | peer ms | ratio | 95 % from | to | delegates | kernels |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let mut logs = Vec::new();
    for path in archives(models, filter)? {
        let theirs = peer.join(format!("{}.pte", name(&path)));
        if !theirs.is_file() {
            eprintln!("skipped: {}, the peer has no program", name(&path));
            continue;
        }
        let (ours, report) = (
            folder.path().join("ours.pte"),
            folder.path().join("report.json"),
        );
        let compiled = Command::new(&kiln)
            .arg("compile")
            .arg(&path)
            .arg("-o")
            .arg(&ours)
            .arg("--report")
            .arg(&report)
            .arg("-q")
            .status()?;
        if !compiled.success() {
            println!("| {} | refused | | | | | | |", name(&path));
            continue;
        }
        let golden = path.with_extension("safetensors");
        let clock = Clock {
            runner: &runner,
            golden: &golden,
            wall,
        };
        // A program that fails must not cost the rows of all others.
        match clock.compare(&ours, &theirs, rounds) {
            Ok(ratio) => {
                logs.push(ratio.ratio.ln());
                print_row(&name(&path), &ratio, &report)?;
            }
            Err(error) => {
                eprintln!("{}: {error:#}", name(&path));
                println!("| {} | fails | | | | | | |", name(&path));
            }
        }
    }
    let mean = (logs.iter().sum::<f64>() / logs.len().max(1) as f64).exp();
    println!("\ngeometric mean of {} ratios: {mean:.3}", logs.len());
    Ok(())
}

struct Clock<'a> {
    runner: &'a Path,
    golden: &'a Path,
    wall: bool,
}

struct Ratio {
    ours_ms: f64,
    peer_ms: f64,
    ratio: f64,
    low: f64,
    high: f64,
}

impl Clock<'_> {
    /// The median time of an execution in microseconds.
    fn time(&self, program: &Path, repeat: usize) -> Result<f64> {
        let report = tempfile::NamedTempFile::new()?;
        let mut command = Command::new(self.runner);
        command.arg(program).arg("--in").arg(self.golden).args([
            "--threads",
            "1",
            "--warmup",
            "1",
            "--quiet",
        ]);
        command
            .arg("--repeat")
            .arg(repeat.to_string())
            .arg("--report")
            .arg(report.path());
        if !self.wall {
            command.arg("--cpu-time");
        }
        let output = command.output()?;
        anyhow::ensure!(
            output.status.success(),
            "{}: {}",
            program.display(),
            String::from_utf8_lossy(&output.stderr)
        );
        let json: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(report.path())?)?;
        json["median_us"]
            .as_f64()
            .context("the runner gave no time")
    }

    fn compare(&self, ours: &Path, theirs: &Path, rounds: usize) -> Result<Ratio> {
        let repeat = |us: f64| ((ROUND_US / us.max(1.0)).ceil() as usize).clamp(1, 2000);
        let (ours_repeat, peer_repeat) =
            (repeat(self.time(ours, 1)?), repeat(self.time(theirs, 1)?));
        let (mut our_times, mut peer_times, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..rounds {
            let (a, b) = if round % 2 == 0 {
                let a = self.time(ours, ours_repeat)?;
                (a, self.time(theirs, peer_repeat)?)
            } else {
                let b = self.time(theirs, peer_repeat)?;
                (self.time(ours, ours_repeat)?, b)
            };
            our_times.push(a);
            peer_times.push(b);
            ratios.push(a / b);
        }
        let ratio = median(&mut ratios);
        let half_width = 0.98 * (rounds as f64).sqrt();
        let at = |offset: f64| {
            let position = (rounds as f64 / 2.0 + offset)
                .round()
                .clamp(0.0, rounds as f64 - 1.0);
            ratios[position as usize]
        };
        let (low, high) = (at(-half_width - 0.5), at(half_width));
        Ok(Ratio {
            ours_ms: median(&mut our_times) / 1e3,
            peer_ms: median(&mut peer_times) / 1e3,
            ratio,
            low,
            high,
        })
    }
}

fn print_row(name: &str, ratio: &Ratio, report: &Path) -> Result<()> {
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(report)?)?;
    let method = &json["methods"][0];
    let kernels: u64 = method["kernel_calls"].as_object().map_or(0, |m| {
        m.values().filter_map(serde_json::Value::as_u64).sum()
    });
    println!(
        "| {name} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {} | {kernels} |",
        ratio.ours_ms, ratio.peer_ms, ratio.ratio, ratio.low, ratio.high, method["delegates"]
    );
    Ok(())
}
