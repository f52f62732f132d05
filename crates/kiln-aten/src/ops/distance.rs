//! Norms, distances and similarities.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::{axes, axis};
use crate::importer::promotion::float_of;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use crate::ops::norm::norm_along;
use kiln_ir::ops::{BinaryFn, Distances, Index, MatMul, ReduceFn, Simple, UnaryFn};
use kiln_ir::{Builder, Dim, Scalar, TensorData, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| linalg_norm(cx, a, None),
        &["aten.linalg_norm.default(self, ord=None, dim=None, keepdim=False, *, dtype=None)"],
    ),
    Row::new(
        |cx, a| linalg_norm(cx, a, MATRIX),
        &["aten.linalg_matrix_norm.default(self, ord, dim=None, keepdim=False, *, dtype=None)"],
    ),
    Row::new(
        |cx, a| frobenius_norm(cx, a, None),
        &["aten.linalg_norm.ord_str(self, ord, dim=None, keepdim=False, *, dtype=None)"],
    ),
    Row::new(
        |cx, a| frobenius_norm(cx, a, MATRIX),
        &[
            "aten.linalg_matrix_norm.str_ord(self, ord=\"fro\", dim=None, keepdim=False, *, dtype=None)",
        ],
    ),
    Row::new(
        cdist,
        &[
            "aten.cdist.default(x1, x2, p=2, compute_mode=None)",
            "aten._cdist_forward.default(x1, x2, p, compute_mode)",
        ],
    ),
    Row::new(
        pdist,
        &[
            "aten.pdist.default(self, p=2)",
            "aten._pdist_forward.default(self, p=2)",
        ],
    ),
    Row::new(
        pairwise_distance,
        &["aten.pairwise_distance.default(x1, x2, p=2, eps=1e-06, keepdim=False)"],
    ),
    Row::new(dist, &["aten.dist.default(self, other, p=2)"]),
    Row::new(
        cosine_similarity,
        &["aten.cosine_similarity.default(x1, x2, dim=1, eps=1e-08)"],
    ),
];

/// The axes of a matrix, or of each matrix of a batch.
const MATRIX: Option<[i64; 2]> = Some([-2, -1]);

