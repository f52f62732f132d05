//! Kernels that compute each element by itself.

use super::super::error::Fault;
use super::super::kernel::as_dtype;
use super::Arguments;
use super::rounding::{reals, single, step, stored, tensor};
use kiln_eval::Tensor;
use kiln_ir::DType;

type Results = Result<Option<Vec<Tensor>>, Fault>;

fn map(call: &Arguments<'_, '_>, f: impl Fn(f64) -> f64) -> Results {
    let x = call.tensor(0)?;
    if !x.dtype().is_float() || x.dtype() != call.dtype {
        return Ok(None);
    }
    let numbers = reals(&x)?.into_iter().map(f).collect();
    Ok(Some(vec![tensor(call.dtype, x.sizes(), numbers)?]))
}

/// Only what is less than 0 is negated, which -0 is not.
pub(super) fn abs(call: &Arguments<'_, '_>) -> Results {
    map(call, |x| if x < 0.0 { -x } else { x })
}

/// The slope and the product are of the tensor's type.
pub(super) fn leaky_relu(call: &Arguments<'_, '_>) -> Results {
    let Some(slope) = call.number(1) else {
        return Ok(None);
    };
    let dtype = call.dtype;
    let slope = stored(dtype, slope);
    map(call, |x| match x >= 0.0 {
        true => x,
        false => stored(dtype, x * slope),
    })
}

/// C's `pow`, also by 0.5 and -0.5, where PyTorch takes the root.
pub(super) fn power(call: &Arguments<'_, '_>) -> Results {
    match call.number(1) {
        Some(exponent) if exponent.abs() == 0.5 => {
            map(call, |x| stored(call.dtype, x.powf(exponent)))
        }
        _ => Ok(None),
    }
}

/// Floats that the vectorised kernel takes are multiplied by the number's reciprocal.
pub(super) fn divide_by_number(call: &Arguments<'_, '_>) -> Results {
    let (dtype, Some(number)) = (call.dtype, call.number(1)) else {
        return Ok(None);
    };
    if !matches!(dtype, DType::F32 | DType::F64) {
        return Ok(None);
    }
    let reciprocal = step(dtype, 1.0 / step(dtype, number));
    map(call, |x| step(dtype, x * reciprocal))
}

/// Remainders of integers go through f64, also by zero.
pub(super) fn fmod(call: &Arguments<'_, '_>) -> Results {
    if call.int(1) == Some(0) {
        return Ok(None);
    }
    int_pairs(call, |a, b| Ok(a as f64 % b as f64))
}

/// Integers and floats by their mode.
pub(super) fn divide(call: &Arguments<'_, '_>) -> Results {
    let is_floor = call.is_text(2, "floor");
    match call.dtype.is_float() {
        true if is_floor => floor_divide(call),
        true => Ok(None),
        false => divide_integers(call, is_floor),
    }
}

/// A quotient toward zero goes through f64. The least integer of 32 and 64 bits by -1 ends the process, as x86 divides.
fn divide_integers(call: &Arguments<'_, '_>, is_floor: bool) -> Results {
    let least = match call.dtype {
        DType::I32 => Some(i64::from(i32::MIN)),
        DType::I64 => Some(i64::MIN),
        _ => None,
    };
    let quotients = int_pairs(call, |a, b| match b {
        0 => Err(Fault("an integer is divided by zero".into())),
        -1 if Some(a) == least => Err(Fault(format!(
            "the stock runtime's kernel ends the process for {a} divided by -1"
        ))),
        _ => Ok(a.wrapping_div(b) as f64),
    });
    match is_floor {
        true => quotients.map(|_| None),
        false => quotients,
    }
}

