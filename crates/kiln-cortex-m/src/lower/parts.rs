//! The buffers and calls of a program that is being built.
//!
//! A tensor is a part of a buffer with sizes. A reshape is another tensor of the same part, so it is free.

use super::Lowered;
use super::strided::Walk;
use crate::dialect::{
    Buffer, BufferId, Build, Call, Copy, Dims, Dtype, Function, Parameters, Permutation, Program,
    Role, Transpose, TransposeParams, View,
};
use crate::executorch::check_kernel;
use crate::linked::{Linked, Machine};
use crate::orders::ROWS;
use crate::verify::faults_of;
use bytes::Bytes;
use kiln_ir::{DType, Dim, Graph, NodeId, TensorData, ValueId};
use kiln_transforms::analysis::constants::constant_of;
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::movers::Mover;
use kiln_transforms::layout::{Order, Tensors};
use rustc_hash::FxHashMap;

/// A tensor of the program under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TensorId(u32);

/// A part of a buffer, with sizes in the order of memory.
pub(super) struct Tensor {
    pub(super) buffer: BufferId,
    /// The first element of the part.
    pub(super) first: usize,
    sizes: Vec<usize>,
    dims: Vec<Dim>,
}

/// Where a call comes from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Origin {
    /// The node of which it computes a part; `None` for calls of the border.
    pub(crate) node: Option<NodeId>,
    /// The scale by which the call quantises, if it does.
    pub(crate) scale: Option<f64>,
}

/// Emits buffers and calls. It does not know which value of the graph a tensor holds.
pub(crate) struct Parts<'a> {
    graph: &'a Graph,
    machine: Machine,
    pub(super) program: Program,
    /// One for each call.
    pub(super) origins: Vec<Origin>,
    pub(super) node: Option<NodeId>,
    pub(super) tensors: Vec<Tensor>,
    constants: FxHashMap<(blake3::Hash, Dtype, usize), BufferId>,
    names: FxHashMap<String, u32>,
    pub(super) layer: String,
    pub(super) source: String,
    outputs: Vec<BufferId>,
    /// The first call that may still change: calls in front of it belong to finished blocks.
    pub(super) first: usize,
}

/// The type of a buffer for a core type.
///
/// # Errors
/// If kernels take no such type.
pub(crate) fn dtype_of(dtype: DType) -> Result<Dtype, Reason> {
    Ok(match dtype {
        DType::I8 => Dtype::I8,
        DType::U8 | DType::Bool => Dtype::U8,
        DType::I16 => Dtype::I16,
        DType::I32 => Dtype::I32,
        DType::I64 => Dtype::I64,
        DType::F32 => Dtype::F32,
        DType::F16 => Dtype::F16,
        DType::BF16 => Dtype::Bf16,
        other => {
            let reason = Reason::new("no kernel of C projects takes the type", other.name());
            return Err(reason.advise("export the model in float32"));
        }
    })
}

/// A size as the library's structs have it.
///
/// # Errors
/// If it does not fit 32 bits.
pub(crate) fn int(size: usize) -> Result<i32, Reason> {
    i32::try_from(size).map_err(|_| Reason::new("sizes fit 32 bits", size.to_string()))
}

/// Sizes as the library's dims.
///
/// # Errors
/// If one does not fit 32 bits.
pub(crate) fn dims(sizes: [usize; 4]) -> Result<Dims, Reason> {
    let [n, h, w, c] = sizes;
    Ok([int(n)?, int(h)?, int(w)?, int(c)?].into())
}

