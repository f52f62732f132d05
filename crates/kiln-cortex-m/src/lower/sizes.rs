//! Sizes as values: the numbers that a run binds to symbols, and polynomials in them.

use super::Lowering;
use super::parts::TensorId;
use crate::dialect::IntegerFunction;
use crate::dialect::{Dtype, Role};
use kiln_ir::dim::Atom;
use kiln_ir::graph::Node;
use kiln_ir::{Dim, Op, Scalar, SymbolId};
use kiln_target::operands;
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

impl Lowering<'_> {
    /// Binds the operand to a symbol.
    pub(super) fn bind_symbol(&mut self, node: &Node, symbol: SymbolId) -> Result<(), Reason> {
        let value = node.operands[0];
        let x = self.operand(value, &Order::plain(self.graph.ty(value).rank()))?;
        let x = self.as_type(x, self.graph.ty(value).dtype, kiln_ir::DType::I64)?;
        let number = self.parts.view(x, &[]);
        self.symbols.insert(symbol, number);
        Ok(())
    }

    /// The value of a polynomial in bound symbols.
    pub(super) fn dim_value(&mut self, dim: &Dim) -> Result<TensorId, Reason> {
        let mut sum: Option<TensorId> = None;
        for (coefficient, powers) in dim.monomials() {
            let mut term: Option<TensorId> = None;
            for (atom, power) in powers {
                let atom = self.atom(atom)?;
                for _ in 0..*power {
                    term = Some(self.met_by(IntegerFunction::Mul, term, atom)?);
                }
            }
            let term = match (term, coefficient) {
                (Some(term), 1) => term,
                (Some(term), _) => {
                    self.with_number(term, IntegerFunction::Mul, coefficient, true)?
                }
                (None, _) => self.long(coefficient)?,
            };
            sum = Some(self.met_by(IntegerFunction::Add, sum, term)?);
        }
        match sum {
            Some(sum) => Ok(sum),
            None => self.long(0),
        }
    }

    fn long(&mut self, number: i64) -> Result<TensorId, Reason> {
        let made = self.number(Dtype::I64, Scalar::Int(number))?;
        Ok(self.parts.view(made, &[]))
    }

    fn met_by(
        &mut self,
        function: IntegerFunction,
        first: Option<TensorId>,
        second: TensorId,
    ) -> Result<TensorId, Reason> {
        match first {
            Some(first) => self.integers(function, [first, second]),
            None => Ok(second),
        }
    }

    fn atom(&mut self, atom: &Atom) -> Result<TensorId, Reason> {
        let (function, operands) = match atom {
            Atom::Symbol(symbol) => return self.symbol(*symbol),
            Atom::FloorDiv(..) => (IntegerFunction::FloorDiv, atom.operands()),
            Atom::Mod(..) => (IntegerFunction::Remainder, atom.operands()),
            Atom::Min(_) => (IntegerFunction::Min, atom.operands()),
            Atom::Max(_) => (IntegerFunction::Max, atom.operands()),
        };
        let mut all: Option<TensorId> = None;
        for operand in operands {
            let operand = self.dim_value(operand)?;
            all = Some(self.met_by(function, all, operand)?);
        }
        all.ok_or_else(|| Reason::new("there are numbers", "none"))
    }

    fn symbol(&mut self, symbol: SymbolId) -> Result<TensorId, Reason> {
        if let Some(&known) = self.symbols.get(&symbol) {
            return Ok(known);
        }
        let name = self.graph.symbols.get(symbol).name.clone();
        let binds = |op: &Op| matches!(op, Op::BindSymbol(op) if op.symbol == symbol);
        let mut nodes = self
            .graph
            .blocks()
            .flat_map(|(b, _)| self.graph.nodes_in(b));
        // A node that is lowered by itself takes the number as an input.
        if self.layouts.is_none() && nodes.any(|(_, node)| binds(&node.op)) {
            return Ok(self.parts.input(&name, Dtype::I64, &[], Role::Input));
        }
        Err(operands::not_fixed(name))
    }
}
