//! Lowers a region of the graph to a payload.
//!
//! Nodes are lowered in graph order, each in the memory order that [`kiln_transforms::layout`] gave it. Movements are
//! not lowered where they stand: a reader of their result asks for it in an order, and gets it from the nearest
//! existing tensor by the fewest transposes.
//!
//! # Invariants
//! - Every node that [`crate::support`] accepts lowers, in any memory order.
//! - Constants are named by content, and are never copied if they already lie as XNNPACK needs them.
//! - Equal regions give equal payloads.

mod block_parts;
mod blocks;
pub(crate) mod columns;
mod concat;
pub(crate) mod cover;
pub(crate) mod data;
pub(crate) mod depthwise;
mod detour;
pub(crate) mod dynamic;
mod element;
mod elementwise;
mod growing_means;
pub(crate) mod image_guard;
pub(crate) mod integers;
pub(crate) mod masked;
pub(crate) mod nan_witnesses;
mod ordered_average;
mod packed_constants;
pub(crate) mod pool;
pub(crate) mod product;
pub(crate) mod reduce;
pub(crate) mod resize;
mod short_runs;
mod slices;
pub(crate) mod softmax_shift;
mod table_chains;
mod tensors;
mod weight_groups;
pub(crate) mod window;
pub(crate) mod window_sum;

use crate::halves::{self, Held};
use crate::payload::{Clamp, ValueId as Tensor, XnnNode, XnnOp};
use crate::support::Options;
use kiln_ir::graph::{Node, Use};
use kiln_ir::ops::{BinaryFn, UnaryFn};
use kiln_ir::{Content, DType, Dim, Graph, Id, NodeId, Op, Symbols, ValueId};
use kiln_portable::region::Reordered;
use kiln_transforms::layout::Layouts;
use kiln_transforms::layout::Order;
use rustc_hash::FxHashMap;
use tensors::Tensors;

/// A node that did not lower although it is supported (a bug), or a graph that the verifier refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{node} ({op}) does not lower for XNNPACK (a bug in Kiln): {what}")]
pub struct LowerError {
    /// The node.
    pub node: NodeId,
    /// Its family.
    pub op: &'static str,
    /// What was missing.
    pub what: String,
}

/// The fault, before the node is named.
pub(crate) type Problem = String;

/// A region's payload and the constants that it names.
pub(crate) struct Lowered {
    pub(crate) graph: crate::payload::XnnGraph,
    pub(crate) named_data: Vec<(String, Content)>,
    /// By tensor of the payload.
    dims: Vec<Vec<Dim>>,
    /// The operators that only keep NaN and infinity as in PyTorch.
    pub(crate) guards: usize,
}

impl Lowered {
    /// The bytes that its nodes only move. A dynamic size counts at its symbols' maximum.
    pub(crate) fn reordered(&self, symbols: &Symbols) -> Vec<Reordered> {
        let bytes = |tensor: Tensor| {
            let size = self.graph.values[tensor.index()].datatype.bits() / 8;
            self.dims[tensor.index()].iter().fold(size, |n, dim| {
                let bounds = symbols.bounds(dim);
                let greatest = bounds.hi.or(bounds.lo).unwrap_or(1).max(0);
                n.saturating_mul(greatest as u64)
            })
        };
        let mut writer = vec![None; self.graph.values.len()];
        for node in &self.graph.nodes {
            for output in node.op.outputs() {
                writer[output.index()] = Some(NodeId::new(node.debug_handle));
            }
        }
        let moved = self.graph.moved().into_iter();
        let reordered = |tensor: Tensor| Reordered {
            node: writer[tensor.index()],
            bytes: bytes(tensor),
        };
        moved.map(reordered).collect()
    }
}

