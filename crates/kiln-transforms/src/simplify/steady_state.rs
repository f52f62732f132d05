//! Replaces reads of a cell that is never updated by its initial content.
//!
//! The importer reads the initial states of recurrent layers from such cells, for targets whose delegates take them as
//! inputs. A target without state takes the content as a constant.
//!
//! ```kiln
//! steady_state
//! graph "steady" {
//!   constant c0 "h0" f32[2] = [0.5, 1.0]
//!   state m0 "first" f32[2] = c0
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[2]) {
//!     %1: f32[2] = read_state {cell=m0}
//!     %2: f32[2] = binary %0, %1 {f=add}
//!     return %2
//!   }
//! }
//! ---
//! graph "steady" {
//!   constant c0 "h0" f32[2] = [0.5, 1.0]
//!   constant c1 "h0" f32[2] = [0.5, 1.0]
//!   state m0 "first" f32[2] = c0
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[2]) {
//!     %1: f32[2] = constant {value=c1}
//!     %2: f32[2] = binary %0, %1 {f=add}
//!     return %2
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, names, run_pass};
use crate::framework::target::Target;
use crate::guards;
use kiln_ir::graph::{CellInit, Constant};
use kiln_ir::{Builder, Graph, NodeId, Op, Rewriter};

guards! {
    /// Nothing updates the cell.
    NO_UPDATE;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "steady_state",
    keeps_bits: true,
    run,
    rules: &names::<{ RULES.len() }>(RULES, &[]),
    guards: &[GUARDS],
};

const RULES: &[Rule] = &[Rule {
    name: "read_of_steady_cell",
    rewrite,
}];

/// Replaces reads; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, RULES);
}

fn rewrite(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let content = first_content(emitter.graph(), node);
    Ok(content.map(|constant| emitter.known_constant(constant)))
}

/// The initial content that the node reads, if nothing updates the cell.
fn first_content(graph: &Graph, node: NodeId) -> Option<Constant> {
    let Op::ReadState(op) = &graph.node(node).op else {
        return None;
    };
    let is_steady = graph.updates().iter().all(|u| u.cell != op.cell);
    match graph.cell(op.cell).init {
        CellInit::Constant(content) if NO_UPDATE.holds(is_steady) => {
            Some(graph.constant(content).clone())
        }
        _ => None,
    }
}
