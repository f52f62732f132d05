//! A product with a constant matrix is a linear layer, and a constant added to it is its bias.
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
//!   constant c1 "b" f32[2] = [0.5, -0.5]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[5, 3]) {
//!     %1: f32[2, 3] = constant {value=c0}
//!     %2: f32[2] = constant {value=c1}
//!     %3: f32[5, 2] = linear %0, %1, %2 {}
//!     return %3
//!   }
//! }
//! ```

use crate::canonical::{grade, is_no_worse};
use crate::emitter::Emitter;
use crate::pass::{Pass, Report};
use crate::rewriting::{Rewritten, Rule, is_read_once, run_pass};
use crate::target::{Reason, Target};
use kiln_ir::graph::{Graph, Use};
use kiln_ir::movement::Movement;
use kiln_ir::ops::{BinaryFn, Linear, MatMul};
use kiln_ir::types::Shape;
use kiln_ir::{NodeId, Op, Rewriter, ValueId};

/// The pass.
pub const PASS: Pass = Pass {
    name: "linear_forms",
    keeps_bits: false,
    run,
};

const RULES: &[Rule] = &[
    Rule {
        name: "product_to_linear",
        rewrite: product,
    },
    Rule {
        name: "bias_of_linear",
        rewrite: bias,
    },
];

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
                is_no_worse(emitter, product, Linear {}, &[x, weight])
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
    if !is_no_worse(emitter, node, Linear {}, &[x, weight]) {
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
    let linear = emitter
        .placement(Linear {}, &[x, weight])
        .map_or(0, |p| grade(&p));
    linear > grade(&emitter.placement_of(node))
        && emitter.placement(MatMul {}, &[x, matrix]).is_ok()
}

/// A constant per feature that is added to a layer without bias.
fn bias(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let found = graph.node(node);
    let (Op::Binary(op), &[a, b]) = (&found.op, found.operands.as_slice()) else {
        return Ok(None);
    };
    if op.f != BinaryFn::Add {
        return Ok(None);
    }
    let (x, constant) = if graph.as_constant(a).is_some() {
        (b, a)
    } else {
        (a, b)
    };
    let Some(layer) =
        layer_without_bias(graph, x).filter(|_| graph.as_constant(constant).is_some())
    else {
        return Ok(None);
    };
    let (shape, own) = (&graph.ty(x).shape, &graph.ty(constant).shape);
    let last = shape.rank() - 1;
    let features = shape[last].clone();
    if !own[..last].iter().all(|d| d.is(1)) || !(own[last].is(1) || own[last] == features) {
        return Ok(None);
    }
    let operands = graph.node(layer).operands.clone();
    let vector = emitter.reshape(constant, vec![emitter.ty(constant).shape[last].clone()])?;
    let vector = emitter.broadcast(vector, Shape::from(vec![features]))?;
    let operands = [operands[0], operands[1], vector];
    if !is_no_worse(emitter, layer, Linear {}, &operands) {
        return Err(Reason::new(
            "the target runs a layer with this bias",
            "that it runs it worse",
        ));
    }
    emitter.node(Linear {}, &operands).map(Some)
}

fn layer_without_bias(graph: &Graph, value: ValueId) -> Option<NodeId> {
    let node = graph
        .producer(value)
        .filter(|_| is_read_once(graph, value))?;
    let found = graph.node(node);
    (matches!(found.op, Op::Linear(_)) && found.operands.len() == 2).then_some(node)
}
