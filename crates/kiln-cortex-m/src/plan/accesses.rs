//! What each call does to the bytes of buffers, apart from other calls.

use crate::dialect::{Access, BufferId, Build, Call, Function, Program};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A range of bytes.
pub(super) type Bytes = Range<u64>;

/// A buffer that is no constant, with the bytes that a call reads and that it writes.
pub(super) type Use = (usize, Bytes, Bytes);

/// A permission of a call: its operand's block, its result's, and the bytes of both.
#[derive(Clone, Debug)]
pub(super) struct InPlace {
    pub operand: usize,
    pub out: usize,
    pub call: usize,
    pub read: Bytes,
    pub written: Bytes,
}

impl InPlace {
    /// The two blocks.
    pub fn ends(&self) -> [usize; 2] {
        [self.operand.min(self.out), self.operand.max(self.out)]
    }
}

/// What a call does to the bytes of buffers, apart from other calls.
#[derive(Debug)]
pub(crate) struct Accesses {
    pub(super) uses: Vec<Use>,
    pub(super) in_place: Vec<InPlace>,
    /// The sizes of scratch memory, each with what it is known by: calls of a function on the same buffers are calls on parts of them,
    /// and have the same scratch memory.
    pub(super) scratch: Vec<(usize, u64)>,
}

/// Numbers for what scratch memory is known by: the function, the buffers, and the place among those of the row.
#[derive(Debug, Default)]
pub(crate) struct Owners(FxHashMap<(Function, Vec<Option<BufferId>>, usize), usize>);

impl Owners {
    fn of(&mut self, call: &Call, place: usize) -> usize {
        let next = self.0.len();
        let key = (call.function, call.buffers.clone(), place);
        *self.0.entry(key).or_insert(next)
    }
}

impl Accesses {
    /// What a call of a program does. The owners are those of all its calls.
    pub fn of(program: &Program, call: &Call, build: Build, owners: &mut Owners) -> Accesses {
        let scratch = call.function.row().scratch.iter().enumerate();
        let scratch = scratch.map(|(place, scratch)| {
            let bytes = (scratch.bytes)(&call.parameters, build) as u64;
            (owners.of(call, place), bytes)
        });
        Accesses {
            uses: uses(program, call),
            in_place: permissions(program, call),
            scratch: scratch.collect(),
        }
    }
}

/// The bytes of its buffer that a slot of a call uses.
pub(super) fn bytes_of(program: &Program, call: &Call, place: usize) -> Option<Bytes> {
    let buffer = program.buffer((*call.buffers.get(place)?)?)?;
    let view = program.used(call, place)?;
    let size = |elements: usize| buffer.dtype.bytes(elements) as u64;
    Some(size(view.first)..size(view.end()))
}

pub(super) fn hull(a: &Bytes, b: &Bytes) -> Bytes {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b.clone(),
        (_, true) => a.clone(),
        _ => a.start.min(b.start)..a.end.max(b.end),
    }
}

/// The bytes of each buffer that is no constant which a call reads and writes.
fn uses(program: &Program, call: &Call) -> Vec<Use> {
    let mut uses: Vec<Use> = Vec::new();
    let slots = call.function.row().slots.iter().zip(&call.buffers);
    for (place, (slot, id)) in slots.enumerate() {
        let Some(id) = id.filter(|id| program.buffers[id.index()].constant().is_none()) else {
            continue;
        };
        let Some(bytes) = bytes_of(program, call, place) else {
            continue;
        };
        let known = uses.iter().position(|(known, ..)| *known == id.index());
        let at = known.unwrap_or_else(|| {
            uses.push((id.index(), 0..0, 0..0));
            uses.len() - 1
        });
        let (_, reads, writes) = &mut uses[at];
        if slot.access.reads() || slot.access == Access::Part {
            *reads = hull(reads, &bytes);
        }
        if slot.access.writes() {
            *writes = hull(writes, &bytes);
        }
    }
    uses
}

/// The operands and results of a call that may share their bytes.
fn permissions(program: &Program, call: &Call) -> Vec<InPlace> {
    let mut found = Vec::new();
    let row = call.function.row();
    let outs = (0..row.slots.len()).filter(|&i| row.slots[i].access == Access::Write);
    let operands = row.overwritable.iter().filter_map(|name| row.slot(name));
    let operands: Vec<usize> = operands.collect();
    for out in outs {
        for &operand in &operands {
            let ids = (call.buffers[operand], call.buffers[out]);
            let bytes = [operand, out].map(|place| bytes_of(program, call, place));
            let ((Some(from), Some(to)), [Some(read), Some(written)]) = (ids, bytes) else {
                continue;
            };
            if from != to && program.buffers[from.index()].constant().is_none() {
                found.push(InPlace {
                    operand: from.index(),
                    out: to.index(),
                    call: 0,
                    read,
                    written,
                });
            }
        }
    }
    found
}
