//! Patterns for decompositions of ops on half types, bools and bytes.

use crate::generate::{Grower, Grown};
use kiln_ir::ops::{
    ArgFn, ArgReduce, Binary, BinaryFn, Reduce, ReduceFn, Simple, Sort, TopK, UnaryFn,
};
use kiln_ir::{DType, Scalar};

pub(super) fn half(g: &mut Grower<'_>) -> Grown {
    let dtype = *g.random.pick(&[DType::F16, DType::BF16]);
    let sizes = g.some_sizes(3);
    let x = g.fresh_of(dtype, &sizes);
    match g.random.below(5) {
        0 => {
            let axis = g.random.below(3);
            g.put(kiln_ir::ops::Softmax { axis, log: false }, &[x])
                .map(|_| ())
        }
        1 => {
            let f = *g
                .random
                .pick(&[ReduceFn::Sum, ReduceFn::Mean, ReduceFn::Max]);
            let axes = g.axes(3);
            g.put(Reduce { f, axes }, &[x]).map(|_| ())
        }
        2 => {
            let y = g.partner(x);
            let f = *g
                .random
                .pick(&[BinaryFn::Add, BinaryFn::Div, BinaryFn::Pow]);
            g.binary(f, x, y).map(|_| ())
        }
        _ => g.some_function(x).map(|_| ()),
    }
}

pub(super) fn bools(g: &mut Grower<'_>) -> Grown {
    let x = g.whole(&[DType::Bool]);
    let axis = g.random.below(g.rank(x));
    match g.random.below(3) {
        0 => {
            let f = *g.random.pick(&[ArgFn::Max, ArgFn::Min]);
            g.put(ArgReduce { f, axis }, &[x]).map(|_| ())
        }
        1 => {
            let descending = g.random.chance(50);
            g.put_all(Sort { axis, descending }, &[x]).map(|_| ())
        }
        _ => {
            let (k, largest) = (1.into(), g.random.chance(50));
            g.put_all(TopK { axis, k, largest }, &[x]).map(|_| ())
        }
    }
}

pub(super) fn bytes(g: &mut Grower<'_>) -> Grown {
    use BinaryFn::*;
    let x = g.whole(&[DType::U8]);
    match g.random.below(4) {
        0 => {
            let bound = |g: &mut Grower<'_>| {
                let v = *g.random.pick(&[-3, 0, 2, 250, 255, 300]);
                g.random.chance(70).then_some(Scalar::Int(v))
            };
            let (min, max) = (bound(g), bound(g));
            g.unary(UnaryFn::Clamp { min, max }, x).map(|_| ())
        }
        1 => {
            let f = *g
                .random
                .pick(&[ReduceFn::Max, ReduceFn::Min, ReduceFn::Sum]);
            let axes = g.axes(g.rank(x));
            g.put(Reduce { f, axes }, &[x]).map(|_| ())
        }
        2 => {
            let f = *g
                .random
                .pick(&[Simple::Neg, Simple::Abs, Simple::BitNot, Simple::Square]);
            g.unary(f, x).map(|_| ())
        }
        _ => {
            let y = match g.random.chance(50) {
                true => x,
                false => g.broadcast_constant(x),
            };
            let f = *g
                .random
                .pick(&[Add, Sub, Mul, Max, Min, BitAnd, BitXor, FloorDiv, Remainder]);
            g.put(Binary { f }, &[x, y]).map(|_| ())
        }
    }
}
