//! A call of an operator, before it has a name.

use kiln_pt2::{Argument, ArgumentKind, NamedArgument, ScalarType};

/// An operator with its arguments.
pub(crate) struct Call {
    /// The operator without `torch.ops.`: `aten.add.Tensor`.
    pub(crate) target: String,
    pub(crate) inputs: Vec<NamedArgument>,
}

impl Call {
    /// A call without arguments.
    pub(crate) fn new(target: impl Into<String>) -> Call {
        Call {
            target: target.into(),
            inputs: Vec::new(),
        }
    }

    fn with(mut self, name: &str, arg: Argument, kind: ArgumentKind) -> Call {
        self.inputs.push(NamedArgument {
            name: name.to_owned(),
            arg,
            kind: Some(kind),
        });
        self
    }

    /// The next argument by position.
    pub(crate) fn arg(self, name: &str, arg: impl Into<Value>) -> Call {
        self.with(name, arg.into().0, ArgumentKind::Positional)
    }

    /// An argument by keyword.
    pub(crate) fn keyword(self, name: &str, arg: impl Into<Value>) -> Call {
        self.with(name, arg.into().0, ArgumentKind::Keyword)
    }

    /// The word in the middle of the operator's name: `add` of `aten.add.Tensor`.
    pub(crate) fn word(&self) -> &str {
        let mut parts = self.target.split('.');
        parts.nth(1).unwrap_or(&self.target)
    }
}

/// What an argument may be made of.
pub(crate) struct Value(pub(crate) Argument);

impl From<Argument> for Value {
    fn from(argument: Argument) -> Value {
        Value(argument)
    }
}

/// The name of a tensor.
impl From<&str> for Value {
    fn from(name: &str) -> Value {
        Value(Argument::Tensor(name.to_owned()))
    }
}

/// The name of a tensor.
impl From<String> for Value {
    fn from(name: String) -> Value {
        Value(Argument::Tensor(name))
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value(Argument::Int(number))
    }
}

/// An axis or a count.
impl From<usize> for Value {
    fn from(number: usize) -> Value {
        Value(Argument::Int(number as i64))
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value(Argument::Float(number))
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Value {
        Value(Argument::Bool(flag))
    }
}

impl From<&[i64]> for Value {
    fn from(numbers: &[i64]) -> Value {
        Value(Argument::Ints(numbers.to_vec()))
    }
}

/// Axes.
impl From<&[usize]> for Value {
    fn from(axes: &[usize]) -> Value {
        Value(Argument::Ints(axes.iter().map(|&a| a as i64).collect()))
    }
}

impl From<ScalarType> for Value {
    fn from(dtype: ScalarType) -> Value {
        Value(Argument::ScalarType(dtype))
    }
}

/// A text.
pub(crate) fn text(words: &str) -> Argument {
    Argument::String(words.to_owned())
}
