//! Contractions by labelled axes: `einsum`, `tensordot`, `kron`, `bilinear`.
//!
//! Two operands meet in one matrix product. An axis that both operands and the result have is a batch axis. An axis
//! that both operands have and the result has not is contracted. Any other axis is a row or a column.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::axis;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{MatMul, ReduceFn};
use kiln_ir::{Builder, Dim, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        einsum,
        &["aten.einsum.default(equation, tensors, *, path=None)"],
    ),
    Row::new(
        tensordot,
        &["aten.tensordot.default(self, other, dims_self, dims_other)"],
    ),
    Row::new(kron, &["aten.kron.default(self, other)"]),
    Row::new(
        bilinear,
        &["aten.bilinear.default(input1, input2, weight, bias=None)"],
    ),
];

/// The name of an axis. The axes of an ellipsis are -1 (the last), -2 and so on.
type Label = i32;

/// A value whose axes have distinct names.
#[derive(Clone, Debug)]
struct Labelled {
    value: ValueId,
    labels: Vec<Label>,
}

impl Labelled {
    fn position(&self, label: Label) -> Option<usize> {
        self.labels.iter().position(|&l| l == label)
    }

    fn size(&self, cx: &Importer<'_>, label: Label) -> Option<Dim> {
        let at = self.position(label)?;
        cx.size(self.value, at).ok()
    }

    /// Makes the names of axes distinct: axes of equal name become their diagonal.
    fn new(
        cx: &mut Importer<'_>,
        mut value: ValueId,
        labels: &[Label],
    ) -> Result<Labelled, Problem> {
        let mut labels = labels.to_vec();
        while let Some((i, j)) = repeated(&labels) {
            value = diagonal_of(cx, value, i, j)?;
            let label = labels[i];
            labels.remove(j);
            labels.remove(i);
            labels.push(label);
        }
        Ok(Labelled { value, labels })
    }

    /// Sums over the axes whose names are not wanted.
    fn keep(&mut self, cx: &mut Importer<'_>, wanted: &[Label]) -> Result<(), Problem> {
        let gone: Vec<usize> = (0..self.labels.len())
            .filter(|&i| !wanted.contains(&self.labels[i]))
            .collect();
        if !gone.is_empty() {
            self.value = sum(cx, self.value, &gone)?;
            self.labels.retain(|l| wanted.contains(l));
        }
        Ok(())
    }

    /// Permutes the axes to that order, which has each name once.
    fn ordered(&self, cx: &mut Importer<'_>, labels: &[Label]) -> Result<ValueId, Problem> {
        let order: Vec<usize> = labels.iter().filter_map(|&l| self.position(l)).collect();
        cx.permute(self.value, &order)
    }

    /// Broadcasts axes of size 1 to the size that the other operand has.
    fn stretch(&mut self, cx: &mut Importer<'_>, other: &Labelled) -> Result<(), Problem> {
        let mut shape = cx.shape(self.value);
        for (dim, &label) in shape.iter_mut().zip(&self.labels) {
            if let Some(size) = other.size(cx, label)
                && dim.is(1)
            {
                *dim = size;
            }
        }
        self.value = cx.broadcast(self.value, shape)?;
        Ok(())
    }
}

fn repeated(labels: &[Label]) -> Option<(usize, usize)> {
    (0..labels.len())
        .flat_map(|i| (i + 1..labels.len()).map(move |j| (i, j)))
        .find(|&(i, j)| labels[i] == labels[j])
}

fn diagonal_of(
    cx: &mut Importer<'_>,
    value: ValueId,
    i: usize,
    j: usize,
) -> Result<ValueId, Problem> {
    let steps = super::triangle::diagonal_steps(cx, value, 0, [i, j])?;
    crate::importer::access::get_all(cx, value, &steps)
}

fn sum(cx: &mut Importer<'_>, value: ValueId, axes: &[usize]) -> Result<ValueId, Problem> {
    if cx.dtype(value) == kiln_ir::DType::Bool {
        return cx.reduce(ReduceFn::Max, value, axes, false);
    }
    cx.reduce(ReduceFn::Sum, value, axes, false)
}

fn product(dims: &[Dim]) -> Dim {
    dims.iter().cloned().product()
}

