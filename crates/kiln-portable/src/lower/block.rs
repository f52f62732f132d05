//! Lowers blocks: the root block with the signature and state, and the bodies of branches and loops.

use super::context::{Bound, Frame, Lower, Scope};
use super::slot::{Places, Slot, grant, note_read, note_read_at_end, settle};
use crate::draft::{TensorSpec, scalar_value};
use crate::error::EmitError;
use crate::memory::Buffer;
use crate::order::{Task, places, tasks};
use kiln_ir::graph::{CellInit, InputSpec, OutputSpec};
use kiln_ir::{BlockId, CellId, Id, NodeId, Op, ValueId};
use kiln_pte::{Value, ValueIndex};
use kiln_transforms::framework::target::Reason;

/// The limit on nested blocks: each level takes stack.
const MAX_NESTING: usize = 64;

/// The reason why a block cannot be lowered, and the node.
#[derive(Debug)]
pub(crate) struct Failure {
    pub node: Option<NodeId>,
    pub reason: Reason,
}

impl From<Reason> for Failure {
    fn from(reason: Reason) -> Failure {
        Failure { node: None, reason }
    }
}

/// Lowers the whole method.
pub(crate) fn lower_root(cx: &mut Lower<'_, '_>) -> Result<(), EmitError> {
    root(cx).map_err(|failure| match failure.node {
        Some(node) => EmitError::node(cx.graph, node, failure.reason),
        None => EmitError::method(cx.graph, failure.reason),
    })
}

fn root(cx: &mut Lower<'_, '_>) -> Result<(), Failure> {
    let graph = cx.graph;
    inputs(cx)?;
    cx.solve_symbols();
    cells(cx)?;
    let slots: Vec<Slot> = graph
        .updates()
        .iter()
        .map(|update| Slot {
            tensor: cx.cells[update.cell.index()],
            old: old_contents(cx, update.cell),
            hidden_read: None,
            next: update.value,
        })
        .collect();
    tasks_of(cx, graph.root(), &slots)?;
    cx.draft.at = None;
    let mut results = Vec::new();
    for &value in &graph.block(graph.root()).results {
        results.push(cx.any_tensor(value)?);
    }
    settle(cx, &slots, &mut results)?;
    outputs(cx, &results);
    Ok(())
}

fn is_updated(cx: &Lower<'_, '_>, cell: CellId) -> bool {
    cx.graph.updates().iter().any(|u| u.cell == cell)
}

/// True if the program changes the input at this position.
fn is_mutated(cx: &Lower<'_, '_>, position: usize) -> bool {
    let of_input = |init: CellInit| matches!(init, CellInit::Input(i) if i as usize == position);
    let mut cells = cx.graph.cells();
    cells.any(|(id, cell)| of_input(cell.init) && is_updated(cx, id))
}

fn inputs(cx: &mut Lower<'_, '_>) -> Result<(), Reason> {
    let graph = cx.graph;
    let mut params = graph.block(graph.root()).params.iter();
    for (position, input) in graph.signature.inputs.iter().enumerate() {
        let index = match input {
            InputSpec::Tensor { dim_order, .. } => {
                let &param = params.next().ok_or_else(|| {
                    Reason::new(
                        "each tensor input is a parameter",
                        "too few (a bug in Kiln)",
                    )
                })?;
                let ty = graph.ty(param);
                let spec = cx.spec(ty.dtype, &ty.shape, dim_order.clone())?;
                let buffer = cx.draft.buffer(Buffer {
                    from_start: true,
                    state: is_mutated(cx, position),
                    ..Buffer::of(spec.bytes())
                });
                let tensor = cx.draft.tensor_in(&spec, buffer, 0);
                cx.own(tensor, graph.root());
                cx.bind_tensor(param, tensor);
                cx.learn_sizes(param, tensor);
                tensor
            }
            InputSpec::None => cx.draft.add(Value::None),
            InputSpec::Scalar(scalar) => cx.draft.add(scalar_value(*scalar)),
            // A runner has no tensor for a string, and the program does not read it.
            InputSpec::Text(_) => cx.draft.add(Value::None),
        };
        cx.draft.method.inputs.push(index);
    }
    Ok(())
}

/// Binds the state cells. A cell that is never updated is its constant; any other cell has memory for as long as the
/// method is loaded.
fn cells(cx: &mut Lower<'_, '_>) -> Result<(), Reason> {
    let graph = cx.graph;
    for (id, cell) in graph.cells() {
        let tensor = match cell.init {
            CellInit::Input(position) => cx.draft.method.inputs[position as usize],
            CellInit::Constant(constant) => {
                let data = graph.constant(constant).data.clone();
                if is_updated(cx, id) {
                    let initial = cx.draft.program.initial_data.intern(data.content().clone());
                    let spec = TensorSpec::of_data(&data);
                    let buffer = cx.draft.buffer(Buffer {
                        state: true,
                        initial: Some(initial),
                        ..Buffer::of(spec.bytes())
                    });
                    cx.draft.tensor_in(&spec, buffer, 0)
                } else {
                    cx.literal(data)
                }
            }
        };
        if cx.cells.len() <= id.index() {
            cx.cells.resize(id.index() + 1, tensor);
        }
        cx.cells[id.index()] = tensor;
    }
    Ok(())
}

