//! Sizes that may be 0 at run time, such as an exported batch without a lower bound.
//!
//! The library runs operators on empty tensors as no-ops, and gives their results the right sizes (measured for every
//! operator that this crate emits). There are exceptions: the result of a convolution or pool of an empty image has
//! arbitrary sizes, or the call fails. The call also fails for products of matrices without rows or columns, and for a
//! softmax along an axis of size 0. An op whose result has elements although an operand has none, such as a sum over
//! nothing, gives a wrong number.

use super::Query;
use kiln_ir::graph::Node;
use kiln_ir::ops::Conv;
use kiln_ir::verify::bound_symbol;
use kiln_ir::{Dim, Graph, Op, SymbolId, ValueId};
use kiln_transforms::framework::target::Reason;
use std::collections::BTreeSet;

const ADVICE: &str = "export with a lower bound of at least 1 for the size";
const FOUND_ADVICE: &str = "take a fixed number of elements, such as the first of `topk`";

impl Query<'_> {
    /// Refuses a node whose result may have elements although an operand has none.
    pub(super) fn empty_operands(&self) -> Result<(), Reason> {
        let of_results = zero_symbols(self.graph, &self.node.results);
        let of_operands = zero_symbols(self.graph, &self.node.operands);
        if of_operands.is_subset(&of_results) {
            return Ok(());
        }
        let rule = "where an operand has no elements XNNPACK gives none, and the op gives some";
        Err(Reason::new(rule, "a size that may be 0 in an operand alone").advise(ADVICE))
    }

    /// Refuses a node that fails on empty tensors if the size depends on data, for example the number of found elements. A
    /// model that looks for something often finds nothing. Nobody exports a model to run it on inputs without elements, so
    /// those are left to [`difference`](super::difference()).
    pub(super) fn nothing_found(&self) -> Result<(), Reason> {
        let graph = self.graph;
        match fails_on(graph, self.node, |size| {
            may_be_zero(graph, size) && is_found(graph, size)
        }) {
            None => Ok(()),
            Some(reason) => {
                let found = "a number of found elements, which may be 0";
                Err(Reason::new(reason.rule, found).advise(FOUND_ADVICE))
            }
        }
    }
}

/// True if a size depends on data: how many elements a node finds, or a number that it computes.
fn is_found(graph: &Graph, size: &Dim) -> bool {
    let mut nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    nodes.any(|(_, node)| {
        let mut mentions = false;
        if let Some(bound) = bound_symbol(&node.op) {
            size.for_each_symbol(&mut |symbol| mentions |= symbol == bound);
        }
        mentions
    })
}

/// Why a delegate may fail on empty tensors, or give other sizes than PyTorch; `None` if it cannot.
pub(super) fn fails_on_nothing(graph: &Graph, node: &Node) -> Option<Reason> {
    fails_on(graph, node, |size| may_be_zero(graph, size))
}

/// Why a delegate fails where a size that may be 0 is. `is_empty` tells such sizes.
fn fails_on(graph: &Graph, node: &Node, is_empty: impl Fn(&Dim) -> bool) -> Option<Reason> {
    let shape = |i: usize| graph.ty(node.operands[i]).shape.as_slice();
    let is_open = |sizes: &[Dim]| sizes.iter().any(&is_empty);
    let rule = match &node.op {
        Op::Conv(op) if !is_pointwise(graph, node, op) && is_open(shape(0)) => {
            "XNNPACK's windows fail on images of no elements"
        }
        Op::Pool(_) | Op::AdaptivePool(_) if is_open(shape(0)) => {
            "XNNPACK's windows fail on images of no elements"
        }
        Op::MatMul(_) if (0..2).any(|i| is_open(last(shape(i), 2))) => {
            "XNNPACK's products fail on matrices without rows or columns"
        }
        Op::Softmax(op) if is_empty(&shape(0)[op.axis]) => {
            "XNNPACK's softmax fails along an axis of no elements"
        }
        _ => return None,
    };
    Some(Reason::new(rule, "a size that may be 0").advise(ADVICE))
}

fn last(sizes: &[Dim], count: usize) -> &[Dim] {
    &sizes[sizes.len().saturating_sub(count)..]
}

/// True for a convolution that is lowered to a product.
fn is_pointwise(graph: &Graph, node: &Node, op: &Conv) -> bool {
    let kernel = &graph.ty(node.operands[1]).shape[2..];
    !op.transposed
        && kernel.iter().all(|k| k.is(1))
        && op.groups == 1
        && op.stride.iter().all(|&s| s == 1)
}

/// The symbols of all sizes that may be 0.
fn zero_symbols(graph: &Graph, values: &[ValueId]) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    let sizes = values.iter().flat_map(|&v| graph.ty(v).shape.iter());
    for size in sizes.filter(|size| may_be_zero(graph, size)) {
        size.for_each_symbol(&mut |symbol| {
            found.insert(symbol);
        });
    }
    found
}

fn may_be_zero(graph: &Graph, size: &Dim) -> bool {
    graph.symbols.bounds(size).lo.is_none_or(|lo| lo < 1)
}
