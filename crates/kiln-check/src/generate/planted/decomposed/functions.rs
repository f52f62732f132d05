//! Patterns for decompositions of functions of single elements.

use crate::generate::{Grower, Grown};
use kiln_ir::ops::{Binary, BinaryFn, Cast, Simple, Unary, UnaryFn};
use kiln_ir::{DType, Dim, Shape, TensorType};

pub(super) fn prelu(g: &mut Grower<'_>) -> Grown {
    let x = g.plain();
    let slope = g.broadcast_constant(x);
    g.binary(BinaryFn::Prelu, x, slope).map(|_| ())
}

pub(super) fn activation(g: &mut Grower<'_>) -> Grown {
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

pub(super) fn division(g: &mut Grower<'_>) -> Grown {
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

pub(super) fn cast_to_bool(g: &mut Grower<'_>) -> Grown {
    let x = match g.random.chance(60) {
        true => g.plain(),
        false => g.whole(&[DType::I64, DType::I32, DType::I8]),
    };
    g.put(Cast { to: DType::Bool }, &[x]).map(|_| ())
}

pub(super) fn function(g: &mut Grower<'_>) -> Grown {
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

pub(super) fn inverse(g: &mut Grower<'_>) -> Grown {
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

pub(super) fn power(g: &mut Grower<'_>) -> Grown {
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

/// Where the distances are in range, only a target that does not run the shift for another reason expands it: such as
/// one that takes no unknown sizes.
pub(super) fn shift(g: &mut Grower<'_>) -> Grown {
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

pub(super) fn unbranched(g: &mut Grower<'_>) -> Grown {
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
