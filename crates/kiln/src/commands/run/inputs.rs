//! What a run takes: the tensors given, those beside the golden outputs, the archive's samples, or noise.

use super::Options;
use crate::execute::{scalar_tensor, tosa_inputs};
use crate::model::Model;
use crate::tensors::{Role, Runs};
use anyhow::{Context, Result};
use kiln_check::{Situation, Sizes, Values};
use kiln_ir::graph::InputSpec;
use kiln_ir::{DType, Graph, Scalar, TensorData};
use kiln_pt2::{Archive, SampleValue};
use kiln_pte::Value as ProgramValue;
use kiln_tosa::dialect::TosaGraph;
use kiln_tosa::evaluate::dtype_of;
use std::path::PathBuf;

/// Where inputs come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `--inputs`.
    Given,
    /// The file of golden outputs.
    Golden,
    /// The archive's sample inputs.
    Samples,
    /// Seeded noise.
    Noise,
}

impl Origin {
    /// For scripts.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Given => "given",
            Origin::Golden => "golden",
            Origin::Samples => "samples",
            Origin::Noise => "random",
        }
    }

    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            Origin::Given => "the inputs given",
            Origin::Golden => "the inputs beside the golden outputs",
            Origin::Samples => "the archive's sample inputs",
            Origin::Noise => "seeded random inputs, for none are given",
        }
    }
}

/// Tensors and where they come from.
pub struct Inputs {
    /// Of all runs.
    pub runs: Runs,
    /// Where they come from.
    pub origin: Origin,
    /// The file of them.
    pub path: Option<PathBuf>,
}

impl Inputs {
    /// The inputs given, else those beside the golden outputs, else the default.
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

    /// How many runs there are: one at least.
    pub fn count(&self) -> usize {
        self.runs.count().max(1)
    }

    /// What messages call them.
    pub fn source(&self) -> String {
        match &self.path {
            Some(path) => path.display().to_string(),
            None => self.origin.text().to_owned(),
        }
    }
}

/// The archive's sample inputs, else seeded noise.
pub fn of_graph(model: &Model, graph: &Graph) -> Result<Inputs> {
    let samples = match model {
        Model::Archive(archive) => archive_samples(archive)?,
        Model::Text(_) | Model::Program(_) | Model::Payload(_) | Model::Tosa(_) => None,
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

/// Seeded noise in the shapes that a TOSA file declares.
pub fn of_tosa(graph: &TosaGraph) -> Result<Inputs> {
    let mut runs = Runs::default();
    for (i, tensor) in tosa_inputs(graph).enumerate() {
        let dtype = dtype_of(tensor.dtype)
            .with_context(|| format!("input {i}, {tensor}, is not evaluated"))?;
        let made = kiln_check::noise(dtype, tensor.shape.clone(), i as u64 + 1);
        let made = made.with_context(|| format!("{tensor} is too large to make up; give --inputs"));
        runs.insert(0, Role::Input, i, made?);
    }
    Ok(noise(runs))
}

/// Seeded noise in the shapes that a method declares, and the numbers that it froze.
pub fn of_method(method: &kiln_pte::Method) -> Result<Inputs> {
    let mut runs = Runs::default();
    for (i, value) in method.input_values().enumerate() {
        if let Some(tensor) = value.as_tensor() {
            let dtype = DType::from_name(tensor.dtype.name()).with_context(|| {
                format!("input {i} is {:?}, which Kiln does not have", tensor.dtype)
            })?;
            let sizes: Vec<usize> = tensor.sizes.iter().map(|&s| s as usize).collect();
            let made = kiln_check::noise(dtype, sizes.clone(), i as u64 + 1);
            let made = made.with_context(|| {
                format!("an input of sizes {sizes:?} is too large to make up; give --inputs")
            });
            runs.insert(0, Role::Input, i, made?);
        }
    }
    Ok(noise(runs))
}

/// Adds the numbers that a method froze where runs leave them out; true if some were. The stock runtime must be given
/// them.
pub fn add_frozen(method: &kiln_pte::Method, inputs: &mut Inputs) -> bool {
    let mut added = false;
    for run in 0..inputs.count() {
        for (i, value) in method.input_values().enumerate() {
            let number = match value {
                ProgramValue::Int(v) => Scalar::Int(*v),
                ProgramValue::Double(v) => Scalar::Float(*v),
                ProgramValue::Bool(v) => Scalar::Bool(*v),
                _ => continue,
            };
            if inputs.runs.get(run, Role::Input, i).is_none() {
                inputs
                    .runs
                    .insert(run, Role::Input, i, scalar_tensor(number));
                added = true;
            }
        }
    }
    added
}
