//! Moves slices behind elementwise functions: computes the function of the whole value once, then slices the result.
//!
//! The gates of a recurrent cell are slices of one product. One operator over all gates costs less than one operator
//! for each. If a function has two operands, the slices of the second source must start at a constant distance from
//! those of the first. The whole is the range from the first slice to the last, or the whole sources if that saves
//! slicing them. The pass does this if computing the elements that no slice takes costs less than the saved operators,
//! according to the target's cost model ([`Target::elements_per_operator`]).
//!
//! ```kiln
//! lift_slices
//! graph "lift_slices" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 9]) {
//!     %1: f32[2, 3] = slice %0 {axis=1, start=0, len=3, step=1}
//!     %2: f32[2, 3] = unary %1 {f=sigmoid}
//!     %3: f32[2, 3] = slice %0 {axis=1, start=6, len=3, step=1}
//!     %4: f32[2, 3] = unary %3 {f=sigmoid}
//!     return %2, %4
//!   }
//! }
//! ---
//! graph "lift_slices" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 9]) {
//!     %1: f32[2, 3] = slice %0 {axis=1, start=0, len=3, step=1}
//!     %2: f32[2, 9] = unary %0 {f=sigmoid}
//!     %3: f32[2, 3] = slice %2 {axis=1, start=0, len=3, step=1}
//!     %4: f32[2, 3] = slice %0 {axis=1, start=6, len=3, step=1}
//!     %5: f32[2, 3] = slice %2 {axis=1, start=6, len=3, step=1}
//!     return %3, %5
//!   }
//! }
//! ```

use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Applied, PassContext, is_read_once, nodes_in_use};
use crate::framework::target::{Reason, Target};
use crate::guards;
use kiln_ir::graph::{Graph, Use};
use kiln_ir::ops::Slice;
use kiln_ir::{Builder, NodeId, Op, Rewriter, ValueId};
use smallvec::{SmallVec, smallvec};

guards! {
    /// A slice takes neighbours.
    NEIGHBOURS;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "lift_slices",
    run,
    keeps_bits: true,
    rules: &[RULE],
    guards: &[GUARDS],
};

/// The name of the rewrite in reports.
const RULE: &str = "function_of_slices";

/// The most readers of a value that are examined.
const MAX_READERS: usize = 64;

/// Moves slices behind functions. Binary functions come first, because unary ones may read slices of their results.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    let mut cx = PassContext {
        rewriter,
        target,
        report,
    };
    for is_round in [is_binary, is_unary] {
        let mut made = Vec::new();
        for node in nodes_in_use(cx.graph()) {
            if cx.graph().try_node(node).is_none_or(|n| !is_round(&n.op)) {
                continue;
            }
            if lift(&mut cx, node, &mut made).is_none() {
                return;
            }
        }
    }
}

fn is_binary(op: &Op) -> bool {
    matches!(op, Op::Binary(_))
}

fn is_unary(op: &Op) -> bool {
    matches!(op, Op::Unary(_))
}

/// A function of slices. Occurrences of the same function differ only in where the slices start.
#[derive(Clone, Debug, PartialEq)]
struct Function {
    op: Op,
    axis: usize,
    len: i64,
    /// The sliced values, each with the distance of its slices from those of the first value.
    sources: SmallVec<[(ValueId, i64); 2]>,
}

/// A function that was computed as a whole: its start in the first source, and the result.
struct Whole {
    function: Function,
    start: i64,
    value: ValueId,
}

/// The function that a node computes, and the start of its first slice.
fn function_at(graph: &Graph, node: NodeId) -> Option<(Function, i64)> {
    let found = graph.node(node);
    let mut slices = found.operands.iter().map(|&v| slice_of(graph, v));
    let (source, first) = slices.next()??;
    let (axis, start, len) = (first.axis, first.start.as_const()?, first.len.as_const()?);
    let mut sources = smallvec![(source, 0)];
    for slice in slices {
        let (other, op) = slice?;
        let alike = (op.axis, op.len.as_const()) == (axis, Some(len));
        if !alike || !fits(graph, source, other, axis) {
            return None;
        }
        sources.push((other, op.start.as_const()? - start));
    }
    let op = found.op.clone();
    let function = Function {
        op,
        axis,
        len,
        sources,
    };
    Some((function, start))
}

fn slice_of(graph: &Graph, value: ValueId) -> Option<(ValueId, &Slice)> {
    let node = graph.node(graph.producer(value)?);
    let source = *node.operands.first()?;
    match &node.op {
        Op::Slice(op) if NEIGHBOURS.holds(op.step == 1) && graph.ty(source).quant.is_none() => {
            Some((source, op))
        }
        _ => None,
    }
}

/// True if slices of the two values along this axis have equal shapes, so that no operand is broadcast.
fn fits(graph: &Graph, a: ValueId, b: ValueId, axis: usize) -> bool {
    let (a, b) = (graph.ty(a), graph.ty(b));
    let same = |i: usize| i == axis || a.shape[i] == b.shape[i];
    a.dtype == b.dtype && a.rank() == b.rank() && (0..a.rank()).all(same)
}

