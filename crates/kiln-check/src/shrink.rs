//! Finds the smallest part of a graph that still shows a fault.

use crate::region::region;
use kiln_ir::graph::Use;
use kiln_ir::{Graph, NodeId, Op, Rewriter, TensorData};
use rustc_hash::FxHashSet;

/// The limit on parts that are tried. Each costs a run of the examined pass.
const MAX_TRIES: usize = 3000;

/// A part of `graph` for which `shows` holds, and of which no run of nodes can be left out. It is the graph itself if
/// no part shows the fault. The search begins at the nodes `near`.
pub fn shrink(graph: &Graph, near: &[NodeId], shows: &dyn Fn(&Graph) -> bool) -> Graph {
    let mut search = Search {
        graph,
        shows,
        tries: 0,
    };
    let Some(kept) = search.grow(near) else {
        return graph.clone();
    };
    let kept = search.thin_out(kept);
    let Some(part) = search.part(&kept) else {
        return graph.clone();
    };
    plain_constants(part, shows)
}

struct Search<'s> {
    graph: &'s Graph,
    shows: &'s dyn Fn(&Graph) -> bool,
    tries: usize,
}

impl Search<'_> {
    fn part(&self, kept: &[NodeId]) -> Option<Graph> {
        region(self.graph, &kept.iter().copied().collect())
    }

    fn holds(&mut self, kept: &[NodeId]) -> bool {
        self.tries += 1;
        let is_tried = self.tries <= MAX_TRIES && !kept.is_empty();
        is_tried && self.part(kept).is_some_and(|g| (self.shows)(&g))
    }

    /// Nodes in order, widened around `near` until they show the fault.
    fn grow(&mut self, near: &[NodeId]) -> Option<Vec<NodeId>> {
        let all = members(self.graph);
        let mut kept: FxHashSet<NodeId> = near.iter().copied().collect();
        loop {
            let ordered: Vec<NodeId> = all.iter().copied().filter(|n| kept.contains(n)).collect();
            if self.holds(&ordered) {
                return Some(ordered);
            }
            if ordered.len() == all.len() {
                return None;
            }
            let before = kept.len();
            let neighbours: Vec<NodeId> = ordered
                .iter()
                .flat_map(|&n| neighbours(self.graph, n))
                .collect();
            kept.extend(neighbours);
            if kept.len() == before {
                kept.extend(&all);
            }
        }
    }

    /// Leaves out runs of nodes, long ones first.
    fn thin_out(&mut self, mut kept: Vec<NodeId>) -> Vec<NodeId> {
        let mut length = kept.len() / 2;
        while length > 0 {
            let (mut at, before) = (0, kept.len());
            while at < kept.len() {
                let end = (at + length).min(kept.len());
                let rest: Vec<NodeId> = kept[..at].iter().chain(&kept[end..]).copied().collect();
                if self.holds(&rest) {
                    kept = rest;
                } else {
                    at = end;
                }
            }
            if kept.len() == before || length > 1 {
                length /= 2;
            }
        }
        kept
    }
}

/// The root's nodes without constants and reads of state, which a part copies or replaces.
fn members(graph: &Graph) -> Vec<NodeId> {
    let nodes = graph.nodes_in(graph.root());
    let is_member = |op: &Op| !matches!(op, Op::Constant(_) | Op::ReadState(_));
    nodes
        .filter(|(_, node)| is_member(&node.op))
        .map(|(id, _)| id)
        .collect()
}

fn neighbours(graph: &Graph, id: NodeId) -> Vec<NodeId> {
    let Some(node) = graph.try_node(id) else {
        return Vec::new();
    };
    let makers = node.operands.iter().filter_map(|&v| graph.producer(v));
    let uses = node.results.iter().flat_map(|&r| graph.value(r).uses());
    let readers = uses.filter_map(|u| match u {
        Use::Operand(reader, _) => Some(*reader),
        Use::BlockResult(..) | Use::Update(_) => None,
    });
    makers.chain(readers).collect()
}

/// Replaces large constants by one repeated number, where the fault still shows.
fn plain_constants(mut part: Graph, shows: &dyn Fn(&Graph) -> bool) -> Graph {
    let ids: Vec<_> = part.constants().map(|(id, _)| id).collect();
    for id in ids {
        let constant = part.constant(id);
        let data = &constant.data;
        if data.elements() <= 16 || data.as_splat().is_some() || constant.ty.quant.is_some() {
            continue;
        }
        let Some(first) = data.get(0) else { continue };
        let splat = TensorData::splat(data.dtype(), data.sizes().to_vec(), first);
        let mut plain = part.clone();
        Rewriter::new(&mut plain).set_constant_data(id, splat);
        if shows(&plain) {
            part = plain;
        }
    }
    part
}

/// The nodes of `before` that a rewrite touched. `after` is a clone of `before` that was rewritten.
pub fn touched(before: &Graph, after: &Graph) -> Vec<NodeId> {
    let is_touched = |&id: &NodeId| match after.try_node(id) {
        None => true,
        Some(new) => {
            let old = before.node(id);
            new.op != old.op || new.operands != old.operands
        }
    };
    members(before).into_iter().filter(is_touched).collect()
}
