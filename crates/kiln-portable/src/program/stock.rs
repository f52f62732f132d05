//! Executes programs on the stock ExecuTorch runtime, through the runner `et_run` in a process of its own.

use super::signature::{expected, with_frozen};
use kiln_process::Tool;
use kiln_pte::Method;
use kiln_target::{
    About, Error, Executor, Expected, Explain, Loading, Measured, Runs, check_frozen, progress,
};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The runner.
pub const RUNNER: Tool = Tool {
    name: "et_run",
    variable: "KILN_ET_RUN",
    installed: None,
    remedy: "the stock runtime's runner; `scripts/stock-runtime` installs the runtime and builds it",
};

/// A method on the stock runtime. The runner loads it anew for each execution.
pub(super) struct Stock<'p> {
    runner: PathBuf,
    program: &'p Path,
    method: &'p Method,
    loading: Loading,
}

impl<'p> Stock<'p> {
    /// The method of the program in this file.
    ///
    /// # Errors
    /// The runner is missing, or the method needs more memory than any device has.
    pub(super) fn load(
        program: &'p Path,
        method: &'p Method,
        loading: &Loading,
    ) -> Result<Stock<'p>, Error> {
        kiln_pte::runtime::check_planned(&method.arena_sizes).map_err(Error::of)?;
        Ok(Stock {
            runner: match &loading.program {
                Some(path) => path.clone(),
                None => RUNNER.find().map_err(Error::of)?,
            },
            program,
            method,
            loading: loading.clone(),
        })
    }

    fn command(&self, inputs: &Path, [out, report]: [&Path; 2], repeat: Option<usize>) -> Command {
        let mut command = Command::new(&self.runner);
        command.arg(self.program).arg("--in").arg(inputs);
        command.arg("--out").arg(out).arg("--inputs-after");
        command.arg("--report").arg(report).arg("--quiet");
        command.arg("--method").arg(&self.method.name);
        if self.loading.poison {
            command.args(["--poison", "256"]);
        }
        let threads = self.loading.threads.unwrap_or(1).to_string();
        command.arg("--threads").arg(threads);
        if let Some(repeat) = repeat {
            command.arg("--repeat").arg(repeat.to_string());
        }
        command
    }
}

impl Executor for Stock<'_> {
    fn about(&self) -> About {
        About {
            name: "executorch",
            text: "the stock runtime",
            gives_all_inputs: true,
            gives_numbers: true,
            keeps_dtypes: true,
        }
    }

    fn run(
        &mut self,
        inputs: &Runs,
        runs: usize,
        repeat: Option<usize>,
    ) -> Result<Measured, Error> {
        let frozen: Vec<Expected> = self.method.input_values().map(expected).collect();
        (0..runs).try_for_each(|run| check_frozen(&frozen, inputs, run))?;
        let folder = tempfile::tempdir().explain(|| "cannot make a temporary folder".into())?;
        let at = |name: &str| folder.path().join(name);
        let (given, out, report) = (
            at("in.safetensors"),
            at("out.safetensors"),
            at("report.json"),
        );
        with_frozen(self.method, inputs, runs).write(&given)?;
        let mut command = self.command(&given, [&out, &report], repeat);
        let _stage = progress::stage("running on the stock runtime");
        let output = command.output();
        let output = output.explain(|| format!("cannot start {}", self.runner.display()))?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            let said = stderr.lines().filter(|l| !l.trim().is_empty()).take(4);
            let said = match said.collect::<Vec<_>>().join(" | ") {
                none if none.is_empty() => {
                    format!("{} said nothing, {}", self.runner.display(), output.status)
                }
                said => said,
            };
            return Err(Error::new(format!(
                "the stock runtime {}: {said}",
                meaning(output.status.code())
            )));
        }
        let report = std::fs::read_to_string(&report);
        let report = report.explain(|| "the runner left no report".into())?;
        let report: Value = serde_json::from_str(&report).map_err(Error::of)?;
        Ok(Measured {
            results: Runs::read(&out)?,
            times: Vec::new(),
            report: Some(report),
        })
    }
}

/// The runner's exit codes (see the head of `tools/et_run/et_run.cpp`).
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
