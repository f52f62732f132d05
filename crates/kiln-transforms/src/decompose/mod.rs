//! Decomposition: expands ops that the target does not run, or would rather run in parts.
//!
//! # Contract
//! - A node with [`Placement::None`] is expanded if it has a rule, and its parts are examined in turn.
//! - A node that only a kernel runs, and that the target prefers decomposed, is expanded only if all its parts run
//!   inside a delegate, possibly after they are expanded too. Otherwise it stays.
//! - A rule that keeps integers in another form is applied only if all its parts run inside a delegate as they are.
//! - Expansions are numerically safe: a softmax subtracts the maximum, a variance takes two passes. Half types compute
//!   in f32 and round once, as PyTorch's CPU kernels do.
//!
//! Expansion terminates. Each rule gives ops of lower rank or size, or of families that no rule turns back. Rules that
//! could undo each other (sum and mean, max and min) ask the target first.

/// The attributes of a node, which must be of that family.
macro_rules! attributes {
    ($emitter:ident, $node:ident, $family:ident) => {
        match $emitter.graph().node($node).op.clone() {
            kiln_ir::Op::$family(op) => op,
            other => {
                return Err($crate::framework::target::Reason::new(
                    "the rule expects another op family",
                    other.name(),
                ))
            }
        }
    };
}

mod activation;
mod adaptive_pool;
mod any_all;
mod attention;
mod attention_mask;
mod conv1d;
mod conv3d;
mod conv_transpose3d;
mod distances;
mod division;
mod dynamic;
mod erfinv;
mod function;
mod grid_sample;
mod index_put;
mod inverse;
mod linear;
mod matmul;
mod normalise;
mod ordered_pool;
mod pad;
mod pool1d;
mod pool3d;
mod pool_of_one;
mod power;
mod prod;
mod quantised;
mod reduce;
mod resize;
mod resize_taps;
mod reverse;
mod scan;
mod scatter;
mod shift;
mod slice;
mod slice_update;
mod softmax;
mod sort;
mod top_k;
mod unbranched;
mod widen;

pub(crate) use conv1d::{images, is_of_row, over_images};

use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Applied, PassContext, Replacements, nodes_in_use};
use crate::framework::target::{Placement, Reason, Target};
use crate::guards;
use crate::quantised::whole_weights;
use kiln_ir::ops::{BinaryFn, PadMode, ReduceFn, UnaryFn};
use kiln_ir::{Builder, DType, Graph, NodeId, Op, Rewriter, TensorType, ValueId};
use smallvec::{SmallVec, smallvec};

guards! {
    /// The polynomials of inverse functions approximate in single precision.
    SINGLE;
    /// The forms without comparisons are for the precision and the range of f32.
    UNBRANCHED_SINGLE;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "decompose",
    keeps_bits: false,
    run,
    rules: &NAMES,
    guards: &[
        GUARDS,
        activation::GUARDS,
        adaptive_pool::GUARDS,
        any_all::GUARDS,
        attention_mask::GUARDS,
        distances::GUARDS,
        division::GUARDS,
        erfinv::GUARDS,
        function::GUARDS,
        pad::GUARDS,
        pool_of_one::GUARDS,
        power::GUARDS,
        reduce::GUARDS,
        resize::GUARDS,
        resize_taps::GUARDS,
        shift::GUARDS,
        slice::GUARDS,
        slice_update::GUARDS,
        softmax::GUARDS,
        top_k::GUARDS,
        unbranched::GUARDS,
        widen::GUARDS,
        whole_weights::GUARDS,
    ],
};

/// The names of all expansions.
const NAMES: [&str; 48] = [
    activation::PRELU.name,
    activation::RULE.name,
    adaptive_pool::QUANTISED.name,
    adaptive_pool::RULE.name,
    any_all::RULE.name,
    attention::RULE.name,
    conv1d::DEQUANTISED.name,
    conv1d::QUANTISED.name,
    conv1d::RULE.name,
    conv3d::RULE.name,
    conv_transpose3d::RULE.name,
    distances::RULE.name,
    division::RULE.name,
    dynamic::DEQUANTISED.name,
    dynamic::FAKE_QUANTIZE.name,
    function::CAST.name,
    function::RULE.name,
    grid_sample::RULE.name,
    index_put::RULE.name,
    inverse::RULE.name,
    linear::RULE.name,
    matmul::RULE.name,
    normalise::RULE.name,
    pad::RULE.name,
    pool1d::RULE.name,
    pool3d::RULE.name,
    pool_of_one::RULE.name,
    power::RULE.name,
    prod::RULE.name,
    quantised::OF_CONSTANT.name,
    quantised::RULE.name,
    reduce::ARG_RULE.name,
    reduce::RULE.name,
    resize::RULE.name,
    reverse::RULE.name,
    scan::RULE.name,
    scatter::RULE.name,
    shift::RULE.name,
    slice::RULE.name,
    slice_update::RULE.name,
    softmax::ARITHMETIC.name,
    softmax::MOVED.name,
    sort::RULE.name,
    top_k::RULE.name,
    unbranched::RULE.name,
    widen::WIDEN.name,
    widen::WIDEN_BOOL.name,
    widen::WIDEN_BYTES.name,
];

