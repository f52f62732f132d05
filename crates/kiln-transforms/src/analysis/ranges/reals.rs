//! Conversion between ranges of integers and ranges of the reals that they represent.

use super::{Floats, Integers, Range};
use kiln_ir::DType;
use kiln_ir::types::Quant;

/// The range of the reals that the numbers represent. Integers without a quantisation represent themselves.
pub(super) fn of(range: Range, quant: Option<&Quant>) -> Floats {
    let integers = match range {
        Range::Floats(range) => return range,
        Range::Integers(range) => range,
    };
    let Some(quant) = quant else {
        return Floats::between(integers.low as f64, integers.high as f64).rounded(DType::F64);
    };
    let (scales, zeros) = (quant.scheme.scales(), quant.scheme.zero_points());
    let reals = scales.iter().zip(zeros).map(|(scale, &zero)| {
        let real = |n: i128| (n - i128::from(zero)) as f64 * scale;
        Floats::between(real(integers.low), real(integers.high))
    });
    reals.reduce(Floats::joined).unwrap_or(Floats::ANY)
}

/// The range of the integers to which reals are quantised. `reals` has all roundings but the last included; its ends
/// are rounded outwards and saturated. NaN becomes 0, or the nearest integer of the quantisation.
pub(super) fn quantised(reals: Floats, quant: &Quant) -> Integers {
    let all = Integers::between(quant.min, quant.max);
    let whole = |n: f64| n as i128;
    let one = |(scale, &zero): (&f64, &i64)| {
        // A half type or f32 may not hold the reciprocal of the scale.
        if 1.0 / scale > f64::from(f32::MAX) {
            return all;
        }
        // The zero point is added in floats too.
        let error = |n: f64| {
            if n.abs() > 2f64.powi(22) {
                n.abs() * 2f64.powi(-20)
            } else {
                0.0
            }
        };
        let cut = |n: f64| whole(n).clamp(all.low, all.high);
        let (low, high) = (reals.low / scale, reals.high / scale);
        let (low, high) = (low - error(low), high + error(high));
        let (low, high) = (low + zero as f64, high + zero as f64);
        Integers::between(
            cut((low - error(low)).floor()),
            cut((high + error(high)).ceil()),
        )
    };
    let (scales, zeros) = (quant.scheme.scales(), quant.scheme.zero_points());
    let found = scales.iter().zip(zeros).map(one);
    let found = found.reduce(Integers::joined).unwrap_or(all);
    let nothing = 0i128.clamp(all.low, all.high);
    match reals.nan {
        true => found.joined(Integers::between(nothing, nothing)),
        false => found,
    }
}
