//! Triangles and diagonals of matrices.

use crate::call::error::Problem;
use crate::call::limits;
use crate::importer::Importer;
use crate::importer::access::{get_all, put_all};
use crate::importer::arguments::Args;
use crate::importer::build::axis;
use crate::importer::promotion::sum_type;
use crate::importer::returns::{Returns, one, view};
use crate::importer::row::Row;
use crate::importer::view::View;
use kiln_ir::ops::{CompareFn, PadMode, ReduceFn};
use kiln_ir::{Builder, DType, Dim, Movement, Scalar, TensorData, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| triangle(cx, a, CompareFn::Le),
        &["aten.tril.default(self, diagonal=0)"],
    ),
    Row::new(
        |cx, a| triangle(cx, a, CompareFn::Ge),
        &["aten.triu.default(self, diagonal=0)"],
    ),
    Row::new(
        |cx, a| indices(cx, a, |row, column, offset| column - row <= offset),
        &[
            "aten.tril_indices.default(row, col, offset=0, *, dtype=None, layout=None, device=None, pin_memory=None)",
        ],
    ),
    Row::new(
        |cx, a| indices(cx, a, |row, column, offset| column - row >= offset),
        &[
            "aten.triu_indices.default(row, col, offset=0, *, dtype=None, layout=None, device=None, pin_memory=None)",
        ],
    ),
    Row::new(
        diagonal,
        &["aten.diagonal.default(self, offset=0, dim1=0, dim2=1)"],
    ),
    Row::new(
        diagonal_scatter,
        &["aten.diagonal_scatter.default(self, src, offset=0, dim1=0, dim2=1)"],
    ),
    Row::new(
        linalg_diagonal,
        &["aten.linalg_diagonal.default(A, *, offset=0, dim1=-2, dim2=-1)"],
    ),
    Row::new(
        diag_embed,
        &["aten.diag_embed.default(self, offset=0, dim1=-2, dim2=-1)"],
    ),
    Row::new(diag, &["aten.diag.default(self, diagonal=0)"]),
    Row::new(trace, &["aten.trace.default(self)"]),
    Row::new(block_diagonal, &["aten.block_diag.default(tensors)"]),
];

/// The greatest distance of a diagonal from the main one.
const FARTHEST: i64 = 1 << 40;

/// `column - row`, of shape `[rows, columns]`.
fn distance(cx: &mut Importer<'_>, rows: &Dim, columns: &Dim) -> Result<ValueId, Problem> {
    let row = cx.iota(rows, DType::I64)?;
    let row = cx.unsqueeze(row, &[1])?;
    let column = cx.iota(columns, DType::I64)?;
    cx.sub(column, row)
}

/// True where the relation holds between the distance from the main diagonal and `offset`.
fn region(
    cx: &mut Importer<'_>,
    rows: &Dim,
    columns: &Dim,
    f: CompareFn,
    offset: &Dim,
) -> Result<ValueId, Problem> {
    let distance = distance(cx, rows, columns)?;
    let offset = cx.dim(offset, DType::I64, 0)?;
    cx.compare(f, distance, offset)
}

fn triangle(cx: &mut Importer<'_>, a: &Args<'_>, f: CompareFn) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let rank = cx.rank(x);
    if rank < 2 {
        return Err(Problem::unsupported("takes a rank of at least 2"));
    }
    let (rows, columns) = (cx.size(x, rank - 2)?, cx.size(x, rank - 1)?);
    let inside = region(cx, &rows, &columns, f, &a.dim("diagonal")?)?;
    let zero = cx.scalar_like(Scalar::Int(0), x);
    one(cx.select(inside, x, zero)?)
}

