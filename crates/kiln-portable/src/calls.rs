//! Calls of kernels that a target brings for the nodes of a region.
//!
//! The calls work on places: the region's inputs and outputs, constants, and memory of their own. A tensor is a place seen with a type,
//! sizes and an order of axes. Several calls may see one place differently, so a place has bytes and no type.

use kiln_ir::{Content, DType, NodeId};

/// Calls in their order, and the places that they work on.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    /// The places, by number.
    pub places: Vec<Place>,
    /// The calls.
    pub calls: Vec<Call>,
}

/// Memory that calls read and write.
#[derive(Clone, Debug)]
pub enum Place {
    /// The region's input of this number.
    Input(usize),
    /// The region's output of this number.
    Output(usize),
    /// Bytes that hold something between calls.
    Temporary(u64),
    /// What is the same in all runs.
    Constant(Content),
}

/// A call of a kernel that writes one tensor.
#[derive(Clone, Debug)]
pub struct Call {
    /// The kernel: `NAMESPACE::NAME.OVERLOAD`.
    pub kernel: &'static str,
    /// Its arguments, without the tensor that it writes.
    pub arguments: Vec<Argument>,
    /// The tensor that it writes, as a whole.
    pub out: Tensor,
    /// The arguments that it may write over, by number: it reads each of their elements before it writes the same one.
    pub overwrites: Vec<usize>,
    /// True if it only reorders elements.
    pub reorders: bool,
    /// The node that it computes a part of.
    pub node: Option<NodeId>,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Argument {
    /// `None`.
    None,
    /// An integer.
    Int(i64),
    /// A float.
    Double(f64),
    /// A bool.
    Bool(bool),
    /// Integers.
    Ints(Vec<i64>),
    /// A type of elements.
    DType(DType),
    /// A tensor that is read.
    Tensor(Tensor),
    /// Tensors that are read.
    Tensors(Vec<Tensor>),
    /// So many bytes of memory for this call only.
    Scratch(u64),
}

/// A place as a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tensor {
    /// The number of the place.
    pub place: usize,
    /// Its first byte in the place.
    pub offset: u64,
    /// The type of elements.
    pub dtype: DType,
    /// The sizes of axes.
    pub sizes: Vec<u32>,
    /// The order of axes in memory, outermost first.
    pub dim_order: Vec<u8>,
}
