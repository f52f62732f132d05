//! Passes integers instead of floats into and out of branches and loops.
//!
//! An argument that is a dequantisation is passed as integers and dequantised inside. A result that all blocks
//! dequantise from the same quantisation is returned as integers and dequantised outside. If a loop-carried value has
//! one quantisation at first and another after an iteration, both are requantised to one that is fine enough for both.

use super::carry::{Stored, integers_of};
use super::meeting;
use crate::framework::rewriting::PassContext;
use crate::guards;
use kiln_ir::graph::Use;
use kiln_ir::ops::{Dequantize, Requantize};
use kiln_ir::{BlockId, Graph, NodeId, Op, Place, ValueId};

guards! {
    /// Both blocks dequantise integers of one kind.
    ALIKE;
    /// All readers of a branch's result quantise it in one way.
    ONE_KIND;
    /// A loop carries integers of one kind.
    ONE_KIND_CARRIED;
}

/// The name in reports of a rewrite that passes integers into blocks.
pub(super) const ENTER: &str = "enter_block";
/// The name in reports of a rewrite that returns integers from blocks.
pub(super) const LEAVE: &str = "leave_block";

/// An argument of a node with blocks.
struct Crossing {
    /// The slot of the node's operand.
    slot: usize,
    /// The index of the corresponding parameter in every block.
    param: usize,
    /// For a loop-carried argument: its index among the results of the node and of the body, and the body.
    carried: Option<(usize, BlockId)>,
}

