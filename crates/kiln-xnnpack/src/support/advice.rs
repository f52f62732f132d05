//! What a user can do about a node that no delegate takes. Each such node has an advice, or is told why there is none.

use super::Query;
use kiln_ir::{DType, Op};
use kiln_transforms::framework::target::Reason;

/// Masks and choices.
const MASK: &str = "XNNPACK has no booleans: multiply by a mask of floats, or add one (0 and a large negative number)";
/// Integers.
const INTEGERS: &str = "a kernel computes integers; where they are numbers and no indices, convert them to floats once, in front of the layers";
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
/// Integers in a form that the library has not. The node is asked about before it falls back to floats, in the same delegate or beside.
const FORM: &str = "it computes in floats instead; XNNPACK's integers have 8 bits, activations one scale and zero point, weights a scale for all or \
    by output channel, about 0";
/// Anything else.
const KERNEL: &str = "nothing to do in the model: a kernel computes it";

/// The reason with an advice.
pub(super) fn advised(query: &Query<'_>, reason: Reason) -> Reason {
    match reason.advice {
        Some(_) => reason,
        None => reason.advise(advice(query)),
    }
}

fn advice(query: &Query<'_>) -> &'static str {
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
    match &node.op {
        Op::If(_) | Op::While(_) => CONTROL,
        Op::Quantised(_) | Op::Dequantised(_) | Op::Requantize(_) => FORM,
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
        _ if has(DType::Bool) => MASK,
        _ if has(DType::F64) => DOUBLES,
        _ if types().any(|ty| ty.dtype.is_int() && ty.quant.is_none()) => INTEGERS,
        _ if is_empty => EMPTY,
        _ if types().any(|ty| ty.shape.as_static().is_none()) => SIZE,
        Op::Unary(_) | Op::Binary(_) => FUNCTION,
        _ => KERNEL,
    }
}
