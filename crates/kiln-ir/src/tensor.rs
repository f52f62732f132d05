//! Constant tensors: dense little-endian bytes with a dtype and known sizes.

use crate::content::{Content, LowHalf, Scale};
use crate::dtype::{DType, Scalar};
use crate::movement::Movement;
use crate::types::{Shape, TensorType};
use bytes::Bytes;
use half::{bf16, f16};

/// A dense, row-major, little-endian tensor. Its bytes are shared, often with the mapped archive, or computed on demand
/// ([`Content`]).
#[derive(Clone, PartialEq, Eq)]
pub struct TensorData {
    dtype: DType,
    sizes: Vec<usize>,
    content: Content,
}

/// The number of bytes does not match the type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a {dtype} tensor of sizes {sizes:?} takes {expected:?} bytes, found {found}")]
pub struct SizeMismatch {
    dtype: DType,
    sizes: Vec<usize>,
    expected: Option<usize>,
    found: usize,
}

impl TensorData {
    /// A tensor of `bytes`.
    ///
    /// # Errors
    /// If the number of bytes does not match dtype and sizes.
    pub fn new(dtype: DType, sizes: Vec<usize>, bytes: Bytes) -> Result<TensorData, SizeMismatch> {
        TensorData::of_content(dtype, sizes, bytes.into())
    }

    /// A tensor of a content, whose bytes may be computed later.
    ///
    /// # Errors
    /// As for [`TensorData::new`].
    pub fn of_content(
        dtype: DType,
        sizes: Vec<usize>,
        content: Content,
    ) -> Result<TensorData, SizeMismatch> {
        let elements = sizes.iter().try_fold(1usize, |n, &s| n.checked_mul(s));
        let expected = elements.and_then(|n| n.checked_mul(dtype.size()));
        if expected == Some(content.len()) {
            Ok(TensorData {
                dtype,
                sizes,
                content,
            })
        } else {
            Err(SizeMismatch {
                dtype,
                sizes,
                expected,
                found: content.len(),
            })
        }
    }

    /// A tensor of rank 0. The scalar is converted as by `Tensor.to`.
    pub fn scalar(dtype: DType, value: Scalar) -> TensorData {
        TensorData {
            dtype,
            sizes: Vec::new(),
            content: Bytes::from(encode(dtype, value)).into(),
        }
    }

    /// A tensor whose elements all equal `value`.
    pub fn splat(dtype: DType, sizes: Vec<usize>, value: Scalar) -> TensorData {
        let one = encode(dtype, value);
        let elements: usize = sizes.iter().product();
        TensorData {
            dtype,
            sizes,
            content: Bytes::from(one.repeat(elements)).into(),
        }
    }

    /// A tensor of the given elements, each converted as by `Tensor.to`.
    ///
    /// # Panics
    /// If the number of elements does not match the sizes.
    pub fn from_scalars(
        dtype: DType,
        sizes: Vec<usize>,
        values: impl IntoIterator<Item = Scalar>,
    ) -> TensorData {
        let bytes: Vec<u8> = values.into_iter().flat_map(|v| encode(dtype, v)).collect();
        TensorData::new(dtype, sizes, Bytes::from(bytes)).expect("as many values as the sizes take")
    }

    /// An f32 tensor.
    ///
    /// # Panics
    /// As [`TensorData::from_scalars`].
    pub fn from_f32(sizes: Vec<usize>, values: &[f32]) -> TensorData {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        TensorData::new(DType::F32, sizes, Bytes::from(bytes))
            .expect("as many values as the sizes take")
    }

    /// An i64 tensor.
    ///
    /// # Panics
    /// As [`TensorData::from_scalars`].
    pub fn from_i64(sizes: Vec<usize>, values: &[i64]) -> TensorData {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        TensorData::new(DType::I64, sizes, Bytes::from(bytes))
            .expect("as many values as the sizes take")
    }

    /// The dtype.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The sizes, outermost first.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The number of elements.
    pub fn elements(&self) -> usize {
        self.sizes.iter().product()
    }

    /// The bytes of the elements; computed and kept if they are not stored.
    pub fn bytes(&self) -> &Bytes {
        self.content.bytes()
    }

    /// The content: bytes that may be computed on demand.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The type, without a quantisation.
    pub fn tensor_type(&self) -> TensorType {
        TensorType::new(self.dtype, Shape::from(self.sizes.as_slice()))
    }

    /// The same bytes with other sizes.
    ///
    /// # Errors
    /// If the number of elements differs.
    pub fn reshaped(&self, sizes: Vec<usize>) -> Result<TensorData, SizeMismatch> {
        TensorData::of_content(self.dtype, sizes, self.content.clone())
    }

    /// The elements after a movement. `None` if the movement does not start at the tensor's sizes.
    pub fn moved(&self, movement: &Movement) -> Option<TensorData> {
        let size = |d: &crate::Dim| usize::try_from(d.as_const()?).ok();
        let sizes: Option<Vec<usize>> = movement.result_shape().iter().map(size).collect();
        if movement.is_view() {
            return self.reshaped(sizes?).ok();
        }
        let plan = movement.copy_plan(&movement.factor_sizes(&|_| None)?);
        let content = self.content.arranged(self.dtype.size(), &plan)?;
        TensorData::of_content(self.dtype, sizes?, content).ok()
    }

    /// The elements of a float tensor, each multiplied by its factor. `None` if the scale does not match the tensor's
    /// sizes.
    pub fn scaled(&self, scale: &Scale<'_>) -> Option<TensorData> {
        let content = self.content.scaled(self.dtype, scale)?;
        TensorData::of_content(self.dtype, self.sizes.clone(), content).ok()
    }

