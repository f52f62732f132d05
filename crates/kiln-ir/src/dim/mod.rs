//! Symbolic sizes.
//!
//! A [`Dim`] is a polynomial with integer coefficients over *atoms*: a symbol, or a floor division, modulus, minimum or
//! maximum of polynomials. It has a normal form: like terms are collected, terms are sorted, and exact divisions are
//! carried out. So structural equality decides equality of polynomials. Two dims that are not structurally equal may
//! still have the same value. [`Symbols`] knows the ranges of symbols and says whether two dims are provably equal or
//! different. If neither can be proven the answer is *unknown*, never *different*.
//!
//! Arithmetic saturates at the ends of `i64`, and a saturated number stays saturated: sums and products with an end
//! give an end. A polynomial with a coefficient that does not fit becomes `i64::MAX`. The verifier refuses such sizes.
//! So [`i64::MAX`] may also stand for "no limit", as in Python's slices.

mod arithmetic;
mod atom;
mod bounds;
mod term;
mod text;

pub use atom::Atom;
pub use bounds::{Interval, Symbol, Symbols};
pub use text::{DimNames, ParseDimError, parse_dim};

use crate::arena::SymbolId;
use smallvec::SmallVec;
use std::sync::Arc;
use term::{Term, is_end, plus};

/// A size or an integer expression over symbols, in normal form.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dim(Repr);

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Repr {
    Const(i64),
    /// Never a single constant, which is `Const`.
    Poly(Arc<Vec<Term>>),
}

impl Dim {
    /// A known value.
    pub const fn constant(value: i64) -> Dim {
        Dim(Repr::Const(value))
    }

    /// A dim that is one symbol.
    pub fn symbol(id: SymbolId) -> Dim {
        Dim::atom(Atom::Symbol(id))
    }

    fn atom(atom: Atom) -> Dim {
        let factors = SmallVec::from_elem((atom, 1), 1);
        Dim(Repr::Poly(Arc::new(vec![Term {
            factors,
            coefficient: 1,
        }])))
    }

    /// The value, if the dim has no symbols.
    pub fn as_const(&self) -> Option<i64> {
        match self.0 {
            Repr::Const(c) => Some(c),
            Repr::Poly(_) => None,
        }
    }

    /// The symbol, if the dim is just one.
    pub fn as_symbol(&self) -> Option<SymbolId> {
        match self.as_atom()? {
            Atom::Symbol(id) => Some(*id),
            Atom::FloorDiv(..) | Atom::Mod(..) | Atom::Min(_) | Atom::Max(_) => None,
        }
    }

    fn as_atom(&self) -> Option<&Atom> {
        match self.terms() {
            [
                Term {
                    factors,
                    coefficient: 1,
                },
            ] => match factors.as_slice() {
                [(atom, 1)] => Some(atom),
                _ => None,
            },
            _ => None,
        }
    }

    /// The number of terms of the polynomial, at least 1. A product of two dims has up to the product of their numbers.
    pub fn term_count(&self) -> usize {
        self.terms().len().max(1)
    }

    /// True if the dim prints at most `limit` numbers, symbols and functions. Takes at most `limit` steps. Dims that
    /// are read from files are limited in this way, because nested products grow exponentially.
    pub fn weighs_at_most(&self, limit: usize) -> bool {
        self.weigh(limit).is_some()
    }

    /// Subtracts the dim's weight from `limit`; `None` if it exceeds the limit.
    fn weigh(&self, limit: usize) -> Option<usize> {
        let left = limit.checked_sub(self.term_count())?;
        self.terms().iter().try_fold(left, |left, term| {
            term.factors.iter().try_fold(left, |left, (atom, power)| {
                let operands = atom.operands();
                (0..*power).try_fold(left, |left, _| {
                    operands
                        .iter()
                        .try_fold(left.checked_sub(1)?, |left, operand| operand.weigh(left))
                })
            })
        })
    }

    /// True if the dim is known to be `value`.
    pub fn is(&self, value: i64) -> bool {
        self.as_const() == Some(value)
    }

