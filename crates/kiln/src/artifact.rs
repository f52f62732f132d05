//! The file that a compilation makes.

use anyhow::{Context, Result};
use indexmap::IndexMap;
use kiln_ir::graph::{InputSpec, OutputSpec};
use kiln_ir::{DType, Graph, ValueId};
use kiln_portable::MethodReport;
use kiln_pte::Program;
use kiln_tosa::dialect::TosaGraph;
use serde_json::{Value, json};
use std::path::Path;

/// A compiled file, not written yet.
pub enum Artifact {
    /// An ExecuTorch program.
    Program(Box<Program>),
    /// A TOSA graph.
    Tosa(TosaGraph),
}

impl Artifact {
    /// The program, if it is one.
    pub fn program(&self) -> Option<&Program> {
        match self {
            Artifact::Program(program) => Some(program),
            Artifact::Tosa(_) => None,
        }
    }

    /// Writes the file, which is there whole or not at all; its size.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_file(&self, path: &Path) -> Result<u64> {
        let named = || path.display().to_string();
        match self {
            Artifact::Program(program) => kiln_pte::write_file(program, path).with_context(named),
            Artifact::Tosa(graph) => {
                let file = kiln_tosa::file::write(graph).with_context(named)?;
                let bytes = file.to_bytes();
                crate::output::write_file(path, &bytes)?;
                Ok(bytes.len() as u64)
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
            Artifact::Tosa(graph) => Ok(kiln_tosa::file::write(graph)?.to_bytes().len() as u64),
        }
    }
}

/// The figures of a TOSA file: it plans no memory and calls no kernels.
pub(crate) fn tosa_report(name: &str, file: &TosaGraph) -> MethodReport {
    MethodReport {
        name: name.to_owned(),
        kernel_calls: IndexMap::new(),
        delegates: 1,
        delegate_calls: 1,
        instructions: 1,
        planned_bytes: 0,
        planned_lower_bound: 0,
        transposed_bytes: kiln_tosa::moved_bytes(file),
        assumed_bounds: Vec::new(),
    }
}

/// What a TOSA file takes and gives, in the graph's axes (cli.md: `io`).
pub fn io(graph: &Graph) -> Value {
    let inputs = graph.signature.inputs.iter().filter_map(|spec| match spec {
        InputSpec::Tensor { name, dim_order } => Some((name.to_string(), dim_order.clone())),
        _ => None,
    });
    let outputs = graph
        .signature
        .outputs
        .iter()
        .filter_map(|spec| match spec {
            OutputSpec::Tensor { dim_order } => Some(dim_order.clone()),
            _ => None,
        });
    let block = graph.block(graph.root());
    let named = |i: usize, order| (format!("output_{i}"), order);
    let outputs = outputs.enumerate().map(|(i, order)| named(i, order));
    json!({
        "inputs": tensors(graph, inputs, &block.params),
        "outputs": tensors(graph, outputs, &block.results),
    })
}

fn tensors(
    graph: &Graph,
    specs: impl Iterator<Item = (String, Vec<u8>)>,
    values: &[ValueId],
) -> Vec<Value> {
    let all = specs.zip(values).map(|((name, order), &value)| {
        let ty = graph.ty(value);
        let plain = || (0..ty.rank() as u8).collect();
        let order: Vec<u8> = if order.is_empty() { plain() } else { order };
        let dtype = if ty.dtype == DType::I64 {
            DType::I32
        } else {
            ty.dtype
        };
        let shape: Vec<Option<i64>> = ty.shape.iter().map(kiln_ir::Dim::as_const).collect();
        let parameters = ty
            .quant
            .as_ref()
            .map(|q| (q.scheme.scales()[0], q.scheme.zero_points()[0]));
        json!({
            "name": name,
            "dtype": dtype.name(),
            "shape": shape,
            "dim_order": order,
            "scale": parameters.map(|p| p.0),
            "zero_point": parameters.map(|p| p.1),
        })
    });
    all.collect()
}
