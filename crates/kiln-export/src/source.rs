//! The provenance of calls: the modules and the user's lines.

use kiln_ir::Graph;
use kiln_ir::graph::{Node, Source};
use kiln_pt2::{self as pt2, Argument, ExportedProgram, Frame, ModuleCall, NodeMetadata};
use rustc_hash::FxHashMap;

/// The metadata of the original program's nodes, by their names and modules. Nested graphs have names of their own.
pub(crate) struct Provenance<'p> {
    known: FxHashMap<(&'p str, &'p str), &'p NodeMetadata>,
    /// The call of the root.
    root: Option<&'p ModuleCall>,
}

impl<'p> Provenance<'p> {
    /// That of a program.
    pub(crate) fn of(program: &'p ExportedProgram) -> Provenance<'p> {
        let mut provenance = Provenance {
            known: FxHashMap::default(),
            root: None,
        };
        provenance.collect(&program.graph);
        provenance
    }

    fn collect(&mut self, graph: &'p pt2::Graph) {
        for node in &graph.nodes {
            let modules = &node.metadata.modules;
            self.root = self.root.or(modules.first());
            let module = node.metadata.module().map_or("", |call| &call.path);
            let key = (node.label(), module);
            self.known.entry(key).or_insert(&node.metadata);
            for input in &node.inputs {
                if let Argument::Graph(nested) = &input.arg {
                    self.collect(&nested.graph);
                }
            }
        }
    }

    /// The metadata of a node of the graph. Of several sources, the first one's that has a line.
    pub(crate) fn metadata(&self, graph: &Graph, node: &Node) -> NodeMetadata {
        let Some(source) = lead(graph, node) else {
            return NodeMetadata::default();
        };
        match self.known.get(&(&*source.node, &*source.module)) {
            Some(&metadata) => metadata.clone(),
            None => self.told(source),
        }
    }

    /// The metadata that a source's text tells.
    fn told(&self, source: &Source) -> NodeMetadata {
        let inner = (!source.module.is_empty()).then(|| ModuleCall {
            key: format!("L__self__{}", source.module),
            number: 0,
            path: source.module.to_string(),
            type_name: "torch.nn.modules.module.Module".to_owned(),
        });
        NodeMetadata {
            modules: self.root.cloned().into_iter().chain(inner).collect(),
            frames: frame(&source.line).into_iter().collect(),
        }
    }
}

/// The source that stands for a node.
pub(crate) fn lead<'g>(graph: &'g Graph, node: &Node) -> Option<&'g Source> {
    let mut sources = node.sources.iter().map(|&id| graph.source(id));
    let with_line = sources.clone().find(|source| !source.line.is_empty());
    with_line.or_else(|| sources.next())
}

/// The node, with its module and line, for messages.
pub(crate) fn described(graph: &Graph, node: &Node) -> String {
    let Some(source) = lead(graph, node) else {
        return "a node of no source".to_owned();
    };
    let mut text = format!("node {}", source.node);
    if !source.module.is_empty() {
        text.push_str(&format!(" of module {}", source.module));
    }
    if !source.line.is_empty() {
        text.push_str(&format!(" ({})", source.line));
    }
    text
}

/// Reads `file:line in function: code`.
fn frame(text: &str) -> Option<Frame> {
    let (place, rest) = text.split_once(" in ")?;
    let (file, line) = place.rsplit_once(':')?;
    let (function, code) = rest.split_once(": ").unwrap_or((rest, ""));
    Some(Frame {
        file: file.to_owned(),
        line: line.parse().ok()?,
        function: function.to_owned(),
        code: code.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_back() {
        let found = frame("net.py:5 in forward: return x in y");
        let code = "return x in y".to_owned();
        let (file, function) = ("net.py".to_owned(), "forward".to_owned());
        assert_eq!(
            found,
            Some(Frame {
                file,
                line: 5,
                function,
                code
            })
        );
        assert_eq!(frame(""), None);
    }
}