    /// The terms of the polynomial; empty for a constant.
    pub(crate) fn terms(&self) -> &[Term] {
        match &self.0 {
            Repr::Const(_) => &[],
            Repr::Poly(terms) => terms,
        }
    }

    fn to_terms(&self) -> Vec<Term> {
        match &self.0 {
            Repr::Const(0) => Vec::new(),
            Repr::Const(c) => vec![Term {
                factors: SmallVec::new(),
                coefficient: *c,
            }],
            Repr::Poly(terms) => terms.to_vec(),
        }
    }

    /// Collects like terms and sorts them.
    fn from_terms(mut terms: Vec<Term>) -> Dim {
        terms.sort_by(|a, b| a.factors.cmp(&b.factors));
        let mut out: Vec<Term> = Vec::with_capacity(terms.len());
        for term in terms {
            match out.last_mut() {
                Some(last) if last.factors == term.factors => {
                    last.coefficient = plus(last.coefficient, term.coefficient);
                }
                _ => out.push(term),
            }
        }
        out.retain(|t| t.coefficient != 0);
        match out.as_slice() {
            [] => Dim::constant(0),
            [only] if only.factors.is_empty() => Dim::constant(only.coefficient),
            [first, ..] if first.factors.is_empty() && is_end(first.coefficient) => {
                Dim::constant(first.coefficient)
            }
            terms if terms.iter().any(|t| is_end(t.coefficient)) => Dim::constant(i64::MAX),
            _ => Dim(Repr::Poly(Arc::new(out))),
        }
    }

    /// The quotient rounded toward minus infinity. Terms that divide exactly are divided. A zero divisor stays
    /// symbolic.
    pub fn floor_div(&self, divisor: &Dim) -> Dim {
        if let (Some(a), Some(b)) = (self.as_const(), divisor.as_const())
            && b != 0
        {
            // Only the least i64 divided by -1 does not fit.
            let Some(quotient) = a.checked_div_euclid(b) else {
                return Dim::constant(i64::MAX);
            };
            return Dim::constant(quotient - i64::from(b < 0 && a.rem_euclid(b) != 0));
        }
        if divisor.is(1) {
            return self.clone();
        }
        if self.is(0) {
            return Dim::constant(0);
        }
        if let Some(quotient) = self.exact_div(divisor) {
            return quotient;
        }
        let Some(by) = divisor.as_const().filter(|&b| b > 0) else {
            return Dim::atom(Atom::FloorDiv(self.clone(), divisor.clone()));
        };
        let (whole, rest) = self.split_multiples(by);
        let whole = whole
            .exact_div(divisor)
            .expect("every coefficient was a multiple");
        match rest.as_const() {
            Some(r) => whole + r.div_euclid(by),
            None => whole + Dim::atom(Atom::FloorDiv(rest, divisor.clone())),
        }
    }

    /// `self - divisor * floor_div(self, divisor)`.
    pub fn modulo(&self, divisor: &Dim) -> Dim {
        if let (Some(a), Some(b)) = (self.as_const(), divisor.as_const())
            && b != 0
        {
            let r = a.wrapping_rem_euclid(b);
            return Dim::constant(if b < 0 && r != 0 { r + b } else { r });
        }
        if self.exact_div(divisor).is_some() {
            return Dim::constant(0);
        }
        let Some(by) = divisor.as_const().filter(|&b| b > 0) else {
            return Dim::atom(Atom::Mod(self.clone(), divisor.clone()));
        };
        let (_, rest) = self.split_multiples(by);
        match rest.as_const() {
            Some(r) => Dim::constant(r.rem_euclid(by)),
            None => Dim::atom(Atom::Mod(rest, divisor.clone())),
        }
    }

    /// Splits the polynomial into the terms whose coefficient is a multiple of `by`, and the other terms.
    fn split_multiples(&self, by: i64) -> (Dim, Dim) {
        let (whole, rest) = self
            .to_terms()
            .into_iter()
            .partition(|t| t.coefficient % by == 0);
        (Dim::from_terms(whole), Dim::from_terms(rest))
    }

