//! Which bytes of each buffer are held at which call.
//!
//! Instant 0 is before the calls, call `i` is at instant `i + 1`, and the last instant is after all calls. What a call reads and what it
//! writes is held at its instant. A buffer's bytes are held from where they are written to where they are read last.

use super::ALIGNMENT;
use super::accesses::{Accesses, Bytes, InPlace, Use, hull};
use crate::dialect::{Buffer, Role};
use kiln_plan::sliding::{Between, Block, Distances, Holds, Pair};
use rustc_hash::FxHashMap;
use std::rc::Rc;

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
#[derive(Debug)]
pub(super) struct Held {
    calls: usize,
    /// First the buffers, then the scratch memory. Constants have no bytes.
    pub blocks: Vec<Block>,
    holds: Vec<Holds>,
    /// Those of buffers that are of no part.
    steps: Steps,
    /// The blocks of scratch memory behind their calls, in order.
    pub scratch: Vec<(usize, usize)>,
    /// The operands and results that may share their bytes at a call, by the two blocks, then by the call.
    in_place: Vec<InPlace>,
    /// The blocks that any of these is about.
    may_share: Vec<bool>,
    parts: Vec<Part>,
    /// The part that each block is of, if it is of one.
    part_of: Vec<Option<usize>>,
}

/// Calls that follow each other.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece<'c> {
    /// What each of them does.
    Calls(&'c [Accesses]),
    /// Of these it is known what they do together.
    Alone(&'c Rc<Alone>),
}

impl Piece<'_> {
    /// How many uses of buffers its calls have that are not known alone.
    fn uses(&self) -> usize {
        match self {
            Piece::Calls(all) => all.iter().map(|call| call.uses.len()).sum(),
            Piece::Alone(alone) => alone.others.len(),
        }
    }
}

/// What calls hold in scratch memory, and in buffers that no others use, whatever calls come before and behind.
#[derive(Debug)]
pub(crate) struct Alone {
    /// What is held if no other calls are made.
    held: Held,
    /// The buffers that no other calls use.
    own: Vec<usize>,
    /// The distances of these and of scratch memory.
    pairs: Vec<Pair>,
    /// What the calls do to all other buffers, with the call.
    others: Vec<(usize, Use)>,
}

/// Calls that are known alone, among others.
#[derive(Debug)]
struct Part {
    alone: Rc<Alone>,
    /// The first of its calls.
    first: usize,
    /// Its first block of scratch memory.
    scratch: usize,
}