impl<'a> Parts<'a> {
    pub(crate) fn new(graph: &'a Graph, machine: Machine) -> Parts<'a> {
        Parts {
            graph,
            machine,
            program: Program::default(),
            origins: Vec::new(),
            node: None,
            tensors: Vec::new(),
            constants: FxHashMap::default(),
            names: FxHashMap::default(),
            layer: String::new(),
            source: String::new(),
            outputs: Vec::new(),
            first: 0,
        }
    }

    /// The build that the program is for.
    pub(crate) fn build(&self) -> Build {
        self.machine.build
    }

    /// The functions that the program is linked with.
    pub(crate) fn linked(&self) -> Linked {
        self.machine.linked
    }

    /// Sets the node of which the next calls compute a part.
    pub(crate) fn at(&mut self, node: Option<NodeId>) {
        self.node = node;
    }

    /// Sets the layer of which the next calls compute a part, and the user's line that it comes from.
    pub(crate) fn locate(&mut self, layer: String, source: String) {
        (self.layer, self.source) = (layer, source);
    }

    /// The sizes of a tensor, in the order of memory.
    pub(crate) fn sizes(&self, tensor: TensorId) -> &[usize] {
        &self.tensor(tensor).sizes
    }

    /// The number of elements of a tensor.
    pub(crate) fn elements(&self, tensor: TensorId) -> usize {
        self.sizes(tensor).iter().product()
    }

    /// The type of a tensor's elements.
    pub(crate) fn dtype(&self, tensor: TensorId) -> Dtype {
        self.program.buffers[self.tensor(tensor).buffer.index()].dtype
    }

    pub(super) fn tensor(&self, tensor: TensorId) -> &Tensor {
        &self.tensors[tensor.0 as usize]
    }

    pub(super) fn of_buffer(
        &mut self,
        buffer: BufferId,
        first: usize,
        sizes: &[usize],
    ) -> TensorId {
        let dims = sizes.iter().map(|&n| Dim::constant(n as i64)).collect();
        self.tensors.push(Tensor {
            buffer,
            first,
            sizes: sizes.to_vec(),
            dims,
        });
        TensorId(self.tensors.len() as u32 - 1)
    }

    /// A name like this one that no buffer has yet.
    fn unique(&mut self, name: &str) -> String {
        let name = if name.is_empty() { "buffer" } else { name };
        let mut candidate = name.to_owned();
        loop {
            let count = self.names.entry(candidate.clone()).or_insert(0);
            *count += 1;
            if *count == 1 {
                return candidate;
            }
            // A dot is in no node's name: `conv2d.2` is no buffer of the node `conv2d_2`.
            candidate = format!("{name}.{count}");
        }
    }

    fn add(&mut self, name: &str, dtype: Dtype, sizes: &[usize], role: Role) -> TensorId {
        let name = self.unique(name);
        let buffer = Buffer::new(name, dtype, sizes.iter().product(), role);
        let buffer = self.program.add(buffer);
        self.of_buffer(buffer, 0, sizes)
    }

    /// An input or a state, by its role.
    pub(crate) fn input(
        &mut self,
        name: &str,
        dtype: Dtype,
        sizes: &[usize],
        role: Role,
    ) -> TensorId {
        self.add(name, dtype, sizes, role)
    }

    /// A tensor that calls will write.
    pub(crate) fn temporary(&mut self, dtype: Dtype, sizes: &[usize]) -> TensorId {
        let name = self.layer.clone();
        self.add(&name, dtype, sizes, Role::Temporary)
    }

    /// A constant of the current layer. Constants of the same elements are one buffer; an odd count of 4 bits ends in half a byte.
    pub(crate) fn constant(
        &mut self,
        what: &str,
        dtype: Dtype,
        sizes: &[usize],
        bytes: impl Into<Bytes>,
    ) -> TensorId {
        let bytes = bytes.into();
        let key = (blake3::hash(&bytes), dtype, sizes.iter().product());
        if let Some(&known) = self.constants.get(&key) {
            return self.of_buffer(known, 0, sizes);
        }
        let name = match self.layer.is_empty() {
            true => what.to_owned(),
            false => format!("{}_{what}", self.layer),
        };
        let tensor = self.add(&name, dtype, sizes, Role::Constant(bytes));
        let buffer = self.tensor(tensor).buffer;
        self.constants.insert(key, buffer);
        tensor
    }

    /// A constant of 32-bit integers.
    pub(crate) fn words(&mut self, what: &str, values: &[i32]) -> TensorId {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.constant(what, Dtype::I32, &[values.len()], bytes)
    }

    /// A constant of 64-bit integers.
    pub(crate) fn long_words(&mut self, what: &str, values: &[i64]) -> TensorId {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.constant(what, Dtype::I64, &[values.len()], bytes)
    }

    /// The tensor with other sizes, of as many elements.
    pub(crate) fn view(&mut self, tensor: TensorId, sizes: &[usize]) -> TensorId {
        match self.sizes(tensor) == sizes {
            true => tensor,
            false => {
                let Tensor { buffer, first, .. } = *self.tensor(tensor);
                self.of_buffer(buffer, first, sizes)
            }
        }
    }

    /// The part of a tensor that begins with the element `from` and has these sizes.
    pub(crate) fn part(&mut self, tensor: TensorId, from: usize, sizes: &[usize]) -> TensorId {
        let Tensor { buffer, first, .. } = *self.tensor(tensor);
        self.of_buffer(buffer, first + from, sizes)
    }

    /// Whether the tensor is a constant.
    pub(crate) fn is_constant(&self, tensor: TensorId) -> bool {
        let buffer = self.tensor(tensor).buffer;
        self.program.buffers[buffer.index()].constant().is_some()
    }

    /// Whether the tensor is the whole of its buffer.
    pub(super) fn is_whole(&self, tensor: TensorId) -> bool {
        let buffer = self.tensor(tensor).buffer;
        self.elements(tensor) == self.program.buffers[buffer.index()].elements
    }

    fn made(
        &self,
        function: Function,
        parameters: &Parameters,
        slots: &[Option<TensorId>],
    ) -> Call {
        let buffers = slots.iter().map(|slot| slot.map(|t| self.tensor(t).buffer));
        let view = |slot: &Option<TensorId>| {
            let tensor = slot.filter(|&t| !self.is_whole(t))?;
            let (first, elements) = (self.tensor(tensor).first, self.elements(tensor));
            Some(View { first, elements })
        };
        let views: Vec<Option<View>> = slots.iter().map(view).collect();
        Call {
            function,
            parameters: parameters.clone(),
            buffers: buffers.collect(),
            views: match views.iter().all(Option::is_none) {
                true => Vec::new(),
                false => views,
            },
            node: self.node,
            layer: self.layer.clone(),
            source: self.source.clone(),
        }
    }

    /// Adds a call.
    ///
    /// # Errors
    /// If the function does not take the parameters or the buffers on this build.
    pub(crate) fn call(
        &mut self,
        function: Function,
        parameters: impl Into<Parameters>,
        slots: &[Option<TensorId>],
    ) -> Result<(), Reason> {
        self.call_of(function, parameters, slots, None)
    }

    /// Adds a call that quantises by this scale. The function itself is given the reciprocal.
    ///
    /// # Errors
    /// As of [`Parts::call`].
    pub(crate) fn call_of(
        &mut self,
        function: Function,
        parameters: impl Into<Parameters>,
        slots: &[Option<TensorId>],
        scale: Option<f64>,
    ) -> Result<(), Reason> {
        let call = self.made(function, &parameters.into(), slots);
        let origin = Origin {
            node: self.node,
            scale,
        };
        self.check(&call, &origin)?;
        self.program.calls.push(call);
        self.origins.push(origin);
        Ok(())
    }

    /// Checks that the function takes the parameters and the buffers, and that the program is linked with it.
    fn check(&self, call: &Call, origin: &Origin) -> Result<(), Reason> {
        let faults = faults_of(&self.program, call, self.machine.build);
        if let Some(fault) = faults.first() {
            let rule = format!("{} takes the operands", call.function.name());
            return Err(Reason::new(rule, fault));
        }
        match self.machine.linked {
            Linked::Project => Ok(()),
            Linked::Runtime => check_kernel(&self.program, call, origin, self.machine.build),
        }
    }

    /// Puts another call in place of the last one that wrote a tensor's buffer, if the library takes that call. Returns whether
    /// it did.
    pub(crate) fn replace_maker(&mut self, tensor: TensorId, by: Call) -> bool {
        let Some(place) = self.maker_place(tensor) else {
            return false;
        };
        let is_made = self.check(&by, &self.origins[place]).is_ok();
        if is_made {
            self.program.calls[place] = by;
        }
        is_made
    }

    /// Adds a call of the first function that takes the parameters and the buffers.
    ///
    /// # Errors
    /// If none does: why the last one does not.
    pub(crate) fn call_first(
        &mut self,
        candidates: Vec<(Function, Parameters)>,
        slots: &[Option<TensorId>],
    ) -> Result<(), Reason> {
        let mut refused = Err(Reason::new("a function computes it", "none"));
        for (function, parameters) in candidates {
            refused = self.call(function, parameters, slots);
            if refused.is_ok() {
                return Ok(());
            }
        }
        refused
    }

    /// The call that wrote a tensor's buffer, if no other call wrote it, none has read it, and the call is a part of that node.
    pub(crate) fn maker_of(&self, tensor: TensorId, node: NodeId) -> Option<&Call> {
        let place = self.maker_place(tensor)?;
        (self.origins[place].node == Some(node)).then(|| &self.program.calls[place])
    }

    fn maker_place(&self, tensor: TensorId) -> Option<usize> {
        let buffer = self.tensor(tensor).buffer;
        if !self.is_whole(tensor) {
            return None;
        }
        let uses = |call: &Call| call.buffers.contains(&Some(buffer));
        let mut using = (0..self.program.calls.len()).rev();
        let last = using.find(|&i| uses(&self.program.calls[i]))?;
        let is_only = !self.program.calls[..last].iter().any(uses);
        (is_only && last >= self.first).then_some(last)
    }

    /// Copies the elements that a walk visits from one tensor to another.
    ///
    /// # Errors
    /// If the elements lie along more axes than the kernel has.
    pub(crate) fn copy(&mut self, from: TensorId, to: TensorId, walk: &Walk) -> Result<(), Reason> {
        let element_size = self.dtype(from).bytes(1) as i32;
        let copy = Copy {
            strides: walk.strides()?,
            element_size,
            input_first: walk.firsts()?[0],
            output_first: walk.firsts()?[1],
        };
        self.call(Function::KilnCopy, copy, &[Some(from), Some(to)])
    }

    /// The tensor with its axes permuted. It takes several copies if there are more axes than the kernels have.
    ///
    /// # Errors
    /// If no function that the program is linked with copies so.
    pub(crate) fn transpose(
        &mut self,
        tensor: TensorId,
        axes: &[usize],
    ) -> Result<TensorId, Reason> {
        let from = self.sizes(tensor).to_vec();
        let sizes: Vec<usize> = axes.iter().map(|&axis| from[axis]).collect();
        let moving = |axis: &&usize| from[**axis] > 1;
        if axes.iter().filter(moving).is_sorted() {
            return Ok(self.view(tensor, &sizes));
        }
        let walk = Walk::permuted(&from, axes);
        if !walk.fits() {
            let (joint, order) = super::strided::joined(&from, axes);
            let [first, second] = super::strided::in_two(&order);
            let made = self.view(tensor, &joint);
            let made = self.transpose(made, &first)?;
            let made = self.transpose(made, &second)?;
            return Ok(self.view(made, &sizes));
        }
        let to = self.temporary(self.dtype(tensor), &sizes);
        if self.dtype(tensor) == Dtype::I8 && self.transpose_s8(tensor, to, &from, axes).is_ok() {
            return Ok(to);
        }
        self.copy(tensor, to, &walk)?;
        Ok(to)
    }

    /// The transpose by the library's function, which has four axes at most. Neighbouring axes that stay neighbours count as one.
    fn transpose_s8(
        &mut self,
        tensor: TensorId,
        to: TensorId,
        from: &[usize],
        axes: &[usize],
    ) -> Result<(), Reason> {
        let (sizes, order) = super::strided::joined(from, axes);
        if sizes.len() > 4 {
            let found = format!("{} axes", sizes.len());
            return Err(Reason::new("a transpose has 4 axes at most", found));
        }
        let dims_of = |sizes: &[usize]| {
            let mut all = [1; 4];
            all[..sizes.len()].copy_from_slice(sizes);
            dims(all)
        };
        let result: Vec<usize> = order.iter().map(|&axis| sizes[axis]).collect();
        let transpose = Transpose {
            input_dims: dims_of(&sizes)?,
            output_dims: dims_of(&result)?,
            transpose_params: TransposeParams {
                num_dims: order.len() as i32,
                permutations: Permutation(order.iter().map(|&axis| axis as i32).collect()),
            },
        };
        self.call(Function::TransposeS8, transpose, &[Some(tensor), Some(to)])
    }

    /// Makes the tensor's buffer the next output. An input, a constant and a buffer that is an output already are copied first.
    ///
    /// # Errors
    /// If it cannot be copied.
    pub(crate) fn output(&mut self, tensor: TensorId, name: &str) -> Result<(), Reason> {
        let mut buffer = self.tensor(tensor).buffer;
        let role = &self.program.buffers[buffer.index()].role;
        if !matches!(role, Role::Temporary) || !self.is_whole(tensor) {
            let sizes = [self.elements(tensor)];
            let to = self.temporary(self.dtype(tensor), &sizes);
            self.copy(tensor, to, &Walk::dense(&sizes))?;
            buffer = self.tensor(to).buffer;
        }
        let name = self.unique(name);
        let found = &mut self.program.buffers[buffer.index()];
        (found.name, found.role) = (name, Role::Output);
        self.outputs.push(buffer);
        Ok(())
    }

    /// The finished program. Inputs and outputs come first, in their order. Other buffers that nothing uses are left out.
    pub(crate) fn finish(self) -> Lowered {
        let Program {
            buffers,
            calls,
            mut flows,
        } = self.program;
        let mut is_used = vec![false; buffers.len()];
        for id in calls.iter().flat_map(|call| call.buffers.iter().flatten()) {
            is_used[id.index()] = true;
        }
        for flow in &flows {
            is_used[flow.condition().index()] = true;
        }
        let ids = || (0u32..).map(BufferId).zip(&buffers);
        let inputs = ids().filter(|(_, b)| b.role.is_input());
        let others = ids()
            .filter(|(id, b)| !b.role.is_input() && b.role != Role::Output && is_used[id.index()]);
        let order: Vec<BufferId> = inputs
            .map(|(id, _)| id)
            .chain(self.outputs.iter().copied())
            .chain(others.map(|(id, _)| id))
            .collect();
        let mut place = vec![BufferId(0); buffers.len()];
        for (i, id) in order.iter().enumerate() {
            place[id.index()] = BufferId(i as u32);
        }
        let moved = |mut call: Call| {
            for id in call.buffers.iter_mut().flatten() {
                *id = place[id.index()];
            }
            call
        };
        for flow in &mut flows {
            let condition = flow.condition_mut();
            *condition = place[condition.index()];
        }
        Lowered {
            program: Program {
                buffers: order.iter().map(|id| buffers[id.index()].clone()).collect(),
                calls: calls.into_iter().map(moved).collect(),
                flows,
            },
            origins: self.origins,
        }
    }
}

impl Tensors for Parts<'_> {
    type Tensor = TensorId;

