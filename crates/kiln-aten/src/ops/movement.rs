//! Ops that move or repeat elements and compute nothing.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::{axes, axis};
use crate::importer::returns::{Return, Returns, one, view};
use crate::importer::row::Row;
use crate::importer::view::View;
use kiln_ir::movement::Movement;
use kiln_ir::ops::Reverse;
use kiln_ir::{Builder, Dim, Shape, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        view_op,
        &[
            "aten.view.default(self, size)",
            "aten._unsafe_view.default(self, size)",
            "aten._reshape_alias.default(self, size, stride)",
        ],
    ),
    Row::new(view_dtype, &["aten.view.dtype(self, dtype)"]),
    Row::new(view_as, &["aten.view_as.default(self, other)"]),
    Row::new(reshape, &["aten.reshape.default(self, shape)"]),
    Row::new(reshape_as, &["aten.reshape_as.default(self, other)"]),
    Row::new(
        flatten,
        &["aten.flatten.using_ints(self, start_dim=0, end_dim=-1)"],
    ),
    Row::new(ravel, &["aten.ravel.default(self)"]),
    Row::new(unflatten, &["aten.unflatten.int(self, dim, sizes)"]),
    Row::new(permute, &["aten.permute.default(self, dims)"]),
    Row::new(
        transpose,
        &[
            "aten.transpose.int(self, dim0, dim1)",
            // This overload is the one with an in-place variant.
            "aten.transpose.default(self, dim0, dim1)",
            "aten.swapdims.default(self, dim0, dim1)",
        ],
    ),
    Row::new(swapaxes, &["aten.swapaxes.default(self, axis0, axis1)"]),
    Row::new(t, &["aten.t.default(self)"]),
    Row::new(
        last_two,
        &[
            "aten.mT.default(self)",
            "aten.adjoint.default(self)",
            "aten.mH.default(self)",
            "aten.matrix_H.default(self)",
        ],
    ),
    Row::new(numpy_t, &["aten.numpy_T.default(self)"]),
    Row::new(
        movedim,
        &[
            "aten.movedim.int(self, source, destination)",
            "aten.movedim.intlist(self, source, destination)",
            "aten.moveaxis.int(self, source, destination)",
            "aten.moveaxis.intlist(self, source, destination)",
        ],
    ),
    Row::new(
        squeeze,
        &[
            "aten.squeeze.default(self)",
            "aten.squeeze.dim(self, dim)",
            "aten.squeeze.dims(self, dim)",
        ],
    ),
    Row::new(unsqueeze, &["aten.unsqueeze.default(self, dim)"]),
    Row::new(
        expand,
        &[
            "aten.expand.default(self, size, *, implicit=False)",
            "aten.broadcast_to.default(self, size)",
        ],
    ),
    Row::new(expand_as, &["aten.expand_as.default(self, other)"]),
    Row::new(
        |cx, a| at_least(cx, a, 1),
        &["aten.atleast_1d.default(self)"],
    ),
    Row::new(
        |cx, a| at_least(cx, a, 2),
        &["aten.atleast_2d.default(self)"],
    ),
    Row::new(
        |cx, a| at_least(cx, a, 3),
        &["aten.atleast_3d.default(self)"],
    ),
    Row::new(flip, &["aten.flip.default(self, dims)"]),
    Row::new(fliplr, &["aten.fliplr.default(self)"]),
    Row::new(flipud, &["aten.flipud.default(self)"]),
    Row::new(
        pixel_shuffle,
        &["aten.pixel_shuffle.default(self, upscale_factor)"],
    ),
    Row::new(
        pixel_unshuffle,
        &["aten.pixel_unshuffle.default(self, downscale_factor)"],
    ),
    Row::new(
        channel_shuffle,
        &[
            "aten.channel_shuffle.default(self, groups)",
            "aten.native_channel_shuffle.default(self, groups)",
        ],
    ),
];

/// The movements, one after the other. Adjacent movements are composed where the movement algebra can compose them.
pub(crate) fn fuse(movements: impl IntoIterator<Item = Movement>) -> Vec<Movement> {
    let mut fused: Vec<Movement> = Vec::new();
    for next in movements {
        let merged = fused.last().and_then(|last| last.compose(&next).one());
        match merged {
            Some(merged) => {
                fused.pop();
                fused.push(merged);
            }
            None => fused.push(next),
        }
    }
    fused.retain(|m| !m.is_identity());
    fused
}

fn steps(movements: impl IntoIterator<Item = Movement>) -> Vec<View> {
    fuse(movements).into_iter().map(View::Move).collect()
}

