//! Constants of integers that arithmetic dequantises.

use super::bytes::{Bytes, known};
use super::{binary, cast, in_both_orders};
use crate::analysis::constants::is_constant;
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::rewriting::Rewritten;
use crate::guards;
use crate::quantised::weight_readers::becomes_weights;
use kiln_ir::graph::Constant;
use kiln_ir::ops::{BinaryFn, Dequantize};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{Builder, DType, Graph, NodeId, Op, Scalar, TensorData, ValueId};
use std::sync::Arc;

guards! {
    /// Zero points vary along the axis of the scales.
    SAME_AXIS;
}

/// `(q - z) * s` of constants becomes `dequantize`.
pub(super) fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let result = graph.node(id).results[0];
    let dtype = graph.ty(result).dtype;
    let Some(factors) = binary(graph, result, BinaryFn::Mul) else {
        return Ok(None);
    };
    let may_compute = becomes_weights(graph, result);
    let mut orders = in_both_orders(factors).into_iter();
    let found = orders.find_map(|f| dequantised(graph, dtype, f, may_compute));
    let Some((constant, quant)) = found else {
        return Ok(None);
    };
    let shape = emitter.shape(result);
    let reals = reals(emitter, dtype, constant, quant)?;
    emitter.reshape(reals, &shape).map(Some)
}

/// Two movements of dequantised integers of which the second undoes the first: the views that groups need.
pub(super) fn join_views(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let outer = graph.node(id);
    let inner = outer.operands.first().and_then(|&v| graph.producer(v));
    let Some(inner) = inner.map(|id| graph.node(id)) else {
        return Ok(None);
    };
    let (Op::Move(second), Op::Move(first)) = (&outer.op, &inner.op) else {
        return Ok(None);
    };
    let reals = inner.operands[0];
    let maker = graph.producer(reals).map(|id| &graph.node(id).op);
    if !matches!(maker, Some(Op::Dequantize(_))) {
        return Ok(None);
    }
    let both = first.movement.compose(&second.movement).one();
    let is_undone = both.is_some_and(|movement| movement.is_identity());
    Ok(is_undone.then_some(reals))
}

/// The integers that are dequantised by subtraction and multiplication, and their parameters.
fn dequantised(
    graph: &Graph,
    dtype: DType,
    factors: [ValueId; 2],
    may_compute: bool,
) -> Option<(Bytes, Quant)> {
    let found = Arithmetic::of(graph, dtype, factors, may_compute)?;
    let whole = |z: &f64| (z.fract() == 0.0 && z.abs() < 1e6).then_some(*z as i64);
    let zero_points: Option<Vec<i64>> = found.zero_points.iter().map(whole).collect();
    found.quantised(graph, zero_points?)
}

/// `(q - z) * s` of constants.
pub(super) struct Arithmetic {
    integers: Bytes,
    sizes: Vec<usize>,
    form: Form,
    pub(super) scales: Vec<f64>,
    /// One for each scale.
    pub(super) zero_points: Vec<f64>,
}

impl Arithmetic {
    /// That of the factors of a product. `may_compute` says whether integers and parameters may be computed from constants, which takes
    /// time, and helps weights only.
    pub(super) fn of(
        graph: &Graph,
        dtype: DType,
        [steps, scale]: [ValueId; 2],
        may_compute: bool,
    ) -> Option<Arithmetic> {
        let (floats, zero_point) = match binary(graph, steps, BinaryFn::Sub) {
            Some([floats, zero_point]) => (floats, Some(zero_point)),
            None => (steps, None),
        };
        let is_float = matches!(dtype, DType::F32 | DType::F16 | DType::BF16);
        if !is_float || [floats, scale].iter().any(|&v| graph.ty(v).dtype != dtype) {
            return None;
        }
        let sizes = sizes_of(graph, floats)?;
        let form = Form::of(&sizes, &aligned(sizes_of(graph, scale)?, sizes.len())?)?;
        let integers = Bytes::behind(graph, floats, may_compute)?;
        let scales = numbers_of(graph, scale, may_compute)?;
        // Scales of which f32 has no normal number are no scales to any library.
        let is_scale = |&scale: &f64| scale > 0.0 && (scale as f32).is_normal();
        let zero_points = zero_points_of(graph, zero_point, (scale, scales.len()), may_compute)?;
        scales.iter().all(is_scale).then_some(Arithmetic {
            integers,
            sizes,
            form,
            scales,
            zero_points,
        })
    }

    /// True if each row of a matrix has its own scale.
    pub(super) fn is_by_row(&self) -> bool {
        matches!((self.form, self.sizes.len()), (Form::Channels(0), 2))
    }

    /// The least and the greatest number of the integers' type.
    pub(super) fn range(&self) -> Option<(i64, i64)> {
        self.integers.data.dtype().int_range()
    }

    /// The integers with whole zero points.
    fn quantised(self, graph: &Graph, zero_points: Vec<i64>) -> Option<(Bytes, Quant)> {
        let scheme = self.form.scheme(self.scales, zero_points)?;
        let Bytes { name, data } = self.integers;
        let (min, max) = range(&data, scheme.zero_points());
        let quant = Quant { scheme, min, max };
        let data = data.reshaped(self.form.sizes(&self.sizes)).ok()?;
        quant
            .check(data.dtype(), &data.tensor_type().shape, &graph.symbols)
            .ok()?;
        Some((Bytes { name, data }, quant))
    }