/// The values that hold the old content of a cell.
fn old_contents(cx: &Lower<'_, '_>, cell: CellId) -> Vec<ValueId> {
    let graph = cx.graph;
    let reads = graph
        .nodes_in(graph.root())
        .filter_map(|(_, node)| match &node.op {
            Op::ReadState(op) if op.cell == cell => Some(node.results[0]),
            _ => None,
        });
    let mut old: Vec<ValueId> = reads.collect();
    let tensor = cx.cells[cell.index()];
    let params = graph.block(graph.root()).params.iter();
    old.extend(params.filter(|&&p| matches!(cx.peek(p), Some(Bound::Tensor(t)) if t == tensor)));
    old
}

fn outputs(cx: &mut Lower<'_, '_>, results: &[ValueIndex]) {
    let mut results = results.iter();
    for output in &cx.graph.signature.outputs {
        let index = match output {
            OutputSpec::Tensor { .. } => *results.next().expect("the verifier counts results"),
            OutputSpec::None => cx.draft.add(Value::None),
            OutputSpec::Scalar(scalar) => cx.draft.add(scalar_value(*scalar)),
            OutputSpec::Text(text) => cx.draft.add(Value::String(text.clone())),
        };
        if let Some((buffer, _)) = cx.draft.memory[index.index()] {
            cx.draft.buffers[buffer.0].to_end = true;
        }
        cx.draft.method.outputs.push(index);
    }
}

/// Lowers a nested block whose parameters are bound. Its results go to the slots.
pub(super) fn nested(
    cx: &mut Lower<'_, '_>,
    block: BlockId,
    slots: &[Slot],
) -> Result<(), Failure> {
    tasks_of(cx, block, slots)?;
    settle(cx, slots, &mut [])?;
    Ok(())
}

/// Calls `lower` in a new scope.
pub(super) fn scoped<T>(
    cx: &mut Lower<'_, '_>,
    lower: impl FnOnce(&mut Lower<'_, '_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    cx.scopes.push(Scope::default());
    let result = lower(cx);
    cx.scopes.pop();
    result
}

/// Lowers the block's tasks in order.
pub(super) fn tasks_of(
    cx: &mut Lower<'_, '_>,
    block: BlockId,
    slots: &[Slot],
) -> Result<(), Failure> {
    let graph = cx.graph;
    if cx.frames.len() >= MAX_NESTING {
        let rule = format!("branches and loops are nested at most {MAX_NESTING} deep");
        return Err(Reason::new(rule, "more").into());
    }
    let (regions, in_region) = (cx.regions, cx.in_region);
    for (_, node) in graph.nodes_in(block) {
        if let Op::ReadState(op) = &node.op {
            let tensor = cx.cells[op.cell.index()];
            cx.bind_tensor(node.results[0], tensor);
        }
    }
    let tasks = tasks(graph, block, in_region)?;
    let place_of = places(graph, &tasks, regions);
    let slots = note_reads(cx, block, &place_of, slots);
    let places = Places {
        all: &place_of,
        in_region,
    };
    grant(cx, &slots, &places);
    cx.frames.push(Frame { block, place: 0 });
    super::join::grant(cx, block);
    for (place, task) in tasks.iter().enumerate() {
        if let Some(frame) = cx.frames.last_mut() {
            frame.place = place;
        }
        cx.draft.at = match *task {
            Task::Node(node) => Some(node),
            Task::Region(number) => regions[number].nodes.first().copied(),
        };
        match *task {
            Task::Node(node) => super::lower(cx, node).map_err(|failure| Failure {
                node: failure.node.or(Some(node)),
                ..failure
            })?,
            Task::Region(number) => {
                let region = &regions[number];
                super::region::call(cx, region).map_err(|reason| Failure {
                    node: region.nodes.first().copied(),
                    reason,
                })?;
            }
        }
    }
    cx.frames.pop();
    Ok(())
}

/// Finds the last task that reads each value, and the reads of cells inside branches and loops.
fn note_reads(
    cx: &mut Lower<'_, '_>,
    block: BlockId,
    place_of: &[Option<usize>],
    slots: &[Slot],
) -> Vec<Slot> {
    let graph = cx.graph;
    let mut slots = slots.to_vec();
    for (id, node) in graph.nodes_in(block) {
        let place = place_of[id.index()].expect("every node of the block has a place");
        for &operand in &node.operands {
            note_read(cx, operand, place);
        }
        for cell in cells_read_inside(cx, &node.op) {
            let tensor = cx.cells[cell.index()];
            for slot in slots.iter_mut().filter(|s| s.tensor == tensor) {
                slot.hidden_read = slot.hidden_read.max(Some(place));
            }
        }
    }
    let ends = graph.block(block).results.iter().copied();
    for value in ends.chain(slots.iter().map(|s| s.next)) {
        note_read_at_end(cx, value);
    }
    slots
}

fn cells_read_inside(cx: &Lower<'_, '_>, op: &Op) -> Vec<CellId> {
    let mut found = Vec::new();
    for body in op.bodies() {
        for (_, node) in cx.graph.nodes_in(body) {
            if let Op::ReadState(op) = &node.op {
                found.push(op.cell);
            }
            found.extend(cells_read_inside(cx, &node.op));
        }
    }
    found
}
