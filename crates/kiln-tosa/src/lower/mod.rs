//! The lowering of the core graph to TOSA.
//!
//! Nodes lower in graph order, each in the memory order that the layout gave it. A value in a memory order *is* a
//! tensor of the permuted shape, so the file has no transposes but those that the lowering emits. Movements do not
//! lower where they stand: each reader of the result takes it from the tensor that needs the least movement.
//!
//! # Invariants
//! - A node is supported exactly if it lowers: [`trial`] lowers it on inputs of its own.
//! - The same graph gives the same file.

mod averages;
mod bias;
mod cast;
mod contraction;
mod control;
mod conv;
mod data;
mod division;
mod elementwise;
mod indexing;
mod joined_axes;
mod parts;
mod power;
mod quantised;
mod reals;
mod reduce;
mod rescale;
mod resize;
mod step;
mod strided;
mod sums;
mod table;
mod ties;
mod weights;
mod window;

use crate::dialect::{Builder, TensorId, TosaGraph, TosaOp};
use crate::machine::Machine;
use crate::orders::Orders;
use crate::orders::ROWS;
use kiln_ir::graph::Node;
use kiln_ir::ops::{self, BinaryFn, CompareFn, Meaning, PadMode, Simple, UnaryFn};
use kiln_ir::{CellId, DType, Graph, NodeId, Op, ShapeNames, ValueId};
use kiln_target::{Border, operands};
use kiln_transforms::analysis::constants::is_constant;
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::{Holdings, Layouts, Order, OrderRules, not_moved};
pub(crate) use parts::{Parts, dtype_of};
use weights::Weight;

/// Lowers nodes of one block. All of them are supported.
///
/// # Errors
/// If a node is not supported: the node, and why.
pub(crate) fn lower(
    graph: &Graph,
    layouts: &Layouts,
    nodes: &[NodeId],
    ports: &Border,
    machine: Machine,
) -> Result<TosaGraph, (Option<NodeId>, Reason)> {
    let mut builder = Builder::new();
    let mut lowering = Lowering::new(graph, Some(layouts), nodes, &mut builder, machine);
    let border = |reason| (None, reason);
    for port in &ports.inputs {
        let order = layouts.border(graph, port.outer);
        lowering
            .input(&port.name, port.value, &order)
            .map_err(border)?;
    }
    for &id in nodes {
        if ports.replaces(graph, id) {
            continue;
        }
        let location = kiln_transforms::framework::pass::provenance(graph, id);
        lowering
            .parts
            .builder()
            .locate((!location.is_empty()).then_some(location.as_str()));
        let node = graph.node(id);
        lowering
            .node(node, layouts.order(id))
            .map_err(|reason| (Some(id), reason))?;
    }
    let mut outputs = Vec::new();
    for port in &ports.outputs {
        let order = layouts.border(graph, port.outer);
        let made = lowering.output(&port.name, port.value, &order);
        outputs.push(made.map_err(|reason| (graph.producer(port.value), reason))?);
    }
    drop(lowering);
    Ok(builder.finish(&outputs))
}

/// Lowers one node by itself, on inputs of its own in the memory order that the rules want. The graph has the operators
/// that the node takes. It has no outputs.
///
/// # Errors
/// If the node does not lower: why.
pub fn trial(
    graph: &Graph,
    id: NodeId,
    rules: &dyn OrderRules,
    machine: Machine,
) -> Result<TosaGraph, Reason> {
    let node = graph.node(id);
    let mut builder = Builder::new();
    let mut lowering = Lowering::new(graph, None, &[], &mut builder, machine);
    let order = own_order(graph, node, rules);
    for &value in &node.operands {
        if !is_constant(graph, value) {
            let ty = graph.ty(value);
            let own = if ty.rank() == order.rank() {
                order.clone()
            } else {
                Order::plain(ty.rank())
            };
            lowering.input("x", value, &own)?;
        }
    }
    lowering.node(node, &order)?;
    drop(lowering);
    Ok(builder.finish(&[]))
}

/// The memory order that the rules want for a node, or the plain one.
fn own_order(graph: &Graph, node: &Node, rules: &dyn OrderRules) -> Order {
    let rank = node.results.first().map_or(0, |&v| graph.ty(v).rank());
    let required = rules.required(graph, node);
    required.unwrap_or_else(|| Order::plain(rank))
}

