//! Computes a model in other floats than it was exported in: one of f32 in f16 or bf16, or one of halves in f32.
//!
//! This changes results, so it is no pass: the user asks for it before all passes. Inputs, outputs and state keep their types. What
//! multiplies and adds, moves, selects or normalises takes the new floats. These stay as they were:
//!
//! - functions whose results leave the range of f16 early, and sums (`is_wide` lists them), as in PyTorch's autocast,
//! - functions of elements that read one of those, so that no precision is lost between two of them,
//! - nodes with a number or a weight that the new floats cannot hold: beyond their range, or a single number that becomes 0,
//! - branches, loops, and ops that Kiln does not compute itself.
//!
//! Constants are converted where the archive is read, to the nearest number.

use kiln_ir::graph::Node;
use kiln_ir::ops::{BinaryFn, Cast, Reduce, ReduceFn, Rounding, Simple, Unary, UnaryFn};
use kiln_ir::{
    ConstId, DType, Graph, NodeId, Op, Place, Rewriter, TensorData, TensorType, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a conversion did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Converted {
    /// The nodes that compute in the new floats.
    pub nodes: usize,
    /// The nodes that stay, although they compute in floats.
    pub kept: usize,
}

/// Makes the graph compute in floats of type `to`: f16, bf16 or f32.
pub fn convert(graph: &mut Graph, to: DType) -> Converted {
    let mut conversion = Conversion {
        rewriter: Rewriter::new(graph),
        to,
        new: FxHashMap::default(),
        constants: FxHashMap::default(),
        is_kept: FxHashSet::default(),
        done: Converted::default(),
    };
    conversion.run();
    conversion.done
}

struct Conversion<'g> {
    rewriter: Rewriter<'g>,
    to: DType,
    /// Values in the new floats, by those in their place.
    new: FxHashMap<ValueId, ValueId>,
    /// Converted constants; `None` if the new floats do not hold one.
    constants: FxHashMap<ConstId, Option<TensorData>>,
    /// Values that nodes compute which stay.
    is_kept: FxHashSet<ValueId>,
    done: Converted,
}

