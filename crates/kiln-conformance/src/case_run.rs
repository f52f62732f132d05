//! Compiles one case and runs it on the requested executors.

use crate::golden::golden;
use crate::judge::judge;
use crate::suite::Case;
use anyhow::{Context, Result, anyhow, bail};
use indexmap::IndexMap;
use kiln::compiler::{Compiled, Job, PassOptions, compile};
use kiln::evaluator::run_graph;
use kiln::model::Model;
use kiln::target::TargetName;
use kiln_check::Compared;
use kiln_cortex_m::C_PROJECT;
use kiln_target::{Activations, AtModelBorder, Loading, Options, Role, Runs, Runtime};
use kiln_testing::place::Place;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// An executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Executor {
    /// The reference interpreter on the imported graph.
    Evaluator,
    /// Kiln's own runtime on the program.
    Builtin,
    /// The stock ExecuTorch runtime on the program.
    Stock,
}

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The executors.
    pub executors: Vec<Executor>,
    /// The target.
    pub target: TargetName,
    /// The extension of the artifacts, for targets that choose their format by it.
    pub extension: Option<String>,
    /// True if the verifier and the evaluator check every pass.
    pub verify: bool,
}

/// The outcome of a case on one executor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// `ok`, `refused`, `failed` or `wrong`.
    pub status: String,
    /// The first fault; empty if the status is `ok`.
    pub detail: String,
    /// The least SQNR of all outputs in dB; absent if all outputs are equal or there are none.
    pub sqnr: Option<f64>,
}

/// The outcomes of a case.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CaseResult {
    /// The outcome on each executor, by its name.
    pub outcomes: IndexMap<String, Outcome>,
    /// The figures of the compiled program; absent if the case does not compile.
    pub counts: Option<Counts>,
    /// What the checks of the passes compared; absent without checks.
    #[serde(skip)]
    pub compared: Option<Compared>,
    /// Whether no node of a quantised model's C project computes in floats; absent for other models and artifacts.
    #[serde(skip)]
    pub is_in_integers: Option<bool>,
}

/// A case's program, and what it gives on an executor.
pub struct Ran {
    /// The program.
    pub compiled: Compiled,
    /// The golden tensors of the case.
    pub golden: Runs,
    /// The results on the executor.
    pub results: Runs,
}

/// Figures of a compiled program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// The size of the file in bytes.
    pub size: u64,
    /// The number of delegates.
    pub delegates: usize,
    /// The number of calls of each kernel.
    pub kernel_calls: IndexMap<String, usize>,
    /// The bytes of planned memory.
    pub planned_bytes: u64,
    /// The greatest number of bytes that are live at once: no plan needs less.
    pub planned_lower_bound: u64,
    /// The bytes that instructions copy only to change their order.
    pub transposed_bytes: u64,
}

impl Counts {
    /// The cells of this case's row in the table of counts.
    pub fn cells(&self) -> String {
        let kernels = self.kernel_calls.iter();
        let kernels: Vec<String> = kernels.map(|(k, n)| format!("{k} {n}")).collect();
        format!(
            "{} | {} | {} | {} | {} | {} |",
            self.size,
            self.delegates,
            kernels.join(", "),
            self.planned_bytes,
            self.planned_lower_bound,
            self.transposed_bytes
        )
    }
}

impl Outcome {
    fn ok() -> Outcome {
        Outcome {
            status: "ok".into(),
            detail: String::new(),
            sqnr: None,
        }
    }

    fn bad(status: &str, detail: String) -> Outcome {
        Outcome {
            status: status.into(),
            detail,
            sqnr: None,
        }
    }
}

/// Runs a case on all requested executors.
pub fn run_case(case: &Case, settings: &Settings) -> CaseResult {
    let mut result = CaseResult::default();
    let (case, golden) = match golden(case, settings.target) {
        Ok((case, golden)) => (&case.clone(), golden),
        Err(error) => {
            result.outcomes.insert(
                "golden".into(),
                Outcome::bad("failed", format!("{error:#}")),
            );
            return result;
        }
    };
    if settings.executors.contains(&Executor::Evaluator) {
        let outcome = outcome(case, &golden, || evaluate(case, &golden));
        result.outcomes.insert("evaluator".into(), outcome);
    }
    let programs: Vec<Executor> = settings
        .executors
        .iter()
        .copied()
        .filter(|&e| e != Executor::Evaluator)
        .collect();
    if programs.is_empty() {
        return result;
    }
    let compiled = guarded(|| compile_case(case, settings));
    let (folder, path, compiled) = match compiled {
        Ok(compiled) => compiled,
        Err(error) => {
            for executor in programs {
                result
                    .outcomes
                    .insert(name(executor).into(), refused(case, &error));
            }
            return result;
        }
    };
    result.counts = Some(counts(&compiled));
    let method = &compiled.methods[0];
    result.compared = method.verified.map(|v| v.compared);
    // A quantised model's C project gives a reason for each node in floats, and for no other.
    let is_project = compiled.artifact.kind().name == C_PROJECT.name
        && kiln_target::has_quantised(&method.graph);
    let is_in_integers = || method.placements.iter().all(|p| p.reason.is_none());
    result.is_in_integers = is_project.then(is_in_integers);
    for executor in programs {
        let case = &Case {
            sums_of_f16: sums_of_f16(executor, &compiled, &golden),
            ..case.clone()
        };
        let outcome = outcome(case, &golden, || {
            execute(case, executor, &path, &compiled, &golden)
        });
        result.outcomes.insert(name(executor).into(), outcome);
    }
    drop(folder);
    result
}

