//! The lowering of the core graph to calls.
//!
//! Nodes lower in graph order, each in the memory order that the layout gave it. A value in a memory order is a buffer with
//! permuted sizes. A movement does not lower where it stands: each reader of its result takes it from the buffer that needs the
//! least movement. A reshape is free.
//!
//! # Invariants
//! - A node is supported exactly if it lowers: [`trial`] lowers it on inputs of its own.
//! - The verifier takes each call when it is added, so a program of the lowering has no faults.
//! - The same graph gives the same program.

mod affine;
mod bias;
mod control;
mod conv;
mod data;
mod deep;
mod elementwise;
mod empty;
mod exact;
mod floats;
mod fold;
mod gain;
mod goal;
mod linear;
mod parts;
mod pool;
mod positions;
mod reduce;
mod resize;
mod sizes;
mod softmax;
mod state;
mod strided;
mod table;
mod transposed;
mod window;

use crate::dialect::{Build, Call, Program, Role};
use crate::linked::{Linked, Machine};
use crate::orders::{MOVERS, Orders, ROWS};
use exact::is_in_integers;
use goal::Goal;
use kiln_ir::graph::Node;
use kiln_ir::ops::{self, Meaning, PadMode, Quantised, ReduceFn, UnaryFn};
use kiln_ir::{DType, Graph, NodeId, Op, Scalar, SymbolId, ValueId};
use kiln_target::{Border, operands};
use kiln_transforms::analysis::constants::is_constant;
use kiln_transforms::framework::pass::{names, provenance};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::{Holdings, Layouts, Order, OrderRules, not_moved};
pub(crate) use parts::Origin;
use parts::{Parts, TensorId, dtype_of};
use rustc_hash::FxHashMap;
use state::Cells;
pub(crate) use strided::steps_of;

/// A program, and where each call comes from.
pub(crate) struct Lowered {
    pub(crate) program: Program,
    /// One for each call.
    pub(crate) origins: Vec<Origin>,
}

/// Lowers nodes of one block, in graph order. All of them are supported.
///
/// # Errors
/// If a node is not supported: the node, and why.
pub(crate) fn lower(
    graph: &Graph,
    layouts: &Layouts,
    nodes: &[NodeId],
    border: &Border,
    machine: Machine,
) -> Result<Lowered, (Option<NodeId>, Reason)> {
    let mut lowering = Lowering::new(graph, &with_bodies(graph, nodes), machine);
    lowering.layouts = Some(layouts);
    lowering.keeps_bits = is_in_integers(graph);
    for port in &border.inputs {
        let order = layouts.border(graph, port.outer);
        let made = lowering.port(port, &order);
        made.map_err(|reason| (None, reason))?;
    }
    for &id in nodes {
        if border.replaces(graph, id) {
            continue;
        }
        let layer = names(graph, id).into_iter().next().unwrap_or_default();
        lowering.parts.locate(layer, provenance(graph, id));
        lowering.parts.at(Some(id));
        let made = lowering.node(graph.node(id), layouts.order(id));
        made.map_err(|reason| (Some(id), reason))?;
    }
    lowering.parts.locate("output".into(), String::new());
    lowering.parts.at(None);
    for port in &border.outputs {
        let order = layouts.border(graph, port.outer);
        let made = lowering.operand(port.value, &order);
        let made = made.and_then(|tensor| lowering.parts.output(tensor, &port.name));
        made.map_err(|reason| (graph.producer(port.value), reason))?;
    }
    if machine.linked == Linked::Project {
        lowering.updates().map_err(|reason| (None, reason))?;
    }
    Ok(lowering.parts.finish())
}

/// Nodes, and those of the blocks in them.
fn with_bodies(graph: &Graph, nodes: &[NodeId]) -> Vec<NodeId> {
    let mut all = nodes.to_vec();
    let mut at = 0;
    while let Some(&id) = all.get(at) {
        for body in graph.node(id).op.bodies() {
            all.extend(graph.nodes_in(body).map(|(id, _)| id));
        }
        at += 1;
    }
    all
}

