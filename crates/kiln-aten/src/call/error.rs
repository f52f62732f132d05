//! Why a call cannot be imported.

use kiln_ir::movement::MovementError;
use kiln_ir::ops::Misfit;
use std::fmt;

/// A call that cannot be imported: which call, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{node}: {target}: {problem}{given}")]
pub struct ImportError {
    /// The op.
    pub target: String,
    /// The node's name in the program.
    pub node: String,
    /// What is wrong.
    pub problem: Problem,
    /// The arguments of the call.
    pub given: Given,
}

/// The arguments of a call, as pairs of a name and a description. The name of a positional argument is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given(pub Box<[(String, String)]>);

/// An error message shows this many arguments.
const MAX_SHOWN: usize = 12;

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Given(args) = self;
        let one = |(name, found): &(String, String)| match name.as_str() {
            "" => found.clone(),
            _ => format!("`{name}` {found}"),
        };
        let mut shown: Vec<String> = args.iter().take(MAX_SHOWN).map(one).collect();
        if args.len() > shown.len() {
            shown.push(format!("{} more", args.len() - shown.len()));
        }
        if shown.is_empty() {
            return Ok(());
        }
        write!(f, "; called with {}", shown.join(", "))
    }
}

/// The kind of argument that an op expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum Kind {
    /// A tensor.
    #[error("a tensor")]
    Tensor,
    /// A list of tensors.
    #[error("a list of tensors")]
    Tensors,
    /// An operand of arithmetic.
    #[error("a tensor or number")]
    Operand,
    /// A number whose value is known at import.
    #[error("a number known ahead of time")]
    Number,
    /// A bool.
    #[error("a bool")]
    Bool,
    /// A string.
    #[error("a string")]
    Text,
    /// A dtype.
    #[error("a dtype")]
    DType,
    /// An int, known or symbolic.
    #[error("an int")]
    Int,
    /// An int whose value is known at import.
    #[error("an int known ahead of time")]
    KnownInt,
    /// A list of ints, known or symbolic.
    #[error("a list of ints")]
    Ints,
    /// A list of ints whose values are known at import.
    #[error("ints known ahead of time")]
    KnownInts,
    /// One known int for each spatial axis, or one for all of them.
    #[error("one int, or one for each spatial axis")]
    Spatial,
}

/// What is wrong with a call.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// The table has no such op.
    #[error(
        "no such op is known; export with `exported.run_decompositions()` to get core ATen ops, or rewrite this part of the model"
    )]
    UnknownOp,
    /// An argument is missing.
    #[error("argument `{0}` is missing")]
    Missing(&'static str),
    /// An argument that is not in the schema.
    #[error("there is no argument `{0}`")]
    Surplus(String),
    /// An argument that is not of the kind that the op expects.
    #[error("argument `{name}` is {found}; expected {expected}")]
    Argument {
        /// The argument's name.
        name: &'static str,
        /// The expected kind.
        expected: Kind,
        /// The argument that was found.
        found: String,
    },
    /// A case of the op that cannot be expressed in core ops. The text says what would do instead.
    #[error("{0}")]
    Unsupported(String),
    /// Operands do not fit a core op: the call is malformed.
    #[error("{0}")]
    Misfit(#[from] Misfit),
    /// Shapes do not fit a movement: the call is malformed.
    #[error("{0}")]
    Movement(#[from] MovementError),
    /// The inferred type provably differs from the declared type: the importer has a bug, or the archive is damaged.
    #[error("result {result} has type {inferred}, but the program declares {declared}")]
    Declared {
        /// Position of the result.
        result: usize,
        /// The declared type.
        declared: String,
        /// The inferred type.
        inferred: String,
    },
}

impl Problem {
    /// True if a well-formed call is refused, false if the call makes no sense.
    pub fn is_refusal(&self) -> bool {
        use Problem::{Argument, UnknownOp, Unsupported};
        matches!(self, UnknownOp | Unsupported(_) | Argument { .. })
    }

    pub(crate) fn unsupported(text: impl Into<String>) -> Problem {
        Problem::Unsupported(text.into())
    }
}
