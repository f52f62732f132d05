//! Matrix products.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::{axes, axis};
use crate::importer::promotion::computed_in;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{CompareFn, Linear, MatMul, ReduceFn};
use kiln_ir::{Builder, DType, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(linear, &["aten.linear.default(input, weight, bias=None)"]),
    Row::new(
        |cx, a| product(cx, a, "self", "other"),
        &[
            "aten.matmul.default(self, other)",
            "aten.linalg_matmul.default(self, other)",
        ],
    ),
    Row::new(
        |cx, a| product(cx, a, "self", "mat2"),
        &[
            "aten.mm.default(self, mat2)",
            "aten.bmm.default(self, mat2)",
        ],
    ),
    Row::new(
        |cx, a| product(cx, a, "self", "vec"),
        &["aten.mv.default(self, vec)"],
    ),
    Row::new(
        |cx, a| product(cx, a, "self", "tensor"),
        &["aten.dot.default(self, tensor)"],
    ),
    Row::new(
        |cx, a| product(cx, a, "self", "other"),
        &["aten.vdot.default(self, other)"],
    ),
    Row::new(inner, &["aten.inner.default(self, other)"]),
    Row::new(
        outer,
        &[
            "aten.outer.default(self, vec2)",
            "aten.ger.default(self, vec2)",
        ],
    ),
    Row::new(
        cross,
        &[
            "aten.linalg_cross.default(self, other, *, dim=-1)",
            "aten.cross.default(self, other, dim=None)",
        ],
    ),
    Row::new(
        |cx, a| sum_and_product(cx, a, "mat1", "mat2"),
        &["aten.addmm.default(self, mat1, mat2, *, beta=1, alpha=1)"],
    ),
    Row::new(
        |cx, a| sum_and_product(cx, a, "batch1", "batch2"),
        &["aten.baddbmm.default(self, batch1, batch2, *, beta=1, alpha=1)"],
    ),
    Row::new(
        |cx, a| sum_and_product(cx, a, "mat", "vec"),
        &["aten.addmv.default(self, mat, vec, *, beta=1, alpha=1)"],
    ),
    Row::new(
        power,
        &[
            "aten.matrix_power.default(self, n)",
            "aten.linalg_matrix_power.default(self, n)",
        ],
    ),
    Row::new(
        chain,
        &[
            "aten.chain_matmul.default(matrices)",
            "aten.linalg_multi_dot.default(tensors)",
        ],
    ),
    Row::new(
        trilinear,
        &["aten._trilinear.default(i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim=1)"],
    ),
    Row::new(
        addbmm,
        &["aten.addbmm.default(self, batch1, batch2, *, beta=1, alpha=1)"],
    ),
    Row::new(
        addr,
        &["aten.addr.default(self, vec1, vec2, *, beta=1, alpha=1)"],
    ),
];

/// The product of tensors of any ranks. A vector is a row on the left and a column on the right.
pub(crate) fn matmul(cx: &mut Importer<'_>, a: ValueId, b: ValueId) -> Result<ValueId, Problem> {
    let (row, column) = (cx.rank(a) == 1, cx.rank(b) == 1);
    if cx.rank(a) == 0 || cx.rank(b) == 0 {
        return Err(Problem::unsupported("a matrix product with a scalar"));
    }
    let left = if row { cx.unsqueeze(a, &[0])? } else { a };
    let right = if column { cx.unsqueeze(b, &[1])? } else { b };
    let [left, right] = cx.align([left, right])?;
    let product = cx.value(MatMul {}, &[left, right])?;
    let rank = cx.rank(product);
    match (row, column) {
        (false, false) => Ok(product),
        (true, false) => cx.squeeze(product, &[rank - 2]),
        (false, true) => cx.squeeze(product, &[rank - 1]),
        (true, true) => cx.squeeze(product, &[rank - 2, rank - 1]),
    }
}

fn product(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    left: &'static str,
    right: &'static str,
) -> Result<Returns, Problem> {
    one(matmul(cx, a.tensor(left)?, a.tensor(right)?)?)
}

fn linear(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, weight) = (a.tensor("input")?, a.tensor("weight")?);
    let bias = a.optional_tensor("bias")?;
    one(linear_of(cx, x, weight, bias)?)
}

