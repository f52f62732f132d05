//! The context of instruction selection: the tensors to which values are bound, and methods that make more.

use crate::arena::Named;
use crate::bounds::Bounds;
use crate::draft::{Draft, TensorSpec, contiguous};
use crate::memory::{BufferId, InPlace};
use crate::region::{Region, Reordered};
use indexmap::IndexMap;
use kiln_ir::{BlockId, DType, Dim, Graph, Id, NodeId, Scalar, TensorData, ValueId};
use kiln_pte::{Dynamism, TensorStorage, ValueIndex};
use kiln_transforms::framework::pass::names;
use kiln_transforms::framework::target::Reason;

use super::empty;
use super::sizes::Known;

/// The binding of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    /// A tensor in memory.
    Tensor(ValueIndex),
    /// A repetition of another value. It is written to memory only for readers that do not broadcast.
    Repeated(ValueId),
}

/// A scope: what is known in a block and its nested blocks.
#[derive(Default)]
pub(crate) struct Scope {
    pub sizes: IndexMap<Dim, Known>,
    ordered: IndexMap<(ValueIndex, Vec<u8>), ValueIndex>,
    repeated: IndexMap<ValueId, ValueIndex>,
    /// Index tensors whose negative indices were replaced, by index tensor and axis size.
    pub counted: IndexMap<(ValueId, Dim), ValueIndex>,
}

/// The block that is lowered.
pub(crate) struct Frame {
    pub block: BlockId,
    /// The current task, see [`crate::order`].
    pub place: usize,
}

/// True if the block's end reads the value.
pub(crate) const AT_END: usize = usize::MAX;

pub(crate) struct Lower<'g, 'p> {
    pub graph: &'g Graph,
    pub draft: Draft<'p>,
    pub bounds: Bounds,
    pub frames: Vec<Frame>,
    pub scopes: Vec<Scope>,
    pub solved: Vec<Option<super::sizes::Solved>>,
    /// The last task that reads the memory of a value, by the index of its [`crate::order::origin`].
    pub last_read: Vec<Option<usize>>,
    /// The tensor into which a value must be written, by value index.
    pub destinations: Vec<Option<ValueIndex>>,
    /// The place of a join and of its parts, where the parts are written in place.
    pub joins: IndexMap<ValueId, ValueIndex>,
    pub regions: &'g [Region],
    /// The region of each node, by node index.
    pub in_region: &'g [Option<usize>],
    /// The tensor of each state cell, by cell index.
    pub cells: Vec<ValueIndex>,
    /// The shapes of tensors whose sizes are known only at run time.
    shapes: IndexMap<ValueIndex, Vec<Dim>>,
    bound: Vec<Option<Bound>>,
    owners: IndexMap<BufferId, BlockId>,
}

impl<'g, 'p> Lower<'g, 'p> {
    pub fn new(
        graph: &'g Graph,
        regions: &'g [Region],
        in_region: &'g [Option<usize>],
        draft: Draft<'p>,
        bounds: Bounds,
    ) -> Lower<'g, 'p> {
        let values = graph.value_bound();
        Lower {
            graph,
            draft,
            bounds,
            frames: Vec::new(),
            scopes: vec![Scope::default()],
            solved: Vec::new(),
            last_read: vec![None; values],
            destinations: vec![None; values],
            joins: IndexMap::new(),
            regions,
            in_region,
            cells: Vec::new(),
            shapes: IndexMap::new(),
            bound: vec![None; values],
            owners: IndexMap::new(),
        }
    }

    /// The names and types of bound tensors, in order of values. A view follows what it is a view of.
    pub fn named(&self) -> Vec<Named> {
        let graph = self.graph;
        let values = graph.blocks().flat_map(|(id, block)| {
            let results = graph.nodes_in(id).flat_map(|(_, node)| &node.results);
            block.params.iter().chain(results)
        });
        let named = values.filter_map(|&value| {
            let Some(Bound::Tensor(tensor)) = self.bound[value.index()] else {
                return None;
            };
            let made = || Some(names(graph, graph.producer(value)?).join(", "));
            let name = graph.value(value).name.as_deref().map(str::to_owned);
            Some(Named {
                tensor,
                name: name.or_else(made).filter(|name| !name.is_empty())?,
                text: graph.type_text(value),
            })
        });
        named.collect()
    }

    pub fn bind(&mut self, value: ValueId, bound: Bound) {
        self.bound[value.index()] = Some(bound);
    }

