//! From buffers to offsets: lifetimes, buffers that become one, and the plan of the arena.
//!
//! Soundness: a buffer lives from its first to its last access in the order of the instructions. A buffer that is
//! accessed before a loop and in it lives to the loop's end, because the loop may come round again; one whose first
//! access is inside lives within an iteration, because there it is written before it is read. Of a branch only one
//! side runs, so buffers of the two sides may share memory.

use crate::draft::Draft;
use kiln_pte::{InitialIndex, Instruction, TensorStorage, Value, ValueIndex};
use std::ops::Range;

/// A buffer of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BufferId(pub usize);

/// Memory that is wanted for a while.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffer {
    /// Bytes.
    pub size: u64,
    /// Holds data when the method starts.
    pub from_start: bool,
    /// Holds data when the method ends.
    pub to_end: bool,
    /// Keeps its content from one call to the next.
    pub state: bool,
    /// What it holds when the method is loaded.
    pub initial: Option<InitialIndex>,
}

impl Buffer {
    pub fn of(size: u64) -> Buffer {
        Buffer {
            size,
            ..Buffer::default()
        }
    }
}

/// An instruction that may write `out` over `operand`: element `i` is read before it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InPlace {
    pub instruction: usize,
    pub out: ValueIndex,
    pub operand: ValueIndex,
}

/// What the plan came to.
pub(crate) struct Planned {
    pub bytes: u64,
    pub lower_bound: u64,
}

/// Offsets are multiples of this, as the peer's; those of smaller buffers of the power of two that holds them, which
/// every element type and vector that fits is aligned to.
const ALIGNMENT: u64 = 16;

fn alignment(size: u64) -> u64 {
    size.clamp(1, ALIGNMENT).next_power_of_two()
}

/// Time runs from 0 (inputs are set) over instruction `i` at `i + 1` to the end.
type Life = Option<Range<usize>>;

/// Merges what may be one, plans the arena, and completes the offsets of the draft's tensors.
pub(crate) fn plan(
    draft: &mut Draft<'_>,
    limits: &kiln_plan::Limits,
) -> Result<Planned, kiln_plan::ProblemError> {
    let mut lives = lives(draft);
    let merged = merge(draft, &mut lives);
    let places: Vec<usize> = (0..draft.buffers.len())
        .filter(|&b| merged[b] == b)
        .collect();
    let problem = kiln_plan::Problem::new(
        places
            .iter()
            .map(|&b| {
                // A tensor that nothing reads or writes still has to lie inside of the arena.
                let life = lives[b].clone().unwrap_or(0..0);
                let (lower, upper) = (life.start as u64, life.end as u64);
                kiln_plan::Buffer::new(format!("b{b}"), lower, upper, draft.buffers[b].size)
                    .aligned(alignment(draft.buffers[b].size))
            })
            .collect(),
    );
    let solution = kiln_plan::solve(&problem, limits)?;
    let mut offsets = vec![0u64; draft.buffers.len()];
    for (&buffer, &offset) in places.iter().zip(&solution.offsets) {
        offsets[buffer] = offset;
    }
    let offset_of = |b: BufferId| offsets[merged[b.0]];
    for (value, memory) in draft.method.values.iter_mut().zip(&draft.memory) {
        if let (Value::Tensor(tensor), Some((buffer, within))) = (value, memory) {
            let at = offset_of(*buffer) + within;
            match &mut tensor.storage {
                TensorStorage::Planned(slot) | TensorStorage::PlannedWithInitial(slot, _) => {
                    slot.offset = at;
                }
                TensorStorage::Unallocated
                | TensorStorage::Constant(_)
                | TensorStorage::External(_) => {}
            }
        }
    }
    if solution.peak > 0 {
        draft.method.arena_sizes = vec![solution.peak];
    } else if !places.is_empty() {
        draft.method.arena_sizes = vec![ALIGNMENT];
    }
    Ok(Planned {
        bytes: draft.method.arena_sizes.iter().sum(),
        lower_bound: live_load(&problem),
    })
}

