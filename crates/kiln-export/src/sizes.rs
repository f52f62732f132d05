//! Symbolic sizes: as expressions in types, and as values that calls compute.

use crate::error::Unwritten;
use crate::writer::Writer;
use kiln_ir::dim::Atom;
use kiln_ir::{Dim, SymbolId};
use kiln_pt2::{Argument, ArgumentKind, NamedArgument, Node, SymExpr, SymInt, SymIntArg, SymOp};
use rustc_hash::FxHashMap;

/// Where the values of symbols come from, and the values that are there already.
#[derive(Default)]
pub(crate) struct Sizes {
    /// A tensor with an axis whose size determines a symbol.
    origins: FxHashMap<SymbolId, Origin>,
    /// The names of values.
    known: FxHashMap<Dim, String>,
}

struct Origin {
    tensor: String,
    axis: usize,
    size: Dim,
}

impl Sizes {
    /// Takes an input of the caller, whose sizes determine symbols.
    pub(crate) fn admit(&mut self, tensor: &str, shape: &[Dim]) {
        for (axis, size) in shape.iter().enumerate() {
            let mut symbols = Vec::new();
            size.for_each_symbol(&mut |symbol| symbols.push(symbol));
            let &[symbol] = symbols.as_slice() else {
                continue;
            };
            // A plain size is better than one that has to be solved for the symbol.
            let is_better = size.as_symbol().is_some() || !self.origins.contains_key(&symbol);
            let is_settled = self
                .origins
                .get(&symbol)
                .is_some_and(|origin| origin.size.as_symbol().is_some());
            if is_better && !is_settled {
                let origin = Origin {
                    tensor: tensor.to_owned(),
                    axis,
                    size: size.clone(),
                };
                self.origins.insert(symbol, origin);
            }
        }
    }

    /// Takes a value that is this size.
    pub(crate) fn define(&mut self, size: Dim, name: &str) {
        self.known.insert(size, name.to_owned());
    }
}

/// What a call on sizes takes.
enum Operand<'a> {
    Tensor(&'a str),
    Size(Argument),
}

