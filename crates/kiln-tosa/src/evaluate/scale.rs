//! `RESCALE` of tensors.

use crate::dialect::{Rescale, Rounding, TensorType};
use kiln_quantised::multiplier::Scale;
use kiln_quantised::tosa::{apply_scale_16, apply_scale_32};

/// Rescales elements; the last axis is that of the channels.
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
        let by = Scale {
            multiplier: rescale.multiplier[i % channels],
            shift: rescale.shift[i % channels],
        };
        let value = if rescale.input_unsigned {
            value & mask
        } else {
            value
        };
        let value = value - i64::from(rescale.input_zp);
        let scaled = match rescale.scale32 {
            true => apply_scale_32(value, by, doubly),
            false => apply_scale_16(value, by),
        };
        let scaled = scaled.map_err(|error| error.to_string())?;
        let moved = scaled + i64::from(rescale.output_zp);
        if i32::try_from(moved).is_err() {
            return Err(format!("unpredictable: {moved} has more than 32 bits"));
        }
        if !rescale.output_unsigned {
            return Ok(moved.clamp(low, high));
        }
        // The unsigned integer, as the bits of the signed type.
        let span = high - low;
        let bits = moved.clamp(0, span);
        Ok(if bits > high { bits - span - 1 } else { bits })
    };
    values.iter().enumerate().map(one).collect()
}
