//! What a user can do about a node that no delegate takes. Each such node has an advice, or is told why there is none.

use super::product::OPEN_ROWS;
use super::{NO_FUNCTION, NO_OPERATION, Query};
use crate::lower::integers::FORM;
use kiln_ir::graph::{Node, Use};
use kiln_ir::{DType, NodeId, Op, ValueId};
use kiln_transforms::analysis::constants::is_constant;
use kiln_transforms::framework::target::Reason;
use std::borrow::Cow;

/// Masks and choices.
const MASK: &str = "XNNPACK has no booleans: in place of a mask multiply by floats of 0 and 1, or add floats of 0 and of a large negative number";
/// Kiln's own test for NaN in front of a quantisation.
const NAN: &str = "the function in front makes NaN of some numbers, which XNNPACK quantises to another integer than PyTorch: limit its operand \
    to numbers that it has a value for, or pass --fast-nan if there are no others";
/// Integers.
const INTEGERS: &str = "a kernel computes integers; where they are numbers and no indices, convert them to floats once, in front of the layers";
/// A cast of a weight, or arithmetic on it.
const CONSTANT: &str = "its operands are constants, whose floats would take more of the file: keep the floats in the model if that may be, \
    or quantise by --quantize or torchao, whose layers keep integers";
/// An op of the user's own.
const FOREIGN: &str =
    "your own kernel computes it; in front of the layers or behind them it divides no delegate";
/// Doubles.
const DOUBLES: &str = "export the model in f32";
/// What picks, sorts, counts or changes elements at places that are known only when running.
const PICKS: &str = "no delegate has it, so a kernel computes it; in front of the layers or behind them it divides no delegate";
/// A function without an operator.
const FUNCTION: &str = "write it with functions that XNNPACK has, or compute it in front of the layers or behind them, where it divides no delegate";
/// A size that is known only when running.
const SIZE: &str = "fix the size (--dim NAME==SIZE) if you do not need others";
/// A size that may be 0.
const EMPTY: &str = "export with a range of the size in which nothing is empty";
/// Branches and loops.
const CONTROL: &str = "nothing to do: the runtime runs it, and delegates compute its bodies";
/// Integers that the library does not compute with. The node is asked about before it falls back to floats, in the same delegate or beside.
const IN_FLOATS: &str = "it computes in floats instead";
/// The same for integers in a form that the library has not.
const IN_FLOATS_FOR_FORM: &str = "it computes in floats instead; XNNPACK's integers have 8 bits, activations one scale and zero point, weights a \
    scale for all or by output channel, about 0";
/// The same for sizes that are known only when running.
const IN_FLOATS_FOR_SIZE: &str =
    "it computes in floats instead; if you do not need other sizes, fix them (--dim NAME==SIZE)";
/// A look-up in a table of integers.
const LOOKUP: &str = "nothing to do: the runtime's kernel reads the table's integers";
/// Anything else.
const KERNEL: &str = "nothing to do in the model: a kernel computes it";

/// The reason with an advice.
pub(super) fn advised(query: &Query<'_>, reason: Reason) -> Reason {
    match reason.advice {
        Some(_) => reason,
        None => {
            let advice = advice(query, &reason);
            reason.advise(advice)
        }
    }
}

