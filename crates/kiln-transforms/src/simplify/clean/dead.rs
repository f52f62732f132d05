//! Removes nodes whose results have no readers.
//!
//! A node that binds a symbol stays while anything mentions the symbol. It also stays if the binding may fail: a run
//! that the exported ranges forbid must not succeed because its result is unused.
//!
//! ```kiln
//! clean
//! graph "dead" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[3] = unary %0 {f=exp}
//!     %2: f32[3] = unary %1 {f=sin}
//!     %3: f32[3] = unary %0 {f=cos}
//!     return %3
//!   }
//! }
//! ---
//! graph "dead" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[3] = unary %0 {f=cos}
//!     return %1
//!   }
//! }
//! ```
//!
//! ```kiln
//! clean
//! graph "unread places" {
//!   symbol u0 in 0..
//!   symbol u1 in 1..=2
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[2]) {
//!     %1: i64[u0, 1] = non_zero %0 {count=u0}
//!     %2: f32[u0, 1] = cast %1 {to=f32}
//!     %3: i64[u1, 1] = non_zero %0 {count=u1}
//!     return %0
//!   }
//! }
//! ---
//! graph "unread places" {
//!   symbol u0 in 0..
//!   symbol u1 in 1..=2
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[2]) {
//!     %1: i64[u1, 1] = non_zero %0 {count=u1}
//!     return %0
//!   }
//! }
//! ```

use crate::framework::rewriting::{PassContext, is_unread};
use kiln_ir::arena::Id;
use kiln_ir::verify::bound_symbol;
use kiln_ir::{Graph, NodeId, Op};

/// The name of the rewrite in reports.
pub const NAME: &str = "dead_code";

/// Erases dead nodes in all blocks, until none is left: once the last node that mentions a symbol is erased, the node
/// that binds it may go too. `None` once the rewriter's limit is reached.
pub fn sweep(cx: &mut PassContext<'_, '_>) -> Option<()> {
    loop {
        let needed = needed_symbols(cx.graph());
        sweep_once(cx, &needed)?;
        if needed_symbols(cx.graph()) == needed {
            return Some(());
        }
    }
}

fn sweep_once(cx: &mut PassContext<'_, '_>, needed: &[bool]) -> Option<()> {
    let mut blocks = vec![cx.graph().root()];
    while let Some(block) = blocks.pop() {
        let mut nodes: Vec<NodeId> = cx.graph().nodes_in(block).map(|(id, _)| id).collect();
        while let Some(node) = nodes.pop() {
            let op = &cx.graph().node(node).op;
            let binds = bound_symbol(op)
                .is_some_and(|symbol| needed[symbol.index()] || may_refuse(cx.graph(), op));
            if binds || !is_unread(cx.graph(), node) {
                blocks.extend(cx.graph().node(node).op.bodies());
                continue;
            }
            if !cx.rewriter.may_apply() {
                return None;
            }
            if !matches!(cx.graph().node(node).op, Op::Constant(_)) {
                cx.report.applied(NAME, cx.rewriter.graph(), node);
            }
            cx.rewriter.erase(node);
        }
    }
    Some(())
}

/// True if the node may bind its symbol to a value outside of the symbol's range.
fn may_refuse(graph: &Graph, op: &Op) -> bool {
    let bounds = |symbol| {
        let symbol = graph.symbols.get(symbol);
        (symbol.min, symbol.max.unwrap_or(i64::MAX))
    };
    match op {
        Op::BindSymbol(op) => bounds(op.symbol) != (i64::MIN, i64::MAX),
        Op::NonZero(op) => {
            let (min, max) = bounds(op.count);
            // The exporter writes "no bound" as the second largest integer.
            min > 0 || max < i64::MAX - 1
        }
        _ => false,
    }
}

/// For each symbol, whether a node other than the one that binds it mentions it.
fn needed_symbols(graph: &Graph) -> Vec<bool> {
    let mut needed = vec![false; graph.symbols.iter().count()];
    if needed.is_empty() {
        return needed;
    }
    for (block, _) in graph.blocks() {
        for (id, node) in graph.nodes_in(block) {
            let own = bound_symbol(&node.op);
            let mentioned = graph.mentioned_symbols(id).into_iter();
            mentioned
                .filter(|&symbol| Some(symbol) != own)
                .for_each(|symbol| needed[symbol.index()] = true);
        }
    }
    needed
}