    /// Floats between f16, bf16 and f32, rounded to the nearest number; computed where they are read. `None` for other dtypes.
    pub fn converted(&self, to: DType) -> Option<TensorData> {
        let content = self.content.converted(self.dtype, to)?;
        TensorData::of_content(to, self.sizes.clone(), content).ok()
    }

    /// The rows of a matrix of integers from -8 to 7, with two integers to a byte: each is 8 more. `None` for another tensor, or rows of
    /// an odd length.
    pub fn packed(&self, low: LowHalf) -> Option<TensorData> {
        let &[rows, columns] = self.sizes() else {
            return None;
        };
        let content =
            (self.dtype == DType::I8 && columns % 2 == 0).then(|| self.content.packed(low))??;
        TensorData::of_content(DType::U8, vec![rows, columns / 2], content).ok()
    }

    /// The integers of a matrix of [`packed`](Self::packed) rows.
    pub fn unpacked(&self, low: LowHalf) -> Option<TensorData> {
        let &[rows, columns] = self.sizes() else {
            return None;
        };
        let content = (self.dtype == DType::U8).then(|| self.content.unpacked(low))?;
        TensorData::of_content(DType::I8, vec![rows, columns * 2], content).ok()
    }

    /// The element at a row-major index, if it exists.
    pub fn get(&self, position: usize) -> Option<Scalar> {
        let element = self.content.element(self.dtype.size(), position)?;
        Some(decode(self.dtype, &element))
    }

    /// All elements in row-major order.
    pub fn scalars(&self) -> impl Iterator<Item = Scalar> + '_ {
        self.bytes()
            .chunks_exact(self.dtype.size())
            .map(|chunk| decode(self.dtype, chunk))
    }

    /// The value of all elements, if there is at least one and all have the same bits.
    pub fn as_splat(&self) -> Option<Scalar> {
        let size = self.dtype.size();
        let first = self.content.element(size, 0)?;
        let mut pieces = self.content.pieces();
        while let Some(piece) = pieces.next() {
            if piece.chunks_exact(size).any(|element| element != &*first) {
                return None;
            }
        }
        Some(decode(self.dtype, &first))
    }
}

impl std::fmt::Debug for TensorData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?}", self.dtype, self.sizes)
    }
}

/// `value` as little-endian bytes of `dtype`, converted as by `Tensor.to`: integers wrap, floats are truncated toward
/// zero to integers, and anything but zero is true.
pub fn encode(dtype: DType, value: Scalar) -> Vec<u8> {
    match dtype {
        DType::Bool => vec![u8::from(match value {
            Scalar::Bool(b) => b,
            Scalar::Int(i) => i != 0,
            Scalar::Float(f) => f != 0.0,
        })],
        DType::U8 => (value.as_i64() as u8).to_le_bytes().to_vec(),
        DType::I8 => (value.as_i64() as i8).to_le_bytes().to_vec(),
        DType::I16 => (value.as_i64() as i16).to_le_bytes().to_vec(),
        DType::I32 => (value.as_i64() as i32).to_le_bytes().to_vec(),
        DType::I64 => value.as_i64().to_le_bytes().to_vec(),
        // PyTorch converts through f32, with double rounding.
        DType::F16 => f16::from_f32(value.as_f64() as f32).to_le_bytes().to_vec(),
        DType::BF16 => bf16::from_f32(value.as_f64() as f32).to_le_bytes().to_vec(),
        DType::F32 => (value.as_f64() as f32).to_le_bytes().to_vec(),
        DType::F64 => value.as_f64().to_le_bytes().to_vec(),
    }
}

/// The element that these little-endian bytes of `dtype` represent.
///
/// # Panics
/// If the number of bytes is not the dtype's size.
pub fn decode(dtype: DType, bytes: &[u8]) -> Scalar {
    fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
        bytes.try_into().expect("a chunk is one element long")
    }
    match dtype {
        DType::Bool => Scalar::Bool(bytes[0] != 0),
        DType::U8 => Scalar::Int(i64::from(bytes[0])),
        DType::I8 => Scalar::Int(i64::from(bytes[0] as i8)),
        DType::I16 => Scalar::Int(i64::from(i16::from_le_bytes(array(bytes)))),
        DType::I32 => Scalar::Int(i64::from(i32::from_le_bytes(array(bytes)))),
        DType::I64 => Scalar::Int(i64::from_le_bytes(array(bytes))),
        DType::F16 => Scalar::Float(f16::from_le_bytes(array(bytes)).to_f64()),
        DType::BF16 => Scalar::Float(bf16::from_le_bytes(array(bytes)).to_f64()),
        DType::F32 => Scalar::Float(f64::from(f32::from_le_bytes(array(bytes)))),
        DType::F64 => Scalar::Float(f64::from_le_bytes(array(bytes))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_survive_a_round_trip_in_every_dtype() {
        for dtype in DType::ALL {
            let t = TensorData::splat(dtype, vec![2, 3], Scalar::Int(1));
            assert_eq!(t.as_splat().map(Scalar::as_f64), Some(1.0), "{dtype}");
            assert_eq!(t.bytes().len(), 6 * dtype.size());
        }
    }

    #[test]
    fn a_wrong_length_is_refused() {
        assert!(TensorData::new(DType::F32, vec![2], Bytes::from_static(&[0; 7])).is_err());
        assert!(TensorData::new(DType::F32, vec![usize::MAX, 4], Bytes::new()).is_err());
    }
}
