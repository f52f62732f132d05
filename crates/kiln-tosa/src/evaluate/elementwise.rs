//! Elementwise operators.

use super::movement::Walk;
use super::numbers::Numbers;
use crate::dialect::{Clamp, NanMode, Negate, TensorType, TosaDtype, TosaOp};
use kiln_eval::Tensor;
use kiln_quantised::table::interpolated;

/// The greater number, NaN by the mode; the first of two equal ones.
pub(super) fn greater(a: f64, b: f64, mode: NanMode) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (false, false) if a >= b => a,
        (false, false) => b,
        _ => nan(a, b, mode),
    }
}

/// The less number, NaN by the mode; the second of two equal ones.
pub(super) fn less(a: f64, b: f64, mode: NanMode) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (false, false) if a < b => a,
        (false, false) => b,
        _ => nan(a, b, mode),
    }
}

fn nan(a: f64, b: f64, mode: NanMode) -> f64 {
    match mode {
        NanMode::Propagate => f64::NAN,
        NanMode::Ignore if a.is_nan() => b,
        NanMode::Ignore => a,
    }
}

/// The result of an elementwise operator of one operand; `None` for other operators.
pub(super) fn unary(
    op: &TosaOp,
    x: &Tensor,
    result: &TensorType,
) -> Option<Result<Tensor, String>> {
    let numbers = match (op, Numbers::of(x)) {
        (TosaOp::Cast { .. }, numbers) => cast(numbers, result.dtype),
        (TosaOp::Clamp(clamp), numbers) => clamped(clamp, numbers),
        (TosaOp::Negate(negate), numbers) => negated(negate, numbers, result.dtype),
        (op, Numbers::Floats(x)) => {
            let f = real_function(op)?;
            Numbers::Floats(x.into_iter().map(f).collect())
        }
        (op, Numbers::Ints(x)) => {
            let f: fn(i64) -> i64 = match op {
                TosaOp::Abs => i64::abs,
                TosaOp::BitwiseNot => |x| !x,
                TosaOp::Clz => |x| i64::from((x as i32).leading_zeros()),
                TosaOp::LogicalNot => |x| 1 - x,
                _ => return None,
            };
            Numbers::Ints(x.into_iter().map(f).collect())
        }
    };
    Some(numbers.tensor(result))
}

fn real_function(op: &TosaOp) -> Option<fn(f64) -> f64> {
    Some(match op {
        TosaOp::Erf => libm::erf,
        TosaOp::Sigmoid => |x| 1.0 / (1.0 + libm::exp(-x)),
        TosaOp::Tanh => libm::tanh,
        TosaOp::Abs => f64::abs,
        TosaOp::Ceil => f64::ceil,
        TosaOp::Cos => libm::cos,
        TosaOp::Exp => libm::exp,
        TosaOp::Floor => f64::floor,
        TosaOp::Log => libm::log,
        TosaOp::Reciprocal => |x| 1.0 / x,
        TosaOp::Rsqrt => |x| 1.0 / x.sqrt(),
        TosaOp::Sin => libm::sin,
        _ => return None,
    })
}

fn clamped(clamp: &Clamp, numbers: Numbers) -> Numbers {
    match numbers {
        Numbers::Ints(x) => {
            let (low, high) = (clamp.min.as_i64(), clamp.max.as_i64());
            Numbers::Ints(x.into_iter().map(|x| x.max(low).min(high)).collect())
        }
        Numbers::Floats(x) => {
            let (low, high, mode) = (clamp.min.as_f64(), clamp.max.as_f64(), clamp.nan_mode);
            let limited = |x| less(greater(x, low, mode), high, mode);
            Numbers::Floats(x.into_iter().map(limited).collect())
        }
    }
}

fn negated(negate: &Negate, numbers: Numbers, dtype: TosaDtype) -> Numbers {
    match numbers {
        Numbers::Floats(x) => Numbers::Floats(x.into_iter().map(|x| -x).collect()),
        Numbers::Ints(x) => {
            // A sum of `i32` is an `i32`: one that is out of range is unpredictable.
            let (low, high) = match dtype {
                TosaDtype::I32 => (i64::MIN, i64::MAX),
                _ => dtype.int_range().unwrap_or((0, 0)),
            };
            let sum = i64::from(negate.input_zp) + i64::from(negate.output_zp);
            Numbers::Ints(x.into_iter().map(|x| (sum - x).clamp(low, high)).collect())
        }
    }
}

