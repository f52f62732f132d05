//! Loss functions that are part of models, such as the commitment loss of a vector quantiser.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::axis;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, Gather, Index, ReduceFn, Simple, Softmax, UnaryFn};
use kiln_ir::{Builder, DType, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        squared,
        &["aten.mse_loss.default(self, target, reduction=1)"],
    ),
    Row::new(
        absolute,
        &["aten.l1_loss.default(self, target, reduction=1)"],
    ),
    Row::new(
        smooth,
        &["aten.smooth_l1_loss.default(self, target, reduction=1, beta=1.0)"],
    ),
    Row::new(
        huber,
        &["aten.huber_loss.default(self, target, reduction=1, delta=1.0)"],
    ),
    Row::new(
        divergence,
        &["aten.kl_div.default(self, target, reduction=1, *, log_target=False)"],
    ),
    Row::new(
        binary_cross_entropy,
        &["aten.binary_cross_entropy.default(self, target, weight=None, reduction=1)"],
    ),
    Row::new(
        binary_cross_entropy_with_logits,
        &[
            "aten.binary_cross_entropy_with_logits.default(self, target, weight=None, pos_weight=None, reduction=1)",
        ],
    ),
    Row::new(
        negative_log_likelihood,
        &[
            "aten.nll_loss.default(self, target, weight=None, reduction=1, ignore_index=-100)",
            "aten.nll_loss_nd.default(self, target, weight=None, reduction=1, ignore_index=-100)",
            "aten.nll_loss2d.default(self, target, weight=None, reduction=1, ignore_index=-100)",
        ],
    ),
    Row::new(
        cross_entropy,
        &[
            "aten.cross_entropy_loss.default(self, target, weight=None, reduction=1, ignore_index=-100, label_smoothing=0.0)",
        ],
    ),
];

/// Applies `reduction`: 0 keeps all losses, 1 is their mean, 2 their sum.
fn reduced(cx: &mut Importer<'_>, a: &Args<'_>, losses: ValueId) -> Result<Returns, Problem> {
    let f = match a.int("reduction")? {
        0 => return one(losses),
        1 => ReduceFn::Mean,
        _ => ReduceFn::Sum,
    };
    one(over_all(cx, f, losses)?)
}

fn over_all(cx: &mut Importer<'_>, f: ReduceFn, x: ValueId) -> Result<ValueId, Problem> {
    let all: Vec<usize> = (0..cx.rank(x)).collect();
    cx.reduce(f, x, &all, false)
}

