//! The file of models and budgets, `kiln.toml`.

use crate::budgets::Budgets;
use crate::compiler::{DimChoice, Job};
use crate::model_options::{ModelOptions, precision_named};
use crate::target::TargetName;
use anyhow::{Context, Result, bail};
use kiln_ir::DType;
use kiln_quantiser::Mode;
use kiln_target::Half;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The file as it is written. Keys are the options of `kiln compile`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// What holds for every model that does not say otherwise.
    #[serde(default)]
    defaults: Entry,
    /// The models.
    #[serde(default)]
    model: Vec<Entry>,
}

/// A model, or the defaults, which have no path.
#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Entry {
    path: Option<PathBuf>,
    name: Option<String>,
    expect: Option<PathBuf>,
    target: Option<String>,
    max_delegates: Option<u64>,
    max_kernel_calls: Option<u64>,
    max_transposed_bytes: Option<u64>,
    max_arena: Option<u64>,
    max_bytes: Option<u64>,
    min_sqnr: Option<f64>,
    precision: Option<String>,
    quantize: Option<String>,
    samples: Option<PathBuf>,
    dim: Option<Vec<String>>,
    custom_op: Option<Vec<String>>,
    half: Option<String>,
    strict_nan: Option<bool>,
    fast_nan: Option<bool>,
    float_io: Option<bool>,
}

/// A model to check.
#[derive(Debug)]
pub struct Wanted {
    /// The name in the table.
    pub name: String,
    /// The archive.
    pub path: PathBuf,
    /// How it is compiled.
    pub job: Job,
    /// Golden outputs.
    pub expect: Option<PathBuf>,
    /// Limits that `kiln compile` has too.
    pub budgets: Budgets,
    /// The most bytes of the artifact.
    pub max_bytes: Option<u64>,
    /// The least signal-to-noise ratio in dB of any output.
    pub min_sqnr: Option<f64>,
}

/// Reads the file. Paths in it are relative to its folder.
///
/// # Errors
/// The file cannot be read, or says what this version does not know. The message names the line or the model.
pub fn read(path: &Path) -> Result<Vec<Wanted>> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
    let file: File = toml::from_str(&text).with_context(|| shown.to_string())?;
    if file.model.is_empty() {
        bail!("{shown} has no [[model]]; add one with its path");
    }
    let own = [
        &file.defaults.path,
        &file.defaults.expect,
        &file.defaults.samples,
    ];
    if own.iter().any(|own| own.is_some()) || file.defaults.name.is_some() {
        bail!(
            "{shown}: [defaults] has no path, name, expect or samples; give them to each [[model]]"
        );
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let one = |(i, entry): (usize, &Entry)| {
        let named = entry.path.as_deref();
        let named = named.with_context(|| {
            format!(
                "the [[model]] number {} has no path; add the archive's",
                i + 1
            )
        })?;
        let wanted = wanted(named, entry, &file.defaults, folder);
        wanted.with_context(|| format!("model {}", named.display()))
    };
    let all: Result<Vec<Wanted>> = file.model.iter().enumerate().map(one).collect();
    all.with_context(|| shown.to_string())
}

fn wanted(path: &Path, entry: &Entry, defaults: &Entry, folder: &Path) -> Result<Wanted> {
    if entry.expect.is_none() && entry.min_sqnr.is_some() {
        bail!("min-sqnr needs golden outputs; add expect = \"GOLDEN.safetensors\"");
    }
    let stem = || path.file_stem().map(|s| s.to_string_lossy().into());
    let either = |of: fn(&Entry) -> Option<u64>| of(entry).or(of(defaults));
    let budgets = Budgets {
        delegates: either(|e| e.max_delegates),
        kernel_calls: either(|e| e.max_kernel_calls),
        transposed_bytes: either(|e| e.max_transposed_bytes),
        arena: either(|e| e.max_arena),
    };
    let full = folder.join(path);
    let options = options(entry, defaults, folder)?;
    let mut job = options.job(vec![("forward".into(), full.clone())])?;
    job.target_options.arena = budgets.arena;
    job.target_options.float_io = entry.float_io.or(defaults.float_io).unwrap_or(false);
    Ok(Wanted {
        name: entry.name.clone().or_else(stem).unwrap_or_default(),
        path: full,
        job,
        expect: entry.expect.as_ref().map(|path| folder.join(path)),
        budgets,
        max_bytes: either(|e| e.max_bytes),
        min_sqnr: entry.min_sqnr.or(defaults.min_sqnr),
    })
}

fn options(entry: &Entry, defaults: &Entry, folder: &Path) -> Result<ModelOptions> {
    let text = |of: fn(&Entry) -> Option<&String>| of(entry).or(of(defaults));
    let list = |of: fn(&Entry) -> Option<&Vec<String>>| of(entry).or(of(defaults));
    let is_set = |of: fn(&Entry) -> Option<bool>| of(entry).or(of(defaults)).unwrap_or(false);
    let target = match text(|e| e.target.as_ref()) {
        None => TargetName::default(),
        Some(name) => match name.parse() {
            Ok(target) => target,
            Err(expected) => bail!("target = \"{name}\": {expected}"),
        },
    };
    let samples = entry.samples.iter().map(|path| folder.join(path));
    let options = ModelOptions {
        target,
        strict_nan: is_set(|e| e.strict_nan),
        fast_nan: is_set(|e| e.fast_nan),
        half: half(text(|e| e.half.as_ref()))?,
        dims: dims(list(|e| e.dim.as_ref()))?,
        custom_ops: list(|e| e.custom_op.as_ref()).cloned().unwrap_or_default(),
        precision: precision(text(|e| e.precision.as_ref()))?,
        quantize: mode(text(|e| e.quantize.as_ref()))?,
        samples: samples.map(|path| (None, path)).collect(),
    };
    if options.quantize.is_none() && !options.samples.is_empty() {
        bail!("samples are for a model with quantize = \"int8\"");
    }
    Ok(options)
}

fn half(name: Option<&String>) -> Result<Option<Half>> {
    let one = |name: &String| name.parse().with_context(|| format!("half = \"{name}\""));
    name.map(one).transpose()
}

fn dims(given: Option<&Vec<String>>) -> Result<Vec<DimChoice>> {
    let one = |text: &String| {
        let parsed = text.parse::<DimChoice>();
        parsed.map_err(|expected| anyhow::anyhow!("dim = [\"{text}\"]: {expected}"))
    };
    given.into_iter().flatten().map(one).collect()
}

fn precision(name: Option<&String>) -> Result<Option<DType>> {
    let one = |name: &String| {
        let expected = || format!("precision = \"{name}\": expected f16, bf16 or f32");
        precision_named(name).with_context(expected)
    };
    name.map(one).transpose()
}

fn mode(name: Option<&String>) -> Result<Option<Mode>> {
    let one = |name: &String| {
        name.parse()
            .with_context(|| format!("quantize = \"{name}\""))
    };
    name.map(one).transpose()
}