/// Lowers the nodes of a region, which reads `inputs` and returns `outputs`, each in its order at the border.
pub(crate) fn lower(
    graph: &Graph,
    layouts: &Layouts,
    nodes: &[NodeId],
    [inputs, outputs]: [&[ValueId]; 2],
    options: &Options,
) -> Result<Lowered, LowerError> {
    let mut lowering = Lowering {
        graph,
        layouts,
        tensors: Tensors::new(graph, nodes),
        fused: fused_clamps(graph, layouts, nodes),
        options: *options,
        rows: FxHashMap::default(),
        groups: FxHashMap::default(),
    };
    for &input in inputs {
        lowering
            .tensors
            .add_input(input, layouts.border(graph, input));
    }
    for &id in nodes {
        lowering.tensors.stem_from(id);
        lowering
            .node(id, graph.node(id))
            .map_err(|what| error(graph, id, what))?;
    }
    for &output in outputs {
        let order = layouts.border(graph, output);
        let id = graph.producer(output).or(nodes.first().copied());
        let id = id.unwrap_or(NodeId::new(0));
        lowering.tensors.stem_from(id);
        let added = lowering.tensors.add_output(output, &order);
        added.map_err(|what| error(graph, id, what))?;
    }
    let mut lowered = lowering.tensors.finish();
    table_chains::cut(&mut lowered);
    packed_constants::separate(&mut lowered);
    growing_means::declare(&mut lowered);
    Ok(lowered)
}

fn error(graph: &Graph, node: NodeId, what: Problem) -> LowerError {
    let op = graph.node(node).op.name();
    LowerError { node, op, what }
}

/// A clamp that is fused into the producer of its operand.
struct Fused {
    clamp: Clamp,
    /// The clamp's result, which the producer writes in place of its own.
    result: ValueId,
}

struct Lowering<'a> {
    graph: &'a Graph,
    layouts: &'a Layouts,
    tensors: Tensors<'a>,
    /// By producer.
    fused: FxHashMap<NodeId, Fused>,
    options: Options,
    /// The integers of tensors that are quantised when running, by the number of dims that share parameters.
    rows: FxHashMap<(Tensor, usize), Tensor>,
    /// The groups of a tensor's rows, by their size.
    groups: FxHashMap<(Tensor, usize), Vec<Tensor>>,
}

impl Lowering<'_> {
    fn node(&mut self, id: NodeId, node: &Node) -> Result<(), Problem> {
        let order = self.layouts.order(id).clone();
        self.tensors.hold_halves(self.held(node));
        match &node.op {
            Op::Constant(_) | Op::Move(_) => Ok(()),
            Op::Unary(op) => self.unary(id, node, op.f, &order),
            Op::Binary(op) => self.binary(id, node, op.f, &order),
            Op::Select(_) => self.masked(id, node, &order),
            Op::Cast(op) => self.cast(id, node, op.to, &order),
            Op::Broadcast(op) => self.broadcast(id, node, &op.shape, &order),
            Op::Slice(op) => self.slice(id, node, op, &order),
            Op::Pad(op) => self.pad(id, node, op, &order),
            Op::Concat(op) => self.concat(id, node, op.axis, &order),
            Op::Reduce(op) => self.reduce(id, node, op, &order),
            Op::MatMul(_) => self.matmul(id, node, &order),
            Op::Linear(_) => self.linear(id, node, &order),
            Op::Conv(op) => self.conv(id, node, op, &order),
            Op::Pool(op) => self.pool(id, node, op, &order),
            Op::AdaptivePool(op) => {
                let pool = pool::of_adaptive(&self.graph.ty(node.operands[0]).shape, op);
                let pool = pool.map_err(|reason| reason.to_string())?;
                self.pool(id, node, &pool, &order)
            }
            Op::Resize(op) => self.resize(id, node, op, &order),
            Op::Softmax(_) => self.softmax(id, node, &order),
            Op::Quantised(op) => self.quantised(id, node, op, &order),
            Op::Dequantised(op) => self.dequantised(id, node, op, &order),
            Op::Quantize(op) if op.dtype == DType::I32 => self.quantise_wide(id, node, &order),
            Op::Dequantize(_) if self.graph.ty(node.operands[0]).dtype == DType::I32 => {
                self.dequantise_wide(id, node, &order)
            }
            Op::Quantize(_) | Op::Dequantize(_) => self.conversion(id, node, &order),
            Op::Requantize(_) => self.requantise(id, node, &order),
            other => Err(format!("there is no lowering of {}", other.name())),
        }
    }

    /// How the node holds halves: as f32 if one that it moves is.
    fn held(&self, node: &Node) -> Held {
        match halves::held(self.graph, node, self.options.half()) {
            Held::AsSource if node.operands.iter().any(|&v| self.tensors.is_single(v)) => {
                Held::Single
            }
            Held::AsSource => Held::Stored,
            held => held,
        }
    }

    /// The value that the node writes: its own, or that of the clamp fused into it.
    fn result(&self, id: NodeId) -> ValueId {
        match self.fused.get(&id) {
            Some(fused) => fused.result,
            None => self.graph.node(id).result(),
        }
    }

    fn clamp(&self, id: NodeId) -> Option<Clamp> {
        self.fused.get(&id).map(|fused| fused.clamp)
    }

    /// Adds a node.
    fn push(&mut self, op: XnnOp) {
        self.push_clamped(op, None);
    }

    fn push_clamped(&mut self, op: XnnOp, clamp: Option<Clamp>) {
        self.tensors.push(XnnNode {
            clamp,
            ..XnnNode::new(op)
        });
    }

    /// The tensor into which the node writes.
    fn target(&mut self, id: NodeId, order: &Order) -> Tensor {
        let result = self.result(id);
        self.tensors.define(result, order)
    }
}

