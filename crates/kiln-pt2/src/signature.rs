//! The roles of the inputs and outputs of the outermost graph.

use serde::{Deserialize, Serialize, Serializer};

use crate::argument::{Argument, CustomObj, Named};
use crate::json_number::JsonFloat;
use crate::tagged::{deserialize_union, serialize_tagged};

/// The program's signature. The two lists correspond to the graph's inputs and outputs.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Signature {
    /// The parameters, buffers and constants, followed by the user's inputs.
    pub input_specs: Vec<InputSpec>,
    /// The mutations (in ATen form only), followed by the user's outputs.
    pub output_specs: Vec<OutputSpec>,
}

/// The role of an input of the graph.
#[derive(Clone, Debug, PartialEq)]
pub enum InputSpec {
    /// The caller passes it.
    UserInput {
        /// A `Tensor` or `SymInt`, or a literal that the caller must pass.
        arg: Argument,
    },
    /// A parameter, stored under `fqn`.
    Parameter {
        /// Its name in the graph.
        name: String,
        /// Its name in the archive.
        fqn: String,
    },
    /// A buffer, stored under `fqn`.
    Buffer {
        /// Its name in the graph.
        name: String,
        /// Its name in the archive.
        fqn: String,
        /// True if it is part of the state dict.
        persistent: bool,
    },
    /// A tensor over which the user's code closes, stored under `fqn`.
    TensorConstant {
        /// Its name in the graph.
        name: String,
        /// Its name in the archive.
        fqn: String,
    },
    /// A torchbind object.
    CustomObj {
        /// Its value in the graph.
        arg: CustomObj,
        /// Its name in the archive.
        fqn: String,
    },
    /// An effect token.
    Token {
        /// Its name in the graph.
        name: String,
    },
    /// A Python value that was fixed at export. The caller must pass the same value.
    ConstantInput {
        /// The name of the forward argument.
        name: String,
        /// The value.
        value: ConstantValue,
    },
}

/// The value of an input that was fixed at export.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ConstantValue {
    None,
    Int(i64),
    Float(f64),
    String(String),
    Bool(bool),
}

/// The role of an output of the graph.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputSpec {
    /// It is returned to the caller.
    UserOutput {
        /// A `Tensor`, a symbolic value, or a literal.
        arg: Argument,
    },
    /// It is returned to the caller as a loss.
    LossOutput {
        /// Its name in the graph.
        name: String,
    },
    /// The new content of a buffer.
    BufferMutation {
        /// Its name in the graph.
        name: String,
        /// The buffer, as in [`InputSpec::Buffer`].
        fqn: String,
    },
    /// The new content of a parameter.
    ParameterMutation {
        /// Its name in the graph.
        name: String,
        /// The parameter, as in [`InputSpec::Parameter`].
        fqn: String,
    },
    /// The new content of a tensor that the caller passed.
    UserInputMutation {
        /// Its name in the graph.
        name: String,
        /// The name of the input in the graph.
        input: String,
    },
    /// The gradient of a parameter.
    GradientToParameter {
        /// Its name in the graph.
        name: String,
        /// The parameter, as in [`InputSpec::Parameter`].
        fqn: String,
    },
    /// The gradient of an input.
    GradientToUserInput {
        /// Its name in the graph.
        name: String,
        /// The name of the input in the graph.
        input: String,
    },
    /// An effect token.
    Token {
        /// Its name in the graph.
        name: String,
    },
}

#[derive(Serialize, Deserialize)]
struct WireUser {
    arg: Argument,
}

#[derive(Serialize, Deserialize)]
struct WireNamed {
    arg: Named,
}

#[derive(Serialize, Deserialize)]
struct WireParameter {
    arg: Named,
    parameter_name: String,
}

#[derive(Serialize, Deserialize)]
struct WireBuffer {
    arg: Named,
    buffer_name: String,
    #[serde(
        default = "persistent_by_default",
        skip_serializing_if = "Option::is_none"
    )]
    persistent: Option<bool>,
}

fn persistent_by_default() -> Option<bool> {
    Some(true)
}

#[derive(Serialize, Deserialize)]
struct WireConstant {
    arg: Named,
    tensor_constant_name: String,
}

#[derive(Serialize, Deserialize)]
struct WireCustomObj {
    arg: CustomObj,
    custom_obj_name: String,
}

#[derive(Serialize, Deserialize)]
struct WireConstantInput {
    name: String,
    value: ConstantValue,
}

#[derive(Serialize, Deserialize)]
struct WireUserInput {
    arg: Named,
    user_input_name: String,
}

deserialize_union!(ConstantValue, "a constant input", {
    "as_none" => |_v: serde::de::IgnoredAny| ConstantValue::None,
    "as_int" => |v: i64| ConstantValue::Int(v),
    "as_float" => |v: JsonFloat| ConstantValue::Float(v.0),
    "as_string" => |v: String| ConstantValue::String(v),
    "as_bool" => |v: bool| ConstantValue::Bool(v),
}, |key| Err(format!("unknown kind of constant input `{key}`")));