    pub fn bind_tensor(&mut self, value: ValueId, tensor: ValueIndex) {
        self.bind(value, Bound::Tensor(tensor));
        self.note_shape(tensor, &self.graph.ty(value).shape);
    }

    fn note_shape(&mut self, tensor: ValueIndex, shape: &[Dim]) {
        if shape.iter().any(|d| d.as_const().is_none()) {
            self.shapes.entry(tensor).or_insert_with(|| shape.to_vec());
        }
    }

    /// The binding of a value. A constant is bound at its first read, so that a constant which only delegates read is
    /// not in the program twice.
    pub fn bound(&mut self, value: ValueId) -> Result<Bound, Reason> {
        if let Some(bound) = self.peek(value) {
            return Ok(bound);
        }
        let data = self.graph.as_constant(value).map(|c| c.data.clone());
        let data = data.ok_or_else(|| {
            Reason::new(
                "a value is made before it is read",
                format!("{value}, which is not (a bug in Kiln)"),
            )
        })?;
        let tensor = self.literal(data);
        self.bind_tensor(value, tensor);
        Ok(Bound::Tensor(tensor))
    }

    /// The present binding of a value, if it has one.
    pub fn peek(&self, value: ValueId) -> Option<Bound> {
        self.bound[value.index()]
    }

    pub fn scope(&mut self) -> &mut Scope {
        self.scopes
            .last_mut()
            .expect("the root's scope is never closed")
    }

    /// A type with its greatest sizes.
    pub fn spec(&self, dtype: DType, shape: &[Dim], order: Vec<u8>) -> Result<TensorSpec, Reason> {
        let mut sizes = Vec::with_capacity(shape.len());
        let advice =
            |dims: &[Dim]| crate::bounds::advice(dims.iter().any(|d| d.as_const().is_none()));
        for dim in shape {
            sizes.push(self.bounds.max(dim).ok_or_else(|| {
                let symbols = self.bounds.symbols();
                Reason::new(
                    "a size is below 2^31 at its largest",
                    kiln_ir::dim::DimNames(dim, symbols).to_string(),
                )
                .advise(advice(std::slice::from_ref(dim)))
            })?);
        }
        let bytes = sizes
            .iter()
            .try_fold(dtype.size() as u64, |n, &s| n.checked_mul(u64::from(s)))
            .filter(|&n| n <= i64::MAX as u64);
        if bytes.is_none() {
            let found = format!("{dtype}{sizes:?}");
            let reason = Reason::new("a tensor has less than 2^63 bytes", found);
            return Err(reason.advise(advice(shape)));
        }
        Ok(TensorSpec {
            dtype,
            sizes,
            dynamic: shape.iter().any(|d| d.as_const().is_none()),
            dim_order: order,
        })
    }

    /// The contiguous spec of a value's type.
    pub fn spec_of(&self, value: ValueId) -> Result<TensorSpec, Reason> {
        let ty = self.graph.ty(value);
        self.spec(ty.dtype, &ty.shape, contiguous(ty.rank()))
    }

    /// A new contiguous tensor of this block.
    pub fn temporary(&mut self, dtype: DType, shape: &[Dim]) -> Result<ValueIndex, Reason> {
        let spec = self.spec(dtype, shape, contiguous(shape.len()))?;
        let tensor = self.allocate(&spec);
        self.note_shape(tensor, shape);
        Ok(tensor)
    }

    /// A new tensor of this block.
    pub fn allocate(&mut self, spec: &TensorSpec) -> ValueIndex {
        let tensor = self.draft.tensor(spec);
        if let Some(frame) = self.frames.last() {
            let block = frame.block;
            self.own(tensor, block);
        }
        tensor
    }

    /// Notes that the tensor's memory belongs to this block.
    pub fn own(&mut self, tensor: ValueIndex, block: BlockId) {
        if let Some((buffer, _)) = self.draft.memory[tensor.index()] {
            self.owners.insert(buffer, block);
        }
    }

    /// Notes that other values share the tensor's memory, so that no task may change it.
    pub fn share(&mut self, tensor: ValueIndex) {
        if let Some((buffer, _)) = self.draft.memory[tensor.index()] {
            self.owners.shift_remove(&buffer);
        }
    }

