//! The floats that integers at an artifact's border stand for.

use crate::dim_order::DimOrder;
use crate::error::Error;
use crate::model_border::run;
use kiln_eval::Tensor;
use kiln_ir::ops::{Dequantize, Quantize};
use kiln_ir::{DType, Quant, QuantScheme, TensorData};
use std::sync::Arc;

/// The step, the zero point, and the order of axes by which an artifact's integers stand for the model's floats.
#[derive(Clone, Debug, PartialEq)]
pub struct Reals {
    /// The difference of neighbours; positive and finite.
    pub scale: f64,
    /// The integer of the real 0.
    pub zero_point: i64,
    /// The order of axes.
    pub dim_order: DimOrder,
}

impl Reals {
    /// The artifact's integers for floats of the model, as PyTorch quantises.
    ///
    /// # Errors
    /// If the type has no such zero point, or the tensor has other axes.
    pub fn integers(&self, floats: &TensorData, dtype: DType) -> Result<TensorData, Error> {
        let quant = self.quant(dtype)?;
        let floats = self.dim_order.inward(floats)?;
        let integers = run(Quantize { quant, dtype }, Tensor::from(floats))?;
        Ok(TensorData::from(integers.with_quant(None)))
    }

    /// The model's floats for integers of the artifact.
    ///
    /// # Errors
    /// As [`Reals::integers`].
    pub fn floats(&self, integers: &TensorData, dtype: DType) -> Result<TensorData, Error> {
        let tensor = Tensor::from(self.dim_order.outward(integers)?);
        let quant = self.quant(tensor.dtype())?;
        let floats = run(Dequantize { dtype }, tensor.with_quant(Some(quant)))?;
        Ok(TensorData::from(floats))
    }

    fn quant(&self, dtype: DType) -> Result<Arc<Quant>, Error> {
        let range = dtype.int_range();
        let (min, max) = range
            .filter(|&(min, max)| (min..=max).contains(&self.zero_point))
            .ok_or_else(|| Error::new(format!("{dtype} has no zero point {}", self.zero_point)))?;
        let (scale, zero_point) = (self.scale, self.zero_point);
        let scheme = QuantScheme::PerTensor { scale, zero_point };
        Ok(Arc::new(Quant { scheme, min, max }))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn floats_come_back_in_the_order_of_the_model() {
        let reals = Reals {
            scale: 0.5,
            zero_point: -3,
            dim_order: DimOrder(vec![0, 2, 1]),
        };
        let floats = TensorData::from_f32(vec![1, 2, 3], &[0.0, 0.5, 1.0, -0.5, 99.0, 0.24]);
        let integers = reals.integers(&floats, DType::I8).unwrap();
        assert_eq!(integers.sizes(), [1, 3, 2]);
        let numbers: Vec<i64> = integers
            .bytes()
            .iter()
            .map(|&b| i64::from(b as i8))
            .collect();
        assert_eq!(numbers, [-3, -4, -2, 127, -1, -3]);
        let back = reals.floats(&integers, DType::F32).unwrap();
        assert_eq!(back.sizes(), floats.sizes());
        let back: Vec<f64> = back.scalars().map(|x| x.as_f64()).collect();
        assert_eq!(back, [0.0, 0.5, 1.0, -0.5, 65.0, 0.0]);
        assert!(
            reals
                .integers(&TensorData::from_f32(vec![1], &[0.0]), DType::I8)
                .is_err()
        );
        let twice = Reals {
            dim_order: DimOrder(vec![0, 1, 1]),
            ..reals
        };
        assert!(twice.floats(&integers, DType::F32).is_err());
    }
}
