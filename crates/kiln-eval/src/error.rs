//! Why a graph has no value.

use kiln_ir::{NodeId, ops::Misfit};

/// What went wrong, and at which node.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{cause}", place.as_ref().map(|p| format!("{p}: ")).unwrap_or_default())]
pub struct EvalError {
    /// The innermost node that was running; `None` for the inputs.
    pub place: Option<NodePlace>,
    /// What was found.
    pub cause: Cause,
}

/// A node in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodePlace {
    /// Which node.
    pub node: NodeId,
    /// Its op family.
    pub op: &'static str,
    /// The exporter's names of what it stems from.
    pub sources: Vec<String>,
}

impl std::fmt::Display for NodePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.node, self.op)?;
        if self.sources.is_empty() {
            Ok(())
        } else {
            write!(f, " ({})", self.sources.join(", "))
        }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Cause {
    /// Operands and attributes do not fit at the sizes found.
    #[error("{0}")]
    Misfit(String),
    /// An integer division by zero.
    #[error("an integer is divided by zero")]
    DivisionByZero,
    /// An index outside its axis.
    #[error("index {index} is out of range for axis {axis} of size {size}")]
    IndexOutOfRange {
        /// The index.
        index: i64,
        /// The axis that it indexes.
        axis: usize,
        /// That axis's size.
        size: usize,
    },
    /// The extreme of no elements.
    #[error("the extreme of no elements (axes {axes:?} of sizes {sizes:?})")]
    ExtremeOfNothing {
        /// The axes that were folded.
        axes: Vec<usize>,
        /// The operand's sizes.
        sizes: Vec<usize>,
    },
    /// A combination that PyTorch has not either.
    #[error("{0}")]
    Unsupported(String),
    /// More memory than the options allow.
    #[error("takes {needed} bytes more where {left} of the allowed {limit} are left")]
    OutOfMemory {
        /// What the results take; saturated.
        needed: u64,
        /// What was left.
        left: u64,
        /// [`crate::Options::max_bytes`].
        limit: u64,
    },
    /// A symbol without a value.
    #[error("{dim} has no value: {why}")]
    NoValue {
        /// The expression.
        dim: String,
        /// Why.
        why: &'static str,
    },
    /// A value outside the symbol's range.
    #[error("{symbol} is {value}, outside of its range {min}..={}", max.map_or("∞".to_string(), |m| m.to_string()))]
    SymbolRange {
        /// The symbol's name.
        symbol: String,
        /// The value.
        value: i64,
        /// The least allowed.
        min: i64,
        /// The greatest allowed.
        max: Option<i64>,
    },
    /// A loop that did not end within the allowed number of iterations.
    #[error("the loop did not end within {limit} iterations")]
    Iterations {
        /// [`crate::Options::max_iterations`].
        limit: u64,
    },
    /// Blocks nested deeper than the evaluator follows.
    #[error("blocks are nested more than {limit} deep")]
    Nesting {
        /// The greatest depth.
        limit: usize,
    },
    /// Another number of inputs than the graph has tensor parameters.
    #[error("{found} inputs given, the graph takes {expected} tensors")]
    InputCount {
        /// How many were given.
        found: usize,
        /// How many the root block takes.
        expected: usize,
    },
    /// An input of another dtype or rank.
    #[error("input {input} is {found}, expected {expected}")]
    InputType {
        /// Which, as in the list of inputs.
        input: usize,
        /// Its type.
        found: String,
        /// The parameter's type.
        expected: String,
    },
    /// A size of an input that does not fit.
    #[error("input {input} has size {found} along dim {axis}: {why}")]
    InputSize {
        /// Which, as in the list of inputs.
        input: usize,
        /// Along which axis.
        axis: usize,
        /// The size.
        found: usize,
        /// What was expected.
        why: String,
    },
    /// A node's result is not of the type that the graph says.
    #[error("result {result} is {found}, the graph says {expected}")]
    ResultType {
        /// Which result.
        result: usize,
        /// Its type.
        found: String,
        /// The value's type, sizes evaluated.
        expected: String,
    },
    /// A cell that holds nothing, or a tensor of another type.
    #[error("state cell {name}: {why}")]
    State {
        /// The cell's name.
        name: String,
        /// What is wrong.
        why: String,
    },
}

impl From<Misfit> for Cause {
    fn from(misfit: Misfit) -> Cause {
        Cause::Misfit(misfit.0)
    }
}

impl From<Cause> for EvalError {
    fn from(cause: Cause) -> EvalError {
        EvalError { place: None, cause }
    }
}

/// Fails with a formatted [`Cause::Misfit`].
macro_rules! misfit {
    ($($arg:tt)*) => { return Err($crate::error::Cause::Misfit(format!($($arg)*))) };
}
pub(crate) use misfit;