/// True for the name of a rule that gives up integers: behind it, the node computes on the reals of its operands.
pub fn gives_up_integers(rule: &str) -> bool {
    rule == quantised::RULE.name || rule == dynamic::DEQUANTISED.name
}

/// True for the name of a rule that gives an op on integers another form. Where no delegate takes that form, the op is computed on reals as it is.
fn keeps_integers(rule: &str) -> bool {
    rule == conv1d::QUANTISED.name || rule == conv1d::DEQUANTISED.name
}

/// A rule: its name in reports, and the function that emits the replacement of a node.
#[derive(Clone, Copy)]
struct Expansion {
    name: &'static str,
    rounds: Rounds,
    expand: fn(&mut Emitter<'_, '_>, NodeId) -> Expanded,
}

/// How often an expansion rounds floats, compared with the op.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounds {
    /// As often as the op, or less.
    AsTheOp,
    /// More often. So half types are widened to f32 first, and rounded once at the end.
    Often,
}

/// The replacement of each result, or the reason why the rule does not apply.
type Expanded = Result<Replacements, Reason>;

/// The replacement of a node with a single result.
fn only(value: Result<ValueId, Reason>) -> Expanded {
    Ok(smallvec![Some(value?)])
}

/// An operand of a node. The family guarantees that it exists.
fn operand(emitter: &Emitter<'_, '_>, node: NodeId, slot: usize) -> ValueId {
    emitter.graph().node(node).operands[slot]
}

/// The condition that an expansion must meet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Demand {
    /// The target cannot run the node, so any expansion is accepted.
    Replace,
    /// All parts must run inside a delegate.
    Delegate,
    /// All parts must run inside a delegate as they are, for a rule that is worth it only then.
    AsTheyAre,
}

/// Expands the graph; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    let mut cx = PassContext {
        rewriter,
        target,
        report,
    };
    let mut open = nodes_in_use(cx.graph());
    open.reverse();
    while let Some(node) = open.pop() {
        match examine(&mut cx, node) {
            Applied::No => {}
            Applied::Yes(new) => open.extend(new.into_iter().rev()),
            Applied::Stopped => break,
        }
    }
    cx.rewriter.remove_unused_constants();
}

/// Expands the attention that adds a mask of floats, for what must see its parts.
pub fn masked_attention(graph: &mut Graph) {
    expand_only(graph, |graph, node| {
        let node = graph.node(node);
        let mask = node.operands.get(3);
        let adds = mask.is_some_and(|&mask| graph.ty(mask).dtype.is_float());
        matches!(node.op, Op::Attention(_)) && adds
    });
}

/// Expands all attention, for what must see its parts.
pub fn attention(graph: &mut Graph) {
    expand_only(graph, |graph, node| {
        matches!(graph.node(node).op, Op::Attention(_))
    });
}

/// Expands some nodes on no target's behalf.
fn expand_only(graph: &mut Graph, is_wanted: fn(&Graph, NodeId) -> bool) {
    let target = AllBut { is_wanted };
    run(&mut Rewriter::new(graph), &target, &mut Report::default());
}

/// A target that runs everything but some nodes.
struct AllBut {
    is_wanted: fn(&Graph, NodeId) -> bool,
}

impl Target for AllBut {
    fn placement(&self, graph: &Graph, node: NodeId) -> Placement {
        match (self.is_wanted)(graph, node) {
            true => Placement::None(Reason::new("its parts are asked for", "the whole")),
            false => Placement::Delegate,
        }
    }

    fn prefers_decomposed(&self, _: &Graph, _: NodeId) -> bool {
        false
    }
}