/// Runs the program of a case on one executor.
///
/// # Errors
/// If the case cannot be read, or does not compile or run.
pub fn run_program(case: &Case, executor: Executor, settings: &Settings) -> Result<Ran> {
    let (case, golden) = golden(case, settings.target)?;
    let (_folder, path, compiled) = compile_case(&case, settings)?;
    let results = execute(&case, executor, &path, &compiled, &golden)?;
    Ok(Ran {
        compiled,
        golden,
        results,
    })
}

/// The outputs that follow from products of f16 which the executor adds up in f16.
fn sums_of_f16(executor: Executor, compiled: &Compiled, golden: &Runs) -> Vec<usize> {
    if executor != Executor::Stock || !kiln_xnnpack::adds_up_in_f16() {
        return Vec::new();
    }
    let is_sum = |&position: &usize| {
        compiled.artifact.activations("forward", position) == Activations::SumsOfF16
    };
    golden.positions(0, Role::Output).filter(is_sum).collect()
}

/// The name of an executor in tables.
pub fn name(executor: Executor) -> &'static str {
    match executor {
        Executor::Evaluator => "evaluator",
        Executor::Builtin => "builtin",
        Executor::Stock => "stock",
    }
}

/// The outcome of a case that does not compile. Paths of this machine are removed from the text of the error.
fn refused(case: &Case, error: &anyhow::Error) -> Outcome {
    let folder = format!("{}/", case.folder.display());
    let text = format!("{error:#}").replace(&folder, "");
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let text = lines.join(" | ");
    Outcome::bad(
        if text.starts_with("panic") {
            "failed"
        } else {
            "refused"
        },
        text,
    )
}

fn evaluate(case: &Case, golden: &Runs) -> Result<Runs> {
    let path = case.archive();
    let graph = Model::open(&path)?.graph(&path, "forward")?;
    run_graph(&graph, golden, golden.count())
}

type CompiledCase = (Place, PathBuf, Compiled);

fn compile_case(case: &Case, settings: &Settings) -> Result<CompiledCase> {
    let suite = case.folder.file_name().unwrap_or_default();
    let target = settings.target.to_string();
    let folder = Place::of(&Path::new(&target).join(suite).join(&case.name))?;
    let extension = settings.extension.as_deref();
    let name = format!("model.{}", extension.unwrap_or("pte"));
    let path = folder.path().join(name);
    let job = Job {
        target_options: Options {
            stand_in: true,
            output: extension.map(|_| path.clone()),
            ..Options::default()
        },
        passes: PassOptions {
            verify: settings.verify,
            stop_after: None,
        },
        ..Job::new(case.archive(), settings.target)
    };
    let compiled = compile(&job)?;
    compiled.artifact.write(&path)?;
    Ok((folder, path, compiled))
}

/// Reads the artifact back and runs it on Kiln's runtime of the format, or on the other runtime. Inputs and outputs are
/// converted to those of the model.
fn execute(
    case: &Case,
    executor: Executor,
    artifact: &Path,
    compiled: &Compiled,
    golden: &Runs,
) -> Result<Runs> {
    if executor == Executor::Evaluator {
        return evaluate(case, golden);
    }
    let Model::Artifact(artifact) = Model::open(artifact)? else {
        bail!("what was compiled is read as a model");
    };
    let stock = artifact.kind().runtimes.get(1).copied();
    let loading = Loading {
        runtime: match executor {
            Executor::Stock => stock.context("there is no other runtime of the format")?,
            Executor::Builtin | Executor::Evaluator => Runtime::Builtin,
        },
        poison: true,
        ..Loading::default()
    };
    let mut loaded = artifact.load("forward", &loading)?;
    let method = &compiled.methods[0];
    if let Some(border) = &method.border {
        loaded = Box::new(AtModelBorder {
            graph: &method.graph,
            border,
            artifact: loaded,
        });
    }
    Ok(loaded.run(golden, golden.count(), None)?.results)
}

fn counts(compiled: &Compiled) -> Counts {
    let report = &compiled.methods[0].figures;
    Counts {
        size: compiled.artifact.size().unwrap_or(0),
        delegates: report.delegates.unwrap_or(0),
        kernel_calls: report.kernel_calls.clone().unwrap_or_default(),
        planned_bytes: report.planned_bytes.unwrap_or(0),
        planned_lower_bound: report.planned_lower_bound.unwrap_or(0),
        transposed_bytes: report.transposed_bytes,
    }
}

fn outcome(case: &Case, golden: &Runs, run: impl FnOnce() -> Result<Runs>) -> Outcome {
    match guarded(run) {
        Err(error) => Outcome::bad("failed", format!("{error:#}")),
        Ok(got) => {
            let verdict = judge(case, golden, &got);
            match verdict.fault {
                Some(fault) => Outcome {
                    sqnr: verdict.sqnr,
                    ..Outcome::bad("wrong", fault)
                },
                None => Outcome {
                    sqnr: verdict.sqnr,
                    ..Outcome::ok()
                },
            }
        }
    }
}

/// Turns a panic into an error, so that it fails the case and does not end the command.
fn guarded<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    kiln_check::guarded(run).unwrap_or_else(|panic| Err(anyhow!("panic: {panic}")))
}
