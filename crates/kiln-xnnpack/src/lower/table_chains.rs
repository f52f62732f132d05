//! Cuts chains of elementwise operators that XNNPACK cannot merge to one table.
//!
//! From integers of 8 bits to integers of 8 bits, the library computes a chain of functions of one element ahead, as a table of 256
//! entries, floats in between included (`xnn_subgraph_fuse_unary_quantized_into_lut`, `src/subgraph.c`). It takes at most ten
//! nodes of a chain into a graph of its own, which has no room for more; a chain of ten crashes the process (measured). A view
//! ends a chain.

use super::Lowered;
use crate::payload::{ValueId as Tensor, XnnGraph, XnnNode, XnnOp};
use rustc_hash::FxHashSet;

/// The most nodes of a chain that the library merges.
const MOST: usize = 9;

/// Ends each chain behind at most [`MOST`] nodes.
pub(super) fn cut(lowered: &mut Lowered) {
    let mut readers = only_readers(&lowered.graph);
    let mut start = 0;
    while start < lowered.graph.nodes.len() {
        let chain = chain_from(&lowered.graph, &readers, start);
        match cut_behind(&lowered.graph, &chain) {
            Some(last) => {
                end_behind(lowered, last, chain[MOST]);
                readers = only_readers(&lowered.graph);
            }
            None => start += 1,
        }
    }
}

/// The only node that reads each value, if there is one.
fn only_readers(graph: &XnnGraph) -> Vec<Option<usize>> {
    let mut readers = vec![(None, 0); graph.values.len()];
    for (i, node) in graph.nodes.iter().enumerate() {
        for value in node.op.inputs() {
            let (only, count) = &mut readers[value.index()];
            *count += usize::from(*only != Some(i));
            *only = Some(i);
        }
    }
    let only = |(only, count)| if count == 1 { only } else { None };
    readers.into_iter().map(only).collect()
}

/// The nodes of a chain that begins at a node, one more than [`MOST`] at the most; a range of results counts as a node. Empty if none
/// begins there.
fn chain_from(graph: &XnnGraph, readers: &[Option<usize>], start: usize) -> Vec<usize> {
    let mut values = FxHashSet::default();
    let Some(input) = input_of(graph, start, &values) else {
        return Vec::new();
    };
    if graph.values[input.index()].datatype.bits() != 8 {
        return Vec::new();
    }
    let (mut chain, mut node) = (Vec::new(), start);
    loop {
        let XnnNode { op, clamp, .. } = &graph.nodes[node];
        chain.push(node);
        if clamp.is_some() && matches!(op, XnnOp::Binary { .. }) {
            chain.push(node);
        }
        values.extend(op.inputs().into_iter().chain(op.outputs()));
        let next = readers[op.outputs()[0].index()];
        match next.filter(|&next| input_of(graph, next, &values).is_some()) {
            Some(next) if chain.len() <= MOST => node = next,
            _ => return chain,
        }
    }
}

/// The operand of a function of one element; the values are those of the chain before it.
fn input_of(graph: &XnnGraph, node: usize, values: &FxHashSet<Tensor>) -> Option<Tensor> {
    let is_number = |value: Tensor| {
        let value = &graph.values[value.index()];
        value.constant.is_some() && value.dims.iter().all(|&n| n == 1)
    };
    match &graph.nodes[node].op {
        XnnOp::Unary { input, .. } | XnnOp::Elu { input, .. } | XnnOp::LeakyRelu { input, .. } => {
            Some(*input)
        }
        XnnOp::Binary { inputs: [a, b], .. } => match (is_number(*a), is_number(*b)) {
            (true, false) => Some(*b),
            (false, true) => Some(*a),
            _ => (values.contains(a) && values.contains(b)).then_some(*a),
        },
        _ => None,
    }
}

/// The node behind which a chain is cut: the last one that gives integers, and else the last one.
fn cut_behind(graph: &XnnGraph, chain: &[usize]) -> Option<usize> {
    if chain.len() <= MOST {
        return None;
    }
    // A node may stand for two.
    let next = chain[MOST];
    let before = &chain[..chain.iter().position(|&node| node == next)?];
    let gives_integers = |node: &&usize| {
        let output = graph.nodes[**node].op.outputs()[0];
        graph.values[output.index()].datatype.bits() == 8
    };
    before
        .iter()
        .rev()
        .find(gives_integers)
        .or(before.last())
        .copied()
}

/// Puts a view between a node's result and what reads it.
fn end_behind(lowered: &mut Lowered, node: usize, later: usize) {
    let graph = &mut lowered.graph;
    let made = graph.nodes[node].op.outputs()[0];
    let dims = lowered.dims[made.index()].clone();
    let mut value = graph.values[made.index()].clone();
    value.external = None;
    let read = graph.add_value(value);
    for reader in &mut graph.nodes[node + 1..=later] {
        let input = match &mut reader.op {
            XnnOp::Unary { input, .. }
            | XnnOp::Elu { input, .. }
            | XnnOp::LeakyRelu { input, .. } => std::slice::from_mut(input),
            XnnOp::Binary { inputs, .. } => inputs.as_mut_slice(),
            _ => continue,
        };
        input
            .iter_mut()
            .filter(|v| **v == made)
            .for_each(|v| *v = read);
    }
    let (input, output, flags) = (made, read, 0);
    let unknown = dims.iter().filter(|d| d.as_const().is_none()).count();
    let op = match unknown {
        0 | 1 => XnnOp::Reshape {
            shape: dims
                .iter()
                .map(|d| d.as_const().map_or(0, |n| n as u32))
                .collect(),
            input,
            output,
            flags,
        },
        _ => XnnOp::Transpose {
            perm: (0..dims.len() as u32).collect(),
            input,
            output,
            flags,
        },
    };
    lowered.dims.push(dims);
    let debug_handle = graph.nodes[node].debug_handle;
    let view = XnnNode {
        debug_handle,
        ..XnnNode::new(op)
    };
    graph.nodes.insert(node + 1, view);
}
