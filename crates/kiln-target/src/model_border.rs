//! Runs an artifact with the model's inputs and outputs.
//!
//! Where the artifact takes and gives integers, this executor quantises inputs and dequantises outputs as PyTorch does.
//! It also puts axes into the artifact's order and back.

use crate::border::{Border, Port};
use crate::dim_order::DimOrder;
use crate::error::{Error, Explain};
use crate::executor::{About, Executor, Measured, scalar_tensor};
use crate::runs::{Role, Runs};
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::graph::{InputSpec, OutputSpec};
use kiln_ir::ops::{Cast, Dequantize, Move, Quantize};
use kiln_ir::{Dim, Graph, Movement, Op, TensorData, TensorType};

/// The memory limit of one conversion, in bytes.
const MAX_BYTES: u64 = 1 << 34;

/// An executor that takes the model's inputs and gives the model's outputs.
pub struct AtModelBorder<'m> {
    /// The graph from which the artifact was made.
    pub graph: &'m Graph,
    /// What crosses the artifact's border.
    pub border: &'m Border,
    /// The artifact's own executor.
    pub artifact: Box<dyn Executor + 'm>,
}

impl Executor for AtModelBorder<'_> {
    fn about(&self) -> About {
        About {
            gives_numbers: true,
            keeps_dtypes: true,
            ..self.artifact.about()
        }
    }

    fn run(
        &mut self,
        inputs: &Runs,
        runs: usize,
        repeat: Option<usize>,
    ) -> Result<Measured, Error> {
        let mut given = Runs::default();
        for run in 0..runs {
            for (i, data) in self.inputs(inputs, run)?.into_iter().enumerate() {
                given.insert(run, Role::Input, i, data);
            }
        }
        let made = self.artifact.run(&given, runs, repeat)?;
        let mut results = Runs::default();
        for run in 0..runs {
            let outputs = self.outputs(&made.results, run, &mut results);
            outputs.explain(|| format!("run {run}"))?;
            let updated = self.updated(&made.results, run, &mut results);
            updated.explain(|| format!("run {run}"))?;
        }
        Ok(Measured { results, ..made })
    }
}

impl AtModelBorder<'_> {
    fn inputs(&self, inputs: &Runs, run: usize) -> Result<Vec<TensorData>, Error> {
        let mut ports = self.border.inputs.iter();
        let mut given = Vec::new();
        for (i, spec) in self.graph.signature.inputs.iter().enumerate() {
            let InputSpec::Tensor { name, .. } = spec else {
                continue;
            };
            let missing = || Error::new(format!("input {name} does not cross the border"));
            let port = ports.next().ok_or_else(missing)?;
            let missing = || {
                Error::new(format!(
                    "run {run} has no tensor {run}.in.{i} for input {name}"
                ))
            };
            let data = inputs.get(run, Role::Input, i).ok_or_else(missing)?;
            given.push(TensorData::from(self.inward(port, data)?));
        }
        Ok(given)
    }

    fn inward(&self, port: &Port, data: &TensorData) -> Result<Tensor, Error> {
        let ty = self.graph.ty(port.value);
        let mut tensor = Tensor::from(data.clone());
        if let Some(quant) = ty.quant.clone().filter(|_| port.value != port.outer) {
            let dtype = ty.dtype;
            tensor = run(Quantize { quant, dtype }, tensor)?.with_quant(None);
        }
        permuted(tensor, &port.dim_order)
    }

    /// The outputs of a run. The artifact gives them in order, without the positions that are no tensors.
    fn outputs(&self, made: &Runs, run: usize, results: &mut Runs) -> Result<(), Error> {
        let positions = made.positions(run, Role::Output);
        let tensors = positions.filter_map(|i| made.get(run, Role::Output, i));
        let mut made = tensors.zip(&self.border.outputs);
        for (i, spec) in self.graph.signature.outputs.iter().enumerate() {
            let data = match spec {
                OutputSpec::Tensor { .. } => {
                    let missing = || Error::new(format!("output {i} is missing"));
                    let (tensor, port) = made.next().ok_or_else(missing)?;
                    TensorData::from(self.outward(port, Tensor::from(tensor.clone()))?)
                }
                OutputSpec::Scalar(scalar) => scalar_tensor(*scalar),
                OutputSpec::None | OutputSpec::Text(_) => continue,
            };
            results.insert(run, Role::Output, i, data);
        }
        Ok(())
    }

    /// The inputs as a run left them, of which the artifact gives those that it changes.
    fn updated(&self, made: &Runs, run: usize, results: &mut Runs) -> Result<(), Error> {
        for port in &self.border.inputs {
            if let Some(tensor) = made.get(run, Role::InputAfter, port.index) {
                let tensor = self.outward(port, Tensor::from(tensor.clone()))?;
                results.insert(run, Role::InputAfter, port.index, TensorData::from(tensor));
            }
        }
        Ok(())
    }

    fn outward(&self, port: &Port, tensor: Tensor) -> Result<Tensor, Error> {
        let (inner, outer): (&TensorType, &TensorType) =
            (self.graph.ty(port.value), self.graph.ty(port.outer));
        let back = DimOrder(port.dim_order.clone()).back();
        let tensor = permuted(tensor, &back.0)?;
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

pub(crate) fn permuted(tensor: Tensor, axes: &[u8]) -> Result<Tensor, Error> {
    if axes.iter().enumerate().all(|(i, &a)| i == usize::from(a)) {
        return Ok(tensor);
    }
    let sizes = tensor.sizes().iter();
    let dims: Vec<Dim> = sizes.map(|&n| Dim::constant(n as i64)).collect();
    let axes: Vec<usize> = axes.iter().map(|&a| usize::from(a)).collect();
    let movement = Movement::permute(&dims, &axes).map_err(Error::of)?;
    run(Move { movement }, tensor)
}

pub(crate) fn run(op: impl Into<Op>, operand: Tensor) -> Result<Tensor, Error> {
    let mut bindings = Bindings::default();
    let results = evaluate_op(&op.into(), &[operand], &mut bindings, MAX_BYTES);
    let first = results.map_err(Error::of)?.into_iter().next();
    first.ok_or_else(|| Error::new("an op of the border has no result"))
}
