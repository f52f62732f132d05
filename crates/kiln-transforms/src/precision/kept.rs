//! What stays in f32 where a model is converted to halves, so that results keep their range and their precision:
//!
//! - functions whose results leave the range of f16 early, and sums, as in PyTorch's autocast;
//! - numbers that follow from integers, such as positions, up to the next sum of products: bf16 counts to 256 and f16 to 2048;
//! - inputs;
//! - state: a counter or a running mean would stop where its step is less than half of its last bit;
//! - nodes with a number or a weight that the halves cannot hold: beyond their range, or a single number below their normal ones;
//! - what the model itself casts to f32;
//! - what reads a value that stays, up to the next product or convolution: that rounds its operands;
//! - branches, loops, and ops that Kiln does not compute itself.
//!
//! What follows from constants alone is computed ahead, so it stays in f32 too. It is rounded where it is read, if the halves
//! hold it.

use crate::analysis::ranges::Ranges;
use kiln_ir::graph::{Node, Use};
use kiln_ir::ops::{BinaryFn, PadMode, Reduce, ReduceFn, Rounding, Simple, Unary, UnaryFn};
use kiln_ir::{DType, Graph, NodeId, Op, Scalar, TensorData, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The values that stay in f32.
#[derive(Default)]
pub(super) struct Kept {
    /// The halves that others become; `None` if nothing has to stay.
    halves: Option<DType>,
    /// Values that follow from constants alone, and whether the halves hold them.
    ahead: FxHashMap<ValueId, bool>,
    /// Those of them that count: positions, and what is linear in them.
    counts: FxHashSet<ValueId>,
    /// Values that follow from integers and constants alone.
    whole: FxHashSet<ValueId>,
    /// Values that only products read.
    for_products: FxHashSet<ValueId>,
    /// All values that stay, but those that are computed ahead and may be rounded.
    values: FxHashSet<ValueId>,
}

impl Kept {
    pub(super) fn of(graph: &Graph, halves: DType) -> Kept {
        let mut kept = Kept {
            halves: Some(halves),
            for_products: for_products(graph),
            ..Kept::default()
        };
        let mut ranges = Ranges::new(graph);
        let params = graph.block(graph.root()).params.iter().copied();
        kept.values
            .extend(params.filter(|&value| graph.ty(value).dtype == DType::F32));
        for (id, node) in graph.nodes_in(graph.root()) {
            if matches!(node.op, Op::ReadState(_)) {
                kept.values.extend(&node.results);
            }
            if kept.is_ahead(graph, node) {
                let counts = kept.counts(graph, node);
                for &value in &node.results {
                    if counts {
                        kept.counts.insert(value);
                    }
                    let is_held = !(counts && graph.ty(value).dtype == DType::F32)
                        && holds_range(&mut ranges, graph, value, halves);
                    kept.ahead.insert(value, is_held);
                    if !is_held {
                        kept.values.insert(value);
                    }
                }
            } else if kept.is_whole(graph, node) {
                let results = graph.node(id).results.iter().copied();
                kept.whole
                    .extend(results.filter(|&value| graph.ty(value).dtype == DType::F32));
            }
        }
        kept
    }

    /// Notes that a node stays.
    pub(super) fn stays(&mut self, graph: &Graph, id: NodeId) {
        let results = graph.node(id).results.iter();
        let is_rounded = |value: &&ValueId| self.ahead.get(value) == Some(&true);
        let kept =
            results.filter(|value| !is_rounded(value) && graph.ty(**value).dtype == DType::F32);
        let kept: Vec<ValueId> = kept.copied().collect();
        self.values.extend(kept);
    }

    /// Whether a node stays in f32.
    pub(super) fn must_stay(&self, graph: &Graph, id: NodeId) -> bool {
        let Some(halves) = self.halves else {
            return false;
        };
        let node = graph.node(id);
        let is_of = |values: &dyn Fn(&ValueId) -> bool| node.results.iter().any(values);
        is_of(&|value| self.ahead.contains_key(value) || self.whole.contains(value))
            || is_wide(node)
            || widens(graph, node)
            || !numbers(&node.op).all(|number| holds_number(number, halves))
            || !is_product(&node.op)
                && node
                    .operands
                    .iter()
                    .any(|value| self.values.contains(value))
                && !(only_moves(&node.op) && self.for_products.contains(&node.result()))
    }

    /// True for a node that follows from constants alone, with results of known sizes.
    fn is_ahead(&self, graph: &Graph, node: &Node) -> bool {
        let is_known =
            |value: &ValueId| graph.as_constant(*value).is_some() || self.ahead.contains_key(value);
        let is_source = matches!(node.op, Op::Iota(_)) || !node.operands.is_empty();
        let is_constant = matches!(node.op, Op::Constant(_));
        let has_sizes = |value: &ValueId| graph.ty(*value).shape.as_static().is_some();
        let is_sum = is_product(&node.op) && !is_outer(graph, node);
        is_source
            && !is_constant
            && !is_sum
            && computes(node)
            && node.operands.iter().all(is_known)
            && node.results.iter().all(has_sizes)
    }

    /// True for a node computed ahead that counts, or computes on what does. Waves of positions lie between -1 and 1, and no longer do.
    fn counts(&self, graph: &Graph, node: &Node) -> bool {
        let reads = |value: &ValueId| self.counts.contains(value);
        let of_ints = |value: &ValueId| graph.ty(*value).dtype.is_int();
        match &node.op {
            Op::Iota(_) => true,
            Op::Cast(_) => node.operands.iter().any(|v| reads(v) || of_ints(v)),
            // What is looked up is no position.
            Op::Index(_) | Op::Gather(_) => node.operands.first().is_some_and(reads),
            Op::Compare(_) => false,
            Op::Unary(op) if matches!(op.f, UnaryFn::Simple(Simple::Sin | Simple::Cos)) => false,
            _ => node.operands.iter().any(reads),
        }
    }

    /// True for a node that makes floats of integers that count, or computes on such floats and constants alone.
    fn is_whole(&self, graph: &Graph, node: &Node) -> bool {
        let counts = |value: &ValueId| graph.ty(*value).dtype.is_int();
        let is_known = |value: &ValueId| {
            self.whole.contains(value)
                || self.ahead.contains_key(value)
                || graph.as_constant(*value).is_some()
        };
        match &node.op {
            Op::Cast(_) => node
                .operands
                .iter()
                .all(|v| counts(v) || self.whole.contains(v)),
            Op::Iota(_) | Op::DimValue(_) => true,
            Op::Constant(_) => false,
            op if is_product(op) && !is_outer(graph, node) => false,
            _ => {
                computes(node)
                    && node.operands.iter().any(|value| self.whole.contains(value))
                    && node.operands.iter().all(is_known)
            }
        }
    }
}

/// False for ops whose results do not follow from their operands alone.
fn computes(node: &Node) -> bool {
    let is_opaque = matches!(node.op, Op::Foreign(_) | Op::ReadState(_) | Op::DimValue(_));
    !is_opaque && node.op.bodies().is_empty()
}

/// True for the ops for which halves are worth a conversion of their operands.
fn is_product(op: &Op) -> bool {
    matches!(
        op,
        Op::MatMul(_) | Op::Linear(_) | Op::Conv(_) | Op::Attention(_)
    )
}

/// True for an op whose elements are those of its one operand. They may as well be rounded before it.
fn only_moves(op: &Op) -> bool {
    matches!(op, Op::Move(_) | Op::Slice(_) | Op::Broadcast(_))
}

/// The values that only products read, behind ops that move their elements: each is rounded once for all of them.
fn for_products(graph: &Graph) -> FxHashSet<ValueId> {
    let mut found = FxHashSet::default();
    let nodes: Vec<NodeId> = graph.nodes_in(graph.root()).map(|(id, _)| id).collect();
    // Readers stand behind what they read.
    for &id in nodes.iter().rev() {
        for &value in &graph.node(id).results {
            let uses = graph.value(value).uses();
            let is_for_products = |use_: &Use| match *use_ {
                Use::Operand(reader, _) => {
                    let node = graph.node(reader);
                    is_product(&node.op) || only_moves(&node.op) && found.contains(&node.result())
                }
                Use::BlockResult(..) | Use::Update(_) => false,
            };
            if !uses.is_empty() && uses.iter().all(is_for_products) {
                found.insert(value);
            }
        }
    }
    found
}

/// True for a product of a column and a row, which adds nothing up: positions by frequencies, say.
fn is_outer(graph: &Graph, node: &Node) -> bool {
    let is_column = |value: &ValueId| graph.ty(*value).shape.last().is_some_and(|size| size.is(1));
    matches!(node.op, Op::MatMul(_) | Op::Linear(_)) && node.operands.first().is_some_and(is_column)
}

/// True for a cast of the model's own from halves to f32.
fn widens(graph: &Graph, node: &Node) -> bool {
    let from = node.operands.first().map(|&value| graph.ty(value).dtype);
    matches!(node.op, Op::Cast(_)) && matches!(from, Some(DType::F16 | DType::BF16))
}

/// True for an op whose results leave the range of f16 early: exponentials, powers, logarithms, quotients and sums.
fn is_wide(node: &Node) -> bool {
    match &node.op {
        Op::Unary(Unary {
            f: UnaryFn::Simple(f),
        }) => matches!(
            f,
            Simple::Exp
                | Simple::Exp2
                | Simple::Expm1
                | Simple::Log
                | Simple::Log2
                | Simple::Log10
                | Simple::Log1p
                | Simple::Rsqrt
                | Simple::Reciprocal
                | Simple::Square
                | Simple::Tan
                | Simple::Sinh
                | Simple::Cosh
                | Simple::Erfinv
        ),
        Op::Binary(binary) => {
            let is_square = binary.f == BinaryFn::Mul && node.operands[0] == node.operands[1];
            binary.f == BinaryFn::Pow || is_square
        }
        Op::Reduce(Reduce { f, .. }) => matches!(f, ReduceFn::Sum | ReduceFn::Prod),
        // Coordinates count pixels.
        Op::Scan(_) | Op::Distances(_) | Op::GridSample(_) => true,
        other => other.facts().rounding == Rounding::Product && !is_product(other),
    }
}

/// The numbers that an op holds itself.
fn numbers(op: &Op) -> impl Iterator<Item = f64> {
    let numbers: [Option<f64>; 3] = match op {
        Op::Pad(op) => match op.mode {
            PadMode::Constant(number) => [Some(number.as_f64()), None, None],
            _ => [None; 3],
        },
        Op::Unary(op) => match op.f {
            UnaryFn::Simple(_) => [None; 3],
            UnaryFn::Clamp { min, max } => [min.map(Scalar::as_f64), max.map(Scalar::as_f64), None],
            UnaryFn::Elu {
                alpha,
                scale,
                input_scale,
            } => [alpha, scale, input_scale].map(Some),
            UnaryFn::LeakyRelu { slope } => [Some(slope), None, None],
            UnaryFn::Softplus { beta, threshold } => [Some(beta), Some(threshold), None],
        },
        _ => [None; 3],
    };
    numbers.into_iter().flatten()
}

/// The greatest number of a float type, and its least normal one.
fn limits(to: DType) -> (f64, f64) {
    match to {
        DType::F16 => (65504.0, f64::exp2(-14.0)),
        DType::BF16 => (f32::from_bits(0x7F7F_0000).into(), f32::MIN_POSITIVE.into()),
        _ => (f32::MAX.into(), 0.0),
    }
}

/// Whether floats of a type hold a single number: as a number of their full precision, unless it is 0 or infinite.
fn holds_number(number: f64, to: DType) -> bool {
    let (greatest, least) = limits(to);
    let size = number.abs();
    number == 0.0 || !number.is_finite() || (size <= greatest && size >= least)
}

/// Whether floats of a type hold a value: none of its elements becomes infinite.
fn holds_range(ranges: &mut Ranges<'_>, graph: &Graph, value: ValueId, to: DType) -> bool {
    if graph.ty(value).dtype != DType::F32 {
        return true;
    }
    let range = ranges.reals(value);
    let (greatest, least) = limits(to);
    let is_single = range.low == range.high;
    range.is_finite()
        && range.magnitude() <= greatest
        && (!is_single || range.low == 0.0 || range.magnitude() >= least)
}

/// Whether floats of a type can stand for these: no number becomes infinite, and neither a single number nor all of them lose their
/// precision.
pub(super) fn holds(data: &TensorData, to: DType) -> bool {
    if let Some(number) = data.as_splat() {
        return holds_number(number.as_f64(), to);
    }
    let (greatest, least) = limits(to);
    // Of numbers that are all tiny nothing would be left.
    let largest = std::cell::Cell::new(0f64);
    let is_held = |x: f64| {
        if x.is_finite() {
            largest.set(largest.get().max(x.abs()));
        }
        x.abs() <= greatest || !x.is_finite()
    };
    let bytes = data.bytes();
    let are_held = match data.dtype() {
        DType::F32 => {
            let mut numbers = bytes.as_chunks().0.iter();
            numbers.all(|&b| is_held(f32::from_le_bytes(b).into()))
        }
        DType::F64 => {
            let mut numbers = bytes.as_chunks().0.iter();
            numbers.all(|&b| is_held(f64::from_le_bytes(b)))
        }
        _ => return true,
    };
    are_held && (largest.get() == 0.0 || largest.get() >= least)
}
