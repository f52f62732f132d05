//! Batch and instance normalisation, with running statistics or the statistics of the batch.
//!
//! Training writes the running statistics in place: `(1 - momentum) * old + momentum * new`. The new variance has
//! Bessel's correction.

use super::normalise::{grouped, normalised, widened};
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Return, Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, NormKind, Normalize, ReduceFn, Simple};
use kiln_ir::{Builder, DType, Dim, Scalar, Shape, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        batch_norm,
        &[
            "aten.batch_norm.default(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled)",
        ],
    ),
    Row::new(
        native,
        &[
            "aten.native_batch_norm.default(input, weight, bias, running_mean, running_var, training, momentum, eps)",
            "aten._native_batch_norm_legit.default(input, weight, bias, running_mean, running_var, training, momentum, eps)",
            "aten._native_batch_norm_legit.no_stats(input, weight, bias, training, momentum, eps)",
        ],
    ),
    Row::new(
        functional,
        &[
            "aten._native_batch_norm_legit_functional.default(input, weight, bias, running_mean, running_var, training, momentum, eps)",
        ],
    ),
    Row::new(
        no_training,
        &[
            "aten._native_batch_norm_legit_no_training.default(input, weight, bias, running_mean, running_var, momentum, eps)",
        ],
    ),
    Row::new(
        with_reserve,
        &[
            "aten._batch_norm_with_update.default(input, weight, bias, running_mean, running_var, momentum, eps)",
            "aten._batch_norm_with_update_functional.default(input, weight, bias, running_mean, running_var, momentum, eps)",
        ],
    ),
    Row::new(
        no_update,
        &[
            "aten._batch_norm_no_update.default(input, weight, bias, running_mean, running_var, momentum, eps)",
        ],
    ),
    Row::new(
        instance_norm,
        &[
            "aten.instance_norm.default(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled)",
        ],
    ),
];

/// Statistics of a batch: mean and variance (without correction) of each channel, and the number of elements of a
/// channel.
struct Statistics {
    mean: ValueId,
    variance: ValueId,
    count: Dim,
}

impl Statistics {
    /// Mean and variance over axes that go. Half types are computed in f32.
    fn over(cx: &mut Importer<'_>, x: ValueId, axes: &[usize]) -> Result<Statistics, Problem> {
        let counts = axes.iter().map(|&i| cx.size(x, i));
        let count = counts.product::<Result<Dim, _>>()?;
        let x = widened(cx, x)?;
        let mean = cx.reduce(ReduceFn::Mean, x, axes, true)?;
        let centred = cx.sub(x, mean)?;
        let square = cx.unary(Simple::Square, centred)?;
        Ok(Statistics {
            mean: cx.squeeze(mean, axes)?,
            variance: cx.reduce(ReduceFn::Mean, square, axes, false)?,
            count,
        })
    }

    /// Mean and variance over all axes but the channels.
    fn of_channels(cx: &mut Importer<'_>, x: ValueId) -> Result<Statistics, Problem> {
        if cx.rank(x) < 2 {
            return Err(Problem::unsupported("takes a rank of at least 2"));
        }
        let axes: Vec<usize> = (0..cx.rank(x)).filter(|&i| i != 1).collect();
        Statistics::over(cx, x, &axes)
    }

    fn inverse_deviation(&self, cx: &mut Importer<'_>, eps: f64) -> Result<ValueId, Problem> {
        let eps = cx.scalar_like(Scalar::Float(eps), self.variance);
        let sum = cx.add(self.variance, eps)?;
        cx.unary(Simple::Rsqrt, sum)
    }

    /// The variance with Bessel's correction: times `count / (count - 1)`.
    fn corrected(&self, cx: &mut Importer<'_>) -> Result<ValueId, Problem> {
        let dtype = cx.dtype(self.variance);
        let count = cx.dim(&self.count, DType::I64, 0)?;
        let count = cx.cast(count, dtype)?;
        let less = cx.dim(&(&self.count - 1), DType::I64, 0)?;
        let less = cx.cast(less, dtype)?;
        let factor = cx.binary(BinaryFn::Div, count, less)?;
        cx.mul(self.variance, factor)
    }
}

fn running(a: &Args<'_>) -> Result<Option<[ValueId; 2]>, Problem> {
    if !a.has("running_mean") {
        return Ok(None);
    }
    let mean = a.optional_tensor("running_mean")?;
    Ok(mean
        .zip(a.optional_tensor("running_var")?)
        .map(|(m, v)| [m, v]))
}

/// The running statistics after a batch with these statistics.
fn advanced(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    [mean, variance]: [ValueId; 2],
    new: [ValueId; 2],
) -> Result<[ValueId; 2], Problem> {
    let momentum = a.float("momentum")?;
    let mut results = [mean, variance];
    for (old, new) in results.iter_mut().zip(new) {
        let dtype = cx.dtype(*old);
        let new = cx.cast(new, dtype)?;
        let kept = cx.scale(*old, Scalar::Float(1.0 - momentum))?;
        let added = cx.scale(new, Scalar::Float(momentum))?;
        *old = cx.add(kept, added)?;
    }
    Ok(results)
}

