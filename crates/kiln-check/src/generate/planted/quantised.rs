//! Patterns for `fold_quantised` and for the decomposition of quantised ops.

use super::{Plant, plant};
use crate::generate::{Grower, Grown, quantise};
use kiln_ir::ops::{
    AdaptivePool, Binary, BinaryFn, Compare, CompareFn, Concat, Conv, Dequantize, If, Linear,
    MatMul, Pad, PadMode, Pool, PoolFn, Quantised, Quantize, Reduce, ReduceFn, Requantize, Simple,
    Sort, Unary, UnaryFn, While,
};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Dim, Scalar, Shape, TensorData, TensorType, ValueId};
use std::sync::Arc;

pub(super) const PLANTS: &[Plant] = &[
    plant("fold_quantised", "fold_constants", "", constants),
    plant("fold_quantised", "dead_readers", "", unread),
    plant("fold_quantised", "sink_dequantize", "", sunk),
    plant("fold_quantised", "enter_block", "", entered),
    plant("fold_quantised", "leave_block", "", left),
    plant("fold_quantised", "fold_quantised", "", computed),
    plant(
        "saturate_quantize",
        "saturate_quantize",
        "kernel quantize",
        unlimited,
    ),
    plant("signed_integers", "sign_result", "", unsigned),
    plant("signed_integers", "sign_operands", "", unsigned),
    plant("signed_integers", "unsigned_border", "", unsigned_border),
    plant("live_scales", "live_scales", "", dead_channel),
    plant("centred_weights", "centred_weights", "", off_centre),
    plant("widen_integers", "widen_result", "narrow i16", narrow),
    plant("widen_integers", "widen_operands", "narrow i16", narrow),
    plant(
        "quantize_nan",
        "quantize_nan",
        "kernel quantize",
        outside_of_domain,
    ),
    plant(
        "decompose",
        "quantised",
        "none quantised requantize",
        unfolded,
    ),
    plant(
        "decompose",
        "adaptive_pool_of_integers",
        "none quantised.adaptive_pool",
        adaptive_pool,
    ),
    plant(
        "decompose",
        "dequantised_constant",
        "none dequantize",
        weight,
    ),
];

const F32: Dequantize = Dequantize { dtype: DType::F32 };

impl Grower<'_> {
    /// A new input, quantised with these parameters and dequantised.
    pub(super) fn real_of(&mut self, quant: &Arc<Quant>, sizes: &[i64]) -> Option<ValueId> {
        let x = self.fresh(sizes);
        self.there_and_back(quant, x)
    }

    pub(super) fn there_and_back(&mut self, quant: &Arc<Quant>, x: ValueId) -> Option<ValueId> {
        let (quant, dtype) = (quant.clone(), DType::I8);
        let q = self.put(Quantize { quant, dtype }, &[x])?;
        self.put(F32, &[q])
    }
}

fn constants(g: &mut Grower<'_>) -> Grown {
    let quant = g.per_tensor();
    let x = g.real_of(&quant, &[2, 3])?;
    let c = g.broadcast_constant(x);
    let c = g.some_function(c)?;
    let y = g.binary(BinaryFn::Add, x, c)?;
    g.there_and_back(&quant, y).map(|_| ())
}

/// A layer whose result is quantised, beside a mask of what is clamped, which nothing reads.
fn unread(g: &mut Grower<'_>) -> Grown {
    let (first, second) = (g.per_tensor(), g.per_tensor());
    let x = g.real_of(&first, &[2, 3])?;
    let made = g.some_function(x)?;
    let kept = g.values.len();
    let limit = g.broadcast_constant(made);
    let f = CompareFn::Lt;
    g.put(Compare { f }, &[made, limit])?;
    if g.random.chance(50) {
        g.some_function(made)?;
    }
    g.values.truncate(kept);
    g.there_and_back(&second, made).map(|_| ())
}

