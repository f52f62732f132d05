//! Nodes between equal steps of a quantisation, in which rounding decides ties.

use kiln_ir::graph::{Node, Use};
use kiln_ir::types::QuantScheme;
use kiln_ir::{Graph, Op, ValueId};

/// True if a node's first operand is dequantised from the steps to which all readers quantise the result.
pub fn is_between_equal_steps(graph: &Graph, node: &Node) -> bool {
    let maker = graph.producer(node.operands[0]).map(|id| graph.node(id));
    let from = maker
        .filter(|maker| matches!(maker.op, Op::Dequantize(_)))
        .and_then(|maker| scale(graph, maker.operands[0]));
    let quantises = |reader: &Use| match *reader {
        Use::Operand(id, _) => {
            let reader = graph.node(id);
            matches!(reader.op, Op::Quantize(_)) && scale(graph, reader.result()) == from
        }
        Use::BlockResult(..) | Use::Update(_) => false,
    };
    let readers = graph.value(node.result()).uses();
    from.is_some() && readers.iter().all(quantises)
}

/// The scale of a value that is quantised by tensor.
fn scale(graph: &Graph, value: ValueId) -> Option<f64> {
    match graph.ty(value).quant.as_ref()?.scheme {
        QuantScheme::PerTensor { scale, .. } => Some(scale),
        QuantScheme::PerChannel { .. } | QuantScheme::PerGroup { .. } => None,
    }
}
