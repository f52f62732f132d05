//! How near the two runtimes' results must be.

use kiln_eval::Tensor;
use kiln_ir::ops::{BinaryFn, Simple, UnaryFn};
use kiln_ir::{DType, Graph, Op, Scalar, ValueId};

/// What is asked of one result.
#[derive(Clone, Copy, Debug)]
pub enum Agreement {
    /// The same numbers; of a zero also the sign.
    Equal,
    /// A function that each runtime takes from a library of its own: units in the last place of the result.
    Approximate,
    /// A logarithm of a softmax along so many elements. Its largest result is the logarithm of a sum near 1, of which the
    /// relative error is that of the sum.
    LogSum(usize),
    /// Indices, of which any of equal elements may stand: those of operand 0 along its last axis.
    Tied,
}

/// Units in the last place: the libraries state at most 2 for a function (glibc's manual; SLEEF's `u10` is below), and the longest
/// formulas here round three times between.
const UNITS: f64 = 8.0;

/// How near a result must be, by the op that gives it.
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

/// True for functions of which each step is rounded correctly by every library.
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
    /// The elements that may not be these, by place.
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
                // Each term and each addition of the sum is off by a unit of 1 at most, and the rest by units of the result.
                Agreement::LogSum(along) => {
                    apart <= (2 * along) as f64 * unit(dtype, 1.0) + UNITS * unit(dtype, a)
                }
            }
    }
}

/// Numbers that no reader tells apart.
fn is_equal(a: impl Into<Option<f64>>, b: impl Into<Option<f64>>) -> bool {
    match (a.into(), b.into()) {
        (Some(a), Some(b)) => {
            a.is_nan() && b.is_nan() || a == b && a.is_sign_negative() == b.is_sign_negative()
        }
        _ => false,
    }
}

/// The distance of the numbers of a dtype at `x`; 0 where there is none.
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

/// The element of the operand that an index names, which stands at element `i` of the result.
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
