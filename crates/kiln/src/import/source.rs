//! The source of a node in the user's program.

use super::input_name;
use kiln_ir::graph::Source;
use kiln_pt2::{self as pt2, Argument};
use std::sync::Arc;

/// The exporter's name of a node, else the name of its first output.
pub(super) fn node_name(node: &pt2::Node) -> String {
    let first = node.outputs.first().and_then(|o| match o {
        Argument::Tensors(list) => list.first().map(String::as_str),
        other => input_name(other),
    });
    node.name
        .as_deref()
        .or(first)
        .unwrap_or(&node.target)
        .to_string()
}

/// The source of a node.
pub(super) fn source_of(node: &pt2::Node) -> Source {
    let module = node.metadata.module.as_ref().map_or("", |m| &m.path);
    let line = node.metadata.frames.last().map(|f| {
        let code = if f.code.is_empty() {
            String::new()
        } else {
            format!(": {}", f.code)
        };
        format!("{}:{} in {}{code}", f.file, f.line, f.function)
    });
    Source {
        node: node_name(node).into(),
        target: node
            .target
            .strip_prefix("torch.ops.")
            .unwrap_or(&node.target)
            .into(),
        module: module.into(),
        line: Arc::from(line.unwrap_or_default()),
    }
}

/// The user's line in which an error arose.
pub(super) fn describe(node: &pt2::Node) -> String {
    let source = source_of(node);
    let mut text = format!("node {}", source.node);
    if !source.module.is_empty() {
        text.push_str(&format!(" of module {}", source.module));
    }
    if !source.line.is_empty() {
        text.push_str(&format!(" ({})", source.line));
    }
    text
}