/// Ops on dequantised values: selections, movements, comparisons, limits and factors.
fn sunk(g: &mut Grower<'_>) -> Grown {
    let (first, second) = (g.per_tensor(), g.per_tensor());
    let sizes = [1, g.random.between(1, 3), 4, 4];
    let x = g.real_of(&first, &sizes)?;
    let other = if g.random.chance(60) { &first } else { &second };
    let y = match g.random.below(4) {
        0 => x,
        1 => g.fresh(&sizes),
        _ => g.real_of(other, &sizes)?,
    };
    let made = carried(g, x, y)?;
    match g.random.below(3) {
        0 => g.there_and_back(&first, made).map(|_| ()),
        1 => g.some_function(made).map(|_| ()),
        _ => Some(()),
    }
}

fn carried(g: &mut Grower<'_>, x: ValueId, y: ValueId) -> Option<ValueId> {
    match g.random.below(12) {
        0 => {
            let movement = g.some_movement(&g.shape(x))?;
            g.moved(x, movement)
        }
        1 => g.put(Concat { axis: 1 }, &[x, y]),
        2 => compared(g, x, y),
        3 => padded(g, x),
        4 => {
            let bound = |g: &mut Grower<'_>| {
                let v = g.random.between(-16, 16) as f64 / 16.0;
                g.random.chance(80).then_some(Scalar::Float(v))
            };
            let (a, b) = (bound(g), bound(g));
            g.unary(UnaryFn::Clamp { min: a, max: b }, x)
        }
        5 => {
            let number = *g.random.pick(&[0.5, -2.0, 0.1, 0.0, f64::INFINITY, 1e-40]);
            let number = g.splat(DType::F32, 4, number);
            let f = *g.random.pick(&[BinaryFn::Mul, BinaryFn::Div]);
            g.binary(f, x, number)
        }
        6 => g.unary(Simple::Neg, x),
        7 => pooled(g, x),
        8 => {
            let f = *g.random.pick(&[BinaryFn::Max, BinaryFn::Min]);
            g.binary(f, x, y)
        }
        9 => {
            let f = *g.random.pick(&[ReduceFn::Max, ReduceFn::Min]);
            let axes = g.axes(4);
            g.put(Reduce { f, axes }, &[x])
        }
        10 => {
            let (axis, descending) = (3, g.random.chance(50));
            g.put_all(Sort { axis, descending }, &[x]).map(|r| r[0])
        }
        _ => {
            let slice = g.part(x, 2)?;
            g.put(slice, &[x])
        }
    }
}

fn compared(g: &mut Grower<'_>, x: ValueId, y: ValueId) -> Option<ValueId> {
    let functions = [CompareFn::Lt, CompareFn::Eq, CompareFn::Ge];
    let f = *g.random.pick(&functions);
    let y = if g.random.chance(40) {
        g.broadcast_constant(x)
    } else {
        y
    };
    g.put(Compare { f }, &[x, y])
}

fn pooled(g: &mut Grower<'_>, x: ValueId) -> Option<ValueId> {
    let op = Pool {
        f: PoolFn::Max,
        kernel: vec![2; 2],
        stride: vec![g.random.between(1, 3); 2],
        pad_low: vec![g.random.between(0, 1); 2],
        pad_high: vec![g.random.between(0, 1); 2],
        dilation: vec![*g.random.pick(&[1, 1, 4, 5]); 2],
        ceil: g.random.chance(40),
    };
    g.put(op, &[x])
}

fn padded(g: &mut Grower<'_>, x: ValueId) -> Option<ValueId> {
    let (low, high) = (
        [0, 0, 1, 0].map(Dim::constant).to_vec(),
        [0, 0, 1, 1].map(Dim::constant).to_vec(),
    );
    let mode = match g.random.below(3) {
        0 => PadMode::Reflect,
        1 => PadMode::Constant(Scalar::Int(0)),
        _ => PadMode::Constant(Scalar::Float(g.random.between(-9, 9) as f64 / 9.0)),
    };
    g.put(Pad { low, high, mode }, &[x])
}

