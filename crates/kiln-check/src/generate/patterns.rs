//! Patterns that passes look for, and near misses of them.

use super::{Grower, Grown};
use kiln_ir::ops::{
    Binary, BinaryFn, Cast, Compare, CompareFn, Concat, MatMul, Pad, PadMode, Reduce, ReduceFn,
    Select, Simple, Slice, Softmax, Unary, UnaryFn,
};
use kiln_ir::{DType, Dim, Scalar, ValueId};

type Pattern = fn(&mut Grower<'_>) -> Grown;

const PATTERNS: &[Pattern] = &[
    conv_norm_act,
    pointwise_nchw,
    pointwise_tokens,
    sandwich,
    joined_moves,
    padded_window,
    decomposed_softmax,
    decomposed_layer_norm,
    channel_affine,
    decomposed_attention,
    fused_projection,
    twins,
    casts,
    clamps,
    constant_select,
    residual,
    scalar_chain,
    identity,
    identity,
];

pub(super) fn any(g: &mut Grower<'_>) -> Grown {
    let pattern = *g.random.pick(PATTERNS);
    pattern(g)
}

impl Grower<'_> {
    fn add(&mut self, a: ValueId, b: ValueId) -> Option<ValueId> {
        self.put(Binary { f: BinaryFn::Add }, &[a, b])
    }

    fn mul(&mut self, a: ValueId, b: ValueId) -> Option<ValueId> {
        self.put(Binary { f: BinaryFn::Mul }, &[a, b])
    }

    fn activation(&mut self, x: ValueId) -> Option<ValueId> {
        let f = match self.random.below(4) {
            0 => UnaryFn::RELU,
            1 => Simple::Silu.into(),
            2 => Simple::Hardswish.into(),
            _ => Simple::Gelu.into(),
        };
        self.put(Unary { f }, &[x])
    }
}

fn conv_norm_act(g: &mut Grower<'_>) -> Grown {
    let x = g.image(2)?;
    let channels = g.known(x, 1)?;
    let groups = if g.random.chance(30) { channels } else { 1 };
    let kernel = *g.random.pick(&[1, 3]);
    let y = g.convolution(x, kernel, groups.max(1))?;
    let y = g.batch_norm(y)?;
    g.activation(y).map(|_| ())
}

/// A permutation, a reshape, a linear layer, and the inverse movements, with random steps between.
fn pointwise_nchw(g: &mut Grower<'_>) -> Grown {
    let x = g.image(2)?;
    let shape = g.shape(x);
    let y = g.permuted(x, &[0, 2, 3, 1])?;
    let rows = &shape[0] * &shape[2] * &shape[3];
    let flat = g.reshaped(y, &[rows, shape[1].clone()])?;
    let outputs = if g.random.chance(50) {
        g.known(x, 1)?
    } else {
        g.size()
    };
    let mut y = g.layer(flat, outputs)?;
    if g.random.chance(30) {
        y = g.activation(y)?;
    }
    let mut back = vec![
        shape[0].clone(),
        shape[2].clone(),
        shape[3].clone(),
        outputs.into(),
    ];
    if g.random.chance(10) {
        back.swap(1, 2);
    }
    let y = g.reshaped(y, &back)?;
    let order: &[usize] = if g.random.chance(90) {
        &[0, 3, 1, 2]
    } else {
        &[0, 3, 2, 1]
    };
    let y = g.permuted(y, order)?;
    if g.random.chance(40) {
        let other = g.partner(y);
        g.add(y, other)?;
    }
    Some(())
}

/// `flatten(2).transpose(1, 2)`, a linear layer, and the inverse movements.
fn pointwise_tokens(g: &mut Grower<'_>) -> Grown {
    let x = g.image(2)?;
    let shape = g.shape(x);
    let flat = g.reshaped(
        x,
        &[shape[0].clone(), shape[1].clone(), &shape[2] * &shape[3]],
    )?;
    let tokens = g.permuted(flat, &[0, 2, 1])?;
    let outputs = if g.random.chance(60) {
        g.known(x, 1)?
    } else {
        g.size()
    };
    let y = g.layer(tokens, outputs)?;
    let y = g.permuted(y, &[0, 2, 1])?;
    let to = [
        shape[0].clone(),
        outputs.into(),
        shape[2].clone(),
        shape[3].clone(),
    ];
    g.reshaped(y, &to).map(|_| ())
}

