//! Intervals of floats, with NaN beside them.

use kiln_ir::DType;

/// The floats from `low` to `high`, both included; infinities are ends like others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floats {
    /// The least, NaN aside.
    pub low: f64,
    /// The greatest, NaN aside.
    pub high: f64,
    /// An element may be NaN.
    pub nan: bool,
}

impl Floats {
    /// Nothing is known.
    pub const ANY: Floats = Floats {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        nan: true,
    };

    /// The floats between two, and no NaN.
    pub const fn between(low: f64, high: f64) -> Floats {
        Floats {
            low,
            high,
            nan: false,
        }
    }

    /// True for a number of the range; a NaN where one may be.
    pub fn contains(self, number: f64) -> bool {
        match number.is_nan() {
            true => self.nan,
            false => self.low <= number && number <= self.high,
        }
    }

    /// True if no element is an infinity.
    pub fn is_finite(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// The greatest distance of an element from 0.
    pub fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// True if so many times the number furthest from 0 is finite in the dtype.
    pub fn is_finite_times(self, times: f64, dtype: DType) -> bool {
        self.magnitude() * times <= ends(dtype).1
    }

    pub(super) fn with_nan(self, nan: bool) -> Floats {
        Floats {
            nan: self.nan || nan,
            ..self
        }
    }

    pub(super) fn joined(self, other: Floats) -> Floats {
        Floats {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            nan: self.nan || other.nan,
        }
    }

    /// The numbers from `low` to `high` among these; `None` if there are none. A NaN stays possible.
    pub(super) fn part(self, low: f64, high: f64) -> Option<Floats> {
        let (low, high) = (self.low.max(low), self.high.min(high));
        (low <= high).then_some(Floats { low, high, ..self })
    }

    /// Cut to what a function gives.
    pub(super) fn within(self, low: f64, high: f64) -> Floats {
        Floats {
            low: self.low.clamp(low, high),
            high: self.high.clamp(low, high),
            ..self
        }
    }

    /// Both ends through a function that never falls.
    pub(super) fn rising(self, f: impl Fn(f64) -> f64) -> Floats {
        Floats {
            low: f(self.low),
            high: f(self.high),
            ..self
        }
    }

    /// The hull of a function of both ends of two ranges. Where the function of two ends is NaN, 0 stands for it.
    pub(super) fn corners(self, b: Floats, f: impl Fn(f64, f64) -> f64) -> Floats {
        let ends = [
            f(self.low, b.low),
            f(self.low, b.high),
            f(self.high, b.low),
            f(self.high, b.high),
        ];
        let ends = ends.map(|e| if e.is_nan() { 0.0 } else { e });
        Floats {
            low: ends.into_iter().fold(f64::INFINITY, f64::min),
            high: ends.into_iter().fold(f64::NEG_INFINITY, f64::max),
            nan: self.nan || b.nan,
        }
    }

    /// The range of an exact function's results once they are rounded to the dtype.
    pub(super) fn rounded(self, dtype: DType) -> Floats {
        self.rounded_often(dtype, 1)
    }

    /// As [`Floats::rounded`], of what was rounded `times` times on the way without cancelling.
    pub(super) fn rounded_often(self, dtype: DType, times: i64) -> Floats {
        let slack = relative_error(dtype, times);
        let error = |end: f64| {
            if end.is_finite() {
                end.abs() * slack
            } else {
                0.0
            }
        };
        let signs = self;
        let wide = self.widened(dtype, error(self.low), error(self.high));
        // No rounding changes a sign.
        Floats {
            low: if signs.low >= 0.0 {
                wide.low.max(0.0)
            } else {
                wide.low
            },
            high: if signs.high <= 0.0 {
                wide.high.min(0.0)
            } else {
                wide.high
            },
            nan: wide.nan,
        }
    }

    /// Ends moved outwards, and to infinity beyond the dtype's greatest number.
    pub(super) fn widened(self, dtype: DType, below: f64, above: f64) -> Floats {
        let (least, greatest) = ends(dtype);
        let low = self.low - below - least;
        let high = self.high + above + least;
        Floats {
            low: if low < -greatest {
                f64::NEG_INFINITY
            } else {
                low.min(greatest)
            },
            high: if high > greatest {
                f64::INFINITY
            } else {
                high.max(-greatest)
            },
            nan: self.nan,
        }
    }
}

/// How far results of a dtype may be from the exact ones, relative to them, after `times` roundings: some units in
/// the last place, and one of the compute type for each rounding. Half types compute in f32.
pub(super) fn relative_error(dtype: DType, times: i64) -> f64 {
    let times = times as f64;
    match dtype {
        DType::F16 => f64::from(f32::EPSILON) * times + 2f64.powi(-9),
        DType::BF16 => f64::from(f32::EPSILON) * times + 2f64.powi(-6),
        DType::F64 => f64::EPSILON * (times + 64.0),
        _ => f64::from(f32::EPSILON) * (times + 16.0),
    }
}

/// The least number above 0 that machines do not flush to 0, and the greatest finite number.
pub(super) fn ends(dtype: DType) -> (f64, f64) {
    match dtype {
        DType::F16 => (2f64.powi(-24), 65504.0),
        DType::BF16 => (f64::from(f32::MIN_POSITIVE), 255.0 * 2f64.powi(120)),
        DType::F64 => (f64::MIN_POSITIVE, f64::MAX),
        _ => (f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX)),
    }
}
