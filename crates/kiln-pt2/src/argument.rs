//! Operands of nodes, and inputs and outputs of graphs.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::graph::Graph;
use crate::json_number::JsonFloat;
use crate::scalar_type::{Device, Layout, MemoryFormat, ScalarType};
use crate::sym_value::{SymBoolArg, SymFloatArg, SymIntArg};
use crate::tagged::{deserialize_union, serialize_tagged};

/// An operand, in at most 32 bytes. Tensors and symbolic values are given by their names in the graph.
///
/// A scalar is `Int`, `Float` or `Bool` as the user wrote it, whatever the op's schema says, because type promotion
/// depends on it. An empty list has the type of the op's schema; in higher-order operators it is always `Tensors`.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// Python's `None`.
    None,
    /// A tensor: a key of `Graph::tensor_values`.
    Tensor(String),
    /// `Tensor[]`.
    Tensors(Vec<String>),
    /// An integer.
    Int(i64),
    /// `int[]` without symbolic items.
    Ints(Vec<i64>),
    /// A float, possibly infinite or NaN.
    Float(f64),
    /// `float[]`.
    Floats(Vec<f64>),
    /// A string.
    String(String),
    /// `str[]`.
    Strings(Vec<String>),
    /// An integer that may be symbolic.
    SymInt(SymIntArg),
    /// `SymInt[]` with at least one symbolic item.
    SymInts(Vec<SymIntArg>),
    /// A dtype.
    ScalarType(ScalarType),
    /// A memory format.
    MemoryFormat(MemoryFormat),
    /// A layout.
    Layout(Layout),
    /// A device.
    Device(Box<Device>),
    /// A flag.
    Bool(bool),
    /// `bool[]`.
    Bools(Vec<bool>),
    /// A flag that may be symbolic.
    SymBool(SymBoolArg),
    /// `bool[]` with at least one symbolic item.
    SymBools(Vec<SymBoolArg>),
    /// A nested graph, as operand of a higher-order operator.
    Graph(Box<GraphArgument>),
    /// `Tensor?[]` with at least one `None`.
    OptionalTensors(Vec<Option<String>>),
    /// A torchbind object.
    CustomObj(Box<CustomObj>),
    /// The name of an operator, as operand of a higher-order operator.
    Operator(String),
    /// A float that may be symbolic.
    SymFloat(SymFloatArg),
    /// `float[]` with at least one symbolic item.
    SymFloats(Vec<SymFloatArg>),
    /// `Tensor?`, which some results are.
    OptionalTensor(Option<String>),
    /// A complex number.
    Complex {
        /// The real part.
        real: f64,
        /// The imaginary part.
        imag: f64,
    },
    /// `Tensor[][]`.
    NestedTensors(Vec<Vec<String>>),
    /// `int[][]`.
    IntLists(Vec<Vec<i64>>),
    /// `float[][]`.
    FloatLists(Vec<Vec<f64>>),
    /// A dict with string keys.
    StringToArgument(Box<IndexMap<String, Argument>>),
    /// A kind that this reader does not know. Its value is skipped. A reader that needs the value must refuse it,
    /// naming the kind.
    Unknown {
        /// The key of the union in the file.
        kind: String,
    },
}

impl Argument {
    /// The name of the tensor or the symbolic value that this is.
    pub fn value_name(&self) -> Option<&str> {
        match self {
            Self::Tensor(name)
            | Self::OptionalTensor(Some(name))
            | Self::SymInt(SymIntArg::Name(name))
            | Self::SymFloat(SymFloatArg::Name(name))
            | Self::SymBool(SymBoolArg::Name(name)) => Some(name),
            _ => None,
        }
    }
}

const _: () = assert!(
    size_of::<Argument>() <= 32,
    "rare and large variants are boxed"
);

/// A nested graph, with its attribute name in the saved module.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphArgument {
    /// The name, for example `true_graph_0`.
    pub name: String,
    /// The graph. The names of its values are separate from those of the outer graph.
    pub graph: Graph,
}

