//! The importer: one call at a time, from ATen into a block of the graph.

use crate::arguments::Args;
use crate::call::{Arg, Call, Declared, Tensor};
use crate::complex;
use crate::error::{Given, ImportError, Problem};
use crate::limits::MOST_NODES;
use crate::table::{self, Entry, Variant};
use crate::variable::{Return, Variables};
use crate::view::{View, get_all};
use kiln_ir::arena::Id;
use kiln_ir::{BlockId, Dim, Rewriter, Shape, SymbolId, TensorData, TensorType, ValueId};
use std::collections::HashMap;

/// Key of a literal: dtype, sizes, bytes.
pub(crate) type Literal = (kiln_ir::DType, Vec<usize>, Vec<u8>);

/// Puts calls at the end of a block, and keeps what in-place writes need.
pub struct Importer<'g> {
    rewriter: Rewriter<'g>,
    scopes: Vec<Scope>,
    pub(crate) variables: Variables,
    /// Nodes that the present call may still make.
    nodes_left: usize,
    /// By symbol: bound by an input or node, or known to be an expression of such.
    symbols: Vec<SymbolState>,
}

#[derive(Clone, Debug, Default, PartialEq)]
enum SymbolState {
    #[default]
    Unbound,
    Bound,
    Known(Dim),
}

struct Scope {
    block: BlockId,
    literals: HashMap<Literal, ValueId>,
}

/// Imports a call at the end of the importer's block; gives one [`Arg`] for each result.
///
/// # Errors
/// If the op is not in the table, the call does not fit its schema, or the case cannot be expressed. Nodes
/// may have been inserted then.
pub fn import_call(cx: &mut Importer<'_>, call: &Call) -> Result<Vec<Arg>, ImportError> {
    cx.nodes_left = MOST_NODES;
    cx.call(call).map_err(|problem| ImportError {
        target: call.target.clone(),
        node: call.node.clone(),
        given: match problem {
            Problem::UnknownOp => Given::default(),
            _ => cx.describe(call),
        },
        problem,
    })
}

impl<'g> Importer<'g> {
    /// An importer that appends to `block`.
    pub fn new(rewriter: Rewriter<'g>, block: BlockId) -> Importer<'g> {
        Importer {
            rewriter,
            scopes: vec![Scope {
                block,
                literals: HashMap::new(),
            }],
            variables: Variables::default(),
            nodes_left: MOST_NODES,
            symbols: Vec::new(),
        }
    }

    /// The door to the graph, for what the calls are not: parameters, constants, state, control flow.
    pub fn rewriter(&mut self) -> &mut Rewriter<'g> {
        &mut self.rewriter
    }

    /// The block to which calls are appended.
    pub fn block(&self) -> BlockId {
        self.scope().block
    }

    /// From now on appends to a nested block.
    pub fn enter(&mut self, block: BlockId) {
        self.scopes.push(Scope {
            block,
            literals: HashMap::new(),
        });
    }

    /// Goes back to the block from before [`Importer::enter`].
    ///
    /// # Panics
    /// If there is none.
    pub fn leave(&mut self) {
        assert!(self.scopes.len() > 1, "a block is left that was entered");
        self.scopes.pop();
    }

    fn scope(&self) -> &Scope {
        self.scopes
            .last()
            .expect("the outermost block is never left")
    }

    /// The node for `data`, one for equal data in a block.
    pub(crate) fn literal(&mut self, data: TensorData) -> ValueId {
        let key = (data.dtype(), data.sizes().to_vec(), data.bytes().to_vec());
        if let Some(&value) = self.scope().literals.get(&key) {
            return value;
        }
        let place = self.place();
        let value = self.rewriter.constant_value(place, "literal", data);
        let scope = self.scopes.last_mut();
        scope
            .expect("the outermost block is never left")
            .literals
            .insert(key, value);
        value
    }

    /// The dim with symbols replaced that turned out to be expressions of others.
    pub fn resolve(&self, dim: &Dim) -> Dim {
        dim.substitute(&|s| match self.symbols.get(s.index()) {
            Some(SymbolState::Known(dim)) => Some(dim.clone()),
            _ => None,
        })
    }

    fn resolve_shape(&self, shape: &Shape) -> Shape {
        shape.iter().map(|d| self.resolve(d)).collect()
    }

