//! Moves a movement up through elementwise ops to merge it with an earlier movement, if that leaves fewer copies.
//!
//! `move2(f(move1(x)))` equals `f(move2(move1(x)))`. The two movements become one, or none if they are inverse. Between
//! them may stand unary functions, casts, conversions of integers with one scale, and binary functions with one number,
//! each with a single reader. The pass does this only if fewer movements that copy remain, or if two views cancel. A
//! movement inside a delegate does not pass nodes outside: their operands and results have plain memory order, so a
//! movement may be free on one side of them only.
//!
//! ```kiln
//! sink_moves
//! graph "sink_moves" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[3, 4]) {
//!     %1: f32[4, 3] = move %0 {movement=(a:3 b:4 -> b a)}
//!     %2: f32[4, 3] = unary %1 {f=exp}
//!     %3: f16[4, 3] = cast %2 {to=f16}
//!     %4: f16[3, 4] = move %3 {movement=(b:4 a:3 -> a b)}
//!     return %4
//!   }
//! }
//! ---
//! graph "sink_moves" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[3, 4]) {
//!     %1: f32[3, 4] = unary %0 {f=exp}
//!     %2: f16[3, 4] = cast %1 {to=f16}
//!     return %2
//!   }
//! }
//! ```

use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{
    Applied, PassContext, Rewritten, Rule, is_read_once, nodes_in_use,
};
use crate::framework::target::{Placement, Reason, Target};
use kiln_ir::graph::Node;
use kiln_ir::types::QuantScheme;
use kiln_ir::{Builder, Graph, Movement, NodeId, Op, Rewriter, ValueId};
use rustc_hash::FxHashSet;

/// The pass.
pub const PASS: Pass = Pass {
    name: "sink_moves",
    keeps_bits: true,
    run,
    rules: &[RULE.name],
    guards: &[],
};

const RULE: Rule = Rule {
    name: "sink_moves",
    rewrite,
};

/// Merges movements through the ops between them.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    let mut cx = PassContext {
        rewriter,
        target,
        report,
    };
    // The nodes that follow a movement through such ops. Without this set, every movement would search back to the
    // inputs.
    let mut behind = FxHashSet::default();
    for node in nodes_in_use(cx.graph()) {
        if cx.graph().try_node(node).is_none() {
            continue;
        }
        let mut new = vec![node];
        if comes_from(cx.graph(), node, &behind) && is_move(cx.graph(), node) {
            match cx.try_rule(&RULE, node) {
                Applied::No => {}
                Applied::Yes(made) => new = made,
                Applied::Stopped => return,
            }
        }
        for node in new {
            if is_move(cx.graph(), node) || comes_from(cx.graph(), node, &behind) {
                behind.insert(node);
            }
        }
    }
}

fn is_move(graph: &Graph, node: NodeId) -> bool {
    matches!(graph.node(node).op, Op::Move(_))
}

/// True if the node is a movement or an op that a movement can pass, and one of `behind` computes its operand.
fn comes_from(graph: &Graph, node: NodeId, behind: &FxHashSet<NodeId>) -> bool {
    let slot = if is_move(graph, node) {
        Some(0)
    } else {
        passing_operand(graph, node)
    };
    let operand = slot.map(|slot| graph.node(node).operands[slot]);
    operand.is_some_and(|value| graph.producer(value).is_some_and(|n| behind.contains(&n)))
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let Some(found) = Found::at(emitter.graph(), id) else {
        return Ok(None);
    };
    let is_delegated = |node| emitter.placement_of(node) == Placement::Delegate;
    if is_delegated(id) && !found.between.iter().all(|&(node, _)| is_delegated(node)) {
        return Err(Reason::new(
            "all ops between the movements run inside the delegate, as the movements do",
            "a kernel, whose operands and results have plain memory order",
        ));
    }
    let mut value = emitter.movement(found.source, found.movement)?;
    for &(node, slot) in found.between.iter().rev() {
        value = again(emitter, node, slot, value)?;
    }
    Ok(Some(value))
}