/// The operands of a branch or loop that are parameters of its blocks.
fn crossings(graph: &Graph, node: NodeId) -> Vec<Crossing> {
    let node = graph.node(node);
    match &node.op {
        Op::If(_) => (1..node.operands.len())
            .map(|slot| Crossing {
                slot,
                param: slot - 1,
                carried: None,
            })
            .collect(),
        Op::While(op) => (0..node.operands.len())
            .map(|slot| Crossing {
                slot,
                param: slot,
                carried: (slot < op.carried).then_some((slot, op.body)),
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Passes dequantised arguments of a node as integers; `None` once the rewriter's limit is reached.
pub(super) fn enter(cx: &mut PassContext<'_, '_>, node: NodeId) -> Option<()> {
    for crossing in crossings(cx.graph(), node) {
        let graph = cx.graph();
        let real = graph.node(node).operands[crossing.slot];
        let Some(stored) = integers_of(graph, real).and_then(|v| Stored::of(graph, v)) else {
            continue;
        };
        let carried = match crossing.carried {
            None => stored,
            Some((i, body)) => match carried_as(graph, &stored, graph.block(body).results[i]) {
                None => continue,
                Some(carried) => carried,
            },
        };
        if !cx.rewriter.may_apply() {
            return None;
        }
        cx.report.applied(ENTER, cx.rewriter.graph(), node);
        go_in(cx, node, &crossing, &carried);
    }
    Some(())
}

/// The quantisation for a loop-carried value, given the quantisation of its initial value and the float that the body
/// returns.
fn carried_as(graph: &Graph, first: &Stored, next: ValueId) -> Option<Stored> {
    let next = stored_behind(graph, next)?;
    match ONE_KIND_CARRIED.holds(next == *first) {
        true => Some(next),
        false => meeting::of_stored(first, &next),
    }
}

/// The quantisation of the integers under a dequantisation.
fn stored_behind(graph: &Graph, real: ValueId) -> Option<Stored> {
    Stored::of(graph, integers_of(graph, real)?)
}

fn go_in(cx: &mut PassContext<'_, '_>, node: NodeId, crossing: &Crossing, stored: &Stored) {
    let bodies = cx.graph().node(node).op.bodies();
    for body in bodies {
        let param = cx.graph().block(body).params[crossing.param];
        dequantise_behind(cx, param, Place::Start(body), stored);
    }
    if let Some((i, body)) = crossing.carried {
        let next = cx.graph().block(body).results[i];
        let use_ = Use::BlockResult(body, i as u32);
        hand_over(cx, use_, next, Place::End(body), stored);
        let result = cx.graph().node(node).results[i];
        dequantise_behind(cx, result, Place::After(node), stored);
    }
    let real = cx.graph().node(node).operands[crossing.slot];
    let use_ = Use::Operand(node, crossing.slot as u32);
    hand_over(cx, use_, real, Place::Before(node), stored);
}

/// Makes a reader of a dequantisation read the integers instead, requantised to `stored` if necessary.
fn hand_over(
    cx: &mut PassContext<'_, '_>,
    use_: Use,
    real: ValueId,
    place: Place,
    stored: &Stored,
) {
    let Some(mut integers) = integers_of(cx.graph(), real) else {
        return;
    };
    if Stored::of(cx.graph(), integers).as_ref() != Some(stored) {
        let (quant, dtype) = (stored.quant.clone(), stored.dtype);
        let op = Requantize { quant, dtype };
        let made = cx.rewriter.value(place, op, &[integers]);
        integers = made.expect("one scale takes the place of another");
    }
    cx.rewriter.set_use(use_, integers);
}

/// Changes a float value to integers of this quantisation, and makes its readers read a dequantisation of it.
fn dequantise_behind(cx: &mut PassContext<'_, '_>, value: ValueId, place: Place, stored: &Stored) {
    let dtype = cx.graph().ty(value).dtype;
    let readers = cx.graph().value(value).uses().to_vec();
    let (quant, stored_dtype) = (stored.quant.clone(), stored.dtype);
    cx.rewriter.retype(value, stored_dtype, Some(quant));
    if readers.is_empty() {
        return;
    }
    let made = cx.rewriter.value(place, Dequantize { dtype }, &[value]);
    let real = made.expect("what is quantised is dequantised");
    for use_ in readers {
        cx.rewriter.set_use(use_, real);
    }
}

/// Returns the results of a branch as integers, where both blocks dequantise from the same quantisation. True if there
/// was such a result; `None` once the rewriter's limit is reached.
pub(super) fn leave(cx: &mut PassContext<'_, '_>, node: NodeId) -> Option<bool> {
    let Op::If(op) = cx.graph().node(node).op.clone() else {
        return Some(false);
    };
    let mut is_any = false;
    for (i, result) in cx
        .graph()
        .node(node)
        .results
        .clone()
        .into_iter()
        .enumerate()
    {
        let graph = cx.graph();
        let of = |block: BlockId| stored_behind(graph, graph.block(block).results[i]);
        let Some(stored) =
            of(op.then).filter(|s| ALIKE.holds(of(op.otherwise).as_ref() == Some(s)))
        else {
            continue;
        };
        if !cx.rewriter.may_apply() {
            return None;
        }
        cx.report.applied(LEAVE, cx.rewriter.graph(), node);
        for body in [op.then, op.otherwise] {
            let real = cx.graph().block(body).results[i];
            let use_ = Use::BlockResult(body, i as u32);
            hand_over(cx, use_, real, Place::End(body), &stored);
        }
        dequantise_behind(cx, result, Place::After(node), &stored);
        is_any = true;
    }
    Some(is_any)
}

/// True if the value is the result of a branch, and all its readers quantise it in this way.
pub(super) fn is_only_quantised(graph: &Graph, value: ValueId, stored: &Stored) -> bool {
    let is_so = |use_: &Use| match *use_ {
        Use::Operand(reader, _) => {
            let node = graph.node(reader);
            matches!(node.op, Op::Quantize(_))
                && ONE_KIND.holds(Stored::of(graph, node.result()).as_ref() == Some(stored))
        }
        Use::BlockResult(..) | Use::Update(_) => false,
    };
    matches!(graph.producer_op(value), Some(Op::If(_)))
        && graph.value(value).uses().iter().all(is_so)
}

/// Moves the quantisations that read a branch's result into its blocks. Gives the inserted nodes.
pub(super) fn quantise_inside(
    cx: &mut PassContext<'_, '_>,
    value: ValueId,
    stored: &Stored,
) -> Vec<NodeId> {
    let graph = cx.graph();
    let Some((node, i)) = graph.producer(value).and_then(|n| {
        let results = &graph.node(n).results;
        Some((n, results.iter().position(|&r| r == value)?))
    }) else {
        return Vec::new();
    };
    let readers = graph.value(value).uses().to_vec();
    let mut made = Vec::new();
    for body in graph.node(node).op.bodies() {
        let real = cx.graph().block(body).results[i];
        let place = Place::End(body);
        let inserted = cx.rewriter.insert(place, stored.quantize(), &[real]);
        let quantize = inserted.expect("a float is quantised inside as it is outside");
        let integers = cx.graph().node(quantize).result();
        let use_ = Use::BlockResult(body, i as u32);
        cx.rewriter.set_use(use_, integers);
        made.push(quantize);
    }
    let (quant, dtype) = (stored.quant.clone(), stored.dtype);
    cx.rewriter.retype(value, dtype, Some(quant));
    for use_ in readers {
        if let Use::Operand(reader, _) = use_ {
            let result = cx.graph().node(reader).result();
            cx.rewriter.replace_value(result, value);
            cx.rewriter.erase(reader);
        }
    }
    made
}
