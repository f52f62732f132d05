//! The tensors of a payload, and the memory orders in which each value of the region exists.

use super::detour::drops_units;
use super::element::Elements;
use super::short_runs::{Stepped, Turned};
use super::{Lowered, Problem};
use crate::halves::Held;
use crate::orders::MOVERS;
use crate::orders::ROWS;
use crate::payload::{
    ConstantData, ConstantIndex, Datatype, External, Scales, UnaryOp, ValueId as Tensor, XnnGraph,
    XnnNode, XnnOp, XnnValue,
};
use crate::support::largest;
use crate::weights;
use bytes::Bytes;
use indexmap::IndexMap;
use kiln_ir::{
    Content, DType, Dim, Graph, Id, Movement, NodeId, Op, TensorData, TensorType, ValueId,
};
use kiln_transforms::analysis::constants::{constant_of, is_constant};
use kiln_transforms::layout::Holdings;
use kiln_transforms::layout::Order;
use kiln_transforms::layout::movers::Mover;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::{Deref, DerefMut};

/// The payload's tensors, and which of them hold the region's values.
pub(super) struct Tensors<'a> {
    parts: Parts<'a>,
    holdings: Holdings<'a, Tensor>,
    /// The halves that are held as f32.
    single: FxHashSet<ValueId>,
}

/// The payload under construction.
pub(super) struct Parts<'a> {
    graph: &'a Graph,
    payload: XnnGraph,
    /// By tensor.
    dims: Vec<Vec<Dim>>,
    /// By the key of their bytes and by sizes.
    constants: FxHashMap<(String, Vec<u32>), Typed>,
    keys: FxHashMap<String, ConstantIndex>,
    /// Constants in the payload itself.
    inline: FxHashMap<Bytes, ConstantIndex>,
    named: IndexMap<String, Content>,
    node: Option<NodeId>,
    /// How the node at hand holds halves.
    held: Held,
    /// The halves to which a value is rounded before it is moved.
    moved_as: Option<Datatype>,
    /// Tensors with one of their dims in front, for slices.
    pub(super) turned: FxHashMap<Turned, Tensor>,
    /// Tensors whose elements of a step are runs, for slices.
    pub(super) stepped: FxHashMap<Stepped, Tensor>,
    /// The same values in other floats.
    converted: FxHashMap<(Tensor, Datatype), Tensor>,
    /// The operators that only keep NaN and infinity as in PyTorch.
    guards: usize,
}

