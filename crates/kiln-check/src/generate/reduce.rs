//! Ops that reduce or sort along axes.

use super::{Grower, Grown};
use kiln_ir::ops::{
    ArgFn, ArgReduce, Binary, BinaryFn, NonZero, Reduce, ReduceFn, Scan, ScanFn, Sort, TopK,
};
use kiln_ir::{DType, Symbol, TensorType};

fn has_elements(ty: &TensorType) -> bool {
    ty.quant.is_none() && ty.rank() > 0 && ty.shape.iter().all(|d| !d.is(0))
}

impl Grower<'_> {
    /// Some axes in ascending order, at least one.
    pub(super) fn axes(&mut self, rank: usize) -> Vec<usize> {
        let one = self.random.below(rank);
        let chance = *self.random.pick(&[0, 30, 50]);
        (0..rank)
            .filter(|&i| i == one || self.random.chance(chance))
            .collect()
    }
}

pub(super) fn reduce(g: &mut Grower<'_>) -> Grown {
    use ReduceFn::*;
    let x = g.any(has_elements)?;
    let f = *match g.ty(x).dtype {
        DType::Bool => g.random.pick(&[Any, All, Max, Min]),
        d if d.is_float() => g.random.pick(&[Sum, Sum, Mean, Mean, Mean, Prod, Max, Min]),
        _ => g.random.pick(&[Sum, Prod, Max, Min]),
    };
    let axes = g.axes(g.rank(x));
    let folded = g.put(Reduce { f, axes }, &[x])?;
    if g.ty(x).dtype.is_float() && g.random.chance(40) {
        let f = *g
            .random
            .pick(&[BinaryFn::Sub, BinaryFn::Mul, BinaryFn::Add]);
        g.put(Binary { f }, &[x, folded])?;
    }
    Some(())
}

pub(super) fn arg_reduce(g: &mut Grower<'_>) -> Grown {
    let x = g.any(|t| has_elements(t) && t.dtype != DType::Bool)?;
    let axis = g.random.below(g.rank(x));
    let f = *g.random.pick(&[ArgFn::Max, ArgFn::Min]);
    g.put(ArgReduce { f, axis }, &[x]).map(|_| ())
}

pub(super) fn scan(g: &mut Grower<'_>) -> Grown {
    use ScanFn::*;
    let x = g.any(|t| has_elements(t) && t.dtype != DType::Bool)?;
    let axis = g.random.below(g.rank(x));
    let f = *g.random.pick(&[Sum, Sum, Prod, Max, Min]);
    g.put(Scan { f, axis }, &[x]).map(|_| ())
}

pub(super) fn sort(g: &mut Grower<'_>) -> Grown {
    let x = g.any(|t| has_elements(t) && t.dtype != DType::Bool)?;
    let (axis, descending) = (g.random.below(g.rank(x)), g.random.chance(50));
    g.put_all(Sort { axis, descending }, &[x]).map(|_| ())
}

pub(super) fn top_k(g: &mut Grower<'_>) -> Grown {
    let x = g.any(|t| has_elements(t) && t.dtype != DType::Bool)?;
    let axis = g.random.below(g.rank(x));
    let size = g.known(x, axis)?;
    let (k, largest) = (g.random.between(1, size).into(), g.random.chance(50));
    g.put_all(TopK { axis, k, largest }, &[x]).map(|_| ())
}

pub(super) fn non_zero(g: &mut Grower<'_>) -> Grown {
    if !g.recipe.symbols {
        return None;
    }
    let x = g.any(|t| has_elements(t) && t.rank() <= 3)?;
    let most = g.shape(x).max_elements(&g.graph().symbols);
    let name = format!("u{}", g.graph().symbols.iter().count());
    let (min, max, hint) = (0, most, None);
    let count = g.rewriter.add_symbol(Symbol {
        name,
        min,
        max,
        hint,
    });
    g.put(NonZero { count }, &[x]).map(|_| ())
}
