//! A stored tensor: a strided view of a storage.

use bytes::Bytes;

use crate::Error;
use crate::scalar_type::ScalarType;

/// The most bytes of views that are larger than their storage (stride 0), and of zeros that are not stored. Holds for
/// one tensor alone, and for all of an archive together beyond the archive's own length.
pub const MAX_EXPANDED_BYTES: usize = 256 << 20;

/// A strided view of a storage. Sizes, strides and offset count elements.
///
/// Invariants: every element lies within the storage; a contiguous copy takes at most as many bytes as the storage, or
/// [`MAX_EXPANDED_BYTES`]. Elements are little endian. The storage may start at any address, because payloads in old
/// archives are not aligned.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredTensor {
    dtype: ScalarType,
    element_size: usize,
    sizes: Vec<usize>,
    strides: Vec<usize>,
    storage_offset: usize,
    storage: Bytes,
}

impl StoredTensor {
    /// A view of `storage`. Refused if an invariant is violated.
    pub fn new(
        dtype: ScalarType,
        sizes: Vec<usize>,
        strides: Vec<usize>,
        storage_offset: usize,
        storage: Bytes,
    ) -> Result<Self, Error> {
        let element_size = element_size(dtype)?;
        if sizes.len() != strides.len() {
            let message = format!("{} sizes with {} strides", sizes.len(), strides.len());
            return Err(Error::tensor(message));
        }
        let tensor = Self {
            dtype,
            element_size,
            sizes,
            strides,
            storage_offset,
            storage,
        };
        tensor.check_bounds()?;
        Ok(tensor)
    }

    /// A contiguous tensor of all of `data`.
    pub fn contiguous(dtype: ScalarType, sizes: Vec<usize>, data: Bytes) -> Result<Self, Error> {
        let strides = contiguous_strides(&sizes);
        let strides =
            strides.ok_or_else(|| Error::limit(format!("the shape {sizes:?} overflows")))?;
        Self::new(dtype, sizes, strides, 0, data)
    }

    /// Contiguous zeros, of at most [`MAX_EXPANDED_BYTES`].
    pub fn zeros(dtype: ScalarType, sizes: Vec<usize>) -> Result<Self, Error> {
        let element_size = element_size(dtype)?;
        let length = element_count(&sizes).and_then(|count| count.checked_mul(element_size));
        match length {
            Some(length) if length <= MAX_EXPANDED_BYTES => {
                Self::contiguous(dtype, sizes, Bytes::from(vec![0; length]))
            }
            _ => Err(Error::limit(format!(
                "zeros of shape {sizes:?} are not stored in the archive and take more than {} MiB; \
                 save the program with real weights",
                MAX_EXPANDED_BYTES >> 20,
            ))),
        }
    }

    fn check_bounds(&self) -> Result<(), Error> {
        let fault = |message: &str| {
            Error::tensor(format!(
                "sizes {:?}, strides {:?}, offset {} of a storage of {} bytes: {message}",
                self.sizes,
                self.strides,
                self.storage_offset,
                self.storage.len(),
            ))
        };
        let end = self
            .end_element()
            .and_then(|end| end.checked_mul(self.element_size));
        let end = end.ok_or_else(|| fault("the extent overflows"))?;
        if end > self.storage.len() && self.element_count() > 0 {
            return Err(fault("the view ends beyond its storage"));
        }
        let dense =
            element_count(&self.sizes).and_then(|count| count.checked_mul(self.element_size));
        match dense {
            Some(bytes) if bytes <= self.storage.len().max(MAX_EXPANDED_BYTES) => Ok(()),
            _ => Err(fault("the view is too much larger than its storage")),
        }
    }

    /// One more than the index of the last element in the storage; `None` on overflow.
    fn end_element(&self) -> Option<usize> {
        let mut last = self.storage_offset;
        for (&size, &stride) in self.sizes.iter().zip(&self.strides) {
            last = last.checked_add(size.saturating_sub(1).checked_mul(stride)?)?;
        }
        last.checked_add(1)
    }

    /// The element type.
    pub fn dtype(&self) -> ScalarType {
        self.dtype
    }

