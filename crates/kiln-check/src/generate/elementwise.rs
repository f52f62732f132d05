//! Elementwise functions.

use super::{Grower, Grown};
use kiln_ir::ops::{Binary, BinaryFn, Cast, Compare, CompareFn, Select, Simple, Unary, UnaryFn};
use kiln_ir::{DType, Scalar, ValueId};

pub(super) const SIMPLE: [Simple; 42] = {
    use Simple::*;
    [
        Neg,
        Abs,
        Sign,
        Floor,
        Ceil,
        Round,
        Trunc,
        Exp,
        Exp2,
        Expm1,
        Log,
        Log2,
        Log10,
        Log1p,
        Sqrt,
        Rsqrt,
        Reciprocal,
        Square,
        Sin,
        Cos,
        Tan,
        Asin,
        Acos,
        Atan,
        Sinh,
        Cosh,
        Tanh,
        Asinh,
        Acosh,
        Atanh,
        Erf,
        Erfinv,
        Sigmoid,
        LogSigmoid,
        Gelu,
        GeluTanh,
        Silu,
        Mish,
        Hardswish,
        Hardsigmoid,
        IsNan,
        IsInf,
    ]
};

/// Functions that occur in models and keep numbers small.
const COMMON: [Simple; 11] = {
    use Simple::*;
    [
        Neg,
        Abs,
        Tanh,
        Sigmoid,
        Gelu,
        GeluTanh,
        Silu,
        Hardswish,
        Hardsigmoid,
        Square,
        Erf,
    ]
};

impl Grower<'_> {
    pub(super) fn function(&mut self, dtype: DType) -> UnaryFn {
        if dtype == DType::Bool {
            return Simple::BitNot.into();
        }
        if !dtype.is_float() {
            let simple = [
                Simple::Neg,
                Simple::Abs,
                Simple::Sign,
                Simple::Square,
                Simple::BitNot,
            ];
            return match self.random.below(2) {
                0 => self.clamp(dtype),
                _ => (*self.random.pick(&simple)).into(),
            };
        }
        let quarter = |g: &mut Self| g.random.between(1, 8) as f64 / 4.0;
        match self.random.below(20) {
            0..3 => self.clamp(dtype),
            3 => UnaryFn::RELU,
            4 => UnaryFn::Elu {
                alpha: quarter(self),
                scale: if self.random.chance(50) {
                    1.0
                } else {
                    quarter(self)
                },
                input_scale: if self.random.chance(70) {
                    1.0
                } else {
                    quarter(self)
                },
            },
            5 => UnaryFn::LeakyRelu {
                slope: quarter(self) / 8.0,
            },
            6 => UnaryFn::Softplus {
                beta: quarter(self),
                threshold: 20.0,
            },
            7..14 => (*self.random.pick(&COMMON)).into(),
            _ => (*self.random.pick(&SIMPLE)).into(),
        }
    }

    fn clamp(&mut self, dtype: DType) -> UnaryFn {
        let (a, b) = (self.random.between(-4, 4), self.random.between(-4, 4));
        let bound = |v: i64| match dtype.is_float() {
            true => Scalar::Float(v as f64 / 2.0),
            false => Scalar::Int(v.max(0)),
        };
        let (min, max) = (bound(a.min(b)), bound(a.max(b)));
        match self.random.below(4) {
            0 => UnaryFn::Clamp {
                min: Some(min),
                max: None,
            },
            1 => UnaryFn::Clamp {
                min: None,
                max: Some(max),
            },
            2 => UnaryFn::Clamp {
                min: Some(Scalar::Int(0)),
                max: Some(Scalar::Int(6)),
            },
            _ => UnaryFn::Clamp {
                min: Some(min),
                max: Some(max),
            },
        }
    }

    /// A second operand for an elementwise op on `x`, with the same dtype.
    pub(super) fn partner(&mut self, x: ValueId) -> ValueId {
        let ty = self.ty(x);
        let (dtype, rank) = (ty.dtype, ty.rank());
        match self.random.below(10) {
            0..4 => {
                let same = |t: &kiln_ir::TensorType| *t == ty;
                self.any(same).unwrap_or(x)
            }
            4..6 => {
                let meets = |t: &kiln_ir::TensorType| {
                    let pairs = t.shape.iter().zip(ty.shape.iter());
                    t.dtype == dtype
                        && t.quant.is_none()
                        && t.rank() == rank
                        && pairs.into_iter().all(|(a, b)| a == b || a.is(1) || b.is(1))
                };
                self.any(meets).unwrap_or(x)
            }
            6..8 => self.number_of_rank(dtype, rank),
            _ => self.broadcast_constant(x),
        }
    }

    /// A constant whose sizes are those of `x` along some axes, and 1 along the others.
    pub(super) fn broadcast_constant(&mut self, x: ValueId) -> ValueId {
        let ty = self.ty(x);
        let only = self.random.below(ty.rank() + 1);
        let is_vector = self.random.chance(60);
        let sizes: Vec<i64> = (0..ty.rank())
            .map(|axis| {
                let is_kept = if is_vector {
                    axis == only
                } else {
                    self.random.chance(60)
                };
                ty.shape[axis].as_const().filter(|_| is_kept).unwrap_or(1)
            })
            .collect();
        self.constant(ty.dtype, &sizes)
    }
}

pub(super) fn unary(g: &mut Grower<'_>) -> Grown {
    let x = g.any(|t| t.quant.is_none())?;
    let f = g.function(g.ty(x).dtype);
    g.put(Unary { f }, &[x]).map(|_| ())
}

pub(super) fn binary(g: &mut Grower<'_>) -> Grown {
    use BinaryFn::*;
    let x = g.any(|t| t.quant.is_none())?;
    let y = g.partner(x);
    let dtype = g.ty(x).dtype;
    let f = *match dtype {
        DType::Bool => g.random.pick(&[BitAnd, BitOr, BitXor, Max, Min]),
        d if d.is_int() => g.random.pick(&[
            Add, Sub, Mul, Max, Min, BitAnd, BitOr, BitXor, Shl, Shr, FloorDiv, TruncDiv,
            Remainder, Fmod, Pow,
        ]),
        _ => g.random.pick(&[
            Add, Add, Add, Sub, Sub, Mul, Mul, Mul, Div, Div, Max, Min, Pow, Atan2, FloorDiv,
            TruncDiv, Remainder, Fmod, Prelu,
        ]),
    };
    let operands = if g.random.chance(30) { [y, x] } else { [x, y] };
    g.put(Binary { f }, &operands).map(|_| ())
}

pub(super) fn compare_and_select(g: &mut Grower<'_>) -> Grown {
    use CompareFn::*;
    let x = g.any(|t| t.quant.is_none() && t.dtype != DType::Bool)?;
    let y = g.partner(x);
    let f = *g.random.pick(&[Eq, Ne, Lt, Le, Gt, Ge]);
    let condition = g.put(Compare { f }, &[x, y])?;
    if g.random.chance(70) {
        let (a, b) = (g.partner(x), g.partner(x));
        g.put(Select {}, &[condition, a, b])?;
    }
    Some(())
}

pub(super) fn cast(g: &mut Grower<'_>) -> Grown {
    let x = g.any(|t| t.quant.is_none())?;
    let (from, to) = (g.ty(x).dtype, g.dtype());
    let there = g.put(Cast { to }, &[x])?;
    if g.random.chance(30) {
        g.put(Cast { to: from }, &[there])?;
    }
    Some(())
}
