//! Replaces the select that guards a softmax against empty rows by arithmetic.
//!
//! Decomposed attention (`_safe_softmax` of ATen) selects zeros for rows in which every score is `-inf`. Some targets
//! run the select outside of their delegate, but arithmetic inside. Then a number `has` says whether a row has a score:
//! half the row's maximum is limited below by the lowest finite number, which only an empty row reaches. Adding the
//! opposite of that number and clamping to `0..=1` gives `0` for an empty row and `1` for any other. The scores are
//! shifted by the row's maximum, or by `0` for an empty row: the maximum of `-inf` and `1 - 1 / (1 - has)`, which is
//! `-inf` for other rows. Shifted scores below `-1000`, whose exponential is `0`, become `-1000`, so that no score is
//! infinite. NaN stays NaN.
//!
//! ```kiln
//! guarded_softmax none select
//! graph "guarded" {
//!   constant c0 "" f32[1, 1] = [-inf]
//!   constant c1 "" f32[1, 1] = [0.0]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3]) {
//!     %1: f32[2, 3] = softmax %0 {axis=1, log=false}
//!     %2: f32[1, 1] = constant {value=c0}
//!     %3: bool[2, 3] = compare %0, %2 {f=eq}
//!     %4: bool[2, 3] = unary %3 {f=bit_not}
//!     %5: bool[2, 1] = reduce %4 {f=any, axes=[1]}
//!     %6: bool[2, 1] = unary %5 {f=bit_not}
//!     %7: f32[1, 1] = constant {value=c1}
//!     %8: f32[2, 3] = select %6, %7, %1 {}
//!     return %8
//!   }
//! }
//! ---
//! graph "guarded" {
//!   constant c0 "" f32[1, 1] = [0.5]
//!   constant c1 "" f32[1, 1] = [3.4028234663852886e38]
//!   constant c2 "" f32[1, 1] = [1.0]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3]) {
//!     %1: f32[2, 1] = reduce %0 {f=max, axes=[1]}
//!     %2: f32[1, 1] = constant {value=c0}
//!     %3: f32[2, 1] = binary %1, %2 {f=mul}
//!     %4: f32[2, 1] = unary %3 {f=clamp[-3.4028234663852886e38, none]}
//!     %5: f32[1, 1] = constant {value=c1}
//!     %6: f32[2, 1] = binary %4, %5 {f=add}
//!     %7: f32[2, 1] = unary %6 {f=clamp[0.0, 1.0]}
//!     %8: f32[1, 1] = constant {value=c2}
//!     %9: f32[2, 1] = binary %8, %7 {f=sub}
//!     %10: f32[2, 1] = binary %8, %9 {f=div}
//!     %11: f32[2, 1] = binary %8, %10 {f=sub}
//!     %12: f32[2, 1] = binary %1, %11 {f=max}
//!     %13: f32[2, 3] = binary %0, %12 {f=sub}
//!     %14: f32[2, 3] = unary %13 {f=clamp[-1000.0, none]}
//!     %15: f32[2, 3] = softmax %14 {axis=1, log=false}
//!     %16: f32[2, 3] = binary %15, %7 {f=mul}
//!     return %16
//!   }
//! }
//! ```

use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, names, run_pass};
use crate::framework::target::{Placement, Reason, Target};
use crate::guards;
use kiln_ir::ops::{BinaryFn, CompareFn, ReduceFn, Simple, Softmax, UnaryFn};
use kiln_ir::{Builder, DType, Graph, NodeId, Op, Rewriter, Scalar, ValueId};

guards! {
    /// The rows that are tested are those of the scores.
    SAME_SCORES;
    /// A row is what the softmax sums over.
    SAME_AXIS;
    /// Empty rows are zeros.
    ZEROS;
    /// A row is empty if all its scores are minus infinity; one of them does not make it so.
    WHOLE_ROWS;
    /// An empty row has scores of minus infinity, no other number.
    MINUS_INFINITY;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "guarded_softmax",
    keeps_bits: false,
    run,
    rules: &names::<{ RULES.len() }>(RULES, &[]),
    guards: &[GUARDS],
};

const RULES: &[Rule] = &[Rule {
    name: "zeros_for_empty_rows",
    rewrite,
}];

/// The lowest shifted score. Its exponential is `0` in every dtype.
const LOWEST_SHIFTED_SCORE: f64 = -1000.0;
/// The most negations in a row that are followed.
const MAX_NEGATIONS: usize = 4;

