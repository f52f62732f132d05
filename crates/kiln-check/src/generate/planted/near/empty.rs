//! Decompositions of ops along axes that may have no element.

use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{Attention, Distances, Reduce, ReduceFn, Softmax};
use kiln_ir::{DType, Dim, TensorType, ValueId};

pub(super) const PLANTS: &[Plant] = &[
    plant(
        "decompose",
        "any_all",
        "none reduce.any reduce.all",
        any_all,
    ),
    plant("decompose", "attention", "none attention", attention),
    plant("decompose", "distances", "none distances", distances),
    plant("decompose", "reduce", "none reduce.sum", sum),
    plant("decompose", "softmax", "none softmax", softmax),
];

/// An input with an axis that may have no element, and that axis.
fn maybe_empty(g: &mut Grower<'_>, dtype: DType) -> (ValueId, usize) {
    let axis = g.random.below(2);
    let mut shape: Vec<Dim> = g.few(2).into_iter().map(Dim::constant).collect();
    let least = i64::from(g.random.chance(30));
    shape[axis] = g.size_from("count", least);
    (g.input(TensorType::new(dtype, shape)), axis)
}

fn any_all(g: &mut Grower<'_>) -> Grown {
    let (x, axis) = maybe_empty(g, DType::Bool);
    let f = *g.random.pick(&[ReduceFn::Any, ReduceFn::All]);
    let axes = vec![axis];
    g.put(Reduce { f, axes }, &[x]).map(|_| ())
}

fn attention(g: &mut Grower<'_>) -> Grown {
    let (rows, inner) = (g.random.between(1, 3), g.random.between(1, 3));
    let columns = g.size_from("columns", 0);
    let input = |g: &mut Grower<'_>, dtype, shape: Vec<Dim>| g.input(TensorType::new(dtype, shape));
    let q = input(g, DType::F32, vec![rows.into(), inner.into()]);
    let k = input(g, DType::F32, vec![columns.clone(), inner.into()]);
    let v = input(g, DType::F32, vec![columns.clone(), inner.into()]);
    let dtype = *g.random.pick(&[DType::F32, DType::F32, DType::Bool]);
    let mask = input(g, dtype, vec![rows.into(), columns]);
    let op = Attention {
        scale: None,
        causal: false,
        grouped: false,
    };
    g.put(op, &[q, k, v, mask]).map(|_| ())
}

fn distances(g: &mut Grower<'_>) -> Grown {
    let width = g.size_from("width", 0);
    let (rows, others) = (g.random.between(1, 3), g.random.between(1, 3));
    let x = g.input(TensorType::new(
        DType::F32,
        vec![rows.into(), width.clone()],
    ));
    let y = g.input(TensorType::new(DType::F32, vec![others.into(), width]));
    let p = *g.random.pick(&[1.0, f64::INFINITY, f64::INFINITY]);
    g.put(Distances { p }, &[x, y]).map(|_| ())
}

fn sum(g: &mut Grower<'_>) -> Grown {
    let (x, axis) = maybe_empty(g, DType::F32);
    let (f, axes) = (ReduceFn::Sum, vec![axis]);
    g.put(Reduce { f, axes }, &[x]).map(|_| ())
}

fn softmax(g: &mut Grower<'_>) -> Grown {
    let (x, axis) = maybe_empty(g, DType::F32);
    let log = g.random.chance(30);
    g.put(Softmax { axis, log }, &[x]).map(|_| ())
}
