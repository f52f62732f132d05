//! The inputs of runs: given tensors, those beside the golden outputs, the archive's samples, or noise.

use super::Options;
use crate::model::Model;
use anyhow::{Context, Result, anyhow};
use kiln_check::{Noise, Situation, Sizes, Values};
use kiln_ir::graph::InputSpec;
use kiln_ir::{Graph, Scalar, TensorData};
use kiln_pt2::{Archive, SampleValue};
use kiln_target::{Declared, Role, Runs, Signature, Size, scalar_tensor};
use std::path::PathBuf;

/// The source of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `--inputs`.
    Given,
    /// The file of golden outputs.
    Golden,
    /// The archive's sample inputs.
    Samples,
    /// Noise from a fixed seed.
    Noise,
}

impl Origin {
    /// The source's name in JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Given => "given",
            Origin::Golden => "golden",
            Origin::Samples => "samples",
            Origin::Noise => "random",
        }
    }

    /// The source's name in text.
    pub fn text(self) -> &'static str {
        match self {
            Origin::Given => "the inputs given",
            Origin::Golden => "the inputs beside the golden outputs",
            Origin::Samples => "the archive's sample inputs",
            Origin::Noise => "seeded random inputs, for none are given",
        }
    }
}

/// Inputs of all runs, with their source.
pub struct Inputs {
    /// Of all runs.
    pub runs: Runs,
    /// Their source.
    pub origin: Origin,
    /// The file that holds them, if there is one.
    pub path: Option<PathBuf>,
}

impl Inputs {
    /// The given inputs, else those beside the golden outputs, else the default of the model.
    pub fn find(
        options: &Options,
        golden: Option<&Runs>,
        default: impl FnOnce() -> Result<Inputs>,
    ) -> Result<Inputs> {
        match (&options.inputs, golden) {
            (Some(path), _) => Ok(Inputs {
                runs: Runs::read(path)?,
                origin: Origin::Given,
                path: Some(path.clone()),
            }),
            (None, Some(golden)) => Ok(Inputs {
                runs: golden.clone(),
                origin: Origin::Golden,
                path: options.expect.clone(),
            }),
            (None, None) => default(),
        }
    }

    /// The number of runs, at least 1.
    pub fn count(&self) -> usize {
        self.runs.count().max(1)
    }

    /// The name of the inputs in messages.
    pub fn source(&self) -> String {
        match &self.path {
            Some(path) => path.display().to_string(),
            None => self.origin.text().to_owned(),
        }
    }
}

/// The archive's sample inputs, else noise from a fixed seed.
pub fn of_graph(model: &Model, graph: &Graph) -> Result<Inputs> {
    let samples = match model {
        Model::Archive(archive) => archive_samples(archive)?,
        Model::Text(_) | Model::Artifact(_) => None,
    };
    if let Some(runs) = samples {
        return Ok(Inputs {
            runs,
            origin: Origin::Samples,
            path: None,
        });
    }
    let mut runs = Runs::default();
    let situation = Situation {
        sizes: Sizes::Hint,
        values: Values::Noise,
    };
    let mut tensors = kiln_check::inputs(graph, situation, 1)
        .context("the inputs are too large to make up; give --inputs")?
        .into_iter();
    for (i, spec) in graph.signature.inputs.iter().enumerate() {
        if let InputSpec::Tensor { .. } = spec
            && let Some(tensor) = tensors.next()
        {
            runs.insert(0, Role::Input, i, TensorData::from(tensor));
        }
    }
    Ok(noise(runs))
}

fn noise(runs: Runs) -> Inputs {
    Inputs {
        runs,
        origin: Origin::Noise,
        path: None,
    }
}

fn archive_samples(archive: &Archive) -> Result<Option<Runs>> {
    let Some(values) = archive.sample_inputs()? else {
        return Ok(None);
    };
    let mut runs = Runs::default();
    for (i, value) in values.into_iter().enumerate() {
        let data = match value {
            SampleValue::Tensor(stored) => {
                let dtype = crate::import::dtype(stored.dtype())?;
                TensorData::new(dtype, stored.sizes().to_vec(), stored.to_contiguous())?
            }
            SampleValue::Int(v) => scalar_tensor(Scalar::Int(v)),
            SampleValue::Float(v) => scalar_tensor(Scalar::Float(v)),
            SampleValue::Bool(v) => scalar_tensor(Scalar::Bool(v)),
            SampleValue::None | SampleValue::Str(_) => continue,
        };
        runs.insert(0, Role::Input, i, data);
    }
    Ok(Some(runs))
}

/// Noise from a fixed seed, in the shapes that an artifact declares.
pub fn of_artifact(signature: &Signature) -> Result<Inputs> {
    let mut wanted = Vec::new();
    for declared in &signature.inputs {
        let (i, text) = (declared.position, &declared.text);
        let dtype = declared.dtype;
        let dtype =
            dtype.with_context(|| format!("input {i} is {text}, which Kiln does not have"))?;
        let sizes = declared.given_sizes().iter().map(made_up).collect();
        let seed = i as u64 + 1;
        wanted.push(Noise { dtype, sizes, seed });
    }
    let made = kiln_check::noise(wanted).map_err(|at| {
        let Declared { position, text, .. } = &signature.inputs[at];
        anyhow!(
            "input {position}, {text}, is too large to make up with those before it; give --inputs"
        )
    })?;
    let mut runs = Runs::default();
    for (declared, data) in signature.inputs.iter().zip(made) {
        runs.insert(0, Role::Input, declared.position, data);
    }
    Ok(noise(runs))
}

/// The size of a generated input: the greatest for which there is memory.
fn made_up(size: &Size) -> usize {
    match *size {
        Size::Exactly(size) | Size::Room(size) => size,
        Size::Within(min, _) => usize::try_from(min).unwrap_or(0),
        Size::Derived => 1,
    }
}
