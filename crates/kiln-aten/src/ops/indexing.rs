//! Indexing by tensors: reads and writes of `x[i, :, j]` (masks included), and embedding.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::axis;
use crate::importer::returns::{Return, Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, Index, IndexPut, NonZero, ReduceFn, Scan, ScanFn, Simple};
use kiln_ir::{Builder, DType, Dim, Scalar, Shape, Symbol, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        index,
        &[
            "aten.index.Tensor(self, indices)",
            "aten._unsafe_index.Tensor(self, indices)",
        ],
    ),
    Row::new(
        index_put,
        &[
            "aten.index_put.default(self, indices, values, accumulate=False)",
            "aten._unsafe_index_put.default(self, indices, values, accumulate=False)",
            "aten._index_put_impl.default(self, indices, values, accumulate=False, unsafe=False)",
        ],
    ),
    Row::new(
        index_select,
        &["aten.index_select.default(self, dim, index)"],
    ),
    Row::new(
        embedding,
        &[
            "aten.embedding.default(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False)",
        ],
    ),
    Row::new(take, &["aten.take.default(self, index)"]),
    Row::new(
        index_copy,
        &["aten.index_copy.default(self, dim, index, source)"],
    ),
    Row::new(
        index_add,
        &["aten.index_add.default(self, dim, index, source, *, alpha=1)"],
    ),
    Row::new(
        index_fill,
        &[
            "aten.index_fill.int_Scalar(self, dim, index, value)",
            "aten.index_fill.int_Tensor(self, dim, index, value)",
        ],
    ),
    Row::new(
        nonzero,
        &["aten.nonzero.default(self)", "aten.argwhere.default(self)"],
    ),
    Row::new(
        nonzero_by_axis,
        &[
            "aten.nonzero_numpy.default(self)",
            "aten.where.default(condition)",
        ],
    ),
    Row::new(
        nonzero_static,
        &["aten.nonzero_static.default(self, *, size, fill_value=-1)"],
    ),
    Row::new(
        masked_index,
        &["aten._unsafe_masked_index.default(self, mask, indices, fill)"],
    ),
    Row::new(
        isin,
        &[
            "aten.isin.Tensor_Tensor(elements, test_elements, *, assume_unique=False, invert=False)",
            "aten.isin.Tensor_Scalar(elements, test_element, *, assume_unique=False, invert=False)",
            "aten.isin.Scalar_Tensor(element, test_elements, *, assume_unique=False, invert=False)",
        ],
    ),
    Row::new(masked_select, &["aten.masked_select.default(self, mask)"]),
    Row::new(
        masked_scatter,
        &["aten.masked_scatter.default(self, mask, source)"],
    ),
];

/// Index tensors, cast to a dtype that the core ops take.
pub(crate) fn as_index(cx: &mut Importer<'_>, index: ValueId) -> Result<ValueId, Problem> {
    match cx.dtype(index) {
        DType::I64 | DType::I32 => Ok(index),
        dtype if dtype.is_int() => cx.cast(index, DType::I64),
        other => Err(Problem::unsupported(format!("indices of {other}"))),
    }
}

/// The positions of the elements that are not zero: i64 `[count, rank]`. `declared` is the size that the program
/// declares for `count`.
pub(crate) fn positions(
    cx: &mut Importer<'_>,
    x: ValueId,
    declared: Option<&Dim>,
) -> Result<ValueId, Problem> {
    let named = declared.and_then(|d| cx.as_unbound(d));
    let count = match named {
        Some(symbol) => symbol,
        None => {
            let max = cx.shape(x).max_elements(cx.symbols());
            let name = (0..)
                .map(|i| format!("count{i}"))
                .find(|name| cx.symbols().find(name).is_none())
                .expect("some name is free");
            cx.rewriter().add_symbol(Symbol {
                name,
                min: 0,
                max,
                hint: None,
            })
        }
    };
    cx.bind_symbol(count);
    cx.value(NonZero { count }, &[x])
}

/// The index tensor of each axis. A mask of rank r becomes r index tensors.
fn by_axis(
    cx: &mut Importer<'_>,
    indices: &[Option<ValueId>],
    declared: Option<&Shape>,
) -> Result<Vec<Option<ValueId>>, Problem> {
    let first = indices.iter().position(Option::is_some).unwrap_or(0);
    let mut found = Vec::new();
    for index in indices {
        match index {
            None => found.push(None),
            Some(v) if matches!(cx.dtype(*v), DType::Bool | DType::U8) => {
                let rank = cx.rank(*v);
                // The axis of the picked elements is where the first index is. If indexed axes are not adjacent, it
                // comes first.
                let candidates = declared.map(|s| [s.get(first).cloned(), s.first().cloned()]);
                let count = candidates
                    .into_iter()
                    .flatten()
                    .flatten()
                    .find(|d| cx.as_unbound(d).is_some());
                let at = positions(cx, *v, count.as_ref())?;
                for i in 0..rank {
                    let len = cx.size(at, 0)?;
                    let column = cx.slice(at, 1, i as i64, 1, 1)?;
                    found.push(Some(cx.reshape(column, &[len])?));
                }
            }
            Some(v) => found.push(Some(as_index(cx, *v)?)),
        }
    }
    Ok(found)
}

