//! In which numbers a compiled method computes, and why in floats where the archive has integers.
//!
//! [`computes`] reads it off the types of the graph that was lowered. [`Given`] is what the archive quantises, [`Causes`] finds what the passes
//! said about a node. [`unpacked`] are the weights that the archive has as integers, and with which the program computes as floats.

mod causes;
mod given;
pub mod unpacked;
mod weight;

pub use causes::Causes;
pub use given::Given;

use crate::compiler::CompiledMethod;
use kiln_ir::graph::{Constant, Node};
use kiln_ir::ops::Dequantised;
use kiln_ir::types::QuantScheme;
use kiln_ir::{DynamicQuant, Graph, Op, TensorType};
use kiln_target::{Place, Placed};
use kiln_transforms::framework::pass::names;

/// Why a target without integers computes in floats what the archive quantises.
const NO_INTEGERS: &str = "the target computes this in floats";
/// Why the parts of a quantisation compute in floats.
const ROUNDS: &str = "it rounds to steps, and the op behind it takes the rounded numbers as floats";
/// The integers of the narrowest type that weights have.
const NARROW: [i64; 2] = [-8, 7];

/// The numbers in which a node computes, as in `i8`, `bf16 in f32` or `rows of i8 x i4 in groups of 32 -> f32`. `None` for a node that computes
/// nothing when running.
pub fn computes(graph: &Graph, placed: &Placed) -> Option<String> {
    let node = graph.node(placed.node);
    let is_idle = placed.place == Place::Free || !node.op.bodies().is_empty();
    if is_idle || node.results.is_empty() {
        return None;
    }
    let result = graph.ty(node.results[0]);
    let first = node.operands.first().map_or(result, |&v| graph.ty(v));
    Some(match &node.op {
        Op::Quantize(_) | Op::Dequantize(_) | Op::Requantize(_) | Op::Cast(_) => {
            format!("{} -> {}", number(first), number(result))
        }
        Op::Dequantised(op) => with_result(of_dequantised(graph, node, op), result),
        Op::Quantised(_) => with_result(of_quantised(graph, node), result),
        _ => {
            let own = number(elements(graph, node).unwrap_or(result));
            match placed.floats {
                Some(floats) => format!("{own} in {}", floats.name()),
                None => own,
            }
        }
    })
}

/// The name of a tensor's numbers.
fn number(ty: &TensorType) -> String {
    let range = ty.quant.as_ref().map(|quant| (quant.min, quant.max));
    match range {
        Some((min, max)) if min >= NARROW[0] && max <= NARROW[1] => "i4".into(),
        _ => ty.dtype.name().into(),
    }
}

/// The bytes of a constant where integers of 4 bits share bytes.
pub fn packed_bytes(constant: &Constant) -> u64 {
    let elements = constant.data.elements() as u64;
    match number(&constant.ty).as_str() {
        "i4" => elements.div_ceil(2),
        _ => elements * constant.ty.dtype.size() as u64,
    }
}

/// The type of the elements that an op reads: for a look-up that of the table, for a selection not the condition's.
fn elements<'g>(graph: &'g Graph, node: &Node) -> Option<&'g TensorType> {
    let met = (0..node.operands.len()).find(|&i| node.op.meets(i));
    let value = node.operands.get(met.unwrap_or(0))?;
    Some(graph.ty(*value))
}

/// Factors, followed by the result's numbers if those are others.
fn with_result(factors: Vec<String>, result: &TensorType) -> String {
    let result = number(result);
    let text = factors.join(" x ");
    match factors.first() == Some(&result) {
        true => text,
        false => format!("{text} -> {result}"),
    }
}

/// The different integers of the operands that an op on integers multiplies or meets; biases are neither.
fn of_quantised(graph: &Graph, node: &Node) -> Vec<String> {
    let operands = node.operands.iter().take(2).map(|&v| graph.ty(v));
    let mut names: Vec<String> = operands
        .filter(|ty| ty.quant.is_some())
        .map(number)
        .collect();
    names.dedup();
    names
}

fn of_dequantised(graph: &Graph, node: &Node, op: &Dequantised) -> Vec<String> {
    let operand = |(i, ty): (usize, &TensorType)| match (&op.activation, &ty.quant) {
        (Some(quant), _) if i == 0 => Some(parts(quant, &op.op, graph.ty(node.operands[1]))),
        (_, Some(quant)) => Some(number(ty) + &scales(&quant.scheme)),
        (None, None) if i == 0 => Some(number(ty)),
        _ => None,
    };
    let types = node.operands.iter().map(|&v| graph.ty(v));
    types.enumerate().filter_map(operand).collect()
}

/// The integers of an activation, each part of which has parameters of its own.
fn parts(quant: &DynamicQuant, op: &Op, weight: &TensorType) -> String {
    let part = match op {
        Op::Conv(conv) if conv.is_of_places(&weight.shape) => "places",
        Op::Conv(_) => "images",
        _ => "rows",
    };
    let integer = match (quant.levels(), quant.min < 0) {
        (..=256, true) => "i8",
        (..=256, false) => "u8",
        _ => "i16",
    };
    format!("{part} of {integer}")
}

fn scales(scheme: &QuantScheme) -> String {
    match scheme {
        QuantScheme::PerTensor { .. } => String::new(),
        QuantScheme::PerChannel { .. } => " by channel".into(),
        QuantScheme::PerGroup { group, .. } => format!(" in groups of {group}"),
    }
}

/// Why a node of a quantised model computes in floats; `None` for any other node.
pub fn why_floats(method: &CompiledMethod, causes: &Causes<'_>, placed: &Placed) -> Option<String> {
    let node = method.graph.node(placed.node);
    let types = || node.operands.iter().chain(&node.results);
    let is_real = |ty: &TensorType| ty.dtype.is_float() && ty.quant.is_none();
    let is_whole = types().all(|&v| method.graph.ty(v).quant.is_none());
    let is_float = elements(&method.graph, node).is_some_and(is_real);
    let is_choice = matches!(
        node.op,
        Op::TopK(_) | Op::Sort(_) | Op::ArgReduce(_) | Op::Compare(_)
    );
    let computes = (node.op.computes_reals() || is_choice) && placed.place != Place::Free;
    if !(method.given.is_quantised && is_whole && is_float && computes) {
        return None;
    }
    let names = names(&method.graph, placed.node);
    Some(match causes.of_names(&names) {
        Some(cause) => crate::report::sentence(cause),
        None if kiln_target::is_rounding(&method.graph, node) => ROUNDS.into(),
        None if method.given.reads_quantised(&names) => NO_INTEGERS.into(),
        None => "it is not quantised".into(),
    })
}
