//! Element types, and the arithmetic of kernels.
//!
//! A kernel is generic over the element type, and computes in [`Number::Compute`]: f32 for half types, otherwise the
//! type itself. The macros of [`crate::dispatch`] choose the instance for a dtype.

use crate::kernels::matrix::Product;
use half::{bf16, f16};
use kiln_ir::{DType, Scalar};

/// A type of tensor elements.
pub trait Element:
    Copy + Default + PartialEq + PartialOrd + Send + Sync + std::fmt::Debug + 'static
{
    /// The dtype of these elements.
    const DTYPE: DType;
    /// Converts a scalar: integers wrap, floats are truncated toward zero to integers, anything but zero is true.
    fn from_scalar(value: Scalar) -> Self;
    /// As [`Element::from_scalar`], but a value out of range becomes the nearest end of the range.
    fn saturated(value: Scalar) -> Self;
    /// Converts an integer; wraps.
    fn from_int(value: i64) -> Self;
    /// Converts a float. To an integer it truncates toward zero. A value out of range gives what x86 conversions to 32
    /// or 64 bits give (the least integer), truncated to the type's width.
    fn from_real(value: f64) -> Self;
    /// Converts the value to another element type.
    fn convert<D: Element>(self) -> D;
    /// The sorting order: NaN is the greatest.
    fn order(self, other: Self) -> std::cmp::Ordering {
        self.partial_cmp(&other)
            .unwrap_or_else(|| self.is_nan().cmp(&other.is_nan()))
    }
    /// True for a NaN.
    #[expect(clippy::eq_op, reason = "only a NaN differs from itself")]
    fn is_nan(self) -> bool {
        self != self
    }
}

/// An element type with arithmetic: all but bool.
pub trait Number: Element {
    /// The type in which kernels compute.
    type Compute: Product;
    /// Converts to the compute type, exactly.
    fn up(self) -> Self::Compute;
    /// Converts from the compute type, rounding once.
    fn down(value: Self::Compute) -> Self;
    /// The type in which products, scans and statistics accumulate: f64 for floats, the type itself for integers.
    type Sum: Arithmetic;
    /// Converts to the accumulator type, exactly.
    fn term(self) -> Self::Sum;
    /// Converts from the accumulator type, rounding once.
    fn total(sum: Self::Sum) -> Self;
}

/// A float element type.
pub trait Float: Number<Compute = <Self as Float>::Real, Sum = f64> {
    /// The compute type, as [`Number::Compute`].
    type Real: Real;
}

/// An integer element type.
pub trait Int: Number {
    /// The value.
    fn to_i64(self) -> i64;
    /// `a << b`; 0 if `b` is out of range.
    fn shl(self, by: Self) -> Self;
    /// `a >> b`, filled with the sign; only the sign if `b` is out of range.
    fn shr(self, by: Self) -> Self;
}

/// The arithmetic of a compute type. Integers wrap. Integer division by zero gives 0, so kernels must look for zeros
/// first.
pub trait Arithmetic: Element {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The least value.
    const LEAST: Self;
    /// The greatest value.
    const GREATEST: Self;
    /// `a + b`.
    fn add(self, b: Self) -> Self;
    /// `a - b`.
    fn sub(self, b: Self) -> Self;
    /// `a * b`.
    fn mul(self, b: Self) -> Self;
    /// `-a`.
    fn neg(self) -> Self;
    /// `|a|`.
    fn abs(self) -> Self;
    /// -1, 0 or 1; 0 for NaN.
    fn sign(self) -> Self;
    /// The quotient rounded toward minus infinity.
    fn floor_div(self, b: Self) -> Self;
    /// The quotient rounded toward zero.
    fn trunc_div(self, b: Self) -> Self;
    /// The quotient by a count. For integers it is truncated, and 0 for a count of 0.
    fn over(self, count: i64) -> Self;
    /// The remainder with the sign of the divisor.
    fn remainder(self, b: Self) -> Self;
    /// The remainder with the sign of the dividend.
    fn fmod(self, b: Self) -> Self;
    /// `a` to the power `b`.
    fn pow(self, b: Self) -> Self;
    /// The greater value; NaN if either is NaN; `a` if both are equal.
    fn greater(self, b: Self) -> Self {
        if self.is_nan() || self >= b { self } else { b }
    }
    /// The lesser value; NaN if either is NaN; `a` if both are equal.
    fn less(self, b: Self) -> Self {
        if self.is_nan() || self <= b { self } else { b }
    }
}

