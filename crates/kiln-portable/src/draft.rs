//! A method under construction: its values and instructions. Tensors lie in buffers, which have no offsets yet.
//!
//! # Invariants
//!
//! - Scalars and lists made by [`Draft::int`] and its siblings are shared, so no instruction may write them.
//! - Every tensor that an instruction reads or writes and that is not a constant has a buffer. A dynamic view, whose
//!   pointer is set at run time, has its source's buffer. Live ranges follow from the instructions.

use crate::kernels::is_known;
use crate::memory::{Buffer, BufferId, InPlace};
use crate::region::Reordered;
use crate::report::is_primitive;
use indexmap::IndexMap;
use kiln_ir::{DType, NodeId, Scalar, TensorData};
use kiln_pte::{
    ArenaSlot, ConstantIndex, Dynamism, Instruction, Method, Operator, Program, ScalarType,
    TensorStorage, TensorValue, Value, ValueIndex,
};
use kiln_target::Operators;

/// The runtime's code for a dtype.
pub(crate) fn scalar_type(dtype: DType) -> ScalarType {
    match dtype {
        DType::Bool => ScalarType::Bool,
        DType::U8 => ScalarType::U8,
        DType::I8 => ScalarType::I8,
        DType::I16 => ScalarType::I16,
        DType::I32 => ScalarType::I32,
        DType::I64 => ScalarType::I64,
        DType::F16 => ScalarType::F16,
        DType::BF16 => ScalarType::BF16,
        DType::F32 => ScalarType::F32,
        DType::F64 => ScalarType::F64,
    }
}

/// The type of a tensor, with the upper bounds of sizes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TensorSpec {
    pub dtype: DType,
    pub sizes: Vec<u32>,
    pub dynamic: bool,
    pub dim_order: Vec<u8>,
}

impl TensorSpec {
    /// The spec of a constant. Sizes that the runtime cannot store are refused; the error states the value's type.
    pub fn of_data(data: &TensorData) -> TensorSpec {
        let sizes = data.sizes().iter();
        TensorSpec {
            dtype: data.dtype(),
            sizes: sizes
                .map(|&s| u32::try_from(s).unwrap_or(u32::MAX))
                .collect(),
            dynamic: false,
            dim_order: contiguous(data.sizes().len()),
        }
    }

    /// Bytes at the largest shape. The sizes were checked: their product fits 64 bits.
    pub fn bytes(&self) -> u64 {
        self.sizes.iter().map(|&s| u64::from(s)).product::<u64>() * self.dtype.size() as u64
    }

    fn value(&self, storage: TensorStorage) -> TensorValue {
        TensorValue {
            dtype: scalar_type(self.dtype),
            sizes: self.sizes.clone(),
            dim_order: self.dim_order.clone(),
            dynamism: match self.dynamic {
                true => Dynamism::Bounded,
                false => Dynamism::Static,
            },
            storage,
            name: None,
        }
    }
}

/// The identity order of axes.
pub(crate) fn contiguous(rank: usize) -> Vec<u8> {
    (0..rank as u8).collect()
}

/// A tensor that an instruction writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub tensor: ValueIndex,
    /// True if the instruction changes a part of the tensor, and so reads what the tensor held before.
    pub is_read: bool,
}

/// The key by which equal values are shared.
#[derive(PartialEq, Eq, Hash)]
enum Shared {
    None,
    Number(Scalar),
    Text(String),
    Ints(Vec<ValueIndex>),
    Doubles(Vec<u64>),
    Constant(ConstantIndex, TensorSpec),
}

pub(crate) struct Draft<'p> {
    pub program: &'p mut Program,
    pub method: Method,
    pub buffers: Vec<Buffer>,
    /// The buffer of each tensor, and the tensor's first byte in it.
    pub memory: Vec<Option<(BufferId, u64)>>,
    /// Pairs of buffers that may be merged.
    pub in_place: Vec<InPlace>,
    /// The tensors that each instruction writes. It reads the other tensors among its arguments.
    pub written: Vec<Vec<Written>>,
    /// The tensors that kernels write only to reorder elements.
    pub reordered: Vec<Reordered>,
    /// The operators of its delegates.
    pub operators: Operators,
    /// The node that is being lowered.
    pub at: Option<NodeId>,
    /// The node for which each instruction was made.
    pub callers: Vec<Option<NodeId>>,
    /// The index of each named datum in the program.
    pub named: &'p mut IndexMap<String, usize>,
    shared: IndexMap<Shared, ValueIndex>,
}

