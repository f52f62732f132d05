//! Writes a graph as an archive of `torch.export`: the inverse of the import.
//!
//! Each op becomes calls of ATen, or of the ops that PyTorch's quantisers write, with the same meaning: what reads the archive again finds
//! the same graph, up to movements that it splits otherwise. `ops` has one file for a family of the importer's rows. The
//! program that a graph was imported from gives what no graph holds: how arguments are nested, the names of modules, and which
//! constants are parameters.
//!
//! # Invariants
//! - A value of the graph is one tensor of the archive, with its dtype and sizes. Its memory order is row-major, but for inputs and outputs,
//!   which keep theirs.
//! - Each node is in calls of modules, from the root on, and the nodes of a call are next to each other.
//! - Constants that nobody reads as tensors are not written. Numbers are literals where ATen takes them.
//! - What cannot be written is refused, never left out.

mod archive;
mod call;
mod constants;
mod error;
mod module_calls;
mod names;
mod ops;
mod signature;
mod sizes;
mod source;
mod tensors;
mod writer;

pub use archive::Exported;
pub use error::ExportError;

use kiln_ir::Graph;
use kiln_pt2::ExportedProgram;

/// Writes a graph as a program, with its tensors. `original` is the program that the graph was imported from.
///
/// # Errors
/// The graph has something that no archive says, or that has no writer. The error names the node and the user's line.
pub fn export(graph: &Graph, original: &ExportedProgram) -> Result<Exported, ExportError> {
    writer::Writer::new(graph, original).run()
}
