//! A saved graph: named values, and nodes in topological order.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::argument::{Argument, CustomObj};
use crate::node_metadata::NodeMetadata;
use crate::scalar_type::{Device, Layout, ScalarType};
use crate::sym_value::{SymBool, SymFloat, SymInt};

/// A graph. Names are unique within it, and separate from those of nested graphs.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Graph {
    /// The inputs. In the outermost graph they correspond to `Signature::input_specs`. An input that was fixed at
    /// export is a literal.
    pub inputs: Vec<Argument>,
    /// The outputs. In the outermost graph they correspond to `Signature::output_specs`. An output may be an input, and
    /// may occur several times.
    pub outputs: Vec<Argument>,
    /// The nodes in topological order.
    pub nodes: Vec<Node>,
    /// The type and shape of every tensor.
    pub tensor_values: IndexMap<String, TensorMeta>,
    /// All symbolic integers.
    #[serde(default)]
    pub sym_int_values: IndexMap<String, SymInt>,
    /// All symbolic bools.
    #[serde(default)]
    pub sym_bool_values: IndexMap<String, SymBool>,
    /// True if a nested graph returns one tensor instead of a tuple of one.
    #[serde(default)]
    pub is_single_tensor_return: bool,
    /// The torchbind objects.
    #[serde(default)]
    pub custom_obj_values: IndexMap<String, CustomObj>,
    /// All symbolic floats.
    #[serde(default)]
    pub sym_float_values: IndexMap<String, SymFloat>,
}

/// A call of an operator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// `torch.ops.<ns>.<op>.<overload>`, `torch.ops.higher_order.<op>`, `_operator.<op>`, `math.trunc`, `torch.sym_...`.
    pub target: String,
    /// The operands that the user gave. Operands with default values are not stored.
    pub inputs: Vec<NamedArgument>,
    /// One entry per result; a `Tensor[]` is one entry. Results without readers have names too.
    pub outputs: Vec<Argument>,
    /// The source of the call in the user's program.
    #[serde(default)]
    pub metadata: NodeMetadata,
    /// False if a higher-order operator returned a tuple.
    #[serde(default)]
    pub is_hop_single_tensor_return: Option<bool>,
    /// The name of the FX node (torch 2.11 on).
    #[serde(default)]
    pub name: Option<String>,
}

/// An operand, with its name in the operator's schema.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedArgument {
    /// The name; empty for operands of higher-order operators.
    pub name: String,
    /// The operand.
    pub arg: Argument,
    /// How the operand was passed (torch 2.7 on).
    #[serde(default)]
    pub kind: Option<ArgumentKind>,
}

/// How an operand was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "u32", into = "u32")]
pub enum ArgumentKind {
    /// Neither positional nor by keyword.
    Unknown,
    /// By position.
    Positional,
    /// By keyword.
    Keyword,
}

impl From<u32> for ArgumentKind {
    fn from(number: u32) -> Self {
        match number {
            1 => Self::Positional,
            2 => Self::Keyword,
            _ => Self::Unknown,
        }
    }
}

impl From<ArgumentKind> for u32 {
    fn from(kind: ArgumentKind) -> Self {
        match kind {
            ArgumentKind::Unknown => 0,
            ArgumentKind::Positional => 1,
            ArgumentKind::Keyword => 2,
        }
    }
}

/// The type, shape and layout of a tensor. Sizes, strides and offset count elements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TensorMeta {
    /// The element type.
    pub dtype: ScalarType,
    /// The size of each axis.
    pub sizes: Vec<SymInt>,
    /// True if autograd tracked it at export.
    #[serde(default)]
    pub requires_grad: bool,
    /// Its device at export.
    pub device: Device,
    /// The stride of each axis, as in eager PyTorch at export.
    pub strides: Vec<SymInt>,
    /// The index of the first element in the storage.
    pub storage_offset: SymInt,
    /// The layout: strided, unless the tensor is sparse.
    pub layout: Layout,
}

impl Node {
    /// The name of the FX node, else that of its first output.
    pub fn label(&self) -> &str {
        let first = self.outputs.first().and_then(|output| match output {
            Argument::Tensors(list) => list.first().map(String::as_str),
            other => other.value_name(),
        });
        let name = self.name.as_deref().or(first);
        name.unwrap_or(&self.target)
    }

    /// The operand with this name.
    pub fn input(&self, name: &str) -> Option<&Argument> {
        self.inputs
            .iter()
            .find(|input| input.name == name)
            .map(|input| &input.arg)
    }
}