/// Lowers one node by itself, on inputs of its own, in the memory order that the rules want. The program has the calls of the
/// node, and no outputs.
///
/// # Errors
/// If the node does not lower: why.
pub fn trial(graph: &Graph, id: NodeId, build: Build) -> Result<Program, Reason> {
    let machine = Machine {
        build,
        linked: Linked::Project,
    };
    trial_on(graph, id, machine)
}

/// As [`trial`], for what the calls are linked with.
pub(crate) fn trial_on(graph: &Graph, id: NodeId, machine: Machine) -> Result<Program, Reason> {
    let node = graph.node(id);
    // Movements in the node's blocks belong to it.
    let members: Vec<NodeId> = with_bodies(graph, &[id]).split_off(1);
    let mut lowering = Lowering::new(graph, &members, machine);
    let order = own_order(graph, node);
    for &value in &node.operands {
        if !is_constant(graph, value) {
            let own = order_of(graph, value, &order);
            lowering.input("x", value, &own)?;
        }
    }
    lowering.node(node, &order)?;
    Ok(lowering.parts.finish().program)
}

/// Whether an op takes elements of any type: it moves, converts or passes them on.
fn only_moves(op: &Op) -> bool {
    matches!(
        op,
        Op::Broadcast(_)
            | Op::Slice(_)
            | Op::SliceUpdate(_)
            | Op::Reverse(_)
            | Op::Pad(_)
            | Op::Concat(_)
            | Op::Cast(_)
            | Op::Select(_)
            | Op::Index(_)
            | Op::Gather(_)
            | Op::IndexPut(_)
            | Op::If(_)
            | Op::While(_)
    )
}

/// The memory order that the rules want for a node, or the plain one.
fn own_order(graph: &Graph, node: &Node) -> Order {
    let rank = node.results.first().map_or(0, |&v| graph.ty(v).rank());
    let required = Orders.required(graph, node);
    required.unwrap_or_else(|| Order::plain(rank))
}

/// The memory order of a node's operand. An operand of another rank is plain.
fn order_of(graph: &Graph, value: ValueId, order: &Order) -> Order {
    match graph.ty(value).rank() {
        rank if rank == order.rank() => order.clone(),
        rank => Order::plain(rank),
    }
}

pub(crate) struct Lowering<'a> {
    graph: &'a Graph,
    /// Results keep the bits that the library gives for the usual factors. A node by itself is lowered so.
    keeps_bits: bool,
    parts: Parts<'a>,
    holdings: Holdings<'a, TensorId>,
    cells: Cells,
    /// The memory orders of the nodes. `None` for a node by itself, which has the order that the rules want.
    layouts: Option<&'a Layouts>,
    /// The tensors with the numbers that are bound to symbols.
    symbols: FxHashMap<SymbolId, TensorId>,
}