    /// The spec of a tensor.
    pub fn spec_of_tensor(&self, tensor: ValueIndex) -> TensorSpec {
        let value = self.draft.tensor_value(tensor);
        let dtype = DType::ALL
            .into_iter()
            .find(|&d| crate::draft::scalar_type(d) == value.dtype)
            .expect("tensors are made with the graph's dtypes");
        TensorSpec {
            dtype,
            sizes: value.sizes.clone(),
            dynamic: value.dynamism == Dynamism::Bounded,
            dim_order: value.dim_order.clone(),
        }
    }

    /// The tensor for result `i` of the node. The value is bound to it from now on.
    pub fn result(&mut self, node: NodeId, i: usize) -> Result<ValueIndex, Reason> {
        let value = self.graph.node(node).results[i];
        let tensor = match self.destinations[value.index()] {
            Some(destination) => destination,
            None => {
                let spec = self.spec_of(value)?;
                let tensor = self.allocate(&spec);
                self.learn_sizes(value, tensor);
                tensor
            }
        };
        self.bind_tensor(value, tensor);
        Ok(tensor)
    }

    /// Result `i` of the node, which `write` writes under another shape with the same number of elements.
    pub fn result_as(
        &mut self,
        node: NodeId,
        i: usize,
        shape: &[Dim],
        write: impl FnOnce(&mut Self, ValueIndex) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        let value = self.graph.node(node).results[i];
        let ty = self.graph.ty(value).clone();
        let all_static = ty.shape.iter().chain(shape).all(|d| d.as_const().is_some());
        if all_static || ty.shape[..] == *shape {
            let out = self.result(node, i)?;
            let seen = self.view(out, &ty.shape, shape)?;
            return write(self, seen);
        }
        let written = self.temporary(ty.dtype, shape)?;
        write(self, written)?;
        let out = self.view(written, shape, &ty.shape)?;
        self.bind_tensor(value, out);
        Ok(())
    }

    /// The value as a contiguous tensor.
    pub fn tensor(&mut self, value: ValueId) -> Result<ValueIndex, Reason> {
        let rank = self.graph.ty(value).rank();
        self.tensor_in_order(value, &contiguous(rank))
    }

    /// The value as a tensor in this memory order.
    pub fn tensor_in_order(&mut self, value: ValueId, order: &[u8]) -> Result<ValueIndex, Reason> {
        let tensor = self.any_tensor(value)?;
        if self.draft.tensor_value(tensor).dim_order == order {
            return Ok(tensor);
        }
        let key = (tensor, order.to_vec());
        if let Some(&found) = self.scopes.iter().find_map(|s| s.ordered.get(&key)) {
            return Ok(found);
        }
        let ty = self.graph.ty(value);
        let spec = self.spec(ty.dtype, &ty.shape, order.to_vec())?;
        let out = self.allocate(&spec);
        self.reorder(tensor, out)?;
        self.scope().ordered.insert(key, out);
        Ok(out)
    }

    /// The value as a tensor in its present memory order.
    pub fn any_tensor(&mut self, value: ValueId) -> Result<ValueIndex, Reason> {
        let source = match self.bound(value)? {
            Bound::Tensor(tensor) => return Ok(tensor),
            Bound::Repeated(source) => source,
        };
        if let Some(&found) = self.scopes.iter().find_map(|s| s.repeated.get(&value)) {
            return Ok(found);
        }
        let spec = self.spec_of(value)?;
        let shape = self.graph.ty(value).shape.clone();
        if let Some(number) = self.repeated_number(value) {
            let out = self.allocate(&spec);
            empty::fill(self, out, &shape, number)?;
            self.scope().repeated.insert(value, out);
            return Ok(out);
        }
        let from = self.tensor(source)?;
        let out = self.allocate(&spec);
        let (size, implicit) = (self.sizes(&shape)?, self.draft.bool(false));
        self.draft
            .call("aten::expand_copy.out", &[from, size, implicit], &[out]);
        self.scope().repeated.insert(value, out);
        Ok(out)
    }

    /// The number whose repetition the value is, if `full` writes it: in a tenth of the time of `expand_copy`.
    pub fn repeated_number(&self, value: ValueId) -> Option<Scalar> {
        let Some(Bound::Repeated(source)) = self.peek(value) else {
            return None;
        };
        let is_written = matches!(self.graph.ty(value).dtype, DType::F32 | DType::I64);
        self.graph.as_number(source).filter(|_| is_written)
    }

