//! How near the results of the two runtimes must be.

use kiln_eval::Tensor;
use kiln_ir::ops::{BinaryFn, Simple, UnaryFn};
use kiln_ir::{DType, Graph, Op, Scalar, ValueId};

/// The rule by which one result is compared.
#[derive(Clone, Copy, Debug)]
pub enum Agreement {
    /// Equal numbers. Zeros must have the same sign.
    Equal,
    /// A function for which each runtime calls its own library: near in units in the last place of the result.
    Approximate,
    /// A log-softmax along so many elements. Its greatest result is the logarithm of a sum near 1, so its absolute error is the
    /// relative error of the sum.
    LogSum(usize),
    /// Indices along the last axis of operand 0. The indices of equal elements are interchangeable.
    Tied,
}

/// The allowed units in the last place. The libraries state an error of at most 2 for a function (glibc's manual; SLEEF's
/// `u10` is lower), and the longest formulas here round three times in between.
const UNITS: f64 = 8.0;

/// The rule for the result of an op.
pub fn agreement(graph: &Graph, value: ValueId) -> Agreement {
    match graph.producer_op(value) {
        Some(Op::Softmax(softmax)) => {
            let along = graph.ty(value).shape[softmax.axis].as_const();
            match softmax.log {
                true => Agreement::LogSum(along.unwrap_or(8) as usize),
                false => Agreement::Approximate,
            }
        }
        Some(Op::Unary(unary)) => match is_exact(unary.f) {
            true => Agreement::Equal,
            false => Agreement::Approximate,
        },
        Some(Op::Binary(binary)) if matches!(binary.f, BinaryFn::Pow | BinaryFn::Atan2) => {
            Agreement::Approximate
        }
        Some(Op::TopK(_)) if graph.ty(value).dtype == DType::I64 => Agreement::Tied,
        _ => Agreement::Equal,
    }
}

/// True for functions of which every library rounds each step correctly.
fn is_exact(f: UnaryFn) -> bool {
    match f {
        UnaryFn::Simple(f) => matches!(
            f,
            Simple::Neg
                | Simple::Abs
                | Simple::Sign
                | Simple::Floor
                | Simple::Ceil
                | Simple::Round
                | Simple::Trunc
                | Simple::Sqrt
                | Simple::Reciprocal
                | Simple::Square
                | Simple::BitNot
                | Simple::IsNan
                | Simple::IsInf
        ),
        UnaryFn::Clamp { .. } | UnaryFn::LeakyRelu { .. } => true,
        UnaryFn::Elu { .. } | UnaryFn::Softplus { .. } => false,
    }
}

impl Agreement {
    /// The indices of the elements that break the rule.
    pub fn broken(self, [stock, builtin]: [&Tensor; 2], operand: &Tensor) -> Vec<usize> {
        let (a, b) = (stock.scalars(), builtin.scalars());
        let is_float = stock.dtype().is_float();
        let holds = |i: usize| match is_float {
            true => self.holds_of(stock.dtype(), a[i].as_f64(), b[i].as_f64()),
            false => a[i].as_i64() == b[i].as_i64(),
        };
        let mut broken: Vec<usize> = (0..a.len()).filter(|&i| !holds(i)).collect();
        if matches!(self, Agreement::Tied) {
            let all = operand.scalars();
            let of = |i: usize, index: Scalar| element_along_row(&all, [operand, stock], i, index);
            broken.retain(|&i| !is_equal(of(i, a[i]), of(i, b[i])));
        }
        broken
    }

    fn holds_of(self, dtype: DType, a: f64, b: f64) -> bool {
        let apart = (a - b).abs();
        is_equal(a, b)
            || match self {
                Agreement::Equal | Agreement::Tied => false,
                Agreement::Approximate => apart <= UNITS * unit(dtype, a),
                // Each term and each addition is off by at most a unit of 1. The other steps are off by units of the result.
                Agreement::LogSum(along) => {
                    apart <= (2 * along) as f64 * unit(dtype, 1.0) + UNITS * unit(dtype, a)
                }
            }
    }
}

/// True if no op can tell the two numbers apart.
fn is_equal(a: impl Into<Option<f64>>, b: impl Into<Option<f64>>) -> bool {
    match (a.into(), b.into()) {
        (Some(a), Some(b)) => {
            a.is_nan() && b.is_nan() || a == b && a.is_sign_negative() == b.is_sign_negative()
        }
        _ => false,
    }
}

/// The distance of neighbouring numbers of a dtype at `x`; 0 if it has none.
fn unit(dtype: DType, x: f64) -> f64 {
    let (digits, least) = match dtype {
        DType::F64 => (52, -1022),
        DType::F32 => (23, -126),
        DType::F16 => (10, -14),
        _ => (7, -126),
    };
    if !x.is_finite() {
        return 0.0;
    }
    let exponent = match x == 0.0 {
        true => least,
        false => (x.abs().log2().floor() as i32).max(least),
    };
    f64::from(2.0f32).powi(exponent - digits)
}

/// The element of the operand that the index at element `i` of the result names.
fn element_along_row(
    all: &[Scalar],
    [operand, result]: [&Tensor; 2],
    i: usize,
    index: Scalar,
) -> Option<f64> {
    let (&along, &width) = (result.sizes().last()?, operand.sizes().last()?);
    let index = usize::try_from(index.as_i64()).ok()?;
    (index < width).then(|| all[i / along * width + index].as_f64())
}
