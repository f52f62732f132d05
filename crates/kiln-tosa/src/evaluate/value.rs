//! Constants as tensors.

use crate::dialect::{TensorType, TosaDtype};
use kiln_eval::Tensor;
use kiln_ir::tensor::TensorData;
use kiln_ir::{Content, DType};

/// The dtype of the tensors that hold these elements: `i8` for `i4`, `i64` for `i48`. `None` for 8-bit floats.
pub const fn dtype_of(dtype: TosaDtype) -> Option<DType> {
    match dtype {
        TosaDtype::Bool => Some(DType::Bool),
        TosaDtype::I4 | TosaDtype::I8 => Some(DType::I8),
        TosaDtype::I16 => Some(DType::I16),
        TosaDtype::I32 => Some(DType::I32),
        TosaDtype::I48 => Some(DType::I64),
        TosaDtype::F16 => Some(DType::F16),
        TosaDtype::BF16 => Some(DType::BF16),
        TosaDtype::F32 => Some(DType::F32),
        TosaDtype::F8E4M3 | TosaDtype::F8E5M2 => None,
    }
}

/// The tensor of a constant, whose bytes are as many as its type takes.
pub(super) fn constant(ty: &TensorType, values: &Content) -> Result<Tensor, String> {
    let bytes = values.bytes();
    match ty.dtype {
        TosaDtype::I4 => {
            let n = ty.shape.iter().product();
            let nibbles = bytes
                .iter()
                .flat_map(|b| [(b << 4) as i8 >> 4, *b as i8 >> 4]);
            Ok(Tensor::new(ty.shape.as_slice(), nibbles.take(n).collect()))
        }
        TosaDtype::I48 => {
            let wide = bytes.chunks_exact(6).map(|b| {
                let mut word = [0; 8];
                word[2..].copy_from_slice(b);
                i64::from_le_bytes(word) >> 16
            });
            Ok(Tensor::new(ty.shape.as_slice(), wide.collect()))
        }
        dtype => {
            let held = dtype_of(dtype).ok_or_else(|| format!("{dtype} is not evaluated"))?;
            let data = TensorData::new(held, ty.shape.clone(), bytes.clone());
            let data = data.map_err(|error| error.to_string())?;
            Ok(Tensor::from(data))
        }
    }
}