fn indices(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    inside: fn(i64, i64, i64) -> bool,
) -> Result<Returns, Problem> {
    let (rows, columns, offset) = (a.int("row")?, a.int("col")?, a.int("offset")?);
    let dtype = a.optional_dtype("dtype")?.unwrap_or(DType::I64);
    limits::elements(&[rows, columns])?;
    let places = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
    let places: Vec<(i64, i64)> = places.filter(|&(r, c)| inside(r, c, offset)).collect();
    let both = places.iter().map(|p| p.0).chain(places.iter().map(|p| p.1));
    let data = TensorData::from_scalars(dtype, vec![2, places.len()], both.map(Scalar::Int));
    one(cx.literal(data))
}

/// The steps from a value to its diagonal along two axes. The diagonal becomes the last axis.
pub(crate) fn diagonal_steps(
    cx: &mut Importer<'_>,
    x: ValueId,
    offset: i64,
    [i, j]: [usize; 2],
) -> Result<Vec<View>, Problem> {
    let rank = cx.rank(x);
    if i == j || i >= rank || j >= rank || !(-FARTHEST..=FARTHEST).contains(&offset) {
        return Err(Problem::unsupported("a diagonal runs along two axes"));
    }
    let others = (0..rank).filter(|&k| k != i && k != j);
    let order: Vec<usize> = others.chain([i, j]).collect();
    let ordered = Movement::permute(&cx.shape(x), &order)?;
    let shape = ordered.result_shape();
    let (rows, columns) = (&shape[rank - 2], &shape[rank - 1]);
    let none = Dim::constant(0);
    let (start, len) = if offset >= 0 {
        (
            Dim::constant(offset),
            cx.symbols().lesser(rows, &(columns - offset)),
        )
    } else {
        (
            columns * -offset,
            cx.symbols().lesser(&(rows + offset), columns),
        )
    };
    let len = cx.symbols().greater(&len, &none);
    let start = if len.is(0) { none } else { start };
    let merged = Movement::merge(&shape, rank - 2..rank)?;
    let mut steps = vec![View::Move(ordered), View::Move(merged)];
    steps.retain(|s| !matches!(s, View::Move(m) if m.is_identity()));
    steps.push(match columns.as_const() {
        Some(c) => View::Slice {
            axis: rank - 2,
            start,
            len,
            step: c.saturating_add(1),
        },
        None => return diagonal_pick(cx, x, [i, j], offset, &len),
    });
    Ok(steps)
}

/// The diagonal by row-major positions, for rows of symbolic length.
fn diagonal_pick(
    cx: &mut Importer<'_>,
    x: ValueId,
    [i, j]: [usize; 2],
    offset: i64,
    len: &Dim,
) -> Result<Vec<View>, Problem> {
    let shape = cx.shape(x);
    let stride = |axis: usize| -> Dim { shape[axis + 1..].iter().cloned().product() };
    let mut terms = Vec::new();
    let kept: Vec<usize> = (0..shape.rank()).filter(|&k| k != i && k != j).collect();
    for &axis in &kept {
        terms.push((shape[axis].clone(), stride(axis)));
    }
    terms.push((len.clone(), stride(i) + stride(j)));
    let start = stride(j) * offset.max(0) + stride(i) * (-offset).max(0);
    let index = super::strided::positions(cx, &terms, &start)?;
    Ok(vec![View::Pick(index)])
}

fn two_axes(a: &Args<'_>, rank: usize) -> Result<[usize; 2], Problem> {
    Ok([axis(a.int("dim1")?, rank)?, axis(a.int("dim2")?, rank)?])
}

fn diagonal(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let axes = two_axes(a, cx.rank(x))?;
    let steps = diagonal_steps(cx, x, a.int("offset")?, axes)?;
    view(a.variable("self")?, steps)
}

fn linalg_diagonal(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("A")?;
    let axes = two_axes(a, cx.rank(x))?;
    let steps = diagonal_steps(cx, x, a.int("offset")?, axes)?;
    view(a.variable("A")?, steps)
}

