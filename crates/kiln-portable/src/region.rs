//! Regions: the parts of a graph that delegates take.

use bytes::Bytes;
use kiln_ir::{Content, NodeId, ValueId};

/// Nodes of one block (the root or a nested one) that one delegate runs, and their compiled form.
///
/// # Invariants
///
/// - Convex: no path from a member to a member leads through another node.
/// - `inputs` are made outside and read inside; `outputs` are made inside and read outside. Constants that the delegate
///   itself holds are not inputs.
#[derive(Clone, Debug)]
pub struct Region {
    /// Its nodes, in graph order.
    pub nodes: Vec<NodeId>,
    /// Inputs, in the order of the call's arguments.
    pub inputs: Vec<Boundary>,
    /// Outputs; they follow the inputs among the call's arguments.
    pub outputs: Vec<Boundary>,
    /// The backend's id (such as `XnnpackBackend`).
    pub backend: &'static str,
    /// The payload: the compiled form.
    pub blob: Bytes,
    /// Constants that the payload names. Equal keys have equal content in the whole program.
    pub named_data: Vec<(String, Content)>,
    /// The tensors that the delegate writes only to reorder elements.
    pub reordered: Vec<Reordered>,
}

/// A tensor that is written only to reorder elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reordered {
    /// The node that needs the other order, if a node does.
    pub node: Option<NodeId>,
    /// Its bytes, at the greatest sizes.
    pub bytes: u64,
}

/// A value at a delegate's border.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// The value.
    pub value: ValueId,
    /// The order of its axes in memory, outermost first. All delegates and kernels that touch the value agree on it.
    pub dim_order: Vec<u8>,
}