impl<'a> Lowering<'a> {
    fn new(graph: &'a Graph, nodes: &[NodeId], machine: Machine) -> Lowering<'a> {
        Lowering {
            graph,
            keeps_bits: true,
            parts: Parts::new(graph, machine),
            holdings: Holdings::new(graph, nodes, MOVERS),
            cells: Cells::default(),
            layouts: None,
            symbols: FxHashMap::default(),
        }
    }

    /// Adds the next input, a value in this memory order.
    fn input(&mut self, name: &str, value: ValueId, order: &Order) -> Result<(), Reason> {
        let dtype = dtype_of(self.graph.ty(value).dtype)?;
        let sizes = self.sizes(value, order)?;
        let tensor = self.parts.input(name, dtype, &sizes, Role::Input);
        self.holdings.hold(value, order, tensor);
        Ok(())
    }

    /// The sizes of a value in a memory order.
    fn sizes(&self, value: ValueId, order: &Order) -> Result<Vec<usize>, Reason> {
        let shape = &self.graph.ty(value).shape;
        order
            .dims(shape, ROWS)
            .iter()
            .map(|dim| window::known(dim, &self.graph.symbols))
            .collect::<Result<_, Reason>>()
    }

    /// The tensor of a value in a memory order.
    fn operand(&mut self, value: ValueId, order: &Order) -> Result<TensorId, Reason> {
        let found = self.holdings.operand(&mut self.parts, value, order);
        found.map_err(not_moved)
    }

    /// The first operand of a dense op in its memory order. The innermost axis may be permuted if that saves a transpose. The
    /// weight has to be permuted alike then: what belongs to index `i` stands at `places[i]`.
    fn dense_operand(
        &mut self,
        node: &Node,
        order: &Order,
    ) -> Result<(TensorId, Option<Vec<usize>>), Reason> {
        let found = self.holdings.dense_operand(&mut self.parts, node, order);
        found.map_err(not_moved)
    }

    /// The operands of a node in its memory order.
    fn operands(&mut self, node: &Node, order: &Order) -> Result<Vec<TensorId>, Reason> {
        let values = node.operands.iter();
        values
            .map(|&value| self.operand(value, &order_of(self.graph, value, order)))
            .collect()
    }

    /// The call that computed a value into a tensor, if exactly one node reads the value and every value that it was moved from.
    /// `None` if the value's node gave the tensor of its operand, which others may read.
    fn sole_maker(&self, mut value: ValueId, tensor: TensorId) -> Option<&Call> {
        while self.graph.value(value).uses().len() == 1 {
            let id = self.graph.producer(value)?;
            let node = self.graph.node(id);
            if !matches!(node.op, Op::Move(_)) {
                return self.parts.maker_of(tensor, id);
            }
            value = node.operands[0];
        }
        None
    }

    /// Checks that 32 bits count the elements of every tensor. The runtime's kernels also refuse tensors without elements.
    fn check_sizes(&self, node: &Node) -> Result<(), Reason> {
        let least = match self.parts.linked() {
            Linked::Project => 0,
            Linked::Runtime => 1,
        };
        for &value in node.operands.iter().chain(&node.results) {
            let shape = &self.graph.ty(value).shape;
            let mut sizes = shape.iter().map(|d| d.as_const().unwrap_or(1));
            let elements = sizes.try_fold(1i64, i64::checked_mul);
            if !elements.is_some_and(|n| (least..1 << 31).contains(&n)) {
                let rule = "a buffer has at most 2^31 - 1 elements";
                return Err(Reason::new(rule, self.graph.type_text(value)));
            }
        }
        Ok(())
    }

    fn node(&mut self, node: &Node, order: &Order) -> Result<(), Reason> {
        if matches!(node.op, Op::Constant(_) | Op::Move(_)) {
            return Ok(());
        }
        if self.parts.linked() == Linked::Project
            && let Some(made) = self.without_elements(node, order)
        {
            return made;
        }
        self.check_sizes(node)?;
        if !only_moves(&node.op) && node.operands.iter().any(|&v| self.is_half(v)) {
            return Err(self.no_kernel(node));
        }
        if let Op::ReadState(op) = &node.op {
            return self.read_state(node, op.cell);
        }
        match &node.op {
            Op::If(op) => return self.branch(node, op),
            Op::While(op) => return self.repeat(node, op),
            Op::BindSymbol(op) => return self.bind_symbol(node, op.symbol),
            Op::DimValue(op) => {
                let made = self.dim_value(&op.dim)?;
                self.holdings.hold(node.result(), &Order::plain(0), made);
                return Ok(());
            }
            _ => {}
        }
        if let (Op::Pool(op), [values, places]) = (&node.op, &node.results[..]) {
            let made = self.positions(node, op, order)?;
            self.holdings.hold(*places, order, made);
            let greatest = match self.graph.ty(*values).quant {
                Some(_) => self.max_pool(node, op, order)?,
                None => self.float_pool(node, op, order)?,
            };
            self.holdings.hold(*values, order, greatest);
            return Ok(());
        }
        if let Some(made) = self.ordered(node) {
            for (&value, tensor) in node.results.iter().zip(made?) {
                let plain = Order::plain(self.graph.ty(value).rank());
                self.holdings.hold(value, &plain, tensor);
            }
            return Ok(());
        }
        let made = self.result(node, order)?;
        self.holdings.hold(node.results[0], order, made);
        Ok(())
    }

    fn result(&mut self, node: &Node, order: &Order) -> Result<TensorId, Reason> {
        let is_quantised = node
            .operands
            .first()
            .is_some_and(|&v| self.graph.ty(v).quant.is_some());
        if is_quantised && node.op.on_quantised() == Meaning::Computed {
            return self.computed(node, order);
        }
        match &node.op {
            Op::Quantised(op) => self.quantised(node, op, order),
            Op::Requantize(op) => self.requantize(node, (&op.quant, op.dtype), order),
            Op::Pool(op) if node.results.len() == 1 && is_quantised => {
                self.max_pool(node, op, order)
            }
            Op::Reduce(op) if is_quantised && matches!(op.f, ReduceFn::Max | ReduceFn::Min) => {
                self.reduce_extreme(node, op, order)
            }
            Op::Resize(op) if is_quantised => self.carried_resize(node, op),
            Op::ArgReduce(op) => self.argmax(node, op, order),
            Op::Broadcast(_) => self.broadcast_to(node, order),
            Op::Slice(op) => self.slice(node, op, order),
            Op::SliceUpdate(op) => self.slice_update(node, op, order),
            Op::Reverse(op) => self.reverse(node, &op.axes, order),
            Op::Pad(op) => self.pad(node, op, order),
            Op::Concat(op) => self.concat(node, op.axis, order),
            _ => self.plain(node, order),
        }
    }

    /// Lowers an op that computes with the reals of a quantised operand, and whose result keeps the quantisation.
    fn computed(&mut self, node: &Node, order: &Order) -> Result<TensorId, Reason> {
        match &node.op {
            Op::Unary(op) => {
                if let UnaryFn::Clamp { min, max } = op.f {
                    return self.quantised_clamp(node, [min, max], order);
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
        let ty = self.graph.ty(node.results[0]);
        let quant = ty.quant.clone();
        let quant = quant.ok_or_else(|| Reason::new("the result is quantised", ty.dtype.name()))?;
        let (op, dtype) = (Box::new(node.op.clone()), ty.dtype);
        self.quantised(node, &Quantised { op, quant, dtype }, order)
    }

    /// The integer that stands for the real of a border.
    fn quantised_value(&self, value: ValueId, real: Scalar) -> Result<Scalar, Reason> {
        operands::integer(self.graph, value, real).map(Scalar::Int)
    }

    fn quantised(&mut self, node: &Node, q: &Quantised, order: &Order) -> Result<TensorId, Reason> {
        let to = Goal {
            is_exact: self.is_exact(node, q),
            ..Goal::of(q)?
        };
        match &*q.op {
            Op::Conv(op) => self.quantised_conv(node, op, &to, order),
            Op::Linear(_) => self.quantised_linear(node, &to, order),
            Op::MatMul(_) => self.quantised_matmul(node, &to),
            Op::Unary(_) => self.quantised_function(node, q, 0, order),
            Op::Binary(op) => self.quantised_binary(node, q, op.f, &to, order),
            Op::Reduce(op) => self.quantised_reduce(node, op, &to, order),
            Op::Pool(op) => self.quantised_pool(node, op, &to, order),
            Op::Softmax(op) => self.quantised_softmax(node, op, &to, order),
            Op::Resize(op) => self.quantised_resize(node, op, &to),
            other => Err(Reason::new(
                "no function in integers computes the op",
                other.function(),
            )),
        }
    }

    fn is_half(&self, value: ValueId) -> bool {
        matches!(self.graph.ty(value).dtype, DType::F16 | DType::BF16)
    }

    /// The reason for a node that no kernel computes.
    fn no_kernel(&self, node: &Node) -> Reason {
        let operands = node.operands.iter();
        let mut types: Vec<String> = operands.map(|&v| self.graph.type_text(v)).collect();
        if types.is_empty() {
            types.push("nothing that takes its place".into());
        }
        let rule = format!("no kernel of C projects computes {}", node.op.function());
        Reason::new(rule, types.join(", "))
            .advise("compute it outside of the project, or compile for xnnpack")
    }
}