fn examine(cx: &mut PassContext<'_, '_>, node: NodeId) -> Applied {
    if cx.graph().try_node(node).is_none() || is_given(&cx.graph().node(node).op) {
        return Applied::No;
    }
    let (demand, why) = match cx.target.placement(cx.graph(), node) {
        Placement::Delegate => return Applied::No,
        Placement::None(why) => (Demand::Replace, why),
        Placement::Kernel(why) if cx.target.prefers_decomposed(cx.graph(), node) => {
            (Demand::Delegate, why)
        }
        Placement::Kernel(_) => return Applied::No,
    };
    // If the node has to go, an expansion without kernels is preferred.
    if demand == Demand::Replace
        && cx.target.prefers_decomposed(cx.graph(), node)
        && let Ok(done) = replace(cx, node, Demand::Delegate, why.clone())
    {
        return done;
    }
    match replace(cx, node, demand, why) {
        Ok(done) => done,
        Err(reason) => {
            cx.report.declined(PASS.name, node, reason);
            Applied::No
        }
    }
}

fn replace(
    cx: &mut PassContext<'_, '_>,
    node: NodeId,
    demand: Demand,
    why: Reason,
) -> Result<Applied, Reason> {
    let mark = cx.mark();
    match expand(cx, node, demand, why, &Outer::Nothing) {
        Ok((name, values, why)) => {
            let done = cx.commit(name, node, &values, mark);
            if let Applied::Yes(_) = done {
                cx.report.because(why);
            }
            Ok(done)
        }
        Err(reason) => {
            cx.take_back(mark);
            Err(reason)
        }
    }
}

/// True for ops that no target has to run.
fn is_given(op: &Op) -> bool {
    matches!(op, Op::Constant(_) | Op::ReadState(_) | Op::BindSymbol(_))
}

/// The stack of nodes that are being expanded, as ops with the types of their operands; innermost first.
enum Outer<'o> {
    /// The empty stack.
    Nothing,
    /// A node, and the stack around it.
    Node(Op, Vec<TensorType>, &'o Outer<'o>),
}

impl<'o> Outer<'o> {
    fn new(graph: &Graph, node: NodeId, outer: &'o Outer<'o>) -> Outer<'o> {
        let node = graph.node(node);
        let types = node.operands.iter().map(|&v| graph.ty(v).clone());
        Outer::Node(node.op.clone(), types.collect(), outer)
    }

    /// True if the innermost node of `other` is on this stack.
    fn has(&self, other: &Outer<'_>) -> bool {
        match (self, other) {
            (Outer::Node(op, types, outer), Outer::Node(other_op, other_types, _)) => {
                (op == other_op && types == other_types) || outer.has(other)
            }
            _ => false,
        }
    }
}

/// Expands a node by the first rule that meets the demand. Gives the rule's name, the replacement, and why the node had to be expanded: where
/// a rule that keeps integers fails, what its form lacks is the cause.
fn expand(
    cx: &mut PassContext<'_, '_>,
    node: NodeId,
    demand: Demand,
    why: Reason,
    outer: &Outer<'_>,
) -> Result<(&'static str, Replacements, Reason), Reason> {
    let own = Outer::new(cx.graph(), node, outer);
    // Two rules that express two ops by each other would recurse for ever.
    if outer.has(&own) {
        return Err(why);
    }
    let (mut reason, mut why) = (why.clone(), why);
    let mut rules = rules_for(cx.graph(), node);
    if demand == Demand::Replace && has_inverse_form(cx.graph(), node) {
        rules.push(inverse::RULE);
    }
    if demand == Demand::Delegate && has_unbranched_form(cx.graph(), node) {
        rules.insert(0, unbranched::RULE);
    }
    for rule in rules {
        let keeps_integers = keeps_integers(rule.name);
        let demand = match keeps_integers {
            true => Demand::AsTheyAre,
            false => demand,
        };
        let mark = cx.mark();
        let emitted = cx.emit(node, |emitter| (rule.expand)(emitter, node));
        let parts = emitted.and_then(|values| settle_parts(cx, values, demand, mark, &own));
        let checked = parts.and_then(|values| cx.fits(node, &values, mark).map(|()| values));
        match checked {
            Ok(values) => return Ok((rule.name, values, why)),
            Err(unmet) => {
                cx.take_back(mark);
                if keeps_integers {
                    why = unmet.clone();
                }
                reason = unmet;
            }
        }
    }
    Err(reason)
}

