//! Which bytes of each buffer are held at which call.
//!
//! Instant 0 is before the calls, call `i` is at instant `i + 1`, and the last instant is after all calls. What a call reads and what it
//! writes is held at its instant. A buffer's bytes are held from where they are written to where they are read last.

use crate::dialect::{Access, Buffer, BufferId, Build, Call, Function, Program, Role};
use kiln_plan::sliding::{Block, Distances, Holds, Pair};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A range of bytes.
type Bytes = Range<u64>;

/// What a call does to a buffer, and what of the buffer is held around it.
#[derive(Clone, Debug, Default)]
struct Step {
    call: usize,
    reads: Bytes,
    writes: Bytes,
    before: Bytes,
    after: Bytes,
}

/// What buffers and scratch memory hold.
pub(super) struct Held {
    /// First the buffers, then the scratch memory. Constants have no bytes.
    pub blocks: Vec<Block>,
    holds: Vec<Holds>,
    steps: Steps,
    /// The blocks of scratch memory behind their calls, in order.
    pub scratch: Vec<(usize, usize)>,
    /// The operands and results that may share their bytes at a call, by the two blocks, then by the call.
    in_place: Vec<InPlace>,
}

/// The steps of each buffer, one behind the other.
struct Steps {
    starts: Vec<usize>,
    all: Vec<Step>,
}

/// A permission of a call: its operand's block, its result's, and the bytes of both.
#[derive(Clone, Debug)]
struct InPlace {
    operand: usize,
    out: usize,
    call: usize,
    read: Bytes,
    written: Bytes,
}

impl InPlace {
    /// The two blocks.
    fn ends(&self) -> [usize; 2] {
        [self.operand.min(self.out), self.operand.max(self.out)]
    }
}

/// What a call does to the bytes of buffers, apart from other calls.
#[derive(Debug)]
pub(crate) struct Accesses {
    /// The buffers that are no constants, each with the bytes that are read and that are written.
    uses: Vec<(usize, Bytes, Bytes)>,
    in_place: Vec<InPlace>,
    /// The sizes of scratch memory, each with what it is known by: calls of a function on the same buffers are calls on parts of them,
    /// and have the same scratch memory.
    scratch: Vec<(usize, u64)>,
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

fn hull(a: &Bytes, b: &Bytes) -> Bytes {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b.clone(),
        (_, true) => a.clone(),
        _ => a.start.min(b.start)..a.end.max(b.end),
    }
}

fn common(a: &Bytes, b: &Bytes) -> Bytes {
    let (start, end) = (a.start.max(b.start), a.end.min(b.end));
    start..end.max(start)
}

/// What remains of a range; all of it, if a range in its middle goes.
fn without(a: &Bytes, b: &Bytes) -> Bytes {
    match (b.start <= a.start, a.end <= b.end) {
        (true, true) => 0..0,
        (true, false) if b.end > a.start => b.end..a.end,
        (false, true) if b.start < a.end => a.start..b.start,
        _ => a.clone(),
    }
}

/// The bytes of its buffer that a slot of a call uses.
pub(super) fn bytes_of(program: &Program, call: &Call, place: usize) -> Option<Bytes> {
    let buffer = program.buffer((*call.buffers.get(place)?)?)?;
    let view = program.used(call, place)?;
    let size = |elements: usize| buffer.dtype.bytes(elements) as u64;
    Some(size(view.first)..size(view.end()))
}

impl Held {
    /// What buffers hold during calls.
    pub fn of(buffers: &[Buffer], calls: &[&Accesses], alignment: u64) -> Held {
        let size = |buffer: &Buffer| match buffer.constant() {
            Some(_) => 0,
            None => buffer.bytes() as u64,
        };
        let blocks = buffers.iter().map(|buffer| Block {
            size: size(buffer),
            alignment,
        });
        let mut held = Held {
            blocks: blocks.collect(),
            holds: Vec::new(),
            steps: Steps::new(buffers.len(), calls),
            scratch: Vec::new(),
            in_place: Vec::new(),
        };
        for (i, buffer) in buffers.iter().enumerate() {
            let (steps, whole) = (held.steps.of_mut(i), 0..held.blocks[i].size);
            complete(&buffer.role, steps, &whole);
            let holds = holds(&buffer.role, steps, &whole, calls.len());
            held.holds.push(holds);
        }
        for (call, accesses) in calls.iter().enumerate() {
            let of_call = accesses.in_place.iter().cloned();
            held.in_place
                .extend(of_call.map(|at| InPlace { call, ..at }));
        }
        held.in_place.sort_by_key(InPlace::ends);
        held.add_scratch(calls, alignment);
        held
    }

    fn add_scratch(&mut self, calls: &[&Accesses], alignment: u64) {
        let mut known: FxHashMap<usize, usize> = FxHashMap::default();
        for (at, call) in calls.iter().enumerate() {
            for &(owner, size) in &call.scratch {
                let block = *known.entry(owner).or_insert_with(|| {
                    self.blocks.push(Block { size, alignment });
                    self.holds.push(Holds::default());
                    self.blocks.len() - 1
                });
                self.blocks[block].size = self.blocks[block].size.max(size);
                self.holds[block].add(at + 1..at + 2, 0..size);
                self.scratch.push((at, block));
            }
        }
    }

    /// The distances of all pairs of blocks that hold something at the same instant.
    pub fn pairs(&self) -> Vec<Pair> {
        let mut order: Vec<usize> = (0..self.blocks.len()).collect();
        order.retain(|&i| !self.holds[i].life().is_empty());
        order.sort_by_key(|&i| self.holds[i].life().start);
        let mut pairs = Vec::new();
        for (at, &first) in order.iter().enumerate() {
            let end = self.holds[first].life().end;
            let later = order[at + 1..].iter();
            for &second in later.take_while(|&&j| self.holds[j].life().start < end) {
                let distances = self.distances(first, second);
                if !distances.is_empty() {
                    pairs.push(Pair {
                        first,
                        second,
                        distances,
                    });
                }
            }
        }
        pairs
    }

