//! Patterns for decompositions of ops on rows: sums, orders, products and look-ups.

use crate::generate::{Grower, Grown, contraction, indexing, normalise};
use kiln_ir::ops::{
    ArgFn, ArgReduce, Distances, IndexPut, Linear, Reduce, ReduceFn, Scatter, ScatterFn, Sort, TopK,
};
use kiln_ir::{DType, Scalar};

pub(super) fn any_all(g: &mut Grower<'_>) -> Grown {
    let x = g.whole(&[DType::Bool]);
    let f = *g.random.pick(&[ReduceFn::Any, ReduceFn::All]);
    let axes = g.axes(g.rank(x));
    g.put(Reduce { f, axes }, &[x]).map(|_| ())
}

pub(super) fn index_put(g: &mut Grower<'_>) -> Grown {
    if g.random.chance(40) {
        return indexing::index_put(g);
    }
    let x = match g.random.chance(70) {
        true => g.plain(),
        false => g.whole(&[DType::I64, DType::I32, DType::I8]),
    };
    let (dtype, mut sizes) = (g.ty(x).dtype, g.shape(x).as_static()?);
    let axis = g.random.below(sizes.len());
    let size = sizes[axis] as i64;
    sizes[axis] = 1 + g.random.below(2);
    let count = sizes[axis];
    let values = (0..count).map(|_| Scalar::Int(g.random.between(-size, size - 1)));
    let values = values.collect();
    let index = g.constant_of(DType::I64, &[count as i64], values);
    let sizes: Vec<i64> = sizes.into_iter().map(|n| n as i64).collect();
    let values = g.fresh_of(dtype, &sizes);
    let accumulate = g.random.chance(50);
    g.put(IndexPut { axis, accumulate }, &[x, values, index])
        .map(|_| ())
}

pub(super) fn scatter(g: &mut Grower<'_>) -> Grown {
    if g.random.chance(50) {
        return indexing::scatter(g);
    }
    let x = g.plain();
    let (dtype, mut sizes) = (g.ty(x).dtype, g.shape(x).as_static()?);
    let axis = g.random.below(sizes.len());
    let size = sizes[axis] as i64;
    sizes[axis] = 1 + g.random.below(2);
    let sizes: Vec<i64> = sizes.into_iter().map(|n| n as i64).collect();
    let count = sizes.iter().product::<i64>();
    let values = (0..count).map(|_| Scalar::Int(g.random.between(0, size - 1)));
    let values = values.collect();
    let index = g.constant_of(DType::I64, &sizes, values);
    let source = g.fresh_of(dtype, &sizes);
    use ScatterFn::*;
    let f = *g.random.pick(&[Set, Add, Mul, Max, Min]);
    g.put(Scatter { axis, f }, &[x, index, source]).map(|_| ())
}

/// Operands that are vectors, matrices, or of higher rank.
pub(super) fn linear(g: &mut Grower<'_>) -> Grown {
    let x = g.plain();
    let outputs = g.size();
    if g.random.chance(45) {
        let (inputs, dtype) = (g.known(x, g.rank(x) - 1)?, g.ty(x).dtype);
        let w = g.fresh_of(dtype, &[outputs, inputs]);
        return g.put(Linear {}, &[x, w]).map(|_| ());
    }
    g.layer(x, outputs).map(|_| ())
}

/// Distances of rows in every norm that has a form of its own.
pub(super) fn distances(g: &mut Grower<'_>) -> Grown {
    let (rows, others, length) = (g.size(), g.size(), g.size());
    let x = g.float_of_any_type(&[rows, length]);
    let y = g.fresh_of(g.ty(x).dtype, &[others, length]);
    let p = *g.random.pick(&[0.0, 1.0, 2.0, 3.0, f64::INFINITY]);
    g.put(Distances { p }, &[x, y]).map(|_| ())
}

/// Products of stacks of matrices: equal stacks, and a stack with one matrix.
pub(super) fn matmul(g: &mut Grower<'_>) -> Grown {
    if g.random.chance(30) {
        return contraction::matmul(g);
    }
    let (a, b, m, k, n) = (g.size(), g.size(), g.size(), g.size(), g.size());
    let left = *g.random.pick(&[[a, b, m, k], [a, 1, m, k], [1, b, m, k]]);
    let right = *g.random.pick(&[[a, b, k, n], [1, 1, k, n], [1, b, k, n]]);
    let x = g.float_of_any_type(&left);
    let y = g.fresh_of(g.ty(x).dtype, &right);
    g.put(kiln_ir::ops::MatMul {}, &[x, y]).map(|_| ())
}

pub(super) fn normalize(g: &mut Grower<'_>) -> Grown {
    let rank = 2 + g.random.below(3);
    let sizes = g.some_sizes(rank);
    g.float_of_any_type(&sizes);
    normalise::normalize(g)
}

pub(super) fn softmax(g: &mut Grower<'_>) -> Grown {
    let x = g.plain();
    normalise::softmax_of(g, x)
}

pub(super) fn prod(g: &mut Grower<'_>) -> Grown {
    let x = match g.random.chance(70) {
        true => g.plain(),
        false => g.whole(&[DType::I64, DType::I32]),
    };
    let axes = g.axes(g.rank(x));
    let f = ReduceFn::Prod;
    g.put(Reduce { f, axes }, &[x]).map(|_| ())
}

pub(super) fn arg_reduce(g: &mut Grower<'_>) -> Grown {
    let x = match g.random.chance(80) {
        true => g.plain(),
        false => g.whole(&[DType::I64, DType::I32]),
    };
    let (f, axis) = (
        *g.random.pick(&[ArgFn::Max, ArgFn::Min]),
        g.random.below(g.rank(x)),
    );
    g.put(ArgReduce { f, axis }, &[x]).map(|_| ())
}

pub(super) fn reduction(g: &mut Grower<'_>) -> Grown {
    let x = g.plain();
    use ReduceFn::*;
    let f = *g.random.pick(&[Sum, Mean, Mean, Max, Min]);
    let axes = g.axes(g.rank(x));
    g.put(Reduce { f, axes }, &[x]).map(|_| ())
}

pub(super) fn softmax_inner(g: &mut Grower<'_>) -> Grown {
    let sizes = g.some_sizes(3);
    let x = g.float_of_any_type(&sizes);
    let (axis, log) = (g.random.below(2), g.random.chance(30));
    g.put(kiln_ir::ops::Softmax { axis, log }, &[x]).map(|_| ())
}

pub(super) fn sort(g: &mut Grower<'_>) -> Grown {
    let x = match g.random.chance(70) {
        true => g.plain(),
        false => g.whole(&[DType::I64, DType::I32]),
    };
    let (axis, descending) = (g.random.below(g.rank(x)), g.random.chance(50));
    g.put_all(Sort { axis, descending }, &[x]).map(|_| ())
}

pub(super) fn top_k(g: &mut Grower<'_>) -> Grown {
    let x = match g.random.chance(70) {
        true => g.plain(),
        false => g.whole(&[DType::I64, DType::I32]),
    };
    let axis = g.random.below(g.rank(x));
    let size = g.known(x, axis)?;
    let (k, largest) = (g.random.between(1, size).into(), g.random.chance(50));
    g.put_all(TopK { axis, k, largest }, &[x]).map(|_| ())
}
