//! What a method executes: kernel calls, delegate calls, and jumps between them.

use bytes::Bytes;

use crate::{BlobIndex, DelegateIndex, OperatorIndex, ValueIndex};

/// One step of a method. Steps run in order unless a jump says otherwise; one execution runs at most 10,000,000.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Calls a kernel.
    KernelCall {
        /// The kernel.
        op: OperatorIndex,
        /// Every argument of the schema in order with defaults filled in, the out arguments included, then the
        /// return values again (one `TensorList` value of them where there are several).
        args: Vec<ValueIndex>,
    },
    /// Calls a delegate.
    DelegateCall {
        /// The delegate.
        delegate: DelegateIndex,
        /// Its inputs and outputs, in the order that its payload numbers them.
        args: Vec<ValueIndex>,
    },
    /// Copies a value; of a tensor, the handle and not the data.
    Move {
        /// The value read.
        from: ValueIndex,
        /// The value written.
        to: ValueIndex,
    },
    /// Jumps if a Bool (or any element of a Bool tensor) is false.
    JumpFalse {
        /// The condition.
        cond: ValueIndex,
        /// The instruction to go on with; one past the last (or beyond) ends the method.
        dest: u32,
    },
    /// Drops a tensor's data pointer.
    Free {
        /// The tensor.
        value: ValueIndex,
    },
}

impl Instruction {
    /// The values that the instruction names, in order.
    pub fn values(&self) -> impl Iterator<Item = ValueIndex> + '_ {
        let (list, pair): (&[ValueIndex], [Option<ValueIndex>; 2]) = match self {
            Self::KernelCall { args, .. } | Self::DelegateCall { args, .. } => (args, [None, None]),
            Self::Move { from, to } => (&[], [Some(*from), Some(*to)]),
            Self::JumpFalse { cond, .. } => (&[], [Some(*cond), None]),
            Self::Free { value } => (&[], [Some(*value), None]),
        };
        list.iter().copied().chain(pair.into_iter().flatten())
    }
}

/// A kernel by the name that it is registered under.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operator {
    /// With its namespace: `aten::add`.
    pub name: String,
    /// `out`, `Scalar_out`; empty where the kernel has none.
    pub overload: String,
}

impl Operator {
    /// From a registered key, split at the first dot: `aten::add.out`.
    pub fn from_key(key: &str) -> Self {
        let (name, overload) = key.split_once('.').unwrap_or((key, ""));
        Self {
            name: name.to_owned(),
            overload: overload.to_owned(),
        }
    }

    /// The registered key: `aten::add.out`.
    pub fn key(&self) -> String {
        match self.overload.as_str() {
            "" => self.name.clone(),
            overload => format!("{}.{overload}", self.name),
        }
    }
}

/// A part of the method that a backend executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delegate {
    /// The backend: `XnnpackBackend`.
    pub id: String,
    /// What the backend compiles at load.
    pub blob: BlobIndex,
    /// Options of the backend.
    pub compile_specs: Vec<CompileSpec>,
}

/// An option of a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileSpec {
    /// Its name.
    pub key: String,
    /// Its value, in the backend's own encoding.
    pub value: Bytes,
}