/// Indices of one shape, for adjacent axes of a permuted tensor.
struct Indices {
    /// One index tensor for each indexed axis.
    values: Vec<ValueId>,
    /// The first indexed axis, after the permutation.
    axis: usize,
    /// The permutation that makes indexed axes adjacent, if they are not.
    order: Option<Vec<usize>>,
}

impl Indices {
    fn new(
        cx: &mut Importer<'_>,
        rank: usize,
        found: &[Option<ValueId>],
    ) -> Result<Indices, Problem> {
        if found.len() > rank {
            return Err(Problem::unsupported(format!(
                "{} indices for rank {rank}",
                found.len()
            )));
        }
        let axes: Vec<usize> = (0..found.len()).filter(|&i| found[i].is_some()).collect();
        let values: Vec<ValueId> = found.iter().flatten().copied().collect();
        let values = broadcast(cx, &values)?;
        let together = axes.windows(2).all(|w| w[0] + 1 == w[1]);
        let order = (!together).then(|| {
            let others = (0..rank).filter(|i| !axes.contains(i));
            axes.iter().copied().chain(others).collect()
        });
        let axis = if together {
            axes.first().copied().unwrap_or(0)
        } else {
            0
        };
        Ok(Indices {
            values,
            axis,
            order,
        })
    }

    fn arranged(&self, cx: &mut Importer<'_>, x: ValueId) -> Result<ValueId, Problem> {
        match &self.order {
            Some(order) => cx.permute(x, order),
            None => Ok(x),
        }
    }

    fn restored(&self, cx: &mut Importer<'_>, x: ValueId) -> Result<ValueId, Problem> {
        let Some(order) = &self.order else {
            return Ok(x);
        };
        let mut back = vec![0; order.len()];
        for (i, &o) in order.iter().enumerate() {
            back[o] = i;
        }
        cx.permute(x, &back)
    }

    /// The shape of the elements picked from a tensor.
    fn picked(&self, cx: &Importer<'_>, x: ValueId) -> Shape {
        let shape = cx.shape(x);
        let index = cx.shape(self.values[0]);
        let behind = self.axis + self.values.len();
        let dims = [&shape[..self.axis], &index[..], &shape[behind..]].concat();
        Shape::from(dims)
    }
}

/// The index tensors, broadcast to one shape.
fn broadcast(cx: &mut Importer<'_>, values: &[ValueId]) -> Result<Vec<ValueId>, Problem> {
    let shape = cx.common_shape(values)?;
    values.iter().map(|&v| cx.expand(v, &shape)).collect()
}

fn index(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let found = by_axis(cx, &a.optional_tensors("indices")?, a.declared_shape())?;
    one(picked_at(cx, x, &found)?)
}

/// `x` with an index for each axis. An absent index keeps the whole axis.
fn picked_at(
    cx: &mut Importer<'_>,
    x: ValueId,
    found: &[Option<ValueId>],
) -> Result<ValueId, Problem> {
    let indices = Indices::new(cx, cx.rank(x), found)?;
    if indices.values.is_empty() {
        return Ok(x);
    }
    let x = indices.arranged(cx, x)?;
    let op = Index::new(indices.axis);
    let operands: Vec<ValueId> = [x].into_iter().chain(indices.values).collect();
    cx.value(op, &operands)
}

/// A write of one number under one mask. It is a select, which needs no positions.
fn put_by_mask(
    cx: &mut Importer<'_>,
    x: ValueId,
    indices: &[Option<ValueId>],
    values: ValueId,
    accumulate: bool,
) -> Result<Option<ValueId>, Problem> {
    let mut given = indices
        .iter()
        .enumerate()
        .filter_map(|(i, v)| Some((i, (*v)?)));
    let (Some((first, mask)), None) = (given.next(), given.next()) else {
        return Ok(None);
    };
    let is_mask = matches!(cx.dtype(mask), DType::Bool | DType::U8);
    if !is_mask || !cx.shape(values).iter().all(|d| d.is(1)) {
        return Ok(None);
    }
    let last = first + cx.rank(mask);
    let missing: Vec<usize> = (0..first).chain(last..cx.rank(x)).collect();
    let mask = cx.cast(mask, DType::Bool)?;
    let mask = cx.unsqueeze(mask, &missing)?;
    let one = vec![Dim::constant(1); cx.rank(x)];
    let value = cx.reshape(values, &one)?;
    let new = if accumulate { cx.add(x, value)? } else { value };
    cx.select(mask, new, x).map(Some)
}

