//! Rarer functions of one or two numbers, and predicates of whole tensors.

use crate::call::error::Problem;
use crate::call::limits;
use crate::call::{Arg, Number, NumberKind};
use crate::importer::Importer;
use crate::importer::arguments::{Args, Operand};
use crate::importer::promotion::float_of;
use crate::importer::returns::{Return, Returns, one};
use crate::importer::row::Row;
use crate::ops::arithmetic::known_power;
use kiln_ir::ops::{BinaryFn, CompareFn, ReduceFn, Simple};
use kiln_ir::{Builder, DType, Scalar, TensorData, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        round_decimals,
        &[
            "aten.round.decimals(self, *, decimals)",
            "aten.special_round.default(self, *, decimals=0)",
        ],
    ),
    Row::new(
        copy_sign,
        &[
            "aten.copysign.Tensor(self, other)",
            "aten.copysign.Scalar(self, other)",
        ],
    ),
    Row::new(
        |cx, a| log_add(cx, a, Simple::Exp, Simple::Log1p),
        &["aten.logaddexp.default(self, other)"],
    ),
    Row::new(
        |cx, a| log_add(cx, a, Simple::Exp2, Simple::Log2),
        &["aten.logaddexp2.default(self, other)"],
    ),
    Row::new(
        |cx, a| times_log(cx, a, Simple::Log),
        &[
            "aten.xlogy.Tensor(self, other)",
            "aten.xlogy.Scalar_Self(self, other)",
            "aten.xlogy.Scalar_Other(self, other)",
            "aten.special_xlogy.default(self, other)",
            "aten.special_xlogy.self_scalar(self, other)",
            "aten.special_xlogy.other_scalar(self, other)",
        ],
    ),
    Row::new(
        |cx, a| times_log(cx, a, Simple::Log1p),
        &[
            "aten.special_xlog1py.default(self, other)",
            "aten.special_xlog1py.self_scalar(self, other)",
            "aten.special_xlog1py.other_scalar(self, other)",
        ],
    ),
    Row::new(
        sinc,
        &["aten.sinc.default(self)", "aten.special_sinc.default(self)"],
    ),
    Row::new(entropy, &["aten.special_entr.default(self)"]),
    Row::new(
        |cx, a| renamed(cx, a, Simple::Expm1),
        &["aten.special_expm1.default(self)"],
    ),
    Row::new(
        |cx, a| renamed(cx, a, Simple::Exp2),
        &["aten.special_exp2.default(self)"],
    ),
    Row::new(
        |cx, a| renamed(cx, a, Simple::Erf),
        &["aten.special_erf.default(self)"],
    ),
    Row::new(
        |cx, a| renamed(cx, a, Simple::Erfinv),
        &["aten.special_erfinv.default(self)"],
    ),
    Row::new(
        |cx, a| renamed(cx, a, Simple::Sigmoid),
        &["aten.special_expit.default(self)"],
    ),
    Row::new(
        |cx, a| renamed(cx, a, Simple::Log1p),
        &["aten.special_log1p.default(self)"],
    ),
    Row::new(heaviside, &["aten.heaviside.default(self, values)"]),
    Row::new(
        |cx, a| is_infinity(cx, a, f64::INFINITY),
        &["aten.isposinf.default(self)"],
    ),
    Row::new(
        |cx, a| is_infinity(cx, a, f64::NEG_INFINITY),
        &["aten.isneginf.default(self)"],
    ),
    Row::new(sign_bit, &["aten.signbit.default(self)"]),
    Row::new(
        is_close,
        &["aten.isclose.default(self, other, rtol=1e-05, atol=1e-08, equal_nan=False)"],
    ),
    Row::new(
        all_close,
        &["aten.allclose.default(self, other, rtol=1e-05, atol=1e-08, equal_nan=False)"],
    ),
    Row::new(equal, &["aten.equal.default(self, other)"]),
    Row::new(
        float_power,
        &[
            "aten.float_power.Tensor_Tensor(self, exponent)",
            "aten.float_power.Tensor_Scalar(self, exponent)",
            "aten.float_power.Scalar(self, exponent)",
        ],
    ),
    Row::new(ldexp, &["aten.ldexp.Tensor(self, other)"]),
    Row::new(
        log_space,
        &[
            "aten.logspace.default(start, end, steps, base=10.0, *, dtype=None, layout=None, device=None, pin_memory=None)",
        ],
    ),
];

