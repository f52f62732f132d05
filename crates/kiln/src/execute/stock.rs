//! Runs on the stock ExecuTorch runtime, by its runner `et_run` in a process of its own.

use crate::progress;
use crate::tensors::Runs;
use anyhow::{Context, Result, bail};
use kiln_process::Tool;
use std::path::Path;
use std::process::Command;

/// How the runner runs.
#[derive(Clone, Debug, Default)]
pub struct StockOptions {
    /// Which method.
    pub method: Option<String>,
    /// Fill planned memory with garbage before load.
    pub poison: bool,
    /// Threads of the runtime.
    pub threads: Option<usize>,
    /// Time so many further executions of the last run.
    pub repeat: Option<usize>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct StockReport {
    /// Outputs, and inputs as left.
    pub results: Runs,
    /// The runner's own report.
    pub report: serde_json::Value,
}

/// The runner.
pub const RUNNER: Tool = Tool {
    name: "et_run",
    variable: "KILN_ET_RUN",
    installed: None,
    remedy: "the stock runtime's runner; `scripts/stock-runtime` installs the runtime and builds it",
};

/// Runs a program on every run of the inputs file.
///
/// # Errors
/// If the runner is missing, or refuses or fails.
pub fn run_stock(
    runner: &Path,
    program: &Path,
    inputs: &Path,
    options: &StockOptions,
) -> Result<StockReport> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let (out, report) = (
        folder.path().join("out.safetensors"),
        folder.path().join("report.json"),
    );
    let mut command = Command::new(runner);
    command
        .arg(program)
        .arg("--in")
        .arg(inputs)
        .arg("--out")
        .arg(&out)
        .arg("--inputs-after");
    command.arg("--report").arg(&report).arg("--quiet");
    if let Some(method) = &options.method {
        command.arg("--method").arg(method);
    }
    if options.poison {
        command.args(["--poison", "256"]);
    }
    command
        .arg("--threads")
        .arg(options.threads.unwrap_or(1).to_string());
    if let Some(repeat) = options.repeat {
        command.arg("--repeat").arg(repeat.to_string());
    }
    let _stage = progress::stage("running on the stock runtime");
    let output = command
        .output()
        .with_context(|| format!("cannot start {}", runner.display()))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let said: Vec<&str> = stderr
            .lines()
            .filter(|l| !l.trim().is_empty())
            .take(4)
            .collect();
        bail!(
            "the stock runtime {}: {}",
            meaning(output.status.code()),
            said.join(" | ")
        );
    }
    let report = std::fs::read_to_string(&report).context("the runner left no report")?;
    Ok(StockReport {
        results: Runs::read(&out)?,
        report: serde_json::from_str(&report)?,
    })
}

/// The runner's exit codes (the head of tools/et_run/et_run.cpp).
fn meaning(code: Option<i32>) -> &'static str {
    match code {
        Some(2) => "refused the command or the inputs file",
        Some(3) => "refused the program",
        Some(4) => "could not load the method",
        Some(5) => "refused an input",
        Some(6) => "failed while running",
        Some(8) => "wrote outside planned memory",
        Some(_) => "failed",
        None => "crashed",
    }
}
