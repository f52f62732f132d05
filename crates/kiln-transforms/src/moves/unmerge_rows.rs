//! Undoes the merge of axes in front of ops that work row by row, where a movement behind them splits the axes again.
//!
//! `split(f(merge(x)))` equals `f(x)` if `f` treats each row, the elements along the last axis, by itself: a linear layer, a
//! softmax, or a function of single elements. So it does if `f` quantises by parameters of all elements. Exporters write layers as
//! products of matrices, and so merge all axes but the last. A delegate that knows the sizes only when it runs cannot split them
//! again. So the pass asks for such a split: only one that runs outside of delegates is worth it. The axes stay apart from the merge
//! to the split. Another reader of what stands between gets the merge behind the op.
//!
//! ```kiln
//! unmerge_rows kernel move.2d
//! graph "unmerge_rows" {
//!   symbol s in 1..=4 like 2
//!   symbol t in 1..=8 like 3
//!   constant c0 "w" f32[2, 3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
//!   input tensor "x" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "x": f32[s, t, 3]) {
//!     %1: f32[s*t, 3] = move %0 {movement=(a:{s} b:{t} c:3 -> (a b) c)}
//!     %2: f32[2, 3] = constant {value=c0}
//!     %3: f32[s*t, 2] = linear %1, %2 {}
//!     %4: f32[s*t, 2] = unary %3 {f=exp}
//!     %5: f32[s, t, 2] = move %4 {movement=((a:{s} b:{t}) c:2 -> a b c)}
//!     return %5
//!   }
//! }
//! ---
//! graph "unmerge_rows" {
//!   symbol s in 1..=4 like 2
//!   symbol t in 1..=8 like 3
//!   constant c0 "w" f32[2, 3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
//!   input tensor "x" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "x": f32[s, t, 3]) {
//!     %1: f32[2, 3] = constant {value=c0}
//!     %2: f32[s, t, 2] = linear %0, %1 {}
//!     %3: f32[s, t, 2] = unary %2 {f=exp}
//!     return %3
//!   }
//! }
//! ```

use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Applied, PassContext, Rewritten, nodes_in_use};
use crate::framework::target::{Placement, Reason, Target};
use crate::guards;
use kiln_ir::ops::{Dequantised, FakeQuantize, Move, Quantised, Reduce, Slice, Softmax};
use kiln_ir::types::QuantScheme;
use kiln_ir::{
    Builder, Dim, DynamicQuant, Graph, Movement, NodeId, Op, Rewriter, TensorType, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

guards! {
    /// Each row of the result follows from the same row of the operand.
    BY_ROW;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "unmerge_rows",
    keeps_bits: true,
    run,
    rules: &[NAME],
    guards: &[GUARDS],
};

/// The name of the rewrite in reports.
const NAME: &str = "unmerge_rows";

/// Takes merged axes apart; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    let wanted = Wanted::of(rewriter.graph(), target);
    if wanted.splits.is_empty() {
        return;
    }
    let mut cx = PassContext {
        rewriter,
        target,
        report,
    };
    for node in nodes_in_use(cx.graph()) {
        if cx.graph().try_node(node).is_none() {
            continue;
        }
        let rewrite = |emitter: &mut Emitter<'_, '_>| wanted.rewrite(emitter, node);
        if let Applied::Stopped = cx.try_rewrite(NAME, node, rewrite) {
            return;
        }
    }
}

/// The sizes into which each axis but the last is split.
type Parts = Rc<[Vec<Dim>]>;

/// Which values should have their axes apart.
#[derive(Default)]
struct Wanted {
    /// The movements that split, and run outside of delegates.
    splits: FxHashSet<NodeId>,
    /// The values between a merge and a split, with what the split makes of their axes.
    parts: FxHashMap<ValueId, Parts>,
}

impl Wanted {
    fn of(graph: &Graph, target: &dyn Target) -> Wanted {
        let (nodes, mut wanted) = (nodes_in_use(graph), Wanted::default());
        let merged = merged(graph, &nodes);
        for &id in nodes.iter().rev() {
            let node = graph.node(id);
            if let Op::Move(op) = &node.op {
                let x = node.operands[0];
                let passes = merged.contains(&x) && !is_move(graph, x);
                if let Some(parts) = split_parts(&op.movement).filter(|_| passes)
                    && target.placement(graph, id) != Placement::Delegate
                {
                    wanted.splits.insert(id);
                    wanted.parts.entry(x).or_insert(parts);
                }
                continue;
            }
            let parts = node.results.first().and_then(|r| wanted.parts.get(r));
            let Some((parts, rows)) = parts.cloned().zip(row_operands(graph, id)) else {
                continue;
            };
            for slot in rows {
                let parts = parts.clone();
                wanted.parts.entry(node.operands[slot]).or_insert(parts);
            }
        }
        wanted
    }

