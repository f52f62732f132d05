//! The file that a compilation makes.

use anyhow::{Context, Result};
use indexmap::IndexMap;
use kiln_ir::{Dim, Graph};
use kiln_portable::MethodReport;
use kiln_pte::{PendingFile, Program};
use kiln_tosa::border::{Border, Port};
use kiln_tosa::dialect::{TensorId, TosaGraph};
use serde_json::{Value, json};
use std::path::Path;

/// A compiled file, not written yet.
pub enum Artifact {
    /// An ExecuTorch program.
    Program(Box<Program>),
    /// A TOSA graph.
    Tosa(TosaGraph, Border),
}

impl Artifact {
    /// The program, if it is one.
    pub fn program(&self) -> Option<&Program> {
        match self {
            Artifact::Program(program) => Some(program),
            Artifact::Tosa(..) => None,
        }
    }

    /// Writes the file, which is there whole or not at all; its size.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_file(&self, path: &Path) -> Result<u64> {
        let (file, size) = self.prepare_file(path)?;
        crate::output::persist(file, path)?;
        Ok(size)
    }

    /// Writes a file that does not appear yet; it and its size.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn prepare_file(&self, path: &Path) -> Result<(PendingFile, u64)> {
        let named = || path.display().to_string();
        match self {
            Artifact::Program(program) => kiln_pte::prepare_file(program, path).with_context(named),
            Artifact::Tosa(graph, _) => {
                let file = kiln_tosa::file::write(graph).with_context(named)?;
                let bytes = file.to_bytes();
                let file = crate::output::prepare_file(path, &bytes)?;
                Ok((file, bytes.len() as u64))
            }
        }
    }

    /// How many bytes the file has.
    ///
    /// # Errors
    /// If it cannot be laid out.
    pub fn size(&self) -> Result<u64> {
        match self {
            Artifact::Program(program) => Ok(kiln_pte::write(program, &mut std::io::sink())?),
            Artifact::Tosa(graph, _) => Ok(kiln_tosa::file::write(graph)?.to_bytes().len() as u64),
        }
    }
}

/// The figures of a TOSA file: it plans no memory and calls no kernels.
pub(crate) fn tosa_report(name: &str, file: &TosaGraph) -> MethodReport {
    MethodReport {
        name: name.to_owned(),
        kernel_calls: IndexMap::new(),
        callers: IndexMap::new(),
        delegates: 1,
        delegate_calls: 1,
        instructions: 1,
        planned_bytes: 0,
        planned_lower_bound: 0,
        transposed_bytes: kiln_tosa::moved_bytes(file),
        reordered: Vec::new(),
        assumed_bounds: Vec::new(),
    }
}

/// What a TOSA file takes and gives, in the graph's axes: the report's `io`.
pub fn io(graph: &Graph, file: &TosaGraph, border: &Border) -> Value {
    let main = file.main();
    let all = |ports: &[Port], tensors: &[TensorId]| -> Vec<Value> {
        let tensors = tensors
            .iter()
            .map(|&t| main.tensor(t).map(|t| t.dtype.name()));
        let pairs = ports.iter().zip(tensors);
        pairs.map(|(p, dtype)| port(graph, p, dtype)).collect()
    };
    json!({
        "inputs": all(&border.inputs, &main.inputs),
        "outputs": all(&border.outputs, &main.outputs),
    })
}

/// What a program with integers inside takes and gives: the model's own inputs and outputs.
pub fn own_io(graph: &Graph) -> Value {
    let border = Border::of(graph, false);
    let all = |ports: &[Port]| -> Vec<Value> {
        let dtype = |p: &Port| graph.ty(p.value).dtype.name();
        ports
            .iter()
            .map(|p| port(graph, p, Some(dtype(p))))
            .collect()
    };
    json!({
        "inputs": all(&border.inputs),
        "outputs": all(&border.outputs),
    })
}

fn port(graph: &Graph, port: &Port, dtype: Option<&str>) -> Value {
    let ty = graph.ty(port.value);
    let shape: Vec<Option<i64>> = ty.shape.iter().map(Dim::as_const).collect();
    let quant = ty.quant.as_ref().map(|q| &q.scheme);
    json!({
        "name": port.name,
        "index": port.index,
        "dtype": dtype,
        "shape": shape,
        "dim_order": port.dim_order,
        "scale": quant.map(|q| q.scales()[0]),
        "zero_point": quant.map(|q| q.zero_points()[0]),
    })
}