/// True if XNNPACK can fuse a clamp into this node and keep NaN.
fn clamps(graph: &Graph, node: &Node) -> bool {
    // What reads state has no operands.
    let Some(&first) = node.operands.first() else {
        return false;
    };
    let dtype = graph.ty(first).dtype;
    match &node.op {
        Op::Quantised(op) => match &*op.op {
            Op::Binary(op) => {
                matches!(op.f, BinaryFn::Add | BinaryFn::Sub | BinaryFn::Mul)
            }
            Op::Linear(_) | Op::Conv(_) => true,
            _ => false,
        },
        Op::Binary(op) => {
            let is_pair = matches!(
                op.f,
                BinaryFn::Add | BinaryFn::Sub | BinaryFn::Mul | BinaryFn::Div
            );
            is_pair && dtype.is_float()
        }
        Op::Linear(_) | Op::Conv(_) | Op::Dequantised(_) => dtype.is_float(),
        _ => false,
    }
}

/// The range of a node that is a clamp.
pub(crate) fn clamp_of(graph: &Graph, node: &Node) -> Option<Clamp> {
    let Op::Unary(op) = &node.op else { return None };
    let ty = graph.ty(*node.operands.first()?);
    if ty.quant.is_some() {
        return integers::bounds(ty, op.f);
    }
    let UnaryFn::Clamp { min, max } = op.f else {
        return None;
    };
    Some(Clamp {
        min: min.map_or(f32::NEG_INFINITY, |s| s.as_f64() as f32),
        max: max.map_or(f32::INFINITY, |s| s.as_f64() as f32),
    })
}

/// The producer into which a clamp is fused, if the clamp is its only reader.
pub(crate) fn fuses_into(graph: &Graph, node: &Node) -> Option<NodeId> {
    clamp_of(graph, node)?;
    let x = node.operands[0];
    let producer = graph.producer(x)?;
    let only = matches!(graph.value(x).uses(), [Use::Operand(..)]);
    (only && clamps(graph, graph.node(producer))).then_some(producer)
}

fn fused_clamps(graph: &Graph, layouts: &Layouts, nodes: &[NodeId]) -> FxHashMap<NodeId, Fused> {
    let members: rustc_hash::FxHashSet<NodeId> = nodes.iter().copied().collect();
    let mut fused = FxHashMap::default();
    for &id in nodes {
        let node = graph.node(id);
        let Some(clamp) = clamp_of(graph, node) else {
            continue;
        };
        let Some(producer) = fuses_into(graph, node).filter(|p| members.contains(p)) else {
            continue;
        };
        if layouts.order(producer) == layouts.order(id) {
            let result = node.result();
            fused.insert(producer, Fused { clamp, result });
        }
    }
    fused
}
