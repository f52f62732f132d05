//! Calls of kernels that the user registers with the runtime.

use super::attribute::{Attribute, no_dims};
use super::*;
use crate::dim::Dim;
use crate::dtype::DType;
use crate::text::cursor::{Cursor, ParseError};
use crate::types::Shape;

family! {
    /// The results of a kernel `namespace::op.overload` of the user's, of which nothing is known but its name, its arguments in the order of
    /// its schema, and the types of its results.
    Foreign {
        /// The kernel's name, as the runtime finds it.
        kernel: Text,
        /// The arguments. Operands take the places of tensors, in order.
        arguments: Vec<Argument>,
        /// The results' types.
        results: Vec<Declared>,
    }
}

/// A name or another text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(pub String);

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// The next operand.
    Tensor,
    /// A list of so many next operands.
    Tensors(usize),
    /// None.
    None,
    /// An integer, which may be a size.
    Int(Dim),
    /// A list of integers.
    Ints(Vec<Dim>),
    /// A float.
    Float(f64),
    /// A bool.
    Bool(bool),
    /// A text.
    Text(Text),
    /// A dtype, by the runtime's code.
    DType(DType),
}

/// The type of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// The type of elements.
    pub dtype: DType,
    /// The sizes.
    pub shape: Shape,
}

impl Foreign {
    /// The number of operands that the arguments take.
    fn tensors(&self) -> usize {
        let taken = self.arguments.iter().map(|argument| match argument {
            Argument::Tensor => 1,
            Argument::Tensors(count) => *count,
            _ => 0,
        });
        taken.fold(0, usize::saturating_add)
    }
}

impl Family for Foreign {
    const NAME: &'static str = "foreign";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::Many("tensors")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: false,
            work: Growth::PerPair,
            parts: Parts::Dear,
            rounding: Rounding::Function,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Refused,
            meeting: Meeting::First,
            computes_reals: false,
            is_steep: true,
        }
    }

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        if operands.len() != self.tensors() {
            misfit!(
                "the arguments take {} tensors, found {}",
                self.tensors(),
                operands.len()
            );
        }
        if self.results.is_empty() {
            misfit!("a kernel gives at least one result");
        }
        let (namespace, op) = self.kernel.0.split_once("::").unwrap_or_default();
        if namespace.is_empty() || op.split_once('.').is_none() {
            misfit!(
                "{} is not the name of a kernel, namespace::op.overload",
                self.kernel.0
            );
        }
        let ty = |result: &Declared| TensorType::new(result.dtype, result.shape.clone());
        Ok(self.results.iter().map(ty).collect())
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        vec![AxisRole::Opaque; operands[operand].rank()]
    }
}

impl Attribute for Text {
    fn print(&self, out: &mut String, _: &Names<'_>) {
        out.push_str(&format!("{:?}", self.0));
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.quoted().map(Text)
    }
    no_dims!();
}

impl Attribute for Argument {
    fn print(&self, out: &mut String, names: &Names<'_>) {
        match self {
            Argument::Tensor => out.push_str("tensor"),
            Argument::Tensors(count) => {
                out.push_str("tensors ");
                count.print(out, names);
            }
            Argument::None => out.push_str("none"),
            Argument::Int(dim) => {
                out.push_str("int ");
                dim.print(out, names);
            }
            Argument::Ints(dims) => {
                out.push_str("ints ");
                dims.print(out, names);
            }
            Argument::Float(float) => {
                out.push_str("float ");
                float.print(out, names);
            }
            Argument::Bool(bool) => bool.print(out, names),
            Argument::Text(text) => text.print(out, names),
            Argument::DType(dtype) => {
                out.push_str("dtype ");
                dtype.print(out, names);
            }
        }
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        if cursor.peek("\"") {
            return Text::parse(cursor).map(Argument::Text);
        }
        match cursor.word()? {
            "tensor" => Ok(Argument::Tensor),
            "tensors" => usize::parse(cursor).map(Argument::Tensors),
            "none" => Ok(Argument::None),
            "int" => Dim::parse(cursor).map(Argument::Int),
            "ints" => Vec::parse(cursor).map(Argument::Ints),
            "float" => f64::parse(cursor).map(Argument::Float),
            "true" => Ok(Argument::Bool(true)),
            "false" => Ok(Argument::Bool(false)),
            "dtype" => DType::parse(cursor).map(Argument::DType),
            other => Err(cursor.error(format!("no argument is called {other}"))),
        }
    }
    fn for_each_dim(&self, visit: &mut dyn FnMut(&Dim)) {
        match self {
            Argument::Int(dim) => visit(dim),
            Argument::Ints(dims) => dims.iter().for_each(visit),
            _ => {}
        }
    }
    fn map_dims(&self, map: &mut dyn FnMut(&Dim) -> Dim) -> Result<Self, Misfit> {
        Ok(match self {
            Argument::Int(dim) => Argument::Int(map(dim)),
            Argument::Ints(dims) => Argument::Ints(dims.iter().map(map).collect()),
            other => other.clone(),
        })
    }
}

impl Attribute for Declared {
    fn print(&self, out: &mut String, names: &Names<'_>) {
        self.dtype.print(out, names);
        out.push(' ');
        self.shape.print(out, names);
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let dtype = DType::parse(cursor)?;
        let shape = Shape::parse(cursor)?;
        Ok(Declared { dtype, shape })
    }
    fn for_each_dim(&self, visit: &mut dyn FnMut(&Dim)) {
        self.shape.for_each_dim(visit);
    }
    fn map_dims(&self, map: &mut dyn FnMut(&Dim) -> Dim) -> Result<Self, Misfit> {
        let shape = self.shape.map_dims(map)?;
        Ok(Declared {
            dtype: self.dtype,
            shape,
        })
    }
}