/// Under [`Demand::Delegate`], expands the parts that do not run inside a delegate. Under [`Demand::AsTheyAre`], fails at the first such part.
fn settle_parts(
    cx: &mut PassContext<'_, '_>,
    mut values: Replacements,
    demand: Demand,
    mark: u32,
    outer: &Outer<'_>,
) -> Expanded {
    cx.prune(mark, &values);
    if demand == Demand::Replace {
        return Ok(values);
    }
    for part in cx.live_since(mark) {
        if is_given(&cx.graph().node(part).op) {
            continue;
        }
        let why = match cx.target.placement(cx.graph(), part) {
            Placement::Delegate => continue,
            Placement::Kernel(why) | Placement::None(why) => why,
        };
        if demand == Demand::AsTheyAre {
            return Err(why);
        }
        let (_, inner, _) = expand(cx, part, Demand::Delegate, why, outer)?;
        let results = cx.graph().node(part).results.clone();
        for (old, new) in results.iter().zip(&inner) {
            values
                .iter_mut()
                .filter(|v| **v == Some(*old))
                .for_each(|v| *v = *new);
        }
        cx.replace(part, &inner);
    }
    Ok(values)
}

/// The rules for a node, in the order in which they are tried.
fn rules_for(graph: &Graph, node: NodeId) -> SmallVec<[Expansion; 2]> {
    let operands = &graph.node(node).operands;
    let results = &graph.node(node).results;
    if operands
        .iter()
        .chain(results)
        .any(|&v| graph.ty(v).quant.is_some())
    {
        let picked = match &graph.node(node).op {
            // Ops that only pick and join elements expand on integers too.
            Op::Pad(op) if !matches!(op.mode, PadMode::Constant(_)) => Some(pad::RULE),
            Op::Slice(_) => Some(slice::RULE),
            Op::Reverse(_) => Some(reverse::RULE),
            Op::SliceUpdate(_) => Some(slice_update::RULE),
            Op::Pool(op) if pool_of_one::is_of_one(op) => Some(pool_of_one::RULE),
            Op::Quantised(op) if matches!(*op.op, Op::AdaptivePool(_)) => {
                Some(adaptive_pool::QUANTISED)
            }
            Op::Quantised(op) if conv1d::is_of_row(&op.op) => Some(conv1d::QUANTISED),
            Op::Dequantize(_) => Some(quantised::OF_CONSTANT),
            Op::Dequantised(op) if conv1d::is_of_row(&op.op) => {
                return smallvec![conv1d::DEQUANTISED, dynamic::DEQUANTISED];
            }
            Op::Dequantised(_) => Some(dynamic::DEQUANTISED),
            _ => None,
        };
        return picked
            .into_iter()
            .chain(quantised::rule(graph, node))
            .collect();
    }
    let op = &graph.node(node).op;
    if widen::orders_bools(graph, node) {
        return smallvec![widen::WIDEN_BOOL];
    }
    let own: SmallVec<[Expansion; 2]> = first_rule_of(op).into_iter().chain(rule_of(op)).collect();
    if widen::has_bytes(graph, node) {
        return [widen::WIDEN_BYTES].into_iter().chain(own).collect();
    }
    if !widen::has_half(graph, node) {
        return own;
    }
    let rounds_often = own.iter().any(|rule| rule.rounds == Rounds::Often);
    if rounds_often && !op.facts().rounding.is_exact() {
        return smallvec![widen::WIDEN];
    }
    own.into_iter().chain([widen::WIDEN_IF_IT_HELPS]).collect()
}

/// True for functions with an expansion that is worse than a kernel, and so is used only if there is none. Its error is
/// that of f32, so it is not for f64.
fn has_inverse_form(graph: &Graph, node: NodeId) -> bool {
    let node = graph.node(node);
    let is_function = match &node.op {
        Op::Unary(op) => matches!(op.f, UnaryFn::Simple(_)),
        Op::Binary(op) => op.f == BinaryFn::Atan2,
        _ => false,
    };
    is_function && SINGLE.holds(graph.ty(node.result()).dtype != DType::F64)
}

/// True for functions with an expansion without comparisons and selects. It is for f32 only; half types are widened
/// first, so that they round once.
fn has_unbranched_form(graph: &Graph, node: NodeId) -> bool {
    let node = graph.node(node);
    match &node.op {
        Op::Unary(op) => {
            let dtype = graph.ty(node.result()).dtype;
            unbranched::has_form(op.f) && UNBRANCHED_SINGLE.holds(dtype == DType::F32)
        }
        _ => false,
    }
}