/// Integers of one type, broadcast; the second may be a number. What a result's type does not hold is as x86 converts it.
fn int_pairs(call: &Arguments<'_, '_>, f: impl Fn(i64, i64) -> Result<f64, Fault>) -> Results {
    let (dtype, a) = (call.dtype, call.tensor(0)?);
    if !dtype.is_int() || a.dtype() != dtype {
        return Ok(None);
    }
    let b = match call.int(1) {
        Some(b) => Tensor::new([], vec![b]),
        None => call.tensor(1)?,
    };
    let sizes = &call.sizes[0];
    let of = |tensor: &Tensor| -> Result<Vec<i64>, Fault> {
        let wide = as_dtype(tensor, DType::I64)?;
        Ok(wide.elements::<i64>().unwrap_or_default().to_vec())
    };
    let places = places(a.sizes(), sizes).zip(places(b.sizes(), sizes));
    let (a, b) = (of(&a)?, of(&b)?);
    let numbers = places.map(|(i, j)| f(a[i], b[j]));
    let numbers: Vec<f64> = numbers.collect::<Result<_, Fault>>()?;
    Ok(Some(vec![tensor(dtype, sizes, numbers)?]))
}

/// A float by zero is an infinity with the dividend's sign.
fn floor_divide(call: &Arguments<'_, '_>) -> Results {
    let dtype = call.dtype;
    pairs(call, |a, b| {
        if b == 0.0 {
            return f64::INFINITY.copysign(a);
        }
        let rest = a % b;
        let quotient = step(dtype, step(dtype, a - rest) / b);
        match rest != 0.0 && b.is_sign_negative() != rest.is_sign_negative() {
            true => step(dtype, quotient - 1.0),
            false => quotient,
        }
    })
}

/// The remainder goes through a variable of f32, also of f64.
pub(super) fn remainder(call: &Arguments<'_, '_>) -> Results {
    pairs(call, |a, b| {
        let rest = single(a % b);
        match (a < 0.0) != (b < 0.0) && rest != 0.0 {
            true => single(rest + b),
            false => rest,
        }
    })
}

/// Floats of one type, broadcast; the second may be a number.
fn pairs(call: &Arguments<'_, '_>, f: impl Fn(f64, f64) -> f64) -> Results {
    let (dtype, a) = (call.dtype, call.tensor(0)?);
    if !dtype.is_float() || a.dtype() != dtype {
        return Ok(None);
    }
    let b = match call.number(1) {
        Some(b) => Tensor::new([], vec![step(dtype, b)]),
        None => call.tensor(1)?,
    };
    if b.dtype() != dtype && call.number(1).is_none() {
        return Ok(None);
    }
    let sizes = &call.sizes[0];
    let (of_a, of_b) = (places(a.sizes(), sizes), places(b.sizes(), sizes));
    let (a, b) = (reals(&a)?, reals(&b)?);
    let numbers = of_a.zip(of_b).map(|(i, j)| stored(dtype, f(a[i], b[j])));
    Ok(Some(vec![tensor(dtype, sizes, numbers.collect())?]))
}

/// For each element of a result of the sizes `to`, the element of an operand of the sizes `from` that stands there.
fn places(from: &[usize], to: &[usize]) -> impl Iterator<Item = usize> {
    let (from, to) = (from.to_vec(), to.to_vec());
    let count: usize = to.iter().product();
    (0..count).map(move |mut place| {
        let (mut at, mut stride) = (0, 1);
        for (i, &size) in to.iter().rev().enumerate() {
            let own = from.len().checked_sub(i + 1).map_or(1, |axis| from[axis]);
            if own != 1 {
                at += place % size * stride;
            }
            place /= size;
            stride *= own;
        }
        at
    })
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn an_axis_of_size_1_repeats() {
        let all = |from: &[usize], to: &[usize]| places(from, to).collect::<Vec<_>>();
        assert_eq!(all(&[2, 1], &[2, 3]), [0, 0, 0, 1, 1, 1]);
        assert_eq!(all(&[3], &[2, 3]), [0, 1, 2, 0, 1, 2]);
        assert_eq!(all(&[], &[2]), [0, 0]);
        assert_eq!(all(&[2, 1, 2], &[2, 2, 2]), [0, 1, 0, 1, 2, 3, 2, 3]);
    }
}
