//! Weights that the archive quantises, and that the program has as floats.

use super::Causes;
use crate::counted::counted;
use indexmap::IndexMap;
use kiln_ir::{Graph, NodeId, Op, ValueId};
use kiln_transforms::framework::pass::{PassRun, names};
use kiln_transforms::framework::rewriting::nodes_in_use;
use kiln_transforms::framework::target::Reason;
use std::collections::BTreeSet;

/// The number of layers that a warning names; it counts the others.
const MAX_NAMES: usize = 8;

/// A layer of an imported graph whose weight is a dequantised constant.
#[derive(Clone, Debug)]
pub struct Layer {
    names: Vec<String>,
    /// Where its integers lie in memory, and how many bytes they are: calls that share a weight share them.
    integers: (usize, usize),
    /// The bytes of the weight as integers, without scales.
    packed: u64,
    /// The bytes of the weight as floats.
    unpacked: u64,
}

/// The layers with quantised weights of an imported graph.
pub fn layers(graph: &Graph) -> Vec<Layer> {
    let of_node = |&id: &NodeId| {
        let node = graph.node(id);
        let is_layer = matches!(
            node.op,
            Op::Linear(_) | Op::Conv(_) | Op::MatMul(_) | Op::Index(_)
        );
        let mut operands = node.operands.iter().filter(|_| is_layer);
        operands.find_map(|&v| dequantised(graph, v, names(graph, id)))
    };
    nodes_in_use(graph).iter().filter_map(of_node).collect()
}

/// The layer of a value that is the moved reals of a quantised constant.
fn dequantised(graph: &Graph, value: ValueId, names: Vec<String>) -> Option<Layer> {
    let node = graph.node(graph.producer(value)?);
    match &node.op {
        Op::Move(_) => dequantised(graph, node.operands[0], names),
        Op::Dequantize(op) => {
            let weight = node.operands[0];
            let ty = graph.ty(weight);
            let data = &graph.as_constant(weight)?.data;
            let elements = data.elements() as u64;
            let packed = match super::number(ty).as_str() {
                "i4" => elements.div_ceil(2),
                _ => elements * ty.dtype.size() as u64,
            };
            Some(Layer {
                names,
                integers: (data.bytes().as_ptr() as usize, data.bytes().len()),
                packed,
                unpacked: elements * op.dtype.size() as u64,
            })
        }
        _ => None,
    }
}

/// A warning for each reason why layers of this graph have lost their integers.
pub fn warnings(layers: &[Layer], graph: &Graph, runs: &[PassRun]) -> Vec<String> {
    let floats = names_with_floats(graph);
    let causes = Causes::of(runs);
    let mut lost: IndexMap<Option<&Reason>, Vec<&Layer>> = IndexMap::new();
    for layer in layers {
        if layer.names.iter().any(|name| floats.contains(name)) {
            let cause = causes.of_names(&layer.names);
            lost.entry(cause).or_default().push(layer);
        }
    }
    let warning = |(cause, layers): (Option<&Reason>, Vec<&Layer>)| text(cause, &layers);
    lost.into_iter().map(warning).collect()
}

/// The names of nodes with weights of which none is quantised.
fn names_with_floats(graph: &Graph) -> BTreeSet<String> {
    let (mut floats, mut kept) = (BTreeSet::new(), BTreeSet::new());
    for id in nodes_in_use(graph) {
        let constants = graph.node(id).operands.iter();
        let constants = constants.filter(|&&v| graph.as_constant(v).is_some());
        for ty in constants.map(|&v| graph.ty(v)) {
            if ty.quant.is_some() {
                kept.extend(names(graph, id));
            } else if ty.dtype.is_float() && ty.rank() > 1 {
                floats.extend(names(graph, id));
            }
        }
    }
    floats.difference(&kept).cloned().collect()
}

fn text(cause: Option<&Reason>, layers: &[&Layer]) -> String {
    let mut seen = BTreeSet::new();
    let distinct = layers.iter().filter(|layer| seen.insert(layer.integers));
    let (packed, unpacked) = distinct.fold((0, 0), |(packed, unpacked), layer| {
        (packed + layer.packed, unpacked + layer.unpacked)
    });
    let cause = cause.map_or(super::NO_INTEGERS.into(), Reason::to_string);
    format!(
        "the weights of {} are quantised, but floats in the program, {unpacked} bytes in place of {packed}: {cause}",
        listed(
            &counted(layers.len(), "layer"),
            layers.iter().map(|layer| layer.names.as_slice())
        )
    )
}

/// Layers by the exporter's names, after their number in words.
pub(super) fn listed<'n>(
    count: &str,
    layers: impl ExactSizeIterator<Item = &'n [String]>,
) -> String {
    let more = layers.len().saturating_sub(MAX_NAMES);
    let mut shown: Vec<String> = layers
        .take(MAX_NAMES)
        .map(|names| names.join(", "))
        .collect();
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    format!("{count} ({})", shown.join(", "))
}
