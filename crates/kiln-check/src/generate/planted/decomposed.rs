//! Patterns for the rules of `decompose`: ops of each family in all their forms.

use super::{Plant, plant};
use crate::generate::{Grower, Grown, contraction, data, indexing, normalise, reduce, window};
use kiln_ir::ops::{
    AdaptivePool, ArgFn, ArgReduce, Binary, BinaryFn, Cast, Conv, Distances, IndexPut, Linear, Pad,
    PadMode, PoolFn, Reduce, ReduceFn, Scatter, ScatterFn, Simple, Slice, Sort, TopK, Unary,
    UnaryFn,
};
use kiln_ir::{DType, Dim, Scalar, Shape, TensorType, ValueId};

pub(super) const PLANTS: &[Plant] = &[
    plant("decompose", "prelu", "none binary.prelu", prelu),
    plant(
        "decompose",
        "activation",
        "none unary.elu unary.plain_elu unary.leaky_relu unary.softplus",
        activation,
    ),
    plant(
        "decompose",
        "adaptive_pool",
        "none adaptive_pool",
        adaptive_pool,
    ),
    plant(
        "decompose",
        "any_all",
        "none reduce.any reduce.all",
        any_all,
    ),
    plant(
        "decompose",
        "attention",
        "none attention",
        normalise::attention,
    ),
    plant("decompose", "conv1d", "none conv.1d", conv1d),
    plant("decompose", "conv3d", "none conv.3d", conv3d),
    plant(
        "decompose",
        "conv_transpose3d",
        "none conv.3d",
        conv_transpose3d,
    ),
    plant(
        "decompose",
        "division",
        "none binary.remainder binary.fmod binary.sub binary.bit_xor",
        division,
    ),
    plant("decompose", "cast_to_bool", "none cast", cast_to_bool),
    plant(
        "decompose",
        "function",
        "none unary.silu unary.gelu unary.gelu_tanh unary.mish unary.hardswish unary.hardsigmoid unary.log_sigmoid \
         unary.square unary.reciprocal unary.rsqrt unary.expm1 unary.log1p unary.log2 unary.tan unary.sign unary.erfinv",
        function,
    ),
    plant("decompose", "grid_sample", "none grid_sample", grid_sample),
    plant(
        "decompose",
        "index_put_by_scatter",
        "none index_put",
        index_put,
    ),
    plant(
        "decompose",
        "inverse_function",
        "none unary.asin unary.acos unary.atan unary.sinh unary.cosh unary.asinh unary.acosh unary.atanh binary.atan2",
        inverse,
    ),
    plant("decompose", "linear", "none linear", linear),
    plant("decompose", "matmul", "none matmul", matmul),
    plant("decompose", "distances", "none distances", distances),
    plant("decompose", "normalize", "none normalize", normalize),
    plant(
        "decompose",
        "pad",
        "none pad.reflect pad.replicate pad.circular",
        pad,
    ),
    plant("decompose", "pool1d", "none pool.1d", pool1d),
    plant("decompose", "pool3d", "none pool.3d", pool3d),
    plant("decompose", "power", "none binary.pow", power),
    plant("decompose", "prod", "none reduce.prod", prod),
    plant("decompose", "arg_reduce", "none arg_reduce.min", arg_reduce),
    plant("decompose", "reduce", "none reduce.mean", reduction),
    plant("decompose", "resize", "none resize", window::resize),
    plant("decompose", "reverse", "none reverse", data::reverse),
    plant("decompose", "scan", "none scan", reduce::scan),
    plant(
        "decompose",
        "scatter_by_comparison",
        "none scatter",
        scatter,
    ),
    plant(
        "decompose",
        "shift_in_range",
        "none binary.shl binary.shr",
        shift,
    ),
    plant("decompose", "strided_slice", "none slice.strided", strided),
    plant(
        "decompose",
        "slice_update",
        "none slice_update",
        data::slice_update,
    ),
    plant("decompose", "softmax", "none softmax", softmax),
    plant(
        "decompose",
        "softmax_along_last",
        "none softmax.inner",
        softmax_inner,
    ),
    plant("decompose", "sort", "none sort", sort),
    plant("decompose", "top_k", "none top_k", top_k),
    plant(
        "decompose",
        "unbranched_function",
        "prefers unary.softplus unary.mish unary.log_sigmoid unary.atan unary.asinh unary.log1p unary.erf unary.expm1 \
         unary.floor unary.ceil unary.round unary.trunc",
        unbranched,
    ),
    plant(
        "decompose",
        "widen_half",
        "none softmax.f16 unary.f16 reduce.f16 pool.f16",
        half,
    ),
    plant(
        "decompose",
        "widen_bool",
        "none sort.bool top_k.bool arg_reduce.bool",
        bools,
    ),
    plant(
        "decompose",
        "widen_bytes",
        "none binary.u8 unary.u8 reduce.u8",
        bytes,
    ),
];

