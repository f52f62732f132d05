//! Ranges of symbols, and the bounds of dims that follow from them.

use super::term::Term;
use super::{Atom, Dim};
use crate::arena::{Arena, SymbolId};

impl Dim {
    /// The terms of the polynomial: each is a coefficient and powers of atoms. There are none for 0, and a constant
    /// term has no atoms.
    pub fn monomials(&self) -> Vec<(i64, &[(Atom, u32)])> {
        match self.as_const() {
            Some(0) => Vec::new(),
            Some(c) => vec![(c, &[])],
            None => {
                let terms = self.terms().iter();
                terms
                    .map(|t| (t.coefficient, t.factors.as_slice()))
                    .collect()
            }
        }
    }
}

/// An unknown size and its known range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The exporter's name (`s77`, `u0`).
    pub name: String,
    /// The least value that it can take.
    pub min: i64,
    /// The greatest value that it can take; `None` if it is unbounded.
    pub max: Option<i64>,
    /// Its value in the traced run, if the archive has it.
    pub hint: Option<i64>,
}

/// The symbols of a graph.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    table: Arena<SymbolId, Symbol>,
}

/// The integers from `lo` to `hi`, both included. `None` means unbounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The least value.
    pub lo: Option<i64>,
    /// The greatest value.
    pub hi: Option<i64>,
}

impl Symbols {
    /// Adds a symbol.
    pub fn add(&mut self, symbol: Symbol) -> SymbolId {
        self.table.push(symbol)
    }

    /// The symbol with this id.
    ///
    /// # Panics
    /// If the id belongs to another graph.
    pub fn get(&self, id: SymbolId) -> &Symbol {
        &self.table[id]
    }

