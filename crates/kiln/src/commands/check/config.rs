//! The file of models and budgets, `kiln.toml`.

use crate::budgets::Budgets;
use crate::quantisation::Quantisation;
use crate::target::TargetName;
use anyhow::{Context, Result, bail};
use kiln_ir::DType;
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
}

/// A model to check.
#[derive(Debug)]
pub struct Wanted {
    /// The name in the table.
    pub name: String,
    /// The archive.
    pub path: PathBuf,
    /// Golden outputs.
    pub expect: Option<PathBuf>,
    /// The target.
    pub target: TargetName,
    /// Limits that `kiln compile` has too.
    pub budgets: Budgets,
    /// The most bytes of the artifact.
    pub max_bytes: Option<u64>,
    /// The least signal-to-noise ratio in dB of any output.
    pub min_sqnr: Option<f64>,
    /// The floats in which the model computes, if not those of its export.
    pub precision: Option<DType>,
    /// How the model is quantised.
    pub quantisation: Option<Quantisation>,
}

/// Reads the file. Paths in it are relative to its folder.
///
/// # Errors
/// The file cannot be read, or says what this version does not know. The message names the line.
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
    let wanted = |entry: &Entry| wanted(entry, &file.defaults, folder);
    let all: Result<Vec<Wanted>> = file.model.iter().map(wanted).collect();
    all.with_context(|| shown.to_string())
}

fn wanted(entry: &Entry, defaults: &Entry, folder: &Path) -> Result<Wanted> {
    let path = entry.path.as_ref();
    let path = path.context("a [[model]] has no path; add the archive's")?;
    let shown = path.display();
    let target = match entry.target.as_ref().or(defaults.target.as_ref()) {
        None => TargetName::default(),
        Some(name) => match name.parse() {
            Ok(target) => target,
            Err(expected) => bail!("model {shown}: target = \"{name}\": {expected}"),
        },
    };
    if entry.expect.is_none() && entry.min_sqnr.is_some() {
        bail!("model {shown}: min-sqnr needs golden outputs; add expect = \"GOLDEN.safetensors\"");
    }
    let stem = || path.file_stem().map(|s| s.to_string_lossy().into());
    let either = |of: fn(&Entry) -> Option<u64>| of(entry).or(of(defaults));
    Ok(Wanted {
        name: entry.name.clone().or_else(stem).unwrap_or_default(),
        path: folder.join(path),
        expect: entry.expect.as_ref().map(|path| folder.join(path)),
        target,
        budgets: Budgets {
            delegates: either(|e| e.max_delegates),
            kernel_calls: either(|e| e.max_kernel_calls),
            transposed_bytes: either(|e| e.max_transposed_bytes),
            arena: either(|e| e.max_arena),
        },
        max_bytes: either(|e| e.max_bytes),
        min_sqnr: entry.min_sqnr.or(defaults.min_sqnr),
        precision: precision(entry.precision.as_ref().or(defaults.precision.as_ref()))
            .with_context(|| format!("model {shown}"))?,
        quantisation: quantisation(entry, defaults, folder)
            .with_context(|| format!("model {shown}"))?,
    })
}

fn precision(name: Option<&String>) -> Result<Option<DType>> {
    let Some(name) = name else {
        return Ok(None);
    };
    let mut known = [DType::F16, DType::BF16, DType::F32].into_iter();
    let found = known.find(|dtype| dtype.name() == name);
    Ok(Some(found.with_context(|| {
        format!("precision = \"{name}\": expected f16, bf16 or f32")
    })?))
}

fn quantisation(entry: &Entry, defaults: &Entry, folder: &Path) -> Result<Option<Quantisation>> {
    let samples = entry.samples.as_ref().map(|path| folder.join(path));
    let Some(name) = entry.quantize.as_ref().or(defaults.quantize.as_ref()) else {
        return match samples {
            Some(_) => bail!("samples are for a model with quantize = \"int8\""),
            None => Ok(None),
        };
    };
    let mode = name
        .parse()
        .with_context(|| format!("quantize = \"{name}\""))?;
    let samples: Vec<_> = samples.into_iter().map(|path| (None, path)).collect();
    Quantisation::with(mode, &samples).map(Some)
}
