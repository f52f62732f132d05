//! Near misses of decompositions.

use super::{Plant, plant};
use crate::generate::planted::elementwise::mask;
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{
    AdaptivePool, ArgFn, ArgReduce, Attention, BinaryFn, Dequantize, Linear, Pad, PadMode, PoolFn,
    Quantised, Reduce, ReduceFn, Resize, ResizeMode, Simple, Slice, UnaryFn,
};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Dim, Scalar, TensorData, TensorType};
use std::sync::Arc;

pub(super) const PLANTS: &[Plant] = &[
    plant("decompose", "activation", "none unary.elu", turned_elu),
    plant(
        "decompose",
        "adaptive_pool",
        "none adaptive_pool",
        uneven_windows,
    ),
    plant("decompose", "attention", "none attention", hidden_rows),
    plant(
        "decompose",
        "division",
        "none binary.remainder binary.fmod",
        float_rest,
    ),
    plant(
        "decompose",
        "function",
        "none unary.erfinv unary.abs unary.clamp",
        function,
    ),
    plant("decompose", "pad", "none pad.reflect", reflected),
    plant("decompose", "power", "none binary.pow", integer_power),
    plant(
        "decompose",
        "reduce",
        "none reduce.min arg_reduce.min",
        extreme_of_integers,
    ),
    plant("decompose", "resize", "none resize", resized),
    plant(
        "decompose",
        "quantised",
        "none quantised halves whole",
        tiny_weights,
    ),
    plant("decompose", "shift_in_range", "none binary.shr", far_shift),
    plant(
        "decompose",
        "strided_slice",
        "none slice.strided",
        slice_to_the_end,
    ),
    plant(
        "decompose",
        "unbranched_function",
        "prefers unary.softplus unary.atan unary.log1p unary.expm1",
        unbranched,
    ),
    plant("decompose", "widen_bytes", "none unary.u8", clamped_bytes),
];

/// An ELU whose input is scaled by a positive or negative number.
fn turned_elu(g: &mut Grower<'_>) -> Grown {
    let sizes = g.few(2);
    let x = g.fresh(&sizes);
    let f = UnaryFn::Elu {
        alpha: *g.random.pick(&[1.0, 0.5]),
        scale: *g.random.pick(&[1.0, 2.0]),
        input_scale: *g.random.pick(&[-1.0, -0.5, 2.0]),
    };
    g.unary(f, x).map(|_| ())
}

/// Adaptive windows of several sizes and distances.
fn uneven_windows(g: &mut Grower<'_>) -> Grown {
    let n = g.random.between(7, 11);
    let x = g.fresh(&[1, 1, n, 2]);
    let f = *g.random.pick(&[
        PoolFn::Max,
        PoolFn::MaxWithIndices,
        PoolFn::Avg {
            count_include_pad: false,
            divisor: None,
        },
    ]);
    let output = vec![Dim::constant(g.random.between(2, 4)), Dim::constant(2)];
    g.put_all(AdaptivePool { f, output }, &[x]).map(|_| ())
}

/// Attention with a constant mask that hides whole rows.
fn hidden_rows(g: &mut Grower<'_>) -> Grown {
    let n = g.random.between(2, 3);
    let (q, k, v) = (g.fresh(&[n, n]), g.fresh(&[n, n]), g.fresh(&[n, n]));
    let hidden = match g.random.chance(50) {
        true => mask(g, &[n, n]),
        false => g.constant(DType::Bool, &[n, n]),
    };
    let op = Attention {
        scale: None,
        causal: g.random.chance(40),
        grouped: false,
    };
    g.put(op, &[q, k, v, hidden]).map(|_| ())
}

/// The rest of a division of floats, by numbers that have no exact quotients.
fn float_rest(g: &mut Grower<'_>) -> Grown {
    let sizes = g.few(2);
    let dtype = *g
        .random
        .pick(&[DType::F32, DType::F32, DType::F64, DType::I32]);
    let x = g.fresh_of(dtype, &sizes);
    let divisor = match dtype.is_float() {
        true => Scalar::Float(*g.random.pick(&[0.1, 0.05, 0.01])),
        false => Scalar::Int(3),
    };
    let divisor = g.constant_of(dtype, &[1, 1], vec![divisor]);
    let f = *g.random.pick(&[BinaryFn::Remainder, BinaryFn::Fmod]);
    g.binary(f, x, divisor).map(|_| ())
}

/// Functions whose form depends on the type.
fn function(g: &mut Grower<'_>) -> Grown {
    use DType::*;
    let sizes = g.few(2);
    match g.random.below(3) {
        0 => {
            let dtype = *g.random.pick(&[F32, F64, F64]);
            let x = g.fresh_of(dtype, &sizes);
            g.unary(Simple::Erfinv, x).map(|_| ())
        }
        1 => {
            let dtype = *g.random.pick(&[U8, I8, I32, F32]);
            let x = g.fresh_of(dtype, &sizes);
            g.unary(Simple::Abs, x).map(|_| ())
        }
        _ => {
            let dtype = *g.random.pick(&[U8, I8]);
            let x = g.fresh_of(dtype, &sizes);
            let (min, max) = (g.random.between(-300, 0), g.random.between(1, 300));
            let (min, max) = (Some(Scalar::Int(min)), Some(Scalar::Int(max)));
            g.unary(UnaryFn::Clamp { min, max }, x).map(|_| ())
        }
    }
}