pub(crate) struct Lowering<'a, 'b> {
    pub(crate) graph: &'a Graph,
    /// The layout; `None` if a node is lowered by itself.
    layouts: Option<&'a Layouts>,
    pub(crate) parts: Parts<'a, 'b>,
    holdings: Holdings<'a, TensorId>,
}

impl<'a, 'b> Lowering<'a, 'b> {
    fn new(
        graph: &'a Graph,
        layouts: Option<&'a Layouts>,
        nodes: &[NodeId],
        builder: &'b mut Builder,
        machine: Machine,
    ) -> Lowering<'a, 'b> {
        Lowering {
            graph,
            layouts,
            parts: Parts::new(graph, builder, machine),
            holdings: Holdings::new(graph, nodes, crate::orders::MOVERS),
        }
    }

    /// The memory order in which the node computes.
    fn order_of(&self, id: NodeId) -> Order {
        let chosen = self.layouts.map(|layouts| layouts.order(id).clone());
        chosen.unwrap_or_else(|| own_order(self.graph, self.graph.node(id), &Orders::default()))
    }

    /// Adds the next input of the region: the value in that order.
    fn input(&mut self, name: &str, value: ValueId, order: &Order) -> Result<(), Reason> {
        let dtype = dtype_of(self.graph.ty(value).dtype)?;
        let shape = self.sizes(value, order)?;
        let tensor = self.parts.input(name, dtype, &shape);
        self.holdings.hold(value, order, tensor);
        Ok(())
    }

    /// The tensor that becomes an output: the value in that order, in a tensor of its own.
    fn output(&mut self, name: &str, value: ValueId, order: &Order) -> Result<TensorId, Reason> {
        let made = self.operand(value, order)?;
        // An input or a constant that is returned, and a value that is returned twice, are copied.
        let tensor = match self.parts.claim(made) {
            true => made,
            false => self.parts.op(TosaOp::Identity, &[made])?,
        };
        self.parts.builder().rename(tensor, name);
        Ok(tensor)
    }

    /// The sizes of a value in a memory order.
    fn sizes(&self, value: ValueId, order: &Order) -> Result<Vec<usize>, Reason> {
        let shape = &self.graph.ty(value).shape;
        let dims = order.dims(shape, ROWS);
        let sizes = dims
            .iter()
            .map(|d| d.as_const().and_then(|n| usize::try_from(n).ok()));
        sizes
            .collect::<Option<Vec<usize>>>()
            .ok_or_else(|| operands::not_fixed(ShapeNames(shape, &self.graph.symbols).to_string()))
    }

    /// The value in a memory order.
    pub(crate) fn operand(&mut self, value: ValueId, order: &Order) -> Result<TensorId, Reason> {
        let found = self.holdings.operand(&mut self.parts, value, order);
        found.map_err(not_moved)
    }

    /// The operand of a dense op in its memory order. Its innermost axis may be permuted if that saves a transpose, and
    /// the weight is permuted likewise: what belongs to index `i` stands at `places[i]`.
    pub(crate) fn dense_operand(
        &mut self,
        node: &Node,
        order: &Order,
    ) -> Result<(TensorId, Option<Vec<usize>>), Reason> {
        let found = self.holdings.dense_operand(&mut self.parts, node, order);
        found.map_err(not_moved)
    }

    /// The weight with an axis permuted as the operand's is.
    pub(crate) fn followed(
        &mut self,
        weight: Weight,
        axis: usize,
        places: Option<Vec<usize>>,
    ) -> Result<Weight, Reason> {
        match places {
            Some(places) => weight.scattered(axis, &places),
            None => Ok(weight),
        }
    }

    /// The operands of a node in its memory order; those of another rank in the plain one.
    pub(crate) fn operands(&mut self, node: &Node, order: &Order) -> Result<Vec<TensorId>, Reason> {
        let own = |value: ValueId| match self.graph.ty(value).rank() {
            rank if rank == order.rank() => order.clone(),
            rank => Order::plain(rank),
        };
        let orders: Vec<(ValueId, Order)> = node.operands.iter().map(|&v| (v, own(v))).collect();
        orders
            .iter()
            .map(|(value, order)| self.operand(*value, order))
            .collect()
    }

    /// Records the tensors of a node's results.
    fn made(&mut self, value: ValueId, order: &Order, tensor: TensorId) {
        self.holdings.hold(value, order, tensor);
    }

