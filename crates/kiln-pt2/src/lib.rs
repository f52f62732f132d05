//! The torch.export archive (`.pt2`): reader and writer, for torch 2.5 to 2.15.
//!
//! [`Archive`] opens a file, and gives its [`ExportedProgram`] and its tensors. [`ArchiveWriter`] writes one. The types
//! mirror the saved schema as plain data, and know no compiler's graph. The meaning of ops, default operands and
//! relations of symbols are left to importers.
//!
//! # Invariants
//! - Payloads are slices of the mapped file ([`bytes::Bytes`]). Tensors that share a storage in the file share it in
//!   memory.
//! - Nothing in a file is executed. Pickles are read as data with a whitelist; anything else is refused by name.
//! - No input makes the reader panic, hang, or take memory out of proportion to the file. Exceptions are zeros and
//!   repeated elements that a file states without storing them; these have a common limit ([`MAX_EXPANDED_BYTES`]).
//! - An [`Error`] names the file, the entry, what was found, and what to do.
//!
//! # Example
//! ```no_run
//! # fn main() -> Result<(), kiln_pt2::Error> {
//! let archive = kiln_pt2::Archive::open("model.pt2")?;
//! let program = archive.program()?;
//! for spec in &program.signature.input_specs {
//!     if let kiln_pt2::InputSpec::Parameter { fqn, .. } = spec {
//!         let weight = archive.tensor(fqn)?;
//!         println!("{fqn}: {:?} {:?}", weight.dtype(), weight.sizes());
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod archive;
mod archive_writer;
mod argument;
mod error;
mod graph;
mod json_number;
mod mapped_file;
mod node_metadata;
mod payload_config;
mod pickle;
mod pickle_writer;
mod program;
mod program_json;
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
mod zip_writer;

pub use archive::{Archive, Form};
pub use archive_writer::ArchiveWriter;
pub use argument::{Argument, CustomObj, GraphArgument};
pub use error::{Error, ErrorKind};
pub use graph::{ArgumentKind, Graph, NamedArgument, Node, TensorMeta};
pub use mapped_file::MappedFile;
pub use node_metadata::{Frame, ModuleCall, NodeMetadata};
pub use program::{
    CallSpec, Dialect, ExportedProgram, KNOWN_SCHEMA_MAJORS, RangeConstraint, SchemaVersion,
};
pub use program_json::WRITTEN_SCHEMA;
pub use scalar_type::{Device, Layout, MemoryFormat, ScalarType};
pub use signature::{ConstantValue, InputSpec, OutputSpec, Signature};
pub use stored_tensor::{MAX_EXPANDED_BYTES, StoredTensor};
pub use sym_expr::{MAX_DEPTH, SymExpr, SymOp};
pub use sym_value::{SymBool, SymBoolArg, SymFloat, SymFloatArg, SymInt, SymIntArg};
pub use torch_save::{Payload, SampleValue, TensorSubclass};
pub use tree_spec::{TreeKey, TreeKind, TreeSpec};
