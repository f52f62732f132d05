//! What a program asks for: calls of ATen ops, with their arguments and declared results.

pub mod custom;
pub mod error;
pub(crate) mod limits;
pub mod schema;

use kiln_ir::{DType, Dim, TensorType, ValueId};

/// A tensor of the program: a variable. Its value changes when an op writes to it in place, or to a tensor that shares
/// its storage. [`crate::Importer::bind`] and [`crate::import_call`] make tensors.
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
    /// The dtype of the value that holds a number of this kind when the number is not known at import: bool, i64 or
    /// f64.
    pub const fn dtype(self) -> DType {
        match self {
            NumberKind::Bool => DType::Bool,
            NumberKind::Int => DType::I64,
            NumberKind::Float => DType::F64,
        }
    }
}

/// A Python number that is known only at run time and is no polynomial of symbols. It is held in a rank-0 value of its
/// kind's dtype (bool, i64 or f64).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The value.
    pub value: ValueId,
    /// Its Python type, which decides type promotion.
    pub kind: NumberKind,
}

/// A memory format that an argument names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryFormat {
    /// Row-major.
    Contiguous,
    /// NHWC.
    ChannelsLast,
    /// NDHWC.
    ChannelsLast3d,
    /// The memory format of the operand (`torch.preserve_format`).
    Preserve,
}

/// An argument or a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// `None`, or a result that Kiln's import of the op does not give.
    None,
    /// A tensor.
    Tensor(Tensor),
    /// A complex tensor, as its real and imaginary parts. Only movements, sums, products and Fourier transforms take
    /// one.
    Complex {
        /// The real part.
        real: Tensor,
        /// The imaginary part, of the same type.
        imaginary: Tensor,
    },
    /// A tensor of a class that wraps other tensors, by the class's name. Calls take what it wraps.
    Wrapper(String),
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
    /// An argument that no import reads: a device, a layout.
    Ignored,
}

impl Arg {
    /// The tensor, if the argument is one.
    pub fn as_tensor(&self) -> Option<Tensor> {
        match self {
            Arg::Tensor(t) => Some(*t),
            _ => None,
        }
    }

    /// A description of the argument, for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Arg::None => "None".into(),
            Arg::Tensor(_) => "a tensor".into(),
            Arg::Complex { .. } => "a complex tensor".into(),
            Arg::Wrapper(class) => format!("a tensor of class {class}"),
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

/// What the program declares of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Declared {
    /// A tensor of that type.
    Tensor {
        /// The declared type.
        ty: TensorType,
        /// True if the tensor is row-major in the exporter's memory; `None` if that is not known. A later `reshape`
        /// shares the tensor's storage if it is.
        contiguous: Option<bool>,
    },
    /// A list of tensors.
    Tensors(Vec<TensorType>),
    /// An int, and its expression if it is a polynomial of symbols.
    Int(Option<Dim>),
    /// A float that is known only at run time.
    Float,
    /// A bool that is known only at run time.
    Bool,
    /// `None`, or the program declares nothing.
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
    /// The op with its overload: `aten.add.Tensor`, `_operator.mul`, `torch.sym_float`.
    pub target: String,
    /// The node's name in the program, for messages.
    pub node: String,
    /// Arguments with their names in the schema. An empty name marks the next positional argument.
    pub args: Vec<(String, Arg)>,
    /// What the program declares of each result. There may be fewer declarations than results.
    pub declared: Vec<Declared>,
}