fn moved(a: &Args<'_>, movement: Movement) -> Result<Returns, Problem> {
    view(a.variable("self")?, steps([movement]))
}

/// The requested sizes, with -1 replaced by the remaining number of elements.
pub(crate) fn complete_sizes(elements: &Dim, sizes: &[Dim]) -> Result<Vec<Dim>, Problem> {
    let Some(open) = sizes.iter().position(|d| d.is(-1)) else {
        return Ok(sizes.to_vec());
    };
    let mut sizes = sizes.to_vec();
    sizes[open] = Dim::constant(1);
    let known: Dim = sizes.iter().cloned().product();
    if known.is(0) {
        return Err(Problem::unsupported("a size of -1 beside a size of 0"));
    }
    sizes[open] = elements.floor_div(&known);
    Ok(sizes)
}

/// The target shape of a reshape. The declared shape replaces -1 if all its symbols are bound.
fn target_shape(
    cx: &Importer<'_>,
    a: &Args<'_>,
    x: ValueId,
    sizes: &[Dim],
) -> Result<Vec<Dim>, Problem> {
    let mut target = complete_sizes(&cx.shape(x).elements(), sizes)?;
    if let Some(declared) = a.declared_shape()
        && declared.rank() == target.len()
        && let Some(open) = sizes.iter().position(|d| d.is(-1))
        && cx.is_bound(&declared[open])
    {
        target[open] = declared[open].clone();
    }
    Ok(target)
}

fn reshape_view(cx: &Importer<'_>, x: ValueId, to: &[Dim]) -> Result<Vec<View>, Problem> {
    Ok(steps(cx.reshape_steps(&cx.shape(x), to)?))
}

fn view_op(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let to = target_shape(cx, a, x, &a.dims("size")?)?;
    view(a.variable("self")?, reshape_view(cx, x, &to)?)
}

fn view_dtype(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    if a.optional_dtype("dtype")? != Some(cx.dtype(x)) {
        return Err(Problem::unsupported(
            "reads the bits of a tensor as another dtype; convert with `.to(dtype)` instead",
        ));
    }
    view(a.variable("self")?, Vec::new())
}

fn view_as(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, to) = (a.tensor("self")?, cx.shape(a.tensor("other")?));
    view(a.variable("self")?, reshape_view(cx, x, &to)?)
}

/// A view if memory is row-major, else a view or a copy.
fn reshaped(cx: &mut Importer<'_>, a: &Args<'_>, to: &[Dim]) -> Result<Returns, Problem> {
    let (x, variable) = (a.tensor("self")?, a.variable("self")?);
    let steps = reshape_view(cx, x, to)?;
    Ok(vec![
        if steps.is_empty() || cx.is_contiguous(variable) == Some(true) {
            Return::View(variable, steps)
        } else {
            Return::MaybeView(variable, steps)
        },
    ])
}

fn reshape(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let to = target_shape(cx, a, x, &a.dims("shape")?)?;
    reshaped(cx, a, &to)
}

fn reshape_as(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let to = cx.shape(a.tensor("other")?);
    reshaped(cx, a, &to)
}

fn flatten(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let (shape, rank) = (cx.shape(x), cx.rank(x));
    if rank == 0 {
        return reshaped(cx, a, &[1.into()]);
    }
    let start = axis(a.int("start_dim")?, rank)?;
    let end = axis(a.int("end_dim")?, rank)?;
    if start > end {
        return Err(Problem::unsupported(format!(
            "flattens from axis {start} to axis {end}"
        )));
    }
    let merged: Dim = shape[start..=end].iter().cloned().product();
    let to = [&shape[..start], &[merged], &shape[end + 1..]].concat();
    reshaped(cx, a, &to)
}

fn ravel(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let elements = cx.shape(a.tensor("self")?).elements();
    reshaped(cx, a, &[elements])
}

fn unflatten(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let shape = cx.shape(x);
    let at = axis(a.int("dim")?, shape.rank())?;
    let Some(size) = shape.get(at) else {
        return Err(Problem::unsupported("a scalar has no axis to unflatten"));
    };
    let sizes = complete_sizes(size, &a.dims("sizes")?)?;
    let to = [&shape[..at], &sizes, &shape[at + 1..]].concat();
    view(a.variable("self")?, reshape_view(cx, x, &to)?)
}

fn permuted(cx: &Importer<'_>, a: &Args<'_>, order: &[usize]) -> Result<Returns, Problem> {
    let shape = cx.shape(a.tensor("self")?);
    moved(a, Movement::permute(&shape, order)?)
}

fn permute(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let rank = cx.rank(a.tensor("self")?);
    let order = a.ints("dims")?;
    let order: Vec<usize> = order
        .into_iter()
        .map(|d| axis(d, rank))
        .collect::<Result<_, _>>()?;
    permuted(cx, a, &order)
}