fn diagonal_scatter(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, source) = (a.tensor("self")?, a.tensor("src")?);
    let axes = two_axes(a, cx.rank(x))?;
    let steps = diagonal_steps(cx, x, a.int("offset")?, axes)?;
    let dtype = cx.dtype(x);
    let source = cx.cast(source, dtype)?;
    one(put_all(cx, x, &steps, source)?)
}

/// Zeros, with the last axis of `x` as the diagonal of two new last axes.
fn embedded(cx: &mut Importer<'_>, x: ValueId, offset: i64) -> Result<ValueId, Problem> {
    if !(-FARTHEST..=FARTHEST).contains(&offset) {
        return Err(Problem::unsupported(format!("a diagonal {offset} away")));
    }
    let last = axis(-1, cx.rank(x))?;
    let mut low = vec![Dim::constant(0); cx.rank(x)];
    let mut high = low.clone();
    low[last] = Dim::constant(offset.max(0));
    high[last] = Dim::constant((-offset).max(0));
    let columns = cx.pad(x, low, high, PadMode::Constant(Scalar::Int(0)))?;
    let size = cx.size(columns, last)?;
    let columns = cx.unsqueeze(columns, &[last])?;
    let there = region(cx, &size, &size, CompareFn::Eq, &offset.into())?;
    let zero = cx.scalar_like(Scalar::Int(0), columns);
    cx.select(there, columns, zero)
}

fn diag_embed(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    if cx.rank(x) == 0 {
        return Err(Problem::unsupported("a scalar is no diagonal"));
    }
    let rank = cx.rank(x) + 1;
    let [i, j] = two_axes(a, rank)?;
    if i == j {
        return Err(Problem::unsupported("a diagonal runs along two axes"));
    }
    let matrix = embedded(cx, x, a.int("offset")?)?;
    let mut others = 0..rank - 2;
    let source = |k: usize| match k {
        _ if k == i => rank - 2,
        _ if k == j => rank - 1,
        _ => others
            .next()
            .expect("all axes but two come from the operand"),
    };
    let order: Vec<usize> = (0..rank).map(source).collect();
    one(cx.permute(matrix, &order)?)
}

fn diag(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, offset) = (a.tensor("self")?, a.int("diagonal")?);
    match cx.rank(x) {
        1 => one(embedded(cx, x, offset)?),
        2 => {
            let steps = diagonal_steps(cx, x, offset, [0, 1])?;
            one(get_all(cx, x, &steps)?)
        }
        rank => Err(Problem::unsupported(format!(
            "takes rank 1 or 2, found {rank}"
        ))),
    }
}

fn trace(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let steps = diagonal_steps(cx, x, 0, [0, 1])?;
    let diagonal = get_all(cx, x, &steps)?;
    let dtype = sum_type(cx.dtype(x));
    let diagonal = cx.cast(diagonal, dtype)?;
    one(cx.reduce(ReduceFn::Sum, diagonal, [0], false)?)
}

fn block_diagonal(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let mut blocks = a.tensors("tensors")?;
    let dtypes = blocks.iter().map(|&v| cx.dtype(v));
    let Some(dtype) = dtypes.reduce(DType::promote) else {
        return Err(Problem::unsupported("takes at least one block"));
    };
    for v in &mut blocks {
        *v = cx.cast(*v, dtype)?;
        *v = cx.with_rank(*v, 2)?;
    }
    let widths = blocks.iter().map(|&v| cx.size(v, 1));
    let widths: Vec<Dim> = widths.collect::<Result<_, _>>()?;
    let whole: Dim = widths.iter().fold(Dim::constant(0), |sum, w| sum + w);
    let mut before = Dim::constant(0);
    for (v, width) in blocks.iter_mut().zip(&widths) {
        let low = vec![Dim::constant(0), before.clone()];
        before = before + width;
        let high = vec![Dim::constant(0), &whole - &before];
        *v = cx.pad(*v, low, high, PadMode::Constant(Scalar::Int(0)))?;
    }
    one(cx.concat(&blocks, 0)?)
}
