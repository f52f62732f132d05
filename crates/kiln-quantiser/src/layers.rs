//! Layers whose weights become integers and whose activations are rounded when running.

use crate::weights::{by_channel, by_group, constant_of_integers};
use crate::{Mode, Quantised};
use kiln_ir::dynamic_quant::{DynamicQuant, Mapping};
use kiln_ir::graph::Node;
use kiln_ir::ops::{Conv, Dequantised};
use kiln_ir::{DType, Graph, NodeId, Op, Place, Rewriter, ValueId};
use rustc_hash::FxHashSet;

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

/// Quantises layers, those in branches and loops too, and tables.
pub(crate) fn quantise(graph: &mut Graph, mode: Mode) -> Quantised {
    let nodes = all_nodes(graph);
    let tables = tables(graph);
    let mut rewriter = Rewriter::new(graph);
    let mut done = Quantised::default();
    for id in nodes {
        let graph = rewriter.graph();
        let node = graph.node(id).clone();
        match &node.op {
            Op::Linear(_) | Op::Conv(_) => {
                match replaced(&mut rewriter, id, &node, mode, &tables) {
                    Some(()) => done.layers += 1,
                    None => done.left += 1,
                }
            }
            _ => {}
        }
    }
    done.tables = quantise_tables(graph);
    done
}

/// The nodes of all blocks.
pub(crate) fn all_nodes(graph: &Graph) -> Vec<NodeId> {
    let blocks = graph.blocks().map(|(block, _)| block);
    let nodes = blocks.flat_map(|block| graph.nodes_in(block));
    nodes.map(|(id, _)| id).collect()
}

/// Quantises the tables of look-ups. Gives how many nodes look up integers.
pub(crate) fn quantise_tables(graph: &mut Graph) -> usize {
    let nodes: Vec<NodeId> = graph.nodes_in(graph.root()).map(|(id, _)| id).collect();
    let mut rewriter = Rewriter::new(graph);
    let look_ups = nodes.into_iter().filter(|&id| {
        let node = rewriter.graph().node(id).clone();
        matches!(&node.op, Op::Index(op) if op.axis == 0)
            && look_up(&mut rewriter, id, &node).is_some()
    });
    look_ups.count()
}

/// Gives a look-up in a constant matrix a table of 8 bits, with a scale for each row.
fn look_up(rewriter: &mut Rewriter<'_>, id: NodeId, node: &Node) -> Option<()> {
    let graph = rewriter.graph();
    let table = node.operands[0];
    let ty = graph.ty(table);
    if ty.dtype != DType::F32 || ty.quant.is_some() || ty.rank() != 2 {
        return None;
    }
    let constant = graph.as_constant(table)?;
    // Places that are known are looked up ahead.
    if graph.as_constant(node.operands[1]).is_some() {
        return None;
    }
    let (name, integers) = (
        constant.name.clone(),
        by_channel(&constant.data, Some(0), &[])?,
    );
    let op = Dequantised {
        op: Box::new(node.op.clone()),
        dtype: DType::F32,
        activation: None,
    };
    let integers = constant_of_integers(rewriter, Place::Before(id), name, integers)?;
    rewriter
        .replace_node(id, op, &[integers, node.operands[1]])
        .ok()?;
    Some(())
}

/// The matrices in which rows are looked up.
fn tables(graph: &Graph) -> FxHashSet<ValueId> {
    let nodes = graph.nodes_in(graph.root()).map(|(_, node)| node);
    let looks_up = |node: &&Node| matches!(&node.op, Op::Index(op) if op.axis == 0);
    nodes
        .filter(looks_up)
        .map(|node| node.operands[0])
        .collect()
}

fn replaced(
    rewriter: &mut Rewriter<'_>,
    id: NodeId,
    node: &Node,
    mode: Mode,
    tables: &FxHashSet<ValueId>,
) -> Option<()> {
    let graph = rewriter.graph();
    let (weight, axis) = weight(graph, node)?;
    let data = &graph.as_constant(weight)?.data;
    let name = graph.as_constant(weight)?.name.clone();
    let is_linear = matches!(node.op, Op::Linear(_));
    let rank = graph.ty(node.operands[0]).rank();
    // XNNPACK rounds images for plain convolutions of one or two dims only.
    let is_other =
        matches!(&node.op, Op::Conv(conv) if conv.groups > 1 || conv.transposed || rank > 4);
    let is_other = is_other && mode != Mode::Weights;
    if is_other || graph.ty(node.operands[0]).dtype != DType::F32 {
        return None;
    }
    // A table has 8 bits, and the layer that shares it takes the same.
    let fits = is_linear
        && !tables.contains(&weight)
        && data
            .sizes()
            .get(1)
            .is_some_and(|columns| columns.is_multiple_of(GROUP));
    let constant = match mode {
        Mode::FourBit if fits => by_group(data, GROUP)?,
        _ => by_channel(data, axis, &[])?,
    };
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
        activation: (mode != Mode::Weights).then_some(activation),
    };
    let integers = constant_of_integers(rewriter, Place::Before(id), name, constant)?;
    let mut operands = node.operands.to_vec();
    operands[1] = integers;
    rewriter.replace_node(id, op, &operands).ok()?;
    Some(())
}
