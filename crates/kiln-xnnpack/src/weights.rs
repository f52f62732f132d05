//! Constants as a delegate holds them: moved, converted and filled ahead of time, and named by content.

use kiln_ir::{Content, DType, Movement, Scalar, TensorData};

/// The name under which a program holds these bytes: equal for equal bytes that come about in the same way.
pub(crate) fn key(content: &Content) -> String {
    content.key().to_hex()[..32].to_owned()
}

/// The tensor under other sizes, its axes permuted first.
pub(crate) fn permuted(data: &TensorData, axes: &[usize], sizes: &[usize]) -> Option<TensorData> {
    let shape: Vec<kiln_ir::Dim> = data.sizes().iter().map(|&n| (n as i64).into()).collect();
    let movement = Movement::permute(&shape, axes).ok()?;
    data.moved(&movement)?.reshaped(sizes.to_vec()).ok()
}

/// The elements repeated along dims of size 1; `None` if that does not give the sizes.
pub(crate) fn repeated(data: &TensorData, sizes: &[usize]) -> Option<TensorData> {
    let from = data.sizes();
    let fits = from.len() == sizes.len() && from.iter().zip(sizes).all(|(a, b)| a == b || *a == 1);
    if !fits {
        return None;
    }
    let element = data.dtype().size();
    let count: usize = sizes.iter().product();
    let mut bytes = Vec::with_capacity(count * element);
    for index in 0..count {
        let (mut rest, mut at, mut stride) = (index, 0, 1);
        for (&a, &b) in from.iter().zip(sizes).rev() {
            at += if a == 1 { 0 } else { rest % b * stride };
            rest /= b;
            stride *= a;
        }
        bytes.extend_from_slice(data.bytes().get(at * element..(at + 1) * element)?);
    }
    TensorData::new(data.dtype(), sizes.to_vec(), bytes.into()).ok()
}

/// The elements in another dtype.
pub(crate) fn cast(data: &TensorData, to: DType) -> TensorData {
    if data.dtype() == to {
        return data.clone();
    }
    TensorData::from_scalars(to, data.sizes().to_vec(), data.scalars())
}

/// A tensor of one number.
pub(crate) fn splat(dtype: DType, sizes: &[usize], value: f64) -> TensorData {
    TensorData::splat(dtype, sizes.to_vec(), Scalar::Float(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_turn_round() {
        let data = TensorData::from_f32(vec![1, 2, 3], &[0., 1., 2., 3., 4., 5.]);
        let turned = permuted(&data, &[0, 2, 1], &[3, 2]).unwrap();
        assert_eq!(
            turned,
            TensorData::from_f32(vec![3, 2], &[0., 3., 1., 4., 2., 5.])
        );
    }

    #[test]
    fn a_view_keeps_the_bytes() {
        let data = TensorData::from_f32(vec![2, 3], &[0.; 6]);
        let view = permuted(&data, &[0, 1], &[6]).unwrap();
        assert_eq!(view.bytes().as_ptr(), data.bytes().as_ptr());
    }
}
