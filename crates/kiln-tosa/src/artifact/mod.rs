//! TOSA files as artifacts.

mod inspect;
mod loaded;

use crate::dialect::{Operator, Region, Spec, Tensor, TensorId, TosaDtype, TosaGraph, TosaOp};
use crate::evaluate::{EvaluateError, dtype_of};
use crate::file;
use crate::reference::PROGRAM;
use crate::verify::verify;
use kiln_files::Pending;
use kiln_target::{
    Activations, Artifact, Declared, Error, Executor, Explain, Format, Found, Kind, Loading,
    RunChoice, Runtime, Signature, Size, read_mapped,
};
use loaded::{Loaded, output_positions};
use serde_json::Value;
use std::path::Path;

/// As messages speak of TOSA files.
pub const TOSA_FILE: Kind = Kind {
    name: "a TOSA file",
    extension: "tosa",
    runtimes: &[Runtime::Builtin, Runtime::TosaReference],
    advice: "run it without --runtime, on the evaluator of TOSA's arithmetic",
    ignores: &[RunChoice::Poison, RunChoice::CmsisNn],
};

/// A file.
pub(crate) struct TosaArtifact {
    graph: TosaGraph,
    /// The bytes of the file that it was read from: another writer's layout may take more.
    read: Option<u64>,
}

impl TosaArtifact {
    /// A file that is not written yet.
    pub(crate) fn new(graph: TosaGraph) -> TosaArtifact {
        TosaArtifact { graph, read: None }
    }

    /// True for integers of 8 or 16 bits that an operator rounded to, perhaps moved or limited behind it.
    fn is_rounded(&self, tensor: TensorId) -> bool {
        let main = self.graph.main();
        let mut tensor = tensor;
        // An operator stands behind those whose results it reads.
        for operator in main.operators.iter().rev() {
            if !operator.outputs.contains(&tensor) {
                continue;
            }
            match operator.inputs.first() {
                _ if rounds(main, operator) => return true,
                Some(&first) if keeps_integers(&operator.op) => tensor = first,
                _ => return false,
            }
        }
        false
    }

    fn declared(&self, ids: &[TensorId], positions: impl Iterator<Item = usize>) -> Vec<Declared> {
        let tensors = ids.iter().zip(positions);
        let tensors = tensors.filter_map(|(&id, p)| Some((self.graph.main().tensor(id)?, p)));
        tensors.map(|(tensor, p)| declared(tensor, p)).collect()
    }
}

/// True for operators that round reals to integers of 8 or 16 bits.
fn rounds(region: &Region, operator: &Operator) -> bool {
    let dtype = |ids: &[TensorId]| Some(region.tensor(*ids.first()?)?.dtype);
    let is_narrow = matches!(
        dtype(&operator.outputs),
        Some(TosaDtype::I8 | TosaDtype::I16)
    );
    match operator.op {
        TosaOp::Rescale(_) => is_narrow,
        TosaOp::Cast { .. } => is_narrow && dtype(&operator.inputs).is_some_and(|d| d.is_float()),
        TosaOp::Table { .. } => true,
        _ => false,
    }
}

/// The numbers that an operator rounds its results to.
fn rounded_to(region: &Region, operator: &Operator) -> Activations {
    let moves = keeps_integers(&operator.op)
        || matches!(operator.op, TosaOp::Const { .. } | TosaOp::Gather);
    let results = operator.outputs.iter().filter_map(|&id| region.tensor(id));
    let of_results = results.map(|tensor| match tensor.dtype {
        TosaDtype::BF16 if !moves => Activations::BF16,
        TosaDtype::F16 if !moves => Activations::F16,
        _ => Activations::F32,
    });
    match rounds(region, operator) {
        true => Activations::Integers,
        false => of_results.max().unwrap_or_default(),
    }
}

/// True for operators whose results are integers of their first operand.
fn keeps_integers(op: &TosaOp) -> bool {
    matches!(
        op,
        TosaOp::Reshape { .. }
            | TosaOp::Transpose { .. }
            | TosaOp::Slice { .. }
            | TosaOp::Concat { .. }
            | TosaOp::Reverse { .. }
            | TosaOp::Tile { .. }
            | TosaOp::Pad { .. }
            | TosaOp::Clamp { .. }
            | TosaOp::BitwiseXor
            | TosaOp::MaxPool2d { .. }
    )
}

