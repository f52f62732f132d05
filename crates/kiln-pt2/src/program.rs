//! The exported program: a typed mirror of `models/<name>.json`, for all schema versions from 7.3 (torch 2.5) on.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::graph::Graph;
use crate::json_number::{deserialize_bound, quote_bare_words};
use crate::signature::Signature;
use crate::tree_spec::TreeSpec;

/// The major schema versions that this reader knows.
pub const KNOWN_SCHEMA_MAJORS: std::ops::RangeInclusive<u32> = 7..=8;

/// A program as `torch.export` saved it.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportedProgram {
    /// The outermost graph.
    pub graph: Graph,
    /// The roles of its inputs and outputs.
    pub signature: Signature,
    /// The calling convention of the root module; `None` if it was not saved.
    pub call: Option<CallSpec>,
    /// The paths of all modules but the root, in the order of the user's program. Calling conventions that the exporter preserved for
    /// them are skipped.
    pub modules: Vec<String>,
    /// The version of each operator namespace (`aten` is 10 in all known files).
    pub opset_version: IndexMap<String, i64>,
    /// The range of each symbol.
    pub range_constraints: IndexMap<String, RangeConstraint>,
    /// The version of the JSON schema.
    pub schema_version: SchemaVersion,
    /// The dialect as saved; see [`ExportedProgram::dialect`].
    pub verifiers: Vec<String>,
    /// The version of torch that saved it, for example `2.15.0+cpu`.
    pub torch_version: String,
    /// The field names of each named tuple type in the call's specs (torch 2.7 on).
    pub namedtuple_fields: IndexMap<String, Vec<String>>,
    /// Conditions on the inputs, as Python expressions; for information only.
    pub guards_code: Vec<String>,
}

/// The mapping between the caller's nested arguments and user inputs, and between user outputs and the nested result.
#[derive(Clone, Debug, PartialEq)]
pub struct CallSpec {
    /// A tuple of positional arguments (a tuple) and keyword arguments (a dict).
    pub in_spec: TreeSpec,
    /// The result.
    pub out_spec: TreeSpec,
    /// The names of the top-level arguments (torch 2.6 on).
    pub forward_arg_names: Option<Vec<String>>,
}

/// The inclusive bounds of a symbol; `None` means unbounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeConstraint {
    /// The least value.
    #[serde(rename = "min_val", default, deserialize_with = "deserialize_bound")]
    pub min: Option<i64>,
    /// The greatest value.
    #[serde(rename = "max_val", default, deserialize_with = "deserialize_bound")]
    pub max: Option<i64>,
}

/// A version `major.minor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SchemaVersion {
    /// Increased by breaking changes.
    pub major: u32,
    /// Increased by compatible changes.
    pub minor: u32,
}

/// The form of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// As given by `export`: not decomposed, ops may mutate their operands, and mutations are no outputs.
    Training,
    /// After `run_decompositions`: functional, and mutations are outputs.
    Aten,
    /// The form of another verifier, such as that of a backend.
    Other(String),
}

impl ExportedProgram {
    /// Parses the JSON. `text` is the whole entry.
    ///
    /// A schema newer than [`KNOWN_SCHEMA_MAJORS`] is accepted if it parses. If it does not, the error names the
    /// version.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let text = std::str::from_utf8(text)
            .map_err(|fault| Error::unsupported(format!("the program is not UTF-8: {fault}")))?;
        let wire = parse_wire(text)?;
        check_version(wire.schema_version)?;
        wire.into_program()
    }

    /// The form of the graph.
    pub fn dialect(&self) -> Dialect {
        match self.verifiers.first().map(String::as_str) {
            Some("TRAINING") => Dialect::Training,
            Some("ATEN") | None => Dialect::Aten,
            Some(other) => Dialect::Other(other.to_owned()),
        }
    }
}