/// The product of two operands, summed over the axes that `wanted` does not name.
fn contract(
    cx: &mut Importer<'_>,
    mut a: Labelled,
    mut b: Labelled,
    wanted: &[Label],
) -> Result<Labelled, Problem> {
    let in_a = |b: &Labelled| -> Vec<Label> { b.labels.iter().chain(wanted).copied().collect() };
    let keep = in_a(&b);
    a.keep(cx, &keep)?;
    let keep = in_a(&a);
    b.keep(cx, &keep)?;
    let (first, second) = (a.clone(), b.clone());
    a.stretch(cx, &second)?;
    b.stretch(cx, &first)?;
    let shared = |l: &Label| b.labels.contains(l);
    let batch: Vec<Label> = a
        .labels
        .iter()
        .copied()
        .filter(|l| shared(l) && wanted.contains(l))
        .collect();
    let inner: Vec<Label> = a
        .labels
        .iter()
        .copied()
        .filter(|l| shared(l) && !wanted.contains(l))
        .collect();
    let rows: Vec<Label> = a.labels.iter().copied().filter(|l| !shared(l)).collect();
    let columns: Vec<Label> = b
        .labels
        .iter()
        .copied()
        .filter(|l| !a.labels.contains(l))
        .collect();
    let labels = [batch.as_slice(), &rows, &columns].concat();
    let value = if inner.is_empty() {
        outer(cx, &a, &b, &labels)?
    } else {
        matrix_product(cx, [&a, &b], [&batch, &rows, &inner, &columns])?
    };
    Ok(Labelled { value, labels })
}

/// The product of two operands if no axis is contracted: elementwise, with unit axes where an operand lacks a name.
fn outer(
    cx: &mut Importer<'_>,
    a: &Labelled,
    b: &Labelled,
    labels: &[Label],
) -> Result<ValueId, Problem> {
    let mut spread = [a.value, b.value];
    for (v, operand) in spread.iter_mut().zip([a, b]) {
        *v = operand.ordered(cx, labels)?;
        let missing: Vec<usize> = (0..labels.len())
            .filter(|&i| operand.position(labels[i]).is_none())
            .collect();
        *v = cx.unsqueeze(*v, &missing)?;
    }
    cx.mul(spread[0], spread[1])
}

fn sizes(cx: &Importer<'_>, v: &Labelled, labels: &[Label]) -> Vec<Dim> {
    labels.iter().filter_map(|&l| v.size(cx, l)).collect()
}

fn matrix_product(
    cx: &mut Importer<'_>,
    [a, b]: [&Labelled; 2],
    [batch, rows, inner, columns]: [&[Label]; 4],
) -> Result<ValueId, Problem> {
    let (batches, heights) = (sizes(cx, a, batch), sizes(cx, a, rows));
    let (depth, widths) = (product(&sizes(cx, a, inner)), sizes(cx, b, columns));
    let left = a.ordered(cx, &[batch, rows, inner].concat())?;
    let right = b.ordered(cx, &[batch, inner, columns].concat())?;
    let folded = |m: Dim, n: Dim| -> Vec<Dim> { batches.iter().cloned().chain([m, n]).collect() };
    let left = cx.reshape(left, folded(product(&heights), depth.clone()))?;
    let right = cx.reshape(right, folded(depth, product(&widths)))?;
    let result = cx.value(MatMul {}, &[left, right])?;
    cx.reshape(result, [batches, heights, widths].concat())
}

/// The labels of the operands and of the result.
struct Equation {
    operands: Vec<Vec<Label>>,
    result: Vec<Label>,
}

fn parse(equation: &str, ranks: &[usize]) -> Option<Equation> {
    let text: String = equation.chars().filter(|c| !c.is_whitespace()).collect();
    let (left, right) = match text.split_once("->") {
        Some((left, right)) => (left, Some(right)),
        None => (text.as_str(), None),
    };
    let terms: Vec<&str> = left.split(',').collect();
    if terms.len() != ranks.len() {
        return None;
    }
    let mut operands = Vec::new();
    let mut dots = 0;
    for (term, &rank) in terms.iter().zip(ranks) {
        let named = term.chars().filter(|c| c.is_ascii_alphabetic()).count();
        let free = rank.checked_sub(named)?;
        if term.contains("...") {
            dots = dots.max(free);
        } else if free > 0 {
            return None;
        }
        operands.push(labels(term, free)?);
    }
    let result = match right {
        Some(term) => {
            let result = labels(term, if term.contains("...") { dots } else { 0 })?;
            let known = |l: &Label| operands.iter().any(|o| o.contains(l));
            if repeated(&result).is_some() || !result.iter().all(known) {
                return None;
            }
            result
        }
        None => implied(&operands, dots),
    };
    Some(Equation { operands, result })
}

fn labels(term: &str, dots: usize) -> Option<Vec<Label>> {
    let name = |c: char| c.is_ascii_alphabetic().then_some(c as Label);
    let Some((before, after)) = term.split_once("...") else {
        return term.chars().map(name).collect();
    };
    let dots = (1..=dots as Label).rev().map(|i| Some(-i));
    let (before, after) = (before.chars().map(name), after.chars().map(name));
    before.chain(dots).chain(after).collect()
}

/// The labels of a result that is not given: those of the ellipsis, then the names that occur once, in alphabetical
/// order.
fn implied(operands: &[Vec<Label>], dots: usize) -> Vec<Label> {
    let all: Vec<Label> = operands.concat();
    let mut once: Vec<Label> = all.iter().copied().filter(|l| *l > 0).collect();
    once.retain(|l| all.iter().filter(|m| *m == l).count() == 1);
    once.sort_unstable();
    (1..=dots as Label).rev().map(|i| -i).chain(once).collect()
}