    /// The exact quotient, if `divisor` is a single term that divides every term, or equals `self`.
    pub fn exact_div(&self, divisor: &Dim) -> Option<Dim> {
        if divisor.is(0) {
            return None;
        }
        if self == divisor {
            return Some(Dim::constant(1));
        }
        let divisor = divisor.to_terms();
        let [by] = divisor.as_slice() else {
            return None;
        };
        let quotient: Option<Vec<Term>> = self
            .to_terms()
            .into_iter()
            .map(|t| t.exact_div(by))
            .collect();
        Some(Dim::from_terms(quotient?))
    }

    /// The minimum of the given dims.
    pub fn min(dims: impl IntoIterator<Item = Dim>) -> Dim {
        Dim::extremum(
            dims,
            |a, b| a.min(b),
            i64::MAX,
            Atom::Min,
            |a| match a {
                Atom::Min(v) => Some(v),
                _ => None,
            },
        )
    }

    /// The maximum of the given dims.
    pub fn max(dims: impl IntoIterator<Item = Dim>) -> Dim {
        Dim::extremum(
            dims,
            |a, b| a.max(b),
            i64::MIN,
            Atom::Max,
            |a| match a {
                Atom::Max(v) => Some(v),
                _ => None,
            },
        )
    }

    fn extremum(
        dims: impl IntoIterator<Item = Dim>,
        pick: fn(i64, i64) -> i64,
        neutral: i64,
        make: fn(Vec<Dim>) -> Atom,
        nested: fn(&Atom) -> Option<&Vec<Dim>>,
    ) -> Dim {
        let mut known = neutral;
        let mut open: Vec<Dim> = Vec::new();
        for dim in dims {
            let parts = dim
                .as_atom()
                .and_then(nested)
                .cloned()
                .unwrap_or_else(|| vec![dim]);
            for part in parts {
                match part.as_const() {
                    Some(c) => known = pick(known, c),
                    None => open.push(part),
                }
            }
        }
        if open.is_empty() {
            return Dim::constant(known);
        }
        if known != neutral {
            open.push(Dim::constant(known));
        }
        open.sort();
        open.dedup();
        if open.len() == 1 {
            open.remove(0)
        } else {
            Dim::atom(make(open))
        }
    }