fn parse_wire(text: &str) -> Result<Wire, Error> {
    let error = match serde_json::from_str(text) {
        Ok(wire) => return Ok(wire),
        Err(error) => error,
    };
    // Up to torch 2.6, non-finite floats are bare words, which JSON does not allow.
    let quoted = quote_bare_words(text);
    if let std::borrow::Cow::Owned(quoted) = &quoted {
        return serde_json::from_str(quoted).map_err(|error| blame_version(quoted, error));
    }
    Err(blame_version(text, error))
}

/// The JSON error; or, if the schema is newer, an error that says so.
fn blame_version(text: &str, error: serde_json::Error) -> Error {
    #[derive(Deserialize)]
    struct Version {
        schema_version: SchemaVersion,
    }
    match serde_json::from_str::<Version>(text) {
        Ok(Version { schema_version }) if schema_version.major > *KNOWN_SCHEMA_MAJORS.end() => {
            Error::unsupported(format!(
                "export schema {}.{} is newer than the known {}.x and does not read as one ({error}); \
                 save the program with an earlier torch",
                schema_version.major,
                schema_version.minor,
                KNOWN_SCHEMA_MAJORS.end(),
            ))
        }
        _ => error.into(),
    }
}

fn check_version(version: SchemaVersion) -> Result<(), Error> {
    if version.major >= *KNOWN_SCHEMA_MAJORS.start() {
        return Ok(());
    }
    Err(Error::unsupported(format!(
        "export schema {}.{} is older than torch 2.5; export the model again with torch 2.5 or later",
        version.major, version.minor,
    )))
}

#[derive(Deserialize)]
struct Wire {
    graph_module: WireModule,
    #[serde(default)]
    opset_version: IndexMap<String, i64>,
    #[serde(default)]
    range_constraints: IndexMap<String, RangeConstraint>,
    schema_version: SchemaVersion,
    #[serde(default)]
    verifiers: Vec<String>,
    #[serde(default)]
    torch_version: String,
    #[serde(default)]
    guards_code: Vec<String>,
}

#[derive(Deserialize)]
struct WireModule {
    graph: Graph,
    signature: Signature,
    #[serde(default)]
    module_call_graph: Vec<WireCall>,
    #[serde(default)]
    treespec_namedtuple_fields: IndexMap<String, WireFields>,
}

#[derive(Deserialize)]
struct WireFields {
    field_names: Vec<String>,
}

#[derive(Deserialize)]
struct WireCall {
    fqn: String,
    signature: Option<WireCallSignature>,
}

#[derive(Deserialize)]
struct WireCallSignature {
    in_spec: String,
    out_spec: String,
    #[serde(default)]
    forward_arg_names: Option<Vec<String>>,
}

impl Wire {
    fn into_program(self) -> Result<ExportedProgram, Error> {
        let (roots, inner): (Vec<_>, Vec<_>) = self
            .graph_module
            .module_call_graph
            .into_iter()
            .partition(|call| call.fqn.is_empty());
        let root = roots.into_iter().next().and_then(|call| call.signature);
        // Second and later calls are listed only with their convention.
        let inner = inner.into_iter().map(|call| call.fqn);
        let modules = inner.filter(|path| !path.contains('@')).collect();
        let fields = self.graph_module.treespec_namedtuple_fields.into_iter();
        Ok(ExportedProgram {
            graph: self.graph_module.graph,
            signature: self.graph_module.signature,
            call: root.map(WireCallSignature::parse).transpose()?,
            modules,
            opset_version: self.opset_version,
            range_constraints: self.range_constraints,
            schema_version: self.schema_version,
            verifiers: self.verifiers,
            torch_version: self.torch_version,
            namedtuple_fields: fields
                .map(|(name, fields)| (name, fields.field_names))
                .collect(),
            guards_code: self.guards_code,
        })
    }
}

impl WireCallSignature {
    fn parse(self) -> Result<CallSpec, Error> {
        Ok(CallSpec {
            in_spec: TreeSpec::parse(&self.in_spec)?,
            out_spec: TreeSpec::parse(&self.out_spec)?,
            forward_arg_names: self.forward_arg_names,
        })
    }
}