/// The greatest sum of sizes of buffers that live at one time.
fn live_load(problem: &kiln_plan::Problem) -> u64 {
    let mut changes: Vec<(u64, i128)> = Vec::new();
    for buffer in problem.buffers.iter().filter(|b| b.occupies()) {
        changes.push((buffer.lower, i128::from(buffer.size)));
        changes.push((buffer.upper, -i128::from(buffer.size)));
    }
    // At one time, ends come before starts.
    changes.sort_unstable();
    let mut load = 0;
    let peak = changes.iter().fold(0i128, |peak, (_, change)| {
        load += change;
        peak.max(load)
    });
    u64::try_from(peak).unwrap_or(u64::MAX)
}

/// The tensors that an instruction names, items of lists included.
fn tensors(draft: &Draft<'_>, instruction: &Instruction) -> Vec<ValueIndex> {
    let mut found = Vec::new();
    for index in instruction.values() {
        match &draft.method.values[index.index()] {
            Value::TensorList(items) => found.extend(items),
            Value::OptionalTensorList(items) => found.extend(items.iter().flatten()),
            _ => found.push(index),
        }
    }
    found
}

fn lives(draft: &Draft<'_>) -> Vec<Life> {
    let end = draft.method.instructions.len() + 2;
    let mut lives: Vec<Life> = vec![None; draft.buffers.len()];
    let mut touch = |buffer: usize, time: usize| {
        let life = lives[buffer].get_or_insert(time..time + 1);
        *life = life.start.min(time)..life.end.max(time + 1);
    };
    for (number, instruction) in draft.method.instructions.iter().enumerate() {
        for value in tensors(draft, instruction) {
            if let Some((buffer, _)) = draft.memory[value.index()] {
                touch(buffer.0, number + 1);
            }
        }
    }
    for (id, buffer) in draft.buffers.iter().enumerate() {
        if buffer.from_start || buffer.state {
            touch(id, 0);
        }
        if buffer.to_end || buffer.state {
            touch(id, end - 1);
        }
    }
    for life in lives.iter_mut().flatten() {
        extend_over_loops(life, &draft.loops);
    }
    lives
}

/// Until nothing changes, because an extension may end inside of another loop.
fn extend_over_loops(life: &mut Range<usize>, loops: &[Range<usize>]) {
    loop {
        let before = life.end;
        for body in loops {
            let (first, last) = (body.start + 1, body.end + 1);
            if life.start < first && life.end > first && life.end < last {
                life.end = last;
            }
        }
        if life.end == before {
            return;
        }
    }
}

/// The buffer that each buffer becomes part of; itself if none.
fn merge(draft: &Draft<'_>, lives: &mut [Life]) -> Vec<usize> {
    let mut merged: Vec<usize> = (0..lives.len()).collect();
    for candidate in &draft.in_place {
        let (Some((out, 0)), Some((operand, 0))) = (
            draft.memory[candidate.out.index()],
            draft.memory[candidate.operand.index()],
        ) else {
            continue;
        };
        let (out, into) = (out.0, root(&merged, operand.0));
        if merged[out] != out || out == into || !may_merge(draft, lives, candidate, out, into) {
            continue;
        }
        merged[out] = into;
        let taken = lives[out].take().expect("a merged buffer lives");
        if let Some(life) = &mut lives[into] {
            life.end = life.end.max(taken.end);
        }
    }
    (0..merged.len()).map(|b| root(&merged, b)).collect()
}

fn root(merged: &[usize], mut buffer: usize) -> usize {
    while merged[buffer] != buffer {
        buffer = merged[buffer];
    }
    buffer
}

/// `out` starts where `into` ends, and neither is bound to stay what it is.
fn may_merge(
    draft: &Draft<'_>,
    lives: &[Life],
    candidate: &InPlace,
    out: usize,
    into: usize,
) -> bool {
    let time = candidate.instruction + 1;
    let meet = |life: &Life, at: &dyn Fn(&Range<usize>) -> bool| life.as_ref().is_some_and(at);
    !draft.buffers[out].state
        && !draft.buffers[out].from_start
        && !draft.buffers[into].state
        && draft.buffers[out].size == draft.buffers[into].size
        && meet(&lives[out], &|l| l.start == time)
        && meet(&lives[into], &|l| l.end == time + 1)
}
