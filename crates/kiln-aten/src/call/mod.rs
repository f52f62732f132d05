//! What a program asks for: calls of ATen ops, with their arguments and declared results.

pub mod error;
pub(crate) mod limits;
pub mod schema;

use kiln_ir::{DType, Dim, TensorType, ValueId};

/// A tensor of the program: a variable whose value changes when it, or a tensor that shares its storage,
/// is written in place. Made by [`crate::Importer::bind`] and by [`crate::import_call`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tensor(pub(crate) u32);

/// The Python type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `float`.
    Float,
}

impl NumberKind {
    /// The dtype in which a number known only when running is held.
    pub const fn dtype(self) -> DType {
        match self {
            NumberKind::Bool => DType::Bool,
            NumberKind::Int => DType::I64,
            NumberKind::Float => DType::F64,
        }
    }
}

/// A Python number known only when running and not a polynomial of symbols: a rank-0 value of the kind's
/// dtype (bool, i64 or f64).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The value.
    pub value: ValueId,
    /// Its Python type, which decides type promotion.
    pub kind: NumberKind,
}

/// A memory format named by an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryFormat {
    /// Row-major.
    Contiguous,
    /// NHWC.
    ChannelsLast,
    /// NDHWC.
    ChannelsLast3d,
    /// As the operand.
    Preserve,
}

/// An argument or a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// `None`, or a result that the op does not give.
    None,
    /// A tensor.
    Tensor(Tensor),
    /// A complex tensor, as its parts. Only what moves, adds or multiplies takes one, and Fourier transforms.
    Complex {
        /// The real part.
        real: Tensor,
        /// The imaginary part, of the same type.
        imaginary: Tensor,
    },
    /// A list of tensors.
    Tensors(Vec<Tensor>),
    /// A list of tensors, some absent.
    OptionalTensors(Vec<Option<Tensor>>),
    /// An int, known or symbolic.
    Int(Dim),
    /// A known float.
    Float(f64),
    /// A known bool.
    Bool(bool),
    /// Any other number.
    Number(Number),
    /// A list of ints.
    Ints(Vec<Dim>),
    /// A list of floats.
    Floats(Vec<f64>),
    /// A list of bools.
    Bools(Vec<bool>),
    /// A string.
    Str(String),
    /// A dtype.
    DType(DType),
    /// A memory format.
    MemoryFormat(MemoryFormat),
    /// Something that no import reads: a device, a layout.
    Ignored,
}

impl Arg {
    /// The tensor, if it is one.
    pub fn as_tensor(&self) -> Option<Tensor> {
        match self {
            Arg::Tensor(t) => Some(*t),
            _ => None,
        }
    }

    /// What it is, for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Arg::None => "None".into(),
            Arg::Tensor(_) => "a tensor".into(),
            Arg::Complex { .. } => "a complex tensor".into(),
            Arg::Tensors(v) => format!("a list of {} tensors", v.len()),
            Arg::OptionalTensors(v) => format!("a list of {} optional tensors", v.len()),
            Arg::Int(d) => match d.as_const() {
                Some(c) => format!("the int {c}"),
                None => "a symbolic int".into(),
            },
            Arg::Float(f) => format!("the float {f:?}"),
            Arg::Bool(b) => format!("the bool {b}"),
            Arg::Number(n) => format!("a {:?} known only when running", n.kind),
            Arg::Ints(v) => match v.iter().map(Dim::as_const).collect::<Option<Vec<i64>>>() {
                Some(known) if known.len() <= 8 => format!("the ints {known:?}"),
                _ => format!("a list of {} ints", v.len()),
            },
            Arg::Floats(v) => format!("the floats {v:?}"),
            Arg::Bools(v) => format!("the bools {v:?}"),
            Arg::Str(s) => format!("the string {s:?}"),
            Arg::DType(d) => format!("the dtype {d}"),
            Arg::MemoryFormat(m) => format!("the memory format {m:?}"),
            Arg::Ignored => "a device or layout".into(),
        }
    }
}

/// What the program says of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Declared {
    /// A tensor of that type.
    Tensor {
        /// Its type.
        ty: TensorType,
        /// Whether it is row-major in the exporter's memory, if known: decides whether a later `reshape`
        /// shares its storage.
        contiguous: Option<bool>,
    },
    /// A list of tensors.
    Tensors(Vec<TensorType>),
    /// An int; the expression, if it is a polynomial of symbols.
    Int(Option<Dim>),
    /// A float known only when running.
    Float,
    /// A bool known only when running.
    Bool,
    /// `None`, or nothing is known.
    Unknown,
}

impl From<TensorType> for Declared {
    fn from(ty: TensorType) -> Declared {
        Declared::Tensor {
            ty,
            contiguous: None,
        }
    }
}

/// A call of an op.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The op, overload included: `aten.add.Tensor`, `_operator.mul`, `torch.sym_float`.
    pub target: String,
    /// The node's name in the program, for messages.
    pub node: String,
    /// Arguments with their names in the schema; an empty name: the next positional one.
    pub args: Vec<(String, Arg)>,
    /// What the program says of each result; may be shorter than the results.
    pub declared: Vec<Declared>,
}
