//! Ops that repeat, roll, rotate or combine elements.

use crate::call::error::Problem;
use crate::call::limits;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::axis;
use crate::importer::returns::{Return, Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{Gather, Index, IndexPut, Reverse};
use kiln_ir::{Builder, DType, Dim, Scalar, Shape, TensorData, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(roll, &["aten.roll.default(self, shifts, dims=[])"]),
    Row::new(rotate, &["aten.rot90.default(self, k=1, dims=[])"]),
    Row::new(repeat, &["aten.repeat.default(self, repeats)"]),
    Row::new(tile, &["aten.tile.default(self, dims)"]),
    Row::new(
        repeat_each,
        &["aten.repeat_interleave.self_int(self, repeats, dim=None, *, output_size=None)"],
    ),
    Row::new(
        repeat_by_table,
        &["aten.repeat_interleave.self_Tensor(self, repeats, dim=None, *, output_size=None)"],
    ),
    Row::new(
        repeated_places,
        &["aten.repeat_interleave.Tensor(repeats, *, output_size=None)"],
    ),
    Row::new(
        combinations,
        &["aten.combinations.default(self, r=2, with_replacement=False)"],
    ),
    Row::new(product, &["aten.cartesian_prod.default(tensors)"]),
    Row::new(
        mesh,
        &[
            "aten.meshgrid.default(tensors)",
            "aten.meshgrid.indexing(tensors, *, indexing)",
        ],
    ),
    Row::new(
        take_along,
        &["aten.take_along_dim.default(self, indices, dim=None)"],
    ),
    Row::new(
        put,
        &["aten.put.default(self, index, source, accumulate=False)"],
    ),
];

fn roll(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let (shifts, dims) = (a.dims("shifts")?, a.ints("dims")?);
    if dims.is_empty() {
        let [shift] = shifts.as_slice() else {
            return Err(Problem::unsupported("one shift for all elements"));
        };
        let shape = cx.shape(x);
        let flat = cx.flatten(x)?;
        let rolled = rolled(cx, flat, 0, shift)?;
        return one(cx.reshape(rolled, &shape)?);
    }
    if shifts.len() != dims.len() {
        return Err(Problem::unsupported("as many shifts as axes"));
    }
    if cx.rank(x) == 0 {
        return one(x);
    }
    let mut result = x;
    for (shift, dim) in shifts.iter().zip(dims) {
        let along = axis(dim, cx.rank(x))?;
        result = rolled(cx, result, along, shift)?;
    }
    one(result)
}

/// Rolls an axis: its last `shift` elements come first.
fn rolled(
    cx: &mut Importer<'_>,
    x: ValueId,
    along: usize,
    shift: &Dim,
) -> Result<ValueId, Problem> {
    let size = cx.size(x, along)?;
    if size.is(0) {
        return Ok(x);
    }
    let is_some = cx.symbols().less_equal(&Dim::constant(1), &size) == Some(true);
    // An axis without elements has nothing to roll.
    let turn = match is_some {
        true => size.clone(),
        false => Dim::max([size.clone(), Dim::constant(1)]),
    };
    let moved = shift.modulo(&turn);
    if moved.is(0) {
        return Ok(x);
    }
    let kept = &size - &moved;
    let first = cx.slice(x, along, &kept, &moved, 1)?;
    let rest = cx.slice(x, along, 0, &kept, 1)?;
    cx.concat(&[first, rest], along)
}

fn rotate(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let dims = match a.ints("dims")?.as_slice() {
        [] => [0, 1],
        &[i, j] => [i, j],
        _ => return Err(Problem::unsupported("rotates within two axes")),
    };
    let (i, j) = (axis(dims[0], cx.rank(x))?, axis(dims[1], cx.rank(x))?);
    if i == j || cx.rank(x) < 2 {
        return Err(Problem::unsupported("rotates within two axes"));
    }
    let mut reverse = |v, axes: &[usize]| {
        let mut axes = axes.to_vec();
        axes.sort_unstable();
        cx.value(Reverse { axes }, &[v])
    };
    one(match a.int("k")?.rem_euclid(4) {
        0 => x,
        1 => {
            let turned = reverse(x, &[j])?;
            cx.transpose(turned, i, j)?
        }
        2 => reverse(x, &[i, j])?,
        _ => {
            let turned = reverse(x, &[i])?;
            cx.transpose(turned, i, j)?
        }
    })
}

fn check_times(cx: &Importer<'_>, times: &[Dim]) -> Result<(), Problem> {
    let negative = |t: &&Dim| cx.symbols().less_equal(&0.into(), t) == Some(false);
    match times.iter().find(negative) {
        Some(t) => Err(Problem::unsupported(format!("repeats {t} times"))),
        None => Ok(()),
    }
}

/// Repeats the whole tensor so many times along each axis.
fn repeated(cx: &mut Importer<'_>, x: ValueId, times: &[Dim]) -> Result<ValueId, Problem> {
    check_times(cx, times)?;
    let x = cx.with_rank(x, times.len())?;
    let sizes = cx.shape(x);
    let result: Vec<Dim> = sizes.iter().zip(times).map(|(n, t)| n * t).collect();
    let many: Vec<usize> = (0..times.len())
        .filter(|&i| !times[i].is(1) && !sizes[i].is(1))
        .collect();
    let mut spread = Vec::new();
    let mut places = Vec::new();
    for (i, (size, t)) in sizes.iter().zip(times).enumerate() {
        if many.contains(&i) {
            places.push(spread.len());
            spread.push(t.clone());
            spread.push(size.clone());
        } else {
            spread.push(if size.is(1) { t.clone() } else { size.clone() });
        }
    }
    let x = cx.unsqueeze(x, &places)?;
    let x = cx.broadcast(x, Shape::from(spread))?;
    cx.reshape(x, &result)
}

fn repeat(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, times) = (a.tensor("self")?, a.dims("repeats")?);
    if times.len() < cx.rank(x) {
        return Err(Problem::unsupported("a count for each axis"));
    }
    one(repeated(cx, x, &times)?)
}

