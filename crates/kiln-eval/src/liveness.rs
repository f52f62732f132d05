//! Liveness of the values of a block.

use kiln_ir::arena::Id;
use kiln_ir::{BlockId, Graph, ValueId};

/// The last uses of the values of a block.
#[derive(Debug)]
pub struct Liveness {
    /// For each position of a node, the values whose last use it is.
    pub dying: Vec<Vec<ValueId>>,
    /// Parameters without uses.
    pub unused_params: Vec<ValueId>,
    /// Values that live to the end: the block's results, and in the root block the new contents of cells.
    pub kept: Vec<ValueId>,
}

impl Liveness {
    /// The liveness of one block.
    pub fn of(graph: &Graph, block: BlockId) -> Liveness {
        let mut kept = graph.block(block).results.clone();
        if block == graph.root() {
            kept.extend(graph.updates().iter().map(|u| u.value));
        }
        let mut seen = vec![false; graph.value_bound()];
        kept.iter().for_each(|v| seen[v.index()] = true);
        let nodes: Vec<_> = graph.nodes_in(block).map(|(_, node)| node).collect();
        let mut dying = vec![Vec::new(); nodes.len()];
        for (node, dying) in nodes.iter().zip(&mut dying).rev() {
            for &value in node.results.iter().chain(&node.operands) {
                if !std::mem::replace(&mut seen[value.index()], true) {
                    dying.push(value);
                }
            }
        }
        let params = graph.block(block).params.iter().copied();
        Liveness {
            dying,
            unused_params: params.filter(|v| !seen[v.index()]).collect(),
            kept,
        }
    }
}
