//! State: the contents that a run keeps for the next one, and inputs that a run changes.
//!
//! A cell is a buffer. A read takes the buffer as it is. Updates follow the last read: at the end of the run the cell has the new
//! content of the graph.
//!
//! ```text
//! y = a + s                      y = a + s
//! t = y * b                      z = s - c
//! z = s - c             =>       s = y * b
//! s := t
//! ```
//!
//! The calls that compute the new content write it into the cell itself if all reads of the old content can come first; calls may
//! be moved for that. Otherwise the new content is copied at the end.

use super::data::narrow;
use super::parts::{Parts, TensorId, dtype_of};
use super::strided::Walk;
use super::{Lowering, Order};
use crate::dialect::{
    Activation, BufferId, Call, Dtype, IntegerFunction, Parameters, Program, Role, Strides,
};
use crate::linked::Linked;
use crate::verify::faults_of;
use kiln_ir::CellId;
use kiln_ir::graph::{CellInit, Node};
use kiln_target::{Port, is_updated};
use kiln_transforms::framework::target::Reason;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The tensors that are cells, with their memory orders.
#[derive(Default)]
pub(super) struct Cells {
    states: FxHashMap<CellId, (TensorId, Order)>,
    /// The tensors of the model's inputs, by position.
    inputs: FxHashMap<usize, (TensorId, Order)>,
}

impl Lowering<'_> {
    /// Adds the next input of the model, in this memory order.
    pub(super) fn port(&mut self, port: &Port, order: &Order) -> Result<(), Reason> {
        let dtype = dtype_of(self.graph.ty(port.value).dtype)?;
        let sizes = self.sizes(port.value, order)?;
        let role = match self.parts.linked() {
            Linked::Project if is_updated(self.graph, port.index) => Role::Updated,
            Linked::Project | Linked::Runtime => Role::Input,
        };
        let tensor = self.parts.input(&port.name, dtype, &sizes, role);
        let limited = self.within_range(port, tensor)?;
        self.holdings.hold(port.value, order, limited);
        let known = (tensor, order.clone());
        self.cells.inputs.insert(port.index, known);
        Ok(())
    }

    /// The integers of an input, limited to the range of the quantisation that the caller has in place of the model: a caller may
    /// use all of the type.
    fn within_range(&mut self, port: &Port, x: TensorId) -> Result<TensorId, Reason> {
        let ty = self.graph.ty(port.value);
        let Some((quant, whole)) = ty.quant.as_ref().zip(ty.dtype.int_range()) else {
            return Ok(x);
        };
        if port.value == port.outer || (quant.min, quant.max) == whole {
            return Ok(x);
        }
        let own = self.parts.dtype(x);
        if matches!(own, Dtype::I8 | Dtype::I16) {
            let (min, max) = (narrow(quant.min)?, narrow(quant.max)?);
            return self.limited(x, own, Activation { min, max });
        }
        let bounds = [
            (IntegerFunction::Max, quant.min),
            (IntegerFunction::Min, quant.max),
        ];
        let mut limited = x;
        for (function, bound) in bounds {
            limited = self.with_number(limited, function, bound, true)?;
        }
        Ok(limited)
    }

    /// The content of a cell from before the run.
    pub(super) fn read_state(&mut self, node: &Node, cell: CellId) -> Result<(), Reason> {
        if self.parts.linked() == Linked::Runtime {
            return Err(self.no_kernel(node));
        }
        let (tensor, order) = self.cell(cell)?;
        self.holdings.hold(node.result(), &order, tensor);
        Ok(())
    }

    fn cell(&mut self, id: CellId) -> Result<(TensorId, Order), Reason> {
        let constant = match self.graph.cell(id).init {
            CellInit::Constant(constant) => self.graph.constant(constant),
            CellInit::Input(position) => {
                let known = self.cells.inputs.get(&(position as usize)).cloned();
                // A node by itself reads it as an input.
                return known.map_or_else(|| self.added(id, Role::Input), Ok);
            }
        };
        if let Some(known) = self.cells.states.get(&id) {
            return Ok(known.clone());
        }
        let known = self.added(id, Role::State(constant.data.bytes().clone()))?;
        self.cells.states.insert(id, known.clone());
        Ok(known)
    }

    /// A buffer for a cell.
    fn added(&mut self, id: CellId, role: Role) -> Result<(TensorId, Order), Reason> {
        let cell = self.graph.cell(id);
        let sizes = cell
            .ty
            .shape
            .iter()
            .map(|dim| super::window::known(dim, &self.graph.symbols));
        let sizes: Vec<usize> = sizes.collect::<Result<_, Reason>>()?;
        let dtype = dtype_of(cell.ty.dtype)?;
        let tensor = self.parts.input(&cell.name, dtype, &sizes, role);
        Ok((tensor, Order::plain(sizes.len())))
    }

    /// Gives all cells their new contents.
    pub(super) fn updates(&mut self) -> Result<(), Reason> {
        let graph = self.graph;
        let mut cells = Vec::new();
        for update in graph.updates() {
            cells.push(self.cell(update.cell)?);
        }
        let changed: Vec<TensorId> = cells.iter().map(|(cell, _)| *cell).collect();
        let mut contents = Vec::new();
        for (update, (cell, order)) in graph.updates().iter().zip(&cells) {
            let name = graph.cell(update.cell).name.to_string();
            self.parts.locate(name.clone(), String::new());
            let content = self.operand(update.value, order)?;
            let content = self.parts.apart(content, *cell, &changed)?;
            contents.push((name, content));
        }
        for (cell, (name, content)) in changed.into_iter().zip(contents) {
            self.parts.locate(name, String::new());
            self.parts.update(cell, content)?;
        }
        Ok(())
    }
}

