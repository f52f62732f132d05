//! The atoms of polynomials: symbols, and functions that are no polynomials.

use super::Dim;
use crate::arena::SymbolId;

/// An atom of a polynomial.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// An unknown size.
    Symbol(SymbolId),
    /// The quotient rounded toward minus infinity.
    FloorDiv(Dim, Dim),
    /// `a - b * floordiv(a, b)`; has the sign of the divisor.
    Mod(Dim, Dim),
    /// The minimum of two or more.
    Min(Vec<Dim>),
    /// The maximum of two or more.
    Max(Vec<Dim>),
}

impl Atom {
    /// The operands of the atom; none for a symbol.
    pub fn operands(&self) -> Vec<&Dim> {
        match self {
            Atom::Symbol(_) => Vec::new(),
            Atom::FloorDiv(a, b) | Atom::Mod(a, b) => vec![a, b],
            Atom::Min(v) | Atom::Max(v) => v.iter().collect(),
        }
    }

    fn rebuild(&self, mut operands: Vec<Dim>) -> Dim {
        match self {
            Atom::Symbol(id) => Dim::symbol(*id),
            Atom::FloorDiv(..) | Atom::Mod(..) => {
                let b = operands.pop().expect("a division has two operands");
                let a = operands.pop().expect("a division has two operands");
                if matches!(self, Atom::Mod(..)) {
                    a.modulo(&b)
                } else {
                    a.floor_div(&b)
                }
            }
            Atom::Min(_) => Dim::min(operands),
            Atom::Max(_) => Dim::max(operands),
        }
    }

    pub(super) fn substitute(&self, replacement: &dyn Fn(SymbolId) -> Option<Dim>) -> Dim {
        match self {
            Atom::Symbol(id) => replacement(*id).unwrap_or_else(|| Dim::symbol(*id)),
            Atom::FloorDiv(..) | Atom::Mod(..) | Atom::Min(_) | Atom::Max(_) => self.rebuild(
                self.operands()
                    .into_iter()
                    .map(|d| d.substitute(replacement))
                    .collect(),
            ),
        }
    }

    pub(super) fn evaluate(&self, value_of: &dyn Fn(SymbolId) -> Option<i64>) -> Option<i64> {
        if let Atom::Symbol(id) = self {
            return value_of(*id);
        }
        let operands: Option<Vec<Dim>> = self
            .operands()
            .into_iter()
            .map(|d| d.evaluate(value_of).map(Dim::constant))
            .collect();
        self.rebuild(operands?).as_const()
    }

    pub(super) fn for_each_symbol(&self, visit: &mut dyn FnMut(SymbolId)) {
        match self {
            Atom::Symbol(id) => visit(*id),
            Atom::FloorDiv(..) | Atom::Mod(..) | Atom::Min(_) | Atom::Max(_) => {
                self.operands()
                    .into_iter()
                    .for_each(|d| d.for_each_symbol(visit));
            }
        }
    }
}