deserialize_union!(InputSpec, "an input spec", {
    "user_input" => |v: WireUser| InputSpec::UserInput { arg: v.arg },
    "parameter" => |v: WireParameter| InputSpec::Parameter { name: v.arg.name, fqn: v.parameter_name },
    "buffer" => |v: WireBuffer| InputSpec::Buffer {
        name: v.arg.name,
        fqn: v.buffer_name,
        persistent: v.persistent.unwrap_or(true),
    },
    "tensor_constant" => |v: WireConstant| InputSpec::TensorConstant { name: v.arg.name, fqn: v.tensor_constant_name },
    "custom_obj" => |v: WireCustomObj| InputSpec::CustomObj { arg: v.arg, fqn: v.custom_obj_name },
    "token" => |v: WireNamed| InputSpec::Token { name: v.arg.name },
    "constant_input" => |v: WireConstantInput| InputSpec::ConstantInput { name: v.name, value: v.value },
}, |key| Err(format!("unknown kind of input `{key}`")));

deserialize_union!(OutputSpec, "an output spec", {
    "user_output" => |v: WireUser| OutputSpec::UserOutput { arg: v.arg },
    "loss_output" => |v: WireNamed| OutputSpec::LossOutput { name: v.arg.name },
    "buffer_mutation" => |v: WireBuffer| OutputSpec::BufferMutation { name: v.arg.name, fqn: v.buffer_name },
    "parameter_mutation" => |v: WireParameter| OutputSpec::ParameterMutation {
        name: v.arg.name,
        fqn: v.parameter_name,
    },
    "user_input_mutation" => |v: WireUserInput| OutputSpec::UserInputMutation {
        name: v.arg.name,
        input: v.user_input_name,
    },
    "gradient_to_parameter" => |v: WireParameter| OutputSpec::GradientToParameter {
        name: v.arg.name,
        fqn: v.parameter_name,
    },
    "gradient_to_user_input" => |v: WireUserInput| OutputSpec::GradientToUserInput {
        name: v.arg.name,
        input: v.user_input_name,
    },
    "token" => |v: WireNamed| OutputSpec::Token { name: v.arg.name },
}, |key| Err(format!("unknown kind of output `{key}`")));

impl Serialize for ConstantValue {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::None => serialize_tagged(s, "as_none", &true),
            Self::Int(v) => serialize_tagged(s, "as_int", v),
            Self::Float(v) => serialize_tagged(s, "as_float", &JsonFloat(*v)),
            Self::String(v) => serialize_tagged(s, "as_string", v),
            Self::Bool(v) => serialize_tagged(s, "as_bool", v),
        }
    }
}

fn named(name: &str) -> Named {
    Named {
        name: name.to_owned(),
    }
}

fn parameter(name: &str, fqn: &str) -> WireParameter {
    WireParameter {
        arg: named(name),
        parameter_name: fqn.to_owned(),
    }
}

fn user_input(name: &str, input: &str) -> WireUserInput {
    WireUserInput {
        arg: named(name),
        user_input_name: input.to_owned(),
    }
}

impl Serialize for InputSpec {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::UserInput { arg } => {
                serialize_tagged(s, "user_input", &WireUser { arg: arg.clone() })
            }
            Self::Parameter { name, fqn } => {
                serialize_tagged(s, "parameter", &parameter(name, fqn))
            }
            Self::Buffer {
                name,
                fqn,
                persistent,
            } => {
                let wire = WireBuffer {
                    arg: named(name),
                    buffer_name: fqn.clone(),
                    persistent: Some(*persistent),
                };
                serialize_tagged(s, "buffer", &wire)
            }
            Self::TensorConstant { name, fqn } => {
                let wire = WireConstant {
                    arg: named(name),
                    tensor_constant_name: fqn.clone(),
                };
                serialize_tagged(s, "tensor_constant", &wire)
            }
            Self::CustomObj { arg, fqn } => {
                let wire = WireCustomObj {
                    arg: arg.clone(),
                    custom_obj_name: fqn.clone(),
                };
                serialize_tagged(s, "custom_obj", &wire)
            }
            Self::Token { name } => serialize_tagged(s, "token", &WireNamed { arg: named(name) }),
            Self::ConstantInput { name, value } => {
                let wire = WireConstantInput {
                    name: name.clone(),
                    value: value.clone(),
                };
                serialize_tagged(s, "constant_input", &wire)
            }
        }
    }
}

impl Serialize for OutputSpec {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::UserOutput { arg } => {
                serialize_tagged(s, "user_output", &WireUser { arg: arg.clone() })
            }
            Self::LossOutput { name } => {
                serialize_tagged(s, "loss_output", &WireNamed { arg: named(name) })
            }
            Self::BufferMutation { name, fqn } => {
                let wire = WireBuffer {
                    arg: named(name),
                    buffer_name: fqn.clone(),
                    persistent: None,
                };
                serialize_tagged(s, "buffer_mutation", &wire)
            }
            Self::ParameterMutation { name, fqn } => {
                serialize_tagged(s, "parameter_mutation", &parameter(name, fqn))
            }
            Self::UserInputMutation { name, input } => {
                serialize_tagged(s, "user_input_mutation", &user_input(name, input))
            }
            Self::GradientToParameter { name, fqn } => {
                serialize_tagged(s, "gradient_to_parameter", &parameter(name, fqn))
            }
            Self::GradientToUserInput { name, input } => {
                serialize_tagged(s, "gradient_to_user_input", &user_input(name, input))
            }
            Self::Token { name } => serialize_tagged(s, "token", &WireNamed { arg: named(name) }),
        }
    }
}
