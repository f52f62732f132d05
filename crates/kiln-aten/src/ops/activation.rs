//! Activations.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::axis;
use crate::importer::promotion::computed_in;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, Simple, UnaryFn};
use kiln_ir::{Builder, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(relu, &["aten.relu.default(self)"]),
    Row::new(relu6, &["aten.relu6.default(self)"]),
    Row::new(
        hardtanh,
        &["aten.hardtanh.default(self, min_val=-1, max_val=1)"],
    ),
    Row::new(
        |cx, a| simple(cx, a, Simple::Hardswish),
        &["aten.hardswish.default(self)"],
    ),
    Row::new(
        |cx, a| simple(cx, a, Simple::Hardsigmoid),
        &["aten.hardsigmoid.default(self)"],
    ),
    Row::new(
        |cx, a| simple(cx, a, Simple::Silu),
        &["aten.silu.default(self)"],
    ),
    Row::new(
        |cx, a| simple(cx, a, Simple::Mish),
        &["aten.mish.default(self)"],
    ),
    Row::new(
        |cx, a| simple(cx, a, Simple::LogSigmoid),
        &["aten.log_sigmoid.default(self)"],
    ),
    Row::new(
        log_sigmoid_forward,
        &["aten.log_sigmoid_forward.default(self)"],
    ),
    Row::new(gelu, &["aten.gelu.default(self, *, approximate=\"none\")"]),
    Row::new(
        elu,
        &["aten.elu.default(self, alpha=1, scale=1, input_scale=1)"],
    ),
    Row::new(celu, &["aten.celu.default(self, alpha=1.0)"]),
    Row::new(selu, &["aten.selu.default(self)"]),
    Row::new(
        leaky_relu,
        &["aten.leaky_relu.default(self, negative_slope=0.01)"],
    ),
    Row::new(
        prelu,
        &[
            "aten.prelu.default(self, weight)",
            "aten._prelu_kernel.default(self, weight)",
        ],
    ),
    Row::new(
        rrelu,
        &[
            "aten.rrelu.default(self, lower=0.125, upper=0.3333333333333333, training=False, generator=None)",
        ],
    ),
    Row::new(
        rrelu_with_noise,
        &[
            "aten.rrelu_with_noise.default(self, noise, lower=0.125, upper=0.3333333333333333, training=False, generator=None)",
            "aten.rrelu_with_noise_functional.default(self, noise, lower=0.125, upper=0.3333333333333333, training=False, generator=None)",
        ],
    ),
    Row::new(
        threshold,
        &["aten.threshold.default(self, threshold, value)"],
    ),
    Row::new(
        softplus,
        &["aten.softplus.default(self, beta=1, threshold=20)"],
    ),
    Row::new(softsign, &["aten.softsign.default(self)"]),
    Row::new(hardshrink, &["aten.hardshrink.default(self, lambd=0.5)"]),
    Row::new(softshrink, &["aten.softshrink.default(self, lambd=0.5)"]),
    Row::new(glu, &["aten.glu.default(self, dim=-1)"]),
];

fn simple(cx: &mut Importer<'_>, a: &Args<'_>, f: Simple) -> Result<Returns, Problem> {
    one(cx.unary(f, a.tensor("self")?)?)
}

fn relu(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    one(cx.unary(UnaryFn::RELU, a.tensor("self")?)?)
}

fn clamp(min: f64, max: f64) -> UnaryFn {
    let (min, max) = (Some(Scalar::Float(min)), Some(Scalar::Float(max)));
    UnaryFn::Clamp { min, max }
}

fn relu6(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    one(cx.unary(clamp(0.0, 6.0), a.tensor("self")?)?)
}

fn hardtanh(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (min, max) = (Some(a.scalar("min_val")?), Some(a.scalar("max_val")?));
    one(cx.unary(UnaryFn::Clamp { min, max }, a.tensor("self")?)?)
}

/// The second result is scratch memory of the CPU kernel. No op reads it.
fn log_sigmoid_forward(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let y = cx.unary(Simple::LogSigmoid, a.tensor("self")?)?;
    Ok(vec![
        y.into(),
        crate::importer::returns::Return::Arg(crate::call::Arg::None),
    ])
}

fn gelu(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    match a.text("approximate")? {
        "none" => simple(cx, a, Simple::Gelu),
        "tanh" => simple(cx, a, Simple::GeluTanh),
        other => Err(Problem::unsupported(format!(
            "approximate={other:?}; known are \"none\" and \"tanh\""
        ))),
    }
}

fn elu(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let f = UnaryFn::Elu {
        alpha: a.float("alpha")?,
        scale: a.float("scale")?,
        input_scale: a.float("input_scale")?,
    };
    one(cx.unary(f, a.tensor("self")?)?)
}