/// Replaces selects by arithmetic; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, RULES);
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let Some((x, softmax)) = guarded(emitter.graph(), id) else {
        return Ok(None);
    };
    if matches!(emitter.placement_of(id), Placement::Delegate) {
        return Ok(None);
    }
    let Some(lowest) = lowest(emitter.ty(x).dtype) else {
        return Ok(None);
    };
    let greatest = emitter.reduce(ReduceFn::Max, x, vec![softmax.axis], true)?;
    let has = has_anything(emitter, greatest, lowest)?;
    let one = emitter.scalar_like(1.0, has);
    let opposite = emitter.binary(BinaryFn::Sub, one, has)?;
    let bound = emitter.binary(BinaryFn::Div, one, opposite)?;
    let floor = emitter.binary(BinaryFn::Sub, one, bound)?;
    let shift = emitter.binary(BinaryFn::Max, greatest, floor)?;
    let below = emitter.binary(BinaryFn::Sub, x, shift)?;
    let limit = UnaryFn::Clamp {
        min: Some(Scalar::Float(LOWEST_SHIFTED_SCORE)),
        max: None,
    };
    let scores = emitter.unary(limit, below)?;
    if !emitter.delegates(softmax.clone(), &[scores]) {
        return Err(Reason::new(
            "the target runs the softmax inside its delegate",
            "that it does not",
        ));
    }
    let shares = emitter.value(softmax, &[scores])?;
    emitter.binary(BinaryFn::Mul, shares, has).map(Some)
}

/// The lowest finite number of the dtype.
fn lowest(dtype: DType) -> Option<f64> {
    match dtype {
        DType::F32 => Some(f64::from(f32::MIN)),
        DType::F16 => Some(-65504.0),
        _ => None,
    }
}

/// `1` for rows whose maximum is above `-inf`, else `0`.
fn has_anything(emitter: &mut Emitter<'_, '_>, greatest: ValueId, lowest: f64) -> Emitted {
    let half = emitter.with(BinaryFn::Mul, greatest, 0.5)?;
    let limit = |min, max| UnaryFn::Clamp { min, max };
    let finite = emitter.unary(limit(Some(Scalar::Float(lowest)), None), half)?;
    let above = emitter.with(BinaryFn::Add, finite, -lowest)?;
    emitter.unary(
        limit(Some(Scalar::Float(0.0)), Some(Scalar::Float(1.0))),
        above,
    )
}

/// The operand and the attributes of a softmax whose rows of only `-inf` this select replaces by zeros.
fn guarded(graph: &Graph, id: NodeId) -> Option<(ValueId, Softmax)> {
    let node = graph.node(id);
    let Op::Select(_) = &node.op else { return None };
    let (row, is_empty) = row_test(graph, node.operands[0])?;
    let (zeros, shares) = match is_empty {
        true => (node.operands[1], node.operands[2]),
        false => (node.operands[2], node.operands[1]),
    };
    let zero = graph.as_constant(zeros)?.data.as_splat()?;
    let maker = graph.node(graph.producer(shares)?);
    let Op::Softmax(softmax) = &maker.op else {
        return None;
    };
    let same = SAME_SCORES.holds(maker.operands[0] == row.x)
        && SAME_AXIS.holds(softmax.axis == row.axis)
        && !softmax.log;
    let whole = graph.ty(shares).shape == graph.ty(node.result()).shape;
    (same && whole && ZEROS.holds(zero.as_f64() == 0.0)).then(|| (row.x, softmax.clone()))
}

/// The scores of a condition that has one bool for each row.
struct Row {
    x: ValueId,
    axis: usize,
}

/// Matches a condition on rows: true means that all scores of the row are `-inf`, false that the condition is the
/// negation.
fn row_test(graph: &Graph, condition: ValueId) -> Option<(Row, bool)> {
    let (value, is_turned) = without_negations(graph, condition)?;
    let node = graph.node(graph.producer(value)?);
    let Op::Reduce(op) = &node.op else {
        return None;
    };
    let [axis] = op.axes[..] else { return None };
    let (x, is_infinite) = element_test(graph, node.operands[0])?;
    let is_empty = match op.f {
        ReduceFn::All => true,
        ReduceFn::Any => false,
        _ => return None,
    };
    if !WHOLE_ROWS.holds(is_infinite == is_empty) {
        return None;
    }
    Some((Row { x, axis }, is_empty != is_turned))
}

/// Matches a condition on scores: true means that the score is `-inf`, false that the condition is the negation.
fn element_test(graph: &Graph, condition: ValueId) -> Option<(ValueId, bool)> {
    let (value, is_turned) = without_negations(graph, condition)?;
    let node = graph.node(graph.producer(value)?);
    let Op::Compare(op) = &node.op else {
        return None;
    };
    let bound = graph.as_constant(node.operands[1])?.data.as_splat()?;
    let is_infinite = match op.f {
        CompareFn::Eq => true,
        CompareFn::Ne => false,
        _ => return None,
    };
    let x = node.operands[0];
    let whole = graph.ty(x).shape == graph.ty(value).shape;
    let is_least = MINUS_INFINITY.holds(bound.as_f64() == f64::NEG_INFINITY);
    (whole && is_least).then_some((x, is_infinite != is_turned))
}

/// The operand of a chain of negations; true if their number is odd.
fn without_negations(graph: &Graph, condition: ValueId) -> Option<(ValueId, bool)> {
    let (mut value, mut is_turned) = (condition, false);
    for _ in 0..MAX_NEGATIONS {
        let node = graph.node(graph.producer(value)?);
        match &node.op {
            Op::Unary(op) if op.f == Simple::BitNot.into() => {
                (value, is_turned) = (node.operands[0], !is_turned);
            }
            _ => return Some((value, is_turned)),
        }
    }
    None
}
