//! Memory of a draft: the accesses of each instruction for the planner, and then the offsets of tensors.

use crate::draft::Draft;
use kiln_plan::live::{Area, Next, Overwrite, Place, PlaceId, Point, Sequence, arrange, check};
use kiln_pte::{InitialIndex, Instruction, TensorStorage, Value, ValueIndex};
use std::ops::Range;

/// A buffer of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BufferId(pub usize);

/// Memory that instructions use for a while, as the planner sees it. Its live range follows from the instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffer {
    /// Bytes.
    pub size: u64,
    /// The buffer holds data when the method starts.
    pub from_start: bool,
    /// The buffer holds data when the method ends.
    pub to_end: bool,
    /// The buffer keeps its content from one call to the next.
    pub state: bool,
    /// Its content when the method is loaded.
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

/// An instruction that may write `out` over `operand`, because it reads element `i` before it writes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InPlace {
    pub instruction: usize,
    pub out: ValueIndex,
    pub operand: ValueIndex,
}

/// The memory plan of a method.
pub(crate) struct Planned {
    pub bytes: u64,
    pub lower_bound: u64,
    /// The offset of each buffer.
    pub offsets: Vec<u64>,
    /// The instructions during which each buffer holds data. `None` for a buffer that nothing accesses.
    pub lives: Vec<Option<Range<usize>>>,
}

/// The alignment of offsets, as ExecuTorch's planner has it. A smaller buffer is aligned to the power of two that holds
/// it, which suffices for every element type and vector that fits into it.
const ALIGNMENT: u64 = 16;

fn alignment(size: u64) -> u64 {
    size.clamp(1, ALIGNMENT).next_power_of_two()
}

/// Merges buffers, plans the arena, and completes the offsets of the draft's tensors.
pub(crate) fn plan(
    draft: &mut Draft<'_>,
    limits: &kiln_plan::Limits,
) -> Result<Planned, kiln_plan::ProblemError> {
    let sequence = accesses(draft);
    let arrangement = arrange(&sequence, limits)?;
    debug_assert_eq!(check(&sequence, &arrangement), []);
    for (value, memory) in draft.method.values.iter_mut().zip(&draft.memory) {
        if let (Value::Tensor(tensor), Some((buffer, within))) = (value, memory) {
            let at = arrangement.places[buffer.0] + within;
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
    if arrangement.bytes > 0 {
        draft.method.arena_sizes = vec![arrangement.bytes];
    } else if !draft.buffers.is_empty() {
        draft.method.arena_sizes = vec![ALIGNMENT];
    }
    Ok(Planned {
        bytes: draft.method.arena_sizes.iter().sum(),
        lower_bound: arrangement.lower_bound,
        offsets: arrangement.places,
        lives: arrangement.lives,
    })
}

/// The accesses of the instructions, in the planner's terms.
fn accesses(draft: &Draft<'_>) -> Sequence {
    let place = |buffer: &Buffer| Place {
        alignment: alignment(buffer.size),
        from_start: buffer.from_start,
        to_end: buffer.to_end,
        keeps: buffer.state,
        ..Place::new(buffer.size)
    };
    let numbered = draft.method.instructions.iter().enumerate();
    let mut sequence = Sequence {
        places: draft.buffers.iter().map(place).collect(),
        points: numbered
            .map(|(i, instruction)| point(draft, i, instruction))
            .collect(),
    };
    for candidate in &draft.in_place {
        let (Some((out, 0)), Some((operand, 0))) = (
            draft.memory[candidate.out.index()],
            draft.memory[candidate.operand.index()],
        ) else {
            continue;
        };
        let (out, operand) = (PlaceId(out.0), PlaceId(operand.0));
        let overwrites = &mut sequence.points[candidate.instruction].overwrites;
        overwrites.push(Overwrite { out, operand });
    }
    sequence
}

fn point(draft: &Draft<'_>, number: usize, instruction: &Instruction) -> Point {
    let written = &draft.written[number];
    let area = |value: &ValueIndex| area_of(draft, *value);
    let named = tensors(draft, instruction);
    let is_read = |value: &&ValueIndex| {
        let own = written.iter().find(|w| w.tensor == **value);
        own.is_none_or(|w| w.is_read)
    };
    Point {
        reads: named.iter().filter(is_read).filter_map(area).collect(),
        writes: written.iter().filter_map(|w| area(&w.tensor)).collect(),
        next: match instruction {
            Instruction::JumpFalse { dest, .. } => Next::Either(*dest as usize),
            _ => Next::Following,
        },
        ..Point::default()
    }
}

/// The bytes of a tensor within its buffer.
fn area_of(draft: &Draft<'_>, value: ValueIndex) -> Option<Area> {
    let (buffer, offset) = draft.memory[value.index()]?;
    let all = draft.buffers[buffer.0].size - offset;
    let own = draft.method.values[value.index()].as_tensor();
    Some(Area {
        place: PlaceId(buffer.0),
        offset,
        size: own
            .and_then(|t| t.nbytes())
            .map_or(all, |bytes| bytes.min(all)),
    })
}

/// The tensors among an instruction's arguments, including items of lists.
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