    /// As [`Symbols::get`], to change the range. It may be narrowed at any time, and widened until a node mentions the
    /// symbol.
    pub fn get_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.table[id]
    }

    /// The id of the symbol with this name.
    pub fn find(&self, name: &str) -> Option<SymbolId> {
        self.table
            .iter()
            .find(|(_, s)| s.name == name)
            .map(|(id, _)| id)
    }

    /// All symbols in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (SymbolId, &Symbol)> {
        self.table.iter()
    }

    /// True if `id` is in this table.
    pub fn contains(&self, id: SymbolId) -> bool {
        self.table.get(id).is_some()
    }

    /// The range of the dim, by interval arithmetic; it contains every value that the dim can take. An end outside of
    /// i64 becomes unbounded, so this holds near the ends of i64 too.
    pub fn bounds(&self, dim: &Dim) -> Interval {
        if let Some(c) = dim.as_const() {
            return Interval::exactly(c);
        }
        let terms = dim.terms().iter().map(|t| self.term_bounds(t));
        terms.fold(Interval::exactly(0), Interval::add)
    }

    /// The greatest value of the dim; `None` if it is unbounded.
    pub fn max(&self, dim: &Dim) -> Option<i64> {
        self.bounds(dim).hi
    }

    /// False if the dim is no valid size for any value of the symbols, because it is negative or does not fit i64.
    pub fn can_be_size(&self, dim: &Dim) -> bool {
        !dim.is(i64::MAX) && self.max(dim).is_none_or(|greatest| greatest >= 0)
    }

    /// `Some(true)` if the dims are equal for all values of the symbols, `Some(false)` if they are equal for none,
    /// `None` if unknown.
    pub fn equal(&self, a: &Dim, b: &Dim) -> Option<bool> {
        if a == b {
            return Some(true);
        }
        let difference = self.difference(a, b);
        (!difference.contains(0)).then_some(false)
    }

    /// `Some(true)` if `a <= b` for all values of the symbols, `Some(false)` if for none, `None` if unknown.
    pub fn less_equal(&self, a: &Dim, b: &Dim) -> Option<bool> {
        let difference = self.difference(b, a);
        if difference.lo.is_some_and(|lo| lo >= 0) {
            Some(true)
        } else if difference.hi.is_some_and(|hi| hi < 0) {
            Some(false)
        } else {
            None
        }
    }

    /// True if the dim is at least 1 for every value of the symbols.
    pub fn is_positive(&self, dim: &Dim) -> bool {
        self.less_equal(&Dim::constant(1), dim) == Some(true)
    }

    /// The lesser of two dims: one of them where the ranges of the symbols decide it, else a minimum.
    pub fn lesser(&self, a: &Dim, b: &Dim) -> Dim {
        match (self.less_equal(a, b), self.less_equal(b, a)) {
            (Some(true), _) => a.clone(),
            (_, Some(true)) => b.clone(),
            _ => Dim::min([a.clone(), b.clone()]),
        }
    }

    /// The greater of two dims: one of them where the ranges of the symbols decide it, else a maximum.
    pub fn greater(&self, a: &Dim, b: &Dim) -> Dim {
        match (self.less_equal(a, b), self.less_equal(b, a)) {
            (Some(true), _) => b.clone(),
            (_, Some(true)) => a.clone(),
            _ => Dim::max([a.clone(), b.clone()]),
        }
    }

    /// The range of `a - b`. Like terms are collected in 128 bits, so no coefficient saturates.
    fn difference(&self, a: &Dim, b: &Dim) -> Interval {
        if let (Some(a), Some(b)) = (a.as_const(), b.as_const()) {
            let exact = Some(i128::from(a) - i128::from(b));
            return Interval::between(exact, exact);
        }
        let signed = |dim: &Dim, sign: i128| {
            let with_sign = move |t: Term| (sign * i128::from(t.coefficient), t);
            dim.to_terms().into_iter().map(with_sign)
        };
        let mut terms: Vec<(i128, Term)> = signed(a, 1).chain(signed(b, -1)).collect();
        terms.sort_by(|(_, x), (_, y)| x.factors.cmp(&y.factors));
        let like = terms.chunk_by(|(_, x), (_, y)| x.factors == y.factors);
        like.map(|run| self.scaled(&run[0].1, run.iter().map(|(c, _)| c).sum()))
            .fold(Interval::exactly(0), Interval::add)
    }

    fn term_bounds(&self, term: &Term) -> Interval {
        self.scaled(term, i128::from(term.coefficient))
    }

    /// The range of a term's atoms, times `coefficient`.
    fn scaled(&self, term: &Term, coefficient: i128) -> Interval {
        term.factors.iter().fold(
            Interval::between(Some(coefficient), Some(coefficient)),
            |product, (atom, power)| {
                let base = self.atom_bounds(atom);
                let raised = (1..*power).fold(base, |p, _| p.mul(base));
                // An even power is not negative; multiplication of intervals alone would not find this.
                let raised = if power % 2 == 0 {
                    Interval {
                        lo: raised.lo.map_or(Some(0), |lo| Some(lo.max(0))),
                        ..raised
                    }
                } else {
                    raised
                };
                product.mul(raised)
            },
        )
    }

    fn atom_bounds(&self, atom: &Atom) -> Interval {
        match atom {
            Atom::Symbol(id) => {
                let symbol = self.get(*id);
                Interval {
                    lo: Some(symbol.min),
                    hi: symbol.max,
                }
            }
            Atom::FloorDiv(a, b) => self.bounds(a).floor_div(self.bounds(b)),
            Atom::Mod(a, b) => self.bounds(a).modulo(self.bounds(b)),
            Atom::Min(parts) => {
                let all: Vec<Interval> = parts.iter().map(|p| self.bounds(p)).collect();
                let lo = all
                    .iter()
                    .map(|i| i.lo)
                    .reduce(|a, b| Some(a?.min(b?)))
                    .flatten();
                Interval {
                    lo,
                    hi: all.iter().filter_map(|i| i.hi).min(),
                }
            }
            Atom::Max(parts) => {
                let all: Vec<Interval> = parts.iter().map(|p| self.bounds(p)).collect();
                let hi = all
                    .iter()
                    .map(|i| i.hi)
                    .reduce(|a, b| Some(a?.max(b?)))
                    .flatten();
                Interval {
                    lo: all.iter().filter_map(|i| i.lo).max(),
                    hi,
                }
            }
        }
    }
}

impl Interval {
    /// The interval of one value.
    pub fn exactly(value: i64) -> Interval {
        Interval {
            lo: Some(value),
            hi: Some(value),
        }
    }

    /// The interval of all values.
    pub const ALL: Interval = Interval { lo: None, hi: None };

    /// True if the interval contains `value`.
    pub fn contains(self, value: i64) -> bool {
        self.lo.is_none_or(|lo| lo <= value) && self.hi.is_none_or(|hi| value <= hi)
    }