/// Replaces a node by a slice of a whole, computing the whole if needed. `None` once the rewriter's limit is reached.
fn lift(cx: &mut PassContext<'_, '_>, node: NodeId, made: &mut Vec<Whole>) -> Option<()> {
    let Some((function, start)) = function_at(cx.graph(), node) else {
        return Some(());
    };
    let lifted = made.iter().rev().take(MAX_READERS);
    let known = lifted
        .filter(|w| w.function == function)
        .map(|w| (w.start, w.value))
        .next();
    let group = match known {
        Some(_) => None,
        None => match Group::best(cx, &function) {
            Some(group) => Some(group),
            None => return Some(()),
        },
    };
    let mark = cx.mark();
    let emitted = cx.emit(node, |emitter| {
        let (from, whole) = match (known, &group) {
            (Some(known), _) => known,
            (None, Some(group)) => (group.start, group.whole(emitter, &function)?),
            (None, None) => {
                return Err(Reason::new(
                    "the slices have a common function of their source",
                    "none",
                ));
            }
        };
        let part = emitter.slice(whole, function.axis, start - from, function.len, 1)?;
        Ok((from, whole, part))
    });
    let Ok((from, value, part)) = emitted else {
        cx.take_back(mark);
        return Some(());
    };
    match cx.commit(RULE, node, &[Some(part)], mark) {
        Applied::Stopped => return None,
        Applied::Yes(_) if known.is_none() => made.push(Whole {
            function,
            start: from,
            value,
        }),
        Applied::Yes(_) | Applied::No => {}
    }
    Some(())
}

/// All occurrences of one function.
#[derive(Clone)]
struct Group {
    /// The starts of their slices in the first source.
    starts: Vec<i64>,
    /// The number of slices that become dead.
    dropped: u64,
    start: i64,
    end: i64,
}

impl Group {
    fn of(graph: &Graph, function: &Function) -> Group {
        let (mut starts, mut dropped) = (Vec::new(), 0);
        let sources = function.sources.iter().map(|&(source, _)| source);
        let fewest = sources.min_by_key(|&v| graph.value(v).uses().len());
        let slices = fewest.into_iter().flat_map(|v| readers(graph, v));
        for part in slices.filter_map(|slice| graph.node(slice).results.first()) {
            for reader in readers(graph, *part) {
                let Some((other, start)) = function_at(graph, reader) else {
                    continue;
                };
                if &other == function && !starts.contains(&start) {
                    starts.push(start);
                    let operands = graph.node(reader).operands.iter();
                    dropped += operands.filter(|&&v| is_read_once(graph, v)).count() as u64;
                }
            }
        }
        let start = starts.iter().copied().min().unwrap_or(0);
        let end = starts.iter().copied().max().unwrap_or(0) + function.len;
        Group {
            starts,
            dropped,
            start,
            end,
        }
    }

    /// The cheaper of two wholes: from the first slice to the last, or the whole sources. `None` if neither costs less
    /// than the separate functions.
    fn best(cx: &PassContext<'_, '_>, function: &Function) -> Option<Group> {
        let narrow = Group::of(cx.graph(), function);
        let wide = narrow.widened(cx.graph(), function);
        let gains = [Some(narrow), wide].into_iter().flatten().filter_map(|g| {
            let gain = g.gain(cx, function)?;
            Some((gain, g))
        });
        // If both are equal, the first.
        let best = gains.reduce(|a, b| if b.0 > a.0 { b } else { a });
        best.map(|(_, group)| group)
    }

    /// The group with the whole sources as the whole, if all have one size and are sliced at the same positions.
    fn widened(&self, graph: &Graph, function: &Function) -> Option<Group> {
        let size = |v: ValueId| graph.ty(v).shape[function.axis].as_const();
        let all = size(function.sources[0].0)?;
        let mut sources = function.sources.iter();
        let alike = sources.all(|&(v, behind)| behind == 0 && size(v) == Some(all));
        alike.then(|| Group {
            start: 0,
            end: all,
            ..self.clone()
        })
    }

    /// The gain of computing the whole, in elements of elementwise work; `None` if it costs more.
    fn gain(&self, cx: &PassContext<'_, '_>, function: &Function) -> Option<u64> {
        let graph = cx.graph();
        let count = self.starts.len() as u64;
        let is_part = |&&(source, behind): &&(ValueId, i64)| {
            let all = graph.ty(source).shape[function.axis].as_const();
            self.start + behind > 0 || all != Some(self.end - self.start)
        };
        let made = 1 + count + function.sources.iter().filter(is_part).count() as u64;
        let saved = (count + self.dropped).checked_sub(made);
        let saved = saved.filter(|&n| n > 0)?;
        let source = graph.ty(function.sources[0].0);
        let others = (0..source.rank()).filter(|&i| i != function.axis);
        let each: Option<i64> = others
            .map(|i| graph.symbols.max(&source.shape[i]))
            .try_fold(1, |n: i64, size| n.checked_mul(size?));
        let idle = self.end - self.start - function.len * count as i64;
        let idle = each.and_then(|each| each.checked_mul(idle.max(0)));
        let allowed = saved.saturating_mul(cx.target.elements_per_operator());
        allowed.checked_sub(idle? as u64)
    }

    /// Emits the function over the range of the whole.
    fn whole(&self, emitter: &mut Emitter<'_, '_>, function: &Function) -> Emitted {
        let mut operands = Vec::new();
        for &(source, behind) in &function.sources {
            let (start, len) = (self.start + behind, self.end - self.start);
            operands.push(emitter.slice(source, function.axis, start, len, 1)?);
        }
        emitter.unfolded(function.op.clone(), &operands)
    }
}

fn readers(graph: &Graph, value: ValueId) -> impl Iterator<Item = NodeId> + '_ {
    let uses = graph.value(value).uses().iter().take(MAX_READERS);
    uses.filter_map(|u| match *u {
        Use::Operand(reader, _) => Some(reader),
        Use::BlockResult(..) | Use::Update(_) => None,
    })
}
