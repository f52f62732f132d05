//! Sizes that are known only at run time. Primitive ops compute each of them once from the sizes of inputs.

use super::context::Lower;
use kiln_ir::dim::Atom;
use kiln_ir::{Dim, Id, SymbolId, ValueId};
use kiln_pte::ValueIndex;
use kiln_transforms::framework::target::Reason;

/// Where a size is found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Known {
    /// In this integer value.
    Int(ValueIndex),
    /// It is the size of this axis of a tensor.
    Axis(ValueIndex, usize),
}

/// A size `factor * symbol + rest`, from which the symbol follows.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    size: Dim,
    factor: Dim,
    rest: Dim,
}

impl Lower<'_, '_> {
    /// Notes that the tensor has the sizes of the value's type.
    pub fn learn_sizes(&mut self, value: ValueId, tensor: ValueIndex) {
        let shape = self.graph.ty(value).shape.clone();
        for (axis, dim) in shape.iter().enumerate() {
            if dim.as_const().is_none() && self.known(dim).is_none() {
                self.scope()
                    .sizes
                    .insert(dim.clone(), Known::Axis(tensor, axis));
            }
        }
    }

    /// As [`Lower::learn_sizes`], for a tensor whose sizes may change later.
    pub fn learn_sizes_now(&mut self, value: ValueId, tensor: ValueIndex) -> Result<(), Reason> {
        let shape = self.graph.ty(value).shape.clone();
        for (axis, dim) in shape.iter().enumerate() {
            if dim.as_const().is_none() && self.known(dim).is_none() && !self.is_computable(dim) {
                let int = self.axis_size(tensor, axis);
                self.scope().sizes.insert(dim.clone(), Known::Int(int));
            }
        }
        Ok(())
    }

    /// True if the size follows from known sizes.
    fn is_computable(&self, dim: &Dim) -> bool {
        let mut all = true;
        dim.for_each_symbol(&mut |s| {
            let solved = self.solved.get(s.index()).is_some_and(Option::is_some);
            all &= solved || self.known(&Dim::symbol(s)).is_some();
        });
        all
    }

    /// Solves the sizes of the root's parameters, which were learnt before, for their symbols.
    pub fn solve_symbols(&mut self) {
        let graph = self.graph;
        let count = graph.symbols.iter().map(|(id, _)| id.index() + 1).max();
        self.solved = vec![None; count.unwrap_or(0)];
        let params = &graph.block(graph.root()).params;
        let sizes: Vec<&Dim> = params
            .iter()
            .flat_map(|&p| graph.ty(p).shape.iter())
            .filter(|d| d.as_const().is_none() && d.as_symbol().is_none())
            .collect();
        loop {
            let before = self.solved.iter().flatten().count();
            for size in &sizes {
                self.solve(size);
            }
            if self.solved.iter().flatten().count() == before {
                return;
            }
        }
    }

    fn solve(&mut self, size: &Dim) {
        let mut open: Vec<SymbolId> = Vec::new();
        size.for_each_symbol(&mut |s| {
            let known = self.known(&Dim::symbol(s)).is_some() || self.solved[s.index()].is_some();
            if !known && !open.contains(&s) {
                open.push(s);
            }
        });
        let &[symbol] = open.as_slice() else { return };
        if let Some((factor, rest)) = linear(size, symbol) {
            let size = size.clone();
            self.solved[symbol.index()] = Some(Solved { size, factor, rest });
        }
    }

    fn known(&self, dim: &Dim) -> Option<Known> {
        self.scopes
            .iter()
            .rev()
            .find_map(|s| s.sizes.get(dim).copied())
    }

    /// The size as an integer value.
    pub fn size(&mut self, dim: &Dim) -> Result<ValueIndex, Reason> {
        if let Some(constant) = dim.as_const() {
            return Ok(self.draft.int(constant));
        }
        let int = match self.known(dim) {
            Some(Known::Int(int)) => return Ok(int),
            Some(Known::Axis(tensor, axis)) => self.axis_size(tensor, axis),
            None => match dim.as_symbol() {
                Some(symbol) => self.solved_symbol(symbol)?,
                None => self.polynomial(dim)?,
            },
        };
        self.scope().sizes.insert(dim.clone(), Known::Int(int));
        Ok(int)
    }

    /// The sizes as a list.
    pub fn sizes(&mut self, dims: &[Dim]) -> Result<ValueIndex, Reason> {
        let items = dims
            .iter()
            .map(|d| self.size(d))
            .collect::<Result<_, _>>()?;
        Ok(self.draft.int_list(items))
    }

    fn axis_size(&mut self, tensor: ValueIndex, axis: usize) -> ValueIndex {
        let axis = self.draft.int(axis as i64);
        self.primitive("aten::sym_size.int", &[tensor, axis])
    }

    fn primitive(&mut self, op: &str, args: &[ValueIndex]) -> ValueIndex {
        let out = self.draft.new_int();
        self.draft.push_call(op, [args, &[out]].concat());
        out
    }