    fn symbol_state(&mut self, symbol: SymbolId) -> &mut SymbolState {
        let index = symbol.index();
        if self.symbols.len() <= index {
            self.symbols.resize(index + 1, SymbolState::Unbound);
        }
        &mut self.symbols[index]
    }

    /// A node or an input gives the symbol its value.
    pub fn bind_symbol(&mut self, symbol: SymbolId) {
        *self.symbol_state(symbol) = SymbolState::Bound;
    }

    /// Marks the symbols of a value's type as bound.
    pub(crate) fn note_symbols(&mut self, value: ValueId) {
        let dims = self.shape(value);
        for dim in dims.iter() {
            dim.for_each_symbol(&mut |s| {
                let state = self.symbol_state(s);
                if *state == SymbolState::Unbound {
                    *state = SymbolState::Bound;
                }
            });
        }
    }

    /// The symbol, when the dim is a lone one that nothing has bound yet.
    pub(crate) fn as_unbound(&self, dim: &Dim) -> Option<SymbolId> {
        dim.as_symbol().filter(|s| {
            !matches!(
                self.symbols.get(s.index()),
                Some(SymbolState::Bound | SymbolState::Known(_))
            )
        })
    }

    /// True when every symbol of the dim is bound.
    pub(crate) fn is_bound(&self, dim: &Dim) -> bool {
        let mut bound = true;
        dim.for_each_symbol(&mut |s| {
            bound &= self.symbols.get(s.index()) == Some(&SymbolState::Bound);
        });
        bound
    }

    /// A lone symbol that nothing has bound takes the expression `dim`.
    fn learn(&mut self, declared: &Dim, dim: &Dim) {
        if let Some(symbol) = self.as_unbound(declared)
            && self.is_bound(dim)
        {
            *self.symbol_state(symbol) = SymbolState::Known(dim.clone());
        }
    }

    /// The arguments of a call, for messages.
    fn describe(&self, call: &Call) -> Given {
        let one = |(name, arg): &(String, Arg)| {
            let found = match arg {
                Arg::Tensor(t) => format!("{:?}", self.ty(self.variables.last(*t))),
                other => other.describe(),
            };
            (name.clone(), found)
        };
        Given(call.args.iter().map(one).collect())
    }

    /// Counts a node that the present call makes.
    ///
    /// # Errors
    /// If it has made too many.
    pub(crate) fn count_node(&mut self) -> Result<(), Problem> {
        let left = self.nodes_left.checked_sub(1);
        self.nodes_left = left.ok_or_else(|| {
            Problem::unsupported(format!(
                "takes more than {MOST_NODES} core ops; a model that calls it on less at once, or in a loop, does"
            ))
        })?;
        Ok(())
    }

    pub(crate) fn call(&mut self, call: &Call) -> Result<Vec<Arg>, Problem> {
        if let Some(results) = complex::call(self, call) {
            return results;
        }
        let entry = table::lookup(&call.target).ok_or(Problem::UnknownOp)?;
        let values = entry.bind(&call.args)?;
        let declared = call.declared.iter().map(|d| self.resolve_declared(d));
        let declared: Vec<Declared> = declared.collect();
        let args = Args::new(self, entry.schema, values, &declared)?;
        let returns = (entry.import)(self, &args)?;
        let results = match entry.variant {
            Variant::InPlace => self.write_result(&args, returns)?,
            Variant::Plain | Variant::Copy => returns
                .into_iter()
                .map(|r| self.bind_return(r, &entry))
                .collect::<Result<Vec<Arg>, Problem>>()?,
        };
        for (i, (result, declared)) in results.iter().zip(&declared).enumerate() {
            self.check(i, result, declared)?;
        }
        Ok(results)
    }

    fn resolve_declared(&self, declared: &Declared) -> Declared {
        let resolve = |ty: &TensorType| ty.with_shape(self.resolve_shape(&ty.shape));
        match declared {
            Declared::Tensor { ty, contiguous } => Declared::Tensor {
                ty: resolve(ty),
                contiguous: *contiguous,
            },
            Declared::Tensors(types) => Declared::Tensors(types.iter().map(resolve).collect()),
            Declared::Int(Some(dim)) => Declared::Int(Some(self.resolve(dim))),
            other => other.clone(),
        }
    }

