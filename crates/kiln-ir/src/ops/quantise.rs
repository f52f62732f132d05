//! Families between reals and the integers that stand for them.
//!
//! The meaning is the exact real result, rounded half to even and saturated to the quantisation's range.

use super::*;
use crate::dtype::DType;
use crate::types::Quant;
use std::sync::Arc;

fn quantised(x: &TensorType, quant: &Arc<Quant>, dtype: DType) -> Result<Types, Misfit> {
    let Some((least, greatest)) = dtype.int_range() else {
        misfit!("{dtype} is no integer type")
    };
    if quant.min < least || quant.max > greatest || quant.min > quant.max {
        misfit!(
            "the range {}..={} does not fit {dtype}",
            quant.min,
            quant.max
        );
    }
    one(TensorType {
        dtype,
        shape: x.shape.clone(),
        quant: Some(quant.clone()),
    })
}

family! {
    /// Reals to integers.
    Quantize {
        /// What the integers stand for.
        quant: Arc<Quant>,
        /// Their dtype.
        dtype: DType,
    }
}

impl Family for Quantize {
    const NAME: &'static str = "quantize";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        if !operands[0].dtype.is_float() {
            misfit!("quantize takes floats, found {}", operands[0].dtype);
        }
        quantised(operands[0], &self.quant, self.dtype)
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        parallel(operands[0].rank())
    }
}

family! {
    /// Integers to the reals for which they stand.
    Dequantize {
        /// The dtype of the result.
        dtype: DType,
    }
}

impl Family for Dequantize {
    const NAME: &'static str = "dequantize";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        if operands[0].quant.is_none() || !self.dtype.is_float() {
            misfit!("dequantize of {:?} to {}", operands[0], self.dtype);
        }
        one(TensorType::new(self.dtype, operands[0].shape.clone()))
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        parallel(operands[0].rank())
    }
}

family! {
    /// Integers to others that stand for the same reals.
    Requantize {
        /// What the result's integers stand for.
        quant: Arc<Quant>,
        /// Their dtype.
        dtype: DType,
    }
}

impl Family for Requantize {
    const NAME: &'static str = "requantize";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        if operands[0].quant.is_none() {
            misfit!(
                "requantize takes a quantised tensor, found {:?}",
                operands[0]
            );
        }
        quantised(operands[0], &self.quant, self.dtype)
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        parallel(operands[0].rank())
    }
}
