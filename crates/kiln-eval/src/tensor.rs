//! Dense tensors.

use crate::element::Element;
use crate::error::Cause;
use bytes::Bytes;
use kiln_ir::tensor::TensorData;
use kiln_ir::types::{Quant, Shape, TensorType};
use kiln_ir::{DType, Scalar};
use std::sync::Arc;

#[cfg(target_endian = "big")]
compile_error!("tensors are little-endian bytes that are read in place");

/// A dense, row-major tensor. Clones share its elements.
///
/// # Invariants
/// - The number of bytes matches dtype and sizes, and the bytes are aligned for the dtype.
/// - Bools are 0 or 1.
#[derive(Clone)]
pub struct Tensor {
    dtype: DType,
    sizes: Vec<usize>,
    bytes: Bytes,
    quant: Option<Arc<Quant>>,
}

/// Makes a vector of elements the memory of [`Bytes`].
struct Elements<T>(Vec<T>);

impl<T: Element> AsRef<[u8]> for Elements<T> {
    fn as_ref(&self) -> &[u8] {
        let elements = self.0.as_slice();
        // SAFETY: an element is plain data without padding, and the length is that of the slice.
        unsafe {
            std::slice::from_raw_parts(elements.as_ptr().cast(), std::mem::size_of_val(elements))
        }
    }
}

/// The number of elements. `None` if it does not fit `usize`, or if the product of the sizes before a size of 0 does
/// not.
pub(crate) fn element_count(sizes: &[usize]) -> Option<usize> {
    sizes.iter().try_fold(1usize, |n, &s| n.checked_mul(s))
}

impl Tensor {
    /// A tensor of these elements in row-major order.
    ///
    /// # Panics
    /// If the number of elements does not match the sizes.
    pub fn new<T: Element>(sizes: impl Into<Vec<usize>>, elements: Vec<T>) -> Tensor {
        let sizes = sizes.into();
        assert_eq!(
            element_count(&sizes),
            Some(elements.len()),
            "as many elements as the sizes {sizes:?} take"
        );
        Tensor {
            dtype: T::DTYPE,
            sizes,
            bytes: Bytes::from_owner(Elements(elements)),
            quant: None,
        }
    }

    /// A rank-0 tensor of one element.
    pub fn scalar<T: Element>(element: T) -> Tensor {
        Tensor::new(Vec::new(), vec![element])
    }

    /// A tensor of `dtype` from the bits of its elements.
    ///
    /// The words must have the size of the dtype. Those of bools must be 0 or 1.
    pub(crate) fn from_words<W: Element>(dtype: DType, sizes: Vec<usize>, words: Vec<W>) -> Tensor {
        debug_assert_eq!(W::DTYPE.size(), dtype.size());
        Tensor {
            dtype,
            ..Tensor::new(sizes, words)
        }
    }

    /// A tensor whose elements all equal `value`, converted as by `Tensor.to`.
    ///
    /// # Panics
    /// If the number of elements does not fit `usize`.
    pub fn splat(dtype: DType, sizes: impl Into<Vec<usize>>, value: Scalar) -> Tensor {
        Tensor::from(TensorData::splat(dtype, sizes.into(), value))
    }

    /// The dtype; of a quantised tensor, that of its integers.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The sizes, outermost first.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.sizes.len()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.dtype.size()
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The elements as little-endian bytes.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The quantisation of the integers, if there is one.
    pub fn quant(&self) -> Option<&Arc<Quant>> {
        self.quant.as_ref()
    }

    /// The same elements with this quantisation.
    pub fn with_quant(mut self, quant: Option<Arc<Quant>>) -> Tensor {
        self.quant = quant;
        self
    }

    /// The type, in which all sizes are known.
    pub fn tensor_type(&self) -> TensorType {
        TensorType {
            dtype: self.dtype,
            shape: Shape::from(self.sizes.as_slice()),
            quant: self.quant.clone(),
        }
    }

    /// The elements; `None` if `T` is not the dtype's type.
    pub fn elements<T: Element>(&self) -> Option<&[T]> {
        (T::DTYPE == self.dtype).then(|| self.raw())
    }

    /// The elements, for kernels that were instantiated for the dtype.
    pub(crate) fn of<T: Element>(&self) -> &[T] {
        self.elements()
            .expect("the kernel was chosen by the tensor's dtype")
    }

    /// The bits of the elements as unsigned words of their size.
    pub(crate) fn words<W: Element>(&self) -> &[W] {
        assert_eq!(
            W::DTYPE.size(),
            self.dtype.size(),
            "words of the dtype's size"
        );
        assert!(W::DTYPE != DType::Bool, "bits are no bools");
        self.raw()
    }

    fn raw<T: Element>(&self) -> &[T] {
        if self.bytes.is_empty() {
            return &[];
        }
        // SAFETY: every bit pattern is a value of the element types except bool, and a tensor of that
        // dtype holds 0 and 1 only; `words` refuses bool.
        let (before, elements, behind) = unsafe { self.bytes.align_to::<T>() };
        assert!(
            before.is_empty() && behind.is_empty(),
            "a tensor's bytes are aligned"
        );
        elements
    }