    /// The reals of the integers about whole zero points; none if no type has these.
    pub(super) fn about(
        self,
        emitter: &mut Emitter<'_, '_>,
        dtype: DType,
        zero_points: Vec<i64>,
    ) -> Rewritten {
        match self.quantised(emitter.graph(), zero_points) {
            Some((constant, quant)) => reals(emitter, dtype, constant, quant).map(Some),
            None => Ok(None),
        }
    }
}

fn reals(emitter: &mut Emitter<'_, '_>, dtype: DType, bytes: Bytes, quant: Quant) -> Emitted {
    let Bytes { name, data } = bytes;
    let mut ty = data.tensor_type();
    ty.quant = Some(Arc::new(quant));
    let weight = emitter.known_constant(Constant { name, ty, data });
    emitter.unfolded(Dequantize { dtype }, &[weight])
}

/// Which integers share parameters.
#[derive(Clone, Copy)]
enum Form {
    One,
    Channels(usize),
    /// Of three axes: the elements of the last one.
    Groups(usize),
}

impl Form {
    /// The form of integers beside parameters of as many axes.
    fn of(sizes: &[usize], parameters: &[usize]) -> Option<Form> {
        if let (&[rows, groups, group], &[own_rows, own_groups, 1]) = (sizes, parameters)
            && [rows, groups] == [own_rows, own_groups]
            && groups > 1
        {
            return Some(Form::Groups(group));
        }
        let mut varied = (0..sizes.len()).filter(|&i| parameters[i] != 1);
        match (varied.next(), varied.next()) {
            (None, _) => Some(Form::One),
            (Some(axis), None) if parameters[axis] == sizes[axis] => Some(Form::Channels(axis)),
            _ => None,
        }
    }

    fn scheme(self, scales: Vec<f64>, zero_points: Vec<i64>) -> Option<QuantScheme> {
        let (first, point) = (*scales.first()?, *zero_points.first()?);
        let (scales, zero_points) = (scales.into(), zero_points.into());
        Some(match self {
            Form::One => QuantScheme::PerTensor {
                scale: first,
                zero_point: point,
            },
            Form::Channels(axis) => QuantScheme::PerChannel {
                axis,
                scales,
                zero_points,
            },
            Form::Groups(group) => QuantScheme::PerGroup {
                group,
                scales,
                zero_points,
            },
        })
    }

    /// The sizes of the quantised constant: groups are those of a matrix.
    fn sizes(self, sizes: &[usize]) -> Vec<usize> {
        match (self, sizes) {
            (Form::Groups(_), &[rows, groups, group]) => vec![rows, groups * group],
            _ => sizes.to_vec(),
        }
    }
}

fn sizes_of(graph: &Graph, value: ValueId) -> Option<Vec<usize>> {
    let known = graph.ty(value).shape.iter().map(|size| size.as_const());
    known.map(|size| usize::try_from(size?).ok()).collect()
}

/// Sizes of a rank, with outer axes of size 1; `None` if there are more axes.
fn aligned(sizes: Vec<usize>, rank: usize) -> Option<Vec<usize>> {
    let outer = rank.checked_sub(sizes.len())?;
    Some(std::iter::repeat_n(1, outer).chain(sizes).collect())
}

/// The numbers of a constant, also through a cast, as that rounds them; or, if that is asked for, computed from constants.
fn numbers_of(graph: &Graph, value: ValueId, may_compute: bool) -> Option<Vec<f64>> {
    let source = cast(graph, value).unwrap_or(value);
    let data = (may_compute || is_constant(graph, source)).then(|| known(graph, value))??;
    Some(data.scalars().map(Scalar::as_f64).collect())
}

/// A zero point for each scale: its own, or the same for all.
fn zero_points_of(
    graph: &Graph,
    zero_point: Option<ValueId>,
    (scale, scales): (ValueId, usize),
    may_compute: bool,
) -> Option<Vec<f64>> {
    let Some(value) = zero_point else {
        return Some(vec![0.0; scales]);
    };
    let (own, others) = (sizes_of(graph, value)?, sizes_of(graph, scale)?);
    let is_one = own.iter().all(|&size| size == 1);
    if !is_one && !SAME_AXIS.holds(own == others) {
        return None;
    }
    let points = numbers_of(graph, value, may_compute)?;
    match points[..] {
        [one] => Some(vec![one; scales]),
        _ => (points.len() == scales).then_some(points),
    }
}

/// The range of integers that hold the data and the zero points: 4 bits if these do, else those of the type.
fn range(data: &TensorData, zero_points: &[i64]) -> (i64, i64) {
    let (min, max) = data.dtype().int_range().unwrap_or((i64::MIN, i64::MAX));
    let narrow = match data.dtype() {
        DType::U8 => (0, 15),
        _ => (-8, 7),
    };
    let is_within = |q: i64| (narrow.0..=narrow.1).contains(&q);
    let mut integers = data.scalars().map(Scalar::as_i64);
    match integers.all(is_within) && zero_points.iter().copied().all(is_within) {
        true => narrow,
        false => (min, max),
    }
}