    /// Copies a tensor to another memory order.
    fn reorder(&mut self, from: ValueIndex, to: ValueIndex) -> Result<(), Reason> {
        for tensor in [from, to] {
            let order = &self.draft.tensor_value(tensor).dim_order;
            if !is_convertible(order) {
                return Err(Reason::new(
                    "kernels convert between contiguous and channels-last tensors",
                    format!("memory order {order:?}"),
                ));
            }
        }
        let order: Vec<i64> = self
            .draft
            .tensor_value(to)
            .dim_order
            .iter()
            .map(|&d| i64::from(d))
            .collect();
        let (blocking, order) = (self.draft.bool(false), self.draft.ints(&order));
        self.count_reordered(to);
        self.draft.call(
            "dim_order_ops::_to_dim_order_copy.out",
            &[from, blocking, order],
            &[to],
        );
        Ok(())
    }

    /// Counts a tensor that is written only to reorder elements.
    pub fn count_reordered(&mut self, out: ValueIndex) {
        let bytes = self.draft.tensor_value(out).nbytes().unwrap_or(u64::MAX);
        let node = self.draft.at;
        self.draft.reordered.push(Reordered { node, bytes });
    }

    /// Copies a tensor to another one of its type.
    pub fn copy(&mut self, from: ValueIndex, to: ValueIndex) -> Result<(), Reason> {
        if self.draft.tensor_value(from).dim_order != self.draft.tensor_value(to).dim_order {
            return self.reorder(from, to);
        }
        let format = self.draft.none();
        self.draft.call("aten::clone.out", &[from, format], &[to]);
        Ok(())
    }

    /// A view of a tensor of shape `from` under another shape with the same number of elements.
    pub fn view(
        &mut self,
        of: ValueIndex,
        from: &[Dim],
        shape: &[Dim],
    ) -> Result<ValueIndex, Reason> {
        if from == shape {
            return Ok(of);
        }
        let source = self.spec_of_tensor(of);
        let storage = self.draft.tensor_value(of).storage;
        let spec = self.spec(source.dtype, shape, contiguous(shape.len()))?;
        let dynamic = source.dynamic || spec.dynamic;
        if !dynamic && source.sizes == spec.sizes {
            return Ok(of);
        }
        let planned = storage.slot().and(self.draft.memory[of.index()]);
        match (storage, planned) {
            (TensorStorage::Constant(data), _) if !dynamic => Ok(self.draft.constant(&spec, data)),
            (_, Some((buffer, offset))) if !dynamic => {
                Ok(self.draft.tensor_in(&spec, buffer, offset))
            }
            _ => {
                let size = self.sizes(shape)?;
                let out = self.draft.tensor_set_to(&spec, of);
                self.draft
                    .push_call("executorch_prim::et_view.default", vec![of, size, out]);
                Ok(out)
            }
        }
    }

    /// A constant that is not in the graph.
    pub fn literal(&mut self, data: TensorData) -> ValueIndex {
        let spec = TensorSpec::of_data(&data);
        let index = self.draft.program.constants.intern(data.content().clone());
        self.draft.constant(&spec, index)
    }

    /// Notes that the previous instruction may write `out` over `operand`, if their elements correspond.
    pub fn may_overwrite(&mut self, out: ValueIndex, operand: ValueIndex) {
        let same = {
            let (a, b) = (
                self.draft.tensor_value(out),
                self.draft.tensor_value(operand),
            );
            a.sizes == b.sizes && a.dtype.size() == b.dtype.size() && a.dynamism == b.dynamism
        } && self.shapes.get(&out) == self.shapes.get(&operand);
        if same {
            let instruction = self.draft.here() - 1;
            self.draft.in_place.push(InPlace {
                instruction,
                out,
                operand,
            });
        }
    }

    /// True if the current task may overwrite the tensor of a value: the memory belongs to this block, and no later
    /// task reads it.
    pub fn is_last_reader(&self, value: ValueId) -> bool {
        let (Some(Bound::Tensor(tensor)), Some(frame)) = (self.peek(value), self.frames.last())
        else {
            return false;
        };
        let Some((buffer, _)) = self.draft.memory[tensor.index()] else {
            return false;
        };
        let origin = crate::order::origin(self.graph, value);
        !self.draft.buffers[buffer.0].state
            && self.owners.get(&buffer) == Some(&frame.block)
            && self.last_read[origin.index()] <= Some(frame.place)
    }
}

/// The order of a tensor for kernels: contiguous, or channels-last with two or three spatial axes.
fn is_convertible(order: &[u8]) -> bool {
    order.is_sorted() || matches!(order, [0, 2, 3, 1] | [0, 2, 3, 4, 1])
}
