//! Facts of a graph's values that every lowering to integers asks for, with the reason where there is none.

use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::{Dequantize, Quantize};
use kiln_ir::{DType, Graph, NodeId, Op, Quant, QuantScheme, Scalar, ValueId};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::parameters::{NotByChannel, Parameters, WeightScales};
use kiln_quantised::step::Step;
use kiln_transforms::analysis::constants::{constant_of, is_constant};
use kiln_transforms::framework::pass::{names, provenance};
use kiln_transforms::framework::regions::Partition;
use kiln_transforms::framework::target::Reason;
use std::sync::Arc;

/// The memory in which a function of all integers of a type is computed, in bytes.
const MOST_BYTES: u64 = 1 << 22;

/// The rule of targets that take no sizes that are known only when running.
pub const FIXED_SIZES: &str = "sizes are known ahead of time";

/// The reason for which such a target refuses a size.
pub fn not_fixed(found: impl Into<String>) -> Reason {
    Reason::new(FIXED_SIZES, found).advise("export the model without dynamic dims")
}

/// The quantisation of a value.
///
/// # Errors
/// If it has none.
pub fn quant_of(graph: &Graph, value: ValueId) -> Result<&Arc<Quant>, Reason> {
    let ty = graph.ty(value);
    let quant = ty.quant.as_ref();
    quant.ok_or_else(|| Reason::new("the operand is quantised", graph.type_text(value)))
}

/// The scale and the zero point of a whole tensor.
///
/// # Errors
/// If channels or groups have their own.
pub fn step_of(quant: &Quant) -> Result<Step, Reason> {
    Step::of(quant).ok_or_else(|| Reason::new("values have one scale", "scales by channel"))
}

/// The scale and the zero point of a value. Kernels take 16-bit integers only with the zero point 0.
///
/// # Errors
/// If it has several, or 16 bits and another zero point.
pub fn step(graph: &Graph, value: ValueId) -> Result<Step, Reason> {
    let step = step_of(quant_of(graph, value)?)?;
    if step.zero_point != 0 && graph.ty(value).dtype == DType::I16 {
        let found = step.zero_point.to_string();
        return Err(Reason::new("16-bit integers have the zero point 0", found));
    }
    Ok(step)
}

/// The greatest distance of a quantised value's integers from its zero point.
pub fn reach(graph: &Graph, value: ValueId) -> Reach {
    let ty = graph.ty(value);
    let (least, greatest) = ty.dtype.int_range().unwrap_or((0, 0));
    let zeros = ty.quant.iter().flat_map(|q| q.scheme.zero_points());
    let far = |&z: &i64| Reach::of_integers(least, greatest, z);
    zeros.map(far).fold(Reach(1), Reach::max)
}

/// What helps a transposed convolution whose quantiser took axis 0.
const PER_TENSOR: &str = "quantise transposed convolutions per tensor: their output channels are axis 1, and the scales lie along axis 0";

/// The scales of a weight by output channel, which lie along an axis, and its one zero point.
///
/// # Errors
/// If kernels take no such scales.
pub fn weight_scales(
    graph: &Graph,
    value: ValueId,
    axis: usize,
    outputs: usize,
) -> Result<WeightScales, Reason> {
    let scheme = &quant_of(graph, value)?.scheme;
    WeightScales::of(scheme, axis, outputs).map_err(|why| match why {
        NotByChannel::ZeroPoints => Reason::new("a weight has one zero point", "several"),
        NotByChannel::Scales => {
            let rule = "a weight has one scale, or scales by output channel";
            let reason = Reason::new(rule, scheme.in_words());
            match scheme {
                QuantScheme::PerChannel { axis: 0, .. } if axis == 1 => reason.advise(PER_TENSOR),
                _ => reason,
            }
        }
    })
}

