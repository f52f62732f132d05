//! Element types, and the arithmetic that kernels are written in.
//!
//! A kernel is generic over the element type and computes in [`Number::Compute`]: f32 for the half
//! types, the type itself for all others. The macros of [`crate::dispatch`] choose the
//! instance by a dtype.

use crate::kernels::matrix::Product;
use half::{bf16, f16};
use kiln_ir::{DType, Scalar};

/// A type whose values are elements of tensors.
pub trait Element:
    Copy + Default + PartialEq + PartialOrd + Send + Sync + std::fmt::Debug + 'static
{
    /// The dtype of such elements.
    const DTYPE: DType;
    /// The scalar in this type: integers wrap, floats truncate toward zero to integers, anything but
    /// zero is true.
    fn from_scalar(value: Scalar) -> Self;
    /// As [`Element::from_scalar`], but what is out of range becomes the nearest value.
    fn saturated(value: Scalar) -> Self;
    /// An integer in this type; wraps.
    fn from_int(value: i64) -> Self;
    /// A float in this type. To an integer it truncates toward zero; what is out of range gives what
    /// x86 conversions to 32 or 64 bits give (the least integer), cut to the type's width.
    fn from_real(value: f64) -> Self;
    /// This value in another type.
    fn convert<D: Element>(self) -> D;
    /// The order of sorting: a NaN is the greatest.
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
    /// What kernels compute in.
    type Compute: Product;
    /// To the compute type, exactly.
    fn up(self) -> Self::Compute;
    /// From the compute type, rounding once.
    fn down(value: Self::Compute) -> Self;
    /// What sums run up in: f64 for floats, the type itself for integers.
    type Sum: Arithmetic;
    /// To the type of sums, exactly.
    fn term(self) -> Self::Sum;
    /// From the type of sums, rounding once.
    fn total(sum: Self::Sum) -> Self;
}

/// A float element type.
pub trait Float: Number<Compute = <Self as Float>::Real, Sum = f64> {
    /// As [`Number::Compute`].
    type Real: Real;
}

/// An integer element type.
pub trait Int: Number {
    /// The value.
    fn to_i64(self) -> i64;
    /// `a << b`, 0 where `b` is out of range.
    fn shl(self, by: Self) -> Self;
    /// `a >> b` with its sign, the sign alone where `b` is out of range.
    fn shr(self, by: Self) -> Self;
}

/// Arithmetic of a compute type; integers wrap. Integer division by zero gives 0: kernels look for
/// zeros beforehand.
pub trait Arithmetic: Element {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The value that every other is at least.
    const LEAST: Self;
    /// The value that every other is at most.
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
    /// -1, 0 or 1; 0 for a NaN.
    fn sign(self) -> Self;
    /// Toward minus infinity.
    fn floor_div(self, b: Self) -> Self;
    /// Toward zero.
    fn trunc_div(self, b: Self) -> Self;
    /// Divided by a count; integers truncate, and give 0 for a count of 0.
    fn over(self, count: i64) -> Self;
    /// With the divisor's sign.
    fn remainder(self, b: Self) -> Self;
    /// With the dividend's sign.
    fn fmod(self, b: Self) -> Self;
    /// `a` to the power `b`.
    fn pow(self, b: Self) -> Self;
    /// The greater; NaN if either is; `a` of equals.
    fn greater(self, b: Self) -> Self {
        if self.is_nan() || self >= b { self } else { b }
    }
    /// The less; NaN if either is; `a` of equals.
    fn less(self, b: Self) -> Self {
        if self.is_nan() || self <= b { self } else { b }
    }
}

/// A float compute type. Functions of f32 compute in f64 and round once.
pub trait Real: Product {
    /// The nearest value.
    fn from_f64(value: f64) -> Self;
    /// Exactly.
    fn to_f64(self) -> f64;
    /// `f` in f64, rounded once.
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

// torch converts floats to u8 by way of i64, to the narrow signed types by way of i32.
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
                // The division may have rounded to just below or above the whole number meant.
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
    // torch converts a Python float to the half types by way of f32.
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