    /// The interval between ends that may lie outside of i64. A lower end below i64, or an upper end above it, becomes
    /// unbounded. On the other side it becomes the nearest i64. So the interval never loses a value.
    fn between(lo: Option<i128>, hi: Option<i128>) -> Interval {
        let (least, greatest) = (i128::from(i64::MIN), i128::from(i64::MAX));
        let lo = lo.filter(|&lo| lo >= least).map(|lo| lo.min(greatest));
        let hi = hi.filter(|&hi| hi <= greatest).map(|hi| hi.max(least));
        Interval {
            lo: lo.map(|lo| lo as i64),
            hi: hi.map(|hi| hi as i64),
        }
    }

    fn add(self, other: Interval) -> Interval {
        let end = |a: Option<i64>, b: Option<i64>| Some(i128::from(a?) + i128::from(b?));
        Interval::between(end(self.lo, other.lo), end(self.hi, other.hi))
    }

    fn mul(self, other: Interval) -> Interval {
        if self == Interval::exactly(0) || other == Interval::exactly(0) {
            return Interval::exactly(0);
        }
        let times = |a: i64, b: i64| i128::from(a) * i128::from(b);
        if let (Some(a), Some(b), Some(c), Some(d)) = (self.lo, self.hi, other.lo, other.hi) {
            let ends = [times(a, c), times(a, d), times(b, c), times(b, d)];
            return Interval::between(ends.into_iter().min(), ends.into_iter().max());
        }
        match (self.sign(), other.sign()) {
            (Sign::Positive, Sign::Positive) => {
                Interval::between(Some(times(self.least(), other.least())), None)
            }
            (Sign::Negative, Sign::Positive) => self.negate().mul(other).negate(),
            (Sign::Positive, Sign::Negative) => self.mul(other.negate()).negate(),
            (Sign::Negative, Sign::Negative) => self.negate().mul(other.negate()),
            (Sign::Mixed, _) | (_, Sign::Mixed) => Interval::ALL,
        }
    }

    /// The lower end of an interval that is known to be non-negative.
    fn least(self) -> i64 {
        self.lo.unwrap_or(0)
    }

    fn negate(self) -> Interval {
        let end = |end: Option<i64>| end.map(|end| -i128::from(end));
        Interval::between(end(self.hi), end(self.lo))
    }

    fn sign(self) -> Sign {
        match (self.lo, self.hi) {
            (Some(lo), _) if lo >= 0 => Sign::Positive,
            (_, Some(hi)) if hi <= 0 => Sign::Negative,
            _ => Sign::Mixed,
        }
    }

    fn floor_div(self, by: Interval) -> Interval {
        let (Some(least), true) = (by.lo, by.lo.is_some_and(|lo| lo > 0)) else {
            return Interval::ALL;
        };
        // The quotient is monotone in the dividend, and in the divisor for a fixed sign of the dividend.
        let lo = self.lo.map(|a| match by.hi {
            _ if a < 0 => a.div_euclid(least),
            Some(greatest) => a.div_euclid(greatest),
            None => 0,
        });
        let hi = self.hi.map(|a| match by.hi {
            _ if a >= 0 => a.div_euclid(least),
            Some(greatest) => a.div_euclid(greatest),
            None => -1,
        });
        Interval { lo, hi }
    }

