//! The op table. Each family is declared once: its attributes, operands, shape and dtype rule, the relation of its
//! operands' axes to its results' axes, its facts ([`facts`]), its name in the text form, and its document. Verifier,
//! printer, parser, interpreter, checker and passes read these declarations.
//!
//! A family is a struct of attributes that implements [`Family`]; [`Op`] is the enum of all families. A match on [`Op`]
//! says what a stage *does* with a family. It is exhaustive where each family needs code of its own: in the
//! interpreter's kernels, the decompositions, and a runtime's kernels. It has a `_` only where families that are not
//! named are refused or left as they are.

pub mod attribute;
mod contraction;
mod control;
mod data;
mod distance;
mod dynamic;
mod elementwise;
pub mod facts;
pub mod foreign;
mod function;
mod indexing;
mod normalise;
mod quantise;
mod quantised;
mod reduce;
mod sample;
mod source;
mod unary;
mod window;

pub use contraction::{Conv, Linear, MatMul};
pub use control::{If, While};
pub use data::{Broadcast, Concat, Move, Pad, PadMode, Reverse, Slice, SliceUpdate};
pub use distance::Distances;
pub use dynamic::{Dequantised, FakeQuantize};
pub use elementwise::{Binary, BinaryFn, Cast, Compare, CompareFn, Select, broadcast_dim};
pub use facts::{Alias, Facts, Growth, InnerRounding, Meaning, Meeting, Parts, Rounding};
pub use foreign::Foreign;
pub use indexing::{Gather, Index, IndexPut, Scatter, ScatterFn};
pub use normalise::{Attention, NormKind, Normalize, Softmax};
pub use quantise::{Dequantize, Quantised, Quantize, Requantize};
pub use reduce::{ArgFn, ArgReduce, NonZero, Reduce, ReduceFn, Scan, ScanFn, Sort, TopK};
pub use sample::{GridSample, Outside, SampleMode};
pub use source::{BindSymbol, Constant, DimValue, Iota, ReadState};
pub use unary::{Simple, Unary, UnaryFn};
pub use window::{AdaptivePool, Pool, PoolFn, Resize, ResizeMode};

use crate::dim::Dim;
use crate::graph::Graph;
use crate::text::cursor::{Cursor, ParseError};
use crate::types::TensorType;
use attribute::Names;
use smallvec::SmallVec;

/// The types of a node's results.
pub type Types = SmallVec<[TensorType; 1]>;

/// The context of a shape rule, besides the operands.
pub struct Infer<'g> {
    /// The graph, for its symbols, constants, cells and blocks.
    pub graph: &'g Graph,
}

/// Why operands and attributes do not match a family.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Misfit(pub String);

/// Returns a formatted [`Misfit`].
macro_rules! misfit {
    ($($arg:tt)*) => { return Err($crate::ops::Misfit(format!($($arg)*))) };
}
pub(crate) use misfit;