fn renamed(cx: &mut Importer<'_>, a: &Args<'_>, f: Simple) -> Result<Returns, Problem> {
    let x = cx.as_float(a.tensor("self")?)?;
    one(cx.unary(f, x)?)
}

/// Rounds to decimals: `round(x * 10^decimals) / 10^decimals`. For negative decimals it divides first.
fn round_decimals(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, decimals) = (a.tensor("self")?, a.int("decimals")?);
    if !cx.dtype(x).is_float() {
        return one(x);
    }
    if decimals == 0 {
        return one(cx.unary(Simple::Round, x)?);
    }
    let power = 10f64.powi(i32::try_from(decimals.abs()).unwrap_or(i32::MAX));
    let power = cx.scalar_like(Scalar::Float(power), x);
    let (there, back) = if decimals > 0 {
        (BinaryFn::Mul, BinaryFn::Div)
    } else {
        (BinaryFn::Div, BinaryFn::Mul)
    };
    let scaled = cx.binary(there, x, power)?;
    let rounded = cx.unary(Simple::Round, scaled)?;
    one(cx.binary(back, rounded, power)?)
}

/// Two operands, cast to their common dtype, or to the float dtype that stands for it.
fn floats(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    names: [&'static str; 2],
) -> Result<[ValueId; 2], Problem> {
    let (x, y) = (a.operand(names[0])?, a.operand(names[1])?);
    let dtype = float_of(cx.result_type(&[&x, &y]));
    cx.meet([&x, &y], dtype)
}

/// True where the sign bit is set, for zeros and NaN too. The sign of `1 / x` tells the zeros apart.
fn is_negative(cx: &mut Importer<'_>, x: ValueId) -> Result<ValueId, Problem> {
    let zero = cx.scalar_like(Scalar::Int(0), x);
    let below = cx.compare(CompareFn::Lt, x, zero)?;
    if !cx.dtype(x).is_float() {
        return Ok(below);
    }
    let unit = cx.scalar_like(Scalar::Int(1), x);
    let inverse = cx.binary(BinaryFn::Div, unit, x)?;
    let minus_zero = cx.compare(CompareFn::Lt, inverse, zero)?;
    cx.binary(BinaryFn::BitOr, below, minus_zero)
}

fn copy_sign(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let [x, sign] = floats(cx, a, ["self", "other"])?;
    let size = cx.unary(Simple::Abs, x)?;
    let minus = cx.unary(Simple::Neg, size)?;
    let negative = is_negative(cx, sign)?;
    one(cx.select(negative, minus, size)?)
}

fn sign_bit(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    if cx.dtype(x) == DType::Bool {
        let shape = cx.shape(x);
        return one(cx.full(&shape, DType::Bool, Scalar::Bool(false))?);
    }
    one(is_negative(cx, x)?)
}

/// `logaddexp`: the greater operand plus `log(1 + exp(-distance))`. Equal infinities give themselves.
fn log_add(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    power: Simple,
    log: Simple,
) -> Result<Returns, Problem> {
    let [x, y] = floats(cx, a, ["self", "other"])?;
    let greater = cx.binary(BinaryFn::Max, x, y)?;
    let difference = cx.sub(x, y)?;
    let distance = cx.unary(Simple::Abs, difference)?;
    let minus = cx.unary(Simple::Neg, distance)?;
    let mut part = cx.unary(power, minus)?;
    if log == Simple::Log2 {
        let unit = cx.scalar_like(Scalar::Int(1), part);
        part = cx.add(part, unit)?;
    }
    let more = cx.unary(log, part)?;
    let sum = cx.add(greater, more)?;
    let same = cx.compare(CompareFn::Eq, x, y)?;
    let infinite = cx.unary(Simple::IsInf, x)?;
    let both = cx.binary(BinaryFn::BitAnd, same, infinite)?;
    one(cx.select(both, x, sum)?)
}

/// `x * log(y)`: 0 where `x` is 0, NaN where `y` is.
fn times_log(cx: &mut Importer<'_>, a: &Args<'_>, log: Simple) -> Result<Returns, Problem> {
    let [x, y] = floats(cx, a, ["self", "other"])?;
    let zero = cx.scalar_like(Scalar::Int(0), x);
    let log = cx.unary(log, y)?;
    let product = cx.mul(x, log)?;
    let none = cx.compare(CompareFn::Eq, x, zero)?;
    let result = cx.select(none, zero, product)?;
    let nan = cx.unary(Simple::IsNan, y)?;
    one(cx.select(nan, y, result)?)
}

fn sinc(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = cx.as_float(a.tensor("self")?)?;
    let angle = cx.scale(x, Scalar::Float(std::f64::consts::PI))?;
    let sine = cx.unary(Simple::Sin, angle)?;
    let ratio = cx.binary(BinaryFn::Div, sine, angle)?;
    let zero = cx.scalar_like(Scalar::Int(0), x);
    let unit = cx.scalar_like(Scalar::Int(1), x);
    let middle = cx.compare(CompareFn::Eq, x, zero)?;
    one(cx.select(middle, unit, ratio)?)
}

/// `-x log(x)`: 0 at 0, minus infinity below 0.
fn entropy(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = cx.as_float(a.tensor("self")?)?;
    let log = cx.unary(Simple::Log, x)?;
    let product = cx.mul(x, log)?;
    let result = cx.unary(Simple::Neg, product)?;
    let zero = cx.scalar_like(Scalar::Int(0), x);
    let low = cx.scalar_like(Scalar::Float(f64::NEG_INFINITY), x);
    let none = cx.compare(CompareFn::Eq, x, zero)?;
    let result = cx.select(none, zero, result)?;
    let below = cx.compare(CompareFn::Lt, x, zero)?;
    one(cx.select(below, low, result)?)
}

/// The step function: 1 above 0, the given value at 0, else 0. A NaN gives 0.
fn heaviside(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, middle) = (a.tensor("self")?, a.tensor("values")?);
    if cx.dtype(x) != cx.dtype(middle) {
        return Err(Problem::unsupported("takes two tensors of one dtype"));
    }
    let zero = cx.scalar_like(Scalar::Int(0), x);
    let unit = cx.scalar_like(Scalar::Int(1), x);
    let above = cx.compare(CompareFn::Gt, x, zero)?;
    let step = cx.select(above, unit, zero)?;
    let at = cx.compare(CompareFn::Eq, x, zero)?;
    one(cx.select(at, middle, step)?)
}