    fn dims(&self, tensor: TensorId) -> &[Dim] {
        &self.tensor(tensor).dims
    }

    fn apply(&mut self, tensor: TensorId, mover: &Mover) -> Result<TensorId, String> {
        match mover {
            Mover::Reshape(to) => {
                let to: Option<Vec<usize>> = to
                    .iter()
                    .map(|d| usize::try_from(d.as_const()?).ok())
                    .collect();
                let to = to.ok_or("a size that is known only when running")?;
                Ok(self.view(tensor, &to))
            }
            Mover::Transpose(axes) => self.transpose(tensor, axes).map_err(|r| r.to_string()),
            Mover::Raise(_) | Mover::Deal { .. } | Mover::Drop => {
                Err("sizes are known, so reshapes do".into())
            }
        }
    }

    fn constant(&mut self, value: ValueId, order: &Order) -> Result<TensorId, String> {
        let data = constant_of(self.graph, value).ok_or("a constant that cannot be moved")?;
        let to = order.to_memory(&self.graph.ty(value).shape, ROWS);
        let data = data
            .moved(&to)
            .ok_or("a constant of other sizes than its type's")?;
        self.data("constant", &data).map_err(|r| r.to_string())
    }
}

impl Parts<'_> {
    /// A constant of these elements.
    ///
    /// # Errors
    /// If kernels take no such type.
    pub(crate) fn data(&mut self, what: &str, data: &TensorData) -> Result<TensorId, Reason> {
        let dtype = dtype_of(data.dtype())?;
        Ok(Parts::constant(
            self,
            what,
            dtype,
            data.sizes(),
            data.bytes().clone(),
        ))
    }
}
