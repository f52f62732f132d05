//! The tensors of a payload, and the memory orders in which each value of the region exists.

use super::{Lowered, Problem};
use crate::orders::MOVERS;
use crate::orders::ROWS;
use crate::payload::{
    ConstantData, ConstantIndex, Datatype, External, UnaryOp, ValueId as Tensor, XnnGraph, XnnNode,
    XnnOp, XnnValue,
};
use crate::support::largest;
use crate::weights;
use indexmap::IndexMap;
use kiln_ir::{Content, DType, Dim, Graph, Id, Movement, NodeId, TensorData, TensorType, ValueId};
use kiln_transforms::analysis::constants::constant_of;
use kiln_transforms::layout::Holdings;
use kiln_transforms::layout::Order;
use kiln_transforms::layout::movers::Mover;
use rustc_hash::FxHashMap;
use std::ops::{Deref, DerefMut};

/// The payload's tensors, and which of them hold the region's values.
pub(super) struct Tensors<'a> {
    parts: Parts<'a>,
    holdings: Holdings<'a, Tensor>,
}

/// The payload under construction.
pub(super) struct Parts<'a> {
    graph: &'a Graph,
    payload: XnnGraph,
    /// By tensor.
    dims: Vec<Vec<Dim>>,
    constants: FxHashMap<(String, Datatype, Vec<u32>), Tensor>,
    keys: FxHashMap<String, ConstantIndex>,
    named: IndexMap<String, Content>,
    node: Option<NodeId>,
}

/// The payload's type for a dtype.
pub(super) fn datatype(dtype: DType) -> Result<Datatype, Problem> {
    match dtype {
        DType::F32 => Ok(Datatype::Fp32),
        DType::F16 => Ok(Datatype::Fp16),
        DType::BF16 => Ok(Datatype::Bf16),
        DType::I32 => Ok(Datatype::Int32),
        other => Err(format!("a tensor of {other}")),
    }
}

impl<'a> Deref for Tensors<'a> {
    type Target = Parts<'a>;
    fn deref(&self) -> &Parts<'a> {
        &self.parts
    }
}

impl DerefMut for Tensors<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.parts
    }
}

impl<'a> Tensors<'a> {
    pub(super) fn new(graph: &'a Graph, nodes: &[NodeId]) -> Tensors<'a> {
        Tensors {
            parts: Parts::new(graph, nodes.first().copied()),
            holdings: Holdings::new(graph, nodes, MOVERS),
        }
    }

    pub(super) fn finish(self) -> Lowered {
        Lowered {
            graph: self.parts.payload,
            named_data: self.parts.named.into_iter().collect(),
            dims: self.parts.dims,
        }
    }

    /// Adds an argument of the call, which the delegate reads.
    pub(super) fn add_input(&mut self, value: ValueId, order: Order) {
        let ty = self.graph.ty(value);
        let datatype = datatype(ty.dtype).unwrap_or(Datatype::Fp32);
        let tensor = self.add_external(datatype, memory_dims(ty, &order), true);
        self.holdings.hold(value, &order, tensor);
    }

    /// Adds an argument of the call, which the delegate writes.
    pub(super) fn add_output(&mut self, value: ValueId, order: &Order) -> Result<(), Problem> {
        let made = self.operand(value, order)?;
        let slot = &mut self.parts.payload.values[made.index()];
        if slot.external.is_none() && slot.constant.is_none() {
            let position = self.parts.payload.num_externs;
            slot.external = Some(External {
                position,
                input: false,
                output: true,
            });
            self.parts.payload.num_externs += 1;
            return Ok(());
        }
        let (datatype, dims) = (slot.datatype, self.dims(made).to_vec());
        let output = self.add_external(datatype, dims, false);
        let (op, input, flags) = (UnaryOp::Copy, made, 0);
        self.push_op(XnnOp::Unary {
            op,
            input,
            output,
            flags,
        });
        Ok(())
    }

    /// A new tensor that will hold the value in an order.
    pub(super) fn define(&mut self, value: ValueId, order: &Order) -> Tensor {
        let ty = self.graph.ty(value);
        let datatype = datatype(ty.dtype).unwrap_or(Datatype::Fp32);
        let tensor = self.add(datatype, memory_dims(ty, order));
        self.holdings.hold(value, order, tensor);
        tensor
    }

    /// The tensor that holds the value in an order; converts if necessary.
    pub(super) fn operand(&mut self, value: ValueId, order: &Order) -> Result<Tensor, Problem> {
        self.holdings.operand(&mut self.parts, value, order)
    }

    /// The tensor that holds the value after a movement, from whichever existing tensor needs to move the fewest
    /// elements.
    pub(super) fn moved(&mut self, value: ValueId, to: &Movement) -> Result<Tensor, Problem> {
        self.holdings.moved(&mut self.parts, value, to)
    }

    /// The cost of `moved`; a number that is only compared.
    pub(super) fn cost_of(&self, value: ValueId, to: &Movement) -> u64 {
        self.holdings.cost_of(&self.parts, value, to)
    }
}

impl kiln_transforms::layout::Tensors for Parts<'_> {
    type Tensor = Tensor;

    fn dims(&self, tensor: Tensor) -> &[Dim] {
        &self.dims[tensor.index()]
    }

    fn apply(&mut self, tensor: Tensor, mover: &Mover) -> Result<Tensor, Problem> {
        Ok(match mover {
            Mover::Reshape(to) => self.reshape(tensor, to),
            Mover::Transpose(permutation) => self.transpose(tensor, permutation),
            Mover::Raise(more) => self.raise(tensor, *more)?,
            Mover::Deal { from, to, parts } => self.deal(tensor, [*from, *to], *parts)?,
            Mover::Drop => self.without_units(tensor)?,
        })
    }