    /// The size of each axis.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The stride of each axis.
    pub fn strides(&self) -> &[usize] {
        &self.strides
    }

    /// The index of the first element in the storage.
    pub fn storage_offset(&self) -> usize {
        self.storage_offset
    }

    /// The storage. Tensors that share a storage have the same range of bytes here.
    pub fn storage(&self) -> &Bytes {
        &self.storage
    }

    /// The part of the storage from the first to the last element. Tensors whose parts overlap may share elements.
    pub fn span(&self) -> Bytes {
        let end = self.end_element().filter(|_| self.element_count() > 0);
        let start = self.storage_offset * self.element_size;
        end.map_or_else(Bytes::new, |end| {
            self.storage.slice(start..end * self.element_size)
        })
    }

    /// The number of elements.
    pub fn element_count(&self) -> usize {
        element_count(&self.sizes).unwrap_or(0)
    }

    /// True if the elements are in row-major order without gaps. Axes of size 1 do not count.
    pub fn is_contiguous(&self) -> bool {
        self.is_dense_in(&(0..self.sizes.len()).collect::<Vec<_>>())
    }

    /// The order of axes, outermost first, in which the elements lie without gaps; `None` if there is none.
    ///
    /// Row-major data give `[0, 1, 2, ...]`, channels-last images `[0, 2, 3, 1]`.
    pub fn permuted_dense(&self) -> Option<Vec<usize>> {
        let row_major: Vec<usize> = (0..self.sizes.len()).collect();
        if self.is_dense_in(&row_major) {
            return Some(row_major);
        }
        let mut order = row_major;
        order.sort_by_key(|&axis| std::cmp::Reverse(self.strides[axis]));
        self.is_dense_in(&order).then_some(order)
    }

    fn is_dense_in(&self, order: &[usize]) -> bool {
        if self.element_count() == 0 {
            return true;
        }
        let mut expected = 1;
        for &axis in order.iter().rev() {
            if self.sizes[axis] != 1 && self.strides[axis] != expected {
                return false;
            }
            expected *= self.sizes[axis];
        }
        true
    }

    /// The elements in the order of [`Self::permuted_dense`], as a slice of the storage; `None` if they have gaps or
    /// repeat.
    pub fn dense_bytes(&self) -> Option<Bytes> {
        self.permuted_dense()?;
        let length = self.element_count() * self.element_size;
        if length == 0 {
            return Some(Bytes::new());
        }
        let start = self.storage_offset * self.element_size;
        Some(self.storage.slice(start..start + length))
    }

    /// The number of bytes that [`Self::to_contiguous`] copies; 0 if the elements are in row-major order.
    pub fn copied_bytes(&self) -> usize {
        if self.is_contiguous() {
            return 0;
        }
        self.element_count() * self.element_size
    }

    /// The elements in row-major order: a slice of the storage if possible, otherwise a copy.
    pub fn to_contiguous(&self) -> Bytes {
        if self.is_contiguous()
            && let Some(bytes) = self.dense_bytes()
        {
            return bytes;
        }
        match self.element_size {
            1 => self.gather::<1>(),
            2 => self.gather::<2>(),
            4 => self.gather::<4>(),
            8 => self.gather::<8>(),
            _ => self.gather::<16>(),
        }
    }

    /// Copies the elements, of `N` bytes each, in row-major order. Needs at least one axis and one element.
    fn gather<const N: usize>(&self) -> Bytes {
        let (elements, _) = self.storage.as_chunks::<N>();
        let mut out = Vec::with_capacity(self.element_count() * N);
        let inner = self.sizes.len() - 1;
        let (run, stride) = (self.sizes[inner], self.strides[inner]);
        let mut index = vec![0; inner];
        loop {
            let outer: usize = index
                .iter()
                .zip(&self.strides)
                .map(|(i, stride)| i * stride)
                .sum();
            let start = self.storage_offset + outer;
            out.extend((0..run).flat_map(|i| elements[start + i * stride]));
            if !advance(&mut index, &self.sizes[..inner]) {
                return Bytes::from(out);
            }
        }
    }
}