fn write_running(cx: &mut Importer<'_>, a: &Args<'_>, new: [ValueId; 2]) -> Result<(), Problem> {
    cx.assign(a.variable("running_mean")?, new[0])?;
    cx.assign(a.variable("running_var")?, new[1])
}

fn normalised_by(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    statistics: [ValueId; 2],
) -> Result<ValueId, Problem> {
    let op = Normalize {
        kind: NormKind::Batch,
        eps: a.float("eps")?,
    };
    let (weight, bias) = (a.optional_tensor("weight")?, a.optional_tensor("bias")?);
    normalised(cx, op, a.tensor("input")?, &statistics, weight, bias)
}

fn by_running(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<ValueId, Problem> {
    let statistics = running(a)?.ok_or(Problem::Missing("running_mean"))?;
    normalised_by(cx, a, statistics)
}

/// The results of training: the normalised tensor, the saved mean and inverse deviation, and the new running
/// statistics.
struct Trained {
    y: ValueId,
    saved: [ValueId; 2],
    running: Option<[ValueId; 2]>,
}

fn trained(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Trained, Problem> {
    let own = Statistics::of_channels(cx, a.tensor("input")?)?;
    let y = normalised_by(cx, a, [own.mean, own.variance])?;
    let inverse = own.inverse_deviation(cx, a.float("eps")?)?;
    let running = match running(a)? {
        None => None,
        Some(old) => {
            let corrected = own.corrected(cx)?;
            Some(advanced(cx, a, old, [own.mean, corrected])?)
        }
    };
    Ok(Trained {
        y,
        saved: [own.mean, inverse],
        running,
    })
}

/// Normalises as in training, and writes the running statistics in place.
fn trained_in_place(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Trained, Problem> {
    let trained = trained(cx, a)?;
    if let Some(new) = trained.running {
        write_running(cx, a, new)?;
    }
    Ok(trained)
}

fn batch_norm(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    if a.bool("training")? {
        return one(trained_in_place(cx, a)?.y);
    }
    one(by_running(cx, a)?)
}

/// In inference the saved mean and inverse deviation are empty tensors.
fn no_training(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let y = by_running(cx, a)?;
    let dtype = a.declared(1).map_or(cx.dtype(y), |ty| ty.dtype);
    let empty = cx.full(&Shape::from([0]), dtype, Scalar::Int(0))?;
    Ok(vec![y.into(), empty.into(), empty.into()])
}

fn listed(t: &Trained) -> Returns {
    [t.y].into_iter().chain(t.saved).map(Return::from).collect()
}

fn native(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    if a.bool("training")? {
        return Ok(listed(&trained_in_place(cx, a)?));
    }
    no_training(cx, a)
}

/// As training, with the new running statistics as results in place of a write.
fn functional(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let old = running(a)?.ok_or(Problem::Missing("running_mean"))?;
    let (mut results, new) = if a.bool("training")? {
        let trained = trained(cx, a)?;
        (listed(&trained), trained.running.unwrap_or(old))
    } else {
        (no_training(cx, a)?, old)
    };
    results.extend(new.map(Return::from));
    Ok(results)
}

fn reserve(cx: &mut Importer<'_>) -> Result<Return, Problem> {
    let empty = cx.full(&Shape::from([0]), DType::U8, Scalar::Int(0))?;
    Ok(empty.into())
}

fn with_reserve(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let in_place = a.target() == "aten._batch_norm_with_update.default";
    let trained = if in_place {
        trained_in_place(cx, a)?
    } else {
        trained(cx, a)?
    };
    let mut results = listed(&trained);
    results.push(reserve(cx)?);
    if !in_place {
        results.extend(trained.running.into_iter().flatten().map(Return::from));
    }
    Ok(results)
}

fn no_update(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let mut results = no_training(cx, a)?;
    results.push(reserve(cx)?);
    Ok(results)
}

/// Normalises each channel of each image by its own statistics, or by the running statistics.
fn instance_norm(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    if !a.bool("use_input_stats")? {
        return one(by_running(cx, a)?);
    }
    let x = a.tensor("input")?;
    if let Some(old) = running(a)? {
        let axes: Vec<usize> = (2..cx.rank(x)).collect();
        let own = Statistics::over(cx, x, &axes)?;
        let corrected = own.corrected(cx)?;
        let mut new = [own.mean, corrected];
        for v in &mut new {
            *v = cx.reduce(ReduceFn::Mean, *v, [0], false)?;
        }
        let new = advanced(cx, a, old, new)?;
        write_running(cx, a, new)?;
    }
    match cx.shape(x).get(1).and_then(Dim::as_const) {
        Some(channels) if channels > 0 => one(grouped(cx, a, channels as usize)?),
        _ => Err(Problem::unsupported("takes a known number of channels")),
    }
}
