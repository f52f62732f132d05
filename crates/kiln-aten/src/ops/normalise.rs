//! Layer, group and RMS normalisation.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{NormKind, Normalize, ReduceFn, Simple};
use kiln_ir::{Builder, DType, Dim, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        layer_norm,
        &[
            "aten.layer_norm.default(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True)",
        ],
    ),
    Row::new(
        native_layer_norm,
        &["aten.native_layer_norm.default(input, normalized_shape, weight, bias, eps)"],
    ),
    Row::new(
        rms_norm,
        &["aten.rms_norm.default(input, normalized_shape, weight=None, eps=None)"],
    ),
    Row::new(
        fused_rms_norm,
        &["aten._fused_rms_norm.default(input, normalized_shape, weight, eps)"],
    ),
    Row::new(
        group_norm,
        &[
            "aten.group_norm.default(input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True)",
        ],
    ),
    Row::new(
        native_group_norm,
        &["aten.native_group_norm.default(input, weight, bias, N, C, HxW, group, eps)"],
    ),
];

/// Normalises `x`. Parameters of another dtype than `x` are computed in the wider dtype, and the result is cast back. A
/// bias without a weight gets a weight of ones.
pub(super) fn normalised(
    cx: &mut Importer<'_>,
    op: Normalize,
    x: ValueId,
    statistics: &[ValueId],
    weight: Option<ValueId>,
    bias: Option<ValueId>,
) -> Result<ValueId, Problem> {
    let given = statistics.iter().copied().chain(weight).chain(bias);
    let own = cx.dtype(x);
    let dtype = given.fold(own, |dtype, v| dtype.promote(cx.dtype(v)));
    let weight = match (weight, bias) {
        (None, Some(bias)) => {
            let shape = cx.shape(bias);
            Some(cx.full(&shape, dtype, Scalar::Int(1))?)
        }
        (weight, _) => weight,
    };
    let mut operands = vec![x];
    operands.extend(statistics.iter().copied().chain(weight).chain(bias));
    for v in &mut operands {
        *v = cx.cast(*v, dtype)?;
    }
    let y = cx.value(op, &operands)?;
    cx.cast(y, own)
}

/// The tensor in the dtype in which PyTorch computes statistics.
pub(super) fn widened(cx: &mut Importer<'_>, x: ValueId) -> Result<ValueId, Problem> {
    match cx.dtype(x) {
        DType::F16 | DType::BF16 => cx.cast(x, DType::F32),
        _ => Ok(x),
    }
}

/// The mean and `1 / sqrt(variance + eps)`, over axes that stay with size 1.
fn statistics(
    cx: &mut Importer<'_>,
    x: ValueId,
    axes: &[usize],
    eps: f64,
) -> Result<[ValueId; 2], Problem> {
    let own = cx.dtype(x);
    let x = widened(cx, x)?;
    let mean = cx.reduce(ReduceFn::Mean, x, axes, true)?;
    let centred = cx.sub(x, mean)?;
    let square = cx.unary(Simple::Square, centred)?;
    let variance = cx.reduce(ReduceFn::Mean, square, axes, true)?;
    let eps = cx.scalar_like(Scalar::Float(eps), variance);
    let sum = cx.add(variance, eps)?;
    let factor = cx.unary(Simple::Rsqrt, sum)?;
    Ok([cx.cast(mean, own)?, cx.cast(factor, own)?])
}

fn norm_axes(cx: &Importer<'_>, a: &Args<'_>) -> Result<(ValueId, usize), Problem> {
    let (x, count) = (a.tensor("input")?, a.dims("normalized_shape")?.len());
    if count == 0 || count > cx.rank(x) {
        return Err(Problem::unsupported(format!(
            "normalises {count} axes of rank {}",
            cx.rank(x)
        )));
    }
    Ok((x, count))
}

