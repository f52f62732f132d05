//! Takes repetitions out of matrix products: products with one matrix become further rows of one product.
//!
//! Grouped attention repeats keys and values for the heads that share them. Where the right matrix of a product is the same along
//! a batch axis, or along a part of one, that part joins the rows of the left matrix. So nothing is repeated, and a runtime that packs right
//! matrices packs each once. The rows of the left matrix and of the result become a view, or copies that are together no
//! larger than the repetition.
//!
//! ```kiln
//! unrepeat
//! graph "unrepeat" {
//!   input tensor "q" [0, 1, 2]
//!   input tensor "k" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "q": f32[6, 4, 8], %1 "k": f32[2, 8, 5]) {
//!     %2: f32[2, 1, 8, 5] = move %1 {movement=(a:2 b:8 c:5 -> a 1 b c)}
//!     %3: f32[2, 3, 8, 5] = broadcast %2 {shape=[2, 3, 8, 5]}
//!     %4: f32[6, 8, 5] = move %3 {movement=(a:2 b:3 c:8 d:5 -> (a b) c d)}
//!     %5: f32[6, 4, 5] = matmul %0, %4 {}
//!     return %5
//!   }
//! }
//! ---
//! graph "unrepeat" {
//!   input tensor "q" [0, 1, 2]
//!   input tensor "k" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "q": f32[6, 4, 8], %1 "k": f32[2, 8, 5]) {
//!     %2: f32[2, 1, 8, 5] = move %1 {movement=(a:2 b:8 c:5 -> a 1 b c)}
//!     %3: f32[2, 12, 8] = move %0 {movement=((a:2 b:3) c:4 d:8 -> a (b c) d)}
//!     %4: f32[2, 8, 5] = move %2 {movement=(a:2 1 b:8 c:5 -> a b c)}
//!     %5: f32[2, 12, 5] = matmul %3, %4 {}
//!     %6: f32[6, 4, 5] = move %5 {movement=(a:2 (b:3 c:4) d:5 -> (a b) c d)}
//!     return %6
//!   }
//! }
//! ```

use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, names, run_pass};
use crate::framework::target::{Reason, Target};
use kiln_ir::movement::MovementError;
use kiln_ir::types::Shape;
use kiln_ir::{Builder, Dim, Graph, Movement, NodeId, Op, Rewriter, ValueId, ops};

/// The pass.
pub const PASS: Pass = Pass {
    name: "unrepeat",
    keeps_bits: false,
    run,
    rules: &names::<{ RULES.len() }>(RULES, &[]),
    guards: &[],
};

const RULES: &[Rule] = &[Rule {
    name: "product_with_repeats",
    rewrite,
}];

/// Joins repeated batches to rows; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, RULES);
}

/// A part of a batch axis.
#[derive(Clone)]
struct Part {
    size: Dim,
    is_repeated: bool,
}

/// Where a right matrix comes from: a value that is broadcast, then moved.
struct Origin {
    source: ValueId,
    /// The shape to which the source is broadcast.
    shape: Shape,
    /// From that shape to the matrix.
    movement: Movement,
    /// By factor of the movement: the source has one element there.
    is_repeated: Vec<bool>,
}

impl Origin {
    fn of(graph: &Graph, matrix: ValueId) -> Option<Origin> {
        let mut movement = Movement::identity(&graph.ty(matrix).shape);
        let mut value = matrix;
        while let Some(producer) = graph.producer(value) {
            let node = graph.node(producer);
            let operand = *node.operands.first()?;
            match &node.op {
                Op::Move(first) => movement = first.movement.compose(&movement).one()?,
                Op::Broadcast(op) => {
                    let from = &graph.ty(operand).shape;
                    let mut is_repeated = vec![false; movement.sizes().len()];
                    for (axis, factors) in movement.source().iter().enumerate() {
                        for factor in factors.iter().filter(|_| from[axis].is(1)) {
                            is_repeated[factor.index()] = true;
                        }
                    }
                    return Some(Origin {
                        source: operand,
                        shape: op.shape.clone(),
                        movement,
                        is_repeated,
                    });
                }
                _ => break,
            }
            value = operand;
        }
        // No op repeats the matrix. The product itself does so along axes of size 1.
        let shape = graph.ty(matrix).shape.clone();
        let movement = Movement::identity(&shape);
        let is_repeated = vec![false; movement.sizes().len()];
        Some(Origin {
            source: matrix,
            shape,
            movement,
            is_repeated,
        })
    }

    /// The parts of each batch axis of the product. `None` if other axes are repeated as well, or none is.
    fn batch(&self, left: &Shape) -> Option<Vec<Vec<Part>>> {
        let rank = left.rank();
        let (batch, matrix) = self.movement.result().split_at(rank - 2);
        let is_inner = matrix.iter().flatten().any(|f| self.is_repeated[f.index()]);
        let parts: Vec<Vec<Part>> = std::iter::zip(batch, left.iter())
            .map(|(factors, size)| match factors.as_slice() {
                [] => vec![Part {
                    size: size.clone(),
                    is_repeated: !size.is(1),
                }],
                factors => factors
                    .iter()
                    .map(|&f| Part {
                        size: self.movement.size(f).clone(),
                        is_repeated: self.is_repeated[f.index()],
                    })
                    .collect(),
            })
            .collect();
        let is_any = parts.iter().flatten().any(|p| p.is_repeated);
        (is_any && !is_inner).then_some(parts)
    }