    /// The integer in a tensor of one element becomes the symbol's value.
    pub fn bind_symbol(&mut self, symbol: SymbolId, tensor: ValueIndex) {
        let int = self.primitive("aten::_local_scalar_dense", &[tensor]);
        self.scope()
            .sizes
            .insert(Dim::symbol(symbol), Known::Int(int));
    }

    fn solved_symbol(&mut self, symbol: SymbolId) -> Result<ValueIndex, Reason> {
        let Some(Solved { size, factor, rest }) = self.solved[symbol.index()].clone() else {
            return Err(Reason::new(
                "a size follows from the sizes of the inputs",
                format!("{}, which does not", self.graph.symbols.get(symbol).name),
            ));
        };
        let mut int = self.size(&size)?;
        if !rest.is(0) {
            let rest = self.size(&rest)?;
            int = self.primitive("executorch_prim::sub.Scalar", &[int, rest]);
        }
        if !factor.is(1) {
            let factor = self.size(&factor)?;
            int = self.primitive("executorch_prim::floordiv.Scalar", &[int, factor]);
        }
        Ok(int)
    }

    fn polynomial(&mut self, dim: &Dim) -> Result<ValueIndex, Reason> {
        let mut terms = dim.monomials();
        // Added terms come first and a constant last, which takes fewer ops.
        terms.sort_by_key(|(coefficient, atoms)| (atoms.is_empty(), *coefficient < 0));
        let mut sum: Option<ValueIndex> = None;
        for (coefficient, atoms) in terms {
            sum = Some(match sum {
                Some(sum) if coefficient == -1 => {
                    let term = self.term(1, atoms)?;
                    self.primitive("executorch_prim::sub.Scalar", &[sum, term])
                }
                Some(sum) => {
                    let term = self.term(coefficient, atoms)?;
                    self.primitive("executorch_prim::add.Scalar", &[sum, term])
                }
                None => self.term(coefficient, atoms)?,
            });
        }
        Ok(sum.unwrap_or_else(|| self.draft.int(0)))
    }

    fn term(&mut self, coefficient: i64, atoms: &[(Atom, u32)]) -> Result<ValueIndex, Reason> {
        let mut product: Option<ValueIndex> = None;
        for (atom, power) in atoms {
            let value = self.atom(atom)?;
            for _ in 0..*power {
                product = Some(match product {
                    Some(p) => self.primitive("executorch_prim::mul.Scalar", &[p, value]),
                    None => value,
                });
            }
        }
        match product {
            None => Ok(self.draft.int(coefficient)),
            Some(product) if coefficient == 1 => Ok(product),
            Some(product) => {
                let factor = self.draft.int(coefficient);
                Ok(self.primitive("executorch_prim::mul.Scalar", &[product, factor]))
            }
        }
    }

    fn atom(&mut self, atom: &Atom) -> Result<ValueIndex, Reason> {
        match atom {
            Atom::Symbol(id) => self.size(&Dim::symbol(*id)),
            Atom::FloorDiv(a, b) => self.pair("executorch_prim::floordiv.Scalar", a, b),
            Atom::Mod(a, b) => {
                // The runtime's `mod` has the dividend's sign, a dim's has the divisor's.
                let quotient = self.size(&a.floor_div(b))?;
                let (a, b) = (self.size(a)?, self.size(b)?);
                let whole = self.primitive("executorch_prim::mul.Scalar", &[quotient, b]);
                Ok(self.primitive("executorch_prim::sub.Scalar", &[a, whole]))
            }
            Atom::Min(parts) => self.extremum("executorch_prim::sym_min.Scalar", parts),
            Atom::Max(parts) => self.extremum("executorch_prim::sym_max.Scalar", parts),
        }
    }

    fn pair(&mut self, op: &str, a: &Dim, b: &Dim) -> Result<ValueIndex, Reason> {
        let (a, b) = (self.size(a)?, self.size(b)?);
        Ok(self.primitive(op, &[a, b]))
    }

    fn extremum(&mut self, op: &str, parts: &[Dim]) -> Result<ValueIndex, Reason> {
        let (first, rest) = parts.split_first().ok_or_else(|| {
            Reason::new("a minimum is of two sizes or more", "none (a bug in Kiln)")
        })?;
        let mut found = self.size(first)?;
        for part in rest {
            let part = self.size(part)?;
            found = self.primitive(op, &[found, part]);
        }
        Ok(found)
    }
}

/// `factor` and `rest`, if the size is `factor * symbol + rest` and neither contains the symbol.
fn linear(size: &Dim, symbol: SymbolId) -> Option<(Dim, Dim)> {
    let at = |value: i64| size.substitute(&|s| (s == symbol).then(|| Dim::constant(value)));
    let (rest, at_one) = (at(0), at(1));
    let factor = &at_one - &rest;
    let same = &factor * &Dim::symbol(symbol) + &rest == *size;
    (same && !factor.is(0)).then_some((factor, rest))
}
