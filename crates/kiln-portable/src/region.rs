//! Regions: the parts of a graph that delegates or a target's own kernels take.

use crate::calls::Calls;
use bytes::Bytes;
use kiln_ir::{Content, NodeId, ValueId};
use kiln_target::Operators;

/// Nodes of one block (the root or a nested one) that one delegate runs, or kernels of the target, and their compiled form.
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
    /// The compiled form.
    pub body: Body,
    /// The tensors that a delegate writes only to reorder elements.
    pub reordered: Vec<Reordered>,
}

/// The compiled form of a region.
#[derive(Clone, Debug)]
pub enum Body {
    /// One call of a delegate.
    Delegate(Delegated),
    /// Calls of kernels.
    Kernels(Calls),
}

/// What a delegate runs.
#[derive(Clone, Debug)]
pub struct Delegated {
    /// The backend's id (such as `XnnpackBackend`).
    pub backend: &'static str,
    /// The payload.
    pub blob: Bytes,
    /// Constants that the payload names. Equal keys have equal content in the whole program.
    pub named_data: Vec<(String, Content)>,
    /// The payload's operators.
    pub operators: Operators,
}

impl Region {
    /// What a delegate runs of it, if one does.
    pub fn delegated(&self) -> Option<&Delegated> {
        match &self.body {
            Body::Delegate(of) => Some(of),
            Body::Kernels(_) => None,
        }
    }

    /// The payload of its delegate, if one runs it.
    pub fn blob(&self) -> Option<&Bytes> {
        self.delegated().map(|of| &of.blob)
    }
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
