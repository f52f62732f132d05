//! Calls on complex tensors, computed on their real and imaginary parts.
//!
//! Ops that only move or add elements are called on each part. An absent part is 0. The Fourier ops read complex
//! tensors themselves. Any other op refuses them.

use crate::call::error::Problem;
use crate::call::{Arg, Call, Tensor};
use crate::importer::Importer;
use kiln_ir::Builder;
use kiln_ir::ops::{BinaryFn, Simple};

/// Imports a call whose arguments are real, by the table.
pub(super) type Dispatch = fn(&mut Importer<'_>, &Call) -> Result<Vec<Arg>, Problem>;

/// Ops that act on each part of a complex tensor alone.
const BY_PART: &[&str] = &[
    "aten.alias.default",
    "aten.clone.default",
    "aten.constant_pad_nd.default",
    "aten.contiguous.default",
    "aten.detach.default",
    "aten.expand.default",
    "aten.flatten.using_ints",
    "aten.flip.default",
    "aten.index_select.default",
    "aten.lift_fresh_copy.default",
    "aten.mean.dim",
    "aten.movedim.int",
    "aten.neg.default",
    "aten.permute.default",
    "aten.repeat.default",
    "aten.reshape.default",
    "aten.resolve_conj.default",
    "aten.resolve_neg.default",
    "aten.roll.default",
    "aten.select.int",
    "aten.slice.Tensor",
    "aten.squeeze.default",
    "aten.squeeze.dim",
    "aten.squeeze.dims",
    "aten.sum.default",
    "aten.sum.dim_IntList",
    "aten.t.default",
    "aten.transpose.int",
    "aten.unflatten.int",
    "aten.unsqueeze.default",
    "aten.view.default",
    "aten._unsafe_view.default",
];

const CONJUGATE: &[&str] = &[
    "aten.conj.default",
    "aten._conj.default",
    "aten.conj_physical.default",
    "aten._conj_physical.default",
];

/// The real and imaginary parts of an operand. A real operand has no imaginary part.
type Parts = (Arg, Option<Tensor>);

/// The results of a call with complex operands. `None`: no operand is complex, or the op reads complex tensors itself.
pub(super) fn call(
    cx: &mut Importer<'_>,
    call: &Call,
    real: Dispatch,
) -> Option<Result<Vec<Arg>, Problem>> {
    let is_complex = |(_, arg): &(String, Arg)| matches!(arg, Arg::Complex { .. });
    if !call.args.iter().any(is_complex) {
        return None;
    }
    let target = call.target.as_str();
    if BY_PART.contains(&target) {
        return Some(by_part(cx, call, real));
    }
    if CONJUGATE.contains(&target) {
        return Some(conjugate(cx, call));
    }
    match target {
        "aten.add.Tensor" | "aten.sub.Tensor" => Some(sum(cx, call, real)),
        "aten.mul.Tensor" => Some(product(cx, call, real)),
        "aten.div.Tensor" => Some(quotient(cx, call, real)),
        "aten.exp.default" => Some(exponential(cx, call)),
        "aten._assert_tensor_metadata.default" => Some(Ok(Vec::new())),
        _ => None,
    }
}

fn by_part(cx: &mut Importer<'_>, call: &Call, dispatch: Dispatch) -> Result<Vec<Arg>, Problem> {
    let part = |imaginary: bool| Call {
        args: call
            .args
            .iter()
            .map(|(name, arg)| (name.clone(), part_of(arg, imaginary)))
            .collect(),
        declared: Vec::new(),
        ..call.clone()
    };
    let (real, imaginary) = (dispatch(cx, &part(false))?, dispatch(cx, &part(true))?);
    Ok(real.into_iter().zip(imaginary).map(joined).collect())
}

fn part_of(arg: &Arg, imaginary: bool) -> Arg {
    match arg {
        Arg::Complex { real, .. } if !imaginary => Arg::Tensor(*real),
        Arg::Complex { imaginary, .. } => Arg::Tensor(*imaginary),
        other => other.clone(),
    }
}

fn joined(parts: (Arg, Arg)) -> Arg {
    match parts {
        (Arg::Tensor(real), Arg::Tensor(imaginary)) => Arg::Complex { real, imaginary },
        (other, _) => other,
    }
}

fn operand(call: &Call, position: usize) -> Result<Parts, Problem> {
    match call.args.get(position) {
        Some((_, Arg::Complex { real, imaginary })) => Ok((Arg::Tensor(*real), Some(*imaginary))),
        Some((_, other)) => Ok((other.clone(), None)),
        None => Err(Problem::Missing("other")),
    }
}

/// The result of an op with two complex operands.
fn of_two(
    cx: &mut Importer<'_>,
    dispatch: Dispatch,
    op: &str,
    a: Arg,
    b: Arg,
) -> Result<Tensor, Problem> {
    let call = Call {
        target: format!("aten.{op}.Tensor"),
        node: String::new(),
        args: vec![(String::new(), a), (String::new(), b)],
        declared: Vec::new(),
    };
    let results = dispatch(cx, &call)?;
    let first = results.first().and_then(Arg::as_tensor);
    first.ok_or_else(|| Problem::unsupported("numbers beside a complex tensor"))
}

fn negative(cx: &mut Importer<'_>, tensor: Tensor) -> Result<Tensor, Problem> {
    let value = cx.current(tensor)?;
    let negative = cx.unary(Simple::Neg, value)?;
    Ok(cx.bind(negative))
}

/// The tensor, broadcast to the shape of another.
fn spread(cx: &mut Importer<'_>, tensor: Tensor, like: Tensor) -> Result<Tensor, Problem> {
    let (value, like) = (cx.current(tensor)?, cx.current(like)?);
    let shape = cx.shape(like);
    let spread = cx.expand(value, &shape)?;
    Ok(cx.bind(spread))
}

fn conjugate(cx: &mut Importer<'_>, call: &Call) -> Result<Vec<Arg>, Problem> {
    let (real, imaginary) = operand(call, 0)?;
    match (real, imaginary) {
        (Arg::Tensor(real), Some(imaginary)) => {
            let imaginary = negative(cx, imaginary)?;
            Ok(vec![Arg::Complex { real, imaginary }])
        }
        (real, _) => Ok(vec![real]),
    }
}

fn sum(cx: &mut Importer<'_>, call: &Call, dispatch: Dispatch) -> Result<Vec<Arg>, Problem> {
    if call.args.len() > 2 {
        return Err(Problem::unsupported("a multiple of a complex tensor"));
    }
    let ((a, a_imaginary), (b, b_imaginary)) = (operand(call, 0)?, operand(call, 1)?);
    let op = if call.target == "aten.add.Tensor" {
        "add"
    } else {
        "sub"
    };
    let real = of_two(cx, dispatch, op, a, b)?;
    let imaginary = match (a_imaginary, b_imaginary) {
        (Some(a), Some(b)) => of_two(cx, dispatch, op, Arg::Tensor(a), Arg::Tensor(b))?,
        (Some(a), None) => spread(cx, a, real)?,
        (None, Some(b)) if op == "add" => spread(cx, b, real)?,
        (None, Some(b)) => {
            let b = negative(cx, b)?;
            spread(cx, b, real)?
        }
        (None, None) => return Err(Problem::unsupported("a sum of real tensors")),
    };
    Ok(vec![Arg::Complex { real, imaginary }])
}

/// The parts of two complex operands.
fn both(a: &Parts, b: &Parts) -> Option<[Tensor; 4]> {
    Some([a.0.as_tensor()?, a.1?, b.0.as_tensor()?, b.1?])
}

fn product(cx: &mut Importer<'_>, call: &Call, dispatch: Dispatch) -> Result<Vec<Arg>, Problem> {
    let (a, b) = (operand(call, 0)?, operand(call, 1)?);
    if let Some(parts) = both(&a, &b) {
        return product_of(cx, parts);
    }
    let (complex, factor) = if a.1.is_some() { (a, b.0) } else { (b, a.0) };
    scaled(cx, dispatch, "mul", complex, factor)
}

/// `(a + b i) (c + d i)`.
fn product_of(cx: &mut Importer<'_>, [a, b, c, d]: [Tensor; 4]) -> Result<Vec<Arg>, Problem> {
    let mut values = [a; 4].map(|_| None);
    for (value, tensor) in values.iter_mut().zip([a, b, c, d]) {
        *value = Some(cx.current(tensor)?);
    }
    let [Some(a), Some(b), Some(c), Some(d)] = values else {
        return Err(Problem::Missing("other"));
    };
    let (ac, bd, ad, bc) = (cx.mul(a, c)?, cx.mul(b, d)?, cx.mul(a, d)?, cx.mul(b, c)?);
    let (real, imaginary) = (cx.sub(ac, bd)?, cx.add(ad, bc)?);
    let (real, imaginary) = (cx.bind(real), cx.bind(imaginary));
    Ok(vec![Arg::Complex { real, imaginary }])
}

fn scaled(
    cx: &mut Importer<'_>,
    dispatch: Dispatch,
    op: &str,
    complex: Parts,
    factor: Arg,
) -> Result<Vec<Arg>, Problem> {
    let (real, Some(imaginary)) = complex else {
        return Err(Problem::unsupported("a real number by a complex one"));
    };
    let real = of_two(cx, dispatch, op, real, factor.clone())?;
    let imaginary = of_two(cx, dispatch, op, Arg::Tensor(imaginary), factor)?;
    Ok(vec![Arg::Complex { real, imaginary }])
}

/// The quotient by a complex number: the product with its conjugate, divided by its squared absolute value.
fn quotient(cx: &mut Importer<'_>, call: &Call, dispatch: Dispatch) -> Result<Vec<Arg>, Problem> {
    let (a, b) = (operand(call, 0)?, operand(call, 1)?);
    let Some([real, imaginary, c, d]) = both(&a, &b) else {
        return scaled(cx, dispatch, "div", a, b.0);
    };
    let opposite = negative(cx, d)?;
    let numerator = product_of(cx, [real, imaginary, c, opposite])?;
    let (c, d) = (cx.current(c)?, cx.current(d)?);
    let (c, d) = (cx.unary(Simple::Square, c)?, cx.unary(Simple::Square, d)?);
    let square = cx.binary(BinaryFn::Add, c, d)?;
    let square = Arg::Tensor(cx.bind(square));
    match numerator.into_iter().next() {
        Some(Arg::Complex { real, imaginary }) => scaled(
            cx,
            dispatch,
            "div",
            (Arg::Tensor(real), Some(imaginary)),
            square,
        ),
        _ => Err(Problem::Missing("other")),
    }
}

/// `exp(a) cos(b) + exp(a) sin(b) i`.
fn exponential(cx: &mut Importer<'_>, call: &Call) -> Result<Vec<Arg>, Problem> {
    let (Arg::Tensor(real), Some(imaginary)) = operand(call, 0)? else {
        return Err(Problem::Missing("self"));
    };
    let (power, angle) = (cx.current(real)?, cx.current(imaginary)?);
    let size = cx.unary(Simple::Exp, power)?;
    let (cosine, sine) = (cx.unary(Simple::Cos, angle)?, cx.unary(Simple::Sin, angle)?);
    let (real, imaginary) = (cx.mul(size, cosine)?, cx.mul(size, sine)?);
    let (real, imaginary) = (cx.bind(real), cx.bind(imaginary));
    Ok(vec![Arg::Complex { real, imaginary }])
}
