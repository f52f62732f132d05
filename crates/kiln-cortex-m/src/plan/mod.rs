//! Plans the arena: where each buffer and all scratch memory of a program lie.
//!
//! Inputs, outputs, state, temporaries and scratch share one arena. Constants are in flash. A call may write its result over an
//! operand that nothing reads later, where its row allows it. Of a buffer that calls use by parts, only those parts take memory that are
//! written already and read later, so two buffers may overlap while both are live ([`kiln_plan::sliding`]).
//!
//! [`Machine`] runs a program in the arena of a plan, and so checks the plan. [`order()`] finds the order of calls in which the fewest bytes
//! are live at once.

mod accesses;
mod held;
mod machine;
mod order;

use crate::dialect::{Access, Buffer, Flow, Program, Role, Row};
use crate::verify::Verified;
pub(crate) use accesses::{Accesses, Owners};
use held::Held;
pub(crate) use held::{Alone, Piece};
use kiln_plan::live::{Area, Next, Overwrite, Place, PlaceId, Point, Scratch, Sequence, arrange};
use kiln_plan::sliding::{self, Pair, Placing};
use kiln_plan::{Limits, ProblemError};
pub use machine::{Machine, MachineError};
pub use order::{Order, order, reordered};

/// The alignment of buffers and of scratch memory in bytes: that of the widest vector loads.
pub const ALIGNMENT: u64 = 16;

/// The orders that are tried for buffers that overlap in part.
const ROUNDS: usize = 200;

/// The same, where a plan is one of many.
const FEW_ROUNDS: usize = 40;

/// Where everything lies. Offsets are bytes from the start of the arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The offset of each buffer of the program; `None` for constants.
    pub offsets: Vec<Option<u64>>,
    /// The calls during which each buffer holds data, first and last; `None` for constants and for buffers without accesses. An input
    /// is live from the first call on, an output to the last one, and state and updated inputs during all.
    pub lives: Vec<Option<(usize, usize)>>,
    /// The offsets of each call's scratch memory, in the order of its row. Calls of one function on the same buffers share it.
    pub scratch: Vec<Vec<u64>>,
    /// The size of the arena in bytes.
    pub arena_bytes: u64,
    /// The most bytes that are held at one call. No plan of these calls in this order has a smaller arena, as long as what a buffer holds
    /// between its first and its last held byte is held too.
    pub lower_bound: u64,
    /// The greatest sum of scratch memory of one call.
    pub scratch_bytes: u64,
}

impl Plan {
    /// Whether no plan of these calls in this order has a smaller arena.
    pub fn is_least(&self) -> bool {
        self.arena_bytes <= self.lower_bound.next_multiple_of(ALIGNMENT)
    }
}

/// Plans the arena of a program.
///
/// # Errors
/// If sizes add up to more than any device has.
pub fn plan(verified: &Verified<'_>) -> Result<Plan, ProblemError> {
    let program = verified.program();
    let sequence = sequence(verified);
    // Where calls use parts of buffers, whole buffers are only a start.
    let has_parts = program.calls.iter().any(|call| !call.views.is_empty());
    let limits = if has_parts {
        Limits::greedy()
    } else {
        Limits::default()
    };
    let arranged = arrange(&sequence, &limits)?;
    let mut owners = Owners::default();
    let calls = program.calls.iter();
    let calls = calls.map(|call| Accesses::of(program, call, verified.build(), &mut owners));
    let calls: Vec<Accesses> = calls.collect();
    let held = Held::of(&program.buffers, &[Piece::Calls(&calls)], ALIGNMENT);
    let lower_bound = held.lower_bound();
    let of_call = |point: &Point| {
        let sizes = point.scratch.iter().map(|s| s.size);
        sizes.map(|size| size.next_multiple_of(ALIGNMENT)).sum()
    };
    let scratch_bytes = sequence.points.iter().map(of_call).max().unwrap_or(0);
    let mut found = Plan {
        offsets: arranged.places.into_iter().map(Some).collect(),
        lives: lives(program, &sequence),
        scratch: arranged.scratch,
        arena_bytes: arranged.bytes.next_multiple_of(ALIGNMENT),
        lower_bound,
        scratch_bytes,
    };
    // Buffers that overlap in part are found along one sequence of calls.
    if !found.is_least() && program.flows.is_empty() {
        slide(&held, &mut found);
    }
    for (offset, buffer) in found.offsets.iter_mut().zip(&program.buffers) {
        *offset = offset.filter(|_| buffer.constant().is_none());
    }
    Ok(found)
}

