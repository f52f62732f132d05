//! Matrix products, linear layers and convolutions.

use super::{Grower, Grown};
use kiln_ir::ops::{Binary, BinaryFn, Conv, Distances, Linear, MatMul};
use kiln_ir::{TensorType, ValueId};

pub(super) fn matmul(g: &mut Grower<'_>) -> Grown {
    let x = g.float(2)?;
    let (ty, rank) = (g.ty(x), g.rank(x));
    match g.random.below(3) {
        0 => {
            let mut order: Vec<usize> = (0..rank).collect();
            order.swap(rank - 1, rank - 2);
            let y = g.permuted(x, &order)?;
            g.put(MatMul {}, &[x, y]).map(|_| ())
        }
        1 => {
            let meets = |t: &TensorType| {
                let batch = (0..rank - 2).all(|i| t.shape.get(i) == ty.shape.get(i));
                t.dtype == ty.dtype
                    && t.rank() == rank
                    && batch
                    && t.shape[rank - 2] == ty.shape[rank - 1]
            };
            let y = g.any(|t| t.rank() >= 2 && meets(t))?;
            g.put(MatMul {}, &[x, y]).map(|_| ())
        }
        _ => constant_product(g, x),
    }
}

/// Distances from the rows of a value to the rows of another value, of a constant, or of the value itself.
pub(super) fn distances(g: &mut Grower<'_>) -> Grown {
    let a = g.float(2)?;
    let (ty, rank) = (g.ty(a), g.rank(a));
    let meets = |t: &TensorType| {
        let alike = (0..rank).all(|i| i + 2 == rank || t.shape.get(i) == ty.shape.get(i));
        t.dtype == ty.dtype && t.rank() == rank && alike
    };
    let b = match g.random.chance(50) {
        true => g.any(|t| t.quant.is_none() && meets(t))?,
        false => {
            let mut sizes = vec![1; rank];
            sizes[rank - 1] = g.known(a, rank - 1)?;
            sizes[rank - 2] = g.size();
            g.constant(ty.dtype, &sizes)
        }
    };
    let p = *g.random.pick(&[0.0, 1.0, 2.0, 2.0, 3.0, f64::INFINITY]);
    g.put(Distances { p }, &[a, b]).map(|_| ())
}

/// A product with a constant matrix on either side, sometimes with a bias.
fn constant_product(g: &mut Grower<'_>, x: ValueId) -> Grown {
    let (ty, rank) = (g.ty(x), g.rank(x));
    let on_left = g.random.chance(25);
    let inner = g.known(x, if on_left { rank - 2 } else { rank - 1 })?;
    let outer = g.size();
    let mut sizes = vec![1; rank];
    (sizes[rank - 2], sizes[rank - 1]) = if on_left {
        (outer, inner)
    } else {
        (inner, outer)
    };
    let w = if g.random.chance(30) {
        sizes.swap(rank - 2, rank - 1);
        let w = g.constant(ty.dtype, &sizes);
        let mut order: Vec<usize> = (0..rank).collect();
        order.swap(rank - 1, rank - 2);
        g.permuted(w, &order)?
    } else {
        g.constant(ty.dtype, &sizes)
    };
    let operands = if on_left { [w, x] } else { [x, w] };
    let y = g.put(MatMul {}, &operands)?;
    if g.random.chance(50) {
        let bias = g.broadcast_constant(y);
        g.put(Binary { f: BinaryFn::Add }, &[y, bias])?;
    }
    Some(())
}

impl Grower<'_> {
    /// A linear layer with constant weights.
    pub(super) fn layer(&mut self, x: ValueId, outputs: i64) -> Option<ValueId> {
        let dtype = self.ty(x).dtype;
        let inputs = self.known(x, self.rank(x) - 1)?;
        let mut operands = vec![x, self.constant(dtype, &[outputs, inputs])];
        if self.random.chance(60) {
            operands.push(self.constant(dtype, &[outputs]));
        }
        self.put(Linear {}, &operands)
    }

    /// A convolution with constant weights.
    pub(super) fn convolution(&mut self, x: ValueId, kernel: i64, groups: i64) -> Option<ValueId> {
        let (dtype, spatial) = (self.ty(x).dtype, self.rank(x) - 2);
        let channels = self.known(x, 1)?;
        let transposed = self.random.chance(15);
        let outputs = groups * self.size();
        let mut sizes = if transposed {
            vec![channels, outputs / groups]
        } else {
            vec![outputs, channels / groups]
        };
        sizes.extend(vec![kernel; spatial]);
        let mut operands = vec![x, self.constant(dtype, &sizes)];
        if self.random.chance(50) {
            operands.push(self.constant(dtype, &[outputs]));
        }
        let some = |g: &mut Self, values: &[i64]| -> Vec<i64> {
            (0..spatial).map(|_| *g.random.pick(values)).collect()
        };
        let stride = some(self, &[1, 1, 1, 2]);
        let output_padding = stride.iter().map(|&s| if transposed { s - 1 } else { 0 });
        let output_padding = output_padding.collect();
        let pads: &[i64] = if kernel == 1 { &[0] } else { &[0, 1, 1] };
        let op = Conv {
            stride,
            pad_low: some(self, pads),
            pad_high: some(self, pads),
            dilation: some(self, &[1, 1, 1, 2]),
            groups,
            transposed,
            output_padding,
        };
        self.put(op, &operands)
    }
}

pub(super) fn linear(g: &mut Grower<'_>) -> Grown {
    let x = g.float(1)?;
    let outputs = g.size();
    let y = g.layer(x, outputs)?;
    if g.random.chance(40) {
        let f = *g
            .random
            .pick(&[BinaryFn::Add, BinaryFn::Mul, BinaryFn::Sub]);
        let c = g.broadcast_constant(y);
        g.put(Binary { f }, &[y, c])?;
    }
    Some(())
}

pub(super) fn conv(g: &mut Grower<'_>) -> Grown {
    let spatial = *g.random.pick(&[1, 2, 2, 2, 2]);
    let x = g.image(spatial)?;
    let channels = g.known(x, 1)?;
    let groups = match g.random.below(4) {
        0 => channels,
        1 if channels % 2 == 0 => 2,
        _ => 1,
    };
    let kernel = *g.random.pick(&[1, 1, 2, 3]);
    g.convolution(x, kernel, groups.max(1)).map(|_| ())
}
