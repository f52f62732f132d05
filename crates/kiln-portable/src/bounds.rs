//! Upper bounds of symbolic sizes: planned memory is for the largest shapes.

use kiln_ir::dim::Interval;
use kiln_ir::{Dim, Graph, Id, Op, SymbolId, Symbols};
use kiln_target::AssumedBound;

/// The runtime holds sizes in 32 bits.
const MAX_SIZE: i64 = i32::MAX as i64;
/// An open size takes at least this.
const LEAST_DEFAULT: i64 = 64;
/// An open size takes this many times the traced one.
const DEFAULT_FACTOR: i64 = 4;

/// Symbols with an upper bound each.
pub(crate) struct Bounds {
    symbols: Symbols,
    assumed: Vec<AssumedBound>,
}

impl Bounds {
    /// The bounds of a graph's symbols: what the graph says, narrowed by `dims`; where both are silent, the number of
    /// elements for a count, and otherwise the default.
    pub fn new(graph: &Graph, dims: &[(String, i64)]) -> Bounds {
        let mut bounds = Bounds {
            symbols: graph.symbols.clone(),
            assumed: Vec::new(),
        };
        let ids: Vec<SymbolId> = graph.symbols.iter().map(|(id, _)| id).collect();
        let shaping = shaping_symbols(graph);
        for &id in &ids {
            let symbol = bounds.symbols.get_mut(id);
            let asked = dims.iter().find(|(name, _)| *name == symbol.name);
            let known = symbol.max.filter(|&max| max <= MAX_SIZE);
            symbol.max = match (asked, known) {
                (Some(&(_, max)), Some(known)) => Some(known.min(max)),
                (Some(&(_, max)), None) => Some(max),
                (None, known) => known,
            };
        }
        bounds.count_elements(graph);
        for &id in &ids {
            let symbol = bounds.symbols.get_mut(id);
            if symbol.max.is_none() {
                let hint = symbol.hint.unwrap_or(0).saturating_mul(DEFAULT_FACTOR);
                let max = hint.max(LEAST_DEFAULT).max(symbol.min).min(MAX_SIZE);
                symbol.max = Some(max);
                if shaping[id.index()] {
                    let symbol = symbol.name.clone();
                    bounds.assumed.push(AssumedBound { symbol, max });
                }
            }
        }
        bounds
    }

    /// As many elements as a tensor has are not zero at most.
    fn count_elements(&mut self, graph: &Graph) {
        for (block, _) in graph.blocks() {
            for (_, node) in graph.nodes_in(block) {
                if let Op::NonZero(op) = &node.op
                    && let Some(all) = graph.ty(node.operands[0]).shape.max_elements(&self.symbols)
                {
                    let symbol = self.symbols.get_mut(op.count);
                    symbol.max = Some(symbol.max.unwrap_or(all).min(all));
                }
            }
        }
    }

    /// The symbols, with their bounds.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The bounds that were chosen.
    pub fn into_assumed(self) -> Vec<AssumedBound> {
        self.assumed
    }

    /// The greatest value of a size; `None` where it does not fit the runtime.
    pub fn max(&self, dim: &Dim) -> Option<u32> {
        let Interval { hi, .. } = self.symbols.bounds(dim);
        let size = hi.filter(|&max| max <= MAX_SIZE)?;
        Some(u32::try_from(size.max(0)).expect("a size is below 2^31"))
    }
}

/// The symbols of a graph, each with the upper bound that a program is made for.
pub fn widest(graph: &Graph) -> Symbols {
    Bounds::new(graph, &[]).symbols
}

/// Which symbols stand in the shape of some value.
fn shaping_symbols(graph: &Graph) -> Vec<bool> {
    let count = graph.symbols.iter().map(|(id, _)| id.index() + 1).max();
    let mut found = vec![false; count.unwrap_or(0)];
    let mut visit = |dims: &[Dim]| {
        for dim in dims {
            dim.for_each_symbol(&mut |id| found[id.index()] = true);
        }
    };
    for (block, body) in graph.blocks() {
        body.params.iter().for_each(|&v| visit(&graph.ty(v).shape));
        for (_, node) in graph.nodes_in(block) {
            node.results.iter().for_each(|&v| visit(&graph.ty(v).shape));
        }
    }
    found
}