fn layer_norm_value(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<ValueId, Problem> {
    let (x, axes) = norm_axes(cx, a)?;
    let op = Normalize {
        kind: NormKind::Layer { axes },
        eps: a.float("eps")?,
    };
    let (weight, bias) = (a.optional_tensor("weight")?, a.optional_tensor("bias")?);
    normalised(cx, op, x, &[], weight, bias)
}

fn layer_norm(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    one(layer_norm_value(cx, a)?)
}

fn native_layer_norm(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let y = layer_norm_value(cx, a)?;
    let (x, count) = norm_axes(cx, a)?;
    let rank = cx.rank(x);
    let axes: Vec<usize> = (rank - count..rank).collect();
    let [mean, factor] = statistics(cx, x, &axes, a.float("eps")?)?;
    Ok(vec![y.into(), mean.into(), factor.into()])
}

/// The machine epsilon of the dtype: the distance from 1 to the next greater number.
fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        DType::F64 => f64::EPSILON,
        _ => f64::from(f32::EPSILON),
    }
}

/// Without `eps`, PyTorch uses the machine epsilon of the dtype in which it computes, which is f32 for half types.
fn rms_eps(cx: &Importer<'_>, a: &Args<'_>, x: ValueId) -> Result<f64, Problem> {
    let computed = match cx.dtype(x) {
        DType::F64 => DType::F64,
        _ => DType::F32,
    };
    Ok(a.optional_float("eps")?.unwrap_or(epsilon(computed)))
}

fn rms_norm(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, axes) = norm_axes(cx, a)?;
    let op = Normalize {
        kind: NormKind::Rms { axes },
        eps: rms_eps(cx, a, x)?,
    };
    let weight = a.optional_tensor("weight")?;
    one(normalised(cx, op, x, &[], weight, None)?)
}

fn fused_rms_norm(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let mut results = rms_norm(cx, a)?;
    let (x, count) = norm_axes(cx, a)?;
    let (rank, eps) = (cx.rank(x), rms_eps(cx, a, x)?);
    let axes: Vec<usize> = (rank - count..rank).collect();
    let wide = widened(cx, x)?;
    let square = cx.unary(Simple::Square, wide)?;
    let mean = cx.reduce(ReduceFn::Mean, square, &axes, true)?;
    let eps = cx.scalar_like(Scalar::Float(eps), mean);
    let sum = cx.add(mean, eps)?;
    results.push(cx.unary(Simple::Rsqrt, sum)?.into());
    Ok(results)
}

fn groups(a: &Args<'_>, name: &'static str) -> Result<usize, Problem> {
    usize::try_from(a.int(name)?)
        .ok()
        .filter(|&g| g > 0)
        .ok_or_else(|| Problem::unsupported("takes at least one group"))
}

pub(super) fn grouped(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    groups: usize,
) -> Result<ValueId, Problem> {
    let op = Normalize {
        kind: NormKind::Group { groups },
        eps: a.float("eps")?,
    };
    let (weight, bias) = (a.optional_tensor("weight")?, a.optional_tensor("bias")?);
    normalised(cx, op, a.tensor("input")?, &[], weight, bias)
}

fn group_norm(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    one(grouped(cx, a, groups(a, "num_groups")?)?)
}

fn native_group_norm(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let groups = groups(a, "group")?;
    let y = grouped(cx, a, groups)?;
    let x = a.tensor("input")?;
    let shape = cx.shape(x);
    let count = Dim::constant(groups as i64);
    let rest: Dim = shape[1..].iter().cloned().product();
    let batch = shape[0].clone();
    let rows = cx.reshape(x, &[batch.clone(), count.clone(), rest.floor_div(&count)])?;
    let [mean, factor] = statistics(cx, rows, &[2], a.float("eps")?)?;
    let (mean, factor) = (cx.squeeze(mean, &[2])?, cx.squeeze(factor, &[2])?);
    Ok(vec![y.into(), mean.into(), factor.into()])
}