    fn rewrite(&self, emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
        let node = emitter.graph().node(id);
        if let Op::Move(op) = &node.op {
            let (x, split) = (node.operands[0], op.movement.clone());
            return match self.splits.contains(&id) {
                true => moved_at_once(emitter, x, &split),
                false => Ok(None),
            };
        }
        let parts = node.results.first().and_then(|r| self.parts.get(r));
        match parts.cloned().zip(row_operands(emitter.graph(), id)) {
            Some((parts, rows)) => apart(emitter, id, &parts, &rows),
            None => Ok(None),
        }
    }
}

fn is_move(graph: &Graph, value: ValueId) -> bool {
    matches!(graph.producer_op(value), Some(Op::Move(_)))
}

/// The values that ops by rows compute of movements that merge axes in front of the last.
fn merged(graph: &Graph, nodes: &[NodeId]) -> FxHashSet<ValueId> {
    let mut merged = FxHashSet::default();
    for &id in nodes {
        let node = graph.node(id);
        let is_merged = match &node.op {
            Op::Move(op) => split_parts(&op.movement.inverse()).is_some(),
            _ => row_operands(graph, id)
                .is_some_and(|rows| rows.iter().all(|&i| merged.contains(&node.operands[i]))),
        };
        if is_merged {
            merged.insert(node.result());
        }
    }
    merged
}

/// The sizes into which the movement splits all axes but the last. `None` if it splits none of them.
fn split_parts(movement: &Movement) -> Option<Parts> {
    let mut parts = movement.source_parts();
    parts.pop();
    parts.iter().any(|p| p.len() > 1).then(|| parts.into())
}

/// The op once more with the axes of its rows apart, and behind it the merge.
fn apart(
    emitter: &mut Emitter<'_, '_>,
    id: NodeId,
    parts: &[Vec<Dim>],
    rows: &[usize],
) -> Rewritten {
    let node = emitter.graph().node(id);
    let (mut operands, result) = (node.operands.clone(), node.result());
    let merge = Movement::split_each(&emitter.shape(result), parts)?.inverse();
    let rank = merge.source().len();
    let op = for_rank(&emitter.graph().node(id).op, parts.len() + 1, rank);
    for (slot, operand) in operands.iter_mut().enumerate() {
        if rows.contains(&slot) {
            let split = Movement::split_each(&emitter.shape(*operand), parts)?;
            let Some(x) = moved_at_once(emitter, *operand, &split)? else {
                return Ok(None);
            };
            *operand = x;
        } else if works_by_element(&op) {
            *operand = of_rank(emitter, *operand, rank)?;
        }
    }
    if !emitter.is_no_worse(id, op.clone(), &operands) {
        return Err(Reason::new(
            "the target runs the op at least as well with the axes of its rows apart",
            format!("that it runs {} of {rank} dims worse", op.name()),
        ));
    }
    let result = emitter.value(op, &operands)?;
    emitter.movement(result, merge).map(Some)
}

/// `movement` of the result of another movement, as one movement. `None` if there is no other, or if they are two.
fn moved_at_once(emitter: &mut Emitter<'_, '_>, value: ValueId, movement: &Movement) -> Rewritten {
    let graph = emitter.graph();
    let Some(before) = graph.producer(value).map(|id| graph.node(id)) else {
        return Ok(None);
    };
    let (Op::Move(first), x) = (&before.op, before.operands.first().copied()) else {
        return Ok(None);
    };
    let Some((movement, x)) = first.movement.compose(movement).one().zip(x) else {
        return Ok(None);
    };
    let op = Move {
        movement: movement.clone(),
    };
    if !movement.is_identity() && !emitter.delegates(op, &[x]) {
        return Err(Reason::new(
            "what is left of the merge and the split runs inside a delegate",
            format!("the movement {movement}"),
        ));
    }
    emitter.movement(x, movement).map(Some)
}

