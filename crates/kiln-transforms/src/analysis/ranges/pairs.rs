//! Ranges of functions of two floats.

use super::floats::Floats;
use super::functions::either;
use kiln_ir::DType;
use kiln_ir::ops::BinaryFn;

/// The range of `f(a, b)` in this dtype. `alike` means that both operands are the same value.
pub(super) fn binary(
    f: BinaryFn,
    a: Floats,
    b: Floats,
    alike: bool,
    dtype: DType,
) -> Option<Floats> {
    let found = match f {
        BinaryFn::Add => a.sum(b).rounded(dtype),
        BinaryFn::Sub if alike => Floats::between(0.0, 0.0).with_nan(a.nan || !a.is_finite()),
        BinaryFn::Sub => {
            let negative = Floats {
                low: -b.high,
                high: -b.low,
                ..b
            };
            a.sum(negative).rounded(dtype)
        }
        BinaryFn::Mul if alike => a.size().rising(|v| v * v).rounded(dtype),
        BinaryFn::Mul => a.product(b).rounded(dtype),
        BinaryFn::Div => a.quotient(b).rounded(dtype),
        BinaryFn::FloorDiv => floor_div(a, b, dtype),
        BinaryFn::TruncDiv => a.quotient(b).rounded(dtype).rising(f64::trunc),
        BinaryFn::Remainder => remainder(a, b).rounded(dtype),
        BinaryFn::Fmod => fmod(a, b),
        BinaryFn::Pow => power(a, b, dtype),
        BinaryFn::Max => Floats {
            low: a.low.max(b.low),
            high: a.high.max(b.high),
            nan: a.nan || b.nan,
        },
        BinaryFn::Min => Floats {
            low: a.low.min(b.low),
            high: a.high.min(b.high),
            nan: a.nan || b.nan,
        },
        BinaryFn::Atan2 => {
            let most = std::f64::consts::PI;
            Floats::between(-most, most)
                .with_nan(a.nan || b.nan)
                .rounded(dtype)
        }
        BinaryFn::Prelu => {
            let below = a.part(f64::NEG_INFINITY, 0.0);
            let below = below.map(|a| a.product(b).rounded(dtype));
            either(a.part(0.0, f64::INFINITY), below)?.with_nan(a.nan)
        }
        BinaryFn::BitAnd | BinaryFn::BitOr | BinaryFn::BitXor | BinaryFn::Shl | BinaryFn::Shr => {
            return None;
        }
    };
    Some(found)
}

impl Floats {
    fn has_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    /// The range of exact sums. Infinities of both signs give NaN.
    pub(super) fn sum(self, b: Floats) -> Floats {
        let or = |n: f64, other: f64| if n.is_nan() { other } else { n };
        let clash = |a: Floats, b: Floats| a.high == f64::INFINITY && b.low == f64::NEG_INFINITY;
        Floats {
            low: or(self.low + b.low, f64::NEG_INFINITY),
            high: or(self.high + b.high, f64::INFINITY),
            nan: self.nan || b.nan || clash(self, b) || clash(b, self),
        }
    }

    /// The range of exact products. Infinity times 0 gives NaN.
    pub(super) fn product(self, b: Floats) -> Floats {
        let clash = |a: Floats, b: Floats| a.has_zero() && !b.is_finite();
        let product = self.corners(b, |a, b| a * b);
        product.with_nan(clash(self, b) || clash(b, self))
    }

    /// The range of exact quotients. Zeros have signs, so a divisor range with 0 gives infinities of both signs.
    pub(super) fn quotient(self, b: Floats) -> Floats {
        let both_infinite = !self.is_finite() && !b.is_finite();
        if b.has_zero() {
            return Floats {
                nan: self.nan || b.nan || both_infinite || self.has_zero(),
                ..Floats::ANY
            };
        }
        self.corners(b, |a, b| a / b).with_nan(both_infinite)
    }
}

/// The range of rounded-down quotients. A finite number divided by infinity gives 0 or -1.
fn floor_div(a: Floats, b: Floats, dtype: DType) -> Floats {
    let quotient = a.quotient(b).rounded(dtype);
    let nan = quotient.nan || !a.is_finite();
    let low = if b.is_finite() {
        quotient.low
    } else {
        quotient.low.min(-1.0)
    };
    let found = Floats {
        low,
        nan,
        ..quotient
    };
    // The quotient may have been rounded up to a whole number before it is rounded down.
    found.rising(f64::floor).joined(found)
}

/// The range of remainders that have the divisor's sign and are no larger than the divisor.
fn remainder(a: Floats, b: Floats) -> Floats {
    Floats {
        low: b.low.min(0.0),
        high: b.high.max(0.0),
        nan: a.nan || b.nan || !a.is_finite() || b.has_zero(),
    }
}

/// The range of remainders that have the dividend's sign and are no larger than either operand.
fn fmod(a: Floats, b: Floats) -> Floats {
    let most = b.magnitude();
    Floats {
        low: a.low.min(0.0).max(-most),
        high: a.high.max(0.0).min(most),
        nan: a.nan || b.nan || !a.is_finite() || b.has_zero(),
    }
}

/// The range of powers. Precise only for one known exponent; otherwise a power of a non-negative base is non-negative.
fn power(a: Floats, b: Floats, dtype: DType) -> Floats {
    let exponent = b.low;
    let is_known = b.low == b.high && !b.nan && exponent.is_finite();
    let is_even = is_known && exponent.rem_euclid(2.0) == 0.0;
    let base = if is_even { a.size() } else { a };
    if !is_known || base.low < 0.0 {
        let low = if base.low >= 0.0 {
            0.0
        } else {
            f64::NEG_INFINITY
        };
        let is_whole = is_known && exponent.fract() == 0.0;
        let nan = a.nan || b.nan || (base.low < 0.0 && !is_whole);
        // The power -1 of -0 is minus infinity.
        let low = if base.low == 0.0 && b.low < 0.0 && !is_even {
            f64::NEG_INFINITY
        } else {
            low
        };
        return Floats {
            low,
            nan,
            ..Floats::ANY
        };
    }
    if base.low == 0.0 && exponent < 0.0 {
        let low = if is_even { 0.0 } else { f64::NEG_INFINITY };
        return Floats {
            low,
            nan: a.nan,
            ..Floats::ANY
        };
    }
    let ends = [base.low, base.high].map(|v| libm::pow(v, exponent));
    Floats {
        low: ends[0].min(ends[1]),
        high: ends[0].max(ends[1]),
        nan: a.nan,
    }
    .rounded(dtype)
}
