//! Ops that commute with dequantisation: those that pick, move or compare elements.

use super::{comparison, meeting};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::folding;
use crate::framework::target::{Placement, Reason};
use crate::guards;
use kiln_ir::graph::{Use, ValueList};
use kiln_ir::ops::{BinaryFn, Dequantize, Meaning, Pad, PadMode, Pool, Quantize, ScanFn, UnaryFn};
use kiln_ir::types::{Quant, QuantScheme, TensorType};
use kiln_ir::{Builder, DType, Graph, NodeId, Op, Scalar, TensorData, ValueId};
use rustc_hash::FxHashSet;
use std::sync::Arc;

guards! {
    /// Every window sees an element: the greatest of none is minus infinity, which no integer is.
    SEES_ELEMENTS;
    /// An integer stands for the number that is padded with.
    SAME_PADDING;
}

/// True for an op whose result consists of elements of its operands or of a constant. Such an op gives the same on the
/// integers as on their reals, whatever the scale.
pub(super) fn carries(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    match &node.op {
        Op::Pad(_) => true,
        Op::Scan(op) => matches!(op.f, ScanFn::Max | ScanFn::Min),
        Op::Pool(op) if !SEES_ELEMENTS.holds(sees_elements(op, graph.ty(node.operands[0]))) => {
            false
        }
        op => op.on_quantised() == Meaning::Carried,
    }
}

/// True if every window certainly sees an element. A maximum of none is minus infinity, which no integer represents.
fn sees_elements(op: &Pool, x: &TensorType) -> bool {
    (0..op.spatial()).all(|i| {
        let extent = op.dilation[i].saturating_mul(op.kernel[i] - 1) + 1;
        let padded = op.pad_low[i].max(op.pad_high[i]);
        // The window's first tap lies before the end of the input and its last tap after the start. If the input is at
        // least as wide as the distance between taps, a tap in between hits it.
        let is_wide = match x.shape[i + 2].as_const() {
            Some(size) => op.dilation[i] <= size,
            None => op.dilation[i] == 1,
        };
        is_wide && padded < extent || padded <= 0 && !op.ceil
    })
}

/// True for a clamp whose bounds are not NaN.
pub(super) fn is_clamp(op: &Op) -> bool {
    let is_number = |s: &Scalar| !s.as_f64().is_nan();
    match op {
        Op::Unary(op) => match op.f {
            UnaryFn::Clamp { min, max } => min.iter().chain(&max).all(is_number),
            _ => false,
        },
        _ => false,
    }
}

/// True for the maximum or minimum of two values.
pub(super) fn is_extreme(op: &Op) -> bool {
    matches!(op, Op::Binary(op) if matches!(op.f, BinaryFn::Max | BinaryFn::Min))
}

/// True for a value that a quantised op can take: integers, a dequantisation, or a constant.
pub(super) fn is_given(graph: &Graph, value: ValueId) -> bool {
    !is_float(graph, value)
        || integers_of(graph, value).is_some()
        || graph.as_constant(value).is_some()
}

/// The integers under a dequantisation.
pub(super) fn integers_of(graph: &Graph, value: ValueId) -> Option<ValueId> {
    let node = graph.node(graph.producer(value)?);
    matches!(node.op, Op::Dequantize(_)).then(|| node.operands[0])
}

/// True for a float without a quantisation.
pub(super) fn is_float(graph: &Graph, value: ValueId) -> bool {
    let ty = graph.ty(value);
    ty.quant.is_none() && ty.dtype.is_float()
}

/// The dtype and the quantisation of integers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stored {
    pub(super) quant: Arc<Quant>,
    pub(super) dtype: DType,
}

impl Stored {
    /// Those of a quantised value.
    pub(super) fn of(graph: &Graph, value: ValueId) -> Option<Stored> {
        let ty = graph.ty(value);
        let (quant, dtype) = (ty.quant.clone()?, ty.dtype);
        Some(Stored { quant, dtype })
    }

    /// The scale and zero point, if all elements share one.
    pub(super) fn whole(&self) -> Option<(f64, i64)> {
        match self.quant.scheme {
            QuantScheme::PerTensor { scale, zero_point } => Some((scale, zero_point)),
            QuantScheme::PerChannel { .. } | QuantScheme::PerGroup { .. } => None,
        }
    }

    /// True if f32 holds all integers. Others would not survive an op that a target decomposes to floats.
    pub(super) fn fits_f32(&self) -> bool {
        let most = 1u64 << f32::MANTISSA_DIGITS;
        let ends = [self.quant.min, self.quant.max];
        ends.into_iter().all(|end| end.unsigned_abs() <= most)
    }

    /// The op that quantises to it.
    pub(super) fn quantize(&self) -> Quantize {
        Quantize {
            quant: self.quant.clone(),
            dtype: self.dtype,
        }
    }

