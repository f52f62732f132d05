//! The payload of an XNNPACK delegate: an owned model of it, its reader, its writer and its text form.
//!
//! [`XnnGraph`] is what the runtime hands to XNNPACK's subgraph API node by node, free of flatbuffers. Ids count in
//! [`XnnGraph::values`]; the file's own numbering (`id_out`) is not kept.
//!
//! Invariants
//! - What [`read`](read()) returned has every id, constant index and external position in range.
//! - What [`write`](write()) takes also reads only values that are inputs, constants or results of some node. The same
//!   graph gives the same bytes.
//! - No input makes [`read`](read()) panic or allocate more than a small multiple of its size.

mod check;
mod decode;
mod encode;
mod graph;
mod moved;
mod node;
mod operands;
/// Generated from `schema/payload.fbs`, which says how.
#[allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    clippy::undocumented_unsafe_blocks
)]
#[path = "../gen/payload.rs"]
mod payload_fb;
mod quant;
mod read;
mod text;
mod write;

pub(crate) use check::MAX_RANK;
pub use check::check;
pub use graph::{ConstantData, ConstantIndex, External, ValueId, XnnGraph, XnnValue};
pub use kiln_pte::Fault;
pub use node::{
    BinaryOp, Clamp, ConvKind, ConvParams, Padding2d, PoolKind, PoolParams, UnaryOp, XnnNode,
    XnnOp, flags,
};
pub use operands::Operands;
pub use quant::{Datatype, Quant, Scales};
pub use read::{ReadError, read};
pub use write::write;

/// Bytes 4 to 8 of a payload with header.
const MAGIC: &[u8; 4] = b"XH00";
/// True for the first bytes of a payload, with its header or without.
pub fn is_payload(head: &[u8]) -> bool {
    let magics: [&[u8]; 3] = [MAGIC, IDENTIFIER, IDENTIFIER_OLD];
    head.get(4..8).is_some_and(|magic| magics.contains(&magic))
}

/// The header's length.
const HEADER_LENGTH: u16 = 30;
/// The flatbuffer's identifier.
const IDENTIFIER: &[u8; 4] = b"XN01";
/// The identifier of older payloads.
const IDENTIFIER_OLD: &[u8; 4] = b"XN00";
/// Flatbuffer and inline constants start at multiples of this.
const ALIGNMENT: usize = 16;
/// The id of a value that is absent, and the external position of an internal one.
const NONE: u32 = u32::MAX;
