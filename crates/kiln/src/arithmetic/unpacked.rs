//! Weights that the archive has as integers, and with which the program computes as floats.

use super::Causes;
use super::weight::{Form, integers_behind};
use crate::counted::counted;
use indexmap::{IndexMap, IndexSet};
use kiln_ir::{DType, Graph, NodeId, Op, TensorType, ValueId};
use kiln_transforms::analysis::constants::{constant_of, is_constant};
use kiln_transforms::framework::pass::{PassRun, names};
use kiln_transforms::framework::rewriting::nodes_in_use;
use kiln_transforms::framework::target::Target;
use std::collections::{BTreeMap, BTreeSet};

/// The number of layers that a warning names; it counts the others.
const MAX_NAMES: usize = 8;

/// The number of a layer's calls that a warning names.
const MAX_CALLS: usize = 3;

/// Why weights are floats that the archive dequantises by parameters which no type holds.
const OTHER_PARAMETERS: &str = "integers have whole zero points within their range, and positive scales of the tensor, of channels or of groups; \
     found others in the archive; quantise with such ones, or let --quantize round the float model";
/// Why weights are floats that the archive casts and scales.
const BY_HAND: &str = "the archive casts and scales them by ops of its own, such as run_decompositions() makes; export without that call if you made it, \
     or export the float model and let --quantize round it";

/// A layer of an imported graph whose weight is made of constant integers.
#[derive(Clone, Debug)]
pub struct Layer {
    names: Vec<String>,
    form: Form,
    /// Where its integers lie in memory, and how many bytes they are: calls that share a weight share them.
    integers: (usize, usize),
    /// The bytes of the weight as integers, without scales.
    packed: u64,
}

/// The layers with weights of integers of an imported graph.
pub fn layers(graph: &Graph) -> Vec<Layer> {
    let all = nodes_in_use(graph);
    all.iter().filter_map(|&id| layer(graph, id)).collect()
}

fn is_layer(op: &Op) -> bool {
    matches!(
        op,
        Op::Linear(_) | Op::Conv(_) | Op::MatMul(_) | Op::Index(_)
    )
}

/// The layer that a node is, if its weight is made of constant integers.
fn layer(graph: &Graph, id: NodeId) -> Option<Layer> {
    let node = graph.node(id);
    let (from, count) = match node.op {
        Op::Index(_) => (0, 1),
        Op::MatMul(_) => (0, 2),
        _ => (1, 1),
    };
    let operands = node.operands.iter().filter(|_| is_layer(&node.op));
    let mut operands = operands.skip(from).take(count);
    operands.find_map(|&weight| {
        let ty = graph.ty(weight);
        let (constant, form) = (ty.rank() > 1).then(|| integers_behind(graph, weight))??;
        let packed = super::packed_bytes(constant);
        let bytes = constant.data.bytes();
        Some(Layer {
            names: names(graph, id),
            form,
            integers: (bytes.as_ptr() as usize, bytes.len()),
            packed,
        })
    })
}

/// When integers become floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Lost {
    Ahead,
    AtEveryRun,
}

/// A warning for each reason why layers of this graph have lost their integers.
pub fn warnings(
    given: &[Layer],
    graph: &Graph,
    runs: &[PassRun],
    target: &dyn Target,
) -> Vec<String> {
    let floats = floats_by_name(graph);
    let made: BTreeSet<String> = layers(graph).into_iter().flat_map(|l| l.names).collect();
    let (causes, of_weights) = (Causes::of(runs), Causes::of_weights(runs));
    let mut lost: IndexMap<(Lost, String), Vec<Unpacked>> = IndexMap::new();
    for layer in given {
        let is_made = layer.names.iter().any(|name| made.contains(name));
        let weights = layer.names.iter().find_map(|name| floats.get(name));
        let (when, floats) = match (is_made, weights) {
            (true, _) => (Lost::AtEveryRun, BTreeSet::new()),
            (false, Some(parts)) => (Lost::Ahead, parts.iter().copied().collect()),
            (false, None) => continue,
        };
        let (said, otherwise) = match layer.form {
            Form::Quantised => (causes.of_names(&layer.names), super::NO_INTEGERS),
            Form::OtherParameters => (None, OTHER_PARAMETERS),
            Form::ByHand => (of_weights.of_names(&layer.names), BY_HAND),
        };
        let cause = said.map_or(otherwise.to_owned(), ToString::to_string);
        add(lost.entry((when, cause)).or_default(), layer, floats);
    }
    let bytes = |&weight: &ValueId| {
        let data = constant_of(graph, weight);
        data.map_or(0, |data| target.weight_bytes(&data) as u64)
    };
    lost.into_iter()
        .map(|((when, cause), layers)| text(when, &cause, &layers, bytes))
        .collect()
}

