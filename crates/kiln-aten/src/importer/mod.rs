//! The importer: the block that grows, and what calls leave for those behind them.
//!
//! The files of this folder add to it, each on top of those above it: `build` emits nodes, `access` reads and writes
//! through views, `tensors` keeps the program's tensors, `promotion` brings operands together, `arguments` reads a call.

pub(crate) mod access;
pub(crate) mod arguments;
pub(crate) mod build;
pub(crate) mod promotion;
pub(crate) mod returns;
pub(crate) mod row;
pub(crate) mod strided;
pub(crate) mod tensors;
pub(crate) mod variable;
pub(crate) mod view;

use crate::call::error::Problem;
use crate::call::limits::MOST_NODES;
use crate::importer::variable::Variables;

use kiln_ir::arena::Id;
use kiln_ir::{BlockId, Dim, Rewriter, Shape, SymbolId, TensorData, ValueId};
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

    pub(crate) fn resolve_shape(&self, shape: &Shape) -> Shape {
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
    pub(crate) fn learn(&mut self, declared: &Dim, dim: &Dim) {
        if let Some(symbol) = self.as_unbound(declared)
            && self.is_bound(dim)
        {
            *self.symbol_state(symbol) = SymbolState::Known(dim.clone());
        }
    }

    /// A call begins: it may make as many nodes as any.
    pub(crate) fn begin_call(&mut self) {
        self.nodes_left = MOST_NODES;
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

    pub(crate) fn place(&self) -> kiln_ir::Place {
        kiln_ir::Place::End(self.block())
    }

    /// The graph, to look at.
    pub fn graph(&self) -> &kiln_ir::Graph {
        self.rewriter.graph()
    }
}