/// An operand slot of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A required operand.
    One(&'static str),
    /// An operand that may be absent. If it is, so are all later ones.
    Optional(&'static str),
    /// Any number of operands; the last slot.
    Many(&'static str),
}

/// How an axis of an operand relates to the axes of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisRole {
    /// Index `i` of the operand's axis affects only index `i` of this result axis. An operand of size 1 is broadcast
    /// along it.
    Parallel(usize),
    /// Every index of this result axis depends on the whole axis of the operand, and the sizes are equal (softmax,
    /// sort, scan).
    Mixed(usize),
    /// The axis is reduced. The result keeps it with size 1.
    Reduced(usize),
    /// Multiplied and summed with an axis of another operand.
    Contracted,
    /// Each index of this result axis depends on a window of the operand's axis, or on another selection that is known
    /// at compile time.
    Windowed(usize),
    /// Picked from by indices that are known only at run time.
    Indexed,
    /// No relation that a rewrite could use.
    Opaque,
}

/// The declaration of an op family; see the module.
pub trait Family: Sized {
    /// The name in the text form.
    const NAME: &'static str;
    /// The document of the struct.
    const DOC: &'static str;
    /// The operand slots.
    const OPERANDS: &'static [Slot];

    /// The facts of the op with these attributes.
    fn facts(&self) -> Facts;

    /// The types of the results.
    ///
    /// # Errors
    /// If operands and attributes do not match.
    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit>;

    /// The relation of each axis of operand `operand` to the axes of the results.
    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole>;
}

/// The attributes of a family as text, and their sizes. The `family!` macro implements it.
pub trait Attributes: Sized {
    /// Appends `name=value, ...`.
    fn print(&self, out: &mut String, names: &Names<'_>);

    /// Parses the text that `print` writes.
    ///
    /// # Errors
    /// If something else comes next.
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError>;

    /// Calls `visit` for each size in the attributes.
    fn for_each_dim(&self, visit: &mut dyn FnMut(&Dim));

    /// The attributes with their sizes replaced.
    ///
    /// # Errors
    /// If the new sizes are invalid.
    fn map_dims(&self, map: &mut dyn FnMut(&Dim) -> Dim) -> Result<Self, Misfit>;
}

/// Declares the struct of a family. The attributes print in the order of the fields.
macro_rules! family {
    ($(#[doc = $doc:literal])* $name:ident {
        $($(#[$fdoc:meta])* $field:ident : $ty:ty),* $(,)?
    }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $($(#[$fdoc])* pub $field: $ty),* }
        impl $name {
            pub(crate) const DOCUMENT: &'static str = concat!($($doc, "\n"),*);
        }
        impl $crate::ops::Attributes for $name {
            #[allow(unused_variables, unused_mut, unused_assignments)]
            fn print(&self, out: &mut String, names: &$crate::ops::attribute::Names<'_>) {
                let mut separator = "";
                $(
                    out.push_str(separator);
                    out.push_str(concat!(stringify!($field), "="));
                    $crate::ops::attribute::Attribute::print(&self.$field, out, names);
                    separator = ", ";
                )*
            }
            #[allow(unused_variables, unused_mut, unused_assignments)]
            fn parse(cursor: &mut $crate::text::cursor::Cursor<'_>) -> Result<Self, $crate::text::cursor::ParseError> {
                let mut first = true;
                $(
                    if !first { cursor.expect(",")?; }
                    first = false;
                    cursor.expect(concat!(stringify!($field), "="))?;
                    let $field = $crate::ops::attribute::Attribute::parse(cursor)?;
                )*
                Ok($name { $($field),* })
            }
            #[allow(unused_variables)]
            fn for_each_dim(&self, visit: &mut dyn FnMut(&$crate::dim::Dim)) {
                $($crate::ops::attribute::Attribute::for_each_dim(&self.$field, visit);)*
            }
            #[allow(unused_variables)]
            fn map_dims(&self, map: &mut dyn FnMut(&$crate::dim::Dim) -> $crate::dim::Dim) -> Result<Self, $crate::ops::Misfit> {
                Ok($name { $($field: $crate::ops::attribute::Attribute::map_dims(&self.$field, map)?),* })
            }
        }
    };
}
pub(crate) use family;

/// A row of the op table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name in the text form.
    pub name: &'static str,
    /// What the family computes.
    pub doc: &'static str,
    /// The operand slots.
    pub operands: &'static [Slot],
}

impl Row {
    /// The least and the greatest number of operands.
    pub fn arity(&self) -> (usize, usize) {
        let least = self
            .operands
            .iter()
            .filter(|s| matches!(s, Slot::One(_)))
            .count();
        let many = self.operands.iter().any(|s| matches!(s, Slot::Many(_)));
        (
            least,
            if many {
                usize::MAX
            } else {
                self.operands.len()
            },
        )
    }
}

macro_rules! families {
    ($($name:ident),* $(,)?) => {
        /// The operation of a node: one of the families, with its attributes.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum Op { $($name($name)),* }

        /// All families, in the order of [`Op`].
        pub const TABLE: &[Row] = &[$(Row {
            name: <$name as Family>::NAME,
            doc: <$name as Family>::DOC,
            operands: <$name as Family>::OPERANDS,
        }),*];

        impl Op {
            /// The row of the op's family.
            pub fn row(&self) -> Row {
                match self { $(Op::$name(_) => Row {
                    name: <$name as Family>::NAME,
                    doc: <$name as Family>::DOC,
                    operands: <$name as Family>::OPERANDS,
                }),* }
            }

            /// The types of the results; see [`Family::infer`].
            ///
            /// # Errors
            /// If operands and attributes do not match.
            pub fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
                let (least, most) = self.row().arity();
                if operands.len() < least || operands.len() > most {
                    misfit!("{} takes {} operands, found {}", self.name(), arity_text(least, most), operands.len());
                }
                let results = match self { $(Op::$name(op) => op.infer(cx, operands)),* }?;
                match operands.iter().any(|ty| ty.quant.is_some()) {
                    true => quantised::settle(self, cx, operands, results),
                    false => Ok(results),
                }
            }

            /// The relation of each axis of an operand to the axes of the results; see [`Family::axes`].
            pub fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
                match self { $(Op::$name(op) => op.axes(operands, operand)),* }
            }

            /// Appends the attributes as text.
            pub fn print_attributes(&self, out: &mut String, names: &Names<'_>) {
                match self { $(Op::$name(op) => Attributes::print(op, out, names)),* }
            }

            /// Calls `visit` for each size in the attributes.
            pub fn for_each_dim(&self, visit: &mut dyn FnMut(&Dim)) {
                match self { $(Op::$name(op) => Attributes::for_each_dim(op, visit)),* }
            }

            /// The op with the sizes in its attributes replaced.
            ///
            /// # Errors
            /// If the new sizes are invalid.
            pub fn map_dims(&self, map: &mut dyn FnMut(&Dim) -> Dim) -> Result<Op, Misfit> {
                match self { $(Op::$name(op) => Attributes::map_dims(op, map).map(Op::from)),* }
            }

            /// The facts of the op, which are true on every target.
            pub fn facts(&self) -> Facts {
                match self { $(Op::$name(op) => op.facts()),* }
            }

            /// Parses the attributes of the family `name`.
            ///
            /// # Errors
            /// If there is no such family, or its attributes do not come next.
            pub fn parse_attributes(name: &str, cursor: &mut Cursor<'_>) -> Result<Op, ParseError> {
                match name {
                    $(<$name as Family>::NAME => Ok(Op::$name(Attributes::parse(cursor)?)),)*
                    _ => Err(cursor.error(format!("no op is called {name}"))),
                }
            }
        }

        $(impl From<$name> for Op {
            fn from(op: $name) -> Op { Op::$name(op) }
        })*
    };
}

families! {
    Constant, ReadState, DimValue, BindSymbol, Iota,
    Unary, Binary, Compare, Select, Cast,
    Move, Broadcast, Slice, Reverse, Pad, Concat, SliceUpdate,
    Reduce, ArgReduce, Scan, Sort, TopK, NonZero,
    MatMul, Linear, Conv, Distances,
    Pool, AdaptivePool, Resize, GridSample,
    Gather, Index, Scatter, IndexPut,
    Softmax, Normalize, Attention,
    Quantize, Dequantize, Requantize, Quantised, FakeQuantize, Dequantised,
    Foreign,
    If, While,
}

impl Op {
    /// The name in the text form.
    pub fn name(&self) -> &'static str {
        self.row().name
    }

    /// The op that computes: the inner op of `quantised` and `dequantised`, otherwise the op itself.
    pub fn computing(&self) -> &Op {
        match self {
            Op::Quantised(quantised) => &quantised.op,
            Op::Dequantised(dequantised) => &dequantised.op,
            own => own,
        }
    }
}

fn arity_text(least: usize, most: usize) -> String {
    match most {
        usize::MAX => format!("{least} or more"),
        _ if least == most => least.to_string(),
        _ => format!("{least} to {most}"),
    }
}

/// One result of this type.
pub(crate) fn one(ty: TensorType) -> Result<Types, Misfit> {
    Ok(SmallVec::from_elem(ty, 1))
}

/// Checks that `axis` is an axis of the operand.
pub(crate) fn check_axis(axis: usize, ty: &TensorType) -> Result<(), Misfit> {
    if axis >= ty.rank() {
        misfit!("axis {axis} is not one of the operand's {}", ty.rank());
    }
    Ok(())
}

/// Parallel roles for all axes.
pub(crate) fn parallel(rank: usize) -> Vec<AxisRole> {
    (0..rank).map(AxisRole::Parallel).collect()
}

/// Parallel roles for all axes but one.
pub(crate) fn parallel_but(rank: usize, axis: usize, role: AxisRole) -> Vec<AxisRole> {
    (0..rank)
        .map(|i| {
            if i == axis {
                role
            } else {
                AxisRole::Parallel(i)
            }
        })
        .collect()
}
