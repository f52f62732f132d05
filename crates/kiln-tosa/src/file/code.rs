//! The codes of types, operators and modes in files.

use crate::dialect::{Kind, NanMode, ResizeMode, Rounding, TosaDtype};

/// The code of an element type.
pub(super) const fn of_dtype(dtype: TosaDtype) -> u32 {
    match dtype {
        TosaDtype::Bool => 1,
        TosaDtype::I4 => 2,
        TosaDtype::I8 => 3,
        TosaDtype::I16 => 4,
        TosaDtype::I32 => 5,
        TosaDtype::I48 => 6,
        TosaDtype::F32 => 7,
        TosaDtype::F16 => 8,
        TosaDtype::BF16 => 9,
        TosaDtype::F8E4M3 => 11,
        TosaDtype::F8E5M2 => 12,
    }
}

/// The element type of a code.
pub(super) fn dtype(code: u32) -> Option<TosaDtype> {
    TosaDtype::ALL.into_iter().find(|&d| of_dtype(d) == code)
}

/// The operator of a code.
pub(super) fn kind(code: u32) -> Option<Kind> {
    let index = (code as usize).checked_sub(1)?;
    Kind::ALL.get(index).copied()
}

/// The code of a NaN mode.
pub(super) const fn of_nan_mode(mode: NanMode) -> u32 {
    match mode {
        NanMode::Propagate => 1,
        NanMode::Ignore => 2,
    }
}

/// The code of a resize mode.
pub(super) const fn of_resize_mode(mode: ResizeMode) -> u32 {
    match mode {
        ResizeMode::Nearest => 1,
        ResizeMode::Bilinear => 2,
    }
}

/// The code of a rounding mode.
pub(super) const fn of_rounding(rounding: Rounding) -> u32 {
    match rounding {
        Rounding::Single => 1,
        Rounding::Inexact => 2,
        Rounding::Double => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_count_the_operators() {
        for &k in Kind::ALL {
            assert_eq!(kind(k as u32), Some(k));
        }
        assert_eq!(super::super::CONST_SHAPE as usize, Kind::ALL.len() + 1);
        assert_eq!(kind(0), None);
    }
}
