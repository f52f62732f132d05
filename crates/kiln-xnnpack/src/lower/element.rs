//! The type of a payload tensor's elements: a datatype, and how integers stand for reals.

use super::Problem;
use crate::payload::{Datatype, Quant, Scales, XnnValue};
use kiln_ir::types::QuantScheme;
use kiln_ir::{DType, TensorType};

/// The type of a tensor's elements.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Elements {
    pub(super) datatype: Datatype,
    pub(super) quant: Option<Quant>,
}

impl From<Datatype> for Elements {
    fn from(datatype: Datatype) -> Elements {
        let quant = None;
        Elements { datatype, quant }
    }
}

impl Elements {
    /// The type of plain elements.
    pub(super) fn plain(dtype: DType) -> Result<Elements, Problem> {
        match dtype {
            DType::F32 => Ok(Datatype::Fp32.into()),
            DType::F16 => Ok(Datatype::Fp16.into()),
            DType::BF16 => Ok(Datatype::Bf16.into()),
            DType::I32 => Ok(Datatype::Int32.into()),
            // A scale of 1 about 0: the integers are what they stand for.
            DType::I8 => Ok(Elements::per_tensor(Datatype::QInt8, 1.0, 0)),
            DType::U8 | DType::Bool => Ok(Elements::per_tensor(Datatype::QUInt8, 1.0, 0)),
            other => Err(format!("a tensor of {other}")),
        }
    }

    /// The type of a value's elements.
    pub(super) fn of(ty: &TensorType) -> Result<Elements, Problem> {
        let Some(quant) = &ty.quant else {
            return Elements::plain(ty.dtype);
        };
        match (&quant.scheme, ty.dtype) {
            (QuantScheme::PerTensor { scale, zero_point }, DType::I8) => {
                Ok(Elements::per_tensor(Datatype::QInt8, *scale, *zero_point))
            }
            (QuantScheme::PerTensor { scale, zero_point }, DType::U8) => {
                Ok(Elements::per_tensor(Datatype::QUInt8, *scale, *zero_point))
            }
            // Integers about 0, of which numbers are a multiple.
            (QuantScheme::PerTensor { zero_point: 0, .. }, DType::I32) => {
                Ok(Datatype::Int32.into())
            }
            _ => Err(format!("a tensor of {ty:?}")),
        }
    }

    /// As [`Elements::of`]; a type that no delegate has, which support rules refuse, is taken for f32.
    pub(super) fn of_any(ty: &TensorType) -> Elements {
        Elements::of(ty).unwrap_or(Datatype::Fp32.into())
    }

    /// Integers with one scale and zero point.
    pub(super) fn per_tensor(datatype: Datatype, scale: f64, zero_point: i64) -> Elements {
        let quant = Quant::PerTensor {
            scale: scale as f32,
            zero_point: zero_point as i32,
        };
        Elements {
            datatype,
            quant: Some(quant),
        }
    }

    /// Integers about 0 with a scale for each index of a dim.
    pub(super) fn per_channel(
        datatype: Datatype,
        scales: impl Into<Scales>,
        dim: usize,
    ) -> Elements {
        let quant = Quant::PerChannel {
            scales: scales.into(),
            channel_dim: dim as i32,
        };
        Elements {
            datatype,
            quant: Some(quant),
        }
    }

    /// A value of these elements inside a delegate.
    pub(super) fn internal(self, dims: Vec<u32>) -> XnnValue {
        XnnValue {
            quant: self.quant,
            ..XnnValue::internal(self.datatype, dims)
        }
    }
}
