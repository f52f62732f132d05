//! The border of an artifact: the tensors that cross it.
//!
//! At an integer border, the artifact takes the integers that the graph would make of a float input by its first
//! quantisation, and gives the integers that the graph would dequantise last. These quantisations and dequantisations
//! are not part of the artifact then.
//!
//! Only tensors cross the border. Where outputs have names, a name holds the output's position in the model
//! ([`output_index`]).

use kiln_ir::graph::{CellInit, InputSpec, OutputSpec, Use};
use kiln_ir::{DType, Dim, Graph, NodeId, Op, ValueId};
use serde_json::{Value, json};

/// A tensor that crosses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// The tensor's name in the artifact.
    pub name: String,
    /// The position in the model's signature. Inputs that are not tensors count, but do not cross.
    pub index: usize,
    /// The value that crosses: the graph's own, or the integers in its place.
    pub value: ValueId,
    /// The value in the graph.
    pub outer: ValueId,
    /// The order of axes in memory, outermost first.
    pub dim_order: Vec<u8>,
}

/// The border of one method, in order of positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Border {
    /// Inputs.
    pub inputs: Vec<Port>,
    /// Outputs.
    pub outputs: Vec<Port>,
}

impl Border {
    /// The border of a graph. With `is_integer`, tensors cross as integers wherever the graph allows it.
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
                .map(|(spec, &value)| {
                    let inner = quantised(graph, value).filter(|_| !is_updated(graph, spec.0));
                    port(spec, value, inner)
                })
                .collect(),
            outputs: outputs
                .zip(&root.results)
                .map(|(spec, &value)| port(spec, value, dequantised(graph, value)))
                .collect(),
        }
    }

    /// Adds values as outputs, in the plain order of their axes.
    pub fn observe(&mut self, graph: &Graph, values: &[ValueId]) {
        let own = graph.block(graph.root()).results.len();
        let ports = values.iter().zip(own..).map(|(&value, index)| Port {
            name: output_name(index),
            index,
            value,
            outer: value,
            dim_order: (0..graph.ty(value).rank() as u8).collect(),
        });
        self.outputs.extend(ports);
    }

    /// True for a quantisation or dequantisation at an integer border: it is not part of the artifact.
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

/// The artifact's name for the output at a position.
fn output_name(index: usize) -> String {
    format!("output_{index}")
}

/// The position that an output's name states.
pub fn output_index(name: &str) -> Option<usize> {
    let index = name.strip_prefix("output_")?.parse().ok()?;
    (output_name(index) == name).then_some(index)
}

/// Whether the model gives the input at a position another content, which then has the type of the input.
pub fn is_updated(graph: &Graph, position: usize) -> bool {
    let is_it = |init| matches!(init, CellInit::Input(at) if at as usize == position);
    let mut updates = graph.updates().iter();
    updates.any(|update| is_it(graph.cell(update.cell).init))
}

/// The integers that replace an input, if a quantisation is the only reader of the input.
fn quantised(graph: &Graph, value: ValueId) -> Option<ValueId> {
    let [Use::Operand(reader, 0)] = graph.value(value).uses() else {
        return None;
    };
    let node = graph.node(*reader);
    matches!(node.op, Op::Quantize(_)).then(|| node.result())
}

/// The integers that replace an output, if the output is a dequantisation that only the border reads.
fn dequantised(graph: &Graph, value: ValueId) -> Option<ValueId> {
    let node = graph.node(graph.producer(value)?);
    let uses = graph.value(value).uses();
    let only = uses.iter().all(|u| matches!(u, Use::BlockResult(..)));
    (only && matches!(node.op, Op::Dequantize(_))).then(|| node.operands[0])
}

/// The report's `io`: the tensors that cross, with sizes in the graph's axes. `dtypes` are the artifact's element types
/// of inputs and of outputs; where absent, the dtypes of the graph's values.
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
    // TOSA holds bytes without a sign as signed ones of the same bits.
    let is_unsigned = ty.dtype == DType::U8 && quant.is_some();
    json!({
        "name": port.name,
        "index": port.index,
        "dtype": dtype.map(|dtype| if is_unsigned { DType::U8.name() } else { dtype }),
        "shape": shape,
        "dim_order": port.dim_order,
        "scale": quant.map(|q| q.scales()[0]),
        "zero_point": quant.map(|q| q.zero_points()[0]),
    })
}
