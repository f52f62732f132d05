//! `non_zero`.

use crate::dispatch::with_element;
use crate::element::Element;
use crate::tensor::Tensor;

/// The number of elements that are not zero.
pub fn count(x: &Tensor) -> usize {
    with_element!(x.dtype(), T, places::<T>(x).count())
}

/// The indices of the `count` elements that are not zero: i64 `[count, rank]`.
pub fn non_zero(x: &Tensor, count: usize) -> Tensor {
    let mut indices = Vec::with_capacity(count * x.rank());
    with_element!(x.dtype(), T, {
        places::<T>(x).for_each(|place| push_index(place, x.sizes(), &mut indices));
    });
    Tensor::new([count, x.rank()], indices)
}

fn places<T: Element>(x: &Tensor) -> impl Iterator<Item = usize> {
    let zero = T::default();
    let elements = x.of::<T>().iter().enumerate();
    elements.filter(move |(_, e)| **e != zero).map(|(i, _)| i)
}

fn push_index(mut place: usize, sizes: &[usize], indices: &mut Vec<i64>) {
    let first = indices.len();
    for &size in sizes.iter().rev() {
        indices.push((place % size) as i64);
        place /= size;
    }
    indices[first..].reverse();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_counts_and_negative_zero_does_not() {
        let x = Tensor::new([2, 2], vec![-0.0f32, f32::NAN, 3.0, 0.0]);
        assert_eq!(count(&x), 2);
        assert_eq!(non_zero(&x, 2), Tensor::new([2, 2], vec![0i64, 1, 1, 0]));
    }

    #[test]
    fn a_scalar_has_indices_of_length_0() {
        let x = Tensor::scalar(true);
        assert_eq!(non_zero(&x, count(&x)).sizes(), [1, 0]);
    }
}