fn tile(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, times) = (a.tensor("self")?, a.dims("dims")?);
    let missing = cx.rank(x).saturating_sub(times.len());
    let units = vec![Dim::constant(1); missing];
    one(repeated(cx, x, &[units, times].concat())?)
}

/// The axis that the argument `dim` means. Without one the tensor is flattened.
fn row(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<(ValueId, usize), Problem> {
    let x = a.tensor("self")?;
    match a.optional_int("dim")? {
        Some(dim) if cx.rank(x) > 0 => Ok((x, axis(dim, cx.rank(x))?)),
        _ => Ok((cx.flatten(x)?, 0)),
    }
}

/// Repeats each element the same number of times.
fn repeat_each(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, along) = row(cx, a)?;
    let times = a.dim("repeats")?;
    check_times(cx, std::slice::from_ref(&times))?;
    let mut result = cx.shape(x);
    let mut spread = cx.shape(x);
    spread.insert(along + 1, times.clone());
    result[along] = &result[along] * &times;
    let x = cx.unsqueeze(x, &[along + 1])?;
    let x = cx.broadcast(x, spread)?;
    one(cx.reshape(x, &result)?)
}

/// Repeats each element as often as a known table of counts says.
fn repeat_by_table(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, along) = row(cx, a)?;
    let counts = known_counts(cx, a)?;
    let size = cx.size(x, along)?.as_const();
    let counts = match (counts.as_slice(), size) {
        (&[all], Some(size)) => vec![all; usize::try_from(size).unwrap_or(0)],
        (_, Some(size)) if counts.len() as i64 == size => counts,
        _ => {
            return Err(Problem::unsupported(
                "a count for each of a known number of elements",
            ));
        }
    };
    let index = places(cx, &counts)?;
    one(cx.value(Index::new(along), &[x, index])?)
}

/// The index of each repeated element, from a known table of counts.
fn repeated_places(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let counts = known_counts(cx, a)?;
    one(places(cx, &counts)?)
}

fn known_counts(cx: &Importer<'_>, a: &Args<'_>) -> Result<Vec<i64>, Problem> {
    let table = cx.graph().as_constant(a.tensor("repeats")?);
    let counts = table.map(|c| c.data.scalars().map(Scalar::as_i64).collect());
    counts.ok_or_else(|| {
        Problem::unsupported("the counts are data, and with them the size; give an int")
    })
}

/// Repeats each index `i` as often as the count at `i` says.
fn places(cx: &mut Importer<'_>, counts: &[i64]) -> Result<ValueId, Problem> {
    if counts.iter().any(|&c| c < 0) {
        return Err(Problem::unsupported("takes counts of 0 or more"));
    }
    let total = counts.iter().fold(0i64, |sum, &c| sum.saturating_add(c));
    limits::elements(&[total])?;
    let index = counts.iter().enumerate();
    let index: Vec<i64> = index
        .flat_map(|(i, &c)| std::iter::repeat_n(i as i64, c as usize))
        .collect();
    Ok(cx.literal(TensorData::from_i64(vec![index.len()], &index)))
}

/// All choices of `r` elements of a vector, one in each row, ordered by the indices of the elements.
fn combinations(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, count, again) = (a.tensor("self")?, a.int("r")?, a.bool("with_replacement")?);
    let (1, Some(size)) = (cx.rank(x), cx.size(x, 0)?.as_const()) else {
        return Err(Problem::unsupported("takes a vector of known size"));
    };
    if count == 0 {
        return one(cx.slice(x, 0, 0, 0, 1)?);
    }
    let rows = ways(size, count, again);
    limits::elements(&[rows, count])?;
    let mut chosen = Vec::new();
    let mut choice: Vec<i64> = match again {
        true => vec![0; count as usize],
        false => (0..count).collect(),
    };
    for _ in 0..rows {
        chosen.extend_from_slice(&choice);
        advance(&mut choice, size, again);
    }
    let index = cx.literal(TensorData::from_i64(vec![chosen.len()], &chosen));
    let picked = cx.value(Index::new(0), &[x, index])?;
    one(cx.reshape(picked, &[rows, count].map(Dim::constant))?)
}

