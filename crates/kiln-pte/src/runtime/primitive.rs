//! The primitive ops of the runtime, which compute numbers from sizes and numbers.

use super::error::Fault;
use super::memory::{Place, elements};
use super::{Cell, Runtime};
use crate::ValueIndex;

/// A number at run time.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Int(i64),
    Double(f64),
    Bool(bool),
}

impl Number {
    fn as_f64(self) -> f64 {
        match self {
            Number::Int(v) => v as f64,
            Number::Double(v) => v,
            Number::Bool(v) => f64::from(u8::from(v)),
        }
    }

    fn as_int(self) -> Result<i64, Fault> {
        match self {
            Number::Int(v) => Ok(v),
            Number::Bool(v) => Ok(i64::from(v)),
            Number::Double(v) => Err(Fault(format!("{v} where an int is expected"))),
        }
    }
}

impl From<Number> for Cell {
    fn from(number: Number) -> Cell {
        match number {
            Number::Int(v) => Cell::Int(v),
            Number::Double(v) => Cell::Double(v),
            Number::Bool(v) => Cell::Bool(v),
        }
    }
}

/// Executes `key` if it is a primitive op; false otherwise.
pub(super) fn call(
    runtime: &mut Runtime<'_>,
    key: &str,
    args: &[ValueIndex],
) -> Result<bool, Fault> {
    let Some(name) = key.strip_prefix("executorch_prim::") else {
        return on_tensors(runtime, key, args);
    };
    match name {
        "et_view.default" => view(runtime, args)?,
        "et_copy_index.tensor" => copy_index(runtime, args)?,
        _ => {
            let (&result, operands) = args
                .split_last()
                .ok_or_else(|| Fault("no arguments".into()))?;
            let numbers: Result<Vec<Number>, Fault> =
                operands.iter().map(|&i| number(runtime, i)).collect();
            let value = compute(name, &numbers?)?;
            runtime.cells[result.index()] = value.into();
        }
    }
    Ok(true)
}

fn number(runtime: &Runtime<'_>, index: ValueIndex) -> Result<Number, Fault> {
    match &runtime.cells[index.index()] {
        Cell::Int(v) => Ok(Number::Int(*v)),
        Cell::Double(v) => Ok(Number::Double(*v)),
        Cell::Bool(v) => Ok(Number::Bool(*v)),
        other => Err(Fault(format!("{other:?} is no number"))),
    }
}

/// Executes primitive ops that read sizes and contents of tensors.
fn on_tensors(runtime: &mut Runtime<'_>, key: &str, args: &[ValueIndex]) -> Result<bool, Fault> {
    let value = match (key, args) {
        ("aten::sym_size.int", &[tensor, axis, _]) => {
            let axis = number(runtime, axis)?.as_int()?;
            let sizes = &runtime.slot(tensor)?.sizes;
            let at = if axis < 0 {
                axis + sizes.len() as i64
            } else {
                axis
            };
            let size = usize::try_from(at).ok().and_then(|a| sizes.get(a));
            Number::Int(*size.ok_or_else(|| Fault(format!("axis {axis} of {sizes:?}")))? as i64)
        }
        ("aten::sym_numel", &[tensor, _]) => {
            Number::Int(runtime.slot(tensor)?.sizes.iter().product::<usize>() as i64)
        }
        ("aten::_local_scalar_dense", &[tensor, _]) => {
            match runtime.load_tensor(tensor)?.scalars().first() {
                Some(kiln_ir::Scalar::Int(v)) => Number::Int(*v),
                Some(kiln_ir::Scalar::Float(v)) => Number::Double(*v),
                Some(kiln_ir::Scalar::Bool(v)) => Number::Bool(*v),
                None => return Err(Fault("an empty tensor has no number".into())),
            }
        }
        _ => return Ok(false),
    };
    let result = args[args.len() - 1];
    runtime.cells[result.index()] = value.into();
    Ok(true)
}

fn compute(name: &str, operands: &[Number]) -> Result<Number, Fault> {
    use Number::{Bool, Double, Int};
    let unknown = || {
        Fault(format!(
            "executorch_prim::{name} on {operands:?} is not known"
        ))
    };
    let base = name.rsplit_once('.').map_or(name, |(base, _)| base);
    Ok(match (base, operands) {
        ("add", &[Int(a), Int(b)]) => Int(a.wrapping_add(b)),
        ("sub", &[Int(a), Int(b)]) => Int(a.wrapping_sub(b)),
        ("mul", &[Int(a), Int(b)]) => Int(a.wrapping_mul(b)),
        ("floordiv" | "mod", &[Int(_), Int(0)]) => return Err(Fault("division by zero".into())),
        ("floordiv", &[Int(a), Int(b)]) if name == "floordiv.int" => Int(a.wrapping_div(b)),
        ("floordiv", &[Int(a), Int(b)]) => {
            let has_rest = a.wrapping_rem(b) != 0;
            Int(a.wrapping_div(b) - i64::from(has_rest && (a < 0) != (b < 0)))
        }
        ("mod", &[Int(a), Int(b)]) => Int(a.wrapping_rem(b)),
        ("add", &[a, b]) => Double(a.as_f64() + b.as_f64()),
        ("sub", &[a, b]) => Double(a.as_f64() - b.as_f64()),
        ("mul", &[a, b]) => Double(a.as_f64() * b.as_f64()),
        ("truediv", &[a, b]) => Double(a.as_f64() / b.as_f64()),
        ("eq", &[a, b]) => Bool(a.as_f64() == b.as_f64()),
        ("gt", &[a, b]) => Bool(a.as_f64() > b.as_f64()),
        ("lt", &[a, b]) => Bool(a.as_f64() < b.as_f64()),
        ("ge", &[a, b]) => Bool(a.as_f64() >= b.as_f64()),
        ("le", &[a, b]) => Bool(a.as_f64() <= b.as_f64()),
        ("neg", &[Int(a)]) => Int(a.wrapping_neg()),
        ("neg", &[a]) => Double(-a.as_f64()),
        ("sym_float", &[a]) => Double(a.as_f64()),
        ("sym_int", &[a]) => Int(a.as_f64() as i64),
        ("sym_not", &[Bool(a)]) => Bool(!a),
        ("ceil", &[a]) => Int(a.as_f64().ceil() as i64),
        ("round", &[a]) => Int(a.as_f64().round_ties_even() as i64),
        ("trunc", &[a]) => Int(a.as_f64().trunc() as i64),
        ("sym_max", &[Int(a), Int(b)]) => Int(a.max(b)),
        ("sym_min", &[Int(a), Int(b)]) => Int(a.min(b)),
        ("sym_ite", &[Bool(condition), a, b]) => {
            if condition {
                a
            } else {
                b
            }
        }
        _ => return Err(unknown()),
    })
}

