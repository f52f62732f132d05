//! The payload of an XNNPACK delegate: an owned model of it, its reader, its writer and its text form.
//!
//! [`XnnGraph`] is what the runtime hands to XNNPACK's subgraph API node by node, free of flatbuffers. Ids count in
//! [`XnnGraph::values`]; the file's own numbering (`id_out`) is not kept.
//!
//! Invariants
//! - What [`read`] returned has every id, constant index and external position in range, and nodes only read values
//!   that are inputs, constants or results of some node.
//! - [`write`](write()) checks the same rules first, and the same graph gives the same bytes.
//! - No input makes [`read`] panic or allocate more than a small multiple of its size.

mod graph;
mod node;
mod quant;

pub use graph::{ConstantData, ConstantIndex, External, ValueId, XnnGraph, XnnValue};
pub use node::{
    BinaryOp, Clamp, ConvKind, ConvParams, Padding2d, PoolKind, PoolParams, UnaryOp, XnnNode,
    XnnOp, flags,
};
pub use quant::{Datatype, Quant, Scales};