    /// Quantises a number as [`Quantize`] does for an element of that dtype: the integer, and the real that it
    /// represents.
    pub(super) fn code(&self, graph: &Graph, number: Scalar, dtype: DType) -> Option<(i64, f64)> {
        let (scale, zero_point) = self.whole()?;
        let number = kiln_eval::Tensor::from(TensorData::scalar(dtype, number));
        let mut bindings = kiln_eval::Bindings::new(&graph.symbols);
        let code = kiln_eval::evaluate_op(&self.quantize().into(), &[number], &mut bindings, 64);
        let code = code.ok()?.first()?.scalars().first()?.as_i64();
        Some((code, (code - zero_point) as f64 * scale))
    }
}

/// The most values that are followed from a kernel to the caller.
pub(super) const MOST_MOVED: usize = 64;

/// True if only the caller reads the value, or elements of it that further ops move.
pub(super) fn is_returned(graph: &Graph, value: ValueId) -> bool {
    let (mut open, mut seen) = (vec![value], FxHashSet::default());
    while let Some(value) = open.pop() {
        if seen.len() > MOST_MOVED {
            return false;
        }
        for use_ in graph.value(value).uses() {
            match *use_ {
                Use::BlockResult(block, _) if block == graph.root() => {}
                Use::Operand(reader, _) if carries(graph, reader) => {
                    let moved = graph.node(reader).results[0];
                    if seen.insert(moved) {
                        open.push(moved);
                    }
                }
                Use::Operand(..) | Use::Update(_) | Use::BlockResult(..) => return false,
            }
        }
    }
    true
}

/// True for a kernel between a delegate that computes and dequantises, and the caller: behind the kernel, the dequantisation would be a
/// delegate of its own.
fn ends_in_kernel(emitter: &Emitter<'_, '_>, id: NodeId) -> bool {
    let graph = emitter.graph();
    let node = graph.node(id);
    let ends_delegate = |&real: &ValueId| {
        let quantise = integers_of(graph, real).and_then(|v| graph.producer(v));
        let quantise = quantise.map(|id| graph.node(id));
        let computed = quantise.filter(|node| matches!(node.op, Op::Quantize(_)));
        let computed = computed.and_then(|node| graph.producer(node.operands[0]));
        computed.is_some()
            && graph.producer(real).map(|id| emitter.placement_of(id)) == Some(Placement::Delegate)
    };
    matches!(emitter.placement_of(id), Placement::Kernel(_))
        && is_float(graph, node.results[0])
        && is_returned(graph, node.results[0])
        && node.operands.iter().any(ends_delegate)
}

/// True for an op whose kernel is slower on integers than on floats, or is missing: wide borders that repeat elements become kernels that
/// turn rows, and images that grow by no whole factor take twice the time. Borders that are slices of an image of known size do not: they
/// are joined to it in the delegate.
pub(super) fn is_for_floats(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    let Op::Pad(op) = &node.op else {
        return matches!(node.op, Op::Resize(_));
    };
    let is_known = graph.ty(node.operands[0]).shape.as_static().is_some();
    let mut sizes = op.low.iter().chain(&op.high);
    let is_slices = match op.mode {
        PadMode::Constant(_) => return false,
        PadMode::Circular => true,
        PadMode::Reflect | PadMode::Replicate => sizes.all(|size| size.is(0) || size.is(1)),
    };
    !(is_known && is_slices)
}

/// True for such a kernel behind a delegate that dequantises.
fn is_kernel_for_floats(emitter: &Emitter<'_, '_>, id: NodeId) -> bool {
    let graph = emitter.graph();
    let node = graph.node(id);
    let is_in_delegate = |&real: &ValueId| {
        let maker = graph.producer(real);
        maker.is_some_and(|id| emitter.placement_of(id) == Placement::Delegate)
    };
    is_for_floats(graph, id)
        && matches!(emitter.placement_of(id), Placement::Kernel(_))
        && node.operands.first().is_some_and(is_in_delegate)
}

