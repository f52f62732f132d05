//! Why a graph has no outputs.

use crate::verify::Fault;

/// Why a graph has no outputs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EvaluateError {
    /// The graph breaks rules.
    #[error("the graph has {} faults: {}", .0.len(), .0.first().map_or_else(String::new, ToString::to_string))]
    Faults(Vec<Fault>),
    /// An input is missing or of another type.
    #[error("{0}")]
    Input(String),
    /// The specification leaves the result open, or this evaluator does.
    #[error("{place}: {what}")]
    At {
        /// Region and operator.
        place: String,
        /// What was found.
        what: String,
    },
}
