//! The order in which an artifact has the axes of a model's tensor.

use crate::error::Error;
use crate::model_border::permuted;
use kiln_eval::Tensor;
use kiln_ir::TensorData;

/// The model's axes in the artifact's order, outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DimOrder(pub Vec<u8>);

impl DimOrder {
    /// Whether the artifact has the model's order.
    pub fn is_plain(&self) -> bool {
        let mut axes = self.0.iter().enumerate();
        axes.all(|(i, &axis)| i == usize::from(axis))
    }

    /// The model's sizes in the artifact's order. `None` for other axes.
    pub fn in_order<T: Copy>(&self, sizes: &[T]) -> Option<Vec<T>> {
        let axes = self.0.iter().map(|&axis| usize::from(axis));
        let ordered: Option<Vec<T>> = axes.map(|axis| sizes.get(axis).copied()).collect();
        ordered.filter(|_| self.is_order() && sizes.len() == self.0.len())
    }

    /// A tensor of the model as the artifact takes it.
    ///
    /// # Errors
    /// The tensor has other axes.
    pub fn inward(&self, data: &TensorData) -> Result<TensorData, Error> {
        self.check(data)?;
        let tensor = permuted(Tensor::from(data.clone()), &self.0)?;
        Ok(TensorData::from(tensor))
    }

    /// A tensor of the artifact as the model has it.
    ///
    /// # Errors
    /// As [`DimOrder::inward`].
    pub fn outward(&self, data: &TensorData) -> Result<TensorData, Error> {
        self.check(data)?;
        let tensor = permuted(Tensor::from(data.clone()), &self.back().0)?;
        Ok(TensorData::from(tensor))
    }

    /// The order that undoes this one, which has each axis once.
    pub fn back(&self) -> DimOrder {
        let mut back = vec![0u8; self.0.len()];
        for (i, &axis) in self.0.iter().enumerate() {
            back[usize::from(axis)] = i as u8;
        }
        DimOrder(back)
    }

    /// Whether each axis is there once.
    pub fn is_order(&self) -> bool {
        let mut axes = self.0.clone();
        axes.sort_unstable();
        DimOrder(axes).is_plain()
    }

    fn check(&self, tensor: &TensorData) -> Result<(), Error> {
        match self.is_order() && tensor.sizes().len() == self.0.len() {
            true => Ok(()),
            false => Err(Error::new(format!(
                "a tensor of {} axes has no order {:?}",
                tensor.sizes().len(),
                self.0
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_tensor_comes_back_in_the_order_of_the_model() {
        let order = DimOrder(vec![1, 2, 0]);
        let given = TensorData::from_f32(vec![2, 1, 3], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        let made = order.inward(&given).unwrap();
        assert_eq!(made.sizes(), [1, 3, 2]);
        assert_eq!(order.in_order(given.sizes()).unwrap(), made.sizes());
        assert_eq!(order.back().in_order(made.sizes()).unwrap(), given.sizes());
        let numbers: Vec<f64> = made.scalars().map(|x| x.as_f64()).collect();
        assert_eq!(numbers, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
        assert_eq!(order.outward(&made).unwrap().bytes(), given.bytes());
        assert!(DimOrder(vec![0, 1, 1]).inward(&given).is_err());
        assert!(DimOrder(vec![0, 1]).in_order(given.sizes()).is_none());
    }
}
