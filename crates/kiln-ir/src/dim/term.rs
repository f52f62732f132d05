//! A term of a polynomial, and saturating arithmetic on coefficients.

use super::Atom;
use smallvec::SmallVec;

/// A product of powers of atoms with a nonzero coefficient. The constant term has no atoms.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Term {
    pub(crate) factors: SmallVec<[(Atom, u32); 1]>,
    pub(crate) coefficient: i64,
}

impl Term {
    pub(super) fn exact_div(&self, by: &Term) -> Option<Term> {
        // The least i64 divided by -1 does not fit, so it is not exact.
        if self.coefficient.checked_rem(by.coefficient) != Some(0) {
            return None;
        }
        let mut factors = self.factors.clone();
        for (atom, power) in &by.factors {
            let slot = factors.iter_mut().find(|(a, p)| a == atom && p >= power)?;
            slot.1 -= power;
        }
        factors.retain(|(_, p)| *p > 0);
        Some(Term {
            factors,
            coefficient: self.coefficient / by.coefficient,
        })
    }

    pub(super) fn multiply(&self, other: &Term) -> Term {
        let mut factors = self.factors.clone();
        for (atom, power) in &other.factors {
            match factors.iter_mut().find(|(a, _)| a == atom) {
                Some(slot) => slot.1 = slot.1.saturating_add(*power),
                None => factors.push((atom.clone(), *power)),
            }
        }
        factors.sort();
        Term {
            factors,
            coefficient: times(self.coefficient, other.coefficient),
        }
    }
}

/// True for the ends of i64, which stand for numbers that do not fit.
pub(super) fn is_end(number: i64) -> bool {
    number == i64::MAX || number == i64::MIN
}

/// `a + b`. If either is an end, the result is that end; of two different ends, the upper one.
pub(super) fn plus(a: i64, b: i64) -> i64 {
    match (a, b) {
        (i64::MAX, _) | (_, i64::MAX) => i64::MAX,
        (i64::MIN, _) | (_, i64::MIN) => i64::MIN,
        _ => a.saturating_add(b),
    }
}

/// `a * b`. If either is an end and the other is not 0, the result is an end.
pub(super) fn times(a: i64, b: i64) -> i64 {
    if !is_end(a) && !is_end(b) {
        return a.saturating_mul(b);
    }
    match a.signum() * b.signum() {
        0 => 0,
        1 => i64::MAX,
        _ => i64::MIN,
    }
}
