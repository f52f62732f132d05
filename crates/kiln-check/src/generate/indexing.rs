//! Ops that read or write elements by index.

use super::{Grower, Grown};
use kiln_ir::ops::{Gather, Index, IndexPut, Scatter, ScatterFn};
use kiln_ir::{DType, Scalar, TensorType, ValueId};

fn takes_indices(ty: &TensorType) -> bool {
    ty.quant.is_none()
        && ty
            .shape
            .as_static()
            .is_some_and(|s| !s.is_empty() && !s.contains(&0))
}

impl Grower<'_> {
    /// Constant indices within an axis, some counted from its end.
    fn indices(&mut self, sizes: &[i64], size: i64) -> ValueId {
        let count: i64 = sizes.iter().product();
        let values = (0..count).map(|_| Scalar::Int(self.random.between(-size, size - 1)));
        let values = values.collect();
        let dtype = *self.random.pick(&[DType::I64, DType::I64, DType::I32]);
        self.constant_of(dtype, sizes, values)
    }

    fn sizes(&self, x: ValueId) -> Option<Vec<i64>> {
        let sizes = self.shape(x).as_static()?;
        Some(sizes.into_iter().map(|n| n as i64).collect())
    }

    /// The value with known elements put to it by indices.
    pub(super) fn scatter_to(&mut self, x: ValueId) -> Grown {
        use ScatterFn::*;
        let (dtype, mut sizes) = (self.ty(x).dtype, self.sizes(x)?);
        let axis = self.random.below(sizes.len());
        let size = std::mem::replace(&mut sizes[axis], 2);
        let index = self.indices(&sizes, size);
        let source = self.constant(dtype, &sizes);
        let f = *self.random.pick(&[Set, Add, Mul, Max, Min]);
        let scatter = Scatter { axis, f };
        self.put(scatter, &[x, index, source]).map(|_| ())
    }
}

pub(super) fn index(g: &mut Grower<'_>) -> Grown {
    let x = g.any(takes_indices)?;
    let sizes = g.sizes(x)?;
    let axis = g.random.below(sizes.len());
    let count = 1 + g.random.below((sizes.len() - axis).min(2));
    let shape: Vec<i64> = (0..1 + g.random.below(2)).map(|_| g.size()).collect();
    let mut operands = vec![x];
    for size in &sizes[axis..axis + count] {
        operands.push(g.indices(&shape, *size));
    }
    g.put(Index::new(axis), &operands).map(|_| ())
}

pub(super) fn gather(g: &mut Grower<'_>) -> Grown {
    let x = g.any(takes_indices)?;
    let mut sizes = g.sizes(x)?;
    let axis = g.random.below(sizes.len());
    let size = std::mem::replace(&mut sizes[axis], g.size());
    let index = g.indices(&sizes, size);
    g.put(Gather { axis }, &[x, index]).map(|_| ())
}

pub(super) fn scatter(g: &mut Grower<'_>) -> Grown {
    let x = g.any(|t| takes_indices(t) && t.dtype != DType::Bool)?;
    g.scatter_to(x)
}

pub(super) fn index_put(g: &mut Grower<'_>) -> Grown {
    let x = g.any(|t| takes_indices(t) && t.dtype != DType::Bool)?;
    let (dtype, mut sizes) = (g.ty(x).dtype, g.sizes(x)?);
    let axis = g.random.below(sizes.len());
    let size = std::mem::replace(&mut sizes[axis], 3);
    let index = g.indices(&[3], size);
    let values = g.constant(dtype, &sizes);
    let accumulate = g.random.chance(50);
    g.put(IndexPut { axis, accumulate }, &[x, values, index])
        .map(|_| ())
}