/// The tensors of one constant, by the type of its elements.
type Typed = Vec<(Elements, Tensor)>;

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
            single: FxHashSet::default(),
        }
    }

    pub(super) fn finish(self) -> Lowered {
        Lowered {
            graph: self.parts.payload,
            named_data: self.parts.named.into_iter().collect(),
            dims: self.parts.dims,
            guards: self.parts.guards,
        }
    }

    /// Adds an argument of the call, which the delegate reads.
    pub(super) fn add_input(&mut self, value: ValueId, order: Order) {
        let ty = self.graph.ty(value);
        let tensor = self.add_external(Elements::of_any(ty), memory_dims(ty, &order), true);
        self.holdings.hold(value, &order, tensor);
    }

    /// Adds an argument of the call, which the delegate writes.
    pub(super) fn add_output(&mut self, value: ValueId, order: &Order) -> Result<(), Problem> {
        self.hold_halves(Held::Stored);
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
        let (elements, dims) = (self.elements(made), self.dims(made).to_vec());
        let output = self.add_external(elements, dims, false);
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
        let elements = self.elements_of(ty);
        if elements.datatype == Datatype::Fp32 && ty.dtype.is_half() {
            self.single.insert(value);
        }
        let tensor = self.add(elements, memory_dims(ty, order));
        self.holdings.hold(value, order, tensor);
        tensor
    }

    /// The tensor that holds the value in an order; converts if necessary.
    pub(super) fn operand(&mut self, value: ValueId, order: &Order) -> Result<Tensor, Problem> {
        let is_half = self.graph.ty(value).dtype.is_half();
        if is_half && is_constant(self.graph, value) {
            return self.parts.constant_value(value, order);
        }
        self.parts.moved_as = self.parts.rounded(value);
        let tensor = self.holdings.operand(&mut self.parts, value, order)?;
        Ok(self.parts.as_held(value, tensor))
    }

    /// From now on, halves are read and made in these floats.
    pub(super) fn hold_halves(&mut self, held: Held) {
        self.parts.held = held;
    }

    /// True for halves that are held as f32, or movements of such.
    pub(super) fn is_single(&self, value: ValueId) -> bool {
        self.single.contains(&origin(self.graph, value))
    }

    /// The tensor that holds the value after a movement, from whichever existing tensor needs to move the fewest
    /// elements.
    pub(super) fn moved(&mut self, value: ValueId, to: &Movement) -> Result<Tensor, Problem> {
        self.parts.moved_as = self.parts.rounded(value);
        let tensor = self.holdings.moved(&mut self.parts, value, to)?;
        Ok(self.parts.as_held(value, tensor))
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
        let tensor = match self.moved_as {
            Some(to) => self.converted(tensor, to),
            None => tensor,
        };
        Ok(match mover {
            Mover::Reshape(to) => self.reshape(tensor, to),
            Mover::Transpose(permutation) => self.transpose(tensor, permutation),
            Mover::Raise(more) => self.raise(tensor, *more)?,
            Mover::Deal { from, to, parts } => self.deal(tensor, [*from, *to], *parts)?,
            Mover::Drop => self.without_units(tensor)?,
        })
    }

    fn takes(&self, tensor: Tensor, moves: &[Mover]) -> bool {
        drops_units(self.datatype(tensor)) || !moves.contains(&Mover::Drop)
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
            inline: FxHashMap::default(),
            named: IndexMap::new(),
            node,
            held: Held::Stored,
            moved_as: None,
            turned: FxHashMap::default(),
            stepped: FxHashMap::default(),
            converted: FxHashMap::default(),
            guards: 0,
        }
    }

    pub(super) fn push(&mut self, node: XnnNode) {
        let debug_handle = self.node.map_or(0, |id| id.index() as u32);
        self.payload.nodes.push(XnnNode {
            debug_handle,
            ..node
        });
    }

    /// The number of operators so far.
    pub(super) fn operators(&self) -> usize {
        self.payload.nodes.len()
    }

    /// Counts the operators since there were `before` as guards, but for one that computes the result.
    pub(super) fn count_guards(&mut self, before: usize) {
        self.guards += (self.operators() - before).saturating_sub(1);
    }

    /// Sets the graph's node from which the next operators stem.
    pub(super) fn stem_from(&mut self, node: NodeId) {
        self.node = Some(node);
    }

    pub(super) fn push_op(&mut self, op: XnnOp) {
        self.push(XnnNode::new(op));
    }

    /// The shape of a tensor.
    pub(super) fn dims(&self, tensor: Tensor) -> &[Dim] {
        &self.dims[tensor.index()]
    }

    /// The datatype of a tensor's elements.
    pub(super) fn datatype(&self, tensor: Tensor) -> Datatype {
        self.payload.values[tensor.index()].datatype
    }

    /// The type of a tensor's elements.
    pub(super) fn elements(&self, tensor: Tensor) -> Elements {
        let value = &self.payload.values[tensor.index()];
        Elements {
            datatype: value.datatype,
            quant: value.quant.clone(),
        }
    }

    pub(super) fn bounds(&self, dims: &[Dim]) -> Vec<u32> {
        dims.iter().map(|d| largest(self.graph, d)).collect()
    }

    /// A new tensor inside the delegate.
    pub(super) fn add(&mut self, elements: impl Into<Elements>, dims: Vec<Dim>) -> Tensor {
        let bounds = self.bounds(&dims);
        self.add_value(elements.into().internal(bounds), dims)
    }

    fn add_value(&mut self, value: XnnValue, dims: Vec<Dim>) -> Tensor {
        self.dims.push(dims);
        self.payload.add_value(value)
    }

    fn add_external(&mut self, elements: Elements, dims: Vec<Dim>, input: bool) -> Tensor {
        let external = External {
            position: self.payload.num_externs,
            input,
            output: !input,
        };
        self.payload.num_externs += 1;
        let tensor = self.add(elements, dims);
        self.payload.values[tensor.index()].external = Some(external);
        tensor
    }

    fn constant_value(&mut self, value: ValueId, order: &Order) -> Result<Tensor, Problem> {
        let data = constant_of(self.graph, value).ok_or("a constant that cannot be moved")?;
        let to = order.to_memory(&self.graph.ty(value).shape, ROWS);
        let data = data
            .moved(&to)
            .ok_or("a constant of other sizes than its type's")?;
        let ty = self.graph.ty(value);
        match self.held == Held::Single && ty.dtype.is_half() {
            true => self.constant(&weights::cast(&data, DType::F32)),
            false => self.constant_of(&data, Elements::of(ty)?),
        }
    }

    /// The type of a value's elements, as the node at hand holds them.
    fn elements_of(&self, ty: &TensorType) -> Elements {
        match self.held == Held::Single && ty.dtype.is_half() {
            true => Datatype::Fp32.into(),
            false => Elements::of_any(ty),
        }
    }

    /// The halves that the node at hand reads of a value: they take half the bytes to move.
    fn rounded(&self, value: ValueId) -> Option<Datatype> {
        let ty = self.graph.ty(value);
        let is_stored = self.held == Held::Stored && ty.dtype.is_half();
        is_stored.then(|| Elements::of_any(ty).datatype)
    }

    /// The tensor of a value as the node at hand holds it.
    fn as_held(&mut self, value: ValueId, tensor: Tensor) -> Tensor {
        let ty = self.graph.ty(value);
        if !ty.dtype.is_half() {
            return tensor;
        }
        let to = self.elements_of(ty).datatype;
        self.converted(tensor, to)
    }

    /// The tensor in other floats, or the reals of quantised integers.
    pub(super) fn converted(&mut self, input: Tensor, to: Datatype) -> Tensor {
        let from = self.datatype(input);
        if from == to {
            return input;
        }
        if let Some(&known) = self.converted.get(&(input, to)) {
            return known;
        }
        let output = self.add(to, self.dims(input).to_vec());
        let (op, flags) = (UnaryOp::Convert, 0);
        self.push_op(XnnOp::Unary {
            op,
            input,
            output,
            flags,
        });
        self.converted.insert((input, to), output);
        // Every half is a number of f32.
        if to == Datatype::Fp32 && from.is_float() {
            self.converted.insert((output, from), input);
        }
        output
    }

    /// A constant tensor.
    pub(super) fn constant(&mut self, data: &TensorData) -> Result<Tensor, Problem> {
        let datatype = Elements::plain(data.dtype())?;
        self.constant_of(data, datatype)
    }

    /// A constant tensor of elements that stand for reals.
    pub(super) fn constant_of(
        &mut self,
        data: &TensorData,
        elements: Elements,
    ) -> Result<Tensor, Problem> {
        self.packed(data, elements, data.sizes())
    }

    /// A constant tensor of these sizes, several elements of which may lie in one element of `data`.
    pub(super) fn packed(
        &mut self,
        data: &TensorData,
        elements: Elements,
        sizes: &[usize],
    ) -> Result<Tensor, Problem> {
        let dims = sizes.iter().map(|&n| Dim::constant(n as i64)).collect();
        let sizes: Result<Vec<u32>, _> = sizes.iter().map(|&n| u32::try_from(n)).collect();
        let sizes = sizes.map_err(|_| "a constant of 2^32 elements")?;
        let key = weights::key(data.content());
        let known = self
            .constants
            .entry((key.clone(), sizes.clone()))
            .or_default();
        if let Some((_, tensor)) = known.iter().find(|(own, _)| *own == elements) {
            return Ok(*tensor);
        }
        let index = self.name(&key, data.content());
        let tensor = self.add_value(
            XnnValue {
                constant: Some(index),
                ..elements.clone().internal(sizes.clone())
            },
            dims,
        );
        let known = self.constants.entry((key, sizes)).or_default();
        known.push((elements, tensor));
        Ok(tensor)
    }

    /// Data that the payload reads beside its tensors.
    pub(super) fn data(&mut self, data: &TensorData) -> ConstantIndex {
        self.name(&weights::key(data.content()), data.content())
    }

    /// Scales that the payload itself holds, once for all tensors that have them. The runtime drops a payload when it has packed the weights
    /// of layers, so no other scales may lie there.
    pub(super) fn scales(&mut self, scales: &[f32]) -> Scales {
        let bytes: Bytes = scales.iter().flat_map(|s| s.to_le_bytes()).collect();
        let payload = &mut self.payload;
        let entry = self.inline.entry(bytes);
        let add = |bytes: &Bytes| payload.add_constant(ConstantData::Inline(bytes.clone()));
        Scales::Constant {
            data: *entry.or_insert_with_key(add),
            count: scales.len() as u32,
        }
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
        let output = self.add(self.elements(input), to.to_vec());
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

    pub(super) fn transpose(&mut self, input: Tensor, permutation: &[usize]) -> Tensor {
        let bits = self.datatype(input).bits();
        match Interleaving::of(self.dims(input), permutation).filter(|_| bits == 8) {
            Some(found) => self.interleave(input, permutation, found),
            None => self.transpose_at_once(input, permutation),
        }
    }

    pub(super) fn transpose_at_once(&mut self, input: Tensor, permutation: &[usize]) -> Tensor {
        let dims = permuted(self.dims(input), permutation);
        let output = self.add(self.elements(input), dims);
        let perm = permutation.iter().map(|&p| p as u32).collect();
        self.push_op(XnnOp::Transpose {
            perm,
            input,
            output,
            flags: 0,
        });
        output
    }

    /// Two transposes of a whole matrix each.
    fn interleave(&mut self, input: Tensor, permutation: &[usize], of: Interleaving) -> Tensor {
        let result = permuted(self.dims(input), permutation);
        let [a, b, c] = of.dims.map(Dim::constant);
        let mut tensor = input;
        let steps = match of.dims[1] <= of.dims[2] {
            true => [
                (vec![&a * &b, c.clone()], vec![1, 0]),
                (vec![c, a, b], vec![1, 0, 2]),
            ],
            false => [
                (vec![a.clone(), b.clone(), c.clone()], vec![1, 0, 2]),
                (vec![b, &a * &c], vec![1, 0]),
            ],
        };
        for (dims, permutation) in steps {
            let form = self.reshape(tensor, &dims);
            tensor = self.transpose_at_once(form, &permutation);
        }
        self.reshape(tensor, &result)
    }
}