/// A float compute type. Functions of f32 are computed in f64 and rounded once.
pub trait Real: Product {
    /// Converts from f64, rounding to nearest.
    fn from_f64(value: f64) -> Self;
    /// Converts to f64, exactly.
    fn to_f64(self) -> f64;
    /// `f` computed in f64, rounded once.
    fn via(self, f: impl Fn(f64) -> f64) -> Self {
        Self::from_f64(f(self.to_f64()))
    }
    /// `a / b`.
    fn div(self, b: Self) -> Self;
    /// `a * b + c`, rounded once.
    fn fused(self, b: Self, c: Self) -> Self;
}

macro_rules! int_elements {
    ($($ty:ident $dtype:ident by $through:ident;)*) => {$(
        impl Element for $ty {
            const DTYPE: DType = DType::$dtype;
            fn from_scalar(value: Scalar) -> Self { value.as_i64() as $ty }
            fn saturated(value: Scalar) -> Self {
                value.as_i64().clamp(i64::from($ty::MIN), i64::from($ty::MAX)) as $ty
            }
            fn from_int(value: i64) -> Self { value as $ty }
            fn from_real(value: f64) -> Self { $through(value) as $ty }
            fn convert<D: Element>(self) -> D { D::from_int(i64::from(self)) }
        }
        impl Number for $ty {
            type Compute = $ty;
            fn up(self) -> $ty { self }
            fn down(value: $ty) -> $ty { value }
            type Sum = $ty;
            fn term(self) -> $ty { self }
            fn total(sum: $ty) -> $ty { sum }
        }
        impl Int for $ty {
            fn to_i64(self) -> i64 { i64::from(self) }
            fn shl(self, by: Self) -> Self {
                u32::try_from(by).ok().and_then(|by| self.checked_shl(by)).unwrap_or(0)
            }
            fn shr(self, by: Self) -> Self {
                let by = u32::try_from(by).unwrap_or(u32::MAX);
                match self.checked_shr(by) {
                    Some(shifted) => shifted,
                    None if i64::from(self) < 0 => (-1i64) as $ty,
                    None => 0,
                }
            }
        }
        impl Arithmetic for $ty {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const LEAST: Self = $ty::MIN;
            const GREATEST: Self = $ty::MAX;
            fn add(self, b: Self) -> Self { self.wrapping_add(b) }
            fn sub(self, b: Self) -> Self { self.wrapping_sub(b) }
            fn mul(self, b: Self) -> Self { self.wrapping_mul(b) }
            fn neg(self) -> Self { self.wrapping_neg() }
            #[allow(unused_comparisons)]
            fn abs(self) -> Self { if self < 0 { self.wrapping_neg() } else { self } }
            fn sign(self) -> Self { i64::from(self).signum() as $ty }
            #[allow(unused_comparisons)]
            fn floor_div(self, b: Self) -> Self {
                if b == 0 { return 0 }
                let (quotient, rest) = (self.wrapping_div(b), self.wrapping_rem(b));
                if rest != 0 && (rest < 0) != (b < 0) { quotient - 1 } else { quotient }
            }
            fn over(self, count: i64) -> Self {
                if count == 0 { 0 } else { i64::from(self).wrapping_div(count) as $ty }
            }
            fn trunc_div(self, b: Self) -> Self { if b == 0 { 0 } else { self.wrapping_div(b) } }
            #[allow(unused_comparisons)]
            fn remainder(self, b: Self) -> Self {
                let rest = self.fmod(b);
                if rest != 0 && (rest < 0) != (b < 0) { rest.wrapping_add(b) } else { rest }
            }
            fn fmod(self, b: Self) -> Self { if b == 0 { 0 } else { self.wrapping_rem(b) } }
            #[allow(unused_comparisons)]
            fn pow(self, b: Self) -> Self {
                if b >= 0 { return wrapping_power(self, i64::from(b), $ty::wrapping_mul, 1) }
                match i64::from(self) {
                    1 => 1,
                    -1 if b % 2 == 0 => 1,
                    -1 => self,
                    _ => 0,
                }
            }
        }
    )*};
}