/// A cheaper expansion, which is tried first.
fn first_rule_of(op: &Op) -> Option<Expansion> {
    match op {
        Op::Softmax(_) => Some(softmax::MOVED),
        Op::Pool(op) if pool_of_one::is_of_one(op) => Some(pool_of_one::RULE),
        _ => None,
    }
}

fn rule_of(op: &Op) -> Option<Expansion> {
    match op {
        Op::Unary(op) => Some(match op.f {
            UnaryFn::Simple(_) | UnaryFn::Clamp { .. } => function::RULE,
            UnaryFn::Elu { .. } | UnaryFn::Softplus { .. } => activation::RULE,
            UnaryFn::LeakyRelu { .. } => activation::LEAKY,
        }),
        Op::Binary(op) => rule_of_binary(op.f),
        Op::Cast(_) => Some(function::CAST),
        Op::Softmax(_) => Some(softmax::ARITHMETIC),
        Op::Normalize(_) => Some(normalise::RULE),
        Op::Attention(_) => Some(attention::RULE),
        Op::AdaptivePool(_) => Some(adaptive_pool::RULE),
        Op::Pool(op) => match op.spatial() {
            1 => Some(pool1d::RULE),
            3 => Some(pool3d::RULE),
            _ => None,
        },
        Op::Conv(op) => match (op.spatial(), op.transposed) {
            (1, _) => Some(conv1d::RULE),
            (3, false) => Some(conv3d::RULE),
            (3, true) => Some(conv_transpose3d::RULE),
            _ => None,
        },
        Op::MatMul(_) => Some(matmul::RULE),
        Op::Distances(_) => Some(distances::RULE),
        Op::Linear(_) => Some(linear::RULE),
        Op::FakeQuantize(_) => Some(dynamic::FAKE_QUANTIZE),
        Op::Dequantised(_) => Some(dynamic::DEQUANTISED),
        Op::Resize(_) => Some(resize::RULE),
        Op::GridSample(_) => Some(grid_sample::RULE),
        Op::Reverse(_) => Some(reverse::RULE),
        Op::Pad(_) => Some(pad::RULE),
        Op::Slice(_) => Some(slice::RULE),
        Op::SliceUpdate(_) => Some(slice_update::RULE),
        Op::Scan(_) => Some(scan::RULE),
        Op::Sort(_) => Some(sort::RULE),
        Op::TopK(_) => Some(top_k::RULE),
        Op::IndexPut(_) => Some(index_put::RULE),
        Op::Scatter(_) => Some(scatter::RULE),
        Op::Reduce(op) => Some(match op.f {
            ReduceFn::Any | ReduceFn::All => any_all::RULE,
            ReduceFn::Prod => prod::RULE,
            ReduceFn::Sum | ReduceFn::Mean | ReduceFn::Max | ReduceFn::Min => reduce::RULE,
        }),
        Op::ArgReduce(_) => Some(reduce::ARG_RULE),
        Op::Constant(_)
        | Op::Foreign(_)
        | Op::ReadState(_)
        | Op::DimValue(_)
        | Op::BindSymbol(_)
        | Op::Iota(_)
        | Op::Compare(_)
        | Op::Select(_)
        | Op::Move(_)
        | Op::Broadcast(_)
        | Op::Concat(_)
        | Op::NonZero(_)
        | Op::Gather(_)
        | Op::Index(_)
        | Op::Quantize(_)
        | Op::Dequantize(_)
        | Op::Requantize(_)
        | Op::Quantised(_)
        | Op::If(_)
        | Op::While(_) => None,
    }
}

fn rule_of_binary(f: BinaryFn) -> Option<Expansion> {
    match f {
        BinaryFn::Pow => Some(power::RULE),
        BinaryFn::Prelu => Some(activation::PRELU),
        BinaryFn::FloorDiv | BinaryFn::TruncDiv | BinaryFn::Remainder | BinaryFn::Fmod => {
            Some(division::RULE)
        }
        BinaryFn::BitXor | BinaryFn::Sub | BinaryFn::Div => Some(division::ONE_ROUNDING),
        BinaryFn::Add
        | BinaryFn::Mul
        | BinaryFn::Max
        | BinaryFn::Min
        | BinaryFn::Atan2
        | BinaryFn::BitAnd
        | BinaryFn::BitOr => None,
        BinaryFn::Shl | BinaryFn::Shr => Some(shift::RULE),
    }
}