fn declared(tensor: &Tensor, position: usize) -> Declared {
    Declared {
        position,
        name: Some(tensor.name.clone()),
        dtype: dtype_of(tensor.dtype),
        text: tensor.to_string(),
        sizes: tensor.shape.iter().map(|&n| Size::Exactly(n)).collect(),
        room: None,
        order: None,
        reals: None,
        step: None,
    }
}

impl Artifact for TosaArtifact {
    fn kind(&self) -> &'static Kind {
        &TOSA_FILE
    }

    /// A file has one method and no name of it.
    fn methods(&self) -> Vec<String> {
        Vec::new()
    }

    fn signature(&self, _: &str) -> Option<Signature> {
        let main = self.graph.main();
        let positions = output_positions(&self.graph).into_iter();
        let mut outputs = self.declared(&main.outputs, positions);
        for (output, &tensor) in outputs.iter_mut().zip(&main.outputs) {
            output.step = self.is_rounded(tensor).then_some(1.0);
        }
        Some(Signature {
            inputs: self.declared(&main.inputs, 0..),
            outputs,
            input_count: Some(main.inputs.len()),
            has_fixed_sizes: true,
            keeps_positions: false,
        })
    }

    fn activations(&self, _: &str, output: usize) -> Activations {
        let main = self.graph.main();
        let mut found = vec![Activations::F32; main.tensors.len()];
        let of_region = |region: &Region| {
            let own = region
                .operators
                .iter()
                .map(|operator| rounded_to(region, operator));
            own.max().unwrap_or_default()
        };
        // What branches and loops round is not told apart.
        let regions = self.graph.regions.iter().skip(1);
        let nested = regions.map(of_region).max().unwrap_or_default();
        for operator in &main.operators {
            let from = operator.inputs.iter().map(|input| found[input.index()]);
            let from = from.max().unwrap_or_default();
            let own = match operator.op {
                TosaOp::CondIf(_) | TosaOp::WhileLoop(_) => nested,
                _ => rounded_to(main, operator),
            };
            for result in &operator.outputs {
                found[result.index()] = from.max(own);
            }
        }
        let positions = output_positions(&self.graph).into_iter();
        let mut outputs = positions.zip(&main.outputs);
        let own = outputs.find(|(position, _)| *position == output);
        own.map_or(Activations::F32, |(_, tensor)| found[tensor.index()])
    }

    fn prepare(&self, path: &Path) -> Result<(Pending, u64), Error> {
        let written = file::write(&self.graph).explain(|| path.display().to_string())?;
        let bytes = written.to_bytes();
        let prepared = kiln_files::prepare(path, &bytes);
        let file = prepared.explain(|| format!("cannot write {}", path.display()))?;
        Ok((Pending::File(file), bytes.len() as u64))
    }

    fn size(&self) -> Result<u64, Error> {
        if let Some(size) = self.read {
            return Ok(size);
        }
        let written = file::write(&self.graph).map_err(Error::of)?;
        Ok(written.to_bytes().len() as u64)
    }

    fn inspect(&self) -> Result<Value, Error> {
        Ok(inspect::tosa_json(&self.graph, self.size()?))
    }

    fn load<'a>(&'a self, _: &str, loading: &Loading) -> Result<Box<dyn Executor + 'a>, Error> {
        match loading.runtime {
            Runtime::Builtin => {
                verify(&self.graph, Spec::all())
                    .map_err(EvaluateError::Faults)
                    .map_err(Error::of)?;
                Ok(Box::new(Loaded::evaluated(&self.graph)))
            }
            Runtime::TosaReference => {
                let program = match &loading.program {
                    Some(path) => path.clone(),
                    None => PROGRAM.find().map_err(Error::of)?,
                };
                Ok(Box::new(Loaded::on_reference(&self.graph, program)))
            }
            Runtime::Executorch | Runtime::Host | Runtime::Qemu => {
                let message = format!("{} runs no TOSA files", loading.runtime.text());
                Err(Error::new(message))
            }
        }
    }
}

/// The format.
pub struct TosaFiles;

impl Format for TosaFiles {
    fn kind(&self) -> &'static Kind {
        &TOSA_FILE
    }

    fn recognises(&self, found: &Found<'_>) -> bool {
        file::is_tosa(found.head())
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Artifact>, Error> {
        let bytes = read_mapped(path)?;
        Ok(Box::new(TosaArtifact {
            graph: file::read(&bytes).map_err(Error::of)?,
            read: Some(bytes.len() as u64),
        }))
    }
}