/// A torchbind object in the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomObj {
    /// The name of the value.
    pub name: String,
    /// The class, for example `__torch__.torch.classes.quantized.LinearPackedParamsBase`.
    pub class_fqn: String,
}

/// `{"name": ...}`: the form of tensors and tokens in the JSON.
#[derive(Deserialize, Serialize)]
pub(crate) struct Named {
    pub name: String,
}

#[derive(Serialize)]
struct NamedRef<'a> {
    name: &'a str,
}

/// An item of `Tensor?[]`.
struct Optional(Option<String>);

deserialize_union!(Optional, "an optional tensor", {
    "as_tensor" => |v: Named| Optional(Some(v.name)),
    // `true`, or `[]` in torch 2.5.
    "as_none" => |_v: serde::de::IgnoredAny| Optional(None),
}, |key| Err(format!("unknown kind of optional tensor `{key}`")));

#[derive(Deserialize)]
struct Complex {
    real: JsonFloat,
    imag: JsonFloat,
}

fn names(list: Vec<Named>) -> Vec<String> {
    list.into_iter().map(|item| item.name).collect()
}

fn floats(list: Vec<JsonFloat>) -> Vec<f64> {
    list.into_iter().map(|item| item.0).collect()
}

deserialize_union!(Argument, "an argument", {
    "as_tensor" => |v: Named| Argument::Tensor(v.name),
    "as_int" => |v: i64| Argument::Int(v),
    "as_ints" => |v: Vec<i64>| Argument::Ints(v),
    "as_float" => |v: JsonFloat| Argument::Float(v.0),
    "as_none" => |_v: serde::de::IgnoredAny| Argument::None,
    "as_bool" => |v: bool| Argument::Bool(v),
    "as_tensors" => |v: Vec<Named>| Argument::Tensors(names(v)),
    "as_floats" => |v: Vec<JsonFloat>| Argument::Floats(floats(v)),
    "as_string" => |v: String| Argument::String(v),
    "as_strings" => |v: Vec<String>| Argument::Strings(v),
    "as_sym_int" => |v: SymIntArg| Argument::SymInt(v),
    "as_sym_ints" => |v: Vec<SymIntArg>| Argument::SymInts(v),
    "as_scalar_type" => |v: ScalarType| Argument::ScalarType(v),
    "as_memory_format" => |v: MemoryFormat| Argument::MemoryFormat(v),
    "as_layout" => |v: Layout| Argument::Layout(v),
    "as_device" => |v: Box<Device>| Argument::Device(v),
    "as_bools" => |v: Vec<bool>| Argument::Bools(v),
    "as_sym_bool" => |v: SymBoolArg| Argument::SymBool(v),
    "as_sym_bools" => |v: Vec<SymBoolArg>| Argument::SymBools(v),
    "as_graph" => |v: Box<GraphArgument>| Argument::Graph(v),
    "as_optional_tensors" => |v: Vec<Optional>| Argument::OptionalTensors(v.into_iter().map(|item| item.0).collect()),
    "as_custom_obj" => |v: Box<CustomObj>| Argument::CustomObj(v),
    "as_operator" => |v: String| Argument::Operator(v),
    "as_sym_float" => |v: SymFloatArg| Argument::SymFloat(v),
    "as_sym_floats" => |v: Vec<SymFloatArg>| Argument::SymFloats(v),
    "as_optional_tensor" => |v: Optional| Argument::OptionalTensor(v.0),
    "as_complex" => |v: Complex| Argument::Complex { real: v.real.0, imag: v.imag.0 },
    "as_nested_tensors" => |v: Vec<Vec<Named>>| Argument::NestedTensors(v.into_iter().map(names).collect()),
    "as_int_lists" => |v: Vec<Vec<i64>>| Argument::IntLists(v),
    "as_float_lists" => |v: Vec<Vec<JsonFloat>>| Argument::FloatLists(v.into_iter().map(floats).collect()),
    "as_string_to_argument" => |v: Box<IndexMap<String, Argument>>| Argument::StringToArgument(v),
}, |key| Ok(Argument::Unknown { kind: key.to_owned() }));

