//! A saved graph: values by name, nodes in topological order.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::argument::{Argument, CustomObj};
use crate::node_metadata::NodeMetadata;
use crate::scalar_type::{Device, Layout, ScalarType};
use crate::sym_value::{SymBool, SymFloat, SymInt};

/// A graph. Names are unique within it, and separate from those of graphs nested in it.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Graph {
    /// Parallel to `Signature::input_specs` in the outermost graph. A frozen input is its literal.
    pub inputs: Vec<Argument>,
    /// Parallel to `Signature::output_specs` in the outermost graph. An output may be an input, and may repeat.
    pub outputs: Vec<Argument>,
    /// In topological order.
    pub nodes: Vec<Node>,
    /// Type and shape of every tensor.
    pub tensor_values: IndexMap<String, TensorMeta>,
    /// Every symbolic integer.
    #[serde(default)]
    pub sym_int_values: IndexMap<String, SymInt>,
    /// Every symbolic flag.
    #[serde(default)]
    pub sym_bool_values: IndexMap<String, SymBool>,
    /// A nested graph that returns one tensor instead of a tuple of one.
    #[serde(default)]
    pub is_single_tensor_return: bool,
    /// Torchbind objects.
    #[serde(default)]
    pub custom_obj_values: IndexMap<String, CustomObj>,
    /// Every symbolic float.
    #[serde(default)]
    pub sym_float_values: IndexMap<String, SymFloat>,
}

/// A call of an operator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// `torch.ops.<ns>.<op>.<overload>`, `torch.ops.higher_order.<op>`, `_operator.<op>`, `math.trunc`, `torch.sym_...`.
    pub target: String,
    /// The operands that the user gave; those left at their default are not stored.
    pub inputs: Vec<NamedArgument>,
    /// One entry a result; `Tensor[]` is one entry. Results that no one reads still have names.
    pub outputs: Vec<Argument>,
    /// Where the call comes from.
    #[serde(default)]
    pub metadata: NodeMetadata,
    /// False when a higher-order operator returned a tuple.
    #[serde(default)]
    pub is_hop_single_tensor_return: Option<bool>,
    /// Name of the FX node (torch 2.11 on).
    #[serde(default)]
    pub name: Option<String>,
}

/// An operand with its name in the operator's schema.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedArgument {
    /// Empty for operands of higher-order operators.
    pub name: String,
    /// The operand.
    pub arg: Argument,
    /// How it was passed (torch 2.7 on).
    #[serde(default)]
    pub kind: Option<ArgumentKind>,
}

/// How an operand was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "u32", into = "u32")]
pub enum ArgumentKind {
    /// Neither of the others.
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

/// Type, shape and layout of a tensor. Sizes, strides and offset count elements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TensorMeta {
    /// Element type.
    pub dtype: ScalarType,
    /// Extent of every axis.
    pub sizes: Vec<SymInt>,
    /// Whether autograd followed it at export.
    #[serde(default)]
    pub requires_grad: bool,
    /// Where it was at export.
    pub device: Device,
    /// Stride of every axis, as eager PyTorch had it at export.
    pub strides: Vec<SymInt>,
    /// First element within its storage.
    pub storage_offset: SymInt,
    /// Strided, unless sparse.
    pub layout: Layout,
}

impl Node {
    /// The operand of this name.
    pub fn input(&self, name: &str) -> Option<&Argument> {
        self.inputs
            .iter()
            .find(|input| input.name == name)
            .map(|input| &input.arg)
    }
}