fn cast(numbers: Numbers, to: TosaDtype) -> Numbers {
    let is_bool = to == TosaDtype::Bool;
    match numbers {
        Numbers::Ints(x) if to.is_float() => {
            Numbers::Floats(x.into_iter().map(|x| x as f64).collect())
        }
        Numbers::Floats(x) if to.is_float() => Numbers::Floats(x),
        Numbers::Ints(x) if is_bool => {
            Numbers::Ints(x.into_iter().map(|x| (x != 0).into()).collect())
        }
        Numbers::Ints(x) => {
            let unused = 64 - to.bits();
            Numbers::Ints(x.into_iter().map(|x| x << unused >> unused).collect())
        }
        Numbers::Floats(x) => {
            let (low, high) = to.int_range().unwrap_or((0, 1));
            // The specification leaves the conversion of NaN open. The reference model converts it to 32 bits as x86
            // does, and truncates.
            let nearest = |x: f64| match to {
                TosaDtype::I32 if x.is_nan() => low,
                _ => (x.round_ties_even() as i64).clamp(low, high),
            };
            Numbers::Ints(x.into_iter().map(nearest).collect())
        }
    }
}

/// The elements of an operand, broadcast to a shape.
fn spread<T: Copy>(elements: Vec<T>, from: &Tensor, to: &[usize]) -> Vec<T> {
    if from.sizes() == to {
        return elements;
    }
    let places = Walk::broadcast(from.sizes(), to);
    places.map(|place| elements[place]).collect()
}

/// The result of an elementwise operator of two operands; `None` for other operators.
pub(super) fn binary(
    op: &TosaOp,
    operands: &[Tensor],
    result: &TensorType,
) -> Option<Result<Tensor, String>> {
    let [a, b] = operands else { return None };
    let to = result.shape.as_slice();
    let numbers = match (Numbers::of(a), Numbers::of(b)) {
        (Numbers::Floats(x), Numbers::Floats(y)) => {
            let pairs = spread(x, a, to).into_iter().zip(spread(y, b, to));
            let pairs: Vec<(f64, f64)> = pairs.collect();
            if let (TosaOp::Pow, Some((a, b))) = (op, pairs.iter().find(|p| !is_power(p))) {
                return Some(Err(format!("unpredictable: {a} to the power {b}")));
            }
            reals(op, pairs)?
        }
        (Numbers::Ints(x), Numbers::Ints(y)) => {
            let pairs = spread(x, a, to).into_iter().zip(spread(y, b, to));
            match integers(op, result.dtype, pairs.collect())? {
                Ok(numbers) => Numbers::Ints(numbers),
                Err(what) => return Some(Err(what)),
            }
        }
        _ => return None,
    };
    Some(numbers.tensor(result))
}

/// The powers that the specification defines, all finite: those of positive bases, and of 0 with a positive exponent.
fn is_power(&(a, b): &(f64, f64)) -> bool {
    a >= 0.0 && (a > 0.0 || b > 0.0) && a.is_finite() && b.is_finite()
}

fn reals(op: &TosaOp, pairs: Vec<(f64, f64)>) -> Option<Numbers> {
    let floats = |f: &dyn Fn(f64, f64) -> f64| {
        Some(Numbers::Floats(
            pairs.iter().map(|&(a, b)| f(a, b)).collect(),
        ))
    };
    let bools = |f: &dyn Fn(&f64, &f64) -> bool| {
        Some(Numbers::Ints(
            pairs.iter().map(|(a, b)| f(a, b).into()).collect(),
        ))
    };
    match op {
        TosaOp::Add => floats(&|a, b| a + b),
        TosaOp::Sub => floats(&|a, b| a - b),
        TosaOp::Mul { .. } => floats(&|a, b| a * b),
        TosaOp::Pow => floats(&libm::pow),
        TosaOp::Maximum { nan_mode } => floats(&|a, b| greater(a, b, *nan_mode)),
        TosaOp::Minimum { nan_mode } => floats(&|a, b| less(a, b, *nan_mode)),
        TosaOp::Equal => bools(&|a, b| a == b),
        TosaOp::Greater => bools(&|a, b| a > b),
        TosaOp::GreaterEqual => bools(&|a, b| a >= b),
        _ => None,
    }
}

