//! The numbers that a program rounds to what its outputs follow from.

use super::Port;
use crate::dialect::{Access, BufferId, Call, Dtype, Function, Parameters, Program};
use kiln_target::Activations;

/// What is known of a buffer.
#[derive(Clone, Copy)]
struct Known {
    /// The coarsest numbers that its content follows from.
    from: Activations,
    /// Whether it has floats that were rounded to integers, perhaps moved by a zero point, and were not limited to a range since.
    is_rounded: bool,
}

/// The coarsest numbers that each buffer follows from.
pub(super) fn of_buffers<'p>(
    program: &Program,
    ports: impl Iterator<Item = (&'p Port, BufferId)>,
) -> Vec<Activations> {
    let start = Known {
        from: Activations::F32,
        is_rounded: false,
    };
    let mut known = vec![start; program.buffers.len()];
    let quantised = ports.filter(|(port, _)| port.quantised.is_some());
    let quantised: Vec<BufferId> = quantised.map(|(_, id)| id).collect();
    for id in &quantised {
        known[id.index()].from = of_integers(program.buffers[id.index()].dtype);
    }
    // A loop and a state read what later calls wrote: the second round has it.
    for call in program.calls.iter().chain(&program.calls) {
        follow(program, call, &mut known);
    }
    for id in quantised {
        let own = of_integers(program.buffers[id.index()].dtype);
        known[id.index()].from = known[id.index()].from.max(own);
    }
    known.into_iter().map(|known| known.from).collect()
}

fn follow(program: &Program, call: &Call, known: &mut [Known]) {
    let slots = || call.function.row().slots.iter().zip(&call.buffers);
    let read = slots().filter(|(slot, _)| slot.access != Access::Write);
    let read: Vec<Known> = read
        .filter_map(|(_, id)| Some(known[(*id)?.index()]))
        .collect();
    let from = read.iter().map(|known| known.from).max();
    let from = from.unwrap_or(Activations::F32);
    let was_rounded = read.iter().any(|known| known.is_rounded);
    let limited = limits(call).filter(|_| was_rounded);
    let keeps_it = matches!(
        call.function,
        Function::KilnAddF32 | Function::KilnSubF32 | Function::KilnCopy
    );
    let is_rounded = call.function == Function::KilnRoundF32 || keeps_it && was_rounded;
    for (slot, id) in slots() {
        if let Some(id) = id.filter(|_| slot.access != Access::Read) {
            let dtype = program.buffers[id.index()].dtype;
            let own = limited.or(rounded_to(call.function, dtype, from));
            known[id.index()] = Known {
                from: own.map_or(from, |own| own.max(from)),
                is_rounded,
            };
        }
    }
}

/// The integers that a range of floats leaves: parameters that are found while running leave them as floats.
fn limits(call: &Call) -> Option<Activations> {
    let Parameters::Clamp(clamp) = &call.parameters else {
        return None;
    };
    let is_range = clamp.min.fract() == 0.0 && clamp.max.fract() == 0.0;
    let range = Activations::of_range(clamp.min.into(), clamp.max.into());
    is_range.then_some(match range {
        Activations::Integers => Activations::IntegersByRow,
        wide => wide,
    })
}

/// What a function rounds to; `None` for one that keeps the numbers it is given.
fn rounded_to(function: Function, dtype: Dtype, from: Activations) -> Option<Activations> {
    let name = function.name();
    let is_quantising = ["kiln_quantize_", "kiln_table_", "arm_"]
        .iter()
        .any(|start| name.starts_with(start));
    match dtype {
        Dtype::F16 if function == Function::KilnCast => Some(Activations::F16),
        Dtype::Bf16 if function == Function::KilnCast => Some(Activations::BF16),
        Dtype::I8 if from == Activations::Integers16 => Some(Activations::Integers),
        Dtype::I8 | Dtype::U8 | Dtype::I16 if is_quantising => Some(of_integers(dtype)),
        _ => None,
    }
}

/// Those of integers that stand for reals.
fn of_integers(dtype: Dtype) -> Activations {
    match dtype {
        Dtype::I4 | Dtype::I8 | Dtype::U8 => Activations::Integers,
        _ => Activations::Integers16,
    }
}