fn index_put(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, accumulate) = (a.tensor("self")?, a.bool("accumulate")?);
    let dtype = cx.dtype(x);
    let values = cx.cast(a.tensor("values")?, dtype)?;
    let given = a.optional_tensors("indices")?;
    if let Some(done) = put_by_mask(cx, x, &given, values, accumulate)? {
        return one(done);
    }
    let found = by_axis(cx, &given, None)?;
    let indices = Indices::new(cx, cx.rank(x), &found)?;
    if indices.values.is_empty() {
        let shape = cx.shape(x);
        let values = cx.expand(values, &shape)?;
        return one(if accumulate {
            cx.add(x, values)?
        } else {
            values
        });
    }
    let arranged = indices.arranged(cx, x)?;
    let shape = indices.picked(cx, arranged);
    let values = cx.expand(values, &shape)?;
    let put = put(
        cx,
        arranged,
        indices.axis,
        values,
        &indices.values,
        accumulate,
    )?;
    one(indices.restored(cx, put)?)
}

fn put(
    cx: &mut Importer<'_>,
    x: ValueId,
    axis: usize,
    values: ValueId,
    indices: &[ValueId],
    accumulate: bool,
) -> Result<ValueId, Problem> {
    let operands: Vec<ValueId> = [x, values]
        .into_iter()
        .chain(indices.iter().copied())
        .collect();
    cx.value(IndexPut { axis, accumulate }, &operands)
}

/// `self` of rank at least 1, the axis `dim` of it, and `index` as a vector.
fn along(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<(ValueId, usize, ValueId), Problem> {
    let (x, index) = (a.tensor("self")?, a.tensor("index")?);
    let axis = axis(a.int("dim")?, cx.rank(x))?;
    let index = as_index(cx, index)?;
    let index = if cx.rank(index) == 0 {
        cx.unsqueeze(index, &[0])?
    } else {
        index
    };
    let x = if cx.rank(x) == 0 {
        cx.unsqueeze(x, &[0])?
    } else {
        x
    };
    Ok((x, axis, index))
}

/// Restores the rank of `self`.
fn as_self(cx: &mut Importer<'_>, a: &Args<'_>, y: ValueId) -> Result<Returns, Problem> {
    one(if cx.rank(a.tensor("self")?) == 0 {
        cx.reshape(y, &[])?
    } else {
        y
    })
}

fn index_select(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, axis, index) = along(cx, a)?;
    let y = cx.value(Index::new(axis), &[x, index])?;
    as_self(cx, a, y)
}

fn embedding(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let index = as_index(cx, a.tensor("indices")?)?;
    one(cx.value(Index::rows(), &[a.tensor("weight")?, index])?)
}

fn take(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = cx.flatten(a.tensor("self")?)?;
    let index = as_index(cx, a.tensor("index")?)?;
    one(cx.value(Index::new(0), &[x, index])?)
}

/// Writes `values` to the part of `x` that the indices name.
fn put_along(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    values: ValueId,
    accumulate: bool,
) -> Result<Returns, Problem> {
    let (x, axis, index) = along(cx, a)?;
    let mut shape = cx.shape(x);
    shape[axis] = cx.size(index, 0)?;
    let dtype = cx.dtype(x);
    let values = cx.cast(values, dtype)?;
    let values = cx.expand(values, &shape)?;
    let y = put(cx, x, axis, values, &[index], accumulate)?;
    as_self(cx, a, y)
}

fn index_copy(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    put_along(cx, a, a.tensor("source")?, false)
}

fn index_add(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let source = cx.scale(a.tensor("source")?, a.scalar("alpha")?)?;
    put_along(cx, a, source, true)
}

fn index_fill(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let dtype = cx.dtype(a.tensor("self")?);
    let value = cx.materialise(&a.operand("value")?, dtype, 0)?;
    put_along(cx, a, value, false)
}

fn nonzero(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let count = a.declared_shape().and_then(|s| s.first());
    one(positions(cx, a.tensor("self")?, count)?)
}

