//! Softmaxes.
//!
//! An exponential is off by `2^-21` of itself: the rest of Taylor's row, `(1/8)^5 / 5!` of at least `e^(-1/4)`, and the rounding of its
//! argument to `2^-27`. Its 13 products are rounded to `2^-31`, so also a small one is off by as much. The rows of 8 bits add up
//! exponentials that are rounded to `2^-19`: by `2^-20` for each element the sum, which is at least 1, is off. The reciprocal of a sum is
//! off by `2^-27` of itself.

use super::factor::Factor;
use super::{Computation, Element, MULTIPLIER, SINGLE};
use kiln_ir::DType;
use kiln_ir::ops::Softmax;
use kiln_quantised::accumulator::Reach;
use kiln_quantised::step::Step;

/// What a share is off by, as a part of it: the exponential, the sum of exponentials and its reciprocal.
const EXPONENTIALS: f64 = 2.0 * 8.0 * SINGLE + SINGLE;

/// What is lost of each exponential in the sum of a row of 8 bits.
const IN_SUM: f64 = 1.0 / (1 << 20) as f64;

/// What also a small share is off by.
const PRODUCTS: f64 = 16.0 * MULTIPLIER;

/// A step that a kernel gives.
struct Own {
    step: Step,
    /// The greatest share in steps.
    most: f64,
    /// What the sum is off by, as a part of it.
    of_sum: f64,
}

impl Own {
    fn of(bits: i32, zero_point: i32, most: i32, of_sum: f64) -> Own {
        Own {
            step: Step {
                scale: f64::from(-bits).exp2(),
                zero_point,
            },
            most: f64::from(most),
            of_sum,
        }
    }

    fn element(&self, of: &Computation<'_>, exact: f64) -> Element {
        let scale = self.step.scale;
        let kernel = (EXPONENTIALS + self.of_sum + MULTIPLIER) * exact + PRODUCTS;
        let own = (exact / scale).round().min(self.most);
        let is_own = self.step == of.to.step;
        let factor = of.to.factor(scale, Reach(1 << 16)).map(Factor::once);
        let library = match factor {
            Some(factor) if !is_own => of.to.real(factor.steps(own)),
            _ => own * scale,
        };
        let rounding = if is_own { 0.0 } else { 0.5 * scale };
        Element {
            exact,
            error: kernel + rounding + (exact - self.most * scale).max(0.0),
            library,
        }
    }
}

/// A result of another step than the kernel's is brought to it. The kernel depends on where the axis lies in memory: the error is that of
/// the coarser one, where there are two.
pub(super) fn softmax(of: &Computation<'_>, op: &Softmax) -> Option<Vec<Element>> {
    if op.log {
        return None;
    }
    let sizes = of.operands[0].sizes();
    let is_row = sizes
        .iter()
        .enumerate()
        .all(|(i, &n)| i == op.axis || n == 1);
    let of_sum = *sizes.get(op.axis)? as f64 * IN_SUM;
    let bytes = Own::of(8, -128, 255, of_sum);
    let fine = Own::of(15, 0, 32_767, 0.0);
    let rows = Own::of(16, -32_768, 65_535, of_sum);
    let is_finer = of.to.step.scale < bytes.step.scale;
    let kernels = match of.dtype(0) {
        DType::I16 => vec![fine],
        _ if bytes.step == of.to.step => vec![bytes],
        _ if is_row => vec![rows],
        _ if is_finer => vec![rows, fine],
        _ => vec![rows, bytes],
    };
    let one = |exact: f64| {
        let found = kernels.iter().map(|own| own.element(of, exact));
        found.reduce(|first, other| Element {
            error: first.error.max(other.error),
            ..first
        })
    };
    of.exact()?.into_iter().map(one).collect()
}
