//! The inputs and outputs of a file.
//!
//! Where the border is of integers, an input that the graph quantises first is given as the integers, and an output that
//! it dequantises last is left as such: what stands at the border then is no part of the file.
//!
//! A file has tensors only. An output keeps its position among all of the model's in its name ([`output_index`]).

use kiln_ir::graph::{InputSpec, OutputSpec, Use};
use kiln_ir::{Graph, NodeId, Op, ValueId};

/// An input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name in the file.
    pub name: String,
    /// Its position among the signature's inputs or outputs: what is no tensor counts, but is not in the file.
    pub index: usize,
    /// The value that crosses: the graph's own, or the integers that stand for it.
    pub value: ValueId,
    /// The graph's own value.
    pub outer: ValueId,
    /// The axes outermost first, as they lie.
    pub dim_order: Vec<u8>,
}

/// All of a file, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Border {
    /// What is given.
    pub inputs: Vec<Port>,
    /// What is taken.
    pub outputs: Vec<Port>,
}

impl Border {
    /// The border of a graph, of integers where it can be if that is wanted.
    pub fn of(graph: &Graph, is_integer: bool) -> Border {
        let root = graph.block(graph.root());
        let inputs = graph.signature.inputs.iter().enumerate();
        let inputs = inputs.filter_map(|(i, spec)| match spec {
            InputSpec::Tensor { name, dim_order } => Some((i, name.to_string(), dim_order.clone())),
            InputSpec::None | InputSpec::Scalar(_) | InputSpec::Text(_) => None,
        });
        let outputs = graph.signature.outputs.iter().enumerate();
        let outputs = outputs.filter_map(|(i, spec)| match spec {
            OutputSpec::Tensor { dim_order } => Some((i, output_name(i), dim_order.clone())),
            OutputSpec::None | OutputSpec::Scalar(_) | OutputSpec::Text(_) => None,
        });
        let port = |(index, name, dim_order): (usize, String, Vec<u8>),
                    outer,
                    inner: Option<ValueId>| Port {
            name,
            index,
            value: inner.filter(|_| is_integer).unwrap_or(outer),
            outer,
            dim_order: match dim_order.is_empty() {
                true => (0..graph.ty(outer).rank() as u8).collect(),
                false => dim_order,
            },
        };
        Border {
            inputs: inputs
                .zip(&root.params)
                .map(|(spec, &value)| port(spec, value, quantised(graph, value)))
                .collect(),
            outputs: outputs
                .zip(&root.results)
                .map(|(spec, &value)| port(spec, value, dequantised(graph, value)))
                .collect(),
        }
    }

    /// True for a node that stands at the border and is no part of the file.
    pub(crate) fn replaces(&self, graph: &Graph, node: NodeId) -> bool {
        let result = graph.node(node).results.first().copied();
        let is_input = self
            .inputs
            .iter()
            .any(|p| p.value != p.outer && Some(p.value) == result);
        let is_output = self
            .outputs
            .iter()
            .any(|p| p.value != p.outer && Some(p.outer) == result);
        is_input || is_output
    }
}

/// What a file calls the output of that position.
fn output_name(index: usize) -> String {
    format!("output_{index}")
}

/// The position that an output's name in a file tells.
pub fn output_index(name: &str) -> Option<usize> {
    let index = name.strip_prefix("output_")?.parse().ok()?;
    (output_name(index) == name).then_some(index)
}

/// The integers as which a value is read, if it is read as nothing else.
fn quantised(graph: &Graph, value: ValueId) -> Option<ValueId> {
    let [Use::Operand(reader, 0)] = graph.value(value).uses() else {
        return None;
    };
    let node = graph.node(*reader);
    matches!(node.op, Op::Quantize(_)).then(|| node.result())
}

/// The integers of which a value is made, if nothing but the border reads it.
fn dequantised(graph: &Graph, value: ValueId) -> Option<ValueId> {
    let node = graph.node(graph.producer(value)?);
    let uses = graph.value(value).uses();
    let only = uses.iter().all(|u| matches!(u, Use::BlockResult(..)));
    (only && matches!(node.op, Op::Dequantize(_))).then(|| node.operands[0])
}
