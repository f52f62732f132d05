//! The values of symbols during an evaluation.

use crate::error::Cause;
use kiln_ir::arena::Id;
use kiln_ir::dim::{DimNames, Symbol};
use kiln_ir::{Dim, SymbolId, Symbols};

/// The values of the symbols that are known so far.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    symbols: Symbols,
    values: Vec<Option<i64>>,
}

impl Bindings {
    /// No symbol has a value yet.
    pub fn new(symbols: &Symbols) -> Bindings {
        Bindings {
            symbols: symbols.clone(),
            values: Vec::new(),
        }
    }

    /// The value of a symbol.
    pub fn get(&self, symbol: SymbolId) -> Option<i64> {
        self.values.get(symbol.index()).copied().flatten()
    }

    /// Binds a symbol to a value, replacing an earlier value.
    ///
    /// # Errors
    /// If the value is outside the symbol's range, or there is no such symbol.
    pub fn bind(&mut self, symbol: SymbolId, value: i64) -> Result<(), Cause> {
        if !self.symbols.contains(symbol) {
            return Err(Cause::Misfit(format!("there is no symbol {symbol}")));
        }
        let Symbol { name, min, max, .. } = self.symbols.get(symbol);
        if value < *min || max.is_some_and(|max| value > max) {
            return Err(Cause::SymbolRange {
                symbol: name.clone(),
                value,
                min: *min,
                max: *max,
            });
        }
        if self.values.len() <= symbol.index() {
            self.values.resize(symbol.index() + 1, None);
        }
        self.values[symbol.index()] = Some(value);
        Ok(())
    }

    /// Removes the value of a symbol.
    pub(crate) fn forget(&mut self, symbol: SymbolId) {
        if let Some(value) = self.values.get_mut(symbol.index()) {
            *value = None;
        }
    }

    /// The value of an expression.
    ///
    /// # Errors
    /// If a symbol has no value, a divisor is zero, or the value does not fit i64.
    pub fn value(&self, dim: &Dim) -> Result<i64, Cause> {
        dim.evaluate(&|s| self.get(s))
            .ok_or_else(|| Cause::NoValue {
                dim: DimNames(dim, &self.symbols).to_string(),
                why: "a symbol is unbound, a divisor is zero, or it does not fit 64 bits",
            })
    }

    /// The value of an expression that is a size.
    ///
    /// # Errors
    /// As [`Bindings::value`], and if the size is negative.
    pub fn size(&self, dim: &Dim) -> Result<usize, Cause> {
        let value = self.value(dim)?;
        usize::try_from(value)
            .map_err(|_| Cause::Misfit(format!("the size {} is {value}", self.name(dim))))
    }

    /// The symbol of `dim` that has no value, if exactly one has none.
    pub(crate) fn only_unknown(&self, dim: &Dim) -> Option<SymbolId> {
        let mut unknown: Vec<SymbolId> = Vec::new();
        dim.for_each_symbol(&mut |s| {
            if self.get(s).is_none() && !unknown.contains(&s) {
                unknown.push(s);
            }
        });
        (unknown.len() == 1).then(|| unknown[0])
    }

    /// The value of `symbol` for which `dim`, which must be linear in it, equals `value`.
    pub(crate) fn solve(&self, dim: &Dim, symbol: SymbolId, value: i64) -> Option<i64> {
        let at = |v: i64| dim.evaluate(&|s| if s == symbol { Some(v) } else { self.get(s) });
        let base = at(0)?;
        let slope = at(1)?.checked_sub(base)?;
        let rest = value.checked_sub(base)?;
        let solution = rest.checked_div(slope)?;
        (at(solution) == Some(value)).then_some(solution)
    }

    /// The expression, printed with the names of its symbols.
    pub(crate) fn name(&self, dim: &Dim) -> String {
        DimNames(dim, &self.symbols).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(min: i64, max: Option<i64>) -> (Bindings, SymbolId) {
        let mut symbols = Symbols::default();
        let s = symbols.add(Symbol {
            name: "s0".into(),
            min,
            max,
            hint: None,
        });
        (Bindings::new(&symbols), s)
    }

    #[test]
    fn values_outside_the_range_are_refused() {
        let (mut bindings, s) = one(2, Some(4));
        let error = bindings.bind(s, 5).unwrap_err();
        assert_eq!(error.to_string(), "s0 is 5, outside of its range 2..=4");
        assert!(bindings.bind(s, 1).is_err());
        bindings.bind(s, 4).unwrap();
        assert_eq!(bindings.value(&(Dim::symbol(s) * 2 + 1)), Ok(9));
        assert!(bindings.size(&(Dim::symbol(s) - 9)).is_err());
    }

    #[test]
    fn linear_sizes_are_solved() {
        let (bindings, s) = one(0, None);
        assert_eq!(bindings.solve(&(Dim::symbol(s) * 2 + 1), s, 9), Some(4));
        assert_eq!(bindings.solve(&(Dim::symbol(s) * 2), s, 9), None);
        assert_eq!(bindings.only_unknown(&(Dim::symbol(s) * 2)), Some(s));
    }
}