    /// Every tensor has at least one element, and at most as many as the level allows (`MAX_LOG2_SIZE`, TOSA 1.0, 8K).
    /// So no size is 0 in what follows, and what is done per element ends.
    fn check_sizes(&self, node: &Node) -> Result<(), Reason> {
        for &value in node.operands.iter().chain(&node.results) {
            let shape = &self.graph.ty(value).shape;
            let mut sizes = shape.iter().map(|d| d.as_const().unwrap_or(1));
            let elements = sizes.try_fold(1i64, i64::checked_mul);
            if !elements.is_some_and(|n| (1..1 << 31).contains(&n)) {
                let rule = "a tensor of TOSA has from 1 to 2^31 - 1 elements";
                return Err(Reason::new(rule, self.graph.type_text(value)));
            }
        }
        Ok(())
    }

    /// TOSA's 8-bit integers are signed. Unsigned ones have the same bits, and only ops that give the same bits for
    /// both are lowered, and changes of quantised ones ([`quantised::signed`]).
    fn check_signs(&self, node: &Node) -> Result<(), Reason> {
        let values = node.operands.iter().chain(&node.results);
        let mut unsigned = values
            .map(|&v| self.graph.ty(v))
            .filter(|ty| ty.dtype == DType::U8)
            .peekable();
        if unsigned.peek().is_none() {
            return Ok(());
        }
        if unsigned.any(|ty| ty.quant.is_some()) && !takes_unsigned_steps(&node.op) {
            return Err(Reason::new("integers have signs", "8 bits without a sign")
                .advise("quantise to int8"));
        }
        match takes_bits(&node.op) {
            true => Ok(()),
            false => Err(Reason::new(
                "integers have signs",
                format!("{} of 8 bits without a sign", node.op.name()),
            )
            .advise("compute in int32")),
        }
    }

    /// Ops that compute with the reals of a quantised operand, and whose result has the same scale.
    fn computed(&mut self, node: &Node, order: &Order) -> Result<TensorId, Reason> {
        match &node.op {
            Op::Unary(op) => {
                if let UnaryFn::Clamp { min, max } = op.f {
                    return self.quantised_clamp(node, min, max, order);
                }
            }
            Op::Pad(op) => {
                if let PadMode::Constant(real) = op.mode {
                    let value = self.quantised_value(node.operands[0], real)?;
                    let mode = PadMode::Constant(value);
                    return self.pad(node, &ops::Pad { mode, ..op.clone() }, order);
                }
            }
            _ => {}
        }
        let ty = self.graph.ty(node.result());
        let quant = ty.quant.clone();
        let quant =
            quant.ok_or_else(|| Reason::new("the result is quantised", format!("{ty:?}")))?;
        let op = Box::new(node.op.clone());
        let dtype = ty.dtype;
        self.quantised(node, &ops::Quantised { op, quant, dtype }, order)
    }