/// About the size of the arena of buffers with calls that use parts of them, from few orders. `None` if it is not below so many bytes.
pub(crate) fn arena_of_parts(buffers: &[Buffer], pieces: &[Piece<'_>], below: u64) -> Option<u64> {
    let held = Held::of(buffers, pieces, ALIGNMENT);
    let enough = held.lower_bound().next_multiple_of(ALIGNMENT);
    if enough >= below {
        return None;
    }
    let pairs = held.pairs();
    let pairs = pairs.iter().map(Pair::between);
    // Changes of an order take off an eighth at most.
    let most = (below / 7).saturating_mul(8).saturating_add(7);
    let mut placing = Placing::within(&held.blocks, pairs.chain(held.known_pairs()), most)?;
    placing.improve(enough, FEW_ROUNDS);
    let peak = placing.found().peak.next_multiple_of(ALIGNMENT);
    Some(peak).filter(|&peak| peak < below)
}

/// Takes the offsets of buffers that overlap in part, if the arena is smaller with them.
fn slide(held: &Held, found: &mut Plan) {
    let pairs = held.pairs();
    let enough = found.lower_bound.next_multiple_of(ALIGNMENT);
    let placed = sliding::place(&held.blocks, &pairs, enough, ROUNDS);
    let bytes = placed.peak.next_multiple_of(ALIGNMENT);
    if bytes >= found.arena_bytes {
        return;
    }
    found.arena_bytes = bytes;
    for (offset, &at) in found.offsets.iter_mut().zip(&placed.offsets) {
        *offset = Some(at);
    }
    found.scratch.iter_mut().for_each(Vec::clear);
    for &(call, block) in &held.scratch {
        found.scratch[call].push(placed.offsets[block]);
    }
}

/// What calls do to whole buffers.
fn sequence(verified: &Verified<'_>) -> Sequence {
    let (program, build) = (verified.program(), verified.build());
    let places = program.buffers.iter().map(|buffer| Place {
        alignment: ALIGNMENT,
        from_start: buffer.role.is_given(),
        to_end: buffer.role.is_kept(),
        keeps: matches!(buffer.role, Role::State(_)),
        ..Place::new(if buffer.constant().is_some() {
            0
        } else {
            buffer.bytes() as u64
        })
    });
    let mut sequence = Sequence {
        places: places.collect(),
        points: Vec::new(),
    };
    for call in &program.calls {
        let row = call.function.row();
        let mut point = Point::default();
        for (slot, id) in row.slots.iter().zip(&call.buffers) {
            let Some(id) = id.filter(|id| program.buffers[id.index()].constant().is_none()) else {
                continue;
            };
            let area: Area = sequence.whole(PlaceId(id.index()));
            if slot.access.reads() || slot.access == Access::Part {
                point.reads.push(area);
            }
            if slot.access.writes() {
                point.writes.push(area);
            }
        }
        let ids: Vec<_> = call
            .buffers
            .iter()
            .map(|id| id.map(|id| id.index()))
            .collect();
        // A part of a buffer does not take the place of another buffer as a whole.
        if call.views.is_empty() {
            point.overwrites = overwrites(row, &ids);
        }
        let sizes = row.scratch.iter();
        let sizes = sizes.map(|scratch| (scratch.bytes)(&call.parameters, build) as u64);
        point.scratch = sizes
            .map(|size| Scratch {
                size,
                alignment: ALIGNMENT,
            })
            .collect();
        sequence.points.push(point);
    }
    for flow in &program.flows {
        if let Flow::While { test, body, .. } = flow {
            // The decision reads its byte behind the test, which is the last that is known of its buffer in a round.
            sequence.points[body.end - 1].next = Next::Either(test.start);
        }
    }
    decisions(program, &mut sequence);
    sequence
}

/// Adds the reads of bytes that decide: each is held up to the first call behind its decision.
fn decisions(program: &Program, sequence: &mut Sequence) {
    for flow in &program.flows {
        let id = flow.condition();
        if program.buffers[id.index()].constant().is_some() {
            continue;
        }
        let area = sequence.whole(PlaceId(id.index()));
        let [_, second] = flow.ranges();
        let at = match flow {
            Flow::If { .. } => flow.calls().start,
            Flow::While { .. } => second.start,
        };
        sequence.points[at].reads.push(area);
    }
}

/// The calls during which buffers hold data.
fn lives(program: &Program, sequence: &Sequence) -> Vec<Option<(usize, usize)>> {
    let mut lives: Vec<Option<(usize, usize)>> = vec![None; program.buffers.len()];
    for (at, point) in sequence.points.iter().enumerate() {
        for area in point.reads.iter().chain(&point.writes) {
            let (first, _) = lives[area.place.0].unwrap_or((at, at));
            lives[area.place.0] = Some((first, at));
        }
    }
    for flow in &program.flows {
        let Flow::While { .. } = flow else { continue };
        let calls = flow.calls();
        let from_before = lives.iter_mut().flatten().filter(|(first, last)| {
            *first < calls.start && *last >= calls.start && *last < calls.end
        });
        from_before.for_each(|(_, last)| *last = calls.end - 1);
    }
    let last = program.calls.len().saturating_sub(1);
    for (life, place) in lives.iter_mut().zip(&sequence.places) {
        if let Some((first, end)) = life {
            *first = if place.from_start { 0 } else { *first };
            *end = if place.to_end { last } else { *end };
        }
    }
    lives
}

/// What a call may write over: each result over each operand that the row names.
fn overwrites(row: &Row, buffers: &[Option<usize>]) -> Vec<Overwrite> {
    let written = row
        .slots
        .iter()
        .zip(buffers)
        .filter(|(slot, _)| slot.access == Access::Write);
    let outs: Vec<usize> = written.filter_map(|(_, id)| *id).collect();
    let operands = row
        .overwritable
        .iter()
        .filter_map(|name| buffers[row.slot(name)?]);
    let operands: Vec<usize> = operands.collect();
    let pairs = outs
        .iter()
        .flat_map(|&out| operands.iter().map(move |&operand| (out, operand)));
    pairs
        .filter(|(out, operand)| out != operand)
        .map(|(out, operand)| Overwrite {
            out: PlaceId(out),
            operand: PlaceId(operand),
        })
        .collect()
}
