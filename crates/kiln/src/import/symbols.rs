//! Converts saved symbolic expressions to dims.
//!
//! A symbol is made at its first mention, with the archive's range. An expression that dims cannot state (with a float,
//! or a condition) has no dim: the call that made it is imported instead.

use anyhow::{Result, bail};
use kiln_ir::{Dim, Symbol, Symbols};
use kiln_pt2::{
    Argument, ExportedProgram, InputSpec, RangeConstraint, SymExpr, SymInt, SymOp, TensorMeta,
};

/// The limit on an expression's terms: products of sums double them.
const MAX_TERMS: usize = 1024;

/// The limit on an expression's weight: nested products and powers multiply it.
const MAX_WEIGHT: usize = 1 << 14;

/// The symbols of a program.
#[derive(Clone, Copy)]
pub struct Sizes<'p> {
    /// The program, with their ranges.
    pub program: &'p ExportedProgram,
    /// The sizes that the user gives symbols.
    pub fixed: &'p [(String, i64)],
}

impl Sizes<'_> {
    /// Checks the user's sizes of this program's symbols. Names that it does not have may be another program's.
    ///
    /// # Errors
    /// The export does not allow a size, or the symbol is no size of an input.
    pub fn check(self) -> Result<()> {
        for (name, size) in self.fixed {
            let Some(range) = self.program.range_constraints.get(name) else {
                continue;
            };
            if !self.is_of_input(name) {
                bail!(
                    "--dim {name}=={size}: {name} is no size of an input, but follows from values while the model runs"
                );
            }
            let (min, max) = (range.min.unwrap_or(0), range.max.unwrap_or(i64::MAX));
            if !(min..=max).contains(size) {
                let allowed = match range.max {
                    Some(max) => format!("{min} to {max}"),
                    None => format!("{min} or more"),
                };
                bail!(
                    "--dim {name}=={size}: the export allows {allowed}; export the model with a range that has {size}"
                );
            }
        }
        Ok(())
    }

    fn is_of_input(self, name: &str) -> bool {
        let specs = self.program.signature.input_specs.iter();
        let inputs = specs.filter_map(|spec| match spec {
            InputSpec::UserInput {
                arg: Argument::Tensor(input),
            } => self.program.graph.tensor_values.get(input),
            _ => None,
        });
        let has = |size: &SymInt| match size {
            SymInt::Expr { expr, .. } => expr.symbols().contains(&name),
            SymInt::Int(_) => false,
        };
        inputs.flat_map(|meta: &TensorMeta| &meta.sizes).any(has)
    }

    fn fixed_size(self, name: &str) -> Option<i64> {
        let found = self.fixed.iter().find(|(fixed, _)| fixed == name);
        found.map(|(_, size)| *size)
    }
}

/// The dim of a saved size; `None` unless it is a polynomial over symbols, quotients and extrema.
pub fn dim(size: &SymInt, sizes: Sizes<'_>, symbols: &mut Symbols) -> Option<Dim> {
    match size {
        SymInt::Int(value) => Some(Dim::constant(*value)),
        SymInt::Expr { expr, hint } => {
            let dim = convert(expr, sizes, symbols)?;
            if let (Some(id), Some(hint)) = (dim.as_symbol(), hint) {
                symbols.get_mut(id).hint.get_or_insert(*hint);
            }
            Some(dim)
        }
    }
}

fn convert(expr: &SymExpr, sizes: Sizes<'_>, symbols: &mut Symbols) -> Option<Dim> {
    let (op, operands) = match expr {
        SymExpr::Symbol(name) => {
            let id = symbol(name, sizes.program, symbols);
            let Some(size) = sizes.fixed_size(name) else {
                return Some(Dim::symbol(id));
            };
            let symbol = symbols.get_mut(id);
            (symbol.min, symbol.max) = (size, Some(size));
            return Some(Dim::constant(size));
        }
        SymExpr::Int(value) => return Some(Dim::constant(*value)),
        SymExpr::Float(_) | SymExpr::Rational(..) | SymExpr::Bool(_) => return None,
        SymExpr::Op(op, operands) => (op, operands),
    };
    let dim = if matches!(op, SymOp::Pow | SymOp::PowByNatural) {
        power(operands, sizes, symbols)
    } else {
        let dims: Option<Vec<Dim>> = operands
            .iter()
            .map(|o| convert(o, sizes, symbols))
            .collect();
        combine(op, &dims?)
    };
    dim.filter(|d| d.weighs_at_most(MAX_WEIGHT))
}

fn combine(op: &SymOp, dims: &[Dim]) -> Option<Dim> {
    match (op, dims) {
        (SymOp::Add, _) => Some(dims.iter().cloned().sum()),
        (SymOp::Mul, _) => dims.iter().try_fold(Dim::constant(1), |product, d| {
            (product.term_count() * d.term_count() <= MAX_TERMS).then(|| product * d)
        }),
        (SymOp::Max, _) => Some(Dim::max(dims.iter().cloned())),
        (SymOp::Min, _) => Some(Dim::min(dims.iter().cloned())),
        (SymOp::FloorDiv | SymOp::CleanDiv, [a, b]) => Some(a.floor_div(b)),
        (SymOp::CeilDiv, [a, b]) => Some(-(-a).floor_div(b)),
        (SymOp::Mod | SymOp::PythonMod, [a, b]) => Some(a.modulo(b)),
        (SymOp::ModularIndexing, [a, b, c]) => Some(a.floor_div(b).modulo(c)),
        (SymOp::Identity, [a]) => Some(a.clone()),
        _ => None,
    }
}

fn power(operands: &[SymExpr], sizes: Sizes<'_>, symbols: &mut Symbols) -> Option<Dim> {
    let [base, SymExpr::Int(exponent @ 0..=8)] = operands else {
        return None;
    };
    let base = convert(base, sizes, symbols)?;
    combine(&SymOp::Mul, &vec![base; usize::try_from(*exponent).ok()?])
}

/// The symbol of this name, made with the archive's range at its first mention.
pub fn symbol(name: &str, program: &ExportedProgram, symbols: &mut Symbols) -> kiln_ir::SymbolId {
    if let Some(id) = symbols.find(name) {
        return id;
    }
    let range = program
        .range_constraints
        .get(name)
        .copied()
        .unwrap_or(RangeConstraint {
            min: None,
            max: None,
        });
    // Sizes are not negative. An unbacked symbol that is not a size says so by its range.
    let min = range
        .min
        .unwrap_or(if name.starts_with('u') { i64::MIN } else { 0 });
    symbols.add(Symbol {
        name: name.to_string(),
        min,
        max: range.max,
        hint: None,
    })
}
