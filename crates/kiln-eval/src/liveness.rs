//! Where values of a block are read for the last time.

use kiln_ir::arena::Id;
use kiln_ir::{BlockId, Graph, ValueId};

/// When the values of a block can go.
#[derive(Debug)]
pub struct Liveness {
    /// By position of the node: what nothing reads behind it.
    pub dying: Vec<Vec<ValueId>>,
    /// Parameters that nothing reads.
    pub unused_params: Vec<ValueId>,
    /// What stays to the end: the block's results, and for the root the new contents of cells.
    pub kept: Vec<ValueId>,
}

impl Liveness {
    /// Of one block.
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
