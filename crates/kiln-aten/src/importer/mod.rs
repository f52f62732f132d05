//! The importer: it appends calls to a block, and keeps the state that later calls need.
//!
//! Each file of this folder adds to the importer, on top of the files named before it: `build` emits nodes, `access`
//! reads and writes through views, `tensors` keeps the program's tensors, `promotion` converts operands to a common
//! dtype, `arguments` reads the arguments of a call.

pub(crate) mod access;
pub(crate) mod arguments;
pub(crate) mod build;
pub(crate) mod chosen;
pub(crate) mod known;
pub(crate) mod promotion;
pub(crate) mod remade;
pub(crate) mod returns;
pub(crate) mod row;
pub(crate) mod strided;
pub(crate) mod tensors;
pub(crate) mod variable;
pub(crate) mod view;

use crate::call::custom::CustomOps;
use crate::call::error::Problem;
use crate::call::limits::MAX_NODES;
use crate::importer::variable::Variables;

use kiln_ir::arena::Id;
use kiln_ir::graph::ValueList;
use kiln_ir::{BlockId, Builder, Dim, Graph, Op, Rewriter, Shape, SymbolId, TensorData, ValueId};
use std::collections::HashMap;

/// The name of constants that the import makes, of numbers in the program and of its own.
pub const LITERAL: &str = "literal";

/// The key under which equal literals are found: dtype, sizes, bytes.
pub(crate) type Literal = (kiln_ir::DType, Vec<usize>, Vec<u8>);

/// Appends the core ops of calls to a block, and tracks the variables that writes in place change.
pub struct Importer<'g> {
    rewriter: Rewriter<'g>,
    scopes: Vec<Scope>,
    pub(crate) variables: Variables,
    /// The number of nodes that the present call may still make.
    nodes_left: usize,
    /// The state of each symbol: not bound, bound by an input or a node, or equal to a known expression of other
    /// symbols.
    symbols: Vec<SymbolState>,
    /// Quantisation parameters that were chosen from data, and integers that were quantised with them.
    pub(crate) chosen: chosen::Chosen,
    pub(crate) zero_points: chosen::ZeroPoints,
    /// The ops that are calls of the user's kernels.
    pub(crate) custom: CustomOps,
    /// Whether long recurrent layers are loops.
    rolls: bool,
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
            nodes_left: MAX_NODES,
            symbols: Vec::new(),
            chosen: chosen::Chosen::default(),
            zero_points: chosen::ZeroPoints::default(),
            custom: CustomOps::default(),
            rolls: false,
        }
    }

    /// Makes long recurrent layers loops over blocks of steps, so that the work of a compilation grows with the layers and not
    /// with their steps.
    pub fn with_loops(mut self, rolls: bool) -> Importer<'g> {
        self.rolls = rolls;
        self
    }

    /// Whether long recurrent layers are loops over blocks of steps.
    pub(crate) fn rolls(&self) -> bool {
        self.rolls
    }

    /// Takes these ops for kernels that the user registers with the runtime.
    pub fn with_custom(mut self, ops: &CustomOps) -> Importer<'g> {
        self.custom = ops.clone();
        self
    }

    /// The rewriter, for everything that is not a call: parameters, constants, state, control flow.
    pub fn rewriter(&mut self) -> &mut Rewriter<'g> {
        &mut self.rewriter
    }

    /// The block to which calls are appended.
    pub fn block(&self) -> BlockId {
        self.scope().block
    }

    /// Enters a nested block: calls are appended to it until [`Importer::leave`].
    pub fn enter(&mut self, block: BlockId) {
        self.scopes.push(Scope {
            block,
            literals: HashMap::new(),
        });
    }

    /// Leaves the nested block that was entered last.
    ///
    /// # Panics
    /// If no nested block was entered.
    pub fn leave(&mut self) {
        assert!(self.scopes.len() > 1, "a block is left that was entered");
        self.scopes.pop();
    }

    fn scope(&self) -> &Scope {
        self.scopes
            .last()
            .expect("the outermost block is never left")
    }

    /// The dim with each known symbol replaced by its expression.
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

    /// Marks the symbol as bound: an input or a node gives it its value.
    pub fn bind_symbol(&mut self, symbol: SymbolId) {
        *self.symbol_state(symbol) = SymbolState::Bound;
    }

    /// Marks all symbols in a value's shape as bound.
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

    /// The symbol, if the dim is one symbol alone and nothing has bound it.
    pub(crate) fn as_unbound(&self, dim: &Dim) -> Option<SymbolId> {
        dim.as_symbol().filter(|s| {
            !matches!(
                self.symbols.get(s.index()),
                Some(SymbolState::Bound | SymbolState::Known(_))
            )
        })
    }

    /// True if every symbol of the dim is bound.
    pub(crate) fn is_bound(&self, dim: &Dim) -> bool {
        let mut bound = true;
        dim.for_each_symbol(&mut |s| {
            bound &= self.symbols.get(s.index()) == Some(&SymbolState::Bound);
        });
        bound
    }

    /// If `declared` is one unbound symbol alone, the symbol stands for the expression `dim` from now on.
    pub(crate) fn learn(&mut self, declared: &Dim, dim: &Dim) {
        if let Some(symbol) = self.as_unbound(declared)
            && self.is_bound(dim)
        {
            *self.symbol_state(symbol) = SymbolState::Known(dim.clone());
        }
    }

    /// Begins a call: it may make [`MAX_NODES`] nodes.
    pub(crate) fn begin_call(&mut self) {
        self.nodes_left = MAX_NODES;
    }

    /// Counts one node of the present call.
    ///
    /// # Errors
    /// If the call has made [`MAX_NODES`] nodes.
    pub(crate) fn count_node(&mut self) -> Result<(), Problem> {
        let left = self.nodes_left.checked_sub(1);
        self.nodes_left = left.ok_or_else(|| {
            Problem::unsupported(format!(
                "takes more than {MAX_NODES} core ops; a model that calls it on less at once, or in a loop, does"
            ))
        })?;
        Ok(())
    }

    pub(crate) fn place(&self) -> kiln_ir::Place {
        kiln_ir::Place::End(self.block())
    }
}

impl Builder for Importer<'_> {
    type Error = Problem;

    fn graph(&self) -> &Graph {
        self.rewriter.graph()
    }

    fn results(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> Result<ValueList, Problem> {
        let node = self.insert(op.into(), operands)?;
        Ok(self.graph().node(node).results.clone())
    }

    /// The node of a literal. Equal literals of a block share one node.
    fn literal(&mut self, data: TensorData) -> ValueId {
        let key = (data.dtype(), data.sizes().to_vec(), data.bytes().to_vec());
        if let Some(&value) = self.scope().literals.get(&key) {
            return value;
        }
        let place = self.place();
        let value = self.rewriter.constant_value(place, LITERAL, data);
        let scope = self.scopes.last_mut();
        scope
            .expect("the outermost block is never left")
            .literals
            .insert(key, value);
        value
    }
}