    /// A mean exists for floats only.
    fn takes(&self, tensor: Tensor, moves: &[Mover]) -> bool {
        self.datatype(tensor) != Datatype::Int32 || !moves.contains(&Mover::Drop)
    }

    fn constant(&mut self, value: ValueId, order: &Order) -> Result<Tensor, Problem> {
        self.constant_value(value, order)
    }
}

impl<'a> Parts<'a> {
    fn new(graph: &'a Graph, node: Option<NodeId>) -> Parts<'a> {
        Parts {
            graph,
            payload: XnnGraph::default(),
            dims: Vec::new(),
            constants: FxHashMap::default(),
            keys: FxHashMap::default(),
            named: IndexMap::new(),
            node,
        }
    }

    pub(super) fn push(&mut self, node: XnnNode, from: Option<NodeId>) {
        self.node = from;
        let debug_handle = from.map_or(0, |id| id.index() as u32);
        self.payload.nodes.push(XnnNode {
            debug_handle,
            ..node
        });
    }

    /// Sets the graph's node from which the next operators stem.
    pub(super) fn stem_from(&mut self, node: Option<NodeId>) {
        self.node = node;
    }

    pub(super) fn push_op(&mut self, op: XnnOp) {
        self.push(XnnNode::new(op), self.node);
    }

    /// The shape of a tensor.
    pub(super) fn dims(&self, tensor: Tensor) -> &[Dim] {
        &self.dims[tensor.index()]
    }

    /// The type of a tensor's elements.
    pub(super) fn datatype(&self, tensor: Tensor) -> Datatype {
        self.payload.values[tensor.index()].datatype
    }

    fn bounds(&self, dims: &[Dim]) -> Vec<u32> {
        dims.iter().map(|d| largest(self.graph, d)).collect()
    }

    /// A new tensor inside the delegate.
    pub(super) fn add(&mut self, datatype: Datatype, dims: Vec<Dim>) -> Tensor {
        let bounds = self.bounds(&dims);
        self.add_value(XnnValue::internal(datatype, bounds), dims)
    }

    fn add_value(&mut self, value: XnnValue, dims: Vec<Dim>) -> Tensor {
        self.dims.push(dims);
        self.payload.add_value(value)
    }

    fn add_external(&mut self, datatype: Datatype, dims: Vec<Dim>, input: bool) -> Tensor {
        let external = External {
            position: self.payload.num_externs,
            input,
            output: !input,
        };
        self.payload.num_externs += 1;
        let tensor = self.add(datatype, dims);
        self.payload.values[tensor.index()].external = Some(external);
        tensor
    }

    fn constant_value(&mut self, value: ValueId, order: &Order) -> Result<Tensor, Problem> {
        let data = constant_of(self.graph, value).ok_or("a constant that cannot be moved")?;
        let to = order.to_memory(&self.graph.ty(value).shape, ROWS);
        let data = data
            .moved(&to)
            .ok_or("a constant of other sizes than its type's")?;
        self.constant(&data)
    }

    /// A constant tensor.
    pub(super) fn constant(&mut self, data: &TensorData) -> Result<Tensor, Problem> {
        let datatype = datatype(data.dtype())?;
        let sizes: Result<Vec<u32>, _> = data.sizes().iter().map(|&n| u32::try_from(n)).collect();
        let sizes = sizes.map_err(|_| "a constant of 2^32 elements")?;
        let id = (weights::key(data.content()), datatype, sizes);
        if let Some(&tensor) = self.constants.get(&id) {
            return Ok(tensor);
        }
        let index = self.name(&id.0, data.content());
        let dims = data
            .sizes()
            .iter()
            .map(|&n| Dim::constant(n as i64))
            .collect();
        let value = XnnValue::internal(datatype, id.2.clone());
        let tensor = self.add_value(
            XnnValue {
                constant: Some(index),
                ..value
            },
            dims,
        );
        self.constants.insert(id, tensor);
        Ok(tensor)
    }

    fn name(&mut self, key: &str, content: &Content) -> ConstantIndex {
        if let Some(&index) = self.keys.get(key) {
            return index;
        }
        let index = self
            .payload
            .add_constant(ConstantData::Named(key.to_owned()));
        self.named.insert(key.to_owned(), content.clone());
        self.keys.insert(key.to_owned(), index);
        index
    }

    /// The tensor in another shape, of which at most one size is unknown.
    pub(super) fn reshape(&mut self, input: Tensor, to: &[Dim]) -> Tensor {
        if self.dims(input) == to {
            return input;
        }
        let output = self.add(self.datatype(input), to.to_vec());
        self.push_reshape(input, output);
        output
    }

    /// Writes the reshaped `input` into `output`.
    pub(super) fn push_reshape(&mut self, input: Tensor, output: Tensor) {
        let to = self.dims(output).iter();
        let shape = to.map(|d| d.as_const().map_or(0, |n| n as u32)).collect();
        self.push_op(XnnOp::Reshape {
            shape,
            input,
            output,
            flags: 0,
        });
    }

    fn transpose(&mut self, input: Tensor, permutation: &[usize]) -> Tensor {
        let dims = permutation
            .iter()
            .map(|&p| self.dims(input)[p].clone())
            .collect();
        let output = self.add(self.datatype(input), dims);
        let perm = permutation.iter().map(|&p| p as u32).collect();
        self.push_op(XnnOp::Transpose {
            perm,
            input,
            output,
            flags: 0,
        });
        output
    }
}

fn memory_dims(ty: &TensorType, order: &Order) -> Vec<Dim> {
    order.dims(&ty.shape, ROWS)
}