fn advice(query: &Query<'_>, reason: &Reason) -> Cow<'static, str> {
    match of_part(query) {
        _ if query.tells_nan() => NAN.into(),
        Some(advice) => advice.into(),
        None => of_node(query, reason).into(),
    }
}

/// For a part of an op that Kiln computes in several nodes, in numbers that the user did not choose.
fn of_part(query: &Query<'_>) -> Option<String> {
    let [source] = query.node.sources.as_slice() else {
        return None;
    };
    let source = query.graph.source(*source);
    let name = source.operator()?;
    if query.is_of_loop() && !source.target.contains("higher_order") {
        return Some(format!(
            "nothing to do: {name} is a loop that the runtime runs; kernels count it, pick what an iteration reads, and compute what XNNPACK has not"
        ));
    }
    let numbers = match (query.is_inside(DType::Bool), query.is_inside(DType::F64)) {
        (true, _) => "booleans, which XNNPACK has not",
        (false, true) if query.is_widened() => "f64, as f32 would lose digits",
        _ => return None,
    };
    Some(format!(
        "{name} is computed in parts, of which this one needs {numbers}; a kernel computes it; in front of the layers or behind them {name} \
         divides no delegate"
    ))
}

fn of_node(query: &Query<'_>, reason: &Reason) -> &'static str {
    let node = query.node;
    let types = || {
        node.operands
            .iter()
            .chain(&node.results)
            .map(|&v| query.graph.ty(v))
    };
    let has = |dtype: DType| types().any(|ty| ty.dtype == dtype && ty.quant.is_none());
    let symbols = &query.graph.symbols;
    let is_empty = types().any(|ty| {
        ty.shape
            .iter()
            .any(|size| symbols.bounds(size).lo.is_none_or(|lo| lo < 1))
    });
    // What XNNPACK lacks for every size.
    let is_lacking = [NO_OPERATION, NO_FUNCTION].contains(&reason.rule.as_str());
    match &node.op {
        Op::Foreign(_) => FOREIGN,
        Op::If(_) | Op::While(_) => CONTROL,
        Op::Dequantised(op) if matches!(*op.op, Op::Index(_)) => LOOKUP,
        Op::Quantised(_) | Op::Dequantised(_) | Op::Requantize(_) => match reason.rule.as_str() {
            OPEN_ROWS => IN_FLOATS_FOR_SIZE,
            FORM => IN_FLOATS_FOR_FORM,
            _ => IN_FLOATS,
        },
        Op::Iota(_) => SIZE,
        Op::Compare(_) | Op::Select(_) => MASK,
        Op::Sort(_)
        | Op::TopK(_)
        | Op::ArgReduce(_)
        | Op::NonZero(_)
        | Op::Index(_)
        | Op::IndexPut(_)
        | Op::Gather(_)
        | Op::Scatter(_)
        | Op::Scan(_)
        | Op::SliceUpdate(_)
        | Op::GridSample(_) => PICKS,
        _ if query.is_of_constants() => CONSTANT,
        _ if has(DType::Bool) => MASK,
        _ if has(DType::F64) => DOUBLES,
        _ if types().any(|ty| ty.dtype.is_int() && ty.quant.is_none()) => INTEGERS,
        _ if is_empty && !is_lacking => EMPTY,
        _ if !is_lacking && types().any(|ty| ty.shape.as_static().is_none()) => SIZE,
        Op::Unary(_) | Op::Binary(_) => FUNCTION,
        _ => KERNEL,
    }
}

impl Query<'_> {
    /// True for the comparison of a value with itself, or the choice by it, that chooses what is quantised.
    fn tells_nan(&self) -> bool {
        let is_test = |value: ValueId| {
            let node = self.graph.producer(value).map(|id| self.graph.node(id));
            node.is_some_and(|node| {
                matches!(node.op, Op::Compare(_)) && node.operands[0] == node.operands[1]
            })
        };
        let readers = |value: ValueId| {
            let uses = self.graph.value(value).uses().iter();
            uses.filter_map(|u| match u {
                Use::Operand(id, _) => Some(self.graph.node(*id)),
                _ => None,
            })
        };
        let is_quantised = |node: &Node| {
            matches!(node.op, Op::Select(_))
                && is_test(node.operands[0])
                && readers(node.results[0]).all(|reader| matches!(reader.op, Op::Quantize(_)))
        };
        match &self.node.op {
            Op::Select(_) => is_quantised(self.node),
            Op::Compare(_) => {
                let test = self.node.result();
                is_test(test) && readers(test).all(is_quantised)
            }
            _ => false,
        }
    }

    fn is_of_constants(&self) -> bool {
        let mut operands = self.node.operands.iter();
        let mut results = self.node.results.iter();
        let is_sized = |&value: &ValueId| self.graph.ty(value).shape.as_static().is_some();
        // A constant that is repeated to a size of the run is made in each.
        !self.node.operands.is_empty()
            && operands.all(|&v| is_constant(self.graph, v))
            && results.all(is_sized)
    }

    /// True if the node has values of this type, and all of them are made and read by nodes of the same op of the user's.
    fn is_inside(&self, dtype: DType) -> bool {
        let shares = |id: NodeId| self.graph.node(id).sources == self.node.sources;
        // Equal numbers of several ops are one constant. A mask that is constant may be the user's.
        let is_number = |v| dtype == DType::F64 && is_constant(self.graph, v);
        let is_made = |v| is_number(v) || self.graph.producer(v).is_some_and(shares);
        let is_read = |v: ValueId| {
            let mut uses = self.graph.value(v).uses().iter();
            uses.all(|u| matches!(*u, Use::Operand(id, _) if shares(id)))
        };
        let of_type = |values: &[ValueId]| -> Vec<ValueId> {
            let typed = values.iter().copied();
            typed.filter(|&v| self.graph.ty(v).dtype == dtype).collect()
        };
        let (operands, results) = (of_type(&self.node.operands), of_type(&self.node.results));
        operands.len() + results.len() > 0
            && operands.into_iter().all(is_made)
            && results.into_iter().all(is_read)
    }

    /// True if the node's op of the user's is computed in a loop: the node is the loop, is in its blocks, or makes what it starts with.
    fn is_of_loop(&self) -> bool {
        let is_loop =
            |node: &Node| matches!(node.op, Op::While(_)) && node.sources == self.node.sources;
        let starts = |&result: &ValueId| {
            let mut uses = self.graph.value(result).uses().iter();
            uses.any(|u| matches!(*u, Use::Operand(id, _) if is_loop(self.graph.node(id))))
        };
        let is_inside = || {
            let mut blocks = self.graph.blocks().map(|(block, _)| block);
            blocks.any(|block| self.graph.nodes_in(block).any(|(_, node)| is_loop(node)))
        };
        is_loop(self.node)
            || self.node.results.iter().any(starts)
            || self.node.block != self.graph.root() && is_inside()
    }

    /// True if the node's op of the user's is computed in f64 from shorter floats.
    fn is_widened(&self) -> bool {
        let mut nodes = self.graph.nodes_in(self.node.block);
        nodes.any(|(_, node)| {
            let is_cast = matches!(&node.op, Op::Cast(op) if op.to == DType::F64);
            is_cast && node.sources == self.node.sources
        })
    }
}