    /// The matrix with one element in place of what is repeated.
    fn once(&self, emitter: &mut Emitter<'_, '_>) -> Emitted {
        let mut shape = self.shape.clone();
        for (axis, factors) in self.movement.source().iter().enumerate() {
            if factors.iter().any(|f| self.is_repeated[f.index()]) {
                shape[axis] = Dim::constant(1);
            }
        }
        let sizes = std::iter::zip(self.movement.sizes(), &self.is_repeated);
        let sizes = sizes.map(|(size, is_repeated)| match is_repeated {
            true => Dim::constant(1),
            false => size.clone(),
        });
        let movement = self.movement.with_sizes(sizes.collect())?;
        let source = emitter.broadcast(self.source, shape)?;
        emitter.movement(source, movement)
    }
}

/// The movement of a left matrix or of a result: repeated parts of its batch become outer parts of its rows. `shape` is its shape.
fn to_rows(parts: &[Vec<Part>], shape: &Shape) -> Result<Movement, MovementError> {
    let (mut sizes, mut source, mut result) = (Vec::new(), Vec::new(), Vec::new());
    let mut rows = Vec::new();
    for (axis, parts) in parts.iter().enumerate() {
        let (mut all, mut kept) = (Vec::new(), Vec::new());
        let whole = [Part {
            size: shape[axis].clone(),
            is_repeated: false,
        }];
        let is_whole = !parts.iter().any(|p| p.is_repeated);
        for part in if is_whole { &whole } else { parts.as_slice() } {
            let factor = sizes.len();
            sizes.push(part.size.clone());
            all.push(factor);
            if part.is_repeated {
                rows.push(factor);
            } else {
                kept.push(factor);
            }
        }
        source.push(all);
        result.push(kept);
    }
    let first = sizes.len();
    sizes.extend_from_slice(&shape[parts.len()..]);
    rows.push(first);
    source.extend([vec![first], vec![first + 1]]);
    result.extend([rows, vec![first + 1]]);
    Movement::from_parts(sizes, source, result)
}

/// True if the parts fill the axes of the left matrix: it may be broadcast along others only.
fn fill(parts: &[Vec<Part>], left: &Shape) -> bool {
    std::iter::zip(parts, left.iter()).all(|(parts, size)| {
        let all: Dim = parts.iter().map(|p| p.size.clone()).product();
        !parts.iter().any(|p| p.is_repeated) || all == *size
    })
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let node = emitter.graph().node(id);
    let (op, mut operands) = (node.op.clone(), node.operands.clone());
    if !matches!(op.computing(), Op::MatMul(_)) {
        return Ok(None);
    }
    let result = emitter.shape(node.result());
    let left = emitter.shape(operands[0]);
    let Some(origin) = Origin::of(emitter.graph(), operands[1]) else {
        return Ok(None);
    };
    let Some(parts) = origin.batch(&left).filter(|parts| fill(parts, &left)) else {
        return Ok(None);
    };
    let (there, back) = (to_rows(&parts, &left)?, to_rows(&parts, &result)?.inverse());
    if !(there.is_view() && back.is_view()) {
        pays(emitter, [&left, &result], &emitter.shape(operands[1]))?;
    }
    moves_beside(emitter, id, &there, operands[0])?;
    operands[0] = emitter.movement(operands[0], there)?;
    operands[1] = origin.once(emitter)?;
    if !emitter.is_no_worse(id, op.clone(), &operands) {
        return Err(Reason::new(
            "the target runs the product with more rows at least as well",
            "that it runs it worse",
        ));
    }
    let product = emitter.value(op, &operands)?;
    moves_beside(emitter, id, &back, product)?;
    emitter.movement(product, back).map(Some)
}

/// Whether the target joins or splits rows at least as well as it runs the product: else the product would be cut off from its neighbours.
///
/// # Errors
/// If it does not.
fn moves_beside(
    emitter: &mut Emitter<'_, '_>,
    product: NodeId,
    movement: &Movement,
    value: ValueId,
) -> Result<(), Reason> {
    let movement = movement.clone();
    match emitter.is_no_worse(product, ops::Move { movement }, &[value]) {
        true => Ok(()),
        false => Err(Reason::new(
            "the target joins and splits rows where it runs the product",
            "that it does so elsewhere",
        )),
    }
}

/// Whether copies of the left matrix and of the result are no larger than the repeated matrix.
///
/// # Errors
/// If they are larger, or the sizes have no bounds.
fn pays(emitter: &Emitter<'_, '_>, copied: [&Shape; 2], repeated: &Shape) -> Result<(), Reason> {
    let elements = |shape: &Shape| shape.max_elements(emitter.symbols());
    let copies = copied
        .map(elements)
        .into_iter()
        .try_fold(0i64, |sum, n| sum.checked_add(n?));
    match (copies, elements(repeated)) {
        (Some(copies), Some(saved)) if copies <= saved => Ok(()),
        (copies, _) => Err(Reason::new(
            "rows that are copied are no more than the repeated elements",
            copies.map_or("no bound".into(), |n| format!("{n} elements")),
        )),
    }
}
