//! Running sums and products, differences of neighbours, and integrals by the trapezoidal rule.

use super::join::promoted;
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::axis;
use crate::importer::promotion::sum_type;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, ReduceFn, Scan, ScanFn};
use kiln_ir::{Builder, DType, Dim, Scalar, ValueId};

/// The most times that `diff` may be applied. Each time takes nodes.
const MAX_DIFFERENCES: i64 = 1024;

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| scan(cx, a, ScanFn::Sum),
        &["aten.cumsum.default(self, dim, *, dtype=None)"],
    ),
    Row::new(
        |cx, a| scan(cx, a, ScanFn::Prod),
        &["aten.cumprod.default(self, dim, *, dtype=None)"],
    ),
    Row::new(
        diff,
        &["aten.diff.default(self, n=1, dim=-1, prepend=None, append=None)"],
    ),
    Row::new(
        trapezoid,
        &[
            "aten.trapezoid.dx(y, *, dx=1, dim=-1)",
            "aten.trapezoid.x(y, x, *, dim=-1)",
            "aten.trapz.dx(y, *, dx=1, dim=-1)",
            "aten.trapz.x(y, x, *, dim=-1)",
        ],
    ),
];

fn scan(cx: &mut Importer<'_>, a: &Args<'_>, f: ScanFn) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let dtype = a.optional_dtype("dtype")?.unwrap_or(sum_type(cx.dtype(x)));
    let x = cx.cast(x, dtype)?;
    let axis = axis(a.int("dim")?, cx.rank(x))?;
    if cx.rank(x) == 0 {
        return one(x);
    }
    one(cx.value(Scan { f, axis }, &[x])?)
}

/// The difference between each element and the one before it, `n` times over. For bools the difference is `xor`.
fn diff(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let axis = axis(a.int("dim")?, cx.rank(x))?;
    if cx.rank(x) == 0 {
        return Err(Problem::unsupported("differences of a scalar"));
    }
    let times = match a.int("n")? {
        n if n < 1 => return one(x),
        n if n <= MAX_DIFFERENCES => n,
        n => return Err(Problem::unsupported(format!("n={n} differences"))),
    };
    let joined: Vec<ValueId> = [
        a.optional_tensor("prepend")?,
        Some(x),
        a.optional_tensor("append")?,
    ]
    .into_iter()
    .flatten()
    .collect();
    let joined = promoted(cx, &joined)?;
    let mut x = cx.concat(&joined, axis)?;
    let f = if cx.dtype(x) == DType::Bool {
        BinaryFn::BitXor
    } else {
        BinaryFn::Sub
    };
    for _ in 0..times {
        let [later, earlier] = neighbours(cx, x, axis)?;
        x = cx.binary(f, later, earlier)?;
        if cx.size(x, axis)?.is(0) {
            break;
        }
    }
    one(x)
}

/// All elements of an axis but the first, and all but the last.
fn neighbours(cx: &mut Importer<'_>, x: ValueId, axis: usize) -> Result<[ValueId; 2], Problem> {
    let size = cx.size(x, axis)?;
    let len = cx.symbols().greater(&(&size - 1), &0.into());
    let start = cx.symbols().lesser(&1.into(), &size);
    let later = cx.slice(x, axis, &start, &len, 1)?;
    let earlier = cx.slice(x, axis, 0, &len, 1)?;
    Ok([later, earlier])
}

/// The trapezoidal rule: the sum of the means of neighbours, each times the distance between them. The distance is
/// `dx`, or follows from the positions `x`.
fn trapezoid(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let y = cx.as_float(a.tensor("y")?)?;
    let rank = cx.rank(y);
    let axis = axis(a.int("dim")?, rank)?;
    if rank == 0 {
        return Err(Problem::unsupported("the area under a scalar"));
    }
    let (y, distance) = match a.has("x") {
        true => {
            let (y, distance) = distances(cx, a, y, axis)?;
            (y, Some(distance))
        }
        false => (y, None),
    };
    let [later, earlier] = neighbours(cx, y, axis)?;
    let mut height = cx.add(later, earlier)?;
    if let Some(distance) = distance {
        height = cx.mul(height, distance)?;
    }
    let area = cx.reduce(ReduceFn::Sum, height, [axis], false)?;
    let unit = match distance {
        Some(_) => 1.0,
        None => a.float("dx")?,
    };
    one(cx.scale(area, Scalar::Float(unit / 2.0))?)
}

/// The operand, and the distances between the positions `x`, which are a vector along the axis or a tensor of the
/// operand's rank.
fn distances(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    y: ValueId,
    axis: usize,
) -> Result<(ValueId, ValueId), Problem> {
    let (x, rank) = (cx.as_float(a.tensor("x")?)?, cx.rank(y));
    let dtype = cx.dtype(x).promote(cx.dtype(y));
    let (x, y) = (cx.cast(x, dtype)?, cx.cast(y, dtype)?);
    let x = match cx.rank(x) {
        1 => {
            let mut sizes = vec![Dim::constant(1); rank];
            sizes[axis] = cx.size(x, 0)?;
            cx.reshape(x, &sizes)?
        }
        found if found == rank => x,
        found => {
            return Err(Problem::unsupported(format!(
                "places of rank {found} for values of rank {rank}; a vector of places, or one for each value, are taken"
            )));
        }
    };
    if cx.size(x, axis)? != cx.size(y, axis)? {
        return Err(Problem::unsupported("takes as many places as values"));
    }
    let [later, earlier] = neighbours(cx, x, axis)?;
    Ok((y, cx.sub(later, earlier)?))
}
