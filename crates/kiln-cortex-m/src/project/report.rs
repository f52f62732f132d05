//! The report's sections on the border, on memory, and on calls.

use super::{Port, Project};
use crate::dialect::{BufferId, Role};
use serde_json::{Value, json};

/// `io`: the inputs and the outputs.
pub fn io_json(project: &Project) -> Value {
    let port = |(port, id): (&Port, BufferId)| {
        let mut shown = json!({
            "name": port.name,
            "index": port.index,
            "dtype": if port.is_bool { "bool" } else { project.buffer(id).dtype.name() },
            "shape": port.shape,
            "dim_order": port.dim_order,
            "scale": port.quantised.map(|(scale, _)| scale),
            "zero_point": port.quantised.map(|(_, zero_point)| zero_point),
        });
        if let Some(step) = port.step {
            shown["step"] = step.into();
        }
        if project.buffer(id).role == Role::Updated {
            shown["updated"] = true.into();
        }
        shown
    };
    let inputs: Vec<Value> = project.inputs().map(port).collect();
    let outputs: Vec<Value> = project.outputs().map(port).collect();
    json!({"inputs": inputs, "outputs": outputs})
}

/// `memory`: the arena, the buffers in it, and the constants.
pub fn memory_json(project: &Project) -> Value {
    let plan = &project.plan;
    let buffers = project
        .program
        .buffers
        .iter()
        .zip(&plan.offsets)
        .zip(&plan.lives);
    let buffers = buffers.filter_map(|((buffer, offset), life)| {
        let last = project.program.calls.len().saturating_sub(1);
        // An input or an output that no call uses is there all the time.
        let (first, last) = life.unwrap_or((0, last));
        Some(json!({
            "name": buffer.name,
            "offset": (*offset)?,
            "bytes": buffer.bytes(),
            "first": first,
            "last": last,
        }))
    });
    json!({
        "arena_bytes": plan.arena_bytes,
        "arena_lower_bound": plan.lower_bound,
        "scratch_bytes": plan.scratch_bytes,
        "constant_bytes": project.constant_bytes(),
        "buffers": buffers.collect::<Vec<_>>(),
    })
}

/// `calls`: the functions in order.
pub fn calls_json(project: &Project) -> Value {
    let flows = &project.program.flows;
    let is_decided = |at: usize| flows.iter().any(|flow| flow.calls().contains(&at));
    let calls = project.program.calls.iter().enumerate().map(|(at, call)| {
        let mut shown = json!({
            "function": call.function.name(),
            "layer": call.layer,
            "source": call.source,
            "multiplications": call.multiplications(),
        });
        // Whether it is made, or how often, is known only while running.
        if is_decided(at) {
            shown["decided"] = true.into();
        }
        shown
    });
    calls.collect()
}

/// A row of the table of the arena: a buffer or scratch memory.
pub(super) struct Line<'p> {
    pub offset: u64,
    pub bytes: usize,
    pub life: Option<(usize, usize)>,
    pub name: &'p str,
    pub role: &'static str,
}

/// The buffers and the scratch memory of the arena, by offset.
pub(super) fn lines(project: &Project) -> Vec<Line<'_>> {
    let plan = &project.plan;
    let buffers = project
        .program
        .buffers
        .iter()
        .zip(&plan.offsets)
        .zip(&plan.lives);
    let lines = buffers.filter_map(|((buffer, offset), &life)| {
        Some(Line {
            offset: (*offset)?,
            bytes: buffer.bytes(),
            life,
            name: &buffer.name,
            role: match buffer.role {
                Role::Temporary => "",
                _ => buffer.role.name(),
            },
        })
    });
    let mut lines: Vec<Line<'_>> = lines.collect();
    lines.sort_by_key(|line| (line.offset, line.life.map(|(first, _)| first)));
    lines
}