/// Moves dequantisation from the op's operands to its results. `None` if no operand is a dequantisation, or if the
/// operands are not all exactly representable by the same quantisation.
pub(super) fn sunk(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Option<ValueList> {
    if ends_in_kernel(emitter, id) || is_kernel_for_floats(emitter, id) {
        return None;
    }
    let graph = emitter.graph();
    let node = graph.node(id);
    let (mut op, mut operands) = (node.op.clone(), node.operands.clone());
    let is_compared = op.on_quantised() == Meaning::Compared;
    let meeting: Vec<usize> = (0..operands.len()).filter(|&i| op.meets(i)).collect();
    if !is_compared && !carries(graph, id) || !meeting.iter().all(|&i| is_float(graph, operands[i]))
    {
        return None;
    }
    let dtype = graph.ty(operands[*meeting.first()?]).dtype;
    let first = meeting
        .iter()
        .find_map(|&i| integers_of(graph, operands[i]))?;
    let stored = Stored::of(graph, first)?;
    let mut found = Vec::with_capacity(meeting.len());
    for &i in &meeting {
        found.push(match integers_of(emitter.graph(), operands[i]) {
            Some(integers) => Some(integers),
            None => exactly(emitter, operands[i], &stored),
        });
    }
    let is_alike = |v: &Option<ValueId>| {
        v.is_some_and(|v| Stored::of(emitter.graph(), v).as_ref() == Some(&stored))
    };
    if let (Op::Compare(compare), &[a, b], false) = (&op, &operands[..], found.iter().all(is_alike))
    {
        if let Some((op, operands)) = comparison::with_constant(emitter, compare.f, [a, b]) {
            return emitter.results(op, &operands).ok();
        }
        // A kernel compares reals as they are.
        if matches!(emitter.placement_of(id), Placement::Kernel(_)) {
            return None;
        }
        let fine = meeting::of_reals(emitter.graph(), a, b)?;
        for (found, real) in found.iter_mut().zip([a, b]) {
            *found = Some(meeting::brought(emitter, real, &fine).ok()?);
        }
    }
    for (i, integers) in meeting.into_iter().zip(found) {
        operands[i] = integers?;
    }
    if let Op::Pad(pad) = &mut op {
        *pad = exact_pad(emitter.graph(), pad, &stored, dtype)?;
    }
    let mut results = emitter.results(op, &operands).ok()?;
    if !is_compared {
        results[0] = emitter.unfolded(Dequantize { dtype }, &[results[0]]).ok()?;
    }
    Some(results)
}

/// The integers that represent exactly the elements of a constant, if there are such.
fn exactly(emitter: &mut Emitter<'_, '_>, value: ValueId, stored: &Stored) -> Option<ValueId> {
    let reals = emitter.graph().as_constant(value)?.data.clone();
    stored.whole()?;
    let integers = emitter.value(stored.quantize(), &[value]).ok()?;
    let dtype = reals.dtype();
    let again = Dequantize { dtype }.into();
    let again = folding::fold(emitter.graph(), &again, &[integers], u64::MAX).ok()??;
    let is_same = again.first()?.data.scalars().eq(reals.scalars());
    is_same.then_some(integers)
}

/// The padding of integers; `None` if no integer represents the padding's number exactly.
fn exact_pad(graph: &Graph, pad: &Pad, stored: &Stored, dtype: DType) -> Option<Pad> {
    let PadMode::Constant(number) = pad.mode else {
        return Some(pad.clone());
    };
    let padded = quantised_pad(graph, pad, stored, dtype)?;
    let PadMode::Constant(real) = padded.mode else {
        return None;
    };
    let element = |s: Scalar| TensorData::scalar(dtype, s).get(0);
    SAME_PADDING
        .holds(element(real)? == element(number)?)
        .then_some(padded)
}

/// The padding whose number is quantised to the nearest integer, and written as the real of that integer.
pub(super) fn quantised_pad(
    graph: &Graph,
    pad: &Pad,
    stored: &Stored,
    dtype: DType,
) -> Option<Pad> {
    let PadMode::Constant(number) = pad.mode else {
        return Some(pad.clone());
    };
    let (_, real) = stored.code(graph, number, dtype)?;
    Some(Pad {
        mode: PadMode::Constant(Scalar::Float(real)),
        ..pad.clone()
    })
}

/// Emits the clamp `op` of reals of that dtype as a clamp of integers.
pub(super) fn clamped(
    emitter: &mut Emitter<'_, '_>,
    op: &Op,
    integers: ValueId,
    dtype: DType,
) -> Emitted {
    match bounds(emitter.graph(), op, integers, dtype) {
        None => Err(Reason::new(
            "the quantisation of a clamp has one scale",
            "several",
        )),
        Some((None, None)) => Ok(integers),
        Some((min, max)) => emitter.unary(UnaryFn::Clamp { min, max }, integers),
    }
}

type Bound = Option<Scalar>;

/// The bounds of a clamp, rounded to reals that integers represent. A bound that the quantisation's range implies is
/// absent.
fn bounds(graph: &Graph, op: &Op, integers: ValueId, dtype: DType) -> Option<(Bound, Bound)> {
    let stored = Stored::of(graph, integers)?;
    let Op::Unary(unary) = op else { return None };
    let UnaryFn::Clamp { min, max } = unary.f else {
        return None;
    };
    let code = |bound: Bound| match bound {
        Some(bound) => stored.code(graph, bound, dtype).map(Some),
        None => Some(None),
    };
    let (min, max) = (code(min)?, code(max)?);
    let real = |(_, real): (i64, f64)| Scalar::Float(real);
    Some((
        min.filter(|m| m.0 > stored.quant.min).map(real),
        max.filter(|m| m.0 < stored.quant.max).map(real),
    ))
}