/// The positions, as one vector for each axis.
fn nonzero_by_axis(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = cx.current(a.first_tensor()?)?;
    let x = if cx.rank(x) == 0 {
        cx.unsqueeze(x, &[0])?
    } else {
        x
    };
    let types = a.declared_list().and_then(|list| list.first());
    let count = types.and_then(|ty| ty.shape.first()).cloned();
    let found = positions(cx, x, count.as_ref())?;
    let rank = cx.rank(x);
    let along = |i| {
        let column = cx.slice(found, 1, Dim::constant(i as i64), 1, 1)?;
        cx.squeeze(column, &[1])
    };
    let columns = (0..rank).map(along).collect::<Result<_, _>>()?;
    Ok(vec![Return::Values(columns)])
}

/// The first `size` positions. If there are fewer, the fill value follows.
fn nonzero_static(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, size) = (a.tensor("self")?, a.dim("size")?);
    let found = positions(cx, x, None)?;
    let rank = Dim::constant(cx.rank(x) as i64);
    let shape = Shape::from(vec![size.clone(), rank]);
    let fill = cx.full(&shape, DType::I64, Scalar::Int(a.int("fill_value")?))?;
    let all = cx.concat(&[found, fill], 0)?;
    one(cx.slice(all, 0, 0, &size, 1)?)
}

/// Reads the fill value where the mask is false. Indices may be out of range there.
fn masked_index(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, mask) = (a.tensor("self")?, a.tensor("mask")?);
    let mut found = Vec::new();
    for index in a.optional_tensors("indices")? {
        found.push(match index {
            Some(v) => {
                let v = as_index(cx, v)?;
                let zero = cx.scalar_like(Scalar::Int(0), v);
                Some(cx.select(mask, v, zero)?)
            }
            None => None,
        });
    }
    let picked = picked_at(cx, x, &found)?;
    let dtype = cx.dtype(x);
    let fill = cx.materialise(&a.operand("fill")?, dtype, 0)?;
    one(cx.select(mask, picked, fill)?)
}

/// True where an element equals one of the test elements.
fn isin(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.operand(if a.has("elements") {
        "elements"
    } else {
        "element"
    })?;
    let others = a.operand(if a.has("test_elements") {
        "test_elements"
    } else {
        "test_element"
    })?;
    let dtype = cx.result_type(&[&x, &others]);
    let x = cx.materialise(&x, dtype, 0)?;
    let others = cx.materialise(&others, dtype, 0)?;
    let (rank, others) = (cx.rank(x), cx.flatten(others)?);
    let x = cx.unsqueeze(x, &[rank])?;
    let equal = cx.compare(CompareFn::Eq, x, others)?;
    let found = cx.reduce(ReduceFn::Any, equal, [rank], false)?;
    one(if a.bool("invert")? {
        cx.unary(Simple::BitNot, found)?
    } else {
        found
    })
}

/// Both tensors, broadcast to their common shape.
fn together(cx: &mut Importer<'_>, a: ValueId, b: ValueId) -> Result<[ValueId; 2], Problem> {
    let shape = cx.common_shape(&[a, b])?;
    Ok([cx.expand(a, &shape)?, cx.expand(b, &shape)?])
}

fn masked_select(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let [x, mask] = together(cx, a.tensor("self")?, a.tensor("mask")?)?;
    let (x, mask) = (cx.flatten(x)?, cx.flatten(mask)?);
    let count = a.declared_shape().and_then(|s| s.first());
    let at = positions(cx, mask, count)?;
    let len = cx.size(at, 0)?;
    let at = cx.reshape(at, &[len])?;
    one(cx.value(Index::new(0), &[x, at])?)
}

/// `masked_scatter`: the n-th true position takes the n-th element of the source.
fn masked_scatter(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (given, source) = (a.tensor("self")?, a.tensor("source")?);
    let [x, mask] = together(cx, given, a.tensor("mask")?)?;
    let source = cx.flatten(source)?;
    if cx.size(source, 0)?.is(0) {
        return one(x);
    }
    let shape = cx.shape(x);
    let mask = cx.cast(mask, DType::Bool)?;
    let flat = cx.flatten(mask)?;
    let ones = cx.cast(flat, DType::I64)?;
    let (f, axis) = (ScanFn::Sum, 0);
    let counted = cx.value(Scan { f, axis }, &[ones])?;
    let unit = cx.scalar(Scalar::Int(1), DType::I64, 1);
    let rank = cx.sub(counted, unit)?;
    let zero = cx.scalar(Scalar::Int(0), DType::I64, 1);
    let rank = cx.binary(BinaryFn::Max, rank, zero)?;
    let last = cx.dim(&(cx.size(source, 0)? - 1), DType::I64, 0)?;
    let last = cx.with_rank(last, 1)?;
    let rank = cx.binary(BinaryFn::Min, rank, last)?;
    let picked = cx.value(Index::new(0), &[source, rank])?;
    let picked = cx.reshape(picked, &shape)?;
    one(cx.select(mask, picked, x)?)
}