/// The reals of a known value.
///
/// # Errors
/// If it is computed, or its parameters are by group.
pub fn reals(graph: &Graph, value: ValueId) -> Result<Vec<f64>, Reason> {
    let data = constant_of(graph, value)
        .ok_or_else(|| Reason::new("a bias is known", "one that is computed"))?;
    let Some(quant) = &graph.ty(value).quant else {
        return Ok(data.scalars().map(Scalar::as_f64).collect());
    };
    if let QuantScheme::PerGroup { .. } = quant.scheme {
        let rule = "a known value has one scale, or one by channel";
        return Err(Reason::new(rule, quant.scheme.in_words()));
    }
    let found = Parameters::of(quant, data.sizes())
        .map_err(|misfit| Reason::new("a known value has its parameters", misfit.to_string()))?;
    Ok(found.reals(data.scalars().map(Scalar::as_i64)))
}

/// The real of a known value whose elements are all equal.
pub fn one_number(graph: &Graph, value: ValueId) -> Option<f32> {
    if !is_constant(graph, value) {
        return None;
    }
    let reals = reals(graph, value).ok()?;
    let (&first, rest) = reals.split_first()?;
    rest.iter().all(|&r| r == first).then_some(first as f32)
}

/// The integer that stands for a real in a value.
///
/// # Errors
/// If the value has several scales.
pub fn integer(graph: &Graph, value: ValueId, real: Scalar) -> Result<i64, Reason> {
    let quant = quant_of(graph, value)?;
    Ok(step_of(quant)?.integer(real.as_f64(), quant.min, quant.max))
}

fn failed(what: impl ToString) -> Reason {
    Reason::new("the function can be tabled", what.to_string())
}

/// One op on tensors.
///
/// # Errors
/// If it has no value.
pub fn run(op: &Op, operands: &[Tensor]) -> Result<Tensor, Reason> {
    let mut bindings = Bindings::default();
    let results = evaluate_op(op, operands, &mut bindings, MOST_BYTES).map_err(failed)?;
    let first = results.into_iter().next();
    first.ok_or_else(|| failed("no result"))
}

/// The integers that a function of reals makes of integers, as PyTorch computes them: dequantise, the function, quantise.
///
/// # Errors
/// If the function has no value.
pub fn integers_of(
    codes: Tensor,
    from: &Arc<Quant>,
    (quant, dtype): (&Arc<Quant>, DType),
    function: impl FnOnce(Tensor) -> Result<Tensor, Reason>,
) -> Result<Vec<i64>, Reason> {
    let codes = codes.with_quant(Some(from.clone()));
    let reals = run(&Dequantize { dtype: DType::F32 }.into(), &[codes])?;
    let quantize = Quantize {
        quant: quant.clone(),
        dtype,
    };
    let entries = run(&quantize.into(), &[function(reals)?])?;
    Ok(entries.scalars().into_iter().map(Scalar::as_i64).collect())
}

/// All 8-bit integers in order, within the range of a quantisation.
pub fn bytes_within(quant: &Quant) -> Tensor {
    let codes = (-128..=127i64).map(|c| c.clamp(quant.min, quant.max) as i8);
    Tensor::new([256], codes.collect::<Vec<i8>>())
}

/// All 16-bit integers in order, within the range of a quantisation.
pub fn words_within(quant: &Quant) -> Tensor {
    let codes = (-32_768..=32_767i64).map(|c| c.clamp(quant.min, quant.max) as i16);
    Tensor::new([65_536], codes.collect::<Vec<i16>>())
}

/// A graph as one part.
pub fn whole(graph: &Graph) -> Partition {
    let nodes = |(block, _)| graph.nodes_in(block).map(|(id, _)| id).collect();
    Partition::of(graph, graph.blocks().map(nodes).collect())
}

/// A node, in words for the user.
pub fn described(graph: &Graph, id: NodeId) -> String {
    let (names, source) = (names(graph, id).join(", "), provenance(graph, id));
    let op = graph.node(id).op.name();
    match (names.is_empty(), source.is_empty()) {
        (true, _) => format!("{id} ({op})"),
        (false, true) => format!("node {names} ({op})"),
        (false, false) => format!("node {names} ({op}, {source})"),
    }
}