impl Grower<'_> {
    /// A float value of a dtype that a target may or may not have.
    fn float_of_any_type(&mut self, sizes: &[i64]) -> ValueId {
        use DType::*;
        let dtype = *self.random.pick(&[F32, F32, F32, F32, F16, BF16, F64]);
        self.fresh_of(dtype, sizes)
    }

    fn some_sizes(&mut self, rank: usize) -> Vec<i64> {
        (0..rank).map(|_| self.size()).collect()
    }

    /// A size that is known when the program runs.
    fn unknown_size(&mut self) -> Dim {
        let name = format!("planted{}", self.symbols.len());
        let symbol = self.symbol(&name);
        self.symbols.push(symbol.clone());
        symbol
    }

    fn plain(&mut self) -> ValueId {
        let rank = 1 + self.random.below(3);
        let sizes = self.some_sizes(rank);
        self.float_of_any_type(&sizes)
    }

    /// An integer value, or a bool value where the op takes bools.
    fn whole(&mut self, dtypes: &[DType]) -> ValueId {
        let rank = 1 + self.random.below(2);
        let sizes = self.some_sizes(rank);
        let dtype = *self.random.pick(dtypes);
        self.fresh_of(dtype, &sizes)
    }
}

fn prelu(g: &mut Grower<'_>) -> Grown {
    let x = g.plain();
    let slope = g.broadcast_constant(x);
    g.binary(BinaryFn::Prelu, x, slope).map(|_| ())
}

fn activation(g: &mut Grower<'_>) -> Grown {
    let x = g.plain();
    let quarter = |g: &mut Grower<'_>| g.random.between(1, 8) as f64 / 4.0;
    let f = match g.random.below(3) {
        0 => UnaryFn::Elu {
            alpha: quarter(g),
            scale: if g.random.chance(50) { 1.0 } else { quarter(g) },
            input_scale: if g.random.chance(70) { 1.0 } else { quarter(g) },
        },
        1 => UnaryFn::LeakyRelu {
            slope: quarter(g) * if g.random.chance(70) { 0.125 } else { -1.0 },
        },
        _ => UnaryFn::Softplus {
            beta: quarter(g),
            threshold: *g.random.pick(&[20.0, 3.0]),
        },
    };
    g.unary(f, x).map(|_| ())
}

fn adaptive_pool(g: &mut Grower<'_>) -> Grown {
    let spatial = *g.random.pick(&[1, 2, 2, 3]);
    let mut sizes = vec![1, g.size()];
    sizes.extend((0..spatial).map(|_| g.random.between(1, 6)));
    let x = g.float_of_any_type(&sizes);
    let f = match g.random.below(3) {
        0 => PoolFn::Max,
        1 => PoolFn::MaxWithIndices,
        _ => PoolFn::Avg {
            count_include_pad: false,
            divisor: None,
        },
    };
    let output = (0..spatial)
        .map(|_| Dim::constant(g.random.between(1, 3)))
        .collect();
    g.put_all(AdaptivePool { f, output }, &[x]).map(|_| ())
}

fn any_all(g: &mut Grower<'_>) -> Grown {
    let x = g.whole(&[DType::Bool]);
    let f = *g.random.pick(&[ReduceFn::Any, ReduceFn::All]);
    let axes = g.axes(g.rank(x));
    g.put(Reduce { f, axes }, &[x]).map(|_| ())
}

fn image_of(g: &mut Grower<'_>, spatial: usize) -> ValueId {
    let mut sizes = vec![g.random.between(1, 2), *g.random.pick(&[1, 2, 4])];
    sizes.extend((0..spatial).map(|_| g.random.between(2, 5)));
    g.float_of_any_type(&sizes)
}

