//! The rules of buffers, and the order in which calls use them.

use super::{Fault, place};
use crate::dialect::{Access, Call, Dtype, Parameters, Program, Role, Slot};
use rustc_hash::FxHashSet;

pub(super) fn check(program: &Program, faults: &mut Vec<Fault>) {
    let mut names = FxHashSet::default();
    for buffer in &program.buffers {
        let mut fault = |rule: String| {
            faults.push(Fault {
                place: format!("buffer {}", buffer.name),
                rule,
            });
        };
        if !names.insert(&buffer.name) {
            fault("another buffer has its name".into());
        }
        if let Role::Constant(bytes) | Role::State(bytes) = &buffer.role
            && bytes.len() != buffer.bytes()
        {
            fault(format!("{} bytes, not {}", bytes.len(), buffer.bytes()));
        }
        if buffer.dtype == Dtype::I4 && buffer.constant().is_none() {
            fault("4-bit integers that are no constant".into());
        }
    }
    order(program, faults);
}

/// How many elements of each buffer are written so far; a buffer is whole if all are.
fn order(program: &Program, faults: &mut Vec<Fault>) {
    let is_given = |role: &Role| !matches!(role, Role::Output | Role::Temporary);
    let given = program
        .buffers
        .iter()
        .map(|b| if is_given(&b.role) { b.elements } else { 0 });
    let mut written: Vec<usize> = given.collect();
    for (i, call) in program.calls.iter().enumerate() {
        let mut fault = |rule: String| {
            faults.push(Fault {
                place: place(i, call),
                rule,
            })
        };
        let used = || {
            call.function
                .row()
                .slots
                .iter()
                .zip(&call.buffers)
                .filter_map(|(slot, id)| Some((slot, (*id)?)))
        };
        for (slot, id) in used() {
            let Some(buffer) = program.buffer(id) else {
                fault(format!("there is no buffer {id:?}"));
                continue;
            };
            if needs(call, slot) && written[id.index()] < buffer.elements {
                fault(format!("{} is read before it is written", buffer.name));
            }
            if slot.access.writes() && buffer.constant().is_some() {
                fault(format!("{} is written, and is a constant", buffer.name));
            }
        }
        for (slot, id) in used() {
            let Some(buffer) = program.buffer(id) else {
                continue;
            };
            match slot.access {
                Access::Read => {}
                Access::Write | Access::Update => written[id.index()] = buffer.elements,
                Access::Part => written[id.index()] += part(program, call),
            }
        }
    }
    for id in program.outputs() {
        let buffer = &program.buffers[id.index()];
        if written[id.index()] < buffer.elements {
            faults.push(Fault {
                place: format!("buffer {}", buffer.name),
                rule: format!(
                    "{} of its {} elements are written",
                    written[id.index()],
                    buffer.elements
                ),
            });
        }
    }
}

/// Whether a call reads what is in the buffer of a slot.
fn needs(call: &Call, slot: &Slot) -> bool {
    let keeps_cells = || match call.function.row().slot("buffers.hidden_state") {
        Some(place) => call.buffers.get(place).is_some_and(Option::is_some),
        None => true,
    };
    match &call.parameters {
        // Without a hidden state from before, the cells begin with 0.
        Parameters::Lstm(_) if slot.name == "buffers.cell_state" => keeps_cells(),
        _ => slot.access.reads(),
    }
}

/// The elements of the part that a call writes: those that strides visit, or those of its first buffer.
fn part(program: &Program, call: &Call) -> usize {
    if let Parameters::Copy(copy) = &call.parameters {
        return copy.strides.elements();
    }
    let first = call.buffers.first().copied().flatten();
    first
        .and_then(|id| program.buffer(id))
        .map_or(0, |buffer| buffer.elements)
}