impl Parts<'_> {
    /// Makes a tensor the new content of a cell, after all reads of the old one.
    fn update(&mut self, cell: TensorId, content: TensorId) -> Result<(), Reason> {
        let (to, from) = (self.tensor(cell).buffer, self.tensor(content).buffer);
        if to == from {
            return Ok(());
        }
        let is_own = self.program.buffers[from.index()].role == Role::Temporary;
        // Branches and loops keep their calls.
        if is_own
            && self.program.flows.is_empty()
            && self.is_whole(content)
            && let Some(settled) = self.settled(to, from)
        {
            let origins = settled.iter().map(|&(at, _)| self.origins[at]);
            self.origins = origins.collect();
            self.program.calls = settled.into_iter().map(|(_, call)| call).collect();
            for tensor in self.tensors.iter_mut().filter(|t| t.buffer == from) {
                tensor.buffer = to;
            }
            return Ok(());
        }
        let sizes = [self.elements(content)];
        self.copy(content, cell, &Walk::dense(&sizes))
    }

    /// The calls with the cell in place of the buffer of its new content, ordered so that all reads of the old content come
    /// before the first write. `None` if there is no such order.
    fn settled(&self, cell: BufferId, content: BufferId) -> Option<Vec<(usize, Call)>> {
        let calls = &self.program.calls;
        let is_copy = |call: &Call| is_whole_copy(&self.program, call, cell, content);
        let kept = (0..calls.len()).filter(|&at| !is_copy(&calls[at]));
        let kept: Vec<usize> = kept.collect();
        let of = |at: &usize| &calls[*at];
        let mut after = dependencies(&self.program, kept.iter().map(of));
        let reads = |at: &usize| of(at).buffers.contains(&Some(cell));
        let readers: Vec<usize> = (0..kept.len()).filter(|&i| reads(&kept[i])).collect();
        for (i, at) in kept.iter().enumerate() {
            if uses(of(at)).any(|(id, writes)| writes && id == content) {
                after[i].extend(readers.iter().filter(|&&reader| reader != i));
            }
        }
        let order = in_order(&after)?;
        let renamed = |at: usize| {
            let mut call = calls[at].clone();
            for id in call.buffers.iter_mut().flatten() {
                *id = if *id == content { cell } else { *id };
            }
            let takes = || faults_of(&self.program, &call, self.build()).is_empty();
            let is_taken = !call.buffers.contains(&Some(cell)) || takes();
            is_taken.then_some((at, call))
        };
        order.into_iter().map(|i| renamed(kept[i])).collect()
    }
}

/// Whether a call copies the whole of one buffer to another as it is.
fn is_whole_copy(program: &Program, call: &Call, from: BufferId, to: BufferId) -> bool {
    let Parameters::Copy(copy) = &call.parameters else {
        return false;
    };
    let elements = program.buffers[from.index()].elements as i32;
    copy.strides == Strides::new(&[elements], &[1], &[1])
        && (copy.input_first, copy.output_first) == (0, 0)
        && call.views.is_empty()
        && call.buffers == [Some(from), Some(to)]
}

/// The buffers that a call uses, each with whether the call writes it.
fn uses(call: &Call) -> impl Iterator<Item = (BufferId, bool)> + '_ {
    let slots = call.function.row().slots.iter().zip(&call.buffers);
    slots.filter_map(|(slot, id)| Some(((*id)?, slot.access.writes())))
}

/// The calls that have to come before each call. A reader follows the writers before it; a writer follows all earlier users.
fn dependencies<'c>(program: &Program, calls: impl Iterator<Item = &'c Call>) -> Vec<Vec<usize>> {
    let mut users = vec![Vec::new(); program.buffers.len()];
    let mut writers = users.clone();
    let of_call = |(at, call): (usize, &Call)| {
        let mut after: Vec<usize> = Vec::new();
        for (id, writes) in uses(call) {
            let before: &Vec<usize> = match writes {
                true => &users[id.index()],
                false => &writers[id.index()],
            };
            after.extend(before.iter().filter(|&&other| other != at));
            users[id.index()].push(at);
            if writes {
                writers[id.index()].push(at);
            }
        }
        after
    };
    calls.enumerate().map(of_call).collect()
}

/// An order in which each call follows those that have to come before it. At each place it has the first call that can stand
/// there. `None` if there is a cycle.
fn in_order(after: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); after.len()];
    for (at, others) in after.iter().enumerate() {
        others.iter().for_each(|&other| before[other].push(at));
    }
    let mut missing: Vec<usize> = after.iter().map(Vec::len).collect();
    let ready = (0..after.len()).filter(|&at| missing[at] == 0).map(Reverse);
    let mut ready: BinaryHeap<Reverse<usize>> = ready.collect();
    let mut order = Vec::with_capacity(after.len());
    while let Some(Reverse(at)) = ready.pop() {
        order.push(at);
        for &next in &before[at] {
            missing[next] -= 1;
            if missing[next] == 0 {
                ready.push(Reverse(next));
            }
        }
    }
    (order.len() == after.len()).then_some(order)
}