fn is_infinity(cx: &mut Importer<'_>, a: &Args<'_>, which: f64) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    if !cx.dtype(x).is_float() {
        let shape = cx.shape(x);
        return one(cx.full(&shape, DType::Bool, Scalar::Bool(false))?);
    }
    one(cx.compare_with(CompareFn::Eq, x, which)?)
}

/// `|x - y| <= atol + rtol * |y|` if the distance is finite, else equality.
fn close(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<ValueId, Problem> {
    let (x, y) = (a.tensor("self")?, a.tensor("other")?);
    if cx.dtype(x) != cx.dtype(y) {
        return Err(Problem::unsupported("takes two tensors of one dtype"));
    }
    let mut found = cx.compare(CompareFn::Eq, x, y)?;
    let own = cx.dtype(x);
    let either = |cx: &mut Importer<'_>, a, b| cx.binary(BinaryFn::BitOr, a, b);
    if own.is_float() && a.bool("equal_nan")? {
        let (p, q) = (cx.unary(Simple::IsNan, x)?, cx.unary(Simple::IsNan, y)?);
        let both = cx.binary(BinaryFn::BitAnd, p, q)?;
        found = either(cx, found, both)?;
    }
    let (rtol, atol) = (a.float("rtol")?, a.float("atol")?);
    if rtol == 0.0 && atol == 0.0 || own == DType::Bool {
        return Ok(found);
    }
    let difference = cx.sub(x, y)?;
    let distance = cx.unary(Simple::Abs, difference)?;
    let distance = cx.as_float(distance)?;
    let size = cx.unary(Simple::Abs, y)?;
    let size = cx.as_float(size)?;
    let relative = cx.scale(size, Scalar::Float(rtol))?;
    let absolute = cx.scalar_like(Scalar::Float(atol), relative);
    let allowed = cx.add(absolute, relative)?;
    let near = cx.compare(CompareFn::Le, distance, allowed)?;
    let finite = cx.compare_with(CompareFn::Lt, distance, f64::INFINITY)?;
    let near = cx.binary(BinaryFn::BitAnd, near, finite)?;
    either(cx, found, near)
}

fn is_close(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    one(close(cx, a)?)
}

fn running_bool(cx: &mut Importer<'_>, v: ValueId) -> Result<Returns, Problem> {
    let all: Vec<usize> = (0..cx.rank(v)).collect();
    let value = cx.reduce(ReduceFn::All, v, &all, false)?;
    let number = Number {
        value,
        kind: NumberKind::Bool,
    };
    Ok(vec![Return::Arg(Arg::Number(number))])
}

fn all_close(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let close = close(cx, a)?;
    running_bool(cx, close)
}

fn equal(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, y) = (a.tensor("self")?, a.tensor("other")?);
    let same = cx.shape(x).equal(&cx.shape(y), cx.symbols());
    if cx.dtype(x) != cx.dtype(y) {
        return Err(Problem::unsupported("takes two tensors of one dtype"));
    }
    match same {
        Some(true) => {
            let equal = cx.compare(CompareFn::Eq, x, y)?;
            running_bool(cx, equal)
        }
        Some(false) => Ok(vec![Return::Arg(Arg::Bool(false))]),
        None => Err(Problem::unsupported("tensors whose sizes may differ")),
    }
}