fn swapped(cx: &Importer<'_>, a: &Args<'_>, i: i64, j: i64) -> Result<Returns, Problem> {
    let rank = cx.rank(a.tensor("self")?);
    let (i, j) = (axis(i, rank)?, axis(j, rank)?);
    let mut order: Vec<usize> = (0..rank).collect();
    if rank > 0 {
        order.swap(i, j);
    }
    permuted(cx, a, &order)
}

fn transpose(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    swapped(cx, a, a.int("dim0")?, a.int("dim1")?)
}

fn swapaxes(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    swapped(cx, a, a.int("axis0")?, a.int("axis1")?)
}

fn t(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    match cx.rank(a.tensor("self")?) {
        2 => swapped(cx, a, 0, 1),
        0 | 1 => view(a.variable("self")?, Vec::new()),
        rank => Err(Problem::unsupported(format!(
            "transposes rank {rank}; `t` takes at most 2"
        ))),
    }
}

fn last_two(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    swapped(cx, a, -1, -2)
}

fn numpy_t(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let order: Vec<usize> = (0..cx.rank(a.tensor("self")?)).rev().collect();
    permuted(cx, a, &order)
}

fn movedim(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let rank = cx.rank(a.tensor("self")?);
    let all = |name| -> Result<Vec<usize>, Problem> {
        a.ints(name)?.into_iter().map(|d| axis(d, rank)).collect()
    };
    let (from, to) = (all("source")?, all("destination")?);
    let mut order: Vec<Option<usize>> = vec![None; rank];
    for (&from, &to) in from.iter().zip(&to) {
        if let Some(slot) = order.get_mut(to) {
            *slot = Some(from);
        }
    }
    let mut rest = (0..rank).filter(|i| !from.contains(i));
    let order: Option<Vec<usize>> = order
        .into_iter()
        .map(|o| o.or_else(|| rest.next()))
        .collect();
    let order = order.ok_or_else(|| Problem::unsupported("the axes are no permutation"))?;
    permuted(cx, a, &order)
}

/// Drops the axes of known size 1. An axis whose size is not proven to be 1 is dropped if the declared rank requires
/// it.
fn squeeze(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let shape = cx.shape(a.tensor("self")?);
    let asked = if a.has("dim") {
        let dims = a.ints("dim")?;
        if dims.is_empty() {
            Vec::new()
        } else {
            axes(&dims, shape.rank())?
        }
    } else {
        (0..shape.rank()).collect()
    };
    let unit: Vec<usize> = asked.iter().copied().filter(|&i| shape[i].is(1)).collect();
    if let Some(declared) = a.declared_shape()
        && declared.rank() + unit.len() < shape.rank()
    {
        let to = declared.to_vec();
        let steps = reshape_view(cx, a.tensor("self")?, &to)?;
        return view(a.variable("self")?, steps);
    }
    moved(a, Movement::squeeze(&shape, &unit)?)
}

fn unsqueeze(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let shape = cx.shape(a.tensor("self")?);
    let at = axis(a.int("dim")?, shape.rank() + 1)?;
    moved(a, Movement::unsqueeze(&shape, &[at])?)
}

/// The positions of the unit axes that bring a tensor to rank `wanted`: in front. For rank 3, vectors and matrices get
/// the last one behind.
pub(crate) fn missing_axes(rank: usize, wanted: usize) -> Vec<usize> {
    match (rank, wanted) {
        (2, 3) => vec![2],
        (1, 3) => vec![0, 2],
        _ => (0..wanted.saturating_sub(rank)).collect(),
    }
}

fn at_least(cx: &mut Importer<'_>, a: &Args<'_>, wanted: usize) -> Result<Returns, Problem> {
    let shape = cx.shape(a.tensor("self")?);
    let at = missing_axes(shape.rank(), wanted);
    moved(a, Movement::unsqueeze(&shape, &at)?)
}

/// The steps that broadcast `x` to `sizes`; -1 keeps a size.
pub(crate) fn expand_steps(
    cx: &Importer<'_>,
    x: ValueId,
    sizes: &[Dim],
) -> Result<Vec<View>, Problem> {
    let shape = cx.shape(x);
    let Some(missing) = sizes.len().checked_sub(shape.rank()) else {
        return Err(Problem::unsupported(format!(
            "expands rank {} to rank {}",
            shape.rank(),
            sizes.len()
        )));
    };
    let mut target = Shape::from(sizes);
    for (i, size) in target.iter_mut().enumerate().skip(missing) {
        if size.is(-1) {
            *size = shape[i - missing].clone();
        }
    }
    let front: Vec<usize> = (0..missing).collect();
    let mut found = steps([Movement::unsqueeze(&shape, &front)?]);
    let same = target[..missing].iter().all(|d| d.is(1)) && target[missing..] == shape[..];
    if !same {
        found.push(View::Broadcast(target));
    }
    Ok(found)
}