/// A movement, elementwise ops, and a second movement that may undo the first.
fn sandwich(g: &mut Grower<'_>) -> Grown {
    let x = g.float(1)?;
    let movement = g.some_movement(&g.shape(x))?;
    let mut back = movement.inverse();
    let mut y = g.moved(x, movement)?;
    for _ in 0..1 + g.random.below(3) {
        y = if g.random.chance(50) {
            let f = g.function(g.ty(y).dtype);
            g.put(Unary { f }, &[y])?
        } else {
            let f = *g
                .random
                .pick(&[BinaryFn::Add, BinaryFn::Mul, BinaryFn::Sub, BinaryFn::Max]);
            let c = if g.random.chance(60) {
                g.number_of_rank(g.ty(y).dtype, g.rank(y))
            } else {
                g.broadcast_constant(y)
            };
            g.put(Binary { f }, &[y, c])?
        };
    }
    if g.random.chance(25) {
        back = g.some_movement(&g.shape(y))?;
    }
    g.moved(y, back).map(|_| ())
}

/// The same movement on both operands of an op.
fn joined_moves(g: &mut Grower<'_>) -> Grown {
    let x = g.float(2)?;
    let y = g.partner(x);
    let movement = g.some_movement(&g.shape(x))?;
    let other = if g.ty(y) == g.ty(x) {
        movement.clone()
    } else {
        g.some_movement(&g.shape(y))?
    };
    let (a, b) = (g.moved(x, movement)?, g.moved(y, other)?);
    let f = *g
        .random
        .pick(&[BinaryFn::Add, BinaryFn::Sub, BinaryFn::Mul]);
    g.put(Binary { f }, &[a, b]).map(|_| ())
}

fn padded_window(g: &mut Grower<'_>) -> Grown {
    let x = g.image(2)?;
    let amount = |g: &mut Grower<'_>| -> Vec<Dim> {
        let spatial = [g.random.between(0, 2), g.random.between(0, 2)];
        [0, 0, spatial[0], spatial[1]].map(Dim::constant).to_vec()
    };
    let (low, high) = (amount(g), amount(g));
    let value = *g.random.pick(&[0.0, 0.0, f64::NEG_INFINITY, 1.0]);
    let mode = PadMode::Constant(Scalar::Float(value));
    let y = g.put(Pad { low, high, mode }, &[x])?;
    if g.random.chance(60) {
        return g.convolution(y, 3, 1).map(|_| ());
    }
    super::window::pool(g)
}

fn reduced(g: &mut Grower<'_>, f: ReduceFn, x: ValueId, axis: usize) -> Option<ValueId> {
    let axes = vec![axis];
    g.put(Reduce { f, axes }, &[x])
}

fn decomposed_softmax(g: &mut Grower<'_>) -> Grown {
    let x = g.float(1)?;
    let axis = g.random.below(g.rank(x));
    let most = reduced(g, ReduceFn::Max, x, axis)?;
    let x = g.put(Binary { f: BinaryFn::Sub }, &[x, most])?;
    let e = g.put(
        Unary {
            f: Simple::Exp.into(),
        },
        &[x],
    )?;
    let other = if g.random.chance(90) {
        axis
    } else {
        g.random.below(g.rank(x))
    };
    let sum = reduced(g, ReduceFn::Sum, e, other)?;
    g.put(Binary { f: BinaryFn::Div }, &[e, sum]).map(|_| ())
}

fn decomposed_layer_norm(g: &mut Grower<'_>) -> Grown {
    let x = g.float(2)?;
    let (dtype, rank) = (g.ty(x).dtype, g.rank(x));
    let axis = if g.random.chance(80) {
        rank - 1
    } else {
        g.random.below(rank)
    };
    let mean = reduced(g, ReduceFn::Mean, x, axis)?;
    let centred = g.put(Binary { f: BinaryFn::Sub }, &[x, mean])?;
    let square = if g.random.chance(50) {
        g.put(
            Unary {
                f: Simple::Square.into(),
            },
            &[centred],
        )?
    } else {
        g.mul(centred, centred)?
    };
    let variance = reduced(g, ReduceFn::Mean, square, axis)?;
    let eps = g.splat(dtype, rank, 1e-3);
    let sum = g.add(variance, eps)?;
    let y = if g.random.chance(50) {
        let r = g.put(
            Unary {
                f: Simple::Rsqrt.into(),
            },
            &[sum],
        )?;
        g.mul(centred, r)?
    } else {
        let s = g.put(
            Unary {
                f: Simple::Sqrt.into(),
            },
            &[sum],
        )?;
        g.put(Binary { f: BinaryFn::Div }, &[centred, s])?
    };
    let (w, b) = (g.broadcast_constant(y), g.broadcast_constant(y));
    let y = g.mul(y, w)?;
    g.add(y, b).map(|_| ())
}