fn float_power(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, y) = (a.operand("self")?, a.operand("exponent")?);
    if let (Operand::Tensor(base), Operand::Known(exponent)) = (&x, &y) {
        let base = cx.cast(*base, DType::F64)?;
        if let Some(value) = known_power(cx, base, exponent.as_f64())? {
            return one(value);
        }
    }
    let [x, y] = cx.meet([&x, &y], DType::F64)?;
    one(cx.binary(BinaryFn::Pow, x, y)?)
}

/// `x * 2^y`.
fn ldexp(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, y) = (a.tensor("self")?, a.tensor("other")?);
    let power = cx.as_float(y)?;
    let power = cx.unary(Simple::Exp2, power)?;
    let (x, power) = (Operand::Tensor(x), Operand::Tensor(power));
    let dtype = cx.result_type(&[&x, &power]);
    let [x, power] = cx.meet([&x, &power], dtype)?;
    one(cx.mul(x, power)?)
}

/// `base^x` for evenly spaced `x`, each counted from the nearer end.
fn log_space(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (start, end, base) = (a.float("start")?, a.float("end")?, a.float("base")?);
    let steps = a.int("steps")?;
    limits::elements(&[steps])?;
    let dtype = a.optional_dtype("dtype")?.unwrap_or(DType::F32);
    if !dtype.is_float() {
        return Err(Problem::unsupported(
            "powers as integers; cast them instead",
        ));
    }
    let step = (end - start) / (steps - 1).max(1) as f64;
    let at = |i: i64| {
        if i < steps / 2 || steps == 1 {
            start + step * i as f64
        } else {
            end - step * (steps - 1 - i) as f64
        }
    };
    let powers = (0..steps).map(|i| Scalar::Float(base.powf(at(i))));
    let data = TensorData::from_scalars(dtype, vec![steps as usize], powers);
    one(cx.literal(data))
}
