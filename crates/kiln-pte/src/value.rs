//! The values of a method, which the runtime calls EValues.

use crate::{ConstantIndex, InitialIndex, ScalarType, ValueIndex};

/// An entry of a method's value table.
///
/// Scalars may be shared between uses unless an instruction writes them. A value that an instruction wrote persists
/// into the next execution.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An absent optional argument.
    None,
    /// An integer: a size, a dim, a dtype code.
    Int(i64),
    /// A flag.
    Bool(bool),
    /// A floating-point scalar.
    Double(f64),
    /// A tensor.
    Tensor(TensorValue),
    /// Text.
    String(String),
    /// Indices of [`Value::Int`] values. They are never the integers themselves, so that symbolic integers can be
    /// items.
    IntList(Vec<ValueIndex>),
    /// The numbers.
    DoubleList(Vec<f64>),
    /// The flags.
    BoolList(Vec<bool>),
    /// Indices of tensors, which come before the list in the table.
    TensorList(Vec<ValueIndex>),
    /// Indices of tensors, or absent items. The tensors come before the list in the table.
    OptionalTensorList(Vec<Option<ValueIndex>>),
}

impl Value {
    /// The tensor, if the value is one.
    pub fn as_tensor(&self) -> Option<&TensorValue> {
        match self {
            Value::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// The kind of value, in one word, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::None => "None",
            Value::Int(_) => "Int",
            Value::Bool(_) => "Bool",
            Value::Double(_) => "Double",
            Value::Tensor(_) => "Tensor",
            Value::String(_) => "String",
            Value::IntList(_) => "IntList",
            Value::DoubleList(_) => "DoubleList",
            Value::BoolList(_) => "BoolList",
            Value::TensorList(_) => "TensorList",
            Value::OptionalTensorList(_) => "OptionalTensorList",
        }
    }
}

/// A tensor's type, memory order and storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorValue {
    /// The element type.
    pub dtype: ScalarType,
    /// The shape, or its upper bound, depending on [`dynamism`](Self::dynamism). At most 16 dims.
    pub sizes: Vec<u32>,
    /// The dims in memory, outermost first: `0, 1, ..` is contiguous, `0, 2, 3, 1` is channels-last. A permutation of
    /// `0..rank`.
    pub dim_order: Vec<u8>,
    /// Whether [`sizes`](Self::sizes) is the shape or its upper bound.
    pub dynamism: Dynamism,
    /// The location of the bytes.
    pub storage: TensorStorage,
    /// The fully qualified name of a parameter or buffer. It is the key of [`TensorStorage::External`].
    pub name: Option<String>,
}

impl TensorValue {
    /// A contiguous tensor of static shape without a name.
    pub fn contiguous(dtype: ScalarType, sizes: Vec<u32>, storage: TensorStorage) -> Self {
        let dim_order = (0..sizes.len().min(MAX_RANK) as u8).collect();
        Self {
            dtype,
            sizes,
            dim_order,
            dynamism: Dynamism::Static,
            storage,
            name: None,
        }
    }

    /// The number of elements at the largest shape; `None` if it exceeds 64 bits.
    pub fn numel(&self) -> Option<u64> {
        let sizes = self.sizes.iter().map(|&s| u64::from(s));
        if sizes.clone().any(|s| s == 0) {
            return Some(0);
        }
        sizes.into_iter().try_fold(1u64, u64::checked_mul)
    }

    /// The number of bytes at the largest shape; `None` if it exceeds 64 bits.
    pub fn nbytes(&self) -> Option<u64> {
        self.numel()?.checked_mul(self.dtype.size())
    }

    /// True if the memory order is the order of the dims.
    pub fn is_contiguous(&self) -> bool {
        self.dim_order
            .iter()
            .enumerate()
            .all(|(i, &d)| i == usize::from(d))
    }
}

/// The largest rank that the runtime allows.
pub(crate) const MAX_RANK: usize = 16;

/// Whether a tensor's shape is known at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dynamism {
    /// The sizes are the shape.
    Static,
    /// The sizes are an upper bound. A shape at run time has the same rank and at most as many elements.
    Bounded,
}

/// A position in planned memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArenaSlot {
    /// The index in [`Method::arena_sizes`](crate::Method::arena_sizes). The file's `memory_id` is one more.
    pub arena: u32,
    /// The offset in bytes from the start of the arena.
    pub offset: u64,
}

/// The location of a tensor's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorStorage {
    /// Set at run time: an input or output that the caller owns, or a view that an instruction sets.
    Unallocated,
    /// In an arena. The bytes are undefined when the method is loaded, and persist between executions.
    Planned(ArenaSlot),
    /// In the program's constants. A tensor may be a prefix of its constant, and tensors may share a constant.
    Constant(ConstantIndex),
    /// In an arena, with initial contents that are copied when the method is loaded: a mutable buffer.
    PlannedWithInitial(ArenaSlot, InitialIndex),
    /// In a separate data file, under the tensor's name. If there is an arena slot, the bytes are copied there when the
    /// method is loaded.
    External(Option<ArenaSlot>),
}

impl TensorStorage {
    /// The position in planned memory, if there is one.
    pub fn slot(self) -> Option<ArenaSlot> {
        match self {
            Self::Planned(slot) | Self::PlannedWithInitial(slot, _) => Some(slot),
            Self::External(slot) => slot,
            Self::Unallocated | Self::Constant(_) => None,
        }
    }
}
