//! A method under construction: its values and instructions, with memory by buffer instead of by offset.
//!
//! # Invariants
//! - Scalars and lists made by [`Draft::int`] and its siblings are shared, so no instruction may write them.
//! - Every tensor that an instruction reads or writes and that is no constant has a buffer, a tensor whose pointer
//!   is set when running (a dynamic view) that of its source; lifetimes are read off the instructions.

use crate::memory::{Buffer, BufferId, InPlace};
use crate::region::Reordered;
use indexmap::IndexMap;
use kiln_ir::{DType, NodeId, Scalar, TensorData};
use kiln_pte::{
    ArenaSlot, ConstantIndex, Dynamism, Instruction, Method, Operator, Program, ScalarType,
    TensorStorage, TensorValue, Value, ValueIndex,
};

/// The runtime's code of a dtype.
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

/// A tensor's type with sizes or their bounds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TensorSpec {
    pub dtype: DType,
    pub sizes: Vec<u32>,
    pub dynamic: bool,
    pub dim_order: Vec<u8>,
}

impl TensorSpec {
    /// The spec of a constant; sizes that do not fit are refused with the value's type.
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

    /// Bytes at the largest shape; the sizes were checked to multiply within 64 bits.
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

/// The axes in order.
pub(crate) fn contiguous(rank: usize) -> Vec<u8> {
    (0..rank as u8).collect()
}

/// A tensor that an instruction writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub tensor: ValueIndex,
    /// True if the instruction reads what the tensor held before, and changes a part of it.
    pub is_read: bool,
}

/// What makes two shared values one.
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
    /// The buffer of each tensor value, and the tensor's first byte in it.
    pub memory: Vec<Option<(BufferId, u64)>>,
    /// Pairs of buffers that may be one.
    pub in_place: Vec<InPlace>,
    /// What each instruction writes; it reads the other tensors that it names.
    pub written: Vec<Vec<Written>>,
    /// What kernels only reorder.
    pub reordered: Vec<Reordered>,
    /// The node that is being lowered.
    pub at: Option<NodeId>,
    /// The node that each instruction is of.
    pub callers: Vec<Option<NodeId>>,
    /// The place of each named datum in the program.
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
            at: None,
            callers: Vec::new(),
            named,
            shared: IndexMap::new(),
        }
    }

    /// A value of its own.
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

    /// The code of a dtype as an argument.
    pub fn dtype(&mut self, dtype: DType) -> ValueIndex {
        self.int(i64::from(scalar_type(dtype).code()))
    }

    pub fn ints(&mut self, ints: &[i64]) -> ValueIndex {
        let items = ints.iter().map(|&i| self.int(i)).collect();
        self.int_list(items)
    }

    /// Axes or counts as an argument.
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

    /// An integer that instructions write.
    pub fn new_int(&mut self) -> ValueIndex {
        self.add(Value::Int(0))
    }

    /// A bool that instructions write.
    pub fn new_bool(&mut self) -> ValueIndex {
        self.add(Value::Bool(false))
    }

    pub fn buffer(&mut self, buffer: Buffer) -> BufferId {
        self.buffers.push(buffer);
        BufferId(self.buffers.len() - 1)
    }

    /// A tensor in memory of its own.
    pub fn tensor(&mut self, spec: &TensorSpec) -> ValueIndex {
        let buffer = self.buffer(Buffer::of(spec.bytes()));
        self.tensor_in(spec, buffer, 0)
    }

    /// A tensor in a buffer.
    pub fn tensor_in(&mut self, spec: &TensorSpec, buffer: BufferId, offset: u64) -> ValueIndex {
        // The offset is completed when the buffers have places.
        let slot = ArenaSlot { arena: 0, offset };
        let storage = match self.buffers[buffer.0].initial {
            Some(data) => TensorStorage::PlannedWithInitial(slot, data),
            None => TensorStorage::Planned(slot),
        };
        let index = self.add(Value::Tensor(spec.value(storage)));
        self.memory[index.index()] = Some((buffer, offset));
        index
    }

    /// A tensor whose pointer an instruction sets to the memory of `source`.
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

    /// The tensor at an index that is known to be one.
    pub fn tensor_value(&self, index: ValueIndex) -> &TensorValue {
        self.method.values[index.index()]
            .as_tensor()
            .expect("the value is a tensor")
    }

    /// Calls a kernel that writes `outs`.
    pub fn call(&mut self, kernel: &str, args: &[ValueIndex], outs: &[ValueIndex]) {
        let returned = match outs {
            [only] => *only,
            many => self.add(Value::TensorList(many.to_vec())),
        };
        let all = [args, outs, &[returned]].concat();
        self.push_call(kernel, all);
        let written = |&tensor: &ValueIndex| Written {
            tensor,
            is_read: args.contains(&tensor),
        };
        self.note_written(outs.iter().map(written));
    }

    /// Calls a kernel or primitive op whose arguments are already those of the runtime.
    pub fn push_call(&mut self, kernel: &str, args: Vec<ValueIndex>) {
        let op = self.method.add_operator(Operator::from_key(kernel));
        self.push(Instruction::KernelCall { op, args });
    }

    pub fn push(&mut self, instruction: Instruction) {
        self.method.instructions.push(instruction);
        self.callers.push(self.at);
        self.written.push(Vec::new());
    }

    /// Notes what the instruction before writes.
    pub fn note_written(&mut self, tensors: impl IntoIterator<Item = Written>) {
        if let Some(written) = self.written.last_mut() {
            written.extend(tensors);
        }
    }

    /// The number of the next instruction.
    pub fn here(&self) -> usize {
        self.method.instructions.len()
    }

    /// A jump that is taken if `condition` is false, to a place that [`Draft::land`] names later.
    pub fn jump_unless(&mut self, condition: ValueIndex) -> usize {
        self.push(Instruction::JumpFalse {
            cond: condition,
            dest: 0,
        });
        self.here() - 1
    }

    /// A jump that is always taken.
    pub fn jump(&mut self) -> usize {
        let never = self.bool(false);
        self.jump_unless(never)
    }

    /// Makes a jump lead to `place`.
    pub fn land(&mut self, jump: usize, place: usize) {
        let to = u32::try_from(place).expect("a method has fewer than 2^32 instructions");
        if let Instruction::JumpFalse { dest, .. } = &mut self.method.instructions[jump] {
            *dest = to;
        }
    }
}

/// A Python number as a value of its own.
pub(crate) fn scalar_value(scalar: Scalar) -> Value {
    match scalar {
        Scalar::Bool(b) => Value::Bool(b),
        Scalar::Int(i) => Value::Int(i),
        Scalar::Float(f) => Value::Double(f),
    }
}