fn integers(
    op: &TosaOp,
    to: TosaDtype,
    pairs: Vec<(i64, i64)>,
) -> Option<Result<Vec<i64>, String>> {
    let all = |f: &dyn Fn(i64, i64) -> i64| Some(Ok(pairs.iter().map(|&(a, b)| f(a, b)).collect()));
    let checked = |f: &dyn Fn(i64, i64) -> Result<i64, String>| {
        Some(pairs.iter().map(|&(a, b)| f(a, b)).collect())
    };
    let bits = to.bits();
    let unused = 64 - bits;
    let amount = |b: i64| match b {
        0.. if b < bits as i64 => Ok(b as u32),
        _ => Err(format!("unpredictable: a shift of {to} by {b}")),
    };
    match op {
        TosaOp::Add => all(&|a, b| a + b),
        TosaOp::Sub => all(&|a, b| a - b),
        TosaOp::Mul { shift } => checked(&|a, b| multiplied(a, b, *shift)),
        TosaOp::Maximum { .. } => all(&i64::max),
        TosaOp::Minimum { .. } => all(&i64::min),
        TosaOp::BitwiseAnd | TosaOp::LogicalAnd => all(&|a, b| a & b),
        TosaOp::BitwiseOr | TosaOp::LogicalOr => all(&|a, b| a | b),
        TosaOp::BitwiseXor | TosaOp::LogicalXor => all(&|a, b| a ^ b),
        TosaOp::Equal => all(&|a, b| (a == b).into()),
        TosaOp::Greater => all(&|a, b| (a > b).into()),
        TosaOp::GreaterEqual => all(&|a, b| (a >= b).into()),
        TosaOp::IntDiv => checked(&|a, b| {
            a.checked_div(b)
                .ok_or_else(|| "unpredictable: a division by zero".to_owned())
        }),
        TosaOp::ArithmeticRightShift { round } => checked(&|a, b| {
            let by = amount(b)?;
            let last = if *round && by > 0 {
                a >> (by - 1) & 1
            } else {
                0
            };
            Ok((a >> by) + last)
        }),
        TosaOp::LogicalLeftShift => checked(&|a, b| Ok(a << amount(b)? << unused >> unused)),
        TosaOp::LogicalRightShift => checked(&|a, b| {
            let plain = (a as u64) << unused >> unused;
            Ok((plain >> amount(b)?) as i64 & (u64::MAX >> unused) as i64)
                .map(|x| x << unused >> unused)
        }),
        _ => None,
    }
}

/// The low 32 bits of the product; with a shift, the shifted product, halves rounded up.
fn multiplied(a: i64, b: i64, shift: u8) -> Result<i64, String> {
    if shift == 0 {
        return Ok(i64::from((a * b) as i32));
    }
    let product = (i128::from(a) * i128::from(b) + (1i128 << (shift - 1))) >> shift;
    match i32::try_from(product) {
        Ok(product) => Ok(product.into()),
        Err(_) => Err(format!("unpredictable: {a} * {b} >> {shift} is {product}")),
    }
}

/// `SELECT`.
pub(super) fn selected(operands: &[Tensor], to: &[usize]) -> Tensor {
    let [condition, a, b] = [0, 1, 2].map(|i| &operands[i]);
    let chosen = Walk::broadcast(condition.sizes(), to);
    let (left, right) = (
        Walk::broadcast(a.sizes(), to),
        Walk::broadcast(b.sizes(), to),
    );
    let holds = Numbers::ints(condition);
    // The elements of both operands are one list, those of the first before those of the second.
    let both = TosaOp::Concat { axis: 0 };
    let flat = |x: &Tensor| x.reshaped(vec![x.len()]).expect("as many elements");
    let ty = TensorType::new(TosaDtype::I8, [a.len() + b.len()]);
    let both = super::movement::moved(&both, &[flat(a), flat(b)], &ty);
    let places =
        chosen.zip(left.zip(right)).map(
            |(c, (left, right))| {
                if holds[c] != 0 { left } else { a.len() + right }
            },
        );
    super::movement::picked(&both.expect("a concatenation is a movement"), to, places)
}

/// `TABLE`: one of 256 entries, or 513 entries interpolated with 7 bits.
pub(super) fn looked_up(table: &[u8], x: &Tensor, result: &TensorType) -> Result<Tensor, String> {
    let values = Numbers::ints(x);
    let words = table.as_chunks::<2>().0.iter();
    let words: Vec<i16> = words.map(|&b| i16::from_le_bytes(b)).collect();
    let found = values.into_iter().map(|value| match result.dtype {
        TosaDtype::I8 => i64::from(table[(value + 128) as usize] as i8),
        _ => interpolated(&words, value as i16).into(),
    });
    Numbers::Ints(found.collect()).tensor(result)
}
