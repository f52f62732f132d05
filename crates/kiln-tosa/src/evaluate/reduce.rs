//! Reductions along an axis, and `ARGMAX`.

use super::elementwise::{greater, less};
use super::numbers::Numbers;
use crate::dialect::{ArgMax, NanMode, TosaOp};
use kiln_eval::Tensor;

/// The sizes before, along and behind an axis.
struct Along {
    outer: usize,
    size: usize,
    inner: usize,
}

impl Along {
    fn new(sizes: &[usize], axis: usize) -> Along {
        Along {
            outer: sizes[..axis].iter().product(),
            size: sizes[axis],
            inner: sizes[axis + 1..].iter().product(),
        }
    }

    /// Applies a function to the elements along the axis, at each position of the other axes.
    fn fold<T: Copy, R>(
        &self,
        elements: &[T],
        f: impl Fn(&mut dyn Iterator<Item = T>) -> R,
    ) -> Vec<R> {
        let mut folded = Vec::with_capacity(self.outer * self.inner);
        for outer in 0..self.outer {
            for inner in 0..self.inner {
                let first = outer * self.size * self.inner + inner;
                let places = (0..self.size).map(|i| elements[first + i * self.inner]);
                folded.push(f(&mut { places }));
            }
        }
        folded
    }
}

/// The result of a reduction; `None` for other operators.
pub(super) fn reduced(op: &TosaOp, x: &Tensor) -> Option<Numbers> {
    let axis = op.axis()?;
    let along = Along::new(x.sizes(), axis);
    Some(match (op, Numbers::of(x)) {
        (TosaOp::ReduceAll { .. }, Numbers::Ints(x)) => {
            Numbers::Ints(along.fold(&x, |all| all.fold(1, |a, b| a & b)))
        }
        (TosaOp::ReduceAny { .. }, Numbers::Ints(x)) => {
            Numbers::Ints(along.fold(&x, |all| all.fold(0, |a, b| a | b)))
        }
        (TosaOp::ReduceSum { .. }, Numbers::Ints(x)) => {
            Numbers::Ints(along.fold(&x, |all| all.fold(0, i64::saturating_add)))
        }
        (TosaOp::ReduceSum { .. }, Numbers::Floats(x)) => {
            Numbers::Floats(along.fold(&x, |all| all.sum()))
        }
        (TosaOp::ReduceProduct { .. }, Numbers::Floats(x)) => {
            Numbers::Floats(along.fold(&x, |all| all.product()))
        }
        (TosaOp::ReduceMax { .. }, Numbers::Ints(x)) => {
            Numbers::Ints(along.fold(&x, |all| all.fold(i64::MIN, i64::max)))
        }
        (TosaOp::ReduceMin { .. }, Numbers::Ints(x)) => {
            Numbers::Ints(along.fold(&x, |all| all.fold(i64::MAX, i64::min)))
        }
        (TosaOp::ReduceMax { nan_mode, .. }, Numbers::Floats(x)) => {
            let first = start(*nan_mode, f64::NEG_INFINITY);
            Numbers::Floats(along.fold(&x, |all| all.fold(first, |a, b| greater(a, b, *nan_mode))))
        }
        (TosaOp::ReduceMin { nan_mode, .. }, Numbers::Floats(x)) => {
            let first = start(*nan_mode, f64::INFINITY);
            Numbers::Floats(along.fold(&x, |all| all.fold(first, |a, b| less(a, b, *nan_mode))))
        }
        _ => return None,
    })
}

/// The start value of the fold. There is none if NaN is ignored.
pub(super) fn start(mode: NanMode, extreme: f64) -> f64 {
    match mode {
        NanMode::Propagate => extreme,
        NanMode::Ignore => f64::NAN,
    }
}

/// `ARGMAX`: the index of the first of the greatest elements. If NaN propagates, that of the first NaN.
pub(super) fn arg_max(arg_max: &ArgMax, x: &Tensor) -> Vec<i64> {
    let along = Along::new(x.sizes(), arg_max.axis);
    match Numbers::of(x) {
        Numbers::Ints(x) => along.fold(&x, |all| {
            let (mut best, mut at) = (i64::MIN, 0);
            for (i, value) in all.enumerate() {
                if value > best {
                    (best, at) = (value, i as i64);
                }
            }
            at
        }),
        Numbers::Floats(x) => along.fold(&x, |all| {
            let (mut best, mut at) = (start(arg_max.nan_mode, f64::NEG_INFINITY), 0);
            for (i, value) in all.enumerate() {
                let result = greater(value, best, arg_max.nan_mode);
                if result != best && !(result.is_nan() && best.is_nan()) {
                    (best, at) = (result, i as i64);
                }
            }
            at
        }),
    }
}