    fn distances(&self, first: usize, second: usize) -> Distances {
        let mut distances = Distances::default();
        let ends = [first.min(second), first.max(second)];
        let from = self.in_place.partition_point(|p| p.ends() < ends);
        let to = self.in_place.partition_point(|p| p.ends() <= ends);
        let special = &self.in_place[from..to];
        let is_special = |instant: usize| special.iter().any(|p| p.call + 1 == instant);
        self.holds[first].forbid(&self.holds[second], is_special, &mut distances);
        for at in special {
            let step = |block: usize| {
                let steps = self.steps.of(block);
                let place = steps.binary_search_by_key(&at.call, |s| s.call).ok()?;
                Some(&steps[place])
            };
            let (Some(a), Some(b)) = (step(first), step(second)) else {
                continue;
            };
            distances.forbid(&a.before, &b.before);
            distances.forbid(&a.after, &b.after);
            let (read, written) = (&at.read, &at.written);
            match at.operand == first {
                true => distances.forbid_but_same(read, written),
                false => distances.forbid_but_same(written, read),
            }
        }
        distances
    }

    /// The most bytes that are held at one instant, a result's less where it may take the place of an operand.
    pub fn lower_bound(&self, calls: usize) -> u64 {
        // What is more at each instant than at the one before.
        let mut more = vec![0i64; calls + 3];
        for (instants, bytes) in self.holds.iter().flat_map(Holds::runs) {
            let count = (bytes.end - bytes.start) as i64;
            more[instants.start] += count;
            more[instants.end] -= count;
        }
        let mut sum = 0;
        let sums = more[..calls + 2].iter().map(|more| {
            sum += more;
            sum as u64
        });
        let mut sums: Vec<u64> = sums.collect();
        let mut saved: FxHashMap<(usize, usize), u64> = FxHashMap::default();
        for at in &self.in_place {
            if at.read.end - at.read.start == at.written.end - at.written.start {
                saved.insert((at.call, at.out), at.written.end - at.written.start);
            }
        }
        for ((call, _), bytes) in saved {
            sums[call + 1] -= bytes;
        }
        let alone = self.blocks.iter().map(|block| block.size);
        sums.into_iter().chain(alone).max().unwrap_or(0)
    }
}

impl Steps {
    /// What calls do to each buffer, in order.
    fn new(buffers: usize, calls: &[&Accesses]) -> Steps {
        let mut starts = vec![0; buffers + 1];
        let uses = || calls.iter().map(|call| call.uses.iter());
        uses().flatten().for_each(|(id, ..)| starts[id + 1] += 1);
        for id in 0..buffers {
            starts[id + 1] += starts[id];
        }
        let (mut next, mut all) = (starts.clone(), vec![Step::default(); starts[buffers]]);
        for (call, uses) in uses().enumerate() {
            for (id, reads, writes) in uses {
                all[next[*id]] = Step {
                    call,
                    reads: reads.clone(),
                    writes: writes.clone(),
                    ..Step::default()
                };
                next[*id] += 1;
            }
        }
        Steps { starts, all }
    }

    fn of(&self, buffer: usize) -> &[Step] {
        &self.all[self.starts[buffer]..self.starts[buffer + 1]]
    }

    fn of_mut(&mut self, buffer: usize) -> &mut [Step] {
        &mut self.all[self.starts[buffer]..self.starts[buffer + 1]]
    }
}

/// The bytes of each buffer that is no constant which a call reads and writes.
fn uses(program: &Program, call: &Call) -> Vec<(usize, Bytes, Bytes)> {
    let mut uses: Vec<(usize, Bytes, Bytes)> = Vec::new();
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

/// Finds what is held before and after each step: what was written and is read later.
fn complete(role: &Role, steps: &mut [Step], whole: &Bytes) {
    let mut live = match role.is_kept() {
        true => whole.clone(),
        false => 0..0,
    };
    for step in steps.iter_mut().rev() {
        step.after = hull(&live, &step.writes);
        live = hull(&without(&live, &step.writes), &step.reads);
        step.before = live.clone();
    }
    // Parts are written without what was there: nothing is held before the first.
    let mut written = match role.is_given() {
        true => whole.clone(),
        false => 0..0,
    };
    for step in steps.iter_mut() {
        step.before = common(&step.before, &written);
        written = hull(&written, &step.writes);
        step.after = common(&step.after, &written);
    }
}

/// What a buffer holds at all instants.
fn holds(role: &Role, steps: &[Step], whole: &Bytes, calls: usize) -> Holds {
    let mut holds = match whole.is_empty() {
        true => return Holds::default(),
        false => Holds::with_capacity(2 * steps.len() + 2),
    };
    let (is_given, is_kept) = (role.is_given(), role.is_kept());
    // A state that no call uses is still kept.
    let idle = if is_given && is_kept {
        whole.clone()
    } else {
        0..0
    };
    let mut from = 0;
    if is_given {
        holds.add(0..1, whole.clone());
        from = 1;
    }
    for step in steps {
        holds.add(from..step.call + 1, step.before.clone());
        holds.add(
            step.call + 1..step.call + 2,
            hull(&step.before, &step.after),
        );
        from = step.call + 2;
    }
    let last = match is_kept {
        true => whole.clone(),
        false => idle,
    };
    let start = if steps.is_empty() && !is_given {
        calls + 1
    } else {
        from
    };
    holds.add(start..calls + 2, last);
    holds
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
