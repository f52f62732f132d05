//! Why a call cannot be imported.

use kiln_ir::movement::MovementError;
use kiln_ir::ops::Misfit;
use std::fmt;

/// A call that cannot be imported: where, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{node}: {target}: {problem}{given}")]
pub struct ImportError {
    /// The op.
    pub target: String,
    /// The node's name in the program.
    pub node: String,
    /// What is wrong.
    pub problem: Problem,
    /// What it was called with.
    pub given: Given,
}

/// The arguments of a call: each one's name, which is empty where it has only a position, and what it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given(pub Box<[(String, String)]>);

/// Messages show so many arguments.
const MOST_SHOWN: usize = 12;

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Given(args) = self;
        let one = |(name, found): &(String, String)| match name.as_str() {
            "" => found.clone(),
            _ => format!("`{name}` {found}"),
        };
        let mut shown: Vec<String> = args.iter().take(MOST_SHOWN).map(one).collect();
        if args.len() > shown.len() {
            shown.push(format!("{} more", args.len() - shown.len()));
        }
        if shown.is_empty() {
            return Ok(());
        }
        write!(f, "; called with {}", shown.join(", "))
    }
}

/// What an argument should be.
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
    /// A number of which the value is known.
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
    /// An int of which the value is known.
    #[error("an int known ahead of time")]
    KnownInt,
    /// A list of ints, known or symbolic.
    #[error("a list of ints")]
    Ints,
    /// A list of ints of which the values are known.
    #[error("ints known ahead of time")]
    KnownInts,
    /// A known int for each spatial axis, or one for all.
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
    /// An argument that the schema does not have.
    #[error("there is no argument `{0}`")]
    Surplus(String),
    /// An argument of another kind than the schema's.
    #[error("argument `{name}` is {found}; expected {expected}")]
    Argument {
        /// Its name.
        name: &'static str,
        /// What it should be.
        expected: Kind,
        /// What it is.
        found: String,
    },
    /// A case of the op that cannot be expressed; says what would do.
    #[error("{0}")]
    Unsupported(String),
    /// Operands do not fit a core op: a malformed call.
    #[error("{0}")]
    Misfit(#[from] Misfit),
    /// Shapes do not fit a movement: a malformed call.
    #[error("{0}")]
    Movement(#[from] MovementError),
    /// An inferred type provably differs from the declared one: a bug of the importer or a damaged archive.
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
    pub(crate) fn unsupported(text: impl Into<String>) -> Problem {
        Problem::Unsupported(text.into())
    }
}