fn conv1d(g: &mut Grower<'_>) -> Grown {
    let x = image_of(g, 1);
    let channels = g.known(x, 1)?;
    let groups = *g.random.pick(&[1, channels]);
    let kernel = *g.random.pick(&[1, 2, 3]);
    g.convolution(x, kernel, groups).map(|_| ())
}

fn conv3d(g: &mut Grower<'_>) -> Grown {
    conv_of_volume(g, false)
}

fn conv_transpose3d(g: &mut Grower<'_>) -> Grown {
    conv_of_volume(g, true)
}

fn conv_of_volume(g: &mut Grower<'_>, transposed: bool) -> Grown {
    let x = image_of(g, 3);
    let (dtype, channels) = (g.ty(x).dtype, g.known(x, 1)?);
    let groups = if channels % 2 == 0 && g.random.chance(30) {
        2
    } else {
        1
    };
    let outputs = groups * g.random.between(1, 2);
    let kernel: Vec<i64> = (0..3).map(|_| g.random.between(1, 2)).collect();
    let mut sizes = match transposed {
        true => vec![channels, outputs / groups],
        false => vec![outputs, channels / groups],
    };
    sizes.extend(&kernel);
    let mut operands = vec![x, g.constant(dtype, &sizes)];
    if g.random.chance(50) {
        operands.push(g.constant(dtype, &[outputs]));
    }
    let three = |g: &mut Grower<'_>, values: &[i64]| -> Vec<i64> {
        (0..3).map(|_| *g.random.pick(values)).collect()
    };
    let stride = three(g, &[1, 1, 2]);
    let pad: Vec<i64> = kernel.iter().map(|k| g.random.between(0, k / 2)).collect();
    let op = Conv {
        output_padding: stride
            .iter()
            .map(|s| {
                if transposed {
                    g.random.between(0, s - 1)
                } else {
                    0
                }
            })
            .collect(),
        stride,
        pad_low: pad.clone(),
        pad_high: pad,
        dilation: three(g, &[1, 1, 2]),
        groups,
        transposed,
    };
    g.put(op, &operands).map(|_| ())
}

fn division(g: &mut Grower<'_>) -> Grown {
    use BinaryFn::*;
    let x = if g.random.chance(60) {
        g.plain()
    } else {
        g.whole(&[DType::I64, DType::I32, DType::Bool])
    };
    let dtype = g.ty(x).dtype;
    let f = match dtype {
        DType::Bool => BitXor,
        d if d.is_float() => *g
            .random
            .pick(&[FloorDiv, TruncDiv, Sub, Div, Remainder, Fmod]),
        _ => *g.random.pick(&[Sub, Remainder, Fmod, FloorDiv]),
    };
    let y = match dtype.is_float() && g.random.chance(50) {
        true => {
            let divisor = *g.random.pick(&[2.0, 0.5, -4.0, 3.0]);
            g.splat(dtype, g.rank(x), divisor)
        }
        false => g.partner(x),
    };
    g.put(Binary { f }, &[x, y]).map(|_| ())
}

fn cast_to_bool(g: &mut Grower<'_>) -> Grown {
    let x = match g.random.chance(60) {
        true => g.plain(),
        false => g.whole(&[DType::I64, DType::I32, DType::I8]),
    };
    g.put(Cast { to: DType::Bool }, &[x]).map(|_| ())
}

fn function(g: &mut Grower<'_>) -> Grown {
    use Simple::*;
    let x = g.plain();
    let f = *g.random.pick(&[
        Silu,
        Gelu,
        GeluTanh,
        Mish,
        Hardswish,
        Hardsigmoid,
        LogSigmoid,
        Square,
        Reciprocal,
        Rsqrt,
        Expm1,
        Log1p,
        Log2,
        Log10,
        Tan,
        Sign,
        Erfinv,
        Exp2,
        Sigmoid,
        Neg,
        Abs,
        Trunc,
        Ceil,
        Round,
        IsNan,
        IsInf,
    ]);
    g.unary(f, x).map(|_| ())
}