fn element_size(dtype: ScalarType) -> Result<usize, Error> {
    dtype.size().ok_or_else(|| {
        let number = dtype.schema_number();
        Error::unsupported(format!("element type number {number} is not known"))
    })
}

/// Advances to the next index in row-major order; false after the last one.
fn advance(index: &mut [usize], sizes: &[usize]) -> bool {
    for (i, &size) in index.iter_mut().zip(sizes).rev() {
        *i += 1;
        if *i < size {
            return true;
        }
        *i = 0;
    }
    false
}

/// The number of elements of a shape. `None` on overflow, unless an axis is empty.
pub(crate) fn element_count(sizes: &[usize]) -> Option<usize> {
    if sizes.contains(&0) {
        return Some(0);
    }
    sizes
        .iter()
        .try_fold(1usize, |count, &size| count.checked_mul(size))
}

/// The row-major strides; `None` on overflow.
pub(crate) fn contiguous_strides(sizes: &[usize]) -> Option<Vec<usize>> {
    let mut strides = vec![1; sizes.len()];
    for axis in (1..sizes.len()).rev() {
        strides[axis - 1] = sizes[axis].max(1).checked_mul(strides[axis])?;
    }
    Some(strides)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(count: u8) -> Bytes {
        Bytes::from((0..count).collect::<Vec<_>>())
    }

    fn tensor(
        sizes: &[usize],
        strides: &[usize],
        offset: usize,
        count: u8,
    ) -> Result<StoredTensor, Error> {
        StoredTensor::new(
            ScalarType::U8,
            sizes.to_vec(),
            strides.to_vec(),
            offset,
            bytes(count),
        )
    }

    #[test]
    fn a_contiguous_view_is_a_slice() {
        let storage = bytes(10);
        let view =
            StoredTensor::new(ScalarType::U16, vec![2, 2], vec![2, 1], 1, storage.clone()).unwrap();
        let dense = view.to_contiguous();
        assert_eq!(dense, [2, 3, 4, 5, 6, 7, 8, 9][..]);
        assert_eq!(dense.as_ptr(), storage[2..].as_ptr());
    }

    #[test]
    fn a_strided_view_is_gathered() {
        let view = tensor(&[4, 2], &[1, 6], 6, 24).unwrap();
        assert_eq!(view.to_contiguous(), [6, 12, 7, 13, 8, 14, 9, 15][..]);
        assert_eq!(view.permuted_dense(), None);
        let expanded = tensor(&[2, 3], &[0, 1], 0, 3).unwrap();
        assert_eq!(expanded.to_contiguous(), [0, 1, 2, 0, 1, 2][..]);
    }

    #[test]
    fn channels_last_is_dense_in_its_order() {
        let view = tensor(&[2, 2, 1, 3], &[6, 1, 6, 2], 0, 12).unwrap();
        assert_eq!(view.permuted_dense(), Some(vec![0, 2, 3, 1]));
        assert_eq!(view.dense_bytes().unwrap(), bytes(12));
        assert_eq!(view.to_contiguous()[..6], [0, 2, 4, 1, 3, 5]);
    }

    #[test]
    fn a_scalar_and_an_empty_tensor_are_contiguous() {
        assert_eq!(tensor(&[], &[], 2, 3).unwrap().to_contiguous(), [2][..]);
        let empty = tensor(&[0, 5], &[5, 1], 7, 0).unwrap();
        assert!(empty.to_contiguous().is_empty() && empty.is_contiguous());
    }

    #[test]
    fn views_beyond_their_storage_are_refused() {
        assert!(tensor(&[2, 2], &[2, 1], 1, 4).is_err());
        assert!(tensor(&[2], &[usize::MAX], 1, 4).is_err());
        assert!(tensor(&[usize::MAX, usize::MAX], &[0, 0], 0, 4).is_err());
        assert!(tensor(&[1 << 40], &[0], 0, 4).is_err());
        assert!(tensor(&[1], &[1, 1], 0, 4).is_err());
        assert!(StoredTensor::new(ScalarType::Unknown(99), vec![], vec![], 0, bytes(1)).is_err());
        assert!(StoredTensor::zeros(ScalarType::F32, vec![1 << 40]).is_err());
    }
}
