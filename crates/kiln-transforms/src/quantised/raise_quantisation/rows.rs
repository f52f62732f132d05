//! Rows that are quantised with parameters from their own extremes.
//!
//! The arithmetic is that of [`kiln_ir::dynamic_quant::fake_quantized`], with what exporters add: parameters and integers that pass through
//! an integer type, views, and products with 1. Halves are quantised in f32, where the arithmetic rounds to halves in between: an integer
//! may be one off.

use super::parameters::{chosen, inverted};
use super::whole::{Whole, bounds};
use super::{binary, cast, in_both_orders, is_widened, number, origin, rounded, unary};
use crate::framework::emitter::Emitter;
use crate::framework::rewriting::Rewritten;
use crate::guards;
use kiln_ir::graph::Use;
use kiln_ir::ops::{BinaryFn, FakeQuantize, Simple};
use kiln_ir::{Builder, DType, DynamicQuant, Graph, Mapping, NodeId, Op, ValueId};

guards! {
    /// The reals have the scales of the integers.
    SAME_SCALE;
    /// The reals have the zero points of the integers.
    SAME_ZERO_POINT;
    /// Every type on the way holds the integers.
    HELD;
}

/// Integers to which rows are quantised.
pub(super) struct Rows {
    pub(super) x: ValueId,
    pub(super) quant: DynamicQuant,
    /// The scales of the rows, where they are computed.
    pub(super) scale: ValueId,
    pub(super) zero_point: ZeroPoint,
}

impl Rows {
    fn range(&self) -> (i64, i64) {
        (self.quant.min, self.quant.max)
    }
}

/// The integers of bytes, with a sign or without.
const BYTES: (i64, i64) = (-128, 255);

/// The zero points of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ZeroPoint {
    Number(f64),
    /// Where they are computed.
    Value(ValueId),
}

/// `(q - z) * s` of rows becomes `fake_quantize`, in front of layers with constant weights.
pub(super) fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let result = graph.node(id).results[0];
    let Some(factors) = binary(graph, result, BinaryFn::Mul) else {
        return Ok(None);
    };
    let orders = in_both_orders(factors).into_iter();
    let Some(rows) = orders
        .map(|factors| dequantised(graph, factors))
        .find_map(|r| r)
    else {
        return Ok(None);
    };
    let dtype = graph.ty(result).dtype;
    let is_float = matches!(dtype, DType::F32 | DType::F16 | DType::BF16);
    let is_whole = graph.ty(result).shape == graph.ty(rows.x).shape;
    if !is_float || !is_whole || !feeds_layers(graph, result, MAX_STEPS) {
        return Ok(None);
    }
    let quant = rows.quant;
    emitter
        .value(FakeQuantize { quant, dtype }, &[rows.x])
        .map(Some)
}

/// The rows whose integers, less the zero points, are multiplied by the scales.
fn dequantised(graph: &Graph, [steps, scale]: [ValueId; 2]) -> Option<Rows> {
    let (integers, zero_point) = match binary(graph, steps, BinaryFn::Sub) {
        Some([integers, zero_point]) => (integers, Some(zero_point)),
        None => (steps, None),
    };
    let rows = integers_of_rows(graph, integers)?;
    let own = zero_point_of(graph, zero_point, rows.range())?;
    let is_same = SAME_ZERO_POINT.holds(own == rows.zero_point)
        && SAME_SCALE.holds(origin(graph, scale) == rows.scale);
    let mut parameters = zero_point.into_iter().chain([scale]);
    (is_same && parameters.all(|p| is_by_row(graph, p, rows.x, &rows.quant))).then_some(rows)
}

/// The rows of which these are the integers, in an integer type or in floats.
pub(super) fn integers_of_rows(graph: &Graph, integers: ValueId) -> Option<Rows> {
    let whole = Whole::of(graph, integers)?;
    let node = graph.node(graph.producer(whole.floats)?);
    let range @ (min, max) = match &node.op {
        Op::Unary(op) => bounds(op.f)?,
        _ => return None,
    };
    let is_taken =
        HELD.holds(whole.holds(range)) && whole.is_read_once && BYTES.0 <= min && max <= BYTES.1;
    if !is_taken {
        return None;
    }
    let (steps, zero_point, zero_point_first) = placed(graph, node.operands[0])?;
    let scaled = binary(graph, steps, BinaryFn::Mul)?;
    let mut orders = in_both_orders(scaled).into_iter();
    let (x, inverse, divisor) =
        orders.find_map(|[x, inverse]| Some((x, inverse, inverted(graph, inverse)?)))?;
    let own = zero_point_of(graph, zero_point, range)?;
    // `fake_quantize` adds 0 where there is no zero point, which takes the sign from -0. So do integers.
    let is_added = match own {
        ZeroPoint::Number(number) => zero_point.is_some() && number.is_sign_positive(),
        ZeroPoint::Value(_) => true,
    };
    if !is_added && !whole.is_in_integers() {
        return None;
    }
    let quant = DynamicQuant {
        axes: 0,
        mapping: Mapping::Asymmetric,
        min,
        max,
        eps: 0.0,
        scale: graph.ty(divisor).dtype,
        zero_point_first,
    };
    let scale = origin(graph, divisor);
    // The extremes are those of what is scaled, or of halves that are cast to it.
    let mut sources = [x, narrow(graph, x)].into_iter();
    let (x, quant) = sources.find_map(|x| Some((x, chosen(graph, x, scale, own, quant)?)))?;
    let dtype = graph.ty(x).dtype;
    let is_taken = matches!(dtype, DType::F32 | DType::F16 | DType::BF16);
    let is_taken = is_taken
        && graph.ty(scale).dtype == dtype
        && graph.ty(whole.floats).shape == graph.ty(x).shape
        && has_inverses(&quant, dtype);
    let mut parameters = zero_point.into_iter().chain([inverse]);
    (is_taken && parameters.all(|p| is_by_row(graph, p, x, &quant))).then_some(Rows {
        x,
        quant,
        scale,
        zero_point: own,
    })
}

