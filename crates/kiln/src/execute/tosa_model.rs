//! Runs of a compiled TOSA file beside the graph that it was made of, on the evaluator or on the reference model.
//!
//! Inputs and outputs are the model's own: what the border holds as integers is quantised and dequantised here, as
//! PyTorch does it, and axes are put in the order in which the file has them.

use super::scalar_tensor;
use crate::tensors::{Role, Runs};
use anyhow::{Context, Result, anyhow, bail};
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::graph::{InputSpec, OutputSpec};
use kiln_ir::ops::{Cast, Dequantize, Move, Quantize};
use kiln_ir::{DType, Dim, Graph, Movement, Op, TensorData, TensorType};
use kiln_tosa::border::{Border, Port};
use kiln_tosa::dialect::TosaGraph;
use kiln_tosa::evaluate::{Limits, State, evaluate_with};
use kiln_tosa::reference::{self, Verdict};
use std::path::PathBuf;

/// Memory for one conversion at the border.
const MOST_BYTES: u64 = 1 << 34;

/// What runs a file.
#[derive(Clone, Debug)]
pub enum TosaRunner {
    /// Kiln's evaluator.
    Builtin,
    /// The reference model's program.
    Reference(PathBuf),
}

/// A compiled file beside the graph that it was made of.
pub struct TosaModel<'m> {
    /// The graph.
    pub graph: &'m Graph,
    /// What crosses its border.
    pub border: &'m Border,
    /// The file.
    pub file: &'m TosaGraph,
}

/// The outputs of every run.
///
/// # Errors
/// If an input is missing or does not fit, or the file does not run.
pub fn run_tosa_model(
    model: &TosaModel<'_>,
    runner: &TosaRunner,
    inputs: &Runs,
    runs: usize,
) -> Result<Runs> {
    let mut state = State::default();
    let mut results = Runs::default();
    for run in 0..runs {
        let given = model.inputs(inputs, run)?;
        let made = match runner {
            TosaRunner::Builtin => {
                evaluate_with(model.file, &given, &mut state, Limits::default())?
            }
            TosaRunner::Reference(program) => {
                let folder = tempfile::tempdir()?;
                match reference::run(program, model.file, &given, folder.path())? {
                    Verdict::Valid(outputs) => outputs,
                    other => bail!("run {run}: the reference model says {other:?}"),
                }
            }
        };
        model
            .outputs(made, run, &mut results)
            .with_context(|| format!("run {run}"))?;
    }
    Ok(results)
}

impl TosaModel<'_> {
    fn inputs(&self, inputs: &Runs, run: usize) -> Result<Vec<Tensor>> {
        let mut ports = self.border.inputs.iter();
        let mut given = Vec::new();
        for (i, spec) in self.graph.signature.inputs.iter().enumerate() {
            let InputSpec::Tensor { name, .. } = spec else {
                continue;
            };
            let port = ports
                .next()
                .ok_or_else(|| anyhow!("input {name} is not in the file"))?;
            let data = inputs.get(run, Role::Input, i);
            let data = data
                .ok_or_else(|| anyhow!("run {run} has no tensor {run}.in.{i} for input {name}"))?;
            given.push(self.inward(port, data)?);
        }
        Ok(given)
    }

    fn inward(&self, port: &Port, data: &TensorData) -> Result<Tensor> {
        let ty = self.graph.ty(port.value);
        let mut tensor = Tensor::from(data.clone());
        if let Some(quant) = ty.quant.clone().filter(|_| port.value != port.outer) {
            let dtype = ty.dtype;
            tensor = run(Quantize { quant, dtype }, tensor)?.with_quant(None);
        }
        let held = match tensor.dtype() {
            DType::I64 => Some(DType::I32),
            DType::U8 => Some(DType::I8),
            _ => None,
        };
        if let Some(to) = held {
            tensor = run(Cast { to }, tensor)?;
        }
        permuted(tensor, &port.dim_order)
    }

    fn outputs(&self, made: Vec<Tensor>, run: usize, results: &mut Runs) -> Result<()> {
        let mut made = made.into_iter().zip(&self.border.outputs);
        for (i, spec) in self.graph.signature.outputs.iter().enumerate() {
            let data = match spec {
                OutputSpec::Tensor { .. } => {
                    let (tensor, port) = made
                        .next()
                        .ok_or_else(|| anyhow!("output {i} is missing"))?;
                    TensorData::from(self.outward(port, tensor)?)
                }
                OutputSpec::Scalar(scalar) => scalar_tensor(*scalar),
                OutputSpec::None | OutputSpec::Text(_) => continue,
            };
            results.insert(run, Role::Output, i, data);
        }
        Ok(())
    }

    fn outward(&self, port: &Port, tensor: Tensor) -> Result<Tensor> {
        let (inner, outer): (&TensorType, &TensorType) =
            (self.graph.ty(port.value), self.graph.ty(port.outer));
        let mut back = vec![0u8; port.dim_order.len()];
        for (i, &axis) in port.dim_order.iter().enumerate() {
            back[usize::from(axis)] = i as u8;
        }
        let tensor = permuted(tensor, &back)?;
        if port.value != port.outer {
            let dtype = outer.dtype;
            return run(Dequantize { dtype }, tensor.with_quant(inner.quant.clone()));
        }
        match tensor.dtype() == outer.dtype {
            true => Ok(tensor),
            false => run(Cast { to: outer.dtype }, tensor),
        }
    }
}

fn permuted(tensor: Tensor, axes: &[u8]) -> Result<Tensor> {
    if axes.iter().enumerate().all(|(i, &a)| i == usize::from(a)) {
        return Ok(tensor);
    }
    let dims: Vec<Dim> = tensor
        .sizes()
        .iter()
        .map(|&n| Dim::constant(n as i64))
        .collect();
    let axes: Vec<usize> = axes.iter().map(|&a| usize::from(a)).collect();
    let movement = Movement::permute(&dims, &axes)?;
    run(Move { movement }, tensor)
}

fn run(op: impl Into<Op>, operand: Tensor) -> Result<Tensor> {
    let mut bindings = Bindings::default();
    let results = evaluate_op(&op.into(), &[operand], &mut bindings, MOST_BYTES)?;
    results
        .into_iter()
        .next()
        .ok_or_else(|| anyhow!("an op of the border has no result"))
}
