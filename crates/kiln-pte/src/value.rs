//! The values of a method: what the runtime calls EValues.

use crate::{ConstantIndex, InitialIndex, ScalarType, ValueIndex};

/// One entry of a method's value table.
///
/// Scalars may be shared between uses as long as no instruction writes them; what an instruction wrote keeps its
/// value into the next execution.
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
    /// Indices of [`Value::Int`] values (never the integers themselves, so that symbolic ints can be items).
    IntList(Vec<ValueIndex>),
    /// The numbers themselves.
    DoubleList(Vec<f64>),
    /// The flags themselves.
    BoolList(Vec<bool>),
    /// Indices of tensors, each earlier in the table than the list.
    TensorList(Vec<ValueIndex>),
    /// Indices of tensors or absent items; each earlier in the table than the list.
    OptionalTensorList(Vec<Option<ValueIndex>>),
}

impl Value {
    /// The tensor, if it is one.
    pub fn as_tensor(&self) -> Option<&TensorValue> {
        match self {
            Value::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// What kind of value it is, in one word for messages.
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

/// A tensor's type, its order in memory, and where its bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorValue {
    /// Type of the elements.
    pub dtype: ScalarType,
    /// The shape, or its upper bound when [`dynamism`](Self::dynamism) says so. At most 16 dims.
    pub sizes: Vec<u32>,
    /// The dims from outermost to innermost in memory: `0, 1, ..` is contiguous, `0, 2, 3, 1` is channels-last.
    /// A permutation of `0..rank`.
    pub dim_order: Vec<u8>,
    /// Whether [`sizes`](Self::sizes) is the shape or its bound.
    pub dynamism: Dynamism,
    /// Where the bytes are.
    pub storage: TensorStorage,
    /// The fully qualified name of a parameter or buffer; the lookup key for [`TensorStorage::External`].
    pub name: Option<String>,
}

impl TensorValue {
    /// A contiguous tensor of static shape and no name.
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

    /// Elements at the (largest) shape; None where the product exceeds 64 bits.
    pub fn numel(&self) -> Option<u64> {
        let sizes = self.sizes.iter().map(|&s| u64::from(s));
        if sizes.clone().any(|s| s == 0) {
            return Some(0);
        }
        sizes.into_iter().try_fold(1u64, u64::checked_mul)
    }

    /// Bytes at the (largest) shape; None where the product exceeds 64 bits.
    pub fn nbytes(&self) -> Option<u64> {
        self.numel()?.checked_mul(self.dtype.size())
    }

    /// Whether the order in memory is the order of the dims.
    pub fn is_contiguous(&self) -> bool {
        self.dim_order
            .iter()
            .enumerate()
            .all(|(i, &d)| i == usize::from(d))
    }
}

/// The largest rank that the runtime allows.
pub(crate) const MAX_RANK: usize = 16;

/// How much of a tensor's shape is known ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dynamism {
    /// The sizes are the shape.
    Static,
    /// The sizes are an upper bound: a run-time shape of the same rank may have at most as many elements.
    Bounded,
}

/// A place in planned memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArenaSlot {
    /// Counts in [`Method::arena_sizes`](crate::Method::arena_sizes) (the file's `memory_id` is one more).
    pub arena: u32,
    /// Bytes from the arena's start.
    pub offset: u64,
}

/// Where a tensor's bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorStorage {
    /// Given at run time: an input or output that the caller owns, or a view that an instruction sets.
    Unallocated,
    /// In an arena. Its contents at load are undefined; they persist between executions.
    Planned(ArenaSlot),
    /// In the program's constants. A tensor may be a prefix of its constant, and several may share one.
    Constant(ConstantIndex),
    /// In an arena, and filled once when the method is loaded: a mutable buffer.
    PlannedWithInitial(ArenaSlot, InitialIndex),
    /// In a separate data file, under the tensor's name; copied into the arena slot at load if there is one.
    External(Option<ArenaSlot>),
}

impl TensorStorage {
    /// The place in planned memory, if it has one.
    pub fn slot(self) -> Option<ArenaSlot> {
        match self {
            Self::Planned(slot) | Self::PlannedWithInitial(slot, _) => Some(slot),
            Self::External(slot) => slot,
            Self::Unallocated | Self::Constant(_) => None,
        }
    }
}