    fn modulo(self, by: Interval) -> Interval {
        if by.lo.is_none_or(|lo| lo <= 0) {
            return Interval::ALL;
        }
        let hi = by.hi.map(|b| b - 1);
        let hi = match (self.sign(), self.hi) {
            (Sign::Positive, Some(a)) => Some(hi.map_or(a, |h| h.min(a))),
            _ => hi,
        };
        Interval { lo: Some(0), hi }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Positive,
    Negative,
    Mixed,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> (Symbols, Dim, Dim) {
        let mut symbols = Symbols::default();
        let mut add = |name: &str, min, max| {
            Dim::symbol(symbols.add(Symbol {
                name: name.into(),
                min,
                max,
                hint: None,
            }))
        };
        let (a, b) = (add("s0", 2, Some(16)), add("s1", 0, None));
        (symbols, a, b)
    }

    #[test]
    fn bounds_follow_ranges() {
        let (symbols, a, b) = table();
        assert_eq!(
            symbols.bounds(&(&a * 3 + 1)),
            Interval {
                lo: Some(7),
                hi: Some(49)
            }
        );
        assert_eq!(
            symbols.bounds(&(&a * &b)),
            Interval {
                lo: Some(0),
                hi: None
            }
        );
        assert_eq!(
            symbols.bounds(&a.modulo(&4.into())),
            Interval {
                lo: Some(0),
                hi: Some(3)
            }
        );
        assert_eq!(
            symbols.bounds(&(-&a).floor_div(&4.into())),
            Interval {
                lo: Some(-4),
                hi: Some(-1)
            }
        );
        assert_eq!(
            symbols.bounds(&Dim::min([a.clone(), b])),
            Interval {
                lo: Some(0),
                hi: Some(16)
            }
        );
    }

    #[test]
    fn ends_outside_of_i64_are_none() {
        let mut symbols = Symbols::default();
        let mut add = |name: &str, min, max| {
            let (name, hint) = (name.to_owned(), None);
            Dim::symbol(symbols.add(Symbol {
                name,
                min,
                max,
                hint,
            }))
        };
        let huge = add("huge", 1 << 62, Some(i64::MAX));
        let low = add("low", i64::MIN, Some(-1));
        let span = |lo, hi| Interval { lo, hi };
        assert_eq!(symbols.bounds(&(&huge * 2)), span(Some(i64::MAX), None));
        assert_eq!(symbols.bounds(&(&huge * 2 - (i64::MAX - 1))).hi, None);
        assert_eq!(symbols.bounds(&-&low), span(Some(1), None));
        assert_eq!(symbols.bounds(&(&low * 3)), span(None, Some(-3)));
        assert_eq!(symbols.bounds(&(&low * &huge)).hi, Some(-(1 << 62)));
        // 2 huge lies in 2^63..=2^64 - 2, which 2^62 + huge meets at its low end only.
        assert_eq!(symbols.equal(&(&huge * 2), &(&huge + (1i64 << 62))), None);
        assert_eq!(
            symbols.less_equal(&(&huge * 2), &i64::MAX.into()),
            Some(false)
        );
    }

    proptest::proptest! {
        /// Every value of a polynomial, computed in 128 bits, lies within its bounds, also near the ends of i64.
        #[test]
        fn bounds_hold_near_the_ends(
            ranges in proptest::array::uniform2((proptest::num::i64::ANY, 0u64..4)),
            at in proptest::array::uniform2(0u64..4),
            coefficients in proptest::array::uniform4(proptest::num::i64::ANY),
            shift in 0u32..63,
        ) {
            let mut symbols = Symbols::default();
            let mut values = [0i128; 2];
            let dims: Vec<Dim> = ranges.iter().zip(at).zip(&mut values).map(|((&(min, width), at), value)| {
                let max = min.saturating_add_unsigned(width);
                *value = i128::from(min.saturating_add_unsigned(at.min(width)));
                let symbol = Symbol { name: format!("s{min}"), min, max: Some(max), hint: None };
                Dim::symbol(symbols.add(symbol))
            }).collect();
            let [a, b, c, d] = coefficients.map(|c| c >> shift);
            let polynomial = |p: i64, q: i64| &dims[0] * p + &dims[1] * q;
            let exact = |p: i64, q: i64| i128::from(p) * values[0] + i128::from(q) * values[1];
            let within = |i: Interval, v: i128| {
                i.lo.is_none_or(|lo| i128::from(lo) <= v) && i.hi.is_none_or(|hi| v <= i128::from(hi))
            };
            proptest::prop_assume!(coefficients.iter().all(|&c| c >> shift > i64::MIN && c >> shift < i64::MAX));
            let (x, y) = (polynomial(a, b), polynomial(c, d));
            proptest::prop_assert!(within(symbols.bounds(&x), exact(a, b)));
            if symbols.equal(&x, &y) == Some(false) {
                proptest::prop_assert_ne!(exact(a, b), exact(c, d));
            }
            if let Some(holds) = symbols.less_equal(&x, &y) {
                proptest::prop_assert_eq!(exact(a, b) <= exact(c, d), holds);
            }
        }
    }

    #[test]
    fn equality_has_three_answers() {
        let (symbols, a, b) = table();
        assert_eq!(symbols.equal(&a, &a), Some(true));
        assert_eq!(symbols.equal(&a, &(&a + 1)), Some(false));
        assert_eq!(symbols.equal(&a, &b), None);
        assert_eq!(symbols.equal(&a, &1.into()), Some(false));
        assert_eq!(symbols.less_equal(&2.into(), &a), Some(true));
    }
}
