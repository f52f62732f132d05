//! Layers whose known weights follow a permutation of their operand.

use crate::analysis::constants::is_constant;
use kiln_ir::graph::Node;
use kiln_ir::{Graph, Op};

/// True if the node multiplies the whole innermost axis of this operand (channels last) by weights that are known at
/// compile time, so that the weights can be permuted instead of the operand. For [`OrderRules::absorbs`] of a target
/// whose constants are data of its own.
///
/// [`OrderRules::absorbs`]: super::OrderRules::absorbs
pub fn has_known_weights(graph: &Graph, node: &Node, operand: usize) -> bool {
    let is_dense = match node.op.computing() {
        Op::Conv(op) => op.groups == 1 && !op.transposed,
        Op::Linear(_) => true,
        _ => false,
    };
    let weight = node.operands.get(1);
    operand == 0 && is_dense && weight.is_some_and(|&w| is_constant(graph, w))
}