fn pair(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<[ValueId; 2], Problem> {
    let (x, target) = (a.tensor("self")?, a.tensor("target")?);
    let dtype = cx.dtype(x).promote(cx.dtype(target));
    Ok([cx.cast(x, dtype)?, cx.cast(target, dtype)?])
}

fn distance(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<ValueId, Problem> {
    let [x, target] = pair(cx, a)?;
    let difference = cx.sub(x, target)?;
    cx.unary(Simple::Abs, difference)
}

fn squared(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let [x, target] = pair(cx, a)?;
    let difference = cx.sub(x, target)?;
    let losses = cx.unary(Simple::Square, difference)?;
    reduced(cx, a, losses)
}

fn absolute(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let losses = distance(cx, a)?;
    reduced(cx, a, losses)
}

/// `d * d / 2 / beta` below `beta`, `d - beta / 2` above.
fn smooth(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let beta = a.float("beta")?;
    let d = distance(cx, a)?;
    let losses = if beta == 0.0 {
        d
    } else {
        let square = cx.unary(Simple::Square, d)?;
        let half = cx.scale(square, Scalar::Float(0.5))?;
        let divisor = cx.scalar_like(Scalar::Float(beta), d);
        let near = cx.binary(BinaryFn::Div, half, divisor)?;
        let offset = cx.scalar_like(Scalar::Float(beta / 2.0), d);
        let far = cx.sub(d, offset)?;
        below(cx, d, beta, near, far)?
    };
    reduced(cx, a, losses)
}

/// `d * d / 2` up to `delta`, `delta * (d - delta / 2)` above.
fn huber(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let delta = a.float("delta")?;
    let d = distance(cx, a)?;
    let square = cx.unary(Simple::Square, d)?;
    let near = cx.scale(square, Scalar::Float(0.5))?;
    let offset = cx.scalar_like(Scalar::Float(delta / 2.0), d);
    let far = cx.sub(d, offset)?;
    let far = cx.scale(far, Scalar::Float(delta))?;
    let losses = below(cx, d, delta, near, far)?;
    reduced(cx, a, losses)
}

fn below(
    cx: &mut Importer<'_>,
    x: ValueId,
    limit: f64,
    near: ValueId,
    far: ValueId,
) -> Result<ValueId, Problem> {
    let is_near = cx.compare_with(CompareFn::Lt, x, limit)?;
    cx.select(is_near, near, far)
}

/// `y * log(y)`, and 0 at 0.
fn x_log_x(cx: &mut Importer<'_>, y: ValueId) -> Result<ValueId, Problem> {
    let log = cx.unary(Simple::Log, y)?;
    let product = cx.mul(y, log)?;
    let zero = cx.scalar_like(Scalar::Int(0), y);
    let is_zero = cx.compare(CompareFn::Eq, y, zero)?;
    cx.select(is_zero, zero, product)
}

/// `target * (log(target) - self)`, or `exp(target) * (target - self)`.
fn divergence(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let [x, target] = pair(cx, a)?;
    let losses = if a.bool("log_target")? {
        let weight = cx.unary(Simple::Exp, target)?;
        let difference = cx.sub(target, x)?;
        cx.mul(weight, difference)?
    } else {
        let own = x_log_x(cx, target)?;
        let cross = cx.mul(target, x)?;
        cx.sub(own, cross)?
    };
    reduced(cx, a, losses)
}

fn weighted(cx: &mut Importer<'_>, a: &Args<'_>, losses: ValueId) -> Result<ValueId, Problem> {
    match a.optional_tensor("weight")? {
        Some(weight) => cx.mul(losses, weight),
        None => Ok(losses),
    }
}

/// `-(y log(x) + (1 - y) log(1 - x))`, with logarithms of at least -100.
fn binary_cross_entropy(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let [x, y] = pair(cx, a)?;
    let least = UnaryFn::Clamp {
        min: Some(Scalar::Float(-100.0)),
        max: None,
    };
    let log = cx.unary(Simple::Log, x)?;
    let log = cx.unary(least, log)?;
    let rest = cx.unary(Simple::Neg, x)?;
    let log_rest = cx.unary(Simple::Log1p, rest)?;
    let log_rest = cx.unary(least, log_rest)?;
    let one_ = cx.scalar_like(Scalar::Int(1), y);
    let other = cx.sub(y, one_)?;
    let first = cx.mul(other, log_rest)?;
    let second = cx.mul(y, log)?;
    let losses = cx.sub(first, second)?;
    let losses = weighted(cx, a, losses)?;
    reduced(cx, a, losses)
}

/// `(1 - y) x + (1 + (p - 1) y) log(1 + exp(-x))`, where `p` is the weight of positive targets.
fn binary_cross_entropy_with_logits(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
) -> Result<Returns, Problem> {
    let [x, y] = pair(cx, a)?;
    let one_ = cx.scalar_like(Scalar::Int(1), y);
    let absent = cx.sub(one_, y)?;
    let linear = cx.mul(absent, x)?;
    let opposite = cx.unary(Simple::Neg, x)?;
    let softplus = UnaryFn::Softplus {
        beta: 1.0,
        threshold: 40.0,
    };
    let mut log = cx.unary(softplus, opposite)?;
    if let Some(present) = a.optional_tensor("pos_weight")? {
        let one_ = cx.scalar_like(Scalar::Int(1), present);
        let more = cx.sub(present, one_)?;
        let more = cx.mul(more, y)?;
        let factor = cx.add(more, one_)?;
        log = cx.mul(factor, log)?;
    }
    let losses = cx.add(linear, log)?;
    let losses = weighted(cx, a, losses)?;
    reduced(cx, a, losses)
}

fn negative_log_likelihood(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let logs = a.tensor("self")?;
    of_classes(cx, a, logs)
}

fn cross_entropy(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    if a.float("label_smoothing")? != 0.0 {
        return Err(Problem::unsupported(
            "smoothed labels; leave the loss out of the exported model",
        ));
    }
    let logits = a.tensor("self")?;
    let axis = class_axis(cx, logits);
    let logs = cx.value(Softmax { axis, log: true }, &[logits])?;
    if cx.dtype(a.tensor("target")?).is_float() {
        return Err(Problem::unsupported(
            "targets that are probabilities; leave the loss out of the exported model",
        ));
    }
    of_classes(cx, a, logs)
}

/// The axis of the classes: the first without a batch axis, else the second.
fn class_axis(cx: &Importer<'_>, x: ValueId) -> usize {
    usize::from(cx.rank(x) > 1)
}

/// The negative log-likelihood of each target's class. The mean is weighted and leaves out ignored targets.
fn of_classes(cx: &mut Importer<'_>, a: &Args<'_>, logs: ValueId) -> Result<Returns, Problem> {
    let target = a.tensor("target")?;
    let along = axis(class_axis(cx, logs) as i64, cx.rank(logs))?;
    let dtype = cx.dtype(logs);
    let counts = cx.compare_with(CompareFn::Ne, target, a.int("ignore_index")?)?;
    let zero = cx.scalar_like(Scalar::Int(0), target);
    let class = cx.select(counts, target, zero)?;
    let class = cx.cast(class, DType::I64)?;
    let mut weights = cx.cast(counts, dtype)?;
    if let Some(by_class) = a.optional_tensor("weight")? {
        let own = cx.value(Index::new(0), &[by_class, class])?;
        weights = cx.mul(weights, own)?;
    }
    let index = cx.unsqueeze(class, &[along])?;
    let picked = cx.value(Gather { axis: along }, &[logs, index])?;
    let picked = cx.squeeze(picked, &[along])?;
    let scaled = cx.mul(picked, weights)?;
    let losses = cx.unary(Simple::Neg, scaled)?;
    match a.int("reduction")? {
        1 => {
            let sum = over_all(cx, ReduceFn::Sum, losses)?;
            let count = over_all(cx, ReduceFn::Sum, weights)?;
            one(cx.binary(BinaryFn::Div, sum, count)?)
        }
        _ => reduced(cx, a, losses),
    }
}
