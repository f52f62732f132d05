//! Random elements.

use half::{bf16, f16};
use kiln_check::Random;
use kiln_eval::Tensor;
use kiln_tosa::dialect::TosaDtype;

/// The range of a tensor's elements.
#[derive(Clone, Copy)]
pub enum Range {
    /// So small that sums of a few elements do not overflow.
    Usual,
    /// Every value of the dtype.
    Full,
    Positive,
    NotZero,
    Between(i64, i64),
}

pub fn integer(dtype: TosaDtype, range: Range, random: &mut Random) -> i64 {
    let (low, high) = dtype.int_range().unwrap_or((0, 1));
    match range {
        Range::Usual => random.between(low / 4, high / 4),
        Range::Full if random.chance(20) => *random.pick(&[low, high, 0, -1, low + 1]),
        Range::Full => random.between(low, high),
        Range::Positive => random.between(1, high),
        Range::NotZero => match random.between(low, high) {
            0 => 1,
            n => n,
        },
        Range::Between(low, high) => random.between(low, high),
    }
}

pub fn float(range: Range, random: &mut Random) -> f64 {
    match range {
        Range::Positive => random.unit() * 3.0 + 0.1,
        Range::Full if random.chance(10) => {
            *random.pick(&[f64::NAN, f64::INFINITY, -0.0, f64::NEG_INFINITY, 0.5])
        }
        _ => random.normal() * 2.0,
    }
}

pub fn tensor(dtype: TosaDtype, shape: &[usize], range: Range, random: &mut Random) -> Tensor {
    let n = shape.iter().product();
    let r = random;
    match dtype {
        TosaDtype::Bool => Tensor::new(shape, many(n, || r.chance(50))),
        TosaDtype::I4 | TosaDtype::I8 => {
            Tensor::new(shape, many(n, || integer(dtype, range, r) as i8))
        }
        TosaDtype::I16 => Tensor::new(shape, many(n, || integer(dtype, range, r) as i16)),
        TosaDtype::I32 => Tensor::new(shape, many(n, || integer(dtype, range, r) as i32)),
        TosaDtype::I48 => Tensor::new(shape, many(n, || integer(dtype, range, r))),
        TosaDtype::F16 => Tensor::new(shape, many(n, || f16::from_f64(float(range, r)))),
        TosaDtype::BF16 => Tensor::new(shape, many(n, || bf16::from_f64(float(range, r)))),
        TosaDtype::F32 => Tensor::new(shape, many(n, || float(range, r) as f32)),
        TosaDtype::F8E4M3 | TosaDtype::F8E5M2 => unreachable!("8-bit floats are not made"),
    }
}

fn many<T>(n: usize, one: impl FnMut() -> T) -> Vec<T> {
    std::iter::repeat_with(one).take(n).collect()
}