fn einsum(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (equation, tensors) = (a.text("equation")?, a.tensors("tensors")?);
    let ranks: Vec<usize> = tensors.iter().map(|&v| cx.rank(v)).collect();
    let malformed = || Problem::unsupported(format!("{equation:?} for ranks {ranks:?}"));
    let parsed = parse(equation, &ranks).ok_or_else(malformed)?;
    let mut operands = Vec::new();
    for (&v, labels) in tensors.iter().zip(&parsed.operands) {
        operands.push(Labelled::new(cx, v, labels)?);
    }
    let mut rest = operands.into_iter();
    let mut total = rest.next().ok_or_else(malformed)?;
    while let Some(next) = rest.next() {
        let later = rest.as_slice().iter().flat_map(|o| &o.labels);
        let wanted: Vec<Label> = parsed.result.iter().chain(later).copied().collect();
        total = contract(cx, total, next, &wanted)?;
    }
    total.keep(cx, &parsed.result)?;
    one(total.ordered(cx, &parsed.result)?)
}

fn tensordot(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, y) = (a.tensor("self")?, a.tensor("other")?);
    let (of_x, of_y) = (a.ints("dims_self")?, a.ints("dims_other")?);
    if of_x.len() != of_y.len() {
        return Err(Problem::unsupported("as many axes of one as of the other"));
    }
    let (rank_x, rank_y) = (cx.rank(x), cx.rank(y));
    let x_labels: Vec<Label> = (0..rank_x as Label).collect();
    let mut y_labels: Vec<Label> = (0..rank_y as Label).map(|i| i + rank_x as Label).collect();
    let mut wanted = x_labels.clone();
    for (&i, &j) in of_x.iter().zip(&of_y) {
        let (i, j) = (axis(i, rank_x)?, axis(j, rank_y)?);
        let known = (x_labels.get(i), y_labels.get_mut(j));
        let (Some(&label), Some(other)) = known else {
            return Err(Problem::unsupported("a scalar has no axes to contract"));
        };
        *other = label;
        wanted.retain(|&l| l != label);
    }
    let new = y_labels.iter().copied().filter(|&l| l >= rank_x as Label);
    wanted.extend(new);
    let x = Labelled {
        value: x,
        labels: x_labels,
    };
    let y = Labelled {
        value: y,
        labels: y_labels,
    };
    let product = contract(cx, x, y, &wanted)?;
    one(product.ordered(cx, &wanted)?)
}

/// `kron`: each axis of the result is an axis of `self` with the axis of `other` inside.
fn kron(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, y) = (a.tensor("self")?, a.tensor("other")?);
    let dtype = cx.dtype(x).promote(cx.dtype(y));
    let (x, y) = (cx.cast(x, dtype)?, cx.cast(y, dtype)?);
    let [x, y] = cx.align([x, y])?;
    let rank = cx.rank(x);
    let (of_x, of_y) = (cx.shape(x), cx.shape(y));
    let result: Vec<Dim> = of_x.iter().zip(of_y.iter()).map(|(n, m)| n * m).collect();
    let odd: Vec<usize> = (0..rank).map(|i| 2 * i + 1).collect();
    let even: Vec<usize> = (0..rank).map(|i| 2 * i).collect();
    let (x, y) = (cx.unsqueeze(x, &odd)?, cx.unsqueeze(y, &even)?);
    let product = cx.mul(x, y)?;
    one(cx.reshape(product, &result)?)
}

/// `result[.., o] = sum over i, j of x[.., i] weight[o, i, j] y[.., j]`, plus the bias.
fn bilinear(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, y, weight) = (
        a.tensor("input1")?,
        a.tensor("input2")?,
        a.tensor("weight")?,
    );
    if cx.rank(x) == 0 || cx.rank(y) != cx.rank(x) || cx.rank(weight) != 3 {
        return Err(Problem::unsupported(
            "takes two inputs of one rank and a weight of rank 3",
        ));
    }
    let outer: Vec<Label> = (1..cx.rank(x) as Label).map(|i| -i).collect();
    let [o, i, j] = [1, 2, 3];
    let of = |value, last| Labelled {
        value,
        labels: outer.iter().copied().chain([last]).collect(),
    };
    let weight = Labelled {
        value: weight,
        labels: vec![o, i, j],
    };
    let between: Vec<Label> = outer.iter().copied().chain([o, j]).collect();
    let wanted: Vec<Label> = outer.iter().copied().chain([o]).collect();
    let left = contract(cx, of(x, i), weight, &between)?;
    let both = contract(cx, left, of(y, j), &wanted)?;
    let result = both.ordered(cx, &wanted)?;
    match a.optional_tensor("bias")? {
        Some(bias) => one(cx.add(result, bias)?),
        None => one(result),
    }
}