fn reflected(g: &mut Grower<'_>) -> Grown {
    let n = g.random.between(3, 5);
    let x = g.fresh(&[n]);
    let amount = |g: &mut Grower<'_>| vec![Dim::constant(g.random.between(0, 2))];
    let (low, high) = (amount(g), amount(g));
    let mode = PadMode::Reflect;
    g.put(Pad { low, high, mode }, &[x]).map(|_| ())
}

fn integer_power(g: &mut Grower<'_>) -> Grown {
    let dtype = *g.random.pick(&[DType::U8, DType::I8, DType::I32]);
    let sizes = g.few(2);
    let (x, y) = (g.fresh_of(dtype, &sizes), g.fresh_of(dtype, &sizes));
    g.binary(BinaryFn::Pow, x, y).map(|_| ())
}

/// Extremes of integers, among which is the least, or of bytes.
fn extreme_of_integers(g: &mut Grower<'_>) -> Grown {
    let dtype = *g
        .random
        .pick(&[DType::U8, DType::I8, DType::I32, DType::F32]);
    let sizes = g.few(2);
    let x = g.fresh_of(dtype, &sizes);
    let axis = g.random.below(2);
    if g.random.chance(50) {
        let f = ArgFn::Min;
        return g.put(ArgReduce { f, axis }, &[x]).map(|_| ());
    }
    let (f, axes) = (ReduceFn::Min, vec![axis]);
    g.put(Reduce { f, axes }, &[x]).map(|_| ())
}

/// A resize that repeats each element equally often, or that does not, because a scale is given or by its sizes.
fn resized(g: &mut Grower<'_>) -> Grown {
    let is_nearest = g.random.chance(50);
    let n = g.random.between(2, 5);
    let x = g.fresh(&[1, 1, n, n]);
    let (mode, to, scale) = match is_nearest {
        true => {
            let scale = *g.random.pick(&[None, Some(1.25), Some(2.0)]);
            (ResizeMode::Nearest, 3 * n, scale)
        }
        false => (ResizeMode::Linear, g.random.between(n + 1, 3 * n), None),
    };
    let op = Resize {
        mode,
        align_corners: false,
        output: vec![to.into(); 2],
        scales: vec![scale; 2],
    };
    g.put(op, &[x]).map(|_| ())
}

fn far_shift(g: &mut Grower<'_>) -> Grown {
    let dtype = *g.random.pick(&[DType::U8, DType::U8, DType::I8]);
    let sizes = g.few(2);
    let (x, by) = (g.fresh_of(dtype, &sizes), g.fresh_of(dtype, &sizes));
    g.binary(BinaryFn::Shr, x, by).map(|_| ())
}

/// Every other element of an axis of known or unknown size, up to its end.
fn slice_to_the_end(g: &mut Grower<'_>) -> Grown {
    let size = g.size_from("size", 3);
    let x = match g.random.chance(60) {
        true => g.input(TensorType::new(DType::F32, vec![size])),
        false => g.fresh(&[5]),
    };
    let slice = Slice {
        axis: 0,
        start: g.random.between(0, 1).into(),
        len: 2.into(),
        step: g.random.between(1, 2),
    };
    g.put(slice, &[x]).map(|_| ())
}

/// Functions that are computed without comparisons in f32: of other types, or with a threshold that shows.
fn unbranched(g: &mut Grower<'_>) -> Grown {
    let dtype = g.some_float();
    let sizes = g.few(2);
    let x = g.fresh_of(dtype, &sizes);
    if g.random.chance(50) {
        let f = UnaryFn::Softplus {
            beta: *g.random.pick(&[1.0, 0.5, -1.0]),
            threshold: *g.random.pick(&[20.0, 0.5, 1.0, 200.0]),
        };
        return g.unary(f, x).map(|_| ());
    }
    let f = *g.random.pick(&[Simple::Atan, Simple::Log1p, Simple::Expm1]);
    g.unary(f, x).map(|_| ())
}

fn clamped_bytes(g: &mut Grower<'_>) -> Grown {
    let sizes = g.few(2);
    let x = g.fresh_of(DType::U8, &sizes);
    let bound = |g: &mut Grower<'_>| {
        let v = *g.random.pick(&[-3, 0, 2, 250, 300]);
        g.random.chance(80).then_some(Scalar::Int(v))
    };
    let (min, max) = (bound(g), bound(g));
    g.unary(UnaryFn::Clamp { min, max }, x).map(|_| ())
}

/// A layer on integers with a bias, whose weights have a usual scale or one that is nearly 0.
fn tiny_weights(g: &mut Grower<'_>) -> Grown {
    let scale = *g.random.pick(&[1e-41, 0.03125]);
    let scheme = QuantScheme::PerTensor {
        scale,
        zero_point: 0,
    };
    let (min, max) = (-127, 127);
    let values: Vec<Scalar> = (0..90)
        .map(|_| Scalar::Int(g.random.between(-20, 20)))
        .collect();
    let data = TensorData::from_scalars(DType::I8, vec![3, 30], values);
    let real = g.dequantised_constant(Arc::new(Quant { scheme, min, max }), data)?;
    g.values.retain(|&v| v != real);
    let weight = g.graph().node(g.graph().producer(real)?).operands[0];
    let bias = [1.0, -0.5, 0.25].map(Scalar::Float).to_vec();
    let bias = g.constant_of(DType::F32, &[3], bias);
    let x = g.fresh(&[2, 30]);
    let q = g.quantised(x)?;
    let (op, quant, dtype) = (Box::new(Linear {}.into()), g.per_tensor(), DType::I8);
    let q = g.put(Quantised { op, quant, dtype }, &[q, weight, bias])?;
    g.put(Dequantize { dtype: DType::F32 }, &[q]).map(|_| ())
}
