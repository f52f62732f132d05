//! Moves slices in front of movements.
//!
//! If all readers of a movement are slices along one axis that do not overlap, and that axis is the outermost factor of
//! a source axis, the slices are taken from the source and each part is moved separately. This never moves more bytes
//! than before, and fewer if some are not read. A part is also permuted by fewer axes, which is faster on NPUs (fused
//! query, key and value of an attention).
//!
//! ```kiln
//! slice_sources
//! graph "heads" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[5, 12]) {
//!     %1: f32[2, 3, 5, 2] = move %0 {movement=(a:5 (b:2 c:3 d:2) -> b c a d)}
//!     %2: f32[1, 3, 5, 2] = slice %1 {axis=0, start=0, len=1, step=1}
//!     %3: f32[1, 3, 5, 2] = slice %1 {axis=0, start=1, len=1, step=1}
//!     return %2, %3
//!   }
//! }
//! ---
//! graph "heads" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[5, 12]) {
//!     %1: f32[5, 6] = slice %0 {axis=1, start=0, len=6, step=1}
//!     %2: f32[5, 1, 3, 2] = move %1 {movement=(a:5 (b:3 c:2) -> a 1 b c)}
//!     %3: f32[1, 3, 5, 2] = move %2 {movement=(a:5 d:1 b:3 c:2 -> d b a c)}
//!     %4: f32[5, 6] = slice %0 {axis=1, start=6, len=6, step=1}
//!     %5: f32[5, 1, 3, 2] = move %4 {movement=(a:5 (b:3 c:2) -> a 1 b c)}
//!     %6: f32[1, 3, 5, 2] = move %5 {movement=(a:5 d:1 b:3 c:2 -> d b a c)}
//!     return %3, %6
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, run_pass};
use crate::framework::target::{Reason, Target};
use crate::guards;
use kiln_ir::graph::Use;
use kiln_ir::{Builder, Dim, Graph, Movement, NodeId, Op, Rewriter, Shape, ValueId};

guards! {
    /// A slice takes neighbours.
    NEIGHBOURS;
    /// The sliced axis is the outermost factor of an axis of the source.
    OUTERMOST;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "slice_sources",
    keeps_bits: true,
    run,
    rules: &[RULE.name],
    guards: &[GUARDS],
};

const RULE: Rule = Rule {
    name: "slice_sources",
    rewrite,
};

/// Moves all slices that can be moved; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, &[RULE]);
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let Some((moved, cut)) = cut(graph, id) else {
        return Ok(None);
    };
    if !all_cut(graph, moved) {
        return Err(Reason::new(
            "all readers of the movement are slices of one axis that do not overlap",
            "another reader",
        ));
    }
    let node = graph.node(moved);
    let (source, to) = (
        node.operands[0],
        graph.ty(graph.node(id).result()).shape.clone(),
    );
    let Op::Move(op) = &node.op else {
        return Ok(None);
    };
    let movement = op.movement.clone();
    let part = emitter.slice(source, cut.axis, cut.start.clone(), cut.len.clone(), 1)?;
    moved_part(emitter, part, &movement, &cut, to).map(Some)
}

/// A slice of a movement's source that replaces a slice of its result.
struct Cut {
    /// The sliced axis of the movement's result.
    result_axis: usize,
    /// The sliced axis of the movement's source.
    axis: usize,
    start: Dim,
    len: Dim,
    /// The factor of the movement that becomes shorter, and its new size.
    factor: usize,
    size: Dim,
}

/// The movement that a slice reads, and the slice of its source.
fn cut(graph: &Graph, id: NodeId) -> Option<(NodeId, Cut)> {
    let node = graph.node(id);
    let Op::Slice(slice) = &node.op else {
        return None;
    };
    let moved = graph.producer(node.operands[0])?;
    let Op::Move(op) = &graph.node(moved).op else {
        return None;
    };
    let movement = &op.movement;
    if movement.is_view() || !NEIGHBOURS.holds(slice.step == 1) {
        return None;
    }
    let [factor] = movement.result().get(slice.axis)?[..] else {
        return None;
    };
    let is_first = |factors: &kiln_ir::movement::AxisFactors| {
        factors.contains(&factor) && OUTERMOST.holds(factors.first() == Some(&factor))
    };
    let axis = movement.source().iter().position(is_first)?;
    let inner: Dim = movement.source()[axis][1..]
        .iter()
        .map(|&f| movement.size(f).clone())
        .product();
    Some((
        moved,
        Cut {
            result_axis: slice.axis,
            axis,
            start: slice.start.clone() * inner.clone(),
            len: slice.len.clone() * inner,
            factor: factor.index(),
            size: slice.len.clone(),
        },
    ))
}

/// True if all readers are slices along one axis whose total size is at most the axis' size.
fn all_cut(graph: &Graph, moved: NodeId) -> bool {
    let value = graph.node(moved).result();
    let mut cuts = graph.value(value).uses().iter().map(|u| match u {
        Use::Operand(reader, _) => cut(graph, *reader).map(|(_, cut)| cut),
        Use::BlockResult(..) | Use::Update(_) => None,
    });
    let Some(Some(first)) = cuts.next() else {
        return false;
    };
    let size = graph.ty(value).shape[first.result_axis].as_const();
    let lens = std::iter::once(Some(first.size.clone())).chain(cuts.map(|cut| {
        let cut = cut?;
        (cut.result_axis == first.result_axis).then_some(cut.size)
    }));
    let total: Option<i64> = lens.map(|len| len?.as_const()).sum();
    total.zip(size).is_some_and(|(total, size)| total <= size)
}

/// The part, moved as the whole was.
fn moved_part(
    emitter: &mut Emitter<'_, '_>,
    part: ValueId,
    movement: &Movement,
    cut: &Cut,
    to: Shape,
) -> Result<ValueId, Reason> {
    let mut sizes = movement.sizes().to_vec();
    sizes[cut.factor] = cut.size.clone();
    let order: Vec<usize> = movement.result_order().map(|f| f.index()).collect();
    let split = emitter.reshape(part, Shape::from(sizes))?;
    let permuted = emitter.permute(split, &order)?;
    emitter.reshape(permuted, to)
}