/// The number of choices of `count` from `size` elements, or `i64::MAX` if there are more.
fn ways(size: i64, count: i64, again: bool) -> i64 {
    let (of, count) = match again {
        _ if count < 0 => return i64::MAX,
        true if size == 0 => return 0,
        true => (size.saturating_add(count - 1), count.min(size - 1)),
        false if count > size => return 0,
        false => (size, count.min(size - count)),
    };
    let mut ways = 1i128;
    for i in 0..i128::from(count) {
        ways = ways * (i128::from(of) - i) / (i + 1);
        if ways > i128::from(i64::MAX) {
            return i64::MAX;
        }
    }
    ways as i64
}

/// The next choice in the order of indices. The last choice stays.
fn advance(choice: &mut [i64], size: i64, again: bool) {
    let step = i64::from(!again);
    let behind = |i: usize| (choice.len() - 1 - i) as i64 * step;
    let Some(at) = (0..choice.len()).rfind(|&i| choice[i] + 1 + behind(i) < size) else {
        return;
    };
    let first = choice[at] + 1;
    for (i, place) in choice[at..].iter_mut().enumerate() {
        *place = first + i as i64 * step;
    }
}

/// The Cartesian product of vectors: each row has one element of each vector, and the last vector varies fastest.
fn product(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let vectors = a.tensors("tensors")?;
    if let [only] = vectors.as_slice() {
        return one(*only);
    }
    if vectors.is_empty() {
        return Err(Problem::unsupported("takes vectors"));
    }
    let rank = vectors.len();
    let sizes = vectors.iter().map(|&v| match cx.rank(v) {
        1 => cx.size(v, 0),
        _ => Err(Problem::unsupported("takes vectors")),
    });
    let shape: Shape = sizes.collect::<Result<_, _>>()?;
    let mut columns = Vec::new();
    for (i, v) in vectors.into_iter().enumerate() {
        let others: Vec<usize> = (0..rank).filter(|&j| j != i).collect();
        let spread = cx.unsqueeze(v, &others)?;
        let spread = cx.broadcast(spread, shape.clone())?;
        let flat = cx.flatten(spread)?;
        columns.push(cx.unsqueeze(flat, &[1])?);
    }
    one(cx.concat(&columns, 1)?)
}

/// Gives each vector an axis of its own, and repeats it along the axes of the others.
fn mesh(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let mut vectors = a.tensors("tensors")?;
    let swapped = match a.has("indexing").then(|| a.text("indexing")).transpose()? {
        Some("xy") => vectors.len() >= 2,
        Some("ij") | None => false,
        Some(other) => return Err(Problem::unsupported(format!("indexing={other:?}"))),
    };
    let rank = vectors.len();
    let mut shape = Shape::default();
    for v in &mut vectors {
        if cx.rank(*v) > 1 {
            return Err(Problem::unsupported("takes vectors"));
        }
        *v = cx.with_rank(*v, 1)?;
        shape.push(cx.size(*v, 0)?);
    }
    for (i, v) in vectors.iter_mut().enumerate() {
        let units: Vec<usize> = (0..rank).filter(|&j| j != i).collect();
        *v = cx.unsqueeze(*v, &units)?;
        *v = cx.broadcast(*v, shape.clone())?;
        if swapped {
            *v = cx.transpose(*v, 0, 1)?;
        }
    }
    Ok(vec![Return::Values(vectors)])
}

/// A gather whose operand and index are broadcast along all axes but the gathered one.
fn take_along(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, index) = (a.tensor("self")?, a.tensor("indices")?);
    let Some(dim) = a.optional_int("dim")? else {
        let (x, index) = (cx.flatten(x)?, cx.flatten(index)?);
        return one(cx.value(Gather { axis: 0 }, &[x, index])?);
    };
    let rank = cx.rank(x);
    let along = axis(dim, rank)?;
    if rank == 0 || cx.rank(index) != rank {
        return Err(Problem::unsupported(
            "the operand and the indices have equal ranks",
        ));
    }
    let (mut of_x, mut of_index) = (cx.shape(x), cx.shape(index));
    for i in (0..rank).filter(|&i| i != along) {
        if of_x[i].is(1) {
            of_x[i] = of_index[i].clone();
        } else {
            of_index[i] = of_x[i].clone();
        }
    }
    let (x, index) = (cx.broadcast(x, of_x)?, cx.broadcast(index, of_index)?);
    one(cx.value(Gather { axis: along }, &[x, index])?)
}

/// Writes values at row-major positions.
fn put(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, source) = (a.tensor("self")?, a.tensor("source")?);
    let index = cx.cast(a.tensor("index")?, DType::I64)?;
    let shape = cx.shape(x);
    let (flat, source, index) = (cx.flatten(x)?, cx.flatten(source)?, cx.flatten(index)?);
    let op = IndexPut {
        axis: 0,
        accumulate: a.bool("accumulate")?,
    };
    let written = cx.value(op, &[flat, source, index])?;
    one(cx.reshape(written, &shape)?)
}
