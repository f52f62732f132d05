//! Moves a concatenation behind its readers, so that its parts need not be copied.
//!
//! On some targets a producer writes its result at its place in a concatenation, if the concatenation is its only
//! reader. All other parts are copied: a part with another reader, an input, a slice ([`Target::bytes_per_join`]). A
//! reader of the concatenation that works along other axes can work on each part by itself: an elementwise op, a pool,
//! a reduction, or a convolution whose groups each lie in one part. Its results have no other readers, so they can be
//! concatenated in place. The pass does this if all readers of the concatenation can be divided, and if the copies cost
//! more than the additional operators. Functions of single elements are free: they run together with the op that
//! computes the part.
//!
//! ```kiln
//! in_place_joins
//! graph "ghost" {
//!   input tensor "x" [0, 1]
//!   input tensor "y" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[2, 64], %1 "y": f32[2, 128]) {
//!     %2: f32[2, 64] = unary %0 {f=exp}
//!     %3: f32[2, 64] = unary %2 {f=tanh}
//!     %4: f32[2, 128] = concat %2, %3 {axis=1}
//!     %5: f32[2, 128] = binary %4, %1 {f=add}
//!     return %5
//!   }
//! }
//! ---
//! graph "ghost" {
//!   input tensor "x" [0, 1]
//!   input tensor "y" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[2, 64], %1 "y": f32[2, 128]) {
//!     %2: f32[2, 64] = unary %0 {f=exp}
//!     %3: f32[2, 64] = unary %2 {f=tanh}
//!     %4: f32[2, 64] = slice %1 {axis=1, start=0, len=64, step=1}
//!     %5: f32[2, 64] = binary %2, %4 {f=add}
//!     %6: f32[2, 64] = slice %1 {axis=1, start=64, len=64, step=1}
//!     %7: f32[2, 64] = binary %3, %6 {f=add}
//!     %8: f32[2, 128] = concat %5, %7 {axis=1}
//!     return %8
//!   }
//! }
//! ```

use crate::analysis::constants::is_constant;
use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, is_read_once, names, run_pass};
use crate::framework::target::{Reason, Target};
use crate::guards;
use kiln_ir::graph::{Node, Use, ValueList};
use kiln_ir::ops::{AxisRole, Conv};
use kiln_ir::types::{QuantScheme, TensorType};
use kiln_ir::{Builder, Graph, NodeId, Op, Rewriter, ValueId};

guards! {
    /// Each output of the layer reads all its inputs.
    DENSE;
    /// Groups are of channels.
    CHANNELS;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "in_place_joins",
    keeps_bits: false,
    run,
    rules: &names::<{ RULES.len() }>(RULES, &[]),
    guards: &[GUARDS],
};

const RULES: &[Rule] = &[Rule {
    name: "reader_of_join",
    rewrite,
}];

/// A concatenation with more readers is not examined.
const MAX_READERS: usize = 16;

/// Divides the readers of concatenations; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    if target.bytes_per_join().is_some() {
        run_pass(rewriter, target, report, RULES);
    }
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let Some((slot, join)) = join_read(graph, id) else {
        return Ok(None);
    };
    let Some(division) = division(graph, id, slot, &join) else {
        return Ok(None);
    };
    let value = graph.node(id).operands[slot];
    if !all_divide(graph, value) {
        return Err(Reason::new(
            format!(
                "all readers of the concatenation, at most {MAX_READERS}, can work on its parts"
            ),
            "a reader that cannot, or too many",
        ));
    }
    let saved = copied_bytes(graph, &join);
    let added = graph.value(value).uses().len() * (join.parts.len() - 1);
    let cost = emitter.bytes_per_join().unwrap_or(0);
    let pays = saved > cost.saturating_mul(added as u64);
    if !pays && !is_function(graph, id, slot) {
        return Err(Reason::new(
            "the copies cost more than the additional operators",
            format!("{saved} bytes against {added} operators"),
        ));
    }
    divided(emitter, id, slot, &join, &division).map(Some)
}

/// A concatenation of parts with known sizes.
struct Join {
    parts: ValueList,
    axis: usize,
    /// The sizes of the parts along the axis.
    sizes: Vec<i64>,
}

/// How a node is divided into nodes that each work on one part.
struct Division {
    /// The axis of the result that corresponds to the concatenation's axis.
    axis: usize,
    /// For each operand, the axis along which it is cut; `None` if each part takes the whole operand.
    cuts: Vec<Option<usize>>,
    /// For convolutions with groups: the input channels and the output channels of one group.
    group: Option<(i64, i64)>,
}

