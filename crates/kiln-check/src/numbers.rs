//! Elements of tensors as f64, and back. Elements of f32 tensors, of which there are many, are read without a `Scalar`
//! between.

use kiln_eval::Tensor;
use kiln_ir::{Scalar, TensorData};

/// All elements in row-major order.
pub fn numbers(tensor: &Tensor) -> Vec<f64> {
    match tensor.elements::<f32>() {
        Some(elements) => elements.iter().map(|&v| f64::from(v)).collect(),
        None => tensor.scalars().into_iter().map(Scalar::as_f64).collect(),
    }
}

/// Elements of a tensor, read on demand.
pub enum Numbers<'t> {
    /// Of an f32 tensor.
    Singles(&'t [f32]),
    /// Of a tensor of another dtype.
    Others(Vec<f64>),
}

impl<'t> Numbers<'t> {
    /// The elements of a tensor.
    pub fn of(tensor: &'t Tensor) -> Numbers<'t> {
        match tensor.elements::<f32>() {
            Some(elements) => Numbers::Singles(elements),
            None => Numbers::Others(numbers(tensor)),
        }
    }

    /// The element at a row-major position.
    pub fn at(&self, place: usize) -> f64 {
        match self {
            Numbers::Singles(elements) => f64::from(elements[place]),
            Numbers::Others(elements) => elements[place],
        }
    }

    /// All elements in row-major order.
    pub fn iter(&self) -> impl Iterator<Item = f64> {
        let count = match self {
            Numbers::Singles(elements) => elements.len(),
            Numbers::Others(elements) => elements.len(),
        };
        (0..count).map(|i| self.at(i))
    }
}

/// A float tensor of the same type with other elements, each rounded once.
pub fn with_numbers(like: &Tensor, numbers: impl Iterator<Item = f64>) -> Tensor {
    let sizes = like.sizes().to_vec();
    if like.elements::<f32>().is_some() {
        return Tensor::new(sizes, numbers.map(|v| v as f32).collect::<Vec<f32>>());
    }
    let numbers: Vec<Scalar> = numbers.map(Scalar::Float).collect();
    Tensor::from(TensorData::from_scalars(like.dtype(), sizes, numbers))
}
