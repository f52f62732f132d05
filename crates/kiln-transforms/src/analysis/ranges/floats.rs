//! Intervals of floats, with a flag for NaN.

use kiln_ir::DType;

/// The floats from `low` to `high`, both included. Ends may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floats {
    /// The least element, except NaN.
    pub low: f64,
    /// The greatest element, except NaN.
    pub high: f64,
    /// True if an element may be NaN.
    pub nan: bool,
}

impl Floats {
    /// All numbers and NaN.
    pub const ANY: Floats = Floats {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        nan: true,
    };

    /// The floats from `low` to `high`, without NaN.
    pub const fn between(low: f64, high: f64) -> Floats {
        Floats {
            low,
            high,
            nan: false,
        }
    }

    /// True if the range contains the number, or NaN if it is one.
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

    /// The greatest absolute value.
    pub fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// True if `times` the magnitude is finite in the dtype.
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

    /// The intersection with `low..=high`; `None` if it is empty. The flag for NaN stays.
    pub(super) fn part(self, low: f64, high: f64) -> Option<Floats> {
        let (low, high) = (self.low.max(low), self.high.min(high));
        (low <= high).then_some(Floats { low, high, ..self })
    }

    /// Both ends clamped to the results `low..=high` of a function.
    pub(super) fn within(self, low: f64, high: f64) -> Floats {
        Floats {
            low: self.low.clamp(low, high),
            high: self.high.clamp(low, high),
            ..self
        }
    }

    /// The image under a non-decreasing function.
    pub(super) fn rising(self, f: impl Fn(f64) -> f64) -> Floats {
        Floats {
            low: f(self.low),
            high: f(self.high),
            ..self
        }
    }

    /// The hull of a function's values at the four pairs of ends. NaN counts as 0.
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

    /// The range of results after they are rounded to the dtype. `self` is the range of exact results.
    pub(super) fn rounded(self, dtype: DType) -> Floats {
        self.rounded_often(dtype, 1)
    }

    /// As [`Floats::rounded`], for results of `times` roundings in a row, without cancellation.
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
        // Rounding never changes a sign.
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

    /// Both ends moved outwards. An end beyond the greatest finite number of the dtype becomes infinite.
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

/// The greatest relative error after `times` roundings: some units in the last place of the dtype, and one of the
/// compute dtype for each rounding. Half types compute in f32.
pub(super) fn relative_error(dtype: DType, times: i64) -> f64 {
    let times = times as f64;
    match dtype {
        DType::F16 => f64::from(f32::EPSILON) * times + 2f64.powi(-9),
        DType::BF16 => f64::from(f32::EPSILON) * times + 2f64.powi(-6),
        DType::F64 => f64::EPSILON * (times + 64.0),
        _ => f64::from(f32::EPSILON) * (times + 16.0),
    }
}

/// The least positive number that no machine flushes to 0, and the greatest finite number.
pub(super) fn ends(dtype: DType) -> (f64, f64) {
    match dtype {
        DType::F16 => (2f64.powi(-24), 65504.0),
        DType::BF16 => (f64::from(f32::MIN_POSITIVE), 255.0 * 2f64.powi(120)),
        DType::F64 => (f64::MIN_POSITIVE, f64::MAX),
        _ => (f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX)),
    }
}
