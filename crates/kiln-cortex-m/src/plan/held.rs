//! Which bytes of each buffer are held at which call.
//!
//! Instant 0 is before the calls, call `i` is at instant `i + 1`, and the last instant is after all calls. What a call reads and what it
//! writes is held at its instant. A buffer's bytes are held from where they are written to where they are read last.

use crate::dialect::{Access, Build, Call, Program, Role};
use kiln_plan::sliding::{Block, Distances, Holds, Pair};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A range of bytes.
type Bytes = Range<u64>;

/// What a call does to a buffer, and what of the buffer is held around it.
#[derive(Clone, Debug)]
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
    steps: Vec<Vec<Step>>,
    /// The block of each call's scratch memory.
    pub scratch: Vec<Vec<usize>>,
    /// For each operand and result that may share their bytes at a call: the operand's block, the result's, and the call.
    in_place: Vec<InPlace>,
}

/// A permission of a call.
struct InPlace {
    operand: usize,
    out: usize,
    call: usize,
    read: Bytes,
    written: Bytes,
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
    /// What the buffers of a program hold during calls.
    pub fn of(program: &Program, calls: &[&Call], build: Build, alignment: u64) -> Held {
        let size = |i: usize| match program.buffers[i].constant() {
            Some(_) => 0,
            None => program.buffers[i].bytes() as u64,
        };
        let blocks = (0..program.buffers.len()).map(|i| Block {
            size: size(i),
            alignment,
        });
        let mut held = Held {
            blocks: blocks.collect(),
            holds: Vec::new(),
            steps: steps(program, calls),
            scratch: Vec::new(),
            in_place: permissions(program, calls),
        };
        for (i, buffer) in program.buffers.iter().enumerate() {
            let (steps, whole) = (&mut held.steps[i], 0..held.blocks[i].size);
            complete(&buffer.role, steps, &whole);
            held.holds
                .push(holds(&buffer.role, steps, &whole, program.calls.len()));
        }
        held.add_scratch(calls, build, alignment);
        held
    }

    /// Calls of a function on the same buffers are calls on parts of them, and have the same scratch memory.
    fn add_scratch(&mut self, calls: &[&Call], build: Build, alignment: u64) {
        let mut known: FxHashMap<_, usize> = FxHashMap::default();
        for (at, call) in calls.iter().enumerate() {
            let mut of_call = Vec::new();
            for (i, scratch) in call.function.row().scratch.iter().enumerate() {
                let size = (scratch.bytes)(&call.parameters, build) as u64;
                let key = (call.function, &call.buffers, i);
                let block = *known.entry(key).or_insert_with(|| {
                    self.blocks.push(Block { size, alignment });
                    self.holds.push(Holds::default());
                    self.blocks.len() - 1
                });
                self.blocks[block].size = self.blocks[block].size.max(size);
                self.holds[block].add(at + 1, 0..size);
                of_call.push(block);
            }
            self.scratch.push(of_call);
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
        let ends = |p: &&InPlace| {
            [p.operand, p.out] == [first, second] || [p.out, p.operand] == [first, second]
        };
        let special: Vec<&InPlace> = self.in_place.iter().filter(ends).collect();
        let is_special = |instant: usize| special.iter().any(|p| p.call + 1 == instant);
        self.holds[first].forbid(&self.holds[second], is_special, &mut distances);
        for at in special {
            let step = |block: usize| self.steps[block].iter().find(|s| s.call == at.call);
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
        let mut sums = vec![0u64; calls + 2];
        for holds in &self.holds {
            for instant in holds.life() {
                let bytes = holds.at(instant);
                sums[instant] += bytes.end - bytes.start;
            }
        }
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

/// What calls do to each buffer that is no constant, in order.
fn steps(program: &Program, calls: &[&Call]) -> Vec<Vec<Step>> {
    let mut steps: Vec<Vec<Step>> = vec![Vec::new(); program.buffers.len()];
    for (number, call) in calls.iter().enumerate() {
        let slots = call.function.row().slots.iter().zip(&call.buffers);
        for (place, (slot, id)) in slots.enumerate() {
            let Some(id) = id.filter(|id| program.buffers[id.index()].constant().is_none()) else {
                continue;
            };
            let Some(bytes) = bytes_of(program, call, place) else {
                continue;
            };
            let of = &mut steps[id.index()];
            if of.last().is_none_or(|step| step.call != number) {
                of.push(Step {
                    call: number,
                    reads: 0..0,
                    writes: 0..0,
                    before: 0..0,
                    after: 0..0,
                });
            }
            let step = of.last_mut().expect("one was pushed");
            if slot.access.reads() || slot.access == Access::Part {
                step.reads = hull(&step.reads, &bytes);
            }
            if slot.access.writes() {
                step.writes = hull(&step.writes, &bytes);
            }
        }
    }
    steps
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
    let mut holds = Holds::default();
    let (is_given, is_kept) = (role.is_given(), role.is_kept());
    // A state that no call uses is still kept.
    let idle = if is_given && is_kept {
        whole.clone()
    } else {
        0..0
    };
    let mut from = 0;
    if is_given {
        holds.add(0, whole.clone());
    }
    for step in steps {
        (from..=step.call).for_each(|instant| holds.add(instant, step.before.clone()));
        holds.add(step.call + 1, hull(&step.before, &step.after));
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
    (start..=calls + 1).for_each(|instant| holds.add(instant, last.clone()));
    holds
}

/// The operands and results of all calls that may share their bytes.
fn permissions(program: &Program, calls: &[&Call]) -> Vec<InPlace> {
    let mut found = Vec::new();
    for (number, call) in calls.iter().enumerate() {
        let row = call.function.row();
        let outs = (0..row.slots.len()).filter(|&i| row.slots[i].access == Access::Write);
        let operands: Vec<usize> = row
            .overwritable
            .iter()
            .filter_map(|name| row.slot(name))
            .collect();
        for out in outs {
            for &operand in &operands {
                let ids = (call.buffers[operand], call.buffers[out]);
                let bytes = (
                    bytes_of(program, call, operand),
                    bytes_of(program, call, out),
                );
                let ((Some(from), Some(to)), (Some(read), Some(written))) = (ids, bytes) else {
                    continue;
                };
                if from != to && program.buffers[from.index()].constant().is_none() {
                    found.push(InPlace {
                        operand: from.index(),
                        out: to.index(),
                        call: number,
                        read,
                        written,
                    });
                }
            }
        }
    }
    found
}