    fn bind_return(&mut self, result: Return, entry: &Entry) -> Result<Arg, Problem> {
        let copy = entry.variant == Variant::Copy;
        Ok(match result {
            Return::Value(value) => Arg::Tensor(self.bind(value)),
            Return::Values(values) => {
                Arg::Tensors(values.into_iter().map(|v| self.bind(v)).collect())
            }
            Return::View(of, steps) => Arg::Tensor(self.bind_steps(of, steps, copy)?),
            Return::MaybeView(of, steps) if copy => Arg::Tensor(self.bind_steps(of, steps, true)?),
            Return::MaybeView(of, steps) => Arg::Tensor(self.bind_maybe_view(of, steps)?),
            Return::Views(of, list) => {
                let views = list
                    .into_iter()
                    .map(|steps| self.bind_steps(of, steps, copy));
                Arg::Tensors(views.collect::<Result<_, _>>()?)
            }
            Return::Arg(arg) => arg,
        })
    }

    fn bind_steps(&mut self, of: Tensor, steps: Vec<View>, copy: bool) -> Result<Tensor, Problem> {
        if !copy {
            return self.bind_view(of, steps);
        }
        let base = self.current(of)?;
        let value = get_all(self, base, &steps)?;
        Ok(self.bind(value))
    }

    /// The first argument takes the first result: its value, or the view that it becomes.
    fn write_result(&mut self, args: &Args<'_>, returns: Vec<Return>) -> Result<Vec<Arg>, Problem> {
        let target = args.first_tensor()?;
        let value = match returns.into_iter().next() {
            Some(Return::Value(value)) => value,
            Some(Return::View(of, steps)) if of == target => {
                self.rebind_view(target, steps)?;
                return Ok(vec![Arg::Tensor(target)]);
            }
            Some(Return::View(of, steps) | Return::MaybeView(of, steps)) => {
                let base = self.current(of)?;
                get_all(self, base, &steps)?
            }
            _ => return Err(Problem::unsupported("has no in-place form")),
        };
        let ty = {
            let now = self.current(target)?;
            self.ty(now).clone()
        };
        let value = self.cast(value, ty.dtype)?;
        let value = self.expand(value, &ty.shape)?;
        self.assign(target, value)?;
        Ok(vec![Arg::Tensor(target)])
    }

    /// Holds a result against its declaration, and takes over what only that knows.
    fn check(&mut self, index: usize, result: &Arg, declared: &Declared) -> Result<(), Problem> {
        match (result, declared) {
            (Arg::Tensor(t), Declared::Tensor { ty, contiguous }) => {
                self.set_contiguous(*t, *contiguous);
                self.check_tensor(index, *t, ty)
            }
            (Arg::Tensors(list), Declared::Tensors(types)) => list
                .iter()
                .zip(types)
                .try_for_each(|(t, ty)| self.check_tensor(index, *t, ty)),
            (Arg::Int(dim), Declared::Int(Some(declared))) => {
                self.learn(declared, dim);
                let declared = self.resolve(declared);
                if self.graph().symbols.equal(dim, &declared) == Some(false) {
                    return Err(Problem::Declared {
                        result: index,
                        declared: format!("{declared:?}"),
                        inferred: format!("{dim:?}"),
                    });
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn check_tensor(&mut self, index: usize, t: Tensor, ty: &TensorType) -> Result<(), Problem> {
        let value = self.current(t)?;
        let inferred = self.ty(value).clone();
        if inferred.rank() == ty.rank() {
            for (declared, dim) in ty.shape.iter().zip(inferred.shape.iter()) {
                self.learn(declared, dim);
            }
        }
        let shape = self.resolve_shape(&ty.shape);
        if inferred.dtype != ty.dtype
            || inferred.shape.equal(&shape, &self.graph().symbols) == Some(false)
        {
            return Err(Problem::Declared {
                result: index,
                declared: format!("{ty:?}"),
                inferred: format!("{inferred:?}"),
            });
        }
        Ok(())
    }

    pub(crate) fn place(&self) -> kiln_ir::Place {
        kiln_ir::Place::End(self.block())
    }

    /// The graph, to look at.
    pub fn graph(&self) -> &kiln_ir::Graph {
        self.rewriter.graph()
    }
}
