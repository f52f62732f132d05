//! The elements of tensors as numbers.

use super::value::dtype_of;
use crate::dialect::{TensorType, TosaDtype};
use half::{bf16, f16};
use kiln_eval::Tensor;
use kiln_ir::DType;

/// The elements in order, exactly. Bools are 0 and 1.
#[derive(Clone, Debug)]
pub(super) enum Numbers {
    Ints(Vec<i64>),
    Floats(Vec<f64>),
}

impl Numbers {
    /// The numbers of a tensor.
    pub fn of(tensor: &Tensor) -> Numbers {
        fn all<T: kiln_eval::Element, N>(tensor: &Tensor, f: impl Fn(T) -> N) -> Vec<N> {
            let elements = tensor.elements::<T>().unwrap_or_default();
            elements.iter().map(|&x| f(x)).collect()
        }
        match tensor.dtype() {
            DType::Bool => Numbers::Ints(all::<bool, _>(tensor, i64::from)),
            DType::U8 => Numbers::Ints(all::<u8, _>(tensor, i64::from)),
            DType::I8 => Numbers::Ints(all::<i8, _>(tensor, i64::from)),
            DType::I16 => Numbers::Ints(all::<i16, _>(tensor, i64::from)),
            DType::I32 => Numbers::Ints(all::<i32, _>(tensor, i64::from)),
            DType::I64 => Numbers::Ints(all::<i64, _>(tensor, |x| x)),
            DType::F16 => Numbers::Floats(all::<f16, _>(tensor, f16::to_f64)),
            DType::BF16 => Numbers::Floats(all::<bf16, _>(tensor, bf16::to_f64)),
            DType::F32 => Numbers::Floats(all::<f32, _>(tensor, f64::from)),
            DType::F64 => Numbers::Floats(all::<f64, _>(tensor, |x| x)),
        }
    }

    /// The integers of a tensor of integers or bools.
    pub fn ints(tensor: &Tensor) -> Vec<i64> {
        match Numbers::of(tensor) {
            Numbers::Ints(ints) => ints,
            Numbers::Floats(_) => unreachable!("the operator takes integers"),
        }
    }

    /// The floats of a tensor of floats.
    pub fn floats(tensor: &Tensor) -> Vec<f64> {
        match Numbers::of(tensor) {
            Numbers::Floats(floats) => floats,
            Numbers::Ints(_) => unreachable!("the operator takes floats"),
        }
    }

    /// A tensor of these numbers. Floats are rounded to its type; integers must fit.
    pub fn tensor(self, ty: &TensorType) -> Result<Tensor, String> {
        match self {
            Numbers::Ints(ints) => integers(ty, ints),
            Numbers::Floats(floats) => Ok(reals(ty, floats)),
        }
    }
}

fn integers(ty: &TensorType, ints: Vec<i64>) -> Result<Tensor, String> {
    let (low, high) = ty.dtype.int_range().unwrap_or((0, 1));
    if let Some(wrong) = ints.iter().find(|i| !(low..=high).contains(*i)) {
        return Err(format!("unpredictable: {wrong} is no {}", ty.dtype));
    }
    let sizes = ty.shape.as_slice();
    fn all<T>(ints: Vec<i64>, f: impl Fn(i64) -> T) -> Vec<T> {
        ints.into_iter().map(f).collect()
    }
    Ok(match dtype_of(ty.dtype) {
        Some(DType::Bool) => Tensor::new(sizes, all(ints, |i| i != 0)),
        Some(DType::I8) => Tensor::new(sizes, all(ints, |i| i as i8)),
        Some(DType::I16) => Tensor::new(sizes, all(ints, |i| i as i16)),
        Some(DType::I32) => Tensor::new(sizes, all(ints, |i| i as i32)),
        _ => Tensor::new(sizes, ints),
    })
}

fn reals(ty: &TensorType, floats: Vec<f64>) -> Tensor {
    let sizes = ty.shape.as_slice();
    let floats = floats.into_iter();
    match ty.dtype {
        TosaDtype::F16 => Tensor::new(sizes, floats.map(f16::from_f64).collect()),
        TosaDtype::BF16 => Tensor::new(sizes, floats.map(bf16::from_f64).collect()),
        _ => Tensor::new(sizes, floats.map(|x| x as f32).collect::<Vec<f32>>()),
    }
}
