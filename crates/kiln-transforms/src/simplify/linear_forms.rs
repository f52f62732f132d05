//! A product with a constant matrix is a linear layer.
//!
//! The weight of a layer is the transposed matrix: where the graph itself transposes a constant, that
//! constant as it lies; else the matrix is transposed ahead, if it is small or the target would run the
//! product worse. Where the target runs the layer worse than the product, nothing is done.
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
use kiln_ir::{NodeId, Op, Rewriter, ValueId};

/// The pass.
pub const PASS: Pass = Pass {
    name: "linear_forms",
    keeps_bits: false,
    run,
    rules: &names::<{ RULES.len() }>(RULES, &[]),
};

const RULES: &[Rule] = &[Rule {
    name: "product_to_linear",
    rewrite: product,
}];

/// A matrix of up to so many bytes is transposed ahead even if the target runs the product as well.
const SMALL_BYTES: usize = 1 << 20;

/// Brings products to linear layers; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, RULES);
}

/// True if the node is a move of a constant that products read, and the linear layers that [`PASS`] makes
/// of them would take the constant as it lies.
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

/// From a matrix `[1.., k, n]` to the weight `[n, k]`.
fn to_weight(shape: &Shape) -> Option<Movement> {
    let rank = shape.rank();
    let outer: Vec<usize> = (0..rank.checked_sub(2)?).collect();
    let squeeze = Movement::squeeze(shape, &outer).ok()?;
    let swap = Movement::permute(&shape[rank - 2..], &[1, 0]).ok()?;
    squeeze.compose(&swap).one()
}

/// The constant behind a move, and the movement that makes it a weight without copying.
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
                "a matrix that is transposed ahead is small",
                "a large one",
            ));
        }
        emitter.movement(matrix, movement)?
    } else {
        return Ok(None);
    };
    if !emitter.is_no_worse(node, Linear {}, &[x, weight]) {
        return Err(Reason::new(
            "the target runs a linear layer as well as a product",
            "that it runs it worse",
        ));
    }
    emitter.node(Linear {}, &[x, weight]).map(Some)
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