/// A layer between factors and summands by channel, or between constants that only resemble such.
fn channel_affine(g: &mut Grower<'_>) -> Grown {
    let is_conv = g.random.chance(50);
    let mut x = if is_conv { g.image(2)? } else { g.float(1)? };
    if g.random.chance(40) {
        let c = g.broadcast_constant(x);
        let f = *g
            .random
            .pick(&[BinaryFn::Mul, BinaryFn::Add, BinaryFn::Sub]);
        x = g.put(Binary { f }, &[x, c])?;
    }
    let outputs = g.size();
    let mut y = if is_conv {
        g.convolution(x, 1, 1)?
    } else {
        g.layer(x, outputs)?
    };
    for _ in 0..1 + g.random.below(2) {
        let c = g.broadcast_constant(y);
        let f = *g
            .random
            .pick(&[BinaryFn::Mul, BinaryFn::Add, BinaryFn::Sub, BinaryFn::Div]);
        let operands = if g.random.chance(85) { [y, c] } else { [c, y] };
        y = g.put(Binary { f }, &operands)?;
    }
    Some(())
}

fn decomposed_attention(g: &mut Grower<'_>) -> Grown {
    let q = g.any(|t| t.dtype == DType::F32 && (2..5).contains(&t.rank()) && t.quant.is_none())?;
    let (k, v, rank) = (g.partner(q), g.partner(q), g.rank(q));
    let mut order: Vec<usize> = (0..rank).collect();
    order.swap(rank - 1, rank - 2);
    let k = g.permuted(k, &order)?;
    let mut scores = g.put(MatMul {}, &[q, k])?;
    if g.random.chance(70) {
        let scale = g.splat(DType::F32, rank, 0.5);
        let f = *g.random.pick(&[BinaryFn::Mul, BinaryFn::Div]);
        scores = g.put(Binary { f }, &[scores, scale])?;
    }
    if g.random.chance(40) {
        let mask = g.broadcast_constant(scores);
        scores = g.add(scores, mask)?;
    }
    let (axis, log) = (
        if g.random.chance(90) {
            rank - 1
        } else {
            rank - 2
        },
        false,
    );
    let weights = g.put(Softmax { axis, log }, &[scores])?;
    g.put(MatMul {}, &[weights, v]).map(|_| ())
}

/// The result of one linear layer, cut into three parts.
fn fused_projection(g: &mut Grower<'_>) -> Grown {
    let x = g.float(2)?;
    let (axis, part) = (g.rank(x) - 1, g.size());
    let y = g.layer(x, 3 * part)?;
    let mut parts = Vec::new();
    for i in 0..3 {
        let (start, len, step) = ((i * part).into(), part.into(), 1);
        parts.push(g.put(
            Slice {
                axis,
                start,
                len,
                step,
            },
            &[y],
        )?);
    }
    let sum = g.add(parts[0], parts[1])?;
    if g.random.chance(30) {
        parts.swap(0, 2);
        g.put(Concat { axis }, &parts)?;
    }
    g.mul(sum, parts[2]).map(|_| ())
}

/// The same computation twice, or almost.
pub(super) fn twins(g: &mut Grower<'_>) -> Grown {
    let x = g.float(1)?;
    let f = g.function(g.ty(x).dtype);
    let a = g.put(Unary { f }, &[x])?;
    let b = g.put(Unary { f }, &[x])?;
    let c = g.broadcast_constant(x);
    let p = g.put(Binary { f: BinaryFn::Sub }, &[x, c]);
    let q = g.put(Binary { f: BinaryFn::Sub }, &[c, x]);
    g.add(a, b)?;
    g.mul(p?, q?).map(|_| ())
}

