//! The torch.export archive (`.pt2`): reader and writer, torch 2.5 to 2.15.
#![warn(missing_docs)]

mod archive;
mod argument;
mod error;
mod graph;
mod json_number;
mod node_metadata;
mod payload_config;
mod pickle;
mod program;
mod scalar_type;
mod signature;
mod stored_tensor;
mod sym_expr;
mod sym_parser;
mod sym_value;
mod tagged;
mod torch_save;
mod tree_spec;
mod zip_directory;

pub use archive::{Archive, Form};
pub use argument::{Argument, CustomObj, GraphArgument};
pub use error::{Error, ErrorKind};
pub use graph::{ArgumentKind, Graph, NamedArgument, Node, TensorMeta};
pub use node_metadata::{Frame, ModuleScope, NodeMetadata};
pub use program::{
    CallSpec, Dialect, ExportedProgram, KNOWN_SCHEMA_MAJORS, RangeConstraint, SchemaVersion,
};
pub use scalar_type::{Device, Layout, MemoryFormat, ScalarType};
pub use signature::{ConstantValue, InputSpec, OutputSpec, Signature};
pub use stored_tensor::{MAX_EXPANDED_BYTES, StoredTensor};
pub use sym_expr::{MAX_DEPTH, SymExpr, SymOp};
pub use sym_value::{SymBool, SymBoolArg, SymFloat, SymFloatArg, SymInt, SymIntArg};
pub use torch_save::{Payload, SampleValue, TensorSubclass};
pub use tree_spec::{TreeKey, TreeKind, TreeSpec};
