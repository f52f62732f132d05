//! Dtypes, constants and types of tensors, as archives have them.

use kiln_ir::{DType, TensorData};
use kiln_pt2::{Device, ScalarType, StoredTensor};

/// The archive's name of a dtype.
pub(crate) fn scalar_type(dtype: DType) -> ScalarType {
    match dtype {
        DType::Bool => ScalarType::Bool,
        DType::U8 => ScalarType::U8,
        DType::I8 => ScalarType::I8,
        DType::I16 => ScalarType::I16,
        DType::I32 => ScalarType::I32,
        DType::I64 => ScalarType::I64,
        DType::F16 => ScalarType::F16,
        DType::BF16 => ScalarType::BF16,
        DType::F32 => ScalarType::F32,
        DType::F64 => ScalarType::F64,
    }
}

/// The device of everything.
pub(crate) fn cpu() -> Device {
    Device {
        kind: "cpu".to_owned(),
        index: None,
    }
}

/// A constant as the archive stores it. Stored bytes are shared; those of a recipe are computed here.
pub(crate) fn stored(data: &TensorData) -> Result<StoredTensor, kiln_pt2::Error> {
    StoredTensor::contiguous(
        scalar_type(data.dtype()),
        data.sizes().to_vec(),
        data.bytes().clone(),
    )
}
