//! Bounded products of sizes: a hostile shape gives an error instead of using up memory.

use super::MovementError;
use crate::dim::Dim;

/// The most terms that computing a product may produce.
const MAX_TERMS: usize = 4096;

/// The product of all sizes; `None` if it exceeds 64 bits or 4096 terms.
pub(super) fn product<'a>(sizes: impl IntoIterator<Item = &'a Dim>) -> Option<Dim> {
    let mut total = Dim::constant(1);
    let mut fits = true;
    for size in sizes {
        if size.is(0) {
            return Some(size.clone());
        }
        if fits {
            let terms = total.terms().len().max(1) * size.terms().len().max(1);
            if terms > MAX_TERMS {
                fits = false;
            } else {
                total = total * size;
                fits = !is_saturated(&total);
            }
        }
    }
    fits.then_some(total)
}

/// The size of an axis, from factors whose product was checked before.
pub(super) fn axis_size<'a>(factors: impl IntoIterator<Item = &'a Dim, IntoIter: Clone>) -> Dim {
    let factors = factors.into_iter();
    match factors.clone().find(|size| size.is(0)) {
        Some(zero) => zero.clone(),
        None => factors.fold(Dim::constant(1), |total, size| total * size),
    }
}

/// As [`product`], with an error instead of `None`.
pub(super) fn checked_product(sizes: &[Dim]) -> Result<Dim, MovementError> {
    product(sizes).ok_or(MovementError::TooLarge(sizes.len()))
}

fn is_saturated(size: &Dim) -> bool {
    let at_end = |c: i64| c == i64::MAX || c == i64::MIN;
    size.as_const().is_some_and(at_end) || size.terms().iter().any(|t| at_end(t.coefficient))
}

/// Refuses sizes that are known to be negative.
pub(super) fn refuse_negative(sizes: &[Dim]) -> Result<(), MovementError> {
    match sizes.iter().find(|s| s.as_const().is_some_and(|c| c < 0)) {
        Some(size) => Err(MovementError::NegativeSize(size.clone())),
        None => Ok(()),
    }
}
