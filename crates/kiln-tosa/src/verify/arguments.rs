//! The rules of attributes, by operator, beyond those that inference needs. The types of operands have been inferred.

use crate::dialect::{
    AvgPool, Clamp, Conv, Feature, MaxPool, Pad, Rescale, Resize, Rounding, Spec, TensorType,
    TosaDtype, TosaOp, TransposeConv,
};
use kiln_ir::{Content, Scalar};

/// The rules that an operator's attributes break. `result` is the first result.
pub(super) fn check(op: &TosaOp, operands: &[TensorType], spec: Spec, found: &mut Vec<String>) {
    let mut rules = Rules { operands, found };
    match op {
        TosaOp::AvgPool2d(a) => rules.avg_pool(a),
        TosaOp::MaxPool2d(a) => rules.max_pool(a),
        TosaOp::Conv2d(a) | TosaOp::DepthwiseConv2d(a) => rules.conv(a),
        TosaOp::Conv3d(a) => rules.conv(a),
        TosaOp::TransposeConv2d(a) => rules.transpose_conv(a),
        TosaOp::MatMul(a) => {
            rules.zero_point("a_zp", 0, a.a_zp);
            rules.zero_point("b_zp", 1, a.b_zp);
        }
        TosaOp::Negate(a) => {
            rules.zero_point("input_zp", 0, a.input_zp);
            rules.zero_point("output_zp", 0, a.output_zp);
        }
        TosaOp::Fft2d { .. } | TosaOp::Rfft2d { .. } => {
            let sizes = &operands[0].shape[1..];
            let is_power = sizes.iter().all(|s| s.is_power_of_two());
            rules.rule(is_power, || format!("{sizes:?} are no powers of two"));
        }
        TosaOp::Clamp(a) => rules.clamp(a),
        TosaOp::Mul { shift } => rules.mul(*shift),
        TosaOp::Table { table } => {
            let expected = match operands[0].dtype {
                TosaDtype::I8 => 256,
                _ => 2 * 513,
            };
            rules.rule(table.len() == expected, || {
                format!("a table of {} bytes, not {expected}", table.len())
            });
        }
        TosaOp::Pad(pad) => rules.pad(pad),
        TosaOp::Resize(a) => rules.resize(a),
        TosaOp::Rescale(a) => rules.rescale(a, spec),
        TosaOp::Const {
            dtype,
            shape,
            values,
        } => rules.constant(*dtype, shape, values),
        TosaOp::Variable(a) => {
            if let Some(initial) = &a.initial {
                rules.constant(a.dtype, &a.shape, initial);
            }
        }
        _ => {}
    }
}

struct Rules<'f> {
    operands: &'f [TensorType],
    found: &'f mut Vec<String>,
}

/// A scalar as the user writes it.
fn number(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool(value) => value.to_string(),
        Scalar::Int(value) => value.to_string(),
        Scalar::Float(value) => value.to_string(),
    }
}