fn expand(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let steps = expand_steps(cx, a.tensor("self")?, &a.dims("size")?)?;
    view(a.variable("self")?, steps)
}

fn expand_as(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let to = cx.shape(a.tensor("other")?);
    let steps = expand_steps(cx, a.tensor("self")?, &to)?;
    view(a.variable("self")?, steps)
}

fn reversed(cx: &mut Importer<'_>, x: ValueId, axes: Vec<usize>) -> Result<Returns, Problem> {
    if axes.is_empty() {
        return one(x);
    }
    one(cx.value(Reverse { axes }, &[x])?)
}

fn flip(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let dims = a.ints("dims")?;
    let found = if dims.is_empty() {
        Vec::new()
    } else {
        axes(&dims, cx.rank(x))?
    };
    reversed(cx, x, found)
}

fn fliplr(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    reversed(cx, a.tensor("self")?, vec![1])
}

fn flipud(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    reversed(cx, a.tensor("self")?, vec![0])
}

/// Reshape, permute, reshape, with as few movements as possible.
fn shuffle(
    cx: &mut Importer<'_>,
    x: ValueId,
    split: &[Dim],
    order: &[usize],
    merged: &[Dim],
) -> Result<Returns, Problem> {
    let mut movements = cx.reshape_steps(&cx.shape(x), split)?;
    movements.push(Movement::permute(split, order)?);
    let permuted: Vec<Dim> = order.iter().map(|&i| split[i].clone()).collect();
    movements.extend(cx.reshape_steps(&permuted, merged)?);
    one(fuse(movements)
        .into_iter()
        .try_fold(x, |v, m| cx.movement(v, m))?)
}

/// The sizes before the last three axes, and the last three sizes.
fn image(cx: &Importer<'_>, x: ValueId) -> Result<(Vec<Dim>, [Dim; 3]), Problem> {
    let shape = cx.shape(x);
    match shape.split_last_chunk::<3>() {
        Some((front, last)) => Ok((front.to_vec(), last.clone())),
        None => Err(Problem::unsupported("takes at least 3 axes")),
    }
}

fn factor(a: &Args<'_>, name: &'static str) -> Result<i64, Problem> {
    match a.int(name)? {
        f if (1..=1 << 20).contains(&f) => Ok(f),
        f => Err(Problem::unsupported(format!("{name}={f}"))),
    }
}

fn pixel_shuffle(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, r) = (a.tensor("self")?, factor(a, "upscale_factor")?);
    let (front, [c, h, w]) = image(cx, x)?;
    let (c, f) = (c.floor_div(&(r * r).into()), front.len());
    let by = Dim::constant(r);
    let split = [
        front.as_slice(),
        &[c.clone(), by.clone(), by, h.clone(), w.clone()],
    ]
    .concat();
    let order: Vec<usize> = (0..f).chain([0, 3, 1, 4, 2].map(|i| i + f)).collect();
    let merged = [front.as_slice(), &[c, h * r, w * r]].concat();
    shuffle(cx, x, &split, &order, &merged)
}

fn pixel_unshuffle(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, r) = (a.tensor("self")?, factor(a, "downscale_factor")?);
    let (front, [c, h, w]) = image(cx, x)?;
    let (by, f) = (Dim::constant(r), front.len());
    let (h, w) = (h.floor_div(&by), w.floor_div(&by));
    let split = [
        front.as_slice(),
        &[c.clone(), h.clone(), by.clone(), w.clone(), by],
    ]
    .concat();
    let order: Vec<usize> = (0..f).chain([0, 2, 4, 1, 3].map(|i| i + f)).collect();
    let merged = [front.as_slice(), &[c * (r * r), h, w]].concat();
    shuffle(cx, x, &split, &order, &merged)
}

fn channel_shuffle(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, groups) = (a.tensor("self")?, Dim::constant(factor(a, "groups")?));
    let shape = cx.shape(x);
    if shape.rank() < 2 {
        return Err(Problem::unsupported("takes at least 2 axes"));
    }
    let each = shape[1].floor_div(&groups);
    let split = [&shape[..1], &[groups, each], &shape[2..]].concat();
    let order: Vec<usize> = [0, 2, 1].into_iter().chain(3..split.len()).collect();
    shuffle(cx, x, &split, &order, &shape)
}