/// A layer of the program that lost its integers. Calls that share a weight are one, such as the steps of a recurrent layer.
struct Unpacked<'l> {
    names: IndexSet<&'l str>,
    /// Where its integers lie in memory, and their bytes.
    integers: BTreeMap<(usize, usize), u64>,
    /// Its weights as floats; none if they are made at every run.
    floats: BTreeSet<ValueId>,
}

/// Adds a layer, or a call to the layer that has one of its weights.
fn add<'l>(layers: &mut Vec<Unpacked<'l>>, layer: &'l Layer, floats: BTreeSet<ValueId>) {
    let is_same = |other: &&mut Unpacked<'_>| match floats.is_empty() {
        true => other.integers.contains_key(&layer.integers),
        false => !other.floats.is_disjoint(&floats),
    };
    let names = layer.names.iter().map(String::as_str);
    if let Some(same) = layers.iter_mut().find(is_same) {
        same.names.extend(names);
        same.integers.insert(layer.integers, layer.packed);
        same.floats.extend(floats);
        return;
    }
    layers.push(Unpacked {
        names: names.collect(),
        integers: [(layer.integers, layer.packed)].into(),
        floats,
    });
}

/// The weights of nodes of which no weight is quantised, by the nodes' names. The parts of a layer that was taken apart have its name.
fn floats_by_name(graph: &Graph) -> BTreeMap<String, Vec<ValueId>> {
    let mut kept = BTreeSet::new();
    let mut of_layers: BTreeMap<String, Vec<ValueId>> = BTreeMap::new();
    let mut of_others: BTreeMap<String, Vec<ValueId>> = BTreeMap::new();
    for id in nodes_in_use(graph) {
        let op = &graph.node(id).op;
        let constants = graph.node(id).operands.iter();
        for &value in constants.filter(|&&v| is_constant(graph, v)) {
            let ty = graph.ty(value);
            let are_bytes = matches!(ty.dtype, DType::I8 | DType::U8) && is_layer(op);
            if ty.quant.is_some() || are_bytes {
                kept.extend(names(graph, id));
            } else if ty.dtype.is_float() && may_be_weight(op, ty) {
                for name in names(graph, id) {
                    let found = match is_layer(op) {
                        true => of_layers.entry(name).or_default(),
                        false => of_others.entry(name).or_default(),
                    };
                    if !found.contains(&value) {
                        found.push(value);
                    }
                }
            }
        }
    }
    for (name, values) in of_others {
        of_layers.entry(name).or_insert(values);
    }
    of_layers.retain(|name, _| !kept.contains(name));
    of_layers
}

/// True for a type that weights may have. Constants of other ops than layers are numbers, rows and columns too.
fn may_be_weight(op: &Op, ty: &TensorType) -> bool {
    let wide = ty.shape.iter().filter(|size| !size.is(1)).count();
    wide > 1 || is_layer(op) && ty.rank() > 1
}

fn text(when: Lost, cause: &str, layers: &[Unpacked], bytes: impl Fn(&ValueId) -> u64) -> String {
    let integers: BTreeMap<_, _> = layers.iter().flat_map(|l| l.integers.iter()).collect();
    let floats: BTreeSet<&ValueId> = layers.iter().flat_map(|l| &l.floats).collect();
    let packed: u64 = integers.into_values().sum();
    let unpacked: u64 = floats.into_iter().map(bytes).sum();
    let named = listed(layers);
    let bytes = match unpacked == packed {
        true => format!("{unpacked} bytes, as many as before"),
        false => format!("{unpacked} bytes in place of {packed}"),
    };
    match when {
        Lost::Ahead => format!(
            "the weights of {named} are quantised, but floats in the program, {bytes}: {cause}"
        ),
        Lost::AtEveryRun => {
            format!("the weights of {named} are integers that become floats at every run: {cause}")
        }
    }
}

/// Layers by the exporter's names, after their number in words. The names of one layer's calls have slashes between them.
fn listed(layers: &[Unpacked]) -> String {
    let of_layer = |layer: &Unpacked<'_>| {
        let calls: Vec<&str> = layer.names.iter().copied().take(MAX_CALLS).collect();
        let more = layer.names.len() > MAX_CALLS;
        calls.join("/") + if more { "/.." } else { "" }
    };
    let mut shown: Vec<String> = layers.iter().take(MAX_NAMES).map(of_layer).collect();
    let more = layers.len().saturating_sub(MAX_NAMES);
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    format!("{} ({})", counted(layers.len(), "layer"), shown.join(", "))
}