impl Writer<'_> {
    /// A size in a type.
    pub(crate) fn sym_int(&self, size: &Dim) -> SymInt {
        match size.as_const() {
            Some(value) => SymInt::Int(value),
            None => SymInt::Expr {
                expr: Box::new(self.expression(size)),
                hint: size.evaluate(&|symbol| self.hint(symbol)),
            },
        }
    }

    /// A value that a symbol may have: the traced one if it is known.
    fn hint(&self, symbol: SymbolId) -> Option<i64> {
        let symbol = self.graph.symbols.get(symbol);
        Some(symbol.hint.unwrap_or_else(|| symbol.min.max(2)))
    }

    fn expression(&self, size: &Dim) -> SymExpr {
        let term = |(coefficient, atoms): (i64, &[(Atom, u32)])| {
            let atoms = atoms.iter().map(|(atom, power)| self.power(atom, *power));
            let number =
                (coefficient != 1 || atoms.len() == 0).then_some(SymExpr::Int(coefficient));
            joined(SymOp::Mul, number.into_iter().chain(atoms).collect())
        };
        joined(SymOp::Add, size.monomials().into_iter().map(term).collect())
    }

    fn power(&self, atom: &Atom, power: u32) -> SymExpr {
        let of = |dims: &[&Dim]| dims.iter().map(|dim| self.expression(dim)).collect();
        let atom = match atom {
            Atom::Symbol(id) => SymExpr::Symbol(self.graph.symbols.get(*id).name.clone()),
            Atom::FloorDiv(a, b) => SymExpr::Op(SymOp::FloorDiv, of(&[a, b])),
            Atom::Mod(a, b) => SymExpr::Op(SymOp::PythonMod, of(&[a, b])),
            Atom::Min(all) => SymExpr::Op(SymOp::Min, of(&all.iter().collect::<Vec<_>>())),
            Atom::Max(all) => SymExpr::Op(SymOp::Max, of(&all.iter().collect::<Vec<_>>())),
        };
        match power {
            1 => atom,
            _ => SymExpr::Op(SymOp::Pow, vec![atom, SymExpr::Int(i64::from(power))]),
        }
    }

    /// A size as an argument: a number, or the name of a value.
    pub(crate) fn size(&mut self, size: &Dim) -> Result<Argument, Unwritten> {
        Ok(match size.as_const() {
            Some(value) => Argument::Int(value),
            None => Argument::SymInt(SymIntArg::Name(self.size_value(size)?)),
        })
    }

    /// Sizes as an argument.
    pub(crate) fn sizes<'d>(
        &mut self,
        sizes: impl IntoIterator<Item = &'d Dim>,
    ) -> Result<Argument, Unwritten> {
        let sizes: Vec<&Dim> = sizes.into_iter().collect();
        let known: Option<Vec<i64>> = sizes.iter().map(|size| size.as_const()).collect();
        if let Some(known) = known {
            return Ok(Argument::Ints(known));
        }
        let one = |size: &&Dim| match size.as_const() {
            Some(value) => Ok(SymIntArg::Int(value)),
            None => self.size_value(size).map(SymIntArg::Name),
        };
        Ok(Argument::SymInts(
            sizes.iter().map(one).collect::<Result<_, _>>()?,
        ))
    }

    /// The name of the value of a symbolic size, computed where it is not there yet.
    pub(crate) fn size_value(&mut self, size: &Dim) -> Result<String, Unwritten> {
        if let Some(name) = self.sizes.known.get(size) {
            return Ok(name.clone());
        }
        if let Some(symbol) = size.as_symbol() {
            return self.symbol_value(symbol);
        }
        let mut sum: Option<(Argument, Dim)> = None;
        for (coefficient, atoms) in size.monomials() {
            let (term, term_size) = self.monomial(coefficient, atoms)?;
            sum = Some(match sum {
                None => (term, term_size),
                Some((left, left_size)) => {
                    let both = left_size + term_size;
                    (self.arithmetic("_operator.add", left, term, &both)?, both)
                }
            });
        }
        match sum {
            Some((Argument::SymInt(SymIntArg::Name(name)), _)) => Ok(name),
            _ => Err(Unwritten::new(format!("the size {size} has no value"))),
        }
    }

    fn monomial(
        &mut self,
        coefficient: i64,
        atoms: &[(Atom, u32)],
    ) -> Result<(Argument, Dim), Unwritten> {
        let mut product: Option<(Argument, Dim)> = (coefficient != 1 || atoms.is_empty())
            .then(|| (Argument::Int(coefficient), Dim::constant(coefficient)));
        for (atom, power) in atoms {
            for _ in 0..*power {
                let (factor, factor_size) = self.atom(atom)?;
                product = Some(match product {
                    None => (factor, factor_size),
                    Some((left, left_size)) => {
                        let both = left_size * &factor_size;
                        (self.arithmetic("_operator.mul", left, factor, &both)?, both)
                    }
                });
            }
        }
        product.ok_or_else(|| Unwritten::new("a size without terms"))
    }

    fn atom(&mut self, atom: &Atom) -> Result<(Argument, Dim), Unwritten> {
        let name = |name| Argument::SymInt(SymIntArg::Name(name));
        let (op, first, others, size) = match atom {
            Atom::Symbol(id) => return Ok((name(self.symbol_value(*id)?), Dim::symbol(*id))),
            Atom::FloorDiv(a, b) => ("_operator.floordiv", a, vec![b], a.floor_div(b)),
            Atom::Mod(a, b) => ("_operator.mod", a, vec![b], a.modulo(b)),
            Atom::Min(all) => (
                "torch.sym_min",
                &all[0],
                all[1..].iter().collect(),
                Dim::min(all.clone()),
            ),
            Atom::Max(all) => (
                "torch.sym_max",
                &all[0],
                all[1..].iter().collect(),
                Dim::max(all.clone()),
            ),
        };
        let (mut value, mut so_far) = (self.size(first)?, first.clone());
        for other in others {
            let operand = self.size(other)?;
            so_far = match atom {
                Atom::Min(_) => Dim::min([so_far, other.clone()]),
                Atom::Max(_) => Dim::max([so_far, other.clone()]),
                Atom::Symbol(_) | Atom::FloorDiv(..) | Atom::Mod(..) => size.clone(),
            };
            value = self.arithmetic(op, value, operand, &so_far)?;
        }
        Ok((value, size))
    }

    /// The value of a symbol, from the size of an input.
    fn symbol_value(&mut self, symbol: SymbolId) -> Result<String, Unwritten> {
        let whole = Dim::symbol(symbol);
        if let Some(name) = self.sizes.known.get(&whole) {
            return Ok(name.clone());
        }
        let Some(origin) = self.sizes.origins.get(&symbol) else {
            return Err(Unwritten::new(format!(
                "the size {} follows from data while running",
                self.graph.symbols.get(symbol).name
            )));
        };
        let (tensor, axis, size) = (origin.tensor.clone(), origin.axis, origin.size.clone());
        let inputs = [
            ("self", Operand::Tensor(&tensor)),
            ("dim", Operand::Size(Argument::Int(axis as i64))),
        ];
        let read = self.sized("torch.ops.aten.sym_size.int", "sym_size_int", inputs, &size);
        let Some((factor, rest)) = linear(&size, symbol) else {
            return Err(Unwritten::new(format!(
                "the size {} of an input does not tell its symbol",
                size
            )));
        };
        let mut value = Argument::SymInt(SymIntArg::Name(read.clone()));
        if rest != 0 {
            let less = &size - rest;
            value = self.arithmetic("_operator.sub", value, Argument::Int(rest), &less)?;
        }
        if factor != 1 {
            value = self.arithmetic("_operator.floordiv", value, Argument::Int(factor), &whole)?;
        }
        match value {
            Argument::SymInt(SymIntArg::Name(name)) => Ok(name),
            _ => Ok(read),
        }
    }

    fn arithmetic(
        &mut self,
        op: &str,
        a: Argument,
        b: Argument,
        size: &Dim,
    ) -> Result<Argument, Unwritten> {
        if let Some(value) = size.as_const() {
            return Ok(Argument::Int(value));
        }
        if let Some(name) = self.sizes.known.get(size) {
            return Ok(Argument::SymInt(SymIntArg::Name(name.clone())));
        }
        let word = op.rsplit('.').next().unwrap_or(op);
        let inputs = [("a", Operand::Size(a)), ("b", Operand::Size(b))];
        let name = self.sized(op, word, inputs, size);
        Ok(Argument::SymInt(SymIntArg::Name(name)))
    }

    /// A call whose result is a size.
    fn sized(
        &mut self,
        target: &str,
        word: &str,
        inputs: [(&str, Operand<'_>); 2],
        size: &Dim,
    ) -> String {
        let name = self.names.unique(word);
        let inputs = inputs.into_iter().map(|(name, operand)| NamedArgument {
            name: name.to_owned(),
            arg: match operand {
                Operand::Tensor(name) => Argument::Tensor(name.to_owned()),
                Operand::Size(argument) => argument,
            },
            kind: Some(ArgumentKind::Positional),
        });
        let node = Node {
            target: target.to_owned(),
            inputs: inputs.collect(),
            outputs: vec![Argument::SymInt(SymIntArg::Name(name.clone()))],
            metadata: self.metadata.clone(),
            is_hop_single_tensor_return: None,
            name: Some(name.clone()),
        };
        self.out.nodes.push(node);
        self.declare_size(&name, size);
        self.sizes.define(size.clone(), &name);
        name
    }

    /// Declares a value that is a size.
    pub(crate) fn declare_size(&mut self, name: &str, size: &Dim) {
        let value = self.sym_int(size);
        self.out.sym_int_values.insert(name.to_owned(), value);
    }
}

/// The numbers `a` and `b` of a size `a * symbol + b`.
fn linear(size: &Dim, symbol: SymbolId) -> Option<(i64, i64)> {
    let (mut factor, mut rest) = (0, 0);
    for (coefficient, atoms) in size.monomials() {
        match atoms {
            [] => rest = coefficient,
            [(Atom::Symbol(id), 1)] if *id == symbol => factor = coefficient,
            _ => return None,
        }
    }
    (factor > 0).then_some((factor, rest))
}

/// An operator of any number of operands; the operand itself if it is alone.
fn joined(op: SymOp, mut operands: Vec<SymExpr>) -> SymExpr {
    match operands.len() {
        0 => SymExpr::Int(0),
        1 => operands.remove(0),
        _ => SymExpr::Op(op, operands),
    }
}
