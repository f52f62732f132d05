//! The integers of activations.

use crate::ranges::Range;
use kiln_ir::DType;

/// The integers to which reals are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    pub(crate) dtype: DType,
    /// The least integer.
    pub(crate) min: i64,
    /// The greatest integer.
    pub(crate) max: i64,
    /// True if 0 stands for 0.
    is_about_zero: bool,
}

impl Grid {
    /// 8 bits over the whole range.
    pub(crate) const BYTES: Grid = Grid {
        dtype: DType::I8,
        min: -128,
        max: 127,
        is_about_zero: false,
    };

    /// 16 bits about 0, as TOSA has them.
    pub(crate) const WIDE: Grid = Grid {
        dtype: DType::I16,
        min: -32768,
        max: 32767,
        is_about_zero: true,
    };

    /// The number of steps from the least integer to the greatest.
    pub(crate) fn steps(self) -> f64 {
        (self.max - self.min) as f64
    }

    /// The scale and the zero point with which the integers cover a range.
    pub(crate) fn parameters(self, range: Range) -> (f64, i64) {
        if !self.is_about_zero {
            return range.parameters(self.min, self.max);
        }
        let reach = range.max.max(-range.min);
        let whole = Range {
            min: -reach,
            max: reach,
        };
        let (scale, _) = whole.parameters(-self.max, self.max);
        (scale, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_integers_stand_about_zero() {
        let range = Range {
            min: -1.0,
            max: 3.0,
        };
        let (scale, zero_point) = Grid::WIDE.parameters(range);
        assert_eq!(zero_point, 0);
        assert!((scale * 32767.0 - 3.0).abs() < 1e-6, "{scale}");
        assert_eq!(Grid::BYTES.parameters(range).1, -64);
    }
}
