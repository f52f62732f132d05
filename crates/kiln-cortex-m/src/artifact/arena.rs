//! The contents of a project's arena at each call.
//!
//! The live range of a byte goes from its first write to its last read. Calls that use parts of a buffer make a map that is
//! partly written and partly read; the bytes between its first and its last live byte count as live.

use crate::dialect::{Access, Buffer, BufferId, Call, Program, Role};
use crate::project::Project;
use kiln_target::{Arena, ArenaCall, Block, BlockKind, Span};
use std::ops::Range;

/// The arena of a project.
pub(super) fn arena(project: &Project) -> Arena {
    let (program, plan) = (project.program(), project.plan());
    let calls = program.calls.iter().map(|call| ArenaCall {
        function: call.function.name().to_owned(),
        layer: call.layer.clone(),
        source: call.source.clone(),
    });
    let ids = (0u32..).map(BufferId).zip(&program.buffers);
    let buffers = ids.filter_map(|(id, buffer)| {
        let offset = plan.offsets[id.index()]?;
        Some(of_buffer(program, id, buffer, offset))
    });
    let mut blocks: Vec<Block> = buffers.collect();
    blocks.extend(scratch(project));
    Arena {
        bytes: plan.arena_bytes,
        lower_bound: plan.lower_bound,
        calls: calls.collect(),
        blocks,
    }
}

/// The effect of a call on a buffer, in bytes of the buffer.
struct Step {
    call: usize,
    reads: Option<Range<u64>>,
    writes: Option<Range<u64>>,
    /// Whether the old content is gone.
    replaces: bool,
}

fn of_buffer(program: &Program, id: BufferId, buffer: &Buffer, offset: u64) -> Block {
    let steps = steps(program, id, buffer);
    let written = steps.iter().find(|step| step.writes.is_some());
    let kind = match buffer.role {
        Role::Input | Role::Updated => BlockKind::Input,
        Role::Output => BlockKind::Output,
        Role::State(_) => BlockKind::State,
        Role::Temporary | Role::Constant(_) => BlockKind::Value,
    };
    Block {
        name: buffer.name.clone(),
        text: format!("{}[{}]", buffer.dtype, buffer.elements),
        kind,
        maker: written
            .filter(|_| matches!(kind, BlockKind::Output | BlockKind::Value))
            .map(|step| step.call),
        spans: spans(&steps, buffer, program.calls.len())
            .into_iter()
            .map(|span| Span {
                bytes: offset + span.bytes.start..offset + span.bytes.end,
                ..span
            })
            .collect(),
    }
}

/// The effects of the calls on a buffer, in order.
fn steps(program: &Program, id: BufferId, buffer: &Buffer) -> Vec<Step> {
    let size = |elements: usize| buffer.dtype.bytes(elements) as u64;
    let of_call = |(at, call): (usize, &Call)| {
        let mut step = Step {
            call: at,
            reads: None,
            writes: None,
            replaces: false,
        };
        for (place, slot) in call.function.row().slots.iter().enumerate() {
            if call.buffers.get(place) != Some(&Some(id)) {
                continue;
            }
            let used = program.used(call, place)?;
            let used = size(used.first)..size(used.end());
            if slot.access.reads() {
                step.reads = Some(hull(step.reads, used.clone()));
            }
            if slot.access.writes() {
                step.writes = Some(hull(step.writes, used));
                step.replaces = slot.access == Access::Write;
            }
        }
        (step.reads.is_some() || step.writes.is_some()).then_some(step)
    };
    program
        .calls
        .iter()
        .enumerate()
        .filter_map(of_call)
        .collect()
}

/// The live bytes of a buffer, from its last use back to its first.
fn spans(steps: &[Step], buffer: &Buffer, calls: usize) -> Vec<Span> {
    let whole = 0..buffer.bytes() as u64;
    let stays = buffer.role.is_kept();
    let is_given = buffer.role.is_given();
    let mut later = stays.then(|| whole.clone());
    let mut found: Vec<Span> = Vec::new();
    let mut add = |calls: Range<usize>, bytes: Option<Range<u64>>| {
        let Some(bytes) = bytes.filter(|_| !calls.is_empty()) else {
            return;
        };
        match found.last_mut() {
            Some(next) if next.bytes == bytes && next.calls.start == calls.end => {
                next.calls.start = calls.start;
            }
            _ => found.push(Span { calls, bytes }),
        }
    };
    let mut end = calls;
    for step in steps.iter().rev() {
        add(step.call + 1..end, later.clone());
        let mut at = later.clone();
        for used in [&step.reads, &step.writes].into_iter().flatten() {
            at = Some(hull(at, used.clone()));
        }
        add(step.call..step.call + 1, at);
        let kept = match (&step.writes, step.replaces) {
            (Some(writes), true) => later.and_then(|later| without(later, writes)),
            _ => later,
        };
        later = match &step.reads {
            Some(reads) => Some(hull(kept, reads.clone())),
            None => kept,
        };
        end = step.call;
    }
    // What nothing uses is there all the time.
    let before = if steps.is_empty() { Some(whole) } else { later };
    if is_given || steps.is_empty() {
        add(0..end, before);
    }
    found.reverse();
    found
}

fn hull(a: Option<Range<u64>>, b: Range<u64>) -> Range<u64> {
    a.map_or(b.clone(), |a| a.start.min(b.start)..a.end.max(b.end))
}

/// The rest of a range without another one. It is the whole range if the other lies in its middle.
fn without(a: Range<u64>, b: &Range<u64>) -> Option<Range<u64>> {
    let left = match (b.start <= a.start, a.end <= b.end) {
        (true, true) => return None,
        (true, false) => b.end.max(a.start)..a.end,
        (false, true) => a.start..b.start.min(a.end),
        (false, false) => a,
    };
    Some(left)
}

/// The scratch memory of calls. The tiles of one layer share a block.
fn scratch(project: &Project) -> Vec<Block> {
    let (program, build) = (project.program(), project.core().build);
    let mut blocks: Vec<Block> = Vec::new();
    for (at, (call, offsets)) in program
        .calls
        .iter()
        .zip(&project.plan().scratch)
        .enumerate()
    {
        for (needed, &offset) in call.function.row().scratch.iter().zip(offsets) {
            let size = (needed.bytes)(&call.parameters, build) as u64;
            if size == 0 {
                continue;
            }
            let name = match call.layer.is_empty() {
                true => format!("scratch of {}", call.function.name()),
                false => format!("scratch of {}", call.layer),
            };
            let span = Span {
                calls: at..at + 1,
                bytes: offset..offset + size,
            };
            let same = blocks.iter_mut().rev().find(|block| {
                let last = block.spans.last();
                block.name == name && last.is_some_and(|last| last.bytes == span.bytes)
            });
            let Some(block) = same else {
                blocks.push(Block {
                    name,
                    text: format!("{size} bytes"),
                    kind: BlockKind::Scratch,
                    maker: Some(at),
                    spans: vec![span],
                });
                continue;
            };
            match block.spans.last_mut() {
                Some(last) if last.calls.end == at => last.calls.end = at + 1,
                _ => block.spans.push(span),
            }
        }
    }
    blocks
}
