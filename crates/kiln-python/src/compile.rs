//! `compile`: models in files or in memory to a [`Program`].

use crate::error::interruptible;
use crate::program::Program;
use crate::tensors::{GivenRun, insert};
use anyhow::{Context, Result, anyhow};
use bytes::Bytes;
use kiln::compiler::{DimChoice, Job, PassOptions, compile_with};
use kiln::model::Model;
use kiln::model_options::{ModelOptions, precision_named};
use kiln::quantisation::{Asked, Quantisation, Samples};
use kiln::target::TargetName;
use kiln_pt2::Archive;
use kiln_target::{Options, Role, Runs};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The name of a model in memory, in messages.
const IN_MEMORY: &str = "the exported program";

/// A model of Python.
#[derive(FromPyObject)]
pub enum Source {
    /// The bytes of an archive.
    Bytes(PyBackedBytes),
    /// The path of an archive.
    File(PathBuf),
}

/// What the user chooses.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Choices {
    half: Option<String>,
    precision: Option<String>,
    quantize: Option<String>,
    samples: Vec<(Option<String>, Vec<GivenRun>)>,
    strict_nan: bool,
    fast_nan: bool,
    float_io: bool,
    verify: bool,
    name: Option<String>,
    output: Option<PathBuf>,
    bounds: BTreeMap<String, i64>,
    sizes: BTreeMap<String, i64>,
    custom_ops: Vec<String>,
}

/// The names of all targets, the default first.
pub fn target_names() -> Vec<&'static str> {
    TargetName::all()
        .iter()
        .map(|target| target.name())
        .collect()
}

/// Compiles methods, each a name and a model, to a program for a target.
#[pyfunction]
pub fn compile(
    py: Python<'_>,
    methods: Vec<(String, Source)>,
    target: &str,
    choices: Choices,
) -> PyResult<Program> {
    interruptible(py, || compiled(methods, target, choices))
}

fn compiled(methods: Vec<(String, Source)>, target: &str, choices: Choices) -> Result<Program> {
    let target = target
        .parse::<TargetName>()
        .map_err(|known| anyhow!("there is no target {target}; {known}"))?;
    let (mut paths, mut models) = (Vec::new(), Vec::new());
    for (name, source) in methods {
        let (path, bytes) = match source {
            Source::File(path) => (path, None),
            Source::Bytes(bytes) => (PathBuf::from(IN_MEMORY), Some(bytes)),
        };
        paths.push((name, path));
        models.push(bytes);
    }
    let job = choices.job(paths, target)?;
    let mut models = models.into_iter();
    let compiled = compile_with(&job, |path| open(path, models.next().flatten()))?;
    Program::new(compiled, job)
}

fn open(path: &Path, bytes: Option<PyBackedBytes>) -> Result<Model> {
    match bytes {
        Some(bytes) => Ok(Model::Archive(Archive::from_bytes(Bytes::from_owner(
            bytes,
        ))?)),
        None => held(path),
    }
}

/// A model in memory: its file may be written again while the program is in use.
fn held(path: &Path) -> Result<Model> {
    match Model::open(path)? {
        Model::Archive(_) => {
            let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
            let archive = Archive::from_bytes(bytes.into());
            Ok(Model::Archive(
                archive.map_err(|error| error.in_file(path))?,
            ))
        }
        other => Ok(other),
    }
}

/// The archive of a model.
pub fn archive(source: Source) -> Result<Archive> {
    Ok(match source {
        Source::Bytes(bytes) => Archive::from_bytes(Bytes::from_owner(bytes))?,
        Source::File(path) => Archive::open(path)?,
    })
}

fn samples((method, given): (Option<String>, Vec<GivenRun>)) -> Result<Samples> {
    let mut runs = Runs::default();
    insert(&mut runs, Role::Input, given)?;
    let path = None;
    Ok(Samples { method, runs, path })
}

impl Choices {
    fn job(self, methods: Vec<(String, PathBuf)>, target: TargetName) -> Result<Job> {
        let half = |name: String| {
            let parsed = name.parse();
            parsed.map_err(|_| anyhow!("half is native or f32, not {name}"))
        };
        let precision = |name: String| {
            let known = precision_named(&name);
            known.ok_or_else(|| anyhow!("precision is f16, bf16 or f32, not {name}"))
        };
        let of = |sizes: BTreeMap<String, i64>, is_exact| {
            let one = move |(symbol, size)| DimChoice {
                symbol,
                size,
                is_exact,
            };
            sizes.into_iter().map(one)
        };
        let options = ModelOptions {
            target,
            strict_nan: self.strict_nan,
            fast_nan: self.fast_nan,
            half: self.half.map(half).transpose()?,
            precision: self.precision.map(precision).transpose()?,
            custom_ops: self.custom_ops,
            dims: of(self.bounds, false).chain(of(self.sizes, true)).collect(),
            ..ModelOptions::default()
        };
        let quantised = |name: String| quantisation(&name, self.samples);
        let job = options.job(methods)?;
        Ok(Job {
            quantisation: self.quantize.map(quantised).transpose()?,
            passes: PassOptions {
                verify: self.verify,
                stop_after: None,
            },
            target_options: Options {
                float_io: self.float_io,
                name: self.name,
                output: self.output,
                ..job.target_options
            },
            ..job
        })
    }
}

/// The quantisation of a name, with samples that are in memory.
fn quantisation(name: &str, given: Vec<(Option<String>, Vec<GivenRun>)>) -> Result<Quantisation> {
    let mode = name
        .parse()
        .with_context(|| format!("quantize is {name}"))?;
    let samples = given.into_iter().map(samples).collect::<Result<_>>()?;
    Ok(Quantisation {
        asked: Asked::Compile,
        mode,
        samples,
    })
}