/// `dequantize`, an op that computes, and `quantize`.
fn computed(g: &mut Grower<'_>) -> Grown {
    if g.random.chance(25) {
        return quantise::layer(g);
    }
    let (first, second) = (g.per_tensor(), g.per_tensor());
    let n = g.random.between(2, 4);
    let sizes = [1, n, n, n];
    let x = g.real_of(&first, &sizes)?;
    let y = match g.random.below(5) {
        0 => g.fresh(&sizes),
        1 => g.broadcast_constant(x),
        _ => g.real_of(&second, &sizes)?,
    };
    let made = match g.random.below(8) {
        0 => g.put(MatMul {}, &[x, y])?,
        1 => {
            let f = *g.random.pick(&[ReduceFn::Mean, ReduceFn::Sum]);
            g.put(
                Reduce {
                    f,
                    axes: vec![2, 3],
                },
                &[x],
            )?
        }
        2 => {
            let weight = g.dequantised_weight(3, n)?;
            let b = g.constant(DType::F32, &[3]);
            g.put(Linear {}, &[x, weight, b])?
        }
        3 => g.some_function(x)?,
        4 => {
            let f = *g.random.pick(&[BinaryFn::Max, BinaryFn::Min]);
            g.binary(f, x, y)?
        }
        _ => {
            let f = *g
                .random
                .pick(&[BinaryFn::Add, BinaryFn::Sub, BinaryFn::Mul, BinaryFn::Div]);
            g.put(Binary { f }, &[x, y])?
        }
    };
    g.sometimes_read(made, 12)?;
    let made = match g.random.chance(30) {
        true => g.unary(UnaryFn::RELU, made)?,
        false => made,
    };
    let third = g.per_tensor();
    let real = g.there_and_back(&third, made)?;
    // The same pattern once more, with other parameters.
    if g.random.chance(20) {
        let fourth = if g.random.chance(50) {
            third
        } else {
            g.per_tensor()
        };
        g.there_and_back(&fourth, made)?;
    }
    g.sometimes_read(real, 30)
}

/// A branch or a loop on dequantised values.
fn entered(g: &mut Grower<'_>) -> Grown {
    crossed(g, false)
}

/// A branch whose results are dequantised values.
fn left(g: &mut Grower<'_>) -> Grown {
    crossed(g, true)
}

fn crossed(g: &mut Grower<'_>, leaves: bool) -> Grown {
    let (quant, other) = (g.per_tensor(), g.per_tensor());
    let sizes = [2, 3];
    let x = match leaves && g.random.chance(50) {
        true => g.fresh(&sizes),
        false => g.real_of(&quant, &sizes)?,
    };
    if !leaves && g.random.chance(35) {
        return looped(g, x, &quant, &other);
    }
    let made = branched(g, x, leaves, [&quant, &other])?;
    // A branch's result that is only ever quantised is quantised inside the branch.
    if g.random.chance(50) {
        g.there_and_back(&quant, made)?;
        if g.random.chance(30) {
            g.there_and_back(&other, made)?;
        }
        g.sometimes_read(made, 15)?;
        if g.random.chance(85) {
            g.values.retain(|&v| v != made);
        }
    }
    Some(())
}