// PyTorch converts floats to u8 through i64, and to narrow signed integers through i32.
int_elements! {
    u8 U8 by to_64_bits;
    i8 I8 by to_32_bits;
    i16 I16 by to_32_bits;
    i32 I32 by to_32_bits;
    i64 I64 by to_64_bits;
}

fn to_32_bits(value: f64) -> i32 {
    let whole = value.trunc();
    if (-2147483648.0..2147483648.0).contains(&whole) {
        whole as i32
    } else {
        i32::MIN
    }
}

fn to_64_bits(value: f64) -> i64 {
    let in_range = (-9223372036854775808.0..9223372036854775808.0).contains(&value);
    if in_range { value as i64 } else { i64::MIN }
}

fn wrapping_power<T: Copy>(mut base: T, mut exponent: i64, mul: fn(T, T) -> T, one: T) -> T {
    let mut power = one;
    while exponent > 0 {
        if exponent % 2 == 1 {
            power = mul(power, base);
        }
        base = mul(base, base);
        exponent /= 2;
    }
    power
}

macro_rules! real_arithmetic {
    ($($ty:ident;)*) => {$(
        impl Arithmetic for $ty {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const LEAST: Self = $ty::NEG_INFINITY;
            const GREATEST: Self = $ty::INFINITY;
            fn add(self, b: Self) -> Self { self + b }
            fn sub(self, b: Self) -> Self { self - b }
            fn mul(self, b: Self) -> Self { self * b }
            fn neg(self) -> Self { -self }
            fn abs(self) -> Self { $ty::abs(self) }
            fn sign(self) -> Self { $ty::from(self > 0.0) - $ty::from(self < 0.0) }
            fn floor_div(self, b: Self) -> Self {
                if b == 0.0 { return self / b }
                let rest = self % b;
                let whole = (self - rest) / b;
                let quotient = if rest != 0.0 && (b < 0.0) != (rest < 0.0) { whole - 1.0 } else { whole };
                if quotient == 0.0 { return (0.0 as $ty).copysign(self / b) }
                // The quotient may have been rounded to just below or above the exact whole number.
                let floor = quotient.floor();
                if quotient - floor > 0.5 { floor + 1.0 } else { floor }
            }
            fn over(self, count: i64) -> Self { self / count as $ty }
            fn trunc_div(self, b: Self) -> Self { (self / b).trunc() }
            fn remainder(self, b: Self) -> Self {
                let rest = self % b;
                if rest != 0.0 && (b < 0.0) != (rest < 0.0) { rest + b } else { rest }
            }
            fn fmod(self, b: Self) -> Self { self % b }
            fn pow(self, b: Self) -> Self {
                libm::pow(f64::from(self), f64::from(b)) as $ty
            }
        }
        impl Real for $ty {
            fn from_f64(value: f64) -> Self { value as $ty }
            fn to_f64(self) -> f64 { f64::from(self) }
            fn div(self, b: Self) -> Self { self / b }
            fn fused(self, b: Self, c: Self) -> Self { self.mul_add(b, c) }
        }
    )*};
}

real_arithmetic! { f32; f64; }

macro_rules! float_elements {
    ($($ty:ident $dtype:ident $compute:ident, $from_scalar:expr, $from_int:expr, $up:expr, $down:expr, $from_sum:expr;)*) => {$(
        impl Element for $ty {
            const DTYPE: DType = DType::$dtype;
            fn from_scalar(value: Scalar) -> Self { $from_scalar(value.as_f64()) }
            fn saturated(value: Scalar) -> Self { Self::from_scalar(value) }
            fn from_int(value: i64) -> Self { $from_int(value) }
            fn from_real(value: f64) -> Self { $from_scalar(value) }
            fn convert<D: Element>(self) -> D { D::from_real(f64::from(self)) }
        }
        impl Number for $ty {
            type Compute = $compute;
            fn up(self) -> $compute { $up(self) }
            fn down(value: $compute) -> $ty { $down(value) }
            type Sum = f64;
            fn term(self) -> f64 { f64::from(self) }
            fn total(sum: f64) -> $ty { $from_sum(sum) }
        }
        impl Float for $ty { type Real = $compute; }
    )*};
}

