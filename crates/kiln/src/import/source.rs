//! The source of a node in the user's program.

use kiln_ir::graph::Source;
use kiln_pt2 as pt2;
use std::sync::Arc;

/// The source of a node.
pub(super) fn source_of(node: &pt2::Node) -> Source {
    let module = node.metadata.module().map_or("", |call| &call.path);
    let line = node.metadata.frames.last().map(|f| {
        let code = if f.code.is_empty() {
            String::new()
        } else {
            format!(": {}", f.code)
        };
        format!("{}:{} in {}{code}", f.file, f.line, f.function)
    });
    Source {
        node: node.label().into(),
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