fn inverse(g: &mut Grower<'_>) -> Grown {
    use Simple::*;
    let x = g.plain();
    if g.random.chance(20) {
        let y = g.partner(x);
        return g.binary(BinaryFn::Atan2, x, y).map(|_| ());
    }
    let f = *g
        .random
        .pick(&[Asin, Acos, Atan, Sinh, Cosh, Asinh, Acosh, Atanh]);
    g.unary(f, x).map(|_| ())
}

fn index_put(g: &mut Grower<'_>) -> Grown {
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

fn scatter(g: &mut Grower<'_>) -> Grown {
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
fn linear(g: &mut Grower<'_>) -> Grown {
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
fn distances(g: &mut Grower<'_>) -> Grown {
    let (rows, others, length) = (g.size(), g.size(), g.size());
    let x = g.float_of_any_type(&[rows, length]);
    let y = g.fresh_of(g.ty(x).dtype, &[others, length]);
    let p = *g.random.pick(&[0.0, 1.0, 2.0, 3.0, f64::INFINITY]);
    g.put(Distances { p }, &[x, y]).map(|_| ())
}

/// Products of stacks of matrices: equal stacks, and a stack with one matrix.
fn matmul(g: &mut Grower<'_>) -> Grown {
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

fn normalize(g: &mut Grower<'_>) -> Grown {
    let rank = 2 + g.random.below(3);
    let sizes = g.some_sizes(rank);
    g.float_of_any_type(&sizes);
    normalise::normalize(g)
}

fn softmax(g: &mut Grower<'_>) -> Grown {
    let x = g.plain();
    normalise::softmax_of(g, x)
}

fn pad(g: &mut Grower<'_>) -> Grown {
    let rank = 1 + g.random.below(3);
    let sizes: Vec<i64> = (0..rank).map(|_| g.random.between(3, 5)).collect();
    let mut x = g.float_of_any_type(&sizes);
    if g.ty(x).dtype == DType::F32 && g.random.chance(20) {
        x = g.quantised(x)?;
    }
    let amount = |g: &mut Grower<'_>| -> Vec<Dim> {
        (0..rank)
            .map(|_| Dim::constant(g.random.between(0, 2)))
            .collect()
    };
    let (low, high) = (amount(g), amount(g));
    let mode = match g.random.below(4) {
        0 => PadMode::Constant(Scalar::Float(0.5)),
        1 => PadMode::Reflect,
        2 => PadMode::Replicate,
        _ => PadMode::Circular,
    };
    g.put(Pad { low, high, mode }, &[x]).map(|_| ())
}

fn grid_sample(g: &mut Grower<'_>) -> Grown {
    let spatial = *g.random.pick(&[1, 2, 2, 3]);
    let x = image_of(g, spatial);
    window::sample_of(g, x)
}

fn pool1d(g: &mut Grower<'_>) -> Grown {
    let x = image_of(g, 1);
    window::pool_of(g, x, 1)
}

fn pool3d(g: &mut Grower<'_>) -> Grown {
    let x = image_of(g, 3);
    window::pool_of(g, x, 3)
}

fn power(g: &mut Grower<'_>) -> Grown {
    if g.random.chance(30) {
        return integer_power(g);
    }
    let x = g.plain();
    let (dtype, rank) = (g.ty(x).dtype, g.rank(x));
    let exponent = *g
        .random
        .pick(&[2.0, 3.0, 0.5, -1.0, -0.5, 4.0, -2.0, 1.5, 0.0, 1.0]);
    let y = match g.random.chance(80) {
        true => g.splat(dtype, rank, exponent),
        false => g.partner(x),
    };
    let operands = if g.random.chance(90) { [x, y] } else { [y, x] };
    g.put(Binary { f: BinaryFn::Pow }, &operands).map(|_| ())
}

/// Kernels multiply small constant exponents out, and lack the others.
fn integer_power(g: &mut Grower<'_>) -> Grown {
    let x = g.whole(&[DType::I64, DType::I32, DType::I8, DType::U8]);
    let exponent = match g.random.chance(50) {
        true => {
            let exponent = *g.random.pick(&[0.0, 2.0, 3.0, 5.0, 65.0, 127.0]);
            g.splat(g.ty(x).dtype, g.rank(x), exponent)
        }
        false => g.partner(x),
    };
    g.binary(BinaryFn::Pow, x, exponent).map(|_| ())
}

fn prod(g: &mut Grower<'_>) -> Grown {
    let x = match g.random.chance(70) {
        true => g.plain(),
        false => g.whole(&[DType::I64, DType::I32]),
    };
    let axes = g.axes(g.rank(x));
    let f = ReduceFn::Prod;
    g.put(Reduce { f, axes }, &[x]).map(|_| ())
}

fn arg_reduce(g: &mut Grower<'_>) -> Grown {
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

fn reduction(g: &mut Grower<'_>) -> Grown {
    let x = g.plain();
    use ReduceFn::*;
    let f = *g.random.pick(&[Sum, Mean, Mean, Max, Min]);
    let axes = g.axes(g.rank(x));
    g.put(Reduce { f, axes }, &[x]).map(|_| ())
}

/// Where the distances are in range, only a target that does not run the shift for another reason expands it: such as
/// one that takes no unknown sizes.
fn shift(g: &mut Grower<'_>) -> Grown {
    let dtypes = [DType::I64, DType::I32, DType::I8, DType::U8];
    let dtype = *g.random.pick(&dtypes);
    let shape: Shape = match g.random.chance(20) {
        true => [g.unknown_size(), Dim::constant(4)].into_iter().collect(),
        false => g.some_sizes(2).into_iter().collect(),
    };
    let x = g.input(TensorType::new(dtype, shape.clone()));
    let y = match g.random.chance(60) {
        true => g.input(TensorType::new(dtype, shape)),
        false => g.broadcast_constant(x),
    };
    let f = *g.random.pick(&[BinaryFn::Shl, BinaryFn::Shr]);
    g.put(Binary { f }, &[x, y]).map(|_| ())
}

fn strided(g: &mut Grower<'_>) -> Grown {
    let (n, size) = (g.size(), g.random.between(3, 9));
    let x = match g.random.chance(70) {
        true => g.float_of_any_type(&[n, size]),
        false => g.fresh_of(DType::I32, &[n, size]),
    };
    let step = g.random.between(2, 3);
    let start = g.random.between(0, size - 1);
    let len = g.random.between(1, 1 + (size - 1 - start) / step);
    let slice = Slice {
        axis: 1,
        start: start.into(),
        len: len.into(),
        step,
    };
    g.put(slice, &[x]).map(|_| ())
}

fn softmax_inner(g: &mut Grower<'_>) -> Grown {
    let sizes = g.some_sizes(3);
    let x = g.float_of_any_type(&sizes);
    let (axis, log) = (g.random.below(2), g.random.chance(30));
    g.put(kiln_ir::ops::Softmax { axis, log }, &[x]).map(|_| ())
}

fn sort(g: &mut Grower<'_>) -> Grown {
    let x = match g.random.chance(70) {
        true => g.plain(),
        false => g.whole(&[DType::I64, DType::I32]),
    };
    let (axis, descending) = (g.random.below(g.rank(x)), g.random.chance(50));
    g.put_all(Sort { axis, descending }, &[x]).map(|_| ())
}

fn top_k(g: &mut Grower<'_>) -> Grown {
    let x = match g.random.chance(70) {
        true => g.plain(),
        false => g.whole(&[DType::I64, DType::I32]),
    };
    let axis = g.random.below(g.rank(x));
    let size = g.known(x, axis)?;
    let (k, largest) = (g.random.between(1, size).into(), g.random.chance(50));
    g.put_all(TopK { axis, k, largest }, &[x]).map(|_| ())
}

fn unbranched(g: &mut Grower<'_>) -> Grown {
    use Simple::*;
    let x = g.plain();
    if g.random.chance(40) {
        return activation(g);
    }
    let f = *g.random.pick(&[
        Mish, LogSigmoid, Atan, Asinh, Log1p, Erf, Expm1, Sin, Cos, Floor, Ceil, Round, Trunc,
        Sign, Log, Gelu, Exp2,
    ]);
    g.put(Unary { f: f.into() }, &[x]).map(|_| ())
}

fn half(g: &mut Grower<'_>) -> Grown {
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

fn bools(g: &mut Grower<'_>) -> Grown {
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

fn bytes(g: &mut Grower<'_>) -> Grown {
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