/// The steps of each buffer, one behind the other.
#[derive(Debug, Default)]
struct Steps {
    starts: Vec<usize>,
    all: Vec<Step>,
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

impl Alone {
    /// What calls hold. `is_own` is true for a temporary buffer that no other call uses.
    pub fn of(buffers: &[Buffer], calls: &[Accesses], is_own: impl Fn(usize) -> bool) -> Alone {
        let held = Held::of(buffers, &[Piece::Calls(calls)], ALIGNMENT);
        let own = (0..buffers.len()).filter(|&id| !held.holds[id].life().is_empty() && is_own(id));
        let own: Vec<usize> = own.collect();
        let is_own = |block: usize| block >= buffers.len() || own.binary_search(&block).is_ok();
        let mut pairs = held.pairs();
        pairs.retain(|pair| is_own(pair.first) && is_own(pair.second));
        let uses = calls.iter().enumerate();
        let uses = uses.flat_map(|(at, call)| call.uses.iter().map(move |of| (at, of)));
        let others = uses.filter(|(_, (id, ..))| !is_own(*id));
        Alone {
            others: others.map(|(at, of)| (at, of.clone())).collect(),
            held,
            own,
            pairs,
        }
    }
}

impl Held {
    /// What buffers hold during calls.
    pub fn of(buffers: &[Buffer], pieces: &[Piece<'_>], alignment: u64) -> Held {
        let size = |buffer: &Buffer| match buffer.constant() {
            Some(_) => 0,
            None => buffer.bytes() as u64,
        };
        let blocks = buffers.iter().map(|buffer| Block {
            size: size(buffer),
            alignment,
        });
        let mut held = Held {
            calls: 0,
            blocks: blocks.collect(),
            holds: vec![Holds::default(); buffers.len()],
            steps: Steps::default(),
            scratch: Vec::new(),
            in_place: Vec::new(),
            may_share: vec![false; buffers.len()],
            parts: Vec::new(),
            part_of: vec![None; buffers.len()],
        };
        let count = pieces.iter().map(Piece::uses).sum();
        let (mut uses, mut owners) = (Vec::with_capacity(count), FxHashMap::default());
        for piece in pieces {
            let calls = held.calls;
            match piece {
                Piece::Calls(all) => {
                    for (call, of_call) in (calls..).zip(*all) {
                        uses.extend(of_call.uses.iter().map(|of| (call, of)));
                        let in_place = of_call.in_place.iter().cloned();
                        held.in_place
                            .extend(in_place.map(|at| InPlace { call, ..at }));
                        held.add_scratch(of_call, call, alignment, &mut owners);
                    }
                    held.calls += all.len();
                }
                Piece::Alone(alone) => {
                    uses.extend(alone.others.iter().map(|(at, of)| (calls + at, of)));
                    held.add_part(alone, calls);
                    held.calls += alone.held.calls;
                }
            }
        }
        held.steps = Steps::new(buffers.len(), &uses);
        for (i, buffer) in buffers.iter().enumerate() {
            if held.part_of[i].is_none() {
                let (steps, whole) = (held.steps.of_mut(i), 0..held.blocks[i].size);
                complete(&buffer.role, steps, &whole);
                held.holds[i] = holds(&buffer.role, steps, &whole, held.calls);
            }
        }
        held.in_place.sort_by_key(InPlace::ends);
        for block in held.in_place.iter().flat_map(InPlace::ends) {
            held.may_share[block] = true;
        }
        held
    }

    /// Adds the scratch memory of a call. The owners are the blocks of calls before it.
    fn add_scratch(
        &mut self,
        call: &Accesses,
        at: usize,
        alignment: u64,
        owners: &mut FxHashMap<usize, usize>,
    ) {
        for &(owner, size) in &call.scratch {
            let block = *owners.entry(owner).or_insert_with(|| {
                self.blocks.push(Block { size, alignment });
                self.holds.push(Holds::default());
                self.part_of.push(None);
                self.blocks.len() - 1
            });
            self.blocks[block].size = self.blocks[block].size.max(size);
            self.holds[block].add(at + 1..at + 2, 0..size);
            self.scratch.push((at, block));
        }
    }

    /// Adds what is known of calls alone. All their scratch memory is their own, as calls of one function on the same buffers are parts of
    /// one call.
    fn add_part(&mut self, alone: &Rc<Alone>, first: usize) {
        let (number, scratch) = (self.parts.len(), self.blocks.len());
        let buffers = alone.held.steps.buffers();
        for &id in &alone.own {
            self.holds[id] = alone.held.holds[id].later(first);
            self.part_of[id] = Some(number);
        }
        self.blocks.extend(&alone.held.blocks[buffers..]);
        let of_scratch = alone.held.holds[buffers..].iter();
        self.holds
            .extend(of_scratch.map(|holds| holds.later(first)));
        self.part_of.resize(self.blocks.len(), Some(number));
        let calls = alone.held.scratch.iter();
        let calls = calls.map(|&(call, block)| (first + call, block - buffers + scratch));
        self.scratch.extend(calls);
        let in_place = alone.held.in_place.iter().cloned();
        self.in_place.extend(in_place.map(|at| InPlace {
            call: first + at.call,
            ..at
        }));
        self.parts.push(Part {
            alone: Rc::clone(alone),
            first,
            scratch,
        });
    }

    /// The distances of all pairs of blocks that hold something at the same instant, without [`Held::known_pairs`].
    pub fn pairs(&self) -> Vec<Pair> {
        let mut order: Vec<usize> = (0..self.blocks.len()).collect();
        order.retain(|&i| !self.holds[i].life().is_empty());
        order.sort_by_key(|&i| self.holds[i].life().start);
        let mut pairs = Vec::new();
        for (at, &first) in order.iter().enumerate() {
            let end = self.holds[first].life().end;
            let later = order[at + 1..].iter();
            let part = self.part_of[first];
            for &second in later.take_while(|&&j| self.holds[j].life().start < end) {
                if part.is_some() && part == self.part_of[second] {
                    continue;
                }
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

    /// The distances of blocks of one piece that is known alone.
    pub fn known_pairs(&self) -> impl Iterator<Item = Between<'_>> + Clone {
        self.parts.iter().flat_map(Part::pairs)
    }

    fn distances(&self, first: usize, second: usize) -> Distances {
        let mut distances = Distances::default();
        let special = self.permissions([first, second]);
        let is_special = |instant: usize| special.iter().any(|p| p.call + 1 == instant);
        self.holds[first].forbid(&self.holds[second], is_special, &mut distances);
        for at in special {
            let step = |block: usize| self.step(block, at.call);
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

    /// What a call does to a buffer.
    fn step(&self, buffer: usize, call: usize) -> Option<&Step> {
        let (steps, call) = match self.part_of[buffer].map(|part| &self.parts[part]) {
            Some(part) => (part.alone.held.steps.of(buffer), call - part.first),
            None => (self.steps.of(buffer), call),
        };
        let place = steps.binary_search_by_key(&call, |step| step.call).ok()?;
        Some(&steps[place])
    }

    /// The permissions of two blocks to share their bytes.
    fn permissions(&self, [first, second]: [usize; 2]) -> &[InPlace] {
        let may_share = |block: usize| self.may_share.get(block).is_some_and(|&may| may);
        if !may_share(first) || !may_share(second) {
            return &[];
        }
        let ends = [first.min(second), first.max(second)];
        let from = self.in_place.partition_point(|p| p.ends() < ends);
        let to = self.in_place.partition_point(|p| p.ends() <= ends);
        &self.in_place[from..to]
    }

    /// The most bytes that are held at one instant, a result's less where it may take the place of an operand.
    pub fn lower_bound(&self) -> u64 {
        // What is more at each instant than at the one before.
        let mut more = vec![0i64; self.calls + 3];
        for (instants, bytes) in self.holds.iter().flat_map(Holds::runs) {
            let count = (bytes.end - bytes.start) as i64;
            more[instants.start] += count;
            more[instants.end] -= count;
        }
        let mut sum = 0;
        let sums = more[..self.calls + 2].iter().map(|more| {
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

impl Part {
    /// The distances of its own blocks.
    fn pairs(&self) -> impl Iterator<Item = Between<'_>> + Clone {
        let buffers = self.alone.held.steps.buffers();
        let block = move |block: usize| match block.checked_sub(buffers) {
            Some(scratch) => self.scratch + scratch,
            None => block,
        };
        let pairs = self.alone.pairs.iter();
        pairs.map(move |pair| (block(pair.first), block(pair.second), &pair.distances))
    }
}

impl Steps {
    /// What calls do to each buffer, in order.
    fn new(buffers: usize, uses: &[(usize, &Use)]) -> Steps {
        let mut starts = vec![0; buffers + 1];
        uses.iter().for_each(|(_, (id, ..))| starts[id + 1] += 1);
        for id in 0..buffers {
            starts[id + 1] += starts[id];
        }
        // Their numbers are put in order: steps are many times as long.
        let (mut next, mut order) = (starts.clone(), vec![0; uses.len()]);
        for (at, (_, (id, ..))) in uses.iter().enumerate() {
            order[next[*id]] = at;
            next[*id] += 1;
        }
        let all = order.into_iter().map(|at| {
            let (call, (_, reads, writes)) = uses[at];
            Step {
                call,
                reads: reads.clone(),
                writes: writes.clone(),
                ..Step::default()
            }
        });
        let all = all.collect();
        Steps { starts, all }
    }

    /// How many buffers there are.
    fn buffers(&self) -> usize {
        self.starts.len() - 1
    }

    fn of(&self, buffer: usize) -> &[Step] {
        &self.all[self.starts[buffer]..self.starts[buffer + 1]]
    }

    fn of_mut(&mut self, buffer: usize) -> &mut [Step] {
        &mut self.all[self.starts[buffer]..self.starts[buffer + 1]]
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Add, BufferId, Build, Call, Dtype, Function, Program, View};
    use crate::plan::Owners;

    /// A call that adds a quarter of a buffer to itself, and writes it to a quarter of another.
    fn doubled(from: BufferId, to: BufferId, quarter: usize) -> Call {
        let view = Some(View {
            first: 16 * quarter,
            elements: 16,
        });
        Call {
            function: Function::ElementwiseAddS8,
            parameters: Add::default().into(),
            buffers: vec![Some(from), Some(from), Some(to)],
            views: vec![view; 3],
            node: None,
            layer: String::new(),
            source: String::new(),
        }
    }

    /// Calls that are known alone hold among others what they hold if all are looked at together.
    #[test]
    fn pieces_hold_what_all_calls_hold() {
        let mut program = Program::default();
        let roles = [Role::Input, Role::Temporary, Role::Temporary];
        let roles = roles.into_iter().chain([Role::Temporary, Role::Output]);
        let ids: Vec<BufferId> = roles
            .enumerate()
            .map(|(i, role)| program.add(Buffer::new(i.to_string(), Dtype::I8, 64, role)))
            .collect();
        let layer = |at: usize| (0..4).map(move |quarter| (at, quarter));
        // The layers in the middle are computed by rows: only the second buffer is theirs alone.
        let rows = (0..4).flat_map(|quarter| [(1, quarter), (2, quarter)]);
        let order = layer(0).chain(rows).chain(layer(3));
        let mut owners = Owners::default();
        let accesses = order.map(|(at, quarter)| {
            let call = doubled(ids[at], ids[at + 1], quarter);
            Accesses::of(&program, &call, Build::Dsp, &mut owners)
        });
        let accesses: Vec<Accesses> = accesses.collect();
        let alone = Rc::new(Alone::of(&program.buffers, &accesses[4..12], |id| id == 2));
        assert_eq!(alone.own, [2]);
        let pieces = [
            Piece::Calls(&accesses[..4]),
            Piece::Alone(&alone),
            Piece::Calls(&accesses[12..]),
        ];
        let [whole, found] = [&[Piece::Calls(&accesses)], &pieces as &[Piece<'_>]]
            .map(|pieces| Held::of(&program.buffers, pieces, ALIGNMENT));
        assert_eq!((&whole.blocks, &whole.holds), (&found.blocks, &found.holds));
        assert_eq!(whole.lower_bound(), found.lower_bound());
        let sorted = |held: &Held| {
            let mut pairs = held.pairs();
            pairs.extend(held.known_pairs().map(|(first, second, distances)| Pair {
                first,
                second,
                distances: distances.clone(),
            }));
            pairs.sort_by_key(|pair| (pair.first, pair.second));
            pairs
        };
        assert!(!sorted(&whole).is_empty());
        assert_eq!(sorted(&whole), sorted(&found));
    }
}