/// The first operand that is a concatenation of known sizes.
fn join_read(graph: &Graph, id: NodeId) -> Option<(usize, Join)> {
    let joins = graph.node(id).operands.iter().enumerate();
    joins
        .filter_map(|(slot, &value)| Some((slot, join_of(graph, value)?)))
        .next()
}

fn join_of(graph: &Graph, value: ValueId) -> Option<Join> {
    let node = graph.node(graph.producer(value)?);
    let Op::Concat(op) = &node.op else {
        return None;
    };
    let size = |&part: &ValueId| graph.ty(part).shape[op.axis].as_const().filter(|&n| n > 0);
    Some(Join {
        sizes: node.operands.iter().map(size).collect::<Option<_>>()?,
        parts: node.operands.clone(),
        axis: op.axis,
    })
}

/// The bytes of the concatenation's parts that are copied.
fn copied_bytes(graph: &Graph, join: &Join) -> u64 {
    let copied = join
        .parts
        .iter()
        .filter(|&&v| !is_written_in_place(graph, v));
    let bytes = copied.map(|&v| {
        let bytes = graph.ty(v).max_bytes(&graph.symbols);
        bytes
            .and_then(|bytes| u64::try_from(bytes).ok())
            .unwrap_or(0)
    });
    bytes.fold(0, u64::saturating_add)
}

/// True for a function of single elements. On one part it runs together with the op that computes the part; on the
/// concatenation it is an operator of its own.
fn is_function(graph: &Graph, id: NodeId, slot: usize) -> bool {
    let node = graph.node(id);
    let is_number = |&v: &ValueId| {
        graph.as_constant(v).is_some() && graph.ty(v).shape.max_elements(&graph.symbols) == Some(1)
    };
    let mut others = node.operands.iter().enumerate().filter(|&(i, _)| i != slot);
    matches!(node.op.computing(), Op::Unary(_) | Op::Binary(_)) && others.all(|(_, v)| is_number(v))
}

/// True if the value is computed, and has exactly one reader.
pub(crate) fn is_written_in_place(graph: &Graph, value: ValueId) -> bool {
    let computes = |op: &Op| {
        !matches!(
            op,
            Op::Constant(_)
                | Op::ReadState(_)
                | Op::Move(_)
                | Op::Broadcast(_)
                | Op::Slice(_)
                | Op::Concat(_)
        )
    };
    is_read_once(graph, value)
        && graph
            .producer(value)
            .is_some_and(|id| computes(&graph.node(id).op))
}

/// True if every reader of the concatenation can be divided.
fn all_divide(graph: &Graph, value: ValueId) -> bool {
    let readers = graph.value(value).uses();
    let are_few = readers.len() <= MAX_READERS;
    are_few
        && readers.iter().all(|read| match *read {
            Use::Operand(reader, _) => join_read(graph, reader)
                .is_some_and(|(slot, join)| division(graph, reader, slot, &join).is_some()),
            Use::BlockResult(..) | Use::Update(_) => false,
        })
}

fn division(graph: &Graph, id: NodeId, slot: usize, join: &Join) -> Option<Division> {
    let node = graph.node(id);
    let [result] = node.results[..] else {
        return None;
    };
    if !is_per_tensor(graph.ty(result)) {
        return None;
    }
    match (node.op.computing(), slot) {
        (Op::Conv(op), 0) if !op.transposed && CHANNELS.holds(join.axis == 1) => {
            by_groups(graph, node, op, join)
        }
        (op, _) if is_divisible(op) => elementwise(graph, node, op, slot, join),
        _ => None,
    }
}

fn is_per_tensor(ty: &TensorType) -> bool {
    let scheme = ty.quant.as_ref().map(|q| &q.scheme);
    matches!(scheme, None | Some(QuantScheme::PerTensor { .. }))
}

/// True for ops whose attributes do not depend on the sizes of their parallel axes.
fn is_divisible(op: &Op) -> bool {
    matches!(
        op,
        Op::Unary(_)
            | Op::Binary(_)
            | Op::Select(_)
            | Op::Reduce(_)
            | Op::Pool(_)
            | Op::Requantize(_)
    )
}

fn elementwise(graph: &Graph, node: &Node, op: &Op, slot: usize, join: &Join) -> Option<Division> {
    let types: Vec<&TensorType> = node.operands.iter().map(|&v| graph.ty(v)).collect();
    let AxisRole::Parallel(axis) = op.axes(&types, slot)[join.axis] else {
        return None;
    };
    let total: i64 = join.sizes.iter().sum();
    let mut cuts = Vec::with_capacity(types.len());
    for (i, ty) in types.iter().enumerate() {
        let roles = op.axes(&types, i);
        let cut = roles
            .iter()
            .position(|&role| role == AxisRole::Parallel(axis));
        match cut.map(|at| (at, ty.shape[at].as_const())) {
            Some((at, Some(size))) if size == total && is_per_tensor(ty) => cuts.push(Some(at)),
            Some((_, Some(1))) | None => cuts.push(None),
            Some(_) => return None,
        }
    }
    let all = graph.ty(node.result()).shape[axis].as_const() == Some(total);
    all.then_some(Division {
        axis,
        cuts,
        group: None,
    })
}

