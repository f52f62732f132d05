//! Why a call cannot be imported.

use kiln_ir::movement::MovementError;
use kiln_ir::ops::Misfit;

/// A call that cannot be imported: where, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{node}: {target}: {problem}")]
pub struct ImportError {
    /// The op.
    pub target: String,
    /// The node's name in the program.
    pub node: String,
    /// What is wrong.
    pub problem: Problem,
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
        expected: &'static str,
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
