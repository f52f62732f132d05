//! Reasons why a graph cannot be emitted.

use kiln_ir::{Graph, NodeId};
use kiln_transforms::framework::target::Reason;

/// Why no program was made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmitError {
    /// A node that neither a delegate nor a kernel can run.
    #[error("method {method}: {node}{}: {reason}", at_line(line))]
    Node {
        /// The method.
        method: String,
        /// The node: its op and the exporter's names.
        node: String,
        /// The user's source line, empty if unknown.
        line: String,
        /// The reason.
        reason: Box<Reason>,
    },
    /// A fault of the method as a whole.
    #[error("method {method}: {reason}")]
    Method {
        /// The method.
        method: String,
        /// The reason.
        reason: Box<Reason>,
    },
}

fn at_line(line: &str) -> String {
    match line {
        "" => String::new(),
        line => format!(" ({line})"),
    }
}

impl EmitError {
    /// The error that a node cannot be lowered.
    pub(crate) fn node(graph: &Graph, node: NodeId, reason: Reason) -> EmitError {
        let sources = || graph.node(node).sources.iter().map(|&s| graph.source(s));
        let names: Vec<&str> = sources().map(|s| &*s.node).collect();
        let op = graph.node(node).op.name();
        EmitError::Node {
            method: graph.name.clone(),
            node: match names.as_slice() {
                [] => op.to_owned(),
                names => format!("{op} from {}", names.join(", ")),
            },
            line: sources()
                .find(|s| !s.line.is_empty())
                .map(|s| s.line.to_string())
                .unwrap_or_default(),
            reason: Box::new(reason),
        }
    }

    /// The error that a method cannot be lowered.
    pub(crate) fn method(graph: &Graph, reason: Reason) -> EmitError {
        EmitError::Method {
            method: graph.name.clone(),
            reason: Box::new(reason),
        }
    }
}
