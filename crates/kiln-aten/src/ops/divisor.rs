//! Greatest common divisors and least common multiples, by Euclid's algorithm in a loop.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, ReduceFn, Simple, While};
use kiln_ir::{Builder, DType, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(greatest_divisor, &["aten.gcd.default(self, other)"]),
    Row::new(least_multiple, &["aten.lcm.default(self, other)"]),
];

/// The two operands, which have one integer dtype, broadcast to one shape.
fn operands(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<[ValueId; 2], Problem> {
    let (x, y) = (a.operand("self")?, a.operand("other")?);
    let dtype = cx.result_type(&[&x, &y]);
    if dtype.is_float() || dtype == DType::Bool {
        return Err(Problem::unsupported("takes integers"));
    }
    let both = cx.meet([&x, &y], dtype)?;
    let shape = cx.common_shape(&both)?;
    Ok([cx.expand(both[0], &shape)?, cx.expand(both[1], &shape)?])
}

fn greatest_divisor(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let both = operands(cx, a)?;
    one(divisor(cx, both)?)
}

/// The least common multiple: `|x / divisor * y|`, or 0 where both operands are 0.
fn least_multiple(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let [x, y] = operands(cx, a)?;
    let divisor = divisor(cx, [x, y])?;
    let divisor = one_for_zero(cx, divisor)?;
    let part = cx.binary(BinaryFn::TruncDiv, x, divisor)?;
    let multiple = cx.mul(part, y)?;
    one(cx.unary(Simple::Abs, multiple)?)
}

fn is_zero(cx: &mut Importer<'_>, v: ValueId) -> Result<ValueId, Problem> {
    cx.compare_with(CompareFn::Eq, v, 0i64)
}

fn one_for_zero(cx: &mut Importer<'_>, v: ValueId) -> Result<ValueId, Problem> {
    let unit = cx.scalar_like(Scalar::Int(1), v);
    let is_zero = is_zero(cx, v)?;
    cx.select(is_zero, unit, v)
}

/// Takes remainders in a loop until all divisors are 0.
fn divisor(cx: &mut Importer<'_>, both: [ValueId; 2]) -> Result<ValueId, Problem> {
    let mut sizes = both;
    for size in &mut sizes {
        if cx.dtype(*size) != DType::U8 {
            *size = cx.unary(Simple::Abs, *size)?;
        }
    }
    let condition = cx.nested(&sizes, |cx, now| {
        let zero = cx.scalar_like(Scalar::Int(0), now[1]);
        let open = cx.compare(CompareFn::Ne, now[1], zero)?;
        let axes: Vec<usize> = (0..cx.rank(open)).collect();
        Ok(vec![cx.reduce(ReduceFn::Any, open, &axes, false)?])
    })?;
    let body = cx.nested(&sizes, |cx, now| {
        let [x, y] = [now[0], now[1]];
        let is_done = is_zero(cx, y)?;
        let by = one_for_zero(cx, y)?;
        // Where the divisor is 0 already, the division is by 1, whose remainder is 0.
        let rest = cx.binary(BinaryFn::Fmod, x, by)?;
        Ok(vec![cx.select(is_done, x, y)?, rest])
    })?;
    let op = While {
        condition,
        body,
        carried: 2,
    };
    Ok(cx.results(op, &sizes)?[0])
}
