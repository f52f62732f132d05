//! `signature`: how a model's caller passes its inputs.

use crate::compile::{Source, archive};
use kiln_pt2::{Argument, ConstantValue, InputSpec};
use pyo3::prelude::*;

/// The saved spec of the arguments as JSON, and the texts that the exporter fixed, by the position of their input. `None` for a model
/// without such a spec, and for one that cannot be read: `compile` says why.
#[pyfunction]
pub fn signature(py: Python<'_>, source: Source) -> Option<(String, Vec<(usize, String)>)> {
    py.detach(|| {
        let archive = archive(source).ok()?;
        let program = archive.program().ok()?;
        let spec = program.call.as_ref()?.in_spec.to_string();
        let inputs = program.signature.input_specs.iter();
        // Each is a leaf of the arguments; `Some` of a text that the caller must pass.
        let leaves = inputs.filter_map(|input| match input {
            InputSpec::UserInput {
                arg: Argument::String(text),
            } => Some(Some(text)),
            InputSpec::ConstantInput {
                value: ConstantValue::String(text),
                ..
            } => Some(Some(text)),
            InputSpec::UserInput { .. } | InputSpec::ConstantInput { .. } => Some(None),
            _ => None,
        });
        let texts = leaves
            .enumerate()
            .filter_map(|(i, text)| Some((i, text?.clone())));
        Some((spec, texts.collect()))
    })
}
