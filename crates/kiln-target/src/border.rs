//! What crosses the border of an artifact.
//!
//! Where the border is of integers, an input that the graph quantises first is given as the integers, and an output that
//! it dequantises last is left as such: these nodes are no part of the artifact then.
//!
//! Only tensors cross. Where outputs have names, the name holds the position among all of the model's ([`output_index`]).

use kiln_ir::graph::{InputSpec, OutputSpec, Use};
use kiln_ir::{Dim, Graph, NodeId, Op, ValueId};
use serde_json::{Value, json};

/// A tensor that crosses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name in the artifact.
    pub name: String,
    /// Its position among the signature's inputs or outputs: what is no tensor counts, but does not cross.
    pub index: usize,
    /// The value that crosses: the graph's own, or the integers that stand for it.
    pub value: ValueId,
    /// The graph's own value.
    pub outer: ValueId,
    /// The axes outermost first, as they lie.
    pub dim_order: Vec<u8>,
}

/// All of an artifact, in order.
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

    /// True for a node that stands at the border and is no part of the artifact.
    pub fn replaces(&self, graph: &Graph, node: NodeId) -> bool {
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

/// The name of the output of that position.
fn output_name(index: usize) -> String {
    format!("output_{index}")
}

/// The position that an output's name tells.
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

/// The report's `io`: what an artifact takes and gives, in the graph's axes. Element types are the artifact's own, input by
/// input and output by output; where there are none, those of the values.
pub fn io(graph: &Graph, border: &Border, dtypes: Option<[Vec<Option<&str>>; 2]>) -> Value {
    let sides = [&border.inputs, &border.outputs];
    let own = || sides.map(|ports| ports.iter().map(|p| Some(own_dtype(graph, p))).collect());
    let dtypes = dtypes.unwrap_or_else(own);
    let all = |side: usize| -> Vec<Value> {
        let pairs = sides[side].iter().zip(&dtypes[side]);
        pairs
            .map(|(p, dtype)| port_json(graph, p, *dtype))
            .collect()
    };
    json!({"inputs": all(0), "outputs": all(1)})
}

fn own_dtype(graph: &Graph, port: &Port) -> &'static str {
    graph.ty(port.value).dtype.name()
}

fn port_json(graph: &Graph, port: &Port, dtype: Option<&str>) -> Value {
    let ty = graph.ty(port.value);
    let shape: Vec<Option<i64>> = ty.shape.iter().map(Dim::as_const).collect();
    let quant = ty.quant.as_ref().map(|q| &q.scheme);
    json!({
        "name": port.name,
        "index": port.index,
        "dtype": dtype,
        "shape": shape,
        "dim_order": port.dim_order,
        "scale": quant.map(|q| q.scales()[0]),
        "zero_point": quant.map(|q| q.zero_points()[0]),
    })
}