impl Rules<'_> {
    fn rule(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.found.push(otherwise());
        }
    }

    /// Only `i8` has a zero point other than 0.
    fn zero_point(&mut self, name: &str, operand: usize, zp: i32) {
        let dtype = self.operands[operand].dtype;
        let (low, high) = match dtype {
            TosaDtype::I8 => (-128, 127),
            _ => (0, 0),
        };
        self.rule((low..=high).contains(&zp), || {
            format!("{name} is {zp}; for {dtype} it is {low} to {high}")
        });
    }

    fn window(&mut self, kernel: [usize; 2], stride: [usize; 2], pad: [[usize; 2]; 2]) {
        self.rule(!stride.contains(&0), || format!("a stride of {stride:?}"));
        for (k, p) in kernel.into_iter().zip(pad) {
            self.rule(p[0] < k && p[1] < k, || {
                format!("padding {p:?} is not below the window's {k}")
            });
        }
    }

    fn avg_pool(&mut self, a: &AvgPool) {
        self.window(a.kernel, a.stride, a.pad);
        self.zero_point("input_zp", 0, a.input_zp);
        self.zero_point("output_zp", 0, a.output_zp);
    }

    fn max_pool(&mut self, a: &MaxPool) {
        self.window(a.kernel, a.stride, a.pad);
    }

    fn conv<const N: usize>(&mut self, a: &Conv<N>) {
        self.rule(!a.dilation.contains(&0), || {
            format!("a dilation of {:?}", a.dilation)
        });
        self.zero_point("input_zp", 0, a.input_zp);
        self.zero_point("weight_zp", 1, a.weight_zp);
    }

    fn transpose_conv(&mut self, a: &TransposeConv) {
        self.rule(!a.stride.contains(&0), || {
            format!("a stride of {:?}", a.stride)
        });
        for (i, pad) in a.out_pad.into_iter().enumerate() {
            let kernel = self.operands[1].shape[i + 1] as i64;
            self.rule(pad.iter().all(|&p| i64::from(p) > -kernel), || {
                format!("out_pad {pad:?} crops a whole kernel of {kernel}")
            });
        }
        self.zero_point("input_zp", 0, a.input_zp);
        self.zero_point("weight_zp", 1, a.weight_zp);
    }

    fn clamp(&mut self, a: &Clamp) {
        let dtype = self.operands[0].dtype;
        for bound in [a.min, a.max] {
            let is_number = !matches!(bound, Scalar::Float(x) if x.is_nan());
            self.rule(is_number && dtype.represent(bound) == Some(bound), || {
                format!("the bound {} is no number of {dtype}", number(bound))
            });
        }
        self.rule(a.min.as_f64() <= a.max.as_f64(), || {
            format!("the range {} to {} is empty", number(a.min), number(a.max))
        });
    }

    fn mul(&mut self, shift: u8) {
        let dtype = self.operands[0].dtype;
        self.rule(shift <= 63, || format!("the shift is {shift}, above 63"));
        self.rule(shift == 0 || dtype == TosaDtype::I32, || {
            format!("the shift is {shift}; for {dtype} it is 0")
        });
    }

    fn pad(&mut self, pad: &Pad) {
        let dtype = self.operands[0].dtype;
        self.rule(dtype.represent(pad.value) == Some(pad.value), || {
            format!("the value {} is none of {dtype}", number(pad.value))
        });
    }

    fn resize(&mut self, a: &Resize) {
        let input = &self.operands[0].shape;
        let sizes = [input[1], input[2]];
        self.rule(sizes.iter().all(|&s| s < 16384), || {
            format!("an image of {sizes:?}; sizes are below 16384")
        });
        for i in 0..2 {
            let [n, d] = [a.scale_n[i], a.scale_d[i]].map(i64::from);
            let [offset, border] = [a.offset[i], a.border[i]].map(i64::from);
            self.rule(n <= 1 << 11 && d < 16 * n, || {
                format!("the scale is {n}/{d}: at most 2048/d, and above 1/16")
            });
            self.rule(-n <= offset && offset < 16 * n, || {
                format!("the offset is {offset}: {} to {}", -n, 16 * n - 1)
            });
            self.rule(-16 * n <= border && border < n, || {
                format!("the border is {border}: {} to {}", -16 * n, n - 1)
            });
        }
    }

    fn rescale(&mut self, a: &Rescale, spec: Spec) {
        let from = self.operands[0].dtype;
        self.factors(a);
        self.rescale_zero_point("input_zp", from, a.input_unsigned, a.input_zp);
        self.rescale_zero_point("output_zp", a.to, a.output_unsigned, a.output_zp);
        let is_narrow = |dtype| matches!(dtype, TosaDtype::I8 | TosaDtype::I16);
        for is_unsigned in [a.input_unsigned, a.output_unsigned] {
            self.rule(!is_unsigned || is_narrow(from) && is_narrow(a.to), || {
                format!("no rescale without sign of {from} to {}", a.to)
            });
        }
        self.rule(!(a.input_unsigned && a.output_unsigned), || {
            "both sides are without sign".to_owned()
        });
        self.rule(!a.scale32 || from != TosaDtype::I48, || {
            "multipliers of 31 bits for i48; it takes 15".to_owned()
        });
        let needed = match a.rounding {
            Rounding::Single => None,
            Rounding::Inexact => Some(Feature::InexactRound),
            Rounding::Double => Some(Feature::DoubleRound),
        };
        if let Some(feature) = needed {
            self.rule(spec.has(feature), || {
                format!("the rounding needs the extension {}", feature.name())
            });
        }
        self.rule(a.scale32 || a.rounding != Rounding::Double, || {
            "double rounding with multipliers of 15 bits".to_owned()
        });
    }

    fn factors(&mut self, a: &Rescale) {
        let last = self.operands[0].shape.last().copied();
        let expected = match (a.per_channel, last) {
            (false, _) => 1,
            (true, Some(channels)) => channels,
            (true, None) => return self.rule(false, || "channels of a scalar".to_owned()),
        };
        let (multipliers, shifts) = (a.multiplier.len(), a.shift.len());
        self.rule(multipliers == expected && shifts == expected, || {
            format!("{multipliers} multipliers and {shifts} shifts, not {expected}")
        });
        let most = if a.scale32 { i32::MAX } else { i16::MAX.into() };
        let wrong = a.multiplier.iter().find(|m| !(0..=most).contains(*m));
        self.rule(wrong.is_none(), || {
            format!("the multiplier {wrong:?} is not 0 to {most}")
        });
        let wrong = a.shift.iter().find(|s| !(2..=62).contains(*s));
        self.rule(wrong.is_none(), || {
            format!("the shift {wrong:?} is not 2 to 62")
        });
    }

    /// 8-bit integers may have any zero point, unsigned 16-bit integers 0 or 32,768, others 0.
    fn rescale_zero_point(&mut self, name: &str, dtype: TosaDtype, unsigned: bool, zp: i32) {
        let holds = match (dtype, unsigned) {
            (TosaDtype::I8, false) => (-128..=127).contains(&zp),
            (TosaDtype::I8, true) => (0..=255).contains(&zp),
            (TosaDtype::I16, true) => zp == 0 || zp == 32768,
            _ => zp == 0,
        };
        let sign = if unsigned { "without" } else { "with" };
        self.rule(holds, || format!("{name} is {zp} for {dtype} {sign} sign"));
    }

    fn constant(&mut self, dtype: TosaDtype, shape: &[usize], values: &Content) {
        let elements = shape.iter().try_fold(1usize, |n, &s| n.checked_mul(s));
        let needed = elements.and_then(|n| dtype.bytes_of(n));
        self.rule(needed == Some(values.len()), || {
            format!("{} bytes for {dtype}{shape:?}", values.len())
        });
        let is_least = |b: &u8| b & 0x0f == 8 || b & 0xf0 == 0x80;
        let has_least = dtype == TosaDtype::I4 && values.bytes().iter().any(is_least);
        self.rule(!has_least, || "an i4 of -8; they are -7 to 7".to_owned());
    }
}
