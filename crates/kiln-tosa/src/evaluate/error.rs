//! The errors of an evaluation.

use crate::verify::Fault;

/// Why a graph has no outputs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EvaluateError {
    /// The graph has faults.
    #[error("the graph has {} faults: {}", .0.len(), .0.first().map_or_else(String::new, ToString::to_string))]
    Faults(Vec<Fault>),
    /// An input is missing, or of another type.
    #[error("{0}")]
    Input(String),
    /// The specification leaves the result open, or this evaluator does not compute it.
    #[error("{place}: {what}")]
    At {
        /// The region and the operator.
        place: String,
        /// What was found.
        what: String,
    },
}