/// `x` times the transposed weight, plus the bias. With a weight vector the result has no feature axis.
pub(crate) fn linear_of(
    cx: &mut Importer<'_>,
    x: ValueId,
    weight: ValueId,
    bias: Option<ValueId>,
) -> Result<ValueId, Problem> {
    if cx.rank(weight) == 1 {
        let product = matmul(cx, x, weight)?;
        return match bias {
            Some(bias) => cx.add(product, bias),
            None => Ok(product),
        };
    }
    match bias {
        Some(bias) if cx.rank(weight) == 2 && cx.shape(bias)[..] == cx.shape(weight)[..1] => {
            cx.value(Linear {}, &[x, weight, bias])
        }
        bias => {
            let product = cx.value(Linear {}, &[x, weight])?;
            bias.map_or(Ok(product), |bias| cx.add(product, bias))
        }
    }
}

fn inner(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, y) = (a.tensor("self")?, a.tensor("other")?);
    if cx.rank(x) == 0 || cx.rank(y) == 0 {
        return one(cx.mul(x, y)?);
    }
    // Both operands become matrices of rows; the product gets the axes of both operands' rows.
    let front: Vec<_> = cx.shape(x)[..cx.rank(x) - 1].to_vec();
    let behind: Vec<_> = cx.shape(y)[..cx.rank(y) - 1].to_vec();
    let rows = |cx: &mut Importer<'_>, v: ValueId| {
        let shape = cx.shape(v);
        let last = shape[shape.rank() - 1].clone();
        let count = shape[..shape.rank() - 1].iter().cloned().product();
        cx.reshape(v, &[count, last])
    };
    let (x, y) = (rows(cx, x)?, rows(cx, y)?);
    let y = cx.transpose(y, 0, 1)?;
    let product = matmul(cx, x, y)?;
    one(cx.reshape(product, [front, behind].concat())?)
}

/// The `n`-th power of a matrix, by repeated squaring: at most twice as many products as `n` has bits.
fn power(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (mut square, mut left) = (a.tensor("self")?, a.int("n")?);
    if cx.rank(square) < 2 || !cx.dtype(square).is_float() {
        return Err(Problem::unsupported("takes matrices of floats"));
    }
    if left < 0 {
        return Err(Problem::unsupported(format!(
            "n={left} takes an inverse; compute it ahead of time and give n={}",
            left.unsigned_abs()
        )));
    }
    // There is at least one product, which refuses matrices that are not square.
    let mut next = matmul(cx, square, square)?;
    let mut power = None;
    while left > 0 {
        if left % 2 == 1 {
            power = Some(match power {
                Some(before) => matmul(cx, before, square)?,
                None => square,
            });
        }
        left /= 2;
        if left > 0 {
            square = next;
            next = match left {
                1 => square,
                _ => matmul(cx, square, square)?,
            };
        }
    }
    match power {
        Some(power) => one(power),
        None => one(identity_like(cx, square)?),
    }
}

/// The identity matrix in the shape and dtype of a square matrix.
fn identity_like(cx: &mut Importer<'_>, like: ValueId) -> Result<ValueId, Problem> {
    let (shape, dtype) = (cx.shape(like), cx.dtype(like));
    let place = cx.iota(&cx.size(like, cx.rank(like) - 1)?, DType::I64)?;
    let (row, column) = (cx.unsqueeze(place, &[1])?, cx.unsqueeze(place, &[0])?);
    let is_diagonal = cx.compare(CompareFn::Eq, row, column)?;
    let identity = cx.cast(is_diagonal, dtype)?;
    cx.expand(identity, &shape)
}

/// The product of all matrices, from the left.
fn chain(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let name = if a.has("matrices") {
        "matrices"
    } else {
        "tensors"
    };
    let mut matrices = a.tensors(name)?.into_iter();
    let first = matrices.next().ok_or(Problem::Missing(name))?;
    one(matrices.try_fold(first, |product, next| matmul(cx, product, next))?)
}

/// The product of three tensors with unit axes inserted, summed over axes that then go.
fn trilinear(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let names = [("i1", "expand1"), ("i2", "expand2"), ("i3", "expand3")];
    let mut product = None;
    for (tensor, expand) in names {
        let (v, at) = (a.tensor(tensor)?, a.ints(expand)?);
        let at = axes_or_none(&at, cx.rank(v) + at.len())?;
        let v = cx.unsqueeze(v, &at)?;
        product = Some(match product {
            Some(before) => cx.mul(before, v)?,
            None => v,
        });
    }
    let product = product.ok_or(Problem::Missing("i1"))?;
    let over = axes_or_none(&a.ints("sumdim")?, cx.rank(product))?;
    one(cx.reduce(ReduceFn::Sum, product, &over, false)?)
}