impl<'p> Draft<'p> {
    pub fn new(
        program: &'p mut Program,
        named: &'p mut IndexMap<String, usize>,
        name: &str,
    ) -> Draft<'p> {
        let method = Method {
            name: name.to_owned(),
            ..Method::default()
        };
        Draft {
            program,
            method,
            buffers: Vec::new(),
            memory: Vec::new(),
            in_place: Vec::new(),
            written: Vec::new(),
            reordered: Vec::new(),
            operators: Operators::default(),
            at: None,
            callers: Vec::new(),
            named,
            shared: IndexMap::new(),
        }
    }

    /// A value that is not shared.
    pub fn add(&mut self, value: Value) -> ValueIndex {
        self.memory.push(None);
        self.method.add_value(value)
    }

    fn share(&mut self, key: Shared, make: impl FnOnce() -> Value) -> ValueIndex {
        if let Some(&found) = self.shared.get(&key) {
            return found;
        }
        let index = self.add(make());
        self.shared.insert(key, index);
        index
    }

    pub fn none(&mut self) -> ValueIndex {
        self.share(Shared::None, || Value::None)
    }

    pub fn scalar(&mut self, scalar: Scalar) -> ValueIndex {
        self.share(Shared::Number(scalar), || scalar_value(scalar))
    }

    pub fn int(&mut self, int: i64) -> ValueIndex {
        self.scalar(Scalar::Int(int))
    }

    pub fn bool(&mut self, bool: bool) -> ValueIndex {
        self.scalar(Scalar::Bool(bool))
    }

    pub fn double(&mut self, double: f64) -> ValueIndex {
        self.scalar(Scalar::Float(double))
    }

    pub fn text(&mut self, text: &str) -> ValueIndex {
        self.share(Shared::Text(text.to_owned()), || {
            Value::String(text.to_owned())
        })
    }

    /// The code of a dtype, as an argument.
    pub fn dtype(&mut self, dtype: DType) -> ValueIndex {
        self.int(i64::from(scalar_type(dtype).code()))
    }

    pub fn ints(&mut self, ints: &[i64]) -> ValueIndex {
        let items = ints.iter().map(|&i| self.int(i)).collect();
        self.int_list(items)
    }

    /// Axes or counts, as an argument.
    pub fn axes(&mut self, axes: &[usize]) -> ValueIndex {
        let items = axes.iter().map(|&i| self.int(i as i64)).collect();
        self.int_list(items)
    }

    pub fn int_list(&mut self, items: Vec<ValueIndex>) -> ValueIndex {
        self.share(Shared::Ints(items.clone()), || Value::IntList(items))
    }

    pub fn double_list(&mut self, items: Vec<f64>) -> ValueIndex {
        let bits = items.iter().map(|d| d.to_bits()).collect();
        self.share(Shared::Doubles(bits), || Value::DoubleList(items))
    }

    /// An integer that instructions write, so it is not shared.
    pub fn new_int(&mut self) -> ValueIndex {
        self.add(Value::Int(0))
    }

    /// A bool that instructions write, so it is not shared.
    pub fn new_bool(&mut self) -> ValueIndex {
        self.add(Value::Bool(false))
    }

    pub fn buffer(&mut self, buffer: Buffer) -> BufferId {
        self.buffers.push(buffer);
        BufferId(self.buffers.len() - 1)
    }

    /// A tensor in a new buffer.
    pub fn tensor(&mut self, spec: &TensorSpec) -> ValueIndex {
        let buffer = self.buffer(Buffer::of(spec.bytes()));
        self.tensor_in(spec, buffer, 0)
    }

    /// A tensor in an existing buffer.
    pub fn tensor_in(&mut self, spec: &TensorSpec, buffer: BufferId, offset: u64) -> ValueIndex {
        // The offset is relative to the buffer until buffers have places.
        let slot = ArenaSlot { arena: 0, offset };
        let storage = match self.buffers[buffer.0].initial {
            Some(data) => TensorStorage::PlannedWithInitial(slot, data),
            None => TensorStorage::Planned(slot),
        };
        let index = self.add(Value::Tensor(spec.value(storage)));
        self.memory[index.index()] = Some((buffer, offset));
        index
    }

    /// A tensor that points into the memory of `source`; an instruction sets the pointer.
    pub fn tensor_set_to(&mut self, spec: &TensorSpec, source: ValueIndex) -> ValueIndex {
        let index = self.add(Value::Tensor(spec.value(TensorStorage::Unallocated)));
        self.memory[index.index()] = self.memory[source.index()];
        index
    }

    pub fn constant(&mut self, spec: &TensorSpec, data: ConstantIndex) -> ValueIndex {
        self.share(Shared::Constant(data, spec.clone()), || {
            Value::Tensor(spec.value(TensorStorage::Constant(data)))
        })
    }

    /// The tensor at an index of which the caller knows that it is a tensor.
    pub fn tensor_value(&self, index: ValueIndex) -> &TensorValue {
        self.method.values[index.index()]
            .as_tensor()
            .expect("the value is a tensor")
    }

    /// Calls a kernel of the table that writes `outs`.
    pub fn call(&mut self, kernel: &str, args: &[ValueIndex], outs: &[ValueIndex]) {
        debug_assert!(is_known(kernel), "{kernel} is not in the table of kernels");
        self.call_any(kernel, args, outs);
    }

    /// As [`Draft::call`], of a kernel that the user may have registered.
    pub fn call_any(&mut self, kernel: &str, args: &[ValueIndex], outs: &[ValueIndex]) {
        let returned = match outs {
            [only] => *only,
            many => self.add(Value::TensorList(many.to_vec())),
        };
        let all = [args, outs, &[returned]].concat();
        self.push_any(kernel, all);
        let written = |&tensor: &ValueIndex| Written {
            tensor,
            is_read: args.contains(&tensor),
        };
        self.note_written(outs.iter().map(written));
    }

    /// Calls a kernel or primitive op. The arguments are in the runtime's form.
    pub fn push_call(&mut self, kernel: &str, args: Vec<ValueIndex>) {
        debug_assert!(
            is_primitive(kernel) || is_known(kernel),
            "{kernel} is not in the table of kernels"
        );
        self.push_any(kernel, args);
    }

    fn push_any(&mut self, kernel: &str, args: Vec<ValueIndex>) {
        let op = self.method.add_operator(Operator::from_key(kernel));
        self.push(Instruction::KernelCall { op, args });
    }

    pub fn push(&mut self, instruction: Instruction) {
        self.method.instructions.push(instruction);
        self.callers.push(self.at);
        self.written.push(Vec::new());
    }

    /// Notes what the previous instruction writes.
    pub fn note_written(&mut self, tensors: impl IntoIterator<Item = Written>) {
        if let Some(written) = self.written.last_mut() {
            written.extend(tensors);
        }
    }

    /// The number of the next instruction.
    pub fn here(&self) -> usize {
        self.method.instructions.len()
    }

    /// A jump that is taken if `condition` is false. [`Draft::land`] sets its destination later.
    pub fn jump_unless(&mut self, condition: ValueIndex) -> usize {
        self.push(Instruction::JumpFalse {
            cond: condition,
            dest: 0,
        });
        self.here() - 1
    }

    /// A jump that is always taken. [`Draft::land`] sets its destination later.
    pub fn jump(&mut self) -> usize {
        let never = self.bool(false);
        self.jump_unless(never)
    }

    /// Sets the destination of a jump.
    pub fn land(&mut self, jump: usize, place: usize) {
        let to = u32::try_from(place).expect("a method has fewer than 2^32 instructions");
        if let Instruction::JumpFalse { dest, .. } = &mut self.method.instructions[jump] {
            *dest = to;
        }
    }
}

/// A Python number as a value that is not shared.
pub(crate) fn scalar_value(scalar: Scalar) -> Value {
    match scalar {
        Scalar::Bool(b) => Value::Bool(b),
        Scalar::Int(i) => Value::Int(i),
        Scalar::Float(f) => Value::Double(f),
    }
}
