//! Writes an exported program as JSON, in schema 8.20.

use indexmap::IndexMap;
use serde::Serialize;

use crate::Error;
use crate::graph::Graph;
use crate::program::{CallSpec, ExportedProgram, RangeConstraint, SchemaVersion};
use crate::signature::Signature;

/// The schema version that is written: that of torch 2.12 to 2.15.
pub const WRITTEN_SCHEMA: SchemaVersion = SchemaVersion {
    major: 8,
    minor: 20,
};

impl ExportedProgram {
    /// The program as `models/<name>.json` in [`WRITTEN_SCHEMA`], whatever version it was read from.
    ///
    /// Refuses arguments of kinds that were not known when the program was read. Metadata that the reader skips is
    /// lost.
    pub fn to_json(&self) -> Result<Vec<u8>, Error> {
        Ok(serde_json::to_vec(&WireProgram::from(self))?)
    }
}

#[derive(Serialize)]
struct WireProgram<'a> {
    graph_module: WireModule<'a>,
    opset_version: &'a IndexMap<String, i64>,
    range_constraints: &'a IndexMap<String, RangeConstraint>,
    schema_version: SchemaVersion,
    verifiers: &'a [String],
    torch_version: &'a str,
    guards_code: &'a [String],
}

#[derive(Serialize)]
struct WireModule<'a> {
    graph: &'a Graph,
    signature: &'a Signature,
    module_call_graph: Vec<WireCall<'a>>,
    metadata: IndexMap<String, String>,
    treespec_namedtuple_fields: IndexMap<&'a str, WireFields<'a>>,
}

#[derive(Serialize)]
struct WireFields<'a> {
    field_names: &'a [String],
}

#[derive(Serialize)]
struct WireCall<'a> {
    fqn: &'a str,
    signature: Option<WireCallSignature<'a>>,
}

/// The two lists repeat the graph's signature. Torch leaves them empty for the root.
#[derive(Serialize)]
struct WireCallSignature<'a> {
    inputs: [(); 0],
    outputs: [(); 0],
    in_spec: String,
    out_spec: String,
    forward_arg_names: Option<&'a [String]>,
}

impl<'a> From<&'a ExportedProgram> for WireProgram<'a> {
    fn from(program: &'a ExportedProgram) -> Self {
        let fields = program.namedtuple_fields.iter();
        Self {
            graph_module: WireModule {
                graph: &program.graph,
                signature: &program.signature,
                module_call_graph: module_calls(program),
                metadata: IndexMap::new(),
                treespec_namedtuple_fields: fields
                    .map(|(name, field_names)| (name.as_str(), WireFields { field_names }))
                    .collect(),
            },
            opset_version: &program.opset_version,
            range_constraints: &program.range_constraints,
            schema_version: WRITTEN_SCHEMA,
            verifiers: &program.verifiers,
            torch_version: &program.torch_version,
            guards_code: &program.guards_code,
        }
    }
}

/// The root with its calling convention, then all other modules.
fn module_calls(program: &ExportedProgram) -> Vec<WireCall<'_>> {
    let root = WireCall {
        fqn: "",
        signature: program.call.as_ref().map(WireCallSignature::from),
    };
    let inner = program.modules.iter().map(|path| WireCall {
        fqn: path,
        signature: None,
    });
    std::iter::once(root).chain(inner).collect()
}

impl<'a> From<&'a CallSpec> for WireCallSignature<'a> {
    fn from(call: &'a CallSpec) -> Self {
        Self {
            inputs: [],
            outputs: [],
            in_spec: call.in_spec.to_string(),
            out_spec: call.out_spec.to_string(),
            forward_arg_names: call.forward_arg_names.as_deref(),
        }
    }
}