    fn node(&mut self, node: &Node, order: &Order) -> Result<(), Reason> {
        if matches!(node.op, Op::Constant(_) | Op::Move(_)) {
            return Ok(());
        }
        self.check_sizes(node)?;
        self.check_signs(node)?;
        let is_quantised = node
            .operands
            .first()
            .is_some_and(|&v| self.graph.ty(v).quant.is_some());
        if is_quantised && node.op.on_quantised() == Meaning::Computed {
            let result = self.computed(node, order)?;
            self.made(node.result(), order, result);
            return Ok(());
        }
        let result = match &node.op {
            Op::Constant(_) | Op::Move(_) => return Ok(()),
            Op::If(op) => return self.branch(node, op),
            Op::While(op) => return self.repeat(node, op),
            Op::Pool(op) if node.results.len() > 1 => {
                return Err(Reason::new("pools give no positions", node.op.function()));
            }
            Op::Unary(op) => self.unary(node, op.f, order)?,
            Op::Binary(op) => self.binary(node, op.f, order)?,
            Op::Compare(op) => self.compare(node, op.f, order)?,
            Op::Select(_) => self.select(node, order)?,
            Op::Cast(op) => self.cast(node, op.to, order)?,
            Op::Broadcast(_) => self.broadcast(node, order)?,
            Op::Slice(op) => self.slice(node, op, order)?,
            Op::Reverse(op) => self.reverse(node, &op.axes, order)?,
            Op::Pad(op) => self.pad(node, op, order)?,
            Op::Concat(op) => self.concat(node, op.axis, order)?,
            Op::Reduce(op) => self.reduce(node, op, order)?,
            Op::ArgReduce(op) => self.arg_reduce(node, op, order)?,
            Op::MatMul(_) => self.matmul(node)?,
            Op::Linear(_) => self.linear(node, order)?,
            Op::Conv(op) => self.conv(node, op, order)?,
            Op::Pool(op) => self.pool(node, op, order)?,
            Op::Resize(op) => self.resize(node, op, order)?,
            Op::Index(op) => self.index(node, op)?,
            Op::Gather(op) => self.gather(node, op.axis)?,
            Op::SliceUpdate(op) => self.slice_update(node, op, order)?,
            Op::IndexPut(op) if !op.accumulate => self.index_put(node, op)?,
            Op::Scatter(op) if op.f == ops::ScatterFn::Set => self.scatter(node, op.axis)?,
            Op::Scatter(_) | Op::IndexPut(_) => {
                return Err(Reason::new(
                    "scattered values replace",
                    "an arithmetic of them",
                ));
            }
            Op::Iota(op) => self.iota(node, op.dtype)?,
            Op::Quantised(op) => self.quantised(node, op, order)?,
            Op::Requantize(op) => self.requantize(node, &op.quant, op.dtype, order)?,
            Op::Quantize(op) => self.quantize(node, &op.quant, op.dtype, order)?,
            Op::Dequantize(_) => self.dequantize(node, order)?,
            Op::ReadState(op) => return Err(self.state(op.cell)),
            Op::DimValue(_) | Op::BindSymbol(_) => {
                let found = "a size that is known only when running";
                return Err(operands::not_fixed(found));
            }
            _ => return Err(self.no_operator(&node.op.function(), node)),
        };
        self.made(node.result(), order, result);
        Ok(())
    }

    /// The reason that TOSA has nothing for a node.
    fn no_operator(&self, what: &str, node: &Node) -> Reason {
        let operands = node.operands.iter();
        let types: Vec<String> = operands.map(|&v| self.graph.type_text(v)).collect();
        Reason::new(format!("TOSA has no operator for {what}"), types.join(", "))
            .advise("compute it outside of the file, or compile for xnnpack")
    }

    fn state(&self, cell: CellId) -> Reason {
        let name = &self.graph.cell(cell).name;
        let found = format!("buffer {name}, which the model mutates or reads as state");
        Reason::new("a TOSA file keeps no state", found)
            .advise("pass it in and out as a tensor, or compile for xnnpack")
    }
}

/// True for ops that move quantised bytes without a sign, or make them of others.
fn takes_unsigned_steps(op: &Op) -> bool {
    matches!(
        op,
        Op::Constant(_)
            | Op::Move(_)
            | Op::Broadcast(_)
            | Op::Slice(_)
            | Op::Reverse(_)
            | Op::Concat(_)
            | Op::Quantize(_)
            | Op::Dequantize(_)
            | Op::Requantize(_)
    )
}

/// True if the op gives the same low 8 bits for signed and for unsigned operands, or handles the sign itself.
fn takes_bits(op: &Op) -> bool {
    match op {
        Op::Unary(op) => matches!(op.f, UnaryFn::Simple(Simple::Neg | Simple::BitNot)),
        Op::Binary(op) => matches!(
            op.f,
            BinaryFn::Add
                | BinaryFn::Sub
                | BinaryFn::Mul
                | BinaryFn::BitAnd
                | BinaryFn::BitOr
                | BinaryFn::BitXor
                | BinaryFn::Shl
        ),
        Op::Compare(op) => matches!(op.f, CompareFn::Eq | CompareFn::Ne),
        Op::IndexPut(op) => !op.accumulate,
        Op::Scatter(op) => op.f == ops::ScatterFn::Set,
        Op::Constant(_)
        | Op::Cast(_)
        | Op::ArgReduce(_)
        | Op::Iota(_)
        | Op::Select(_)
        | Op::Move(_)
        | Op::Broadcast(_)
        | Op::Slice(_)
        | Op::SliceUpdate(_)
        | Op::Reverse(_)
        | Op::Pad(_)
        | Op::Concat(_)
        | Op::Gather(_)
        | Op::Index(_)
        | Op::If(_)
        | Op::While(_)
        | Op::Quantize(_)
        | Op::Dequantize(_)
        | Op::Requantize(_)
        | Op::Quantised(_) => true,
        _ => false,
    }
}
