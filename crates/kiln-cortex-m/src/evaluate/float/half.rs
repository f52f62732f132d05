//! 16-bit floats from and to 32-bit floats: `half.c`. Halves are rounded to even. A NaN becomes a quiet one.

use super::super::data::Data;
use crate::dialect::Function;
use half::{bf16, f16};

/// The result of a function that converts; `None` for other functions.
pub fn converted(function: Function, x: &Data) -> Option<Data> {
    Some(match (function, x) {
        (Function::KilnF16ToF32, Data::F16(x)) => {
            Data::F32(x.iter().map(|&x| x.to_f32()).collect())
        }
        (Function::KilnBf16ToF32, Data::Bf16(x)) => {
            Data::F32(x.iter().map(|&x| x.to_f32()).collect())
        }
        (Function::KilnF32ToF16, Data::F32(x)) => {
            Data::F16(x.iter().map(|&x| f16::from_f32(x)).collect())
        }
        (Function::KilnF32ToBf16, Data::F32(x)) => {
            Data::Bf16(x.iter().map(|&x| bf16::from_f32(x)).collect())
        }
        _ => return None,
    })
}