pub(super) fn casts(g: &mut Grower<'_>) -> Grown {
    let x = g.any(|t| t.quant.is_none())?;
    let mut y = x;
    for _ in 0..2 + g.random.below(2) {
        let to = *g.random.pick(&[
            DType::F32,
            DType::F64,
            DType::F16,
            DType::I64,
            DType::I32,
            DType::Bool,
            DType::U8,
        ]);
        y = g.put(Cast { to }, &[y])?;
    }
    Some(())
}

pub(super) fn clamps(g: &mut Grower<'_>) -> Grown {
    let x = g.float(0)?;
    let (dtype, rank) = (g.ty(x).dtype, g.rank(x));
    let mut y = x;
    for _ in 0..2 + g.random.below(2) {
        let bound = g.number_of_rank(dtype, rank);
        y = match g.random.below(3) {
            0 => g.put(Binary { f: BinaryFn::Max }, &[y, bound])?,
            1 => g.put(Binary { f: BinaryFn::Min }, &[y, bound])?,
            _ => {
                let f = UnaryFn::Clamp {
                    min: Some(Scalar::Int(0)),
                    max: g.random.chance(50).then_some(Scalar::Int(6)),
                };
                g.put(Unary { f }, &[y])?
            }
        };
    }
    Some(())
}

/// A selection by a constant, or by a comparison with a number.
fn constant_select(g: &mut Grower<'_>) -> Grown {
    let x = g.float(1)?;
    let (rank, dtype) = (g.rank(x), g.ty(x).dtype);
    let condition = if g.random.chance(50) {
        let sizes: Vec<i64> = (0..rank).map(|i| g.known(x, i).unwrap_or(1)).collect();
        g.constant(DType::Bool, &sizes)
    } else {
        let number = g.number_of_rank(dtype, rank);
        g.put(Compare { f: CompareFn::Gt }, &[x, number])?
    };
    let number = g.number_of_rank(dtype, rank);
    let operands = if g.random.chance(50) {
        [condition, x, number]
    } else {
        [condition, number, x]
    };
    g.put(Select {}, &operands).map(|_| ())
}

fn residual(g: &mut Grower<'_>) -> Grown {
    let x = g.float(2)?;
    let inputs = g.known(x, g.rank(x) - 1)?;
    let mut y = g.layer(x, inputs)?;
    if g.random.chance(50) {
        y = g.activation(y)?;
    }
    let operands = if g.random.chance(50) { [x, y] } else { [y, x] };
    g.add(operands[0], operands[1]).map(|_| ())
}

fn scalar_chain(g: &mut Grower<'_>) -> Grown {
    let mut x = g.any(|t| t.quant.is_none() && t.dtype != DType::Bool)?;
    let dtype = g.ty(x).dtype;
    for _ in 0..2 + g.random.below(3) {
        let number = g.number_of_rank(dtype, g.rank(x));
        let f = *g
            .random
            .pick(&[BinaryFn::Add, BinaryFn::Mul, BinaryFn::Sub]);
        let operands = if g.random.chance(70) {
            [x, number]
        } else {
            [number, x]
        };
        x = g.put(Binary { f }, &operands)?;
    }
    Some(())
}

/// An op with a constant that changes little or nothing: a zero of either sign, or one.
pub(super) fn identity(g: &mut Grower<'_>) -> Grown {
    use BinaryFn::*;
    let x = g.any(|t| t.quant.is_none() && t.dtype != DType::Bool)?;
    let (dtype, rank) = (g.ty(x).dtype, g.rank(x));
    let number = *g.random.pick(&[0.0, 0.0, -0.0, 1.0, -1.0, 2.0]);
    let number = match dtype.is_float() {
        true => Scalar::Float(number),
        false => Scalar::Int(number.abs() as i64),
    };
    let number = g.constant_of(dtype, &vec![1; rank], vec![number]);
    let f = *g
        .random
        .pick(&[Add, Add, Add, Sub, Mul, Mul, Div, Pow, Max, Min]);
    let operands = if g.random.chance(75) {
        [x, number]
    } else {
        [number, x]
    };
    g.put(Binary { f }, &operands).map(|_| ())
}
