//! Special values of every dtype.

use kiln_eval::Tensor;
use kiln_ir::{DType, Scalar, TensorData};

/// Every dtype.
pub const DTYPES: [DType; 10] = [
    DType::Bool,
    DType::U8,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::F16,
    DType::BF16,
    DType::F32,
    DType::F64,
];

const FLOATS: [f64; 36] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.5,
    -2.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    0.3,
    -0.7,
    7.0,
    -7.5,
    88.0,
    -104.0,
    255.0,
    -129.0,
    65504.0,
    -65505.0,
    2147483520.0,
    2147483648.0,
    -2147483648.0,
    -2147483904.0,
    9.3e18,
    -9.3e18,
    3e38,
    -3e38,
    1e-40,
];

const INTS: [i64; 20] = [
    i64::MIN,
    i64::MAX,
    i32::MIN as i64,
    i32::MAX as i64,
    i16::MIN as i64,
    i16::MAX as i64,
    -128,
    127,
    255,
    0,
    1,
    -1,
    2,
    -2,
    3,
    -3,
    7,
    -7,
    31,
    64,
];

/// The number of special numbers of each dtype. Numbers that an integer type does not hold wrap.
pub const COUNT: usize = 36;

pub fn special(dtype: DType) -> Vec<Scalar> {
    let int = |i: usize| {
        let n = INTS[i % INTS.len()];
        match dtype {
            DType::Bool => Scalar::Bool(i.is_multiple_of(2)),
            DType::U8 => Scalar::Int(i64::from(n as u8)),
            DType::I8 => Scalar::Int(i64::from(n as i8)),
            DType::I16 => Scalar::Int(i64::from(n as i16)),
            DType::I32 => Scalar::Int(i64::from(n as i32)),
            _ => Scalar::Int(n),
        }
    };
    match dtype.is_float() {
        true => FLOATS.map(Scalar::Float).to_vec(),
        false => (0..COUNT).map(int).collect(),
    }
}

/// A tensor of special numbers.
pub fn tensor(dtype: DType, sizes: &[usize]) -> Tensor {
    let all = special(dtype);
    // The stride has no common factor with the count, so that rows differ.
    let count: usize = sizes.iter().product();
    let scalars = (0..count).map(|i| all[(i * 7 + i / COUNT) % COUNT]);
    TensorData::from_scalars(dtype, sizes.to_vec(), scalars).into()
}

/// The special numbers in order, as a column or a row.
pub fn line(dtype: DType, sizes: &[usize]) -> Tensor {
    TensorData::from_scalars(dtype, sizes.to_vec(), special(dtype)).into()
}

/// Numbers whose products, and sums of them, are exact in f32. So the order of a sum does not matter.
const EXACT: [f64; 18] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.5,
    -2.0,
    3.0,
    -3.25,
    7.0,
    -7.5,
    129.0,
];

/// A tensor of special floats whose sums of products are exact.
pub fn exact_tensor(dtype: DType, sizes: &[usize]) -> Tensor {
    let count: usize = sizes.iter().product();
    // Only every fifth number may be special, so that a row also has sums of finite numbers alone.
    let number = |i: usize| match i % 5 {
        0 => EXACT[i / 5 % EXACT.len()],
        _ => EXACT[5 + i * 7 % (EXACT.len() - 5)],
    };
    TensorData::from_scalars(
        dtype,
        sizes.to_vec(),
        (0..count).map(number).map(Scalar::Float),
    )
    .into()
}
