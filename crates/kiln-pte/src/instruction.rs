//! The instructions of a method: kernel calls, delegate calls and jumps.

use bytes::Bytes;

use crate::{BlobIndex, DelegateIndex, OperatorIndex, ValueIndex};

/// One instruction of a method. Instructions execute in order, except for jumps. One execution has at most 10,000,000.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Calls a kernel.
    KernelCall {
        /// The kernel.
        op: OperatorIndex,
        /// All arguments of the schema in order, including defaults and out arguments, followed by the return values
        /// again (as one `TensorList` value if there are several).
        args: Vec<ValueIndex>,
    },
    /// Calls a delegate.
    DelegateCall {
        /// The delegate.
        delegate: DelegateIndex,
        /// The inputs and outputs, in the order in which the payload numbers them.
        args: Vec<ValueIndex>,
    },
    /// Copies a value. For a tensor, copies the handle but not the data.
    Move {
        /// The source.
        from: ValueIndex,
        /// The destination.
        to: ValueIndex,
    },
    /// Jumps if a Bool, or an element of a Bool tensor, is false.
    JumpFalse {
        /// The condition.
        cond: ValueIndex,
        /// The index of the next instruction. An index beyond the last instruction ends the method.
        dest: u32,
    },
    /// Clears the data pointer of a tensor.
    Free {
        /// The tensor.
        value: ValueIndex,
    },
}

impl Instruction {
    /// The values to which the instruction refers, in order.
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

/// The name under which a kernel is registered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operator {
    /// The name with its namespace, such as `aten::add`.
    pub name: String,
    /// The overload, such as `out` or `Scalar_out`; empty if there is none.
    pub overload: String,
}

impl Operator {
    /// Splits a registered key at the first dot: `aten::add.out`.
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

/// A part of a method that a backend executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delegate {
    /// The id of the backend, such as `XnnpackBackend`.
    pub id: String,
    /// The payload that the backend compiles when the method is loaded.
    pub blob: BlobIndex,
    /// Options for the backend.
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
