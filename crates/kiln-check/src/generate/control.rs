//! Branches, loops, state, and sizes as values.

use super::{Grower, Grown};
use kiln_ir::arena::BlockId;
use kiln_ir::ops::{
    Binary, BinaryFn, Cast, Compare, CompareFn, DimValue, If, Iota, Reduce, ReduceFn, Simple,
    Unary, While,
};
use kiln_ir::{DType, Place, Scalar, TensorData, TensorType, ValueId};

impl Grower<'_> {
    /// A block with parameters of these types, whose results `body` makes.
    pub(super) fn block(
        &mut self,
        types: &[TensorType],
        body: impl FnOnce(&mut Self, BlockId, &[ValueId]) -> Option<Vec<ValueId>>,
    ) -> Option<BlockId> {
        let block = self.rewriter.add_block();
        let types = types.iter().cloned();
        let params: Vec<ValueId> = types
            .map(|ty| self.rewriter.add_param(block, ty, None))
            .collect();
        let results = body(self, block, &params)?;
        self.rewriter.set_results(block, results);
        Some(block)
    }

    pub(super) fn inside(
        &mut self,
        block: BlockId,
        op: impl Into<kiln_ir::Op>,
        operands: &[ValueId],
    ) -> Option<ValueId> {
        self.rewriter.value(Place::End(block), op, operands).ok()
    }

    pub(super) fn constant_inside(
        &mut self,
        block: BlockId,
        dtype: DType,
        rank: usize,
        value: Scalar,
    ) -> ValueId {
        let data = TensorData::splat(dtype, vec![1; rank], value);
        self.rewriter.constant_value(Place::End(block), "k", data)
    }
}

fn is_plain(ty: &TensorType) -> bool {
    ty.dtype == DType::F32 && ty.quant.is_none()
}

/// A branch with two chains of functions. The condition is whether any element is positive.
pub(super) fn branch(g: &mut Grower<'_>) -> Grown {
    if !g.recipe.control {
        return None;
    }
    let x = g.any(is_plain)?;
    let (ty, rank) = (g.ty(x), g.rank(x));
    let zero = g.splat(DType::F32, rank, 0.0);
    let positive = g.put(Compare { f: CompareFn::Gt }, &[x, zero])?;
    let (f, axes) = (ReduceFn::Any, (0..rank).collect());
    let condition = g.put(Reduce { f, axes }, &[positive])?;
    let mut blocks = Vec::new();
    for _ in 0..2 {
        let functions: Vec<_> = (0..2).map(|_| g.function(DType::F32)).collect();
        let block = g.block(std::slice::from_ref(&ty), |g, block, params| {
            let mut value = params[0];
            for f in functions {
                let made = g.inside(block, Unary { f }, &[value])?;
                // A bool would not have the type of the other branch's result.
                value = if g.ty(made) == g.ty(value) {
                    made
                } else {
                    value
                };
            }
            Some(vec![value])
        });
        blocks.push(block?);
    }
    let (then, otherwise) = (blocks[0], blocks[1]);
    g.put_all(If { then, otherwise }, &[condition, x])
        .map(|_| ())
}

/// A loop that applies a function three times.
pub(super) fn repeat(g: &mut Grower<'_>) -> Grown {
    if !g.recipe.control {
        return None;
    }
    let x = g.any(is_plain)?;
    let counter = TensorType::new(DType::I64, []);
    let types = [counter, g.ty(x)];
    let condition = g.block(&types, |g, block, params| {
        let limit = g.constant_inside(block, DType::I64, 0, Scalar::Int(3));
        let f = CompareFn::Lt;
        Some(vec![g.inside(block, Compare { f }, &[params[0], limit])?])
    })?;
    let rank = g.rank(x);
    let body = g.block(&types, |g, block, params| {
        let one = g.constant_inside(block, DType::I64, 0, Scalar::Int(1));
        let next = g.inside(block, Binary { f: BinaryFn::Add }, &[params[0], one])?;
        let half = g.constant_inside(block, DType::F32, rank, Scalar::Float(0.5));
        let small = g.inside(block, Binary { f: BinaryFn::Mul }, &[params[1], half])?;
        let value = g.inside(
            block,
            Unary {
                f: Simple::Tanh.into(),
            },
            &[small],
        )?;
        Some(vec![next, value])
    })?;
    let zero = g.constant_of(DType::I64, &[], vec![Scalar::Int(0)]);
    let op = While {
        condition,
        body,
        carried: 2,
    };
    g.put_all(op, &[zero, x]).map(|_| ())
}

/// Adds a value to the content of a cell, and updates the cell with the sum.
pub(super) fn state(g: &mut Grower<'_>) -> Grown {
    if !g.recipe.control {
        return None;
    }
    let x = g.any(|t| is_plain(t) && t.shape.as_static().is_some())?;
    let (cell, read) = g.cell(g.ty(x))?;
    let sum = g.put(Binary { f: BinaryFn::Add }, &[x, read])?;
    let new = g.put(
        Unary {
            f: Simple::Tanh.into(),
        },
        &[sum],
    )?;
    g.rewriter.add_update(cell, new);
    Some(())
}

/// A size as a number, and the indices below it.
pub(super) fn size_as_value(g: &mut Grower<'_>) -> Grown {
    let x = g.any(|t| is_plain(t) && t.rank() > 0)?;
    let (axis, rank) = (g.random.below(g.rank(x)), g.rank(x));
    let (dim, to) = (g.shape(x)[axis].clone(), DType::F32);
    if g.random.chance(50) {
        let count = g.put(DimValue { dim }, &[])?;
        let count = g.put(Cast { to }, &[count])?;
        let count = g.reshaped(count, &vec![1.into(); rank])?;
        return g.put(Binary { f: BinaryFn::Div }, &[x, count]).map(|_| ());
    }
    let (len, dtype) = (dim.clone(), DType::F32);
    let places = g.put(Iota { len, dtype }, &[])?;
    let mut shape = vec![1.into(); rank];
    shape[axis] = dim;
    let places = g.reshaped(places, &shape)?;
    g.put(Binary { f: BinaryFn::Add }, &[x, places]).map(|_| ())
}
