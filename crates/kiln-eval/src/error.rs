//! Why an evaluation fails.

use kiln_ir::{NodeId, ops::Misfit};

/// An error, and the node at which it occurred.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{cause}", place.as_ref().map(|p| format!("{p}: ")).unwrap_or_default())]
pub struct EvalError {
    /// The innermost node that was evaluated; `None` for errors in the inputs.
    pub place: Option<NodePlace>,
    /// The error.
    pub cause: Cause,
}

/// The description of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodePlace {
    /// The node.
    pub node: NodeId,
    /// The name of its op family.
    pub op: &'static str,
    /// The exporter's names of the nodes from which it stems.
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

/// The kinds of errors.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Cause {
    /// Operands and attributes do not match for the actual sizes.
    #[error("{0}")]
    Misfit(String),
    /// An integer division by zero.
    #[error("an integer is divided by zero")]
    DivisionByZero,
    /// An index is outside of its axis.
    #[error("index {index} is out of range for axis {axis} of size {size}")]
    IndexOutOfRange {
        /// The index.
        index: i64,
        /// The axis that it indexes.
        axis: usize,
        /// The size of that axis.
        size: usize,
    },
    /// A maximum or minimum of no elements.
    #[error("a maximum or minimum of no elements (axes {axes:?} of sizes {sizes:?})")]
    ExtremeOfNothing {
        /// The reduced axes.
        axes: Vec<usize>,
        /// The sizes of the operand.
        sizes: Vec<usize>,
    },
    /// A combination that PyTorch does not support either.
    #[error("{0}")]
    Unsupported(String),
    /// The results need more memory than the options allow.
    #[error("needs {needed} more bytes, but only {left} of the allowed {limit} are left")]
    OutOfMemory {
        /// The bytes that the results need; saturates.
        needed: u64,
        /// The bytes that were left.
        left: u64,
        /// [`crate::Options::max_bytes`].
        limit: u64,
    },
    /// A symbol has no value.
    #[error("{dim} has no value: {why}")]
    NoValue {
        /// The expression.
        dim: String,
        /// The reason.
        why: &'static str,
    },
    /// A value is outside of the symbol's range.
    #[error("{symbol} is {value}, outside of its range {min}..={}", max.map_or("∞".to_string(), |m| m.to_string()))]
    SymbolRange {
        /// The name of the symbol.
        symbol: String,
        /// The value.
        value: i64,
        /// The least allowed value.
        min: i64,
        /// The greatest allowed value.
        max: Option<i64>,
    },
    /// The loops did not end within the allowed number of iterations.
    #[error("the loop did not end within {limit} iterations")]
    Iterations {
        /// [`crate::Options::max_iterations`].
        limit: u64,
    },
    /// Blocks are nested too deeply.
    #[error("blocks are nested more than {limit} deep")]
    Nesting {
        /// The greatest allowed depth.
        limit: usize,
    },
    /// The number of inputs differs from the graph's number of tensor parameters.
    #[error("{found} inputs are given, but the graph has {expected} tensor inputs")]
    InputCount {
        /// The number of given inputs.
        found: usize,
        /// The number of parameters of the root block.
        expected: usize,
    },
    /// An input has another dtype or rank than its parameter.
    #[error("input {input} is {found}, expected {expected}")]
    InputType {
        /// The position in the list of inputs.
        input: usize,
        /// The type of the input.
        found: String,
        /// The type of the parameter.
        expected: String,
    },
    /// A size of an input does not match.
    #[error("input {input} has size {found} along dim {axis}: {why}")]
    InputSize {
        /// The position in the list of inputs.
        input: usize,
        /// The axis.
        axis: usize,
        /// The size.
        found: usize,
        /// The reason.
        why: String,
    },
    /// A node's result does not have the type that the graph says.
    #[error("result {result} is {found}, but its type in the graph is {expected}")]
    ResultType {
        /// The number of the result.
        result: usize,
        /// The type of the result.
        found: String,
        /// The type in the graph, with its sizes evaluated.
        expected: String,
    },
    /// A cell has no content, or a tensor of another type.
    #[error("state cell {name}: {why}")]
    State {
        /// The name of the cell.
        name: String,
        /// The reason.
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

/// Returns a formatted [`Cause::Misfit`].
macro_rules! misfit {
    ($($arg:tt)*) => { return Err($crate::error::Cause::Misfit(format!($($arg)*))) };
}
pub(crate) use misfit;
