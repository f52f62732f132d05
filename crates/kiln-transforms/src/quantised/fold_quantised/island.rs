//! Finds chains of float ops that compute a function of one integer. A target can replace such a chain by a table.

use super::carry::{integers_of, is_float};
use crate::framework::rewriting::nodes_in_use;
use kiln_ir::{DType, Graph, NodeId, Op, ValueId};

/// The most nodes of one island.
const MAX_NODES: usize = 256;

/// Float ops between a dequantisation and a quantisation. Each element of the result is a function of the integer at
/// the same position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Island {
    /// The nodes in order: dequantisations of the input, the ops, and the quantisation at the end.
    pub nodes: Vec<NodeId>,
    /// The integers that are dequantised, with 8 or 16 bits and one scale and zero point.
    pub input: ValueId,
    /// The integers that the quantisation gives. They have the shape of the input.
    pub output: ValueId,
}

/// The islands of a graph, in the order of their last nodes. Islands may share nodes. A float of an island may have
/// readers outside of it, which keep it alive. Constants in an island have one element.
pub fn islands(graph: &Graph) -> Vec<Island> {
    let nodes = nodes_in_use(graph);
    let mut position = vec![usize::MAX; graph.node_bound()];
    for (i, id) in nodes.iter().enumerate() {
        position[kiln_ir::arena::Id::index(*id)] = i;
    }
    let mut found: Vec<Island> = Vec::new();
    for &id in &nodes {
        if let Some(mut island) = island_of(graph, id) {
            island
                .nodes
                .sort_by_key(|n| position[kiln_ir::arena::Id::index(*n)]);
            found.push(island);
        }
    }
    found
}

/// The island that ends at a quantisation.
fn island_of(graph: &Graph, last: NodeId) -> Option<Island> {
    let node = graph.node(last);
    let Op::Quantize(_) = node.op else {
        return None;
    };
    let output = node.result();
    let mut input = None;
    let (mut nodes, mut open) = (vec![last], vec![node.operands[0]]);
    while let Some(value) = open.pop() {
        if is_one_number(graph, value) {
            continue;
        }
        let id = graph.producer(value)?;
        if nodes.contains(&id) {
            continue;
        }
        nodes.push(id);
        if nodes.len() > MAX_NODES {
            return None;
        }
        match integers_of(graph, value) {
            Some(integers) if input.is_none_or(|known| known == integers) => input = Some(integers),
            Some(_) => return None,
            None if is_elementwise(&graph.node(id).op) => {
                open.extend(graph.node(id).operands.iter().copied());
            }
            None => return None,
        }
    }
    let input = input?;
    let (from, to) = (graph.ty(input), graph.ty(output));
    let is_small = |dtype: DType| dtype.size() <= 2;
    let is_whole = |v: ValueId| super::Stored::of(graph, v).is_some_and(|s| s.whole().is_some());
    let fits = is_small(from.dtype) && is_small(to.dtype) && is_whole(input) && is_whole(output);
    let is_same = from.shape.equal(&to.shape, &graph.symbols) == Some(true);
    let computes = nodes.iter().any(|&n| is_elementwise(&graph.node(n).op));
    (fits && is_same && computes).then_some(Island {
        nodes,
        input,
        output,
    })
}

fn is_one_number(graph: &Graph, value: ValueId) -> bool {
    let constant = graph.as_constant(value);
    constant.is_some_and(|c| c.data.elements() == 1 && !is_quantised(graph, value))
}

fn is_quantised(graph: &Graph, value: ValueId) -> bool {
    !is_float(graph, value) && graph.ty(value).quant.is_some()
}

fn is_elementwise(op: &Op) -> bool {
    matches!(
        op,
        Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select(_) | Op::Cast(_)
    )
}
