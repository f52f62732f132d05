//! Where a file's results differ from PyTorch's: special values.

use kiln_ir::graph::Node;
use kiln_ir::ops::BinaryFn;
use kiln_ir::{DType, Graph, NodeId, Op};
use kiln_transforms::analysis::constants::is_constant;
use kiln_transforms::analysis::ranges::{Integers, Ranges};
use kiln_transforms::framework::target::Reason;

/// The difference between the results of a node in a file and in PyTorch, if there is one.
pub(crate) fn difference(graph: &Graph, id: NodeId) -> Option<Reason> {
    let node = graph.node(id);
    of_floats(graph, node).or_else(|| of_integers(graph, node))
}

fn of_floats(graph: &Graph, node: &Node) -> Option<Reason> {
    let Op::Binary(op) = &node.op else {
        return None;
    };
    let [_, divisor] = node.operands[..] else {
        return None;
    };
    if !graph.ty(divisor).dtype.is_float() {
        return None;
    }
    match op.f {
        BinaryFn::Remainder | BinaryFn::Fmod => Some(Reason::new(
            "a remainder is NaN where the quotient is 2^40 or more",
            op.f.text(),
        )),
        BinaryFn::Div if !is_constant(graph, divisor) => Some(Reason::new(
            "TOSA divides by a product with the reciprocal, which is infinite for divisors below the least normal number",
            "a divisor that is not known ahead",
        )),
        _ => None,
    }
}

/// 64-bit integers are held in 32 bits.
fn of_integers(graph: &Graph, node: &Node) -> Option<Reason> {
    let wide = |&v: &kiln_ir::ValueId| graph.ty(v).dtype == DType::I64;
    let slot = node.results.iter().position(wide)?;
    if matches!(
        node.op,
        Op::Constant(_) | Op::ReadState(_) | Op::If(_) | Op::While(_)
    ) {
        return None;
    }
    let rule = "64-bit integers are held in 32 bits, and wrap beyond them";
    match Ranges::of_words(graph).before_wrapping(node.results[slot]) {
        Some(range) if Integers::between(i32::MIN, i32::MAX).holds(range) => None,
        Some(Integers { low, high }) => {
            Some(Reason::new(rule, format!("numbers from {low} to {high}")))
        }
        None => Some(Reason::new(rule, "numbers of which nothing is known")),
    }
}
