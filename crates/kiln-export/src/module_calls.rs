//! Calls of modules: each node of a written program is in one, and the nodes of a call are next to each other.
//!
//! ```text
//! conv  in net, net.layer          conv  in net, net.layer
//! relu  in net, net.act       =>   relu  in net, net.act
//! add   in net, net.layer          add   in net, net.layer (second call)
//! sub   in no module               sub   in net, net.layer (second call)
//! ```
//!
//! `torch.export.unflatten` makes a module of each call. It takes a call as ended at the first node outside. Passes move and merge nodes,
//! so a call that is entered again is counted as another one.

use kiln_pt2::{ModuleCall, Node};
use rustc_hash::FxHashMap;

/// Numbers the calls in the order of the nodes. A node of no module is in the call of the node before it.
pub(crate) fn number(nodes: &mut [Node]) {
    let mut roots = nodes
        .iter()
        .filter_map(|node| node.metadata.modules.first());
    let root = roots.find(|call| is_root(call));
    let root = root.map(|call| ModuleCall {
        number: 0,
        ..call.clone()
    });
    let mut calls = Calls {
        original: Vec::new(),
        open: vec![root.unwrap_or_else(unknown_root)],
        counts: FxHashMap::default(),
    };
    for node in nodes {
        let modules = &mut node.metadata.modules;
        if !modules.is_empty() {
            let inner = modules.iter().filter(|call| !is_root(call));
            calls.enter(inner.collect());
        }
        modules.clone_from(&calls.open);
    }
}

fn is_root(call: &ModuleCall) -> bool {
    call.path.is_empty()
}

/// The root of a program that names no modules.
fn unknown_root() -> ModuleCall {
    ModuleCall {
        key: "L__self__".to_owned(),
        number: 0,
        path: String::new(),
        type_name: "torch.nn.modules.module.Module".to_owned(),
    }
}

/// The calls that are open at a node.
struct Calls {
    /// As the original program has them, without the root.
    original: Vec<ModuleCall>,
    /// As they are written, from the root on.
    open: Vec<ModuleCall>,
    /// The number of the calls of a module so far, by its path.
    counts: FxHashMap<String, u32>,
}

impl Calls {
    /// Goes on in these calls, which are within the root.
    fn enter(&mut self, inner: Vec<&ModuleCall>) {
        let pairs = self.original.iter().zip(&inner);
        let same = pairs.take_while(|(open, entered)| open == *entered).count();
        self.original.truncate(same);
        self.open.truncate(same + 1);
        for &entered in &inner[same..] {
            let number = self.counts.entry(entered.path.clone()).or_default();
            self.open.push(ModuleCall {
                number: *number,
                ..entered.clone()
            });
            *number += 1;
            self.original.push(entered.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_pt2::{Argument, NodeMetadata};

    fn call(path: &str, number: u32) -> ModuleCall {
        ModuleCall {
            key: format!("L__self__{path}"),
            number,
            path: path.to_owned(),
            type_name: "m.M".to_owned(),
        }
    }

    fn node(calls: &[(&str, u32)]) -> Node {
        let modules = calls.iter().map(|&(path, number)| call(path, number));
        Node {
            target: "torch.ops.aten.relu.default".to_owned(),
            inputs: Vec::new(),
            outputs: vec![Argument::Tensor("relu".to_owned())],
            metadata: NodeMetadata {
                modules: modules.collect(),
                frames: Vec::new(),
            },
            is_hop_single_tensor_return: None,
            name: None,
        }
    }

    fn numbered(mut nodes: Vec<Node>) -> Vec<Vec<String>> {
        number(&mut nodes);
        let calls = |node: &Node| {
            let calls = node.metadata.modules.iter();
            calls
                .map(|call| format!("{}@{}", call.path, call.number))
                .collect()
        };
        nodes.iter().map(calls).collect()
    }

    #[test]
    fn a_call_that_is_entered_again_is_another() {
        let found = numbered(vec![
            node(&[("", 0), ("net", 0), ("net.layer", 0)]),
            node(&[("", 0), ("net", 0), ("net.act", 0)]),
            node(&[("", 0), ("net", 0), ("net.layer", 0)]),
            node(&[]),
            node(&[("", 0), ("net", 1), ("net.layer", 1)]),
            node(&[("", 0)]),
            node(&[("", 0), ("net", 1)]),
        ]);
        let expected = [
            vec!["@0", "net@0", "net.layer@0"],
            vec!["@0", "net@0", "net.act@0"],
            vec!["@0", "net@0", "net.layer@1"],
            vec!["@0", "net@0", "net.layer@1"],
            vec!["@0", "net@1", "net.layer@2"],
            vec!["@0"],
            vec!["@0", "net@2"],
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn all_nodes_are_in_the_root() {
        let found = numbered(vec![node(&[]), node(&[("net", 0)]), node(&[("", 3)])]);
        assert_eq!(found, [vec!["@0"], vec!["@0", "net@0"], vec!["@0"]]);
    }
}
