//! What a delegate takes of a graph.

use bytes::Bytes;
use kiln_ir::{Content, NodeId, ValueId};

/// Nodes of the root block (or of one nested block) that one delegate runs, and its compiled form.
///
/// # Invariants
/// - Convex: no path from a member to a member leads through another node.
/// - `inputs` are values made outside and read inside; `outputs` are made inside and read outside.
///   Constants that the delegate holds itself are not inputs.
#[derive(Clone, Debug)]
pub struct Region {
    /// Members in graph order.
    pub nodes: Vec<NodeId>,
    /// Values that come in, in the order of the call's arguments.
    pub inputs: Vec<Boundary>,
    /// Values that go out, behind the inputs in the call's arguments.
    pub outputs: Vec<Boundary>,
    /// The backend's id (`XnnpackBackend`).
    pub backend: &'static str,
    /// The compiled form.
    pub blob: Bytes,
    /// Constants that the blob names; equal keys have equal content in the whole program.
    pub named_data: Vec<(String, Content)>,
    /// What it writes only to reorder elements.
    pub reordered: Vec<Reordered>,
}

/// A tensor that is written only to reorder elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reordered {
    /// The node that needs the other order, if it is one.
    pub node: Option<NodeId>,
    /// Its bytes, at the greatest sizes.
    pub bytes: u64,
}

/// A value at a delegate's border.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// The value.
    pub value: ValueId,
    /// The memory order of its axes there, outermost first; all delegates and kernels that touch the
    /// value agree on it.
    pub dim_order: Vec<u8>,
}
