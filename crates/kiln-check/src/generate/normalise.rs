//! Softmax, normalisations, attention.

use super::{Grower, Grown};
use kiln_ir::ops::{Attention, Binary, BinaryFn, NormKind, Normalize, Softmax};
use kiln_ir::{DType, ValueId};

pub(super) fn softmax(g: &mut Grower<'_>) -> Grown {
    let x = g.float(1)?;
    softmax_of(g, x)
}

/// A softmax along some axis of a value, or its logarithm.
pub(super) fn softmax_of(g: &mut Grower<'_>, x: ValueId) -> Grown {
    let (axis, log) = (g.random.below(g.rank(x)), g.random.chance(25));
    let x = match g.random.below(3) {
        0 => {
            let scale = g.number_of_rank(g.ty(x).dtype, g.rank(x));
            g.put(Binary { f: BinaryFn::Mul }, &[x, scale])?
        }
        _ => x,
    };
    g.put(Softmax { axis, log }, &[x]).map(|_| ())
}

impl Grower<'_> {
    pub(super) fn batch_norm(&mut self, x: ValueId) -> Option<ValueId> {
        let (dtype, channels) = (self.ty(x).dtype, self.known(x, 1)?);
        let mut operands = vec![x, self.constant(dtype, &[channels])];
        operands.push(self.positive(dtype, &[channels]));
        for _ in 0..self.random.below(3) {
            operands.push(self.constant(dtype, &[channels]));
        }
        let (kind, eps) = (NormKind::Batch, 1e-3);
        self.put(Normalize { kind, eps }, &operands)
    }
}

pub(super) fn normalize(g: &mut Grower<'_>) -> Grown {
    let x = g.float(2)?;
    let (dtype, rank) = (g.ty(x).dtype, g.rank(x));
    let axes = 1 + g.random.below(rank.min(2));
    let (kind, from, to) = match g.random.below(5) {
        0..2 => (NormKind::Layer { axes }, rank - axes, rank),
        2 => (NormKind::Rms { axes }, rank - axes, rank),
        3 => {
            let channels = g.known(x, 1)?;
            let factors: Vec<i64> = (1..=channels.max(1))
                .filter(|f| channels % f == 0)
                .collect();
            let groups = *g.random.pick(&factors) as usize;
            (NormKind::Group { groups }, 1, 2)
        }
        _ => return g.batch_norm(x).map(|_| ()),
    };
    let sizes: Option<Vec<i64>> = (from..to).map(|axis| g.known(x, axis)).collect();
    let mut operands = vec![x];
    for _ in 0..g.random.below(3) {
        operands.push(g.constant(dtype, sizes.as_ref()?));
    }
    let eps = *g.random.pick(&[1e-5, 1e-3]);
    g.put(Normalize { kind, eps }, &operands).map(|_| ())
}

pub(super) fn attention(g: &mut Grower<'_>) -> Grown {
    let q = g.any(|t| t.dtype.is_float() && t.quant.is_none() && (2..5).contains(&t.rank()))?;
    let ty = g.ty(q);
    let (k, v) = (g.partner(q), g.partner(q));
    if g.ty(k) != ty || g.ty(v) != ty {
        return None;
    }
    let mut operands = vec![q, k, v];
    if g.random.chance(40) {
        let rank = ty.rank();
        let length = g.known(q, rank - 2)?;
        let mut sizes = vec![1; rank];
        (sizes[rank - 2], sizes[rank - 1]) = (length, length);
        let dtype = if g.random.chance(50) {
            DType::Bool
        } else {
            ty.dtype
        };
        operands.push(g.constant(dtype, &sizes));
    }
    let scale = g.random.chance(40).then_some(0.5);
    let op = Attention {
        scale,
        causal: operands.len() == 3 && g.random.chance(40),
        grouped: false,
    };
    g.put(op, &operands).map(|_| ())
}