/// `elu` with the exponent divided by alpha.
fn celu(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let alpha = a.float("alpha")?;
    let f = UnaryFn::Elu {
        alpha,
        scale: 1.0,
        input_scale: 1.0 / alpha,
    };
    one(cx.unary(f, a.tensor("self")?)?)
}

/// The constants are those of the paper (Klambauer et al. 2017), as PyTorch has them.
fn selu(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let f = UnaryFn::Elu {
        alpha: 1.673_263_242_354_377_3,
        scale: 1.050_700_987_355_480_5,
        input_scale: 1.0,
    };
    one(cx.unary(f, a.tensor("self")?)?)
}

fn leaky_relu(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let slope = a.float("negative_slope")?;
    one(cx.unary(UnaryFn::LeakyRelu { slope }, a.tensor("self")?)?)
}

/// The weight is one number, or a vector with one number for each index of axis 1 (of axis 0 if `self` is a vector).
fn prelu(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, weight) = (a.tensor("self")?, a.tensor("weight")?);
    let (rank, count) = (cx.rank(x), cx.shape(weight).elements());
    let weight = if cx.rank(weight) == rank {
        weight
    } else {
        let mut shape = vec![1.into(); rank];
        if rank > 0 {
            shape[usize::from(rank > 1)] = count;
        }
        cx.reshape(weight, &shape)?
    };
    one(cx.binary(BinaryFn::Prelu, x, weight)?)
}

/// In inference `rrelu` is a leaky relu with the mean of both slopes.
fn rrelu(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    if a.bool("training")? {
        return Err(Problem::unsupported(
            "training=True draws random slopes; export the model in eval mode",
        ));
    }
    let slope = (a.float("lower")? + a.float("upper")?) / 2.0;
    one(cx.unary(UnaryFn::LeakyRelu { slope }, a.tensor("self")?)?)
}

/// The functional form has the noise as a second result. Inference leaves the noise as it is.
fn rrelu_with_noise(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let mut results = rrelu(cx, a)?;
    if a.target().contains("functional") {
        results.push(a.tensor("noise")?.into());
    }
    Ok(results)
}

/// `x` where above the threshold, else the value; NaN stays.
fn threshold(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let limit = cx.scalar_like(a.scalar("threshold")?, x);
    let value = cx.scalar_like(a.scalar("value")?, x);
    let below = cx.compare(CompareFn::Le, x, limit)?;
    one(cx.select(below, value, x)?)
}

fn softplus(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let f = UnaryFn::Softplus {
        beta: a.float("beta")?,
        threshold: a.float("threshold")?,
    };
    one(cx.unary(f, a.tensor("self")?)?)
}

fn softsign(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = cx.as_float(a.tensor("self")?)?;
    let size = cx.unary(Simple::Abs, x)?;
    let unit = cx.scalar_like(Scalar::Int(1), x);
    let over = cx.add(size, unit)?;
    one(cx.binary(BinaryFn::Div, x, over)?)
}

/// 0 where `-lambd <= x <= lambd`, else `x`.
fn hardshrink(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let size = cx.unary(Simple::Abs, x)?;
    let lambd = cx.scalar_like(a.scalar("lambd")?, x);
    let small = cx.compare(CompareFn::Le, size, lambd)?;
    let zero = cx.scalar_like(Scalar::Int(0), x);
    one(cx.select(small, zero, x)?)
}

/// Shrinks `x` toward 0 by `lambd`: the result is `x - lambd` above `lambd`, `x + lambd` below `-lambd`, and 0 between.
fn softshrink(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, lambd) = (a.tensor("self")?, a.float("lambd")?);
    let inner = cx.unary(clamp(-lambd, lambd), x)?;
    one(cx.sub(x, inner)?)
}

fn glu(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let dtype = cx.dtype(x);
    let along = axis(a.int("dim")?, cx.rank(x))?;
    let x = cx.cast(x, computed_in(dtype))?;
    let [value, gate] = halves(cx, x, along)?;
    let gate = cx.unary(Simple::Sigmoid, gate)?;
    let product = cx.mul(value, gate)?;
    one(cx.cast(product, dtype)?)
}

fn halves(cx: &mut Importer<'_>, x: ValueId, along: usize) -> Result<[ValueId; 2], Problem> {
    if along >= cx.rank(x) {
        return Err(Problem::unsupported("a scalar has no halves"));
    }
    let half = cx.size(x, along)?.floor_div(&2.into());
    let first = cx.slice(x, along, 0, &half, 1)?;
    let second = cx.slice(x, along, &half, &half, 1)?;
    Ok([first, second])
}