/// The axes of an argument; an absent argument means none.
fn axes_or_none(dims: &[i64], rank: usize) -> Result<Vec<usize>, Problem> {
    if dims.is_empty() {
        return Ok(Vec::new());
    }
    axes(dims, rank)
}

/// Three elements of an axis, from `start` on and cyclic.
fn turned(cx: &mut Importer<'_>, x: ValueId, axis: usize, start: i64) -> Result<ValueId, Problem> {
    let first = cx.slice(x, axis, start, 3 - start, 1)?;
    let second = cx.slice(x, axis, 0, start, 1)?;
    cx.concat(&[first, second], axis)
}

/// The cross product along the axis `dim`, or along the first axis of size 3.
fn cross(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let [x, y] = super::join::promoted(cx, &[a.tensor("self")?, a.tensor("other")?])?
        .try_into()
        .map_err(|_| Problem::unsupported("takes two tensors"))?;
    let [x, y] = cx.align([x, y])?;
    let axis = match a.optional_int("dim")? {
        Some(dim) => axis(dim, cx.rank(x))?,
        None => {
            let found = cx.shape(x).iter().position(|d| d.is(3));
            found.ok_or_else(|| Problem::unsupported("no axis has size 3"))?
        }
    };
    let (x1, x2) = (turned(cx, x, axis, 1)?, turned(cx, x, axis, 2)?);
    let (y1, y2) = (turned(cx, y, axis, 1)?, turned(cx, y, axis, 2)?);
    let (plus, minus) = (cx.mul(x1, y2)?, cx.mul(x2, y1)?);
    one(cx.sub(plus, minus)?)
}

fn outer_of(cx: &mut Importer<'_>, x: ValueId, y: ValueId) -> Result<ValueId, Problem> {
    let [x, y] = super::join::promoted(cx, &[x, y])?
        .try_into()
        .map_err(|_| Problem::unsupported("takes two vectors"))?;
    let x = cx.unsqueeze(x, &[1])?;
    cx.mul(x, y)
}

fn outer(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    one(outer_of(cx, a.tensor("self")?, a.tensor("vec2")?)?)
}

/// `beta * self + alpha * product`. With `beta = 0` the elements of `self` are not read.
fn combined(cx: &mut Importer<'_>, a: &Args<'_>, product: ValueId) -> Result<Returns, Problem> {
    let (x, beta) = (a.tensor("self")?, a.scalar("beta")?);
    let dtype = cx.dtype(x);
    let product = cx.scale(product, a.scalar("alpha")?)?;
    if beta.as_f64() == 0.0 {
        return one(cx.cast(product, dtype)?);
    }
    let x = cx.cast(x, cx.dtype(product))?;
    let x = cx.scale(x, beta)?;
    let sum = cx.add(x, product)?;
    one(cx.cast(sum, dtype)?)
}

fn sum_and_product(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    left: &'static str,
    right: &'static str,
) -> Result<Returns, Problem> {
    let [left, right] = [a.tensor(left)?, a.tensor(right)?];
    let [left, right] = factors(cx, a, [left, right])?;
    let product = matmul(cx, left, right)?;
    combined(cx, a, product)
}

/// The factors of a product that is scaled afterwards. PyTorch's kernels round products of halves after that.
fn factors(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    [left, right]: [ValueId; 2],
) -> Result<[ValueId; 2], Problem> {
    let is_plain = a.scalar("alpha")?.as_f64() == 1.0 && a.scalar("beta")?.as_f64() == 1.0;
    let dtype = match is_plain {
        true => cx.dtype(left),
        false => computed_in(cx.dtype(left)),
    };
    Ok([cx.cast(left, dtype)?, cx.cast(right, dtype)?])
}

/// Sums the products of a batch.
fn addbmm(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let [left, right] = factors(cx, a, [a.tensor("batch1")?, a.tensor("batch2")?])?;
    let product = matmul(cx, left, right)?;
    let sum = cx.reduce(ReduceFn::Sum, product, [0], false)?;
    combined(cx, a, sum)
}

fn addr(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let [left, right] = factors(cx, a, [a.tensor("vec1")?, a.tensor("vec2")?])?;
    let product = outer_of(cx, left, right)?;
    combined(cx, a, product)
}
