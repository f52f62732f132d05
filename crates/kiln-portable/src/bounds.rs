//! Upper bounds of symbolic sizes. Memory is planned for the largest shapes.

use kiln_ir::dim::Interval;
use kiln_ir::{Dim, Graph, Id, Op, SymbolId, Symbols};
use kiln_target::AssumedBound;

/// The greatest size: the runtime stores sizes in 32 bits.
const MAX_SIZE: i64 = i32::MAX as i64;
/// The least default bound of a size that nothing bounds.
const LEAST_DEFAULT: i64 = 64;
/// The default bound of a size that nothing bounds, as a multiple of its size at export.
const DEFAULT_FACTOR: i64 = 4;

/// What makes sizes smaller that are too large.
pub(crate) fn advice(has_symbols: bool) -> &'static str {
    match has_symbols {
        true => {
            "lower the greatest values of symbols, by the ranges at export or by --dim SYMBOL=MAX"
        }
        false => "export with smaller sizes",
    }
}

/// An upper bound for each symbol of a graph.
pub(crate) struct Bounds {
    symbols: Symbols,
    assumed: Vec<AssumedBound>,
}

impl Bounds {
    /// The bounds of a graph's symbols: the graph's own, narrowed by `dims`. Where both are silent, a count of elements
    /// is bounded by the number of elements, and any other size by the default.
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

    /// A tensor has at most as many non-zero elements as elements.
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

    /// The bounds that Kiln chose.
    pub fn into_assumed(self) -> Vec<AssumedBound> {
        self.assumed
    }

    /// The greatest value of a size; `None` if the runtime cannot store it.
    pub fn max(&self, dim: &Dim) -> Option<u32> {
        let Interval { hi, .. } = self.symbols.bounds(dim);
        let size = hi.filter(|&max| max <= MAX_SIZE)?;
        Some(u32::try_from(size.max(0)).expect("a size is below 2^31"))
    }
}

/// The symbols of a graph, each with the upper bound for which a program is made.
pub fn widest(graph: &Graph) -> Symbols {
    Bounds::new(graph, &[]).symbols
}

/// The symbols that stand in the shape of some value.
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