fn same<T>(value: T) -> T {
    value
}

float_elements! {
    // PyTorch converts a Python float to a half type through f32.
    f16 F16 f32, |v| f16::from_f32(v as f32), |v| f16::from_f32(v as f32), f16::to_f32, f16::from_f32, |v| f16::from_f32(v as f32);
    bf16 BF16 f32, |v| bf16::from_f32(v as f32), |v| bf16::from_f32(v as f32), bf16::to_f32, bf16::from_f32, |v| bf16::from_f32(v as f32);
    f32 F32 f32, |v| v as f32, |v| v as f32, same, same, |v| v as f32;
    f64 F64 f64, same, |v| v as f64, same, same, same;
}

impl Element for bool {
    const DTYPE: DType = DType::Bool;
    fn from_scalar(value: Scalar) -> bool {
        match value {
            Scalar::Bool(b) => b,
            Scalar::Int(i) => i != 0,
            Scalar::Float(f) => f != 0.0,
        }
    }
    fn saturated(value: Scalar) -> bool {
        bool::from_scalar(value)
    }
    fn from_int(value: i64) -> bool {
        value != 0
    }
    fn from_real(value: f64) -> bool {
        value != 0.0
    }
    fn convert<D: Element>(self) -> D {
        D::from_int(i64::from(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_division_has_pythons_and_cs_signs() {
        for (a, b, floor, trunc, remainder, fmod) in [
            (7i32, 2, 3, 3, 1, 1),
            (-7, 2, -4, -3, 1, -1),
            (7, -2, -4, -3, -1, 1),
            (-7, -2, 3, 3, -1, -1),
            (i32::MIN, -1, i32::MIN, i32::MIN, 0, 0),
        ] {
            assert_eq!(Arithmetic::floor_div(a, b), floor);
            assert_eq!(Arithmetic::trunc_div(a, b), trunc);
            assert_eq!(Arithmetic::remainder(a, b), remainder);
            assert_eq!(Arithmetic::fmod(a, b), fmod);
        }
    }

    #[test]
    fn integer_powers_wrap_and_vanish() {
        assert_eq!(Arithmetic::pow(3i8, 5), -13);
        assert_eq!(Arithmetic::pow(2i32, -1), 0);
        assert_eq!(Arithmetic::pow(-1i64, -3), -1);
        assert_eq!(Arithmetic::pow(-1i64, -4), 1);
        assert_eq!(Arithmetic::pow(0u8, 0), 1);
    }

    #[test]
    fn shifts_out_of_range() {
        assert_eq!(Int::shl(1i32, 31), i32::MIN);
        assert_eq!(Int::shl(1i32, 32), 0);
        assert_eq!(Int::shl(1i8, -1), 0);
        assert_eq!(Int::shr(-8i16, 1), -4);
        assert_eq!(Int::shr(-8i16, 16), -1);
        assert_eq!(Int::shr(-8i16, -1), -1);
        assert_eq!(Int::shr(200u8, 9), 0);
    }

    #[test]
    fn extremes_keep_nan() {
        assert!(f32::NAN.greater(1.0).is_nan() && 1f32.less(f32::NAN).is_nan());
        assert_eq!(1f32.greater(2.0), 2.0);
    }

    #[test]
    fn nan_sorts_last() {
        use std::cmp::Ordering::*;
        assert_eq!(f32::NAN.order(f32::INFINITY), Greater);
        assert_eq!(f32::INFINITY.order(f32::NAN), Less);
        assert_eq!(f32::NAN.order(f32::NAN), Equal);
        assert_eq!((-0.0f32).order(0.0), Equal);
    }
}