impl Conversion<'_> {
    fn run(&mut self) {
        let root = self.graph().root();
        let nodes: Vec<NodeId> = self.graph().nodes_in(root).map(|(id, _)| id).collect();
        let mut replaced = Vec::new();
        for &id in &nodes {
            let node = self.graph().node(id).clone();
            if matches!(node.op, Op::Constant(_) | Op::ReadState(_)) || !self.touches(&node) {
                continue;
            }
            match self.converted(id, &node) {
                Some(made) => {
                    self.done.nodes += 1;
                    replaced.push(id);
                    for (&old, &new) in node.results.iter().zip(&self.results(made)) {
                        self.new.insert(old, new);
                    }
                }
                None => {
                    self.done.kept += usize::from(node.op.computes_reals());
                    self.is_kept.extend(&node.results);
                }
            }
        }
        self.hand_back(&replaced);
    }

    fn graph(&self) -> &Graph {
        self.rewriter.graph()
    }

    fn results(&self, node: NodeId) -> Vec<ValueId> {
        self.graph().node(node).results.to_vec()
    }

    /// True for floats that are not of the new type.
    fn is_old(&self, ty: &TensorType) -> bool {
        let is_old = match self.to {
            DType::F32 => matches!(ty.dtype, DType::F16 | DType::BF16),
            _ => ty.dtype == DType::F32,
        };
        is_old && ty.quant.is_none()
    }

    fn touches(&self, node: &Node) -> bool {
        let mut values = node.operands.iter().chain(&node.results);
        values.any(|&v| self.is_old(self.graph().ty(v)))
    }

    /// The node in the new floats, beside the old one. `None` if it stays.
    fn converted(&mut self, id: NodeId, node: &Node) -> Option<NodeId> {
        let is_opaque =
            matches!(node.op, Op::Foreign(_) | Op::FakeQuantize(_)) || !node.op.bodies().is_empty();
        if is_opaque || self.stays(node) {
            return None;
        }
        let op = self.op(node)?;
        let operands: Option<Vec<ValueId>> =
            node.operands.iter().map(|&v| self.operand(v)).collect();
        self.rewriter.set_sources_of(&[id]);
        let made = self
            .rewriter
            .insert(Place::Before(id), op, &operands?)
            .ok()?;
        if self.is_as_expected(node, made) {
            return Some(made);
        }
        self.rewriter.erase(made);
        None
    }

    /// Whether results are what they were, in the new floats.
    fn is_as_expected(&self, node: &Node, made: NodeId) -> bool {
        let graph = self.graph();
        let results = node.results.iter().zip(&graph.node(made).results);
        results.into_iter().all(|(&old, &new)| {
            let (old, new) = (graph.ty(old), graph.ty(new));
            let dtype = match self.is_old(old) {
                true => self.to,
                false => old.dtype,
            };
            new.dtype == dtype && new.quant == old.quant && new.shape == old.shape
        })
    }

    /// Whether a node keeps its floats, so that its results keep their range or their precision.
    fn stays(&self, node: &Node) -> bool {
        if self.to == DType::F32 {
            return false;
        }
        let is_of_elements = matches!(
            node.op,
            Op::Unary(_) | Op::Binary(_) | Op::Select(_) | Op::Compare(_) | Op::Reduce(_)
        );
        let reads_kept = || node.operands.iter().any(|v| self.is_kept.contains(v));
        is_wide(&node.op) || is_of_elements && reads_kept()
    }

    /// The op, with the type that it names changed. `None` if its results may leave the range of the new floats.
    fn op(&self, node: &Node) -> Option<Op> {
        match &node.op {
            Op::Cast(cast) => {
                let (from, result) = (
                    self.graph().ty(node.operands[0]),
                    self.graph().ty(node.result()),
                );
                // Integers may be large.
                let is_whole = !from.dtype.is_float() && from.dtype != DType::Bool;
                match self.is_old(result) {
                    true if is_whole && self.to == DType::F16 => None,
                    true => Some(Cast { to: self.to }.into()),
                    false => Some(cast.clone().into()),
                }
            }
            Op::Iota(_) => None,
            other => Some(other.clone()),
        }
    }

    /// The value in the new floats. `None` for a constant that they do not hold.
    fn operand(&mut self, value: ValueId) -> Option<ValueId> {
        if let Some(&new) = self.new.get(&value) {
            return Some(new);
        }
        if !self.is_old(self.graph().ty(value)) {
            return Some(value);
        }
        let producer = self.graph().producer(value);
        let place = match producer {
            Some(node) => Place::After(node),
            None => Place::Start(self.graph().root()),
        };
        let constant = producer.and_then(|node| match &self.graph().node(node).op {
            Op::Constant(constant) => Some(constant.value),
            _ => None,
        });
        self.rewriter.set_sources([]);
        let new = match constant {
            Some(id) => {
                let name = self.graph().constant(id).name.clone();
                let data = self.constant(id)?;
                self.rewriter.constant_value(place, name, data)
            }
            None => self
                .rewriter
                .value(place, Cast { to: self.to }, &[value])
                .ok()?,
        };
        self.new.insert(value, new);
        Some(new)
    }

    fn constant(&mut self, id: ConstId) -> Option<TensorData> {
        if let Some(known) = self.constants.get(&id) {
            return known.clone();
        }
        let data = &self.graph().constant(id).data;
        let made = data.converted(self.to).filter(|_| holds(data, self.to));
        self.constants.insert(id, made.clone());
        made
    }

    /// Gives the old types back to what stays, and to the caller.
    fn hand_back(&mut self, replaced: &[NodeId]) {
        for &id in replaced.iter().rev() {
            for old in self.results(id) {
                let new = self.new[&old];
                if self.graph().value(old).uses().is_empty() {
                    continue;
                }
                let ty = self.graph().ty(old);
                let value = match self.graph().producer(new).filter(|_| self.is_old(ty)) {
                    Some(node) => {
                        let to = ty.dtype;
                        self.rewriter.set_sources([]);
                        self.rewriter.value(Place::After(node), Cast { to }, &[new])
                    }
                    None => Ok(new),
                };
                self.rewriter
                    .replace_value(old, value.expect("a float becomes another float"));
            }
            self.rewriter.erase(id);
        }
    }
}

/// True for an op whose results leave the range of f16 early: exponentials, powers, logarithms, quotients and sums.
fn is_wide(op: &Op) -> bool {
    match op {
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
        Op::Binary(binary) => binary.f == BinaryFn::Pow,
        Op::Reduce(Reduce { f, .. }) => matches!(f, ReduceFn::Sum | ReduceFn::Prod),
        Op::Scan(_) | Op::Distances(_) => true,
        other => other.facts().rounding == Rounding::Product,
    }
}

/// Whether floats of a type can stand for these: no number becomes infinite, and no single number 0.
fn holds(data: &TensorData, to: DType) -> bool {
    // The least numbers that are rounded to infinity, and the greatest that are rounded to 0.
    let (infinite, zero) = match to {
        DType::F16 => (65520.0, f32::exp2(-25.0)),
        DType::BF16 => (f32::from_bits(0x7F7F_8000), f32::from_bits(0x8000)),
        _ => return true,
    };
    if let Some(number) = data.as_splat() {
        let number = number.as_f64() as f32;
        return number == 0.0
            || !number.is_finite()
            || (number.abs() < infinite && number.abs() > zero);
    }
    let numbers = data
        .bytes()
        .as_chunks()
        .0
        .iter()
        .map(|&b| f32::from_le_bytes(b));
    numbers
        .into_iter()
        .all(|x| x.abs() < infinite || !x.is_finite())
}
