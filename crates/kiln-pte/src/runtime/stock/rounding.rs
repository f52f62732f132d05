//! Floats of every type as f64, and what steps of kernels round to.

use super::super::error::Fault;
use super::super::kernel::as_dtype;
use kiln_eval::Tensor;
use kiln_ir::DType;

/// The elements as f64; exact for floats.
pub(super) fn reals(tensor: &Tensor) -> Result<Vec<f64>, Fault> {
    let wide = as_dtype(tensor, DType::F64)?;
    let elements = wide.elements::<f64>().map(<[f64]>::to_vec);
    elements.ok_or_else(|| Fault("a cast gives its dtype".into()))
}

/// A tensor of numbers that `dtype` holds.
pub(super) fn tensor(dtype: DType, sizes: &[usize], numbers: Vec<f64>) -> Result<Tensor, Fault> {
    as_dtype(&Tensor::new(sizes, numbers), dtype)
}

/// The nearest f32.
///
/// A sum, product, quotient or root of two f32 in f64, rounded by this, is that of f32: f64 has more than twice its bits.
pub(super) fn single(x: f64) -> f64 {
    f64::from(x as f32)
}

/// What kernels compute `dtype` in: f32 for the half types.
pub(super) fn step(dtype: DType, x: f64) -> f64 {
    match dtype {
        DType::F64 => x,
        _ => single(x),
    }
}

/// What a variable of the type `dtype` holds after a step in f32, or in f64 for f64.
pub(super) fn stored(dtype: DType, x: f64) -> f64 {
    match dtype {
        DType::F16 => half::f16::from_f32(x as f32).to_f64(),
        DType::BF16 => half::bf16::from_f32(x as f32).to_f64(),
        _ => step(dtype, x),
    }
}