    /// All elements as Python numbers, in row-major order.
    pub fn scalars(&self) -> Vec<Scalar> {
        TensorData::from(self).scalars().collect()
    }

    /// The same elements with other sizes.
    ///
    /// # Errors
    /// If the number of elements differs.
    pub fn reshaped(&self, sizes: Vec<usize>) -> Result<Tensor, Cause> {
        if element_count(&sizes) != Some(self.len()) {
            return Err(Cause::Misfit(format!(
                "{} elements do not fill the sizes {sizes:?}",
                self.len()
            )));
        }
        Ok(Tensor {
            sizes,
            ..self.clone()
        })
    }
}

impl From<TensorData> for Tensor {
    /// Shares the bytes if they are aligned for the dtype, otherwise copies them.
    fn from(data: TensorData) -> Tensor {
        let (dtype, sizes) = (data.dtype(), data.sizes().to_vec());
        let bytes = data.bytes().clone();
        let aligned = (bytes.as_ptr() as usize).is_multiple_of(dtype.size());
        let is_sound = dtype != DType::Bool || bytes.iter().all(|&b| b <= 1);
        let bytes = if aligned && is_sound {
            bytes
        } else {
            realigned(dtype, &bytes)
        };
        Tensor {
            dtype,
            sizes,
            bytes,
            quant: None,
        }
    }
}

/// A copy of the elements that is aligned for the dtype, with bools made 0 or 1.
fn realigned(dtype: DType, bytes: &[u8]) -> Bytes {
    if dtype == DType::Bool {
        return Bytes::from(bytes.iter().map(|&b| u8::from(b != 0)).collect::<Vec<u8>>());
    }
    let words: Vec<i64> = bytes
        .chunks(8)
        .map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            i64::from_le_bytes(word)
        })
        .collect();
    Bytes::from_owner(Elements(words)).slice(..bytes.len())
}

impl From<&TensorData> for Tensor {
    fn from(data: &TensorData) -> Tensor {
        Tensor::from(data.clone())
    }
}

impl From<&Tensor> for TensorData {
    /// Shares the bytes.
    fn from(tensor: &Tensor) -> TensorData {
        TensorData::new(tensor.dtype, tensor.sizes.clone(), tensor.bytes.clone())
            .expect("a tensor's bytes are as many as its sizes take")
    }
}

impl From<Tensor> for TensorData {
    fn from(tensor: Tensor) -> TensorData {
        TensorData::from(&tensor)
    }
}

impl PartialEq for Tensor {
    /// Compares dtype, sizes, quantisation and bits.
    fn eq(&self, other: &Tensor) -> bool {
        self.dtype == other.dtype
            && self.sizes == other.sizes
            && self.quant == other.quant
            && self.bytes == other.bytes
    }
}

impl std::fmt::Debug for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?}", self.dtype, self.sizes)?;
        let shown = TensorData::from(self);
        if self.len() <= 32 {
            let scalars = shown.scalars().map(|s| match s {
                Scalar::Bool(b) => b.to_string(),
                Scalar::Int(i) => i.to_string(),
                Scalar::Float(x) => format!("{x:?}"),
            });
            write!(f, " [{}]", scalars.collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_share_aligned_bytes() {
        let t = Tensor::new([2], vec![1.5f32, -2.0]);
        let data = TensorData::from(&t);
        assert_eq!(data.bytes().as_ptr(), t.bytes().as_ptr());
        assert_eq!(Tensor::from(data).bytes().as_ptr(), t.bytes().as_ptr());
    }

    #[test]
    fn misaligned_bytes_are_copied() {
        let t = Tensor::new([3], vec![1i64, 2, 3]);
        let mut bytes = vec![0u8];
        bytes.extend_from_slice(t.bytes());
        let odd = Bytes::from_owner(Elements(vec![0i64; 4])).slice(1..25);
        assert_ne!(odd.as_ptr() as usize % 8, 0);
        let data = TensorData::new(DType::I64, vec![3], odd).unwrap();
        assert_eq!(Tensor::from(data).of::<i64>(), [0, 0, 0]);
        let data = TensorData::new(DType::I64, vec![3], Bytes::from(bytes).slice(1..)).unwrap();
        assert_eq!(Tensor::from(data), t);
    }

    #[test]
    fn bools_other_than_0_and_1_become_true() {
        let data = TensorData::new(DType::Bool, vec![3], Bytes::from_static(&[0, 7, 1])).unwrap();
        assert_eq!(Tensor::from(data).of::<bool>(), [false, true, true]);
    }

    #[test]
    fn elements_of_another_type_are_refused() {
        let t = Tensor::new([1], vec![1u8]);
        assert!(t.elements::<i8>().is_none());
        assert_eq!(t.elements::<u8>(), Some(&[1u8][..]));
    }
}