/// Two movements and the ops between them.
struct Found {
    source: ValueId,
    movement: Movement,
    /// The ops between the movements, last first, each with the operand slot through which the movement passes.
    between: Vec<(NodeId, usize)>,
}

impl Found {
    fn at(graph: &Graph, id: NodeId) -> Option<Found> {
        let last = graph.node(id);
        let Op::Move(second) = &last.op else {
            return None;
        };
        let (mut between, mut value) = (Vec::new(), last.operands[0]);
        loop {
            let producer = graph.producer(value)?;
            let node = graph.node(producer);
            if let Op::Move(first) = &node.op {
                let movement = first.movement.compose(&second.movement).one()?;
                let left = copies(&first.movement) * u32::from(!is_read_once(graph, value));
                let gain = copies(&first.movement) + copies(&second.movement);
                // Views that cancel cost nothing, but keep a clamp from its layer.
                let cancels = movement.is_identity() && is_read_once(graph, value);
                let is_gain = !between.is_empty() && (copies(&movement) + left < gain || cancels);
                let source = node.operands[0];
                return is_gain.then_some(Found {
                    source,
                    movement,
                    between,
                });
            }
            if !is_read_once(graph, value) {
                return None;
            }
            let slot = passing_operand(graph, producer)?;
            between.push((producer, slot));
            value = node.operands[slot];
        }
    }
}

fn copies(movement: &Movement) -> u32 {
    u32::from(!movement.is_view())
}

/// The slot of the operand on which the node works element by element, if all other operands are single numbers.
fn passing_operand(graph: &Graph, id: NodeId) -> Option<usize> {
    let node = graph.node(id);
    let result = graph.ty(*node.results.first()?);
    if result.quant.is_some() || node.operands.iter().any(|&v| graph.ty(v).quant.is_some()) {
        return has_one_scale(graph, node).then_some(0);
    }
    match &node.op {
        Op::Unary(_) | Op::Cast(_) => Some(0),
        Op::Binary(_) | Op::Compare(_) | Op::Select(_) => {
            let is_number =
                |v: ValueId| graph.as_constant(v).is_some_and(|c| c.data.elements() == 1);
            let mut others = (0..node.operands.len()).filter(|&i| !is_number(node.operands[i]));
            let slot = others.next().filter(|_| others.next().is_none())?;
            let shape = &graph.ty(node.operands[slot]).shape;
            (shape.equal(&result.shape, &graph.symbols) == Some(true)).then_some(slot)
        }
        _ => None,
    }
}

/// True for an elementwise op on integers with one scale and zero point: a movement does not change which scale an element has.
fn has_one_scale(graph: &Graph, node: &Node) -> bool {
    let is_alike = |&v: &ValueId| match &graph.ty(v).quant {
        Some(quant) => matches!(quant.scheme, QuantScheme::PerTensor { .. }),
        None => true,
    };
    let is_elementwise = matches!(
        node.op,
        Op::Unary(_) | Op::Quantize(_) | Op::Dequantize(_) | Op::Requantize(_)
    );
    is_elementwise && node.operands.iter().chain(&node.results).all(is_alike)
}

/// Emits the node's op on the moved operand. Its single numbers get the rank of that operand.
fn again(emitter: &mut Emitter<'_, '_>, node: NodeId, slot: usize, value: ValueId) -> Emitted {
    let (op, mut operands) = {
        let node = emitter.graph().node(node);
        (node.op.clone(), node.operands.clone())
    };
    let unit = vec![kiln_ir::Dim::constant(1); emitter.rank(value)];
    for (i, operand) in operands.iter_mut().enumerate() {
        *operand = if i == slot {
            value
        } else {
            emitter.reshape(*operand, unit.clone())?
        };
    }
    emitter.value(op, &operands)
}