impl Serialize for Optional {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(name) => serialize_tagged(serializer, "as_tensor", &NamedRef { name }),
            None => serialize_tagged(serializer, "as_none", &true),
        }
    }
}

fn named_all(list: &[String]) -> Vec<NamedRef<'_>> {
    list.iter().map(|name| NamedRef { name }).collect()
}

fn json_floats(list: &[f64]) -> Vec<JsonFloat> {
    list.iter().copied().map(JsonFloat).collect()
}

impl Serialize for Argument {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::None => serialize_tagged(s, "as_none", &true),
            Self::Tensor(name) => serialize_tagged(s, "as_tensor", &NamedRef { name }),
            Self::Tensors(list) => serialize_tagged(s, "as_tensors", &named_all(list)),
            Self::Int(v) => serialize_tagged(s, "as_int", v),
            Self::Ints(v) => serialize_tagged(s, "as_ints", v),
            Self::Float(v) => serialize_tagged(s, "as_float", &JsonFloat(*v)),
            Self::Floats(v) => serialize_tagged(s, "as_floats", &json_floats(v)),
            Self::String(v) => serialize_tagged(s, "as_string", v),
            Self::Strings(v) => serialize_tagged(s, "as_strings", v),
            Self::SymInt(v) => serialize_tagged(s, "as_sym_int", v),
            Self::SymInts(v) => serialize_tagged(s, "as_sym_ints", v),
            Self::ScalarType(v) => serialize_tagged(s, "as_scalar_type", v),
            Self::MemoryFormat(v) => serialize_tagged(s, "as_memory_format", v),
            Self::Layout(v) => serialize_tagged(s, "as_layout", v),
            Self::Device(v) => serialize_tagged(s, "as_device", v),
            Self::Bool(v) => serialize_tagged(s, "as_bool", v),
            Self::Bools(v) => serialize_tagged(s, "as_bools", v),
            Self::SymBool(v) => serialize_tagged(s, "as_sym_bool", v),
            Self::SymBools(v) => serialize_tagged(s, "as_sym_bools", v),
            Self::Graph(v) => serialize_tagged(s, "as_graph", v),
            Self::OptionalTensors(list) => {
                let wire: Vec<Optional> = list.iter().cloned().map(Optional).collect();
                serialize_tagged(s, "as_optional_tensors", &wire)
            }
            Self::CustomObj(v) => serialize_tagged(s, "as_custom_obj", v),
            Self::Operator(v) => serialize_tagged(s, "as_operator", v),
            Self::SymFloat(v) => serialize_tagged(s, "as_sym_float", v),
            Self::SymFloats(v) => serialize_tagged(s, "as_sym_floats", v),
            Self::OptionalTensor(v) => {
                serialize_tagged(s, "as_optional_tensor", &Optional(v.clone()))
            }
            Self::Complex { real, imag } => {
                let wire = IndexMap::from([("real", JsonFloat(*real)), ("imag", JsonFloat(*imag))]);
                serialize_tagged(s, "as_complex", &wire)
            }
            Self::NestedTensors(lists) => {
                let wire: Vec<_> = lists.iter().map(|list| named_all(list)).collect();
                serialize_tagged(s, "as_nested_tensors", &wire)
            }
            Self::IntLists(v) => serialize_tagged(s, "as_int_lists", v),
            Self::FloatLists(lists) => {
                let wire: Vec<_> = lists.iter().map(|list| json_floats(list)).collect();
                serialize_tagged(s, "as_float_lists", &wire)
            }
            Self::StringToArgument(v) => serialize_tagged(s, "as_string_to_argument", v),
            Self::Unknown { kind } => Err(serde::ser::Error::custom(format!(
                "an argument of unknown kind `{kind}` cannot be written"
            ))),
        }
    }
}