/// Splits a convolution of which each group reads a single part.
fn by_groups(graph: &Graph, node: &Node, op: &Conv, join: &Join) -> Option<Division> {
    let weight = &graph.ty(node.operands[1]).shape;
    let (outputs, per_group) = (weight[0].as_const()?, weight[1].as_const()?);
    let inputs = per_group.checked_mul(op.groups)?;
    if op.groups < 2
        || join.sizes.iter().any(|size| size % per_group != 0)
        || outputs % op.groups != 0
    {
        return None;
    }
    debug_assert_eq!(inputs, join.sizes.iter().sum::<i64>());
    Some(Division {
        axis: 1,
        cuts: std::iter::once(Some(1))
            .chain(node.operands.iter().skip(1).map(|_| Some(0)))
            .collect(),
        group: Some((per_group, outputs / op.groups)),
    })
}

fn divided(
    emitter: &mut Emitter<'_, '_>,
    id: NodeId,
    slot: usize,
    join: &Join,
    division: &Division,
) -> Result<ValueId, Reason> {
    let node = emitter.graph().node(id).clone();
    let (mut results, mut start) = (Vec::new(), 0);
    for (&part, &size) in join.parts.iter().zip(&join.sizes) {
        let mut operands = node.operands.clone();
        for (i, (operand, cut)) in operands.iter_mut().zip(&division.cuts).enumerate() {
            let Some(axis) = *cut else { continue };
            let is_join = i == slot || node.operands[i] == node.operands[slot];
            *operand = match (is_join, division.group) {
                (true, _) => part,
                (false, None) => part_of(emitter, *operand, axis, start, size)?,
                (false, Some((inputs, outputs))) => {
                    let (first, count) = (start / inputs * outputs, size / inputs * outputs);
                    emitter.slice(*operand, axis, first, count, 1)?
                }
            };
        }
        let op = match division.group {
            Some((inputs, _)) => with_groups(node.op.clone(), size / inputs),
            None => node.op.clone(),
        };
        if !emitter.is_no_worse(id, op.clone(), &operands) {
            return Err(Reason::new(
                "the target runs the op on a part at least as well as on the whole",
                "that it runs a part worse",
            ));
        }
        results.push(emitter.value(op, &operands)?);
        start += size;
    }
    emitter.concat(&results, division.axis)
}

/// The range `start..start + len` of a value along an axis. If a layer computes the value for one reader, possibly
/// through functions of single elements, the range is computed by a smaller layer. Otherwise it is a slice.
fn part_of(
    emitter: &mut Emitter<'_, '_>,
    value: ValueId,
    axis: usize,
    start: i64,
    len: i64,
) -> Result<ValueId, Reason> {
    let graph = emitter.graph();
    let made_for_one = graph.producer(value).filter(|_| is_read_once(graph, value));
    let Some(node) = made_for_one.map(|id| graph.node(id).clone()) else {
        return emitter.slice(value, axis, start, len, 1);
    };
    let features = match node.op.computing() {
        Op::Unary(_) if is_per_tensor(emitter.ty(node.operands[0])) => {
            let x = part_of(emitter, node.operands[0], axis, start, len)?;
            return emitter.value(node.op, &[x]);
        }
        Op::Conv(op) if DENSE.holds(op.groups == 1) && !op.transposed => 1,
        Op::Linear(_) => emitter.rank(value) - 1,
        _ => return emitter.slice(value, axis, start, len, 1),
    };
    let weights = &node.operands[1..];
    if axis != features || !weights.iter().all(|&w| is_constant(emitter.graph(), w)) {
        return emitter.slice(value, axis, start, len, 1);
    }
    let mut operands = vec![node.operands[0]];
    for &weight in weights {
        operands.push(emitter.slice(weight, 0, start, len, 1)?);
    }
    emitter.value(node.op, &operands)
}

fn with_groups(op: Op, groups: i64) -> Op {
    match op {
        Op::Conv(op) => Conv { groups, ..op }.into(),
        Op::Quantised(mut op) => {
            *op.op = with_groups(*op.op, groups);
            op.into()
        }
        other => other,
    }
}