    /// The value for an assignment of symbols. `None` if a symbol is missing, a divisor is zero, or the value does not
    /// fit i64.
    pub fn evaluate(&self, value_of: &dyn Fn(SymbolId) -> Option<i64>) -> Option<i64> {
        if let Some(c) = self.as_const() {
            return Some(c);
        }
        let mut sum = 0i64;
        for term in self.terms() {
            let mut product = term.coefficient;
            for (atom, power) in &term.factors {
                let value = atom.evaluate(value_of)?;
                product = product.checked_mul(value.checked_pow(*power)?)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }

    /// The dim with each symbol replaced for which `replacement` gives a dim.
    pub fn substitute(&self, replacement: &dyn Fn(SymbolId) -> Option<Dim>) -> Dim {
        if self.as_const().is_some() {
            return self.clone();
        }
        let mut sum = Dim::constant(0);
        for term in self.terms() {
            let mut product = Dim::constant(term.coefficient);
            for (atom, power) in &term.factors {
                let value = atom.substitute(replacement);
                for _ in 0..*power {
                    product = product * &value;
                }
            }
            sum = sum + product;
        }
        sum
    }

    /// Calls `visit` for every occurrence of a symbol.
    pub fn for_each_symbol(&self, visit: &mut dyn FnMut(SymbolId)) {
        for term in self.terms() {
            for (atom, _) in &term.factors {
                atom.for_each_symbol(visit);
            }
        }
    }
}

impl From<i64> for Dim {
    fn from(value: i64) -> Dim {
        Dim::constant(value)
    }
}

impl From<SymbolId> for Dim {
    fn from(id: SymbolId) -> Dim {
        Dim::symbol(id)
    }
}

impl From<&Dim> for Dim {
    fn from(dim: &Dim) -> Dim {
        dim.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Id;
    use proptest::prelude::*;

    fn s(i: u32) -> Dim {
        Dim::symbol(SymbolId::new(i))
    }

    #[test]
    fn normal_form_decides_polynomial_equality() {
        assert_eq!((s(0) + 1) * (s(0) - 1), s(0) * s(0) - 1);
        assert_eq!(s(0) * s(1) - s(1) * s(0), Dim::constant(0));
    }

    #[test]
    fn division_takes_out_what_divides() {
        assert_eq!((s(0) * 4 + 6).floor_div(&4.into()), s(0) + 1);
        assert_eq!((s(0) * s(1)).floor_div(&s(1)), s(0));
        assert_eq!((s(0) * 4 + 6).modulo(&4.into()), Dim::constant(2));
    }

    #[test]
    fn division_by_zero_stays_symbolic() {
        assert_eq!(
            Dim::constant(3).floor_div(&0.into()).evaluate(&|_| None),
            None
        );
        assert_eq!(s(0).modulo(&0.into()).evaluate(&|_| Some(4)), None);
    }

    #[test]
    fn extrema_drop_neutral_elements_and_duplicates() {
        assert_eq!(Dim::min([s(0), Dim::constant(i64::MAX), s(0)]), s(0));
        assert_eq!(
            Dim::max([s(0), Dim::max([s(1), 3.into()]), 5.into()]),
            Dim::max([5.into(), s(1), s(0)])
        );
        assert_eq!(Dim::min([3.into(), 2.into()]), Dim::constant(2));
    }

    #[test]
    fn weight_counts_what_prints_and_stops_at_the_limit() {
        let dim = (s(0) * 2 + 1).floor_div(&s(1)) * s(0);
        // One term of two factors, one of which has two operands: two terms and a symbol, a term and a symbol.
        assert!(dim.weighs_at_most(8) && !dim.weighs_at_most(7));
        let mut nested = s(0);
        for _ in 0..60 {
            nested = nested.floor_div(&s(1)) * nested.modulo(&s(1));
        }
        assert!(!nested.weighs_at_most(1 << 14));
    }

    fn arb_dim() -> impl Strategy<Value = Dim> {
        let leaf = prop_oneof![(-9i64..10).prop_map(Dim::constant), (0u32..3).prop_map(s)];
        leaf.prop_recursive(4, 24, 2, |inner| {
            (inner.clone(), inner, 0..7).prop_map(|(a, b, op)| match op {
                0 => a + b,
                1 => a - b,
                2 => a * b,
                3 => a.floor_div(&b),
                4 => a.modulo(&b),
                5 => Dim::min([a, b]),
                _ => Dim::max([a, b]),
            })
        })
    }

    proptest! {
        #[test]
        fn operations_agree_with_integers(a in arb_dim(), b in arb_dim(), v in prop::array::uniform3(-5i64..6)) {
            let at = |d: &Dim| d.evaluate(&|id| Some(v[id.index()]));
            if let (Some(x), Some(y)) = (at(&a), at(&b)) {
                prop_assert_eq!(at(&(&a + &b)), Some(x + y));
                prop_assert_eq!(at(&(&a - &b)), Some(x - y));
                prop_assert_eq!(at(&(&a * &b)), Some(x * y));
                prop_assert_eq!(at(&Dim::min([a.clone(), b.clone()])), Some(x.min(y)));
                prop_assert_eq!(at(&Dim::max([a.clone(), b.clone()])), Some(x.max(y)));
                if y != 0 {
                    let q = (x as f64 / y as f64).floor() as i64;
                    prop_assert_eq!(at(&a.floor_div(&b)), Some(q));
                    prop_assert_eq!(at(&a.modulo(&b)), Some(x - y * q));
                }
            }
        }
    }
}