fn permuted(dims: &[Dim], permutation: &[usize]) -> Vec<Dim> {
    permutation.iter().map(|&p| dims[p].clone()).collect()
}

/// A transpose of many small matrices of bytes, as a shuffle of channels is: dims `[a, b, c]` to `[a, c, b]`. The library takes ten times as
/// long for them as for one large matrix (measured).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interleaving {
    dims: [i64; 3],
}

impl Interleaving {
    /// The size of a matrix up to which it is small, and the number of matrices that are many.
    const SMALL: i64 = 16;

    fn of(dims: &[Dim], permutation: &[usize]) -> Option<Interleaving> {
        let sizes: Vec<i64> = dims.iter().map(Dim::as_const).collect::<Option<_>>()?;
        let mut runs: Vec<Vec<usize>> = Vec::new();
        let mut moved = permutation.iter().copied().filter(|&p| sizes[p] != 1);
        let mut previous = moved.next()?;
        runs.push(vec![previous]);
        for p in moved {
            // Dims of size 1 lie between none.
            let is_next = previous < p && sizes[previous + 1..p].iter().all(|&n| n == 1);
            match runs.last_mut() {
                Some(run) if is_next => run.push(p),
                _ => runs.push(vec![p]),
            }
            previous = p;
        }
        let size = |run: &Vec<usize>| run.iter().map(|&p| sizes[p]).product::<i64>();
        let [outer, right, left] = runs.as_slice() else {
            return None;
        };
        let dims = [size(outer), size(left), size(right)];
        let is_interleaving = outer[0] < left[0] && left[0] < right[0];
        let is_small = dims[1].min(dims[2]) <= Self::SMALL && dims[0] > Self::SMALL;
        (is_interleaving && is_small).then_some(Interleaving { dims })
    }
}

/// The value of which movements gave this one.
fn origin(graph: &Graph, value: ValueId) -> ValueId {
    let mut value = value;
    while let Some(node) = graph.producer(value).map(|id| graph.node(id))
        && let Op::Move(_) = node.op
    {
        value = node.operands[0];
    }
    value
}

fn memory_dims(ty: &TensorType, order: &Order) -> Vec<Dim> {
    order.dims(&ty.shape, ROWS)
}
