//! Functions of two elements by strides: `pairs_f32.c`, `compare.c`, `select.c`, `integers.c`.

use super::super::arguments::Arguments;
use super::super::data::Data;
use super::{arcs, division, greater, lesser, pow};
use crate::dialect::{
    Compare, Comparison, Dtype, Function, IntegerFunction, Integers, ScatterFunction, Select,
    Strides,
};

/// The function of two floats that a kernel computes.
fn of(function: Function) -> fn(f32, f32) -> f32 {
    match function {
        Function::KilnAddF32 => |x, y| x + y,
        Function::KilnSubF32 => |x, y| x - y,
        Function::KilnMulF32 => |x, y| x * y,
        Function::KilnDivF32 => |x, y| x / y,
        Function::KilnMaximumF32 => greater,
        Function::KilnMinimumF32 => lesser,
        Function::KilnPreluF32 => |x, y| if x > 0.0 { x } else { x * y },
        Function::KilnFmodF32 => division::fmod,
        Function::KilnRemainderF32 => division::remainder,
        Function::KilnFloorDivF32 => division::floor_quotient,
        Function::KilnTruncDivF32 => |x, y| (x / y).trunc(),
        Function::KilnAtan2F32 => arcs::atan2,
        Function::KilnPowF32 => pow::pow,
        other => unreachable!("{} is no function of two floats", other.name()),
    }
}

fn each<T: Copy, U>(strides: &Strides, x: &[T], y: &[T], mut f: impl FnMut(T, T) -> U) -> Vec<U> {
    let mut results = Vec::with_capacity(strides.elements());
    strides.each(|a, b| results.push(f(x[a as usize], y[b as usize])));
    results
}

/// A function of pairs of floats.
pub fn computed(function: Function, strides: &Strides, arguments: &Arguments<'_>) -> Data {
    let [x, y] = ["input_1", "input_2"].map(|name| arguments.f32(name));
    Data::F32(each(strides, x, y, of(function)))
}

/// Whether the elements of each pair compare so.
pub fn compared(of: &Compare, arguments: &Arguments<'_>) -> Data {
    fn flags<T: Copy + PartialOrd>(of: &Compare, x: &[T], y: &[T]) -> Data {
        let holds = |x: T, y: T| match of.comparison {
            Comparison::Equal => x == y,
            Comparison::NotEqual => x != y,
            Comparison::Less => x < y,
            Comparison::LessEqual => x <= y,
        };
        Data::U8(each(&of.strides, x, y, |x, y| u8::from(holds(x, y))))
    }
    match (arguments.data("input_1"), arguments.data("input_2")) {
        (Data::F32(x), Data::F32(y)) => flags(of, x, y),
        (x, y) => flags(of, &x.integers(), &y.integers()),
    }
}

/// The elements of one tensor or of the other, by a condition.
pub fn selected(of: &Select, arguments: &Arguments<'_>) -> Data {
    let condition = arguments.data("condition").integers();
    let mut is_first = Vec::with_capacity(of.strides.elements());
    of.condition_strides
        .each(|place, _| is_first.push(condition[place as usize] != 0));
    let [x, y] = ["input_1", "input_2"].map(|name| arguments.data(name));
    let mut places = Vec::with_capacity(is_first.len());
    of.strides.each(|a, b| {
        let is_first = is_first[places.len()];
        places.push(Some(if is_first {
            a as usize
        } else {
            x.len() + b as usize
        }));
    });
    let both = x.followed_by(y);
    both.picked(&places, &both)
}

/// A function of pairs of plain integers; `None` if one is divided by 0.
pub fn integers(of: &Integers, arguments: &Arguments<'_>) -> Option<Data> {
    let [x, y] = ["input_1", "input_2"].map(|name| arguments.data(name).integers());
    let dtype = arguments.result();
    let results = each(&of.strides, &x, &y, |x, y| {
        integer(of.function, x, y, dtype)
    });
    let results: Vec<i64> = results.into_iter().collect::<Option<_>>()?;
    Some(Data::of_integers(dtype, &results))
}

fn integer(function: IntegerFunction, x: i64, y: i64, dtype: Dtype) -> Option<i64> {
    if function.divides() && y == 0 {
        return None;
    }
    let rest = || x.wrapping_rem(y);
    let is_split = || rest() != 0 && (x < 0) != (y < 0);
    let is_inside = (0..8 * dtype.bytes(1) as i64).contains(&y);
    Some(match function {
        IntegerFunction::Add => x.wrapping_add(y),
        IntegerFunction::Sub => x.wrapping_sub(y),
        IntegerFunction::Mul => x.wrapping_mul(y),
        IntegerFunction::FloorDiv => x.wrapping_div(y) - i64::from(is_split()),
        IntegerFunction::TruncDiv => x.wrapping_div(y),
        IntegerFunction::Remainder => rest() + if is_split() { y } else { 0 },
        IntegerFunction::Fmod => rest(),
        IntegerFunction::Max => x.max(y),
        IntegerFunction::Min => x.min(y),
        IntegerFunction::And => x & y,
        IntegerFunction::Or => x | y,
        IntegerFunction::Xor => x ^ y,
        IntegerFunction::ShiftLeft if is_inside => x << y,
        IntegerFunction::ShiftLeft => 0,
        IntegerFunction::Pow => power(x, y),
        IntegerFunction::ShiftRight => x >> if is_inside { y } else { 63 },
    })
}

/// The power, which wraps. A negative power is 0, except of 1 and -1.
fn power(x: i64, y: i64) -> i64 {
    let odd = |one: i64| if y % 2 == 0 { 1 } else { one };
    match x {
        _ if y >= 0 => {
            let bits = (0..64 - y.leading_zeros()).rev();
            bits.fold(1i64, |power, bit| {
                let square = power.wrapping_mul(power);
                if y >> bit & 1 == 1 {
                    square.wrapping_mul(x)
                } else {
                    square
                }
            })
        }
        1 => 1,
        -1 => odd(-1),
        _ => 0,
    }
}

/// The float that an element becomes where a value goes.
pub fn scattered(function: ScatterFunction, x: f32, y: f32) -> f32 {
    match function {
        ScatterFunction::Set => y,
        ScatterFunction::Add => x + y,
        ScatterFunction::Mul => x * y,
        ScatterFunction::Max => greater(x, y),
        ScatterFunction::Min => lesser(x, y),
    }
}
