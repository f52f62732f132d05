//! Layers whose weights become integers and whose activations are rounded when running.

use crate::Mode;
use crate::weights::{by_channel, by_group, constant_of_integers};
use kiln_ir::dynamic_quant::{DynamicQuant, Mapping};
use kiln_ir::graph::Node;
use kiln_ir::ops::{Conv, Dequantised};
use kiln_ir::{DType, Graph, NodeId, Op, Place, Rewriter, ValueId};

/// The elements of a group that share a scale of 4 bits.
const GROUP: usize = 32;

/// The constant weight of a layer in f32, with the axis of its output channels; `None` for other nodes. Weights of a transposed
/// convolution in groups have no such axis.
pub(crate) fn weight(graph: &Graph, node: &Node) -> Option<(ValueId, Option<usize>)> {
    let axis = match &node.op {
        Op::Linear(_) => Some(0),
        Op::Conv(Conv {
            transposed, groups, ..
        }) => match (transposed, groups) {
            (false, _) => Some(0),
            (true, 1) => Some(1),
            (true, _) => None,
        },
        _ => return None,
    };
    let weight = node.operands[1];
    let is_plain = graph.as_constant(weight).is_some() && graph.ty(weight).dtype == DType::F32;
    (is_plain && graph.ty(weight).quant.is_none()).then_some((weight, axis))
}

/// Quantises layers. Gives how many were, and how many were not.
pub(crate) fn quantise(graph: &mut Graph, mode: Mode) -> (usize, usize) {
    let nodes: Vec<NodeId> = graph.nodes_in(graph.root()).map(|(id, _)| id).collect();
    let mut rewriter = Rewriter::new(graph);
    let (mut done, mut left) = (0, 0);
    for id in nodes {
        let graph = rewriter.graph();
        let node = graph.node(id).clone();
        if !matches!(node.op, Op::Linear(_) | Op::Conv(_)) {
            continue;
        }
        match replaced(&mut rewriter, id, &node, mode) {
            Some(()) => done += 1,
            None => left += 1,
        }
    }
    (done, left)
}

fn replaced(rewriter: &mut Rewriter<'_>, id: NodeId, node: &Node, mode: Mode) -> Option<()> {
    let graph = rewriter.graph();
    let (weight, axis) = weight(graph, node)?;
    let data = &graph.as_constant(weight)?.data;
    let name = graph.as_constant(weight)?.name.clone();
    let is_linear = matches!(node.op, Op::Linear(_));
    let is_grouped = matches!(&node.op, Op::Conv(conv) if conv.groups > 1 || conv.transposed);
    // XNNPACK rounds images for plain convolutions only.
    if is_grouped || graph.ty(node.operands[0]).dtype != DType::F32 {
        return None;
    }
    let fits = is_linear
        && data
            .sizes()
            .get(1)
            .is_some_and(|columns| columns % GROUP == 0);
    let constant = match mode {
        Mode::FourBit if fits => by_group(data, GROUP)?,
        _ => by_channel(data, axis)?,
    };
    let rank = graph.ty(node.operands[0]).rank();
    let activation = DynamicQuant {
        // Rows of a linear layer; whole images of a convolution.
        axes: if is_linear { 1 } else { rank - 1 },
        mapping: Mapping::Asymmetric,
        min: -128,
        max: 127,
        eps: f64::from(f32::MIN_POSITIVE),
        scale: DType::F32,
        zero_point_first: false,
    };
    let op = Dequantised {
        op: Box::new(node.op.clone()),
        dtype: DType::F32,
        activation: Some(activation),
    };
    let integers = constant_of_integers(rewriter, Place::Before(id), name, constant)?;
    let mut operands = node.operands.to_vec();
    operands[1] = integers;
    rewriter.replace_node(id, op, &operands).ok()?;
    Some(())
}