/// A branch on a value, of which both blocks may quantise their results, mostly in the first way.
pub(super) fn branched(
    g: &mut Grower<'_>,
    x: ValueId,
    quantises: bool,
    [quant, other]: [&Arc<Quant>; 2],
) -> Option<ValueId> {
    let sizes: Vec<i64> = g.shape(x).as_static()?.iter().map(|&n| n as i64).collect();
    let zero = g.splat(DType::F32, 2, 0.0);
    let positive = g.put(Compare { f: CompareFn::Gt }, &[x, zero])?;
    let (f, axes) = (ReduceFn::Any, vec![0, 1]);
    let condition = g.put(Reduce { f, axes }, &[positive])?;
    let ty = TensorType::new(DType::F32, sizes.into_iter().collect::<Shape>());
    let mut blocks = Vec::new();
    for _ in 0..2 {
        let inner = if g.random.chance(80) {
            quant.clone()
        } else {
            other.clone()
        };
        let f = *g.random.pick(&[Simple::Tanh, Simple::Neg, Simple::Abs]);
        let quantises = quantises && g.random.chance(90);
        let block = g.block(std::slice::from_ref(&ty), |g, block, params| {
            let mut value = g.inside(block, Unary { f: f.into() }, &[params[0]])?;
            if quantises {
                let dtype = DType::I8;
                let q = g.inside(
                    block,
                    Quantize {
                        quant: inner,
                        dtype,
                    },
                    &[value],
                )?;
                value = g.inside(block, F32, &[q])?;
            }
            Some(vec![value])
        });
        blocks.push(block?);
    }
    let (then, otherwise) = (blocks[0], blocks[1]);
    let made = g.put_all(If { then, otherwise }, &[condition, x])?;
    made.first().copied()
}

