//! Replaces a product with a constant matrix by a linear layer.
//!
//! The weight of a linear layer is the transposed matrix. If the graph itself transposes a constant, the layer takes
//! that constant. Otherwise the matrix is transposed at compile time, if it is small or the target would run the
//! product worse than the layer. A product stays if the target would run the layer worse.
//!
//! ```kiln
//! linear_forms
//! graph "linear_forms" {
//!   constant c0 "w" f32[2, 3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
//!   constant c1 "b" f32[1, 2] = [0.5, -0.5]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[5, 3]) {
//!     %1: f32[2, 3] = constant {value=c0}
//!     %2: f32[3, 2] = move %1 {movement=(a:2 b:3 -> b a)}
//!     %3: f32[5, 2] = matmul %0, %2 {}
//!     %4: f32[1, 2] = constant {value=c1}
//!     %5: f32[5, 2] = binary %3, %4 {f=add}
//!     return %5
//!   }
//! }
//! ---
//! graph "linear_forms" {
//!   constant c0 "w" f32[2, 3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
//!   constant c1 "b" f32[1, 2] = [0.5, -0.5]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[5, 3]) {
//!     %1: f32[2, 3] = constant {value=c0}
//!     %2: f32[5, 2] = linear %0, %1 {}
//!     %3: f32[1, 2] = constant {value=c1}
//!     %4: f32[5, 2] = binary %2, %3 {f=add}
//!     return %4
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, names, run_pass};
use crate::framework::target::{Reason, Target};
use kiln_ir::graph::{Graph, Use};
use kiln_ir::movement::Movement;
use kiln_ir::ops::{Linear, MatMul};
use kiln_ir::types::Shape;
use kiln_ir::{Builder, NodeId, Op, Rewriter, ValueId};

/// The pass.
pub const PASS: Pass = Pass {
    name: "linear_forms",
    keeps_bits: false,
    run,
    rules: &names::<{ RULES.len() }>(RULES, &[]),
    guards: &[],
};

const RULES: &[Rule] = &[Rule {
    name: "product_to_linear",
    rewrite: product,
}];

/// A matrix of up to this many bytes is transposed even if the target runs the product as well as the layer.
const SMALL_BYTES: usize = 1 << 20;

/// Replaces products by linear layers; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, RULES);
}

/// True if the node transposes a constant for matrix products only, and the linear layers that [`PASS`] makes of these
/// would read the constant itself.
pub fn takes_transposed(emitter: &mut Emitter<'_, '_>, node: NodeId) -> bool {
    let graph = emitter.graph();
    let found = graph.node(node);
    let Op::Move(_) = found.op else {
        return false;
    };
    let result = found.result();
    let product = |u: &Use| match *u {
        Use::Operand(reader, 1) => matches!(graph.node(reader).op, Op::MatMul(_)).then_some(reader),
        _ => None,
    };
    let uses = graph.value(result).uses();
    let products: Option<Vec<NodeId>> = uses.iter().map(product).collect();
    let Some((constant, movement)) = as_it_lies(graph, result) else {
        return false;
    };
    let Ok(weight) = emitter.movement(constant, movement) else {
        return false;
    };
    products.is_some_and(|products| {
        !products.is_empty()
            && products.into_iter().all(|product| {
                let x = emitter.graph().node(product).operands[0];
                emitter.is_no_worse(product, Linear {}, &[x, weight])
            })
    })
}

/// The movement from a matrix `[1.., k, n]` to a weight `[n, k]`; `None` for several matrices.
pub(crate) fn to_weight(shape: &Shape) -> Option<Movement> {
    let rank = shape.rank();
    let outer: Vec<usize> = (0..rank.checked_sub(2)?).collect();
    let squeeze = Movement::squeeze(shape, &outer).ok()?;
    let swap = Movement::permute(&shape[rank - 2..], &[1, 0]).ok()?;
    squeeze.compose(&swap).one()
}

/// The constant under a movement, and the view that makes a weight of it.
fn as_it_lies(graph: &Graph, value: ValueId) -> Option<(ValueId, Movement)> {
    let node = graph.node(graph.producer(value)?);
    let Op::Move(op) = &node.op else {
        return None;
    };
    let constant = node.operands[0];
    graph.as_constant(constant)?;
    let movement = op
        .movement
        .compose(&to_weight(&graph.ty(value).shape)?)
        .one()?;
    movement.is_view().then_some((constant, movement))
}

fn product(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let found = graph.node(node);
    let (Op::MatMul(_), &[x, matrix]) = (&found.op, found.operands.as_slice()) else {
        return Ok(None);
    };
    let weight = if let Some((constant, movement)) = as_it_lies(graph, matrix) {
        emitter.movement(constant, movement)?
    } else if let Some(constant) = graph.as_constant(matrix) {
        let is_small = constant.data.bytes().len() <= SMALL_BYTES;
        let Some(movement) = to_weight(&constant.ty.shape) else {
            return Ok(None);
        };
        if !is_small && !linear_runs_better(emitter, node, x, matrix) {
            return Err(Reason::new(
                "a matrix that is transposed at compile time is small",
                "a large one",
            ));
        }
        emitter.movement(matrix, movement)?
    } else {
        return Ok(None);
    };
    if !emitter.is_no_worse(node, Linear {}, &[x, weight]) {
        return Err(Reason::new(
            "the target runs a linear layer at least as well as the product",
            "that it runs the layer worse",
        ));
    }
    emitter.value(Linear {}, &[x, weight]).map(Some)
}

fn linear_runs_better(
    emitter: &mut Emitter<'_, '_>,
    node: NodeId,
    x: ValueId,
    matrix: ValueId,
) -> bool {
    let Some(movement) = to_weight(&emitter.shape(matrix)) else {
        return false;
    };
    let Ok(weight) = emitter.unfolded(kiln_ir::ops::Move { movement }, &[matrix]) else {
        return false;
    };
    let now = emitter.placement_of(node);
    let linear = emitter.placement(Linear {}, &[x, weight]);
    linear.is_ok_and(|linear| !now.is_no_worse_than(&linear))
        && emitter.placement(MatMul {}, &[x, matrix]).is_ok()
}