fn norm_operand(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<ValueId, Problem> {
    let x = a.tensor("self")?;
    let dtype = if a.has("dtype") {
        a.optional_dtype("dtype")?
    } else {
        None
    };
    let own = cx.dtype(x);
    cx.cast(x, dtype.unwrap_or(float_of(own)))
}

fn dims_or(a: &Args<'_>, otherwise: Option<[i64; 2]>) -> Result<Option<Vec<i64>>, Problem> {
    let given = a.optional_ints("dim")?;
    Ok(given.or(otherwise.map(Vec::from)))
}

fn keeps(a: &Args<'_>) -> Result<bool, Problem> {
    Ok(a.has("keepdim") && a.bool("keepdim")?)
}

/// Without `ord` the 2-norm of all elements. With `ord` the norm of vectors, or a norm of matrices that is a norm of
/// the norms of rows or columns.
fn linalg_norm(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    otherwise: Option<[i64; 2]>,
) -> Result<Returns, Problem> {
    let x = norm_operand(cx, a)?;
    let dims = dims_or(a, otherwise)?;
    let Some(order) = a.optional_float("ord")? else {
        let axes = axes(&dims.unwrap_or_default(), cx.rank(x))?;
        return one(norm_along(cx, x, 2.0, &axes, keeps(a)?)?);
    };
    let rank = cx.rank(x);
    let dims = dims.unwrap_or((0..rank as i64).collect());
    match *dims.as_slice() {
        [dim] => one(norm_along(cx, x, order, &[axis(dim, rank)?], keeps(a)?)?),
        [rows, columns] if order.abs() == 1.0 || order.is_infinite() => {
            let (rows, columns) = (axis(rows, rank)?, axis(columns, rank)?);
            let (sum, extreme) = if order.is_infinite() {
                (columns, rows)
            } else {
                (rows, columns)
            };
            let sums = norm_along(cx, x, 1.0, &[sum], true)?;
            let limit = f64::INFINITY.copysign(order);
            let extremes = norm_along(cx, sums, limit, &[extreme], true)?;
            let mut gone = [rows, columns];
            gone.sort_unstable();
            one(if keeps(a)? {
                extremes
            } else {
                cx.squeeze(extremes, &gone)?
            })
        }
        _ => Err(Problem::unsupported(format!(
            "the norm of order {order} of a matrix needs singular values"
        ))),
    }
}

/// The 2-norm of all elements of a matrix.
fn frobenius_norm(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    otherwise: Option<[i64; 2]>,
) -> Result<Returns, Problem> {
    let order = a.text("ord")?;
    if order != "fro" {
        return Err(Problem::unsupported(format!(
            "the norm of order {order} of a matrix needs singular values"
        )));
    }
    let x = norm_operand(cx, a)?;
    let axes = axes(&dims_or(a, otherwise)?.unwrap_or_default(), cx.rank(x))?;
    one(norm_along(cx, x, 2.0, &axes, keeps(a)?)?)
}

/// `log(sum(exp(x)))`. The maximum is subtracted before the exponentials if it is finite.
pub(crate) fn log_sum(
    cx: &mut Importer<'_>,
    x: ValueId,
    axes: &[usize],
    keep: bool,
) -> Result<ValueId, Problem> {
    let greatest = cx.reduce(ReduceFn::Max, x, axes, true)?;
    let infinite = cx.unary(Simple::IsInf, greatest)?;
    let zero = cx.scalar_like(Scalar::Int(0), greatest);
    let centre = cx.select(infinite, zero, greatest)?;
    let centred = cx.sub(x, centre)?;
    let power = cx.unary(Simple::Exp, centred)?;
    let sum = cx.reduce(ReduceFn::Sum, power, axes, true)?;
    let log = cx.unary(Simple::Log, sum)?;
    let folded = cx.add(log, centre)?;
    if keep {
        Ok(folded)
    } else {
        cx.squeeze(folded, axes)
    }
}

/// The two operands, cast to one float dtype.
fn pair(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    names: [&'static str; 2],
) -> Result<[ValueId; 2], Problem> {
    let (x, y) = (a.tensor(names[0])?, a.tensor(names[1])?);
    let dtype = float_of(cx.dtype(x).promote(cx.dtype(y)));
    Ok([cx.cast(x, dtype)?, cx.cast(y, dtype)?])
}

/// As in PyTorch: 2-norm distances of many rows by a matrix product, other distances by differences.
fn cdist(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let [x, y] = pair(cx, a, ["x1", "x2"])?;
    let [x, y] = cx.align([x, y])?;
    let (rank, p) = (cx.rank(x), a.float("p")?);
    if rank < 2 {
        return Err(Problem::unsupported("distances are of matrices of rows"));
    }
    let many = |rows: Dim| rows.as_const().is_none_or(|n| n > 25);
    let by_product = match a.optional_int("compute_mode")?.unwrap_or(0) {
        0 => many(cx.size(x, rank - 2)?) || many(cx.size(y, rank - 2)?),
        mode => mode == 1,
    };
    if p == 2.0 && by_product {
        return one(euclidean_by_product(cx, x, y)?);
    }
    one(cx.value(Distances { p }, &[x, y])?)
}

/// The most pairs of rows.
const MAX_PAIRS: i64 = 1 << 20;

/// The distances between each row and the rows behind it.
fn pdist(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let rows = cx.size(x, 0)?.as_const().filter(|_| cx.rank(x) == 2);
    let Some(n) = rows.filter(|&n| n < MAX_PAIRS && n * (n - 1) / 2 <= MAX_PAIRS) else {
        return Err(Problem::unsupported(format!(
            "takes a matrix of a known number of rows, of which there are at most {MAX_PAIRS} pairs"
        )));
    };
    let pairs: Vec<(i64, i64)> = (0..n)
        .flat_map(|i| (i + 1..n).map(move |j| (i, j)))
        .collect();
    let mut picked = |index: Vec<i64>| {
        let index = cx.literal(TensorData::from_i64(vec![index.len()], &index));
        cx.value(Index::new(0), &[x, index])
    };
    let first = picked(pairs.iter().map(|&(i, _)| i).collect())?;
    let second = picked(pairs.iter().map(|&(_, j)| j).collect())?;
    let difference = cx.sub(first, second)?;
    one(norm_along(cx, difference, a.float("p")?, &[1], false)?)
}

/// `sqrt(x^2 - 2 x y + y^2)`, with the radicand limited to 0 from below.
fn euclidean_by_product(cx: &mut Importer<'_>, x: ValueId, y: ValueId) -> Result<ValueId, Problem> {
    let last = cx.rank(x) - 1;
    let mut squares = [x, y];
    for v in &mut squares {
        let square = cx.unary(Simple::Square, *v)?;
        *v = cx.reduce(ReduceFn::Sum, square, [last], true)?;
    }
    let across = cx.transpose(squares[1], last - 1, last)?;
    let columns = cx.transpose(y, last - 1, last)?;
    let product = cx.value(MatMul {}, &[x, columns])?;
    let twice = cx.scale(product, Scalar::Float(2.0))?;
    let sum = cx.add(squares[0], across)?;
    let square = cx.sub(sum, twice)?;
    let square = cx.unary(UnaryFn::RELU, square)?;
    cx.unary(Simple::Sqrt, square)
}

fn pairwise_distance(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let [x, y] = pair(cx, a, ["x1", "x2"])?;
    let difference = cx.sub(x, y)?;
    let eps = cx.scalar_like(Scalar::Float(a.float("eps")?), difference);
    let difference = cx.add(difference, eps)?;
    let last = axis(-1, cx.rank(difference))?;
    let axes = if cx.rank(difference) == 0 {
        vec![]
    } else {
        vec![last]
    };
    one(norm_along(
        cx,
        difference,
        a.float("p")?,
        &axes,
        a.bool("keepdim")?,
    )?)
}

fn dist(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let [x, y] = pair(cx, a, ["self", "other"])?;
    let difference = cx.sub(x, y)?;
    let all: Vec<usize> = (0..cx.rank(difference)).collect();
    one(norm_along(cx, difference, a.float("p")?, &all, false)?)
}

/// The cosine similarity: each operand is divided by its norm, which is at least `eps`, and the products are summed.
fn cosine_similarity(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let operands = pair(cx, a, ["x1", "x2"])?;
    let mut units = cx.align(operands)?;
    let along = axis(a.int("dim")?, cx.rank(units[0]))?;
    let (min, max) = (Some(Scalar::Float(a.float("eps")?)), None);
    for v in &mut units {
        let length = norm_along(cx, *v, 2.0, &[along], true)?;
        let length = cx.unary(UnaryFn::Clamp { min, max }, length)?;
        *v = cx.binary(BinaryFn::Div, *v, length)?;
    }
    let product = cx.mul(units[0], units[1])?;
    one(cx.reduce(ReduceFn::Sum, product, [along], false)?)
}