/// A value that is the same for all rows, with axes of size 1 in front.
fn of_rank(emitter: &mut Emitter<'_, '_>, value: ValueId, rank: usize) -> Emitted {
    let mut shape = vec![Dim::constant(1); rank];
    if let (Some(to), Some(size)) = (shape.last_mut(), emitter.shape(value).last()) {
        *to = size.clone();
    }
    emitter.reshape(value, shape)
}

/// The slots of operands that have the rows of the result, if the op computes each row of the row there, and of values
/// that are the same for all rows.
fn row_operands(graph: &Graph, id: NodeId) -> Option<Vec<usize>> {
    let node = graph.node(id);
    let &[result] = node.results.as_slice() else {
        return None;
    };
    let result = graph.ty(result);
    if result.rank() < 2 {
        return None;
    }
    let ty = |slot: usize| graph.ty(node.operands[slot]);
    let rows: Vec<usize> = match works_by_element(&node.op) {
        true => (0..node.operands.len())
            .filter(|&slot| outer(ty(slot)) == outer(result))
            .collect(),
        false if works_by_row(&node.op, result.rank()) => vec![0],
        false => return None,
    };
    let is_same_for_all = |slot: usize| outer(ty(slot)).iter().all(|d| d.is(1));
    let fits = !works_by_element(&node.op)
        || (0..node.operands.len()).all(|slot| rows.contains(&slot) || is_same_for_all(slot));
    let has_one_pair = |ty: &TensorType| match &ty.quant {
        None => true,
        Some(quant) => matches!(quant.scheme, QuantScheme::PerTensor { .. }),
    };
    let is_by_row = has_one_pair(result) && rows.iter().all(|&slot| has_one_pair(ty(slot)));
    (!rows.is_empty() && fits && is_by_row).then_some(rows)
}

/// The sizes of all axes but the last.
fn outer(ty: &TensorType) -> &[Dim] {
    ty.shape.split_last().map_or(&[], |(_, outer)| outer)
}

/// True if each element of the result depends on the elements at the same place only.
fn works_by_element(op: &Op) -> bool {
    match op {
        Op::Unary(_) | Op::Cast(_) | Op::Binary(_) | Op::Compare(_) | Op::Select(_) => true,
        Op::Quantize(_) | Op::Dequantize(_) | Op::Requantize(_) => true,
        Op::Quantised(op) => works_by_element(&op.op),
        _ => false,
    }
}

/// True if each row of the result depends on the same row of the first operand, of this rank, and not on other rows of it, but for
/// parameters of quantisation that follow from all elements, however their axes are split.
fn works_by_row(op: &Op, rank: usize) -> bool {
    let is_row = |quant: &DynamicQuant| BY_ROW.holds(quant.axes == 1 || quant.axes == rank);
    match op {
        Op::Linear(_) => true,
        Op::Softmax(op) => BY_ROW.holds(op.axis + 1 == rank),
        Op::Slice(op) => BY_ROW.holds(op.axis + 1 == rank),
        Op::Reduce(op) => BY_ROW.holds(op.axes == [rank - 1]),
        Op::FakeQuantize(op) => is_row(&op.quant),
        Op::Quantised(op) => works_by_row(&op.op, rank),
        Op::Dequantised(op) => {
            works_by_row(&op.op, rank) && op.activation.as_ref().is_none_or(is_row)
        }
        _ => false,
    }
}

/// The op for an operand of the rank `to` in place of `from`. It names no axis but the last, or all.
fn for_rank(op: &Op, from: usize, to: usize) -> Op {
    let quant_for = |quant: DynamicQuant| DynamicQuant {
        axes: if quant.axes == from { to } else { quant.axes },
        ..quant
    };
    match op.clone() {
        Op::Softmax(op) => Softmax { axis: to - 1, ..op }.into(),
        Op::Slice(op) => Slice { axis: to - 1, ..op }.into(),
        Op::Reduce(op) => Reduce {
            axes: vec![to - 1],
            ..op
        }
        .into(),
        Op::Quantised(op) => Quantised {
            op: Box::new(for_rank(&op.op, from, to)),
            ..op
        }
        .into(),
        Op::FakeQuantize(op) => FakeQuantize {
            quant: quant_for(op.quant),
            ..op
        }
        .into(),
        Op::Dequantised(op) => Dequantised {
            op: Box::new(for_rank(&op.op, from, to)),
            activation: op.activation.map(quant_for),
            ..op
        }
        .into(),
        op => op,
    }
}
