//! Shapes, and the type of a value.

use crate::dim::{Dim, DimNames, Symbols};
use crate::dtype::DType;
pub use crate::quant::{Quant, QuantScheme};
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Sizes by axis, outermost first. A scalar has rank 0.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Shape(SmallVec<[Dim; 5]>);

impl Shape {
    /// The shape of a scalar.
    pub fn scalar() -> Shape {
        Shape::default()
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The number of elements.
    pub fn elements(&self) -> Dim {
        self.0.iter().cloned().product()
    }

    /// The sizes, if all are known.
    pub fn as_static(&self) -> Option<Vec<usize>> {
        self.0
            .iter()
            .map(|d| d.as_const().and_then(|c| usize::try_from(c).ok()))
            .collect()
    }

    /// The greatest number of elements; `None` if it is unbounded.
    pub fn max_elements(&self, symbols: &Symbols) -> Option<i64> {
        self.0
            .iter()
            .try_fold(1i64, |n, d| n.checked_mul(symbols.max(d)?.max(0)))
    }

    /// `Some(true)` if the shapes are equal for all values of the symbols, `Some(false)` if for none, `None` if
    /// unknown.
    pub fn equal(&self, other: &Shape, symbols: &Symbols) -> Option<bool> {
        if self.rank() != other.rank() {
            return Some(false);
        }
        let answers: Vec<Option<bool>> = self
            .iter()
            .zip(other.iter())
            .map(|(a, b)| symbols.equal(a, b))
            .collect();
        if answers.contains(&Some(false)) {
            Some(false)
        } else if answers.contains(&None) {
            None
        } else {
            Some(true)
        }
    }
}

impl Deref for Shape {
    type Target = SmallVec<[Dim; 5]>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Shape {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<D: Into<Dim>> FromIterator<D> for Shape {
    fn from_iter<I: IntoIterator<Item = D>>(dims: I) -> Shape {
        Shape(dims.into_iter().map(Into::into).collect())
    }
}

impl From<&[usize]> for Shape {
    fn from(sizes: &[usize]) -> Shape {
        sizes.iter().map(|&n| Dim::constant(n as i64)).collect()
    }
}

impl From<Vec<Dim>> for Shape {
    fn from(dims: Vec<Dim>) -> Shape {
        Shape(dims.into())
    }
}

impl From<&[Dim]> for Shape {
    fn from(dims: &[Dim]) -> Shape {
        dims.iter().cloned().collect()
    }
}

impl<const N: usize> From<&[Dim; N]> for Shape {
    fn from(dims: &[Dim; N]) -> Shape {
        dims.as_slice().into()
    }
}

impl From<&Vec<Dim>> for Shape {
    fn from(dims: &Vec<Dim>) -> Shape {
        dims.as_slice().into()
    }
}

impl From<&Shape> for Shape {
    fn from(shape: &Shape) -> Shape {
        shape.clone()
    }
}

impl<const N: usize> From<[i64; N]> for Shape {
    fn from(sizes: [i64; N]) -> Shape {
        sizes.into_iter().collect()
    }
}

impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter()).finish()
    }
}

/// The type of a value: a dense tensor.
#[derive(Clone, PartialEq)]
pub struct TensorType {
    /// The dtype; of a quantised tensor, that of its integers.
    pub dtype: DType,
    /// The sizes.
    pub shape: Shape,
    /// The quantisation of the integers, if the tensor is quantised.
    pub quant: Option<Arc<Quant>>,
}

impl TensorType {
    /// An unquantised type.
    pub fn new(dtype: DType, shape: impl Into<Shape>) -> TensorType {
        TensorType {
            dtype,
            shape: shape.into(),
            quant: None,
        }
    }

    /// The same type with another shape.
    pub fn with_shape(&self, shape: impl Into<Shape>) -> TensorType {
        TensorType {
            shape: shape.into(),
            ..self.clone()
        }
    }

    /// The same shape with another, unquantised, dtype.
    pub fn with_dtype(&self, dtype: DType) -> TensorType {
        TensorType::new(dtype, self.shape.clone())
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// True unless the types are known to differ: sizes may be equal for all values of the symbols without being written alike.
    pub fn agrees(&self, other: &TensorType, symbols: &Symbols) -> bool {
        self.dtype == other.dtype
            && self.quant == other.quant
            && self.shape.equal(&other.shape, symbols) != Some(false)
    }

    /// The greatest size in bytes; `None` if it is unbounded.
    pub fn max_bytes(&self, symbols: &Symbols) -> Option<i64> {
        self.shape
            .max_elements(symbols)?
            .checked_mul(self.dtype.size() as i64)
    }
}

impl std::fmt::Debug for TensorType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?}", self.dtype, self.shape)?;
        if self.quant.is_some() {
            write!(f, " quantised")
        } else {
            Ok(())
        }
    }
}

/// Sizes that print with the names of their symbols.
pub struct ShapeNames<'a>(pub &'a [Dim], pub &'a Symbols);

impl std::fmt::Display for ShapeNames<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ShapeNames(dims, symbols) = self;
        f.write_str("[")?;
        for (i, dim) in dims.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{}", DimNames(dim, symbols))?;
        }
        f.write_str("]")
    }
}

/// A type that prints with the names of its symbols.
pub struct TypeNames<'a>(pub &'a TensorType, pub &'a Symbols);

impl std::fmt::Display for TypeNames<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let TypeNames(ty, symbols) = self;
        let quantised = if ty.quant.is_some() { " quantised" } else { "" };
        write!(
            f,
            "{}{}{quantised}",
            ty.dtype,
            ShapeNames(&ty.shape, symbols)
        )
    }
}