/// Dequantised values that a loop carries.
pub(super) fn looped(
    g: &mut Grower<'_>,
    x: ValueId,
    quant: &Arc<Quant>,
    other: &Arc<Quant>,
) -> Grown {
    let types = [TensorType::new(DType::I64, []), g.ty(x)];
    let condition = g.block(&types, |g, block, params| {
        let limit = g.constant_inside(block, DType::I64, 0, Scalar::Int(2));
        let f = CompareFn::Lt;
        Some(vec![g.inside(block, Compare { f }, &[params[0], limit])?])
    })?;
    let inner = if g.random.chance(60) {
        quant.clone()
    } else {
        other.clone()
    };
    let quantises = g.random.chance(85);
    let body = g.block(&types, |g, block, params| {
        let one = g.constant_inside(block, DType::I64, 0, Scalar::Int(1));
        let next = g.inside(block, Binary { f: BinaryFn::Add }, &[params[0], one])?;
        let mut value = g.inside(
            block,
            Unary {
                f: Simple::Tanh.into(),
            },
            &[params[1]],
        )?;
        if quantises {
            let dtype = DType::I8;
            let q = g.inside(
                block,
                Quantize {
                    quant: inner,
                    dtype,
                },
                &[value],
            )?;
            value = g.inside(block, F32, &[q])?;
        }
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

/// A quantisation of a value that may be infinite, or that is known to lie within limits. Movements may stand between.
fn unlimited(g: &mut Grower<'_>) -> Grown {
    let x = g.still(2).filter(|&x| g.ty(x).dtype != DType::F64);
    let mut x = x.unwrap_or_else(|| g.fresh(&[2, 3]));
    if g.random.chance(30) {
        x = g.unary(Simple::Sigmoid, x)?;
    }
    for _ in 0..g.random.below(3) {
        let movement = g.some_movement(&g.shape(x))?;
        x = g.moved(x, movement)?;
        g.sometimes_read(x, 15)?;
    }
    let axis = g.shape(x).rank().checked_sub(1)?;
    let (quant, dtype) = match g.known(x, axis).filter(|_| g.random.chance(40)) {
        Some(channels) => (g.by_channel(axis, channels), DType::I8),
        None => (g.per_tensor(), DType::I8),
    };
    let q = g.put(Quantize { quant, dtype }, &[x])?;
    g.put(F32, &[q]).map(|_| ())
}

/// A function of integers' reals, for some of which it has no value.
fn outside_of_domain(g: &mut Grower<'_>) -> Grown {
    let quant = g.per_tensor();
    let x = g.real_of(&quant, &[2, 3])?;
    let functions = [Simple::Acosh, Simple::Asin, Simple::Log1p, Simple::Tanh];
    let f = *g.random.pick(&functions);
    let y = g.unary(f, x)?;
    let (quant, dtype) = (g.per_tensor(), DType::I8);
    let q = g.put(Quantize { quant, dtype }, &[y])?;
    g.put(F32, &[q]).map(|_| ())
}

/// Ops that compute on integers or requantise them.
fn unfolded(g: &mut Grower<'_>) -> Grown {
    if g.random.chance(60) {
        return quantise::rounded_once(g);
    }
    let (quant, dtype) = (g.per_tensor(), DType::I8);
    let x = g.fresh(&[2, 3]);
    let q = g.put(Quantize { quant, dtype }, &[x])?;
    let quant = g.per_tensor();
    let q = g.put(Requantize { quant, dtype }, &[q])?;
    g.put(F32, &[q]).map(|_| ())
}

/// Unsigned bytes of a value, which may be moved, and of a constant, which is a weight.
fn unsigned(g: &mut Grower<'_>) -> Grown {
    let (quant, dtype) = (of_unsigned(g), DType::U8);
    let x = g.fresh(&[2, 4]);
    let mut q = g.put(Quantize { quant, dtype }, &[x])?;
    if g.random.chance(40) {
        let movement = g.some_movement(&g.shape(q))?;
        q = g.moved(q, movement)?;
    }
    let real = g.put(F32, &[q])?;
    let values = (0..12).map(|_| Scalar::Int(g.random.between(100, 150)));
    let data = TensorData::from_scalars(dtype, vec![3, 4], values.collect::<Vec<_>>());
    let quant = of_unsigned(g);
    let weight = g.dequantised_constant(quant, data)?;
    let columns = g.graph().ty(real).shape.last().is_some_and(|dim| dim.is(4));
    let real = if columns { real } else { g.fresh(&[2, 4]) };
    g.put(Linear {}, &[real, weight]).map(|_| ())
}

/// Unsigned bytes that the caller reads beside others.
fn unsigned_border(g: &mut Grower<'_>) -> Grown {
    let (quant, dtype) = (of_unsigned(g), DType::U8);
    let x = g.fresh(&[2, 3]);
    let q = g.put(Quantize { quant, dtype }, &[x])?;
    g.put(F32, &[q]).map(|_| ())
}

/// The quantisation of signed bytes with other integers.
fn of_unsigned(g: &mut Grower<'_>) -> Arc<Quant> {
    let quant = g.per_tensor();
    let scale = quant.scheme.scales().first().copied().unwrap_or(1.0);
    let zero_point = 128 + g.random.between(-8, 8);
    Arc::new(Quant {
        scheme: QuantScheme::PerTensor { scale, zero_point },
        min: 0,
        max: 255,
    })
}

/// A weight with a channel of a tiny scale, which mostly has zeros only.
fn dead_channel(g: &mut Grower<'_>) -> Grown {
    let (rows, columns) = (3, 4);
    let dead = g.random.below(rows);
    let scales = (0..rows).map(|row| if row == dead { 1e-9 } else { 0.0625 });
    let quant = Arc::new(Quant {
        scheme: QuantScheme::PerChannel {
            axis: 0,
            scales: scales.collect(),
            zero_points: vec![0; rows].into(),
        },
        min: -127,
        max: 127,
    });
    let is_dead = g.random.chance(70);
    let values = (0..rows * columns).map(|i| match is_dead && i / columns == dead {
        true => 0,
        false => g.random.between(1, 20),
    });
    let values: Vec<Scalar> = values.map(Scalar::Int).collect();
    let data = TensorData::from_scalars(DType::I8, vec![rows, columns], values);
    let weight = g.dequantised_constant(quant, data)?;
    let x = g.fresh(&[2, columns as i64]);
    g.put(Linear {}, &[x, weight]).map(|_| ())
}

/// A weight with zero points, by channel or by groups of a row. Bytes mostly hold it about 0.
fn off_centre(g: &mut Grower<'_>) -> Grown {
    let (rows, columns, group) = (3, 4, 2);
    let is_wide = g.random.chance(20);
    let is_grouped = g.random.chance(50);
    let (min, max) = if is_wide { (-128, 127) } else { (-8, 7) };
    let count = if is_grouped {
        rows * (columns / group)
    } else {
        rows
    };
    let scales = (0..count).map(|i| 0.0625 * (1 + i % 3) as f64).collect();
    let zero_points = (0..count).map(|_| g.random.between(min, max)).collect();
    let scheme = match is_grouped {
        true => QuantScheme::PerGroup {
            group,
            scales,
            zero_points,
        },
        false => QuantScheme::PerChannel {
            axis: 0,
            scales,
            zero_points,
        },
    };
    let quant = Arc::new(Quant { scheme, min, max });
    let values = (0..rows * columns).map(|_| Scalar::Int(g.random.between(min, max)));
    let values: Vec<Scalar> = values.collect();
    let data = TensorData::from_scalars(DType::I8, vec![rows, columns], values);
    let weight = g.dequantised_constant(quant, data)?;
    let x = g.fresh(&[2, columns as i64]);
    g.put(Linear {}, &[x, weight]).map(|_| ())
}

/// Integers of 16 bits that are made, moved, computed, compared and read.
fn narrow(g: &mut Grower<'_>) -> Grown {
    let dtype = DType::I16;
    let x = g.fresh(&[2, 3]);
    let quant = g.of_16_bits();
    let mut q = g.put(Quantize { quant, dtype }, &[x])?;
    if g.random.chance(40) {
        let movement = g.some_movement(&g.shape(q))?;
        q = g.moved(q, movement)?;
    }
    match g.random.below(5) {
        0 => {
            let f = UnaryFn::Clamp {
                min: Some(Scalar::Float(-1.0)),
                max: None,
            };
            q = g.put(Unary { f }, &[q])?;
        }
        1 => {
            let (op, quant) = (
                Box::new(
                    Unary {
                        f: Simple::Tanh.into(),
                    }
                    .into(),
                ),
                g.of_16_bits(),
            );
            q = g.put(Quantised { op, quant, dtype }, &[q])?;
        }
        2 => {
            let (quant, dtype) = (g.per_tensor(), DType::I8);
            q = g.put(Requantize { quant, dtype }, &[q])?;
        }
        3 => {
            let f = CompareFn::Lt;
            return g.put(Compare { f }, &[q, q]).map(|_| ());
        }
        _ => {}
    }
    g.put(F32, &[q]).map(|_| ())
}

fn adaptive_pool(g: &mut Grower<'_>) -> Grown {
    let (quant, dtype) = (g.per_tensor(), DType::I8);
    let sizes = [1, 2, g.random.between(2, 7), g.random.between(2, 7)];
    let x = g.fresh(&sizes);
    let q = g.put(Quantize { quant, dtype }, &[x])?;
    let output = vec![g.random.between(1, 3).into(), g.random.between(1, 3).into()];
    let f = PoolFn::Avg {
        count_include_pad: false,
        divisor: None,
    };
    let op = Box::new(AdaptivePool { f, output }.into());
    let quant = g.per_tensor();
    let q = g.put(Quantised { op, quant, dtype }, &[q])?;
    g.put(F32, &[q]).map(|_| ())
}

/// A layer with quantised weights, small or large.
fn weight(g: &mut Grower<'_>) -> Grown {
    g.most_elements = 1 << 15;
    let (rows, columns) = *g.random.pick(&[(150, 120), (8, 4), (150, 120)]);
    let x = g.fresh(&[1, columns]);
    let weight = g.dequantised_weight(rows, columns)?;
    g.values.retain(|&v| v != weight);
    if g.random.chance(20) {
        let weight = g.reshaped(weight, &[rows.into(), columns.into(), 1.into(), 1.into()])?;
        g.values.retain(|&v| v != weight);
        let image = g.fresh(&[1, columns, 1, 1]);
        let op = Conv {
            stride: vec![1; 2],
            pad_low: vec![0; 2],
            pad_high: vec![0; 2],
            dilation: vec![1; 2],
            groups: 1,
            transposed: false,
            output_padding: vec![0; 2],
        };
        return g.put(op, &[image, weight]).map(|_| ());
    }
    g.put(Linear {}, &[x, weight]).map(|_| ())
}