/// Makes `out` a view of `x` with other sizes.
fn view(runtime: &mut Runtime<'_>, args: &[ValueIndex]) -> Result<(), Fault> {
    let &[x, sizes, out] = args else {
        return Err(Fault("et_view takes a tensor, sizes and out".into()));
    };
    let source = runtime.slot(x)?.clone();
    let mut wanted = int_list(runtime, sizes)?;
    let count: usize = source.sizes.iter().product();
    let mut known = wanted.iter().filter(|&&s| s >= 0);
    let known = known.try_fold(1i64, |n, &s| n.checked_mul(s)).unwrap_or(0);
    if let Some(open) = wanted.iter_mut().find(|s| **s == -1) {
        *open = (count as i64).checked_div(known).unwrap_or(0);
    }
    let wanted: Option<Vec<usize>> = wanted
        .into_iter()
        .map(|s| usize::try_from(s).ok())
        .collect();
    let wanted = wanted.filter(|w| elements(w) == Some(count));
    let wanted = wanted.ok_or_else(|| {
        Fault(format!(
            "{:?} elements viewed under other sizes",
            source.sizes
        ))
    })?;
    let mut slot = runtime.slot(out)?.clone();
    slot.resize_to(&wanted)?;
    slot.place = match &source.place {
        Place::Own(data) => Place::Own(data.clone()),
        other => other.clone(),
    };
    runtime.cells[out.index()] = Cell::Tensor(slot);
    Ok(())
}

pub(super) fn int_list(runtime: &Runtime<'_>, index: ValueIndex) -> Result<Vec<i64>, Fault> {
    match &runtime.cells[index.index()] {
        Cell::IntList(items) => items
            .iter()
            .map(|&i| number(runtime, i)?.as_int())
            .collect(),
        other => Err(Fault(format!("{other:?} is no list of ints"))),
    }
}

/// Writes a slice at an index of the accumulator's first axis, which grows if necessary.
fn copy_index(runtime: &mut Runtime<'_>, args: &[ValueIndex]) -> Result<(), Fault> {
    let &[accumulator, slice, index, ..] = args else {
        return Err(Fault("et_copy_index takes three arguments".into()));
    };
    let row = usize::try_from(number(runtime, index)?.as_int()?).map_err(Fault::of)?;
    // The index is any number of the program's. Memory is taken only for what the accumulator holds.
    let mut grown = runtime.slot(accumulator)?.clone();
    let mut sizes = grown.sizes.clone();
    let (Some(rows), Some(end)) = (sizes.first_mut(), row.checked_add(1)) else {
        return Err(Fault(format!("row {row} of an accumulator {sizes:?}")));
    };
    *rows = end;
    grown.resize_to(&sizes)?;
    let part = runtime.load_tensor(slice)?;
    let len = part.bytes().len();
    if end.checked_mul(len) != Some(grown.bytes()) {
        let found = part.sizes();
        return Err(Fault(format!("a row of {found:?} in rows of {sizes:?}")));
    }
    let mut bytes = runtime.load_tensor(accumulator)?.bytes().to_vec();
    bytes.resize(end * len, 0);
    bytes[row * len..].copy_from_slice(part.bytes());
    let data = kiln_ir::TensorData::new(part.dtype(), sizes, bytes.into()).map_err(Fault::of)?;
    runtime.store(accumulator, &kiln_eval::Tensor::from(data))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::Number::Int;
    use super::*;

    #[test]
    fn quotients_of_the_least_number_wrap() {
        for (name, quotient) in [
            ("floordiv.Scalar", i64::MIN),
            ("floordiv.int", i64::MIN),
            ("mod.Scalar", 0),
        ] {
            assert_eq!(
                compute(name, &[Int(i64::MIN), Int(-1)]).unwrap(),
                Int(quotient)
            );
        }
        assert_eq!(
            compute("floordiv.Scalar", &[Int(-7), Int(2)]).unwrap(),
            Int(-4)
        );
    }
}
