//! Scaling integers by a multiplier and a shift.

use crate::dialect::{Rescale, Rounding, TensorType};

/// `value * multiplier / 2^shift`, rounded half up, or as older runtimes do if doubly.
///
/// # Errors
/// If the value has too many bits for the shift, or the result more than 32.
pub(super) fn by_31_bits(
    value: i64,
    multiplier: i32,
    shift: i8,
    doubly: bool,
) -> Result<i64, String> {
    let half = 1i64 << (shift - 1);
    if !(-half..half).contains(&value) {
        return Err(format!("unpredictable: {value} is shifted by {shift}"));
    }
    let mut round = i128::from(half);
    if doubly && shift > 31 {
        round += if value >= 0 { 1 << 30 } else { -(1 << 30) };
    }
    let product = i128::from(value) * i128::from(multiplier) + round;
    Ok((product >> shift) as i64)
}

/// As [`by_31_bits`], for values of up to 48 bits and multipliers of 15.
///
/// # Errors
/// If the result has more than 32 bits.
pub(super) fn by_15_bits(value: i64, multiplier: i32, shift: i8) -> Result<i64, String> {
    let product = i128::from(value) * i128::from(multiplier) + (1i128 << (shift - 1));
    let scaled = (product >> shift) as i64;
    match i32::try_from(scaled) {
        Ok(_) => Ok(scaled),
        Err(_) => Err(format!("unpredictable: {value} scales to {scaled}")),
    }
}

/// Multiplier and shift that divide by a count.
pub(super) fn reciprocal(count: u32) -> (i32, i8) {
    let bits = 32 - (count - 1).leading_zeros();
    let numerator = ((1i64 << 30) + 1) << bits;
    ((numerator / i64::from(count)) as i32, (30 + bits) as i8)
}

/// `RESCALE` of elements whose last axis is the channels.
pub(super) fn rescale(
    rescale: &Rescale,
    from: &TensorType,
    values: &[i64],
) -> Result<Vec<i64>, String> {
    let channels = if rescale.per_channel {
        rescale.multiplier.len()
    } else {
        1
    };
    let unsigned_bits = if rescale.input_unsigned {
        from.dtype.bits()
    } else {
        62
    };
    let mask = (1i64 << unsigned_bits) - 1;
    let (low, high) = rescale.to.int_range().unwrap_or((0, 0));
    let doubly = rescale.rounding == Rounding::Double;
    let one = |(i, &value): (usize, &i64)| {
        let (m, s) = (
            rescale.multiplier[i % channels],
            rescale.shift[i % channels],
        );
        let value = if rescale.input_unsigned {
            value & mask
        } else {
            value
        };
        let value = value - i64::from(rescale.input_zp);
        let scaled = match rescale.scale32 {
            true => by_31_bits(value, m, s, doubly)?,
            false => by_15_bits(value, m, s)?,
        };
        let moved = scaled + i64::from(rescale.output_zp);
        if i32::try_from(moved).is_err() {
            return Err(format!("unpredictable: {moved} has more than 32 bits"));
        }
        if !rescale.output_unsigned {
            return Ok(moved.clamp(low, high));
        }
        // The bits of the number without sign, as the signed type holds them.
        let span = high - low;
        let bits = moved.clamp(0, span);
        Ok(if bits > high { bits - span - 1 } else { bits })
    };
    values.iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_is_rounded_up_and_doubly_away_from_zero() {
        assert_eq!(by_31_bits(3, 1 << 30, 31, false), Ok(2));
        assert_eq!(by_31_bits(-3, 1 << 30, 31, false), Ok(-1));
        assert_eq!(by_31_bits(-5, 1 << 30, 33, false), Ok(-1));
        assert!(by_31_bits(1 << 20, 1 << 30, 10, false).is_err());
        assert_eq!(by_15_bits(-3, 1 << 14, 15), Ok(-1));
    }

    #[test]
    fn reciprocals_divide() {
        for count in 1..200 {
            let (m, s) = reciprocal(count);
            let n = i64::from(count);
            assert_eq!(by_31_bits(100 * n, m, s, false), Ok(100), "{count}");
        }
    }
}
