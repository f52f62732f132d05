//! Integer dtypes of artifacts, which may be fewer than the model's.

use kiln_ir::{DType, Scalar, TensorData};

/// Converts integers to another integer type if all of them fit. `i8` and `u8` convert by their bits. Any other tensor
/// stays as it is.
pub fn as_integers(data: &TensorData, dtype: DType) -> TensorData {
    let pair = [data.dtype(), dtype];
    if matches!(pair, [DType::U8, DType::I8] | [DType::I8, DType::U8]) {
        let bytes = data.content().clone();
        return TensorData::of_content(dtype, data.sizes().to_vec(), bytes)
            .unwrap_or_else(|_| data.clone());
    }
    let Some((low, high)) = dtype.int_range() else {
        return data.clone();
    };
    let numbers: Option<Vec<i64>> = data
        .scalars()
        .map(|scalar| match scalar {
            Scalar::Int(i) if low <= i && i <= high => Some(i),
            _ => None,
        })
        .collect();
    let Some(numbers) = numbers.filter(|_| data.dtype() != dtype) else {
        return data.clone();
    };
    let bytes = numbers
        .iter()
        .flat_map(|i| i.to_le_bytes().into_iter().take(dtype.size()));
    let bytes: Vec<u8> = bytes.collect();
    TensorData::new(dtype, data.sizes().to_vec(), bytes.into()).unwrap_or_else(|_| data.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_eval::Tensor;

    #[test]
    fn bytes_come_as_their_bits() {
        let x = TensorData::from(Tensor::new([2], vec![200u8, 3]));
        let signed = as_integers(&x, DType::I8);
        assert_eq!(
            Tensor::from(signed.clone()),
            Tensor::new([2], vec![-56i8, 3])
        );
        assert_eq!(as_integers(&signed, DType::U8).bytes(), x.bytes());
    }

    #[test]
    fn what_does_not_fit_stays_as_it_is() {
        let x = TensorData::from(Tensor::new([1], vec![1i64 << 40]));
        assert_eq!(as_integers(&x, DType::I32).dtype(), DType::I64);
    }
}