/// The zero points, none of which is 0, if integers from `range.0` to `range.1` keep their numbers on their way.
fn zero_point_of(graph: &Graph, value: Option<ValueId>, range: (i64, i64)) -> Option<ZeroPoint> {
    let Some(value) = value else {
        return Some(ZeroPoint::Number(0.0));
    };
    if let Some(number) = number(graph, value) {
        return Some(ZeroPoint::Number(number));
    }
    let whole = Whole::of(graph, value)?;
    whole.holds(range).then_some(ZeroPoint::Value(whole.floats))
}

/// Matches `round(steps) + z`, `round(steps + z)` and `round(steps)`: the steps, the zero points, and whether these come before rounding.
fn placed(graph: &Graph, value: ValueId) -> Option<(ValueId, Option<ValueId>, bool)> {
    let rounded = |value| unary(graph, value, Simple::Round.into());
    let is_product = |value| binary(graph, value, BinaryFn::Mul).is_some();
    if let Some(terms) = binary(graph, value, BinaryFn::Add) {
        let mut orders = in_both_orders(terms).into_iter();
        return orders.find_map(|[steps, z]| Some((rounded(steps)?, Some(z), false)));
    }
    let inner = rounded(value)?;
    let Some(terms) = binary(graph, inner, BinaryFn::Add) else {
        return Some((inner, None, false));
    };
    let mut orders = in_both_orders(terms).into_iter();
    let [steps, z] = orders.find(|[steps, _]| is_product(*steps))?;
    Some((steps, Some(z), true))
}

/// The halves that are cast to f32, or the value itself.
fn narrow(graph: &Graph, value: ValueId) -> ValueId {
    let halves = cast(graph, value).filter(|_| is_widened(graph, value));
    halves.unwrap_or(value)
}

/// True if the least scale has an inverse, so that rows of zeros are numbers.
fn has_inverses(quant: &DynamicQuant, dtype: DType) -> bool {
    let least = rounded(dtype, quant.eps).and_then(|eps| rounded(quant.scale, eps));
    let inverse = least.and_then(|least| rounded(quant.scale, 1.0 / least));
    least.is_some_and(|least| least > 0.0) && inverse.is_some_and(f64::is_finite)
}

/// True if layers with constant weights alone read the value, as their input. Nothing else gains by an op in place of the arithmetic.
fn feeds_layers(graph: &Graph, value: ValueId, steps: usize) -> bool {
    let is_fed = |reader: &Use| {
        let &Use::Operand(reader, slot) = reader else {
            return false;
        };
        let node = graph.node(reader);
        match &node.op {
            Op::Linear(_) | Op::Conv(_) | Op::MatMul(_) => {
                slot == 0 && follows_from_constants(graph, node.operands[1], MAX_STEPS)
            }
            Op::Move(_) => steps > 0 && feeds_layers(graph, node.result(), steps - 1),
            _ => false,
        }
    };
    let uses = graph.value(value).uses();
    !uses.is_empty() && uses.iter().all(is_fed)
}

/// The most ops in a row that are followed from rows and from constants to a layer.
const MAX_STEPS: usize = 12;

fn follows_from_constants(graph: &Graph, value: ValueId, steps: usize) -> bool {
    let Some(node) = graph.producer(value).map(|id| graph.node(id)) else {
        return false;
    };
    let read = match &node.op {
        Op::Constant(_) => return true,
        Op::Move(_) | Op::Broadcast(_) => &node.operands,
        Op::Cast(_) | Op::Dequantize(_) | Op::Binary(_) => &node.operands,
        _ => return false,
    };
    let follow = |&v: &ValueId| follows_from_constants(graph, v, steps - 1);
    steps > 0 && read.iter().all(follow)
}

/// True if a parameter has one element for each row where it is used.
fn is_by_row(graph: &Graph, parameter: ValueId, x: ValueId, quant: &DynamicQuant) -> bool {
    if number(graph, parameter).is_some() {
        return true;
    }
    let (own, x) = (&graph.ty(parameter).shape, &graph.ty(x).shape);
    let outer = x.len().saturating_sub(quant.axes);
    let is_one = own.iter().all(|size| size.is(1));
    (outer == 0 && is_one)
        || (own.len() == x.len()
            && own[..outer] == x[..outer]
            && own[outer..].iter().all(|size| size.is(1)))
}
