//! Plans the arena: where each buffer and all scratch memory of a program lie.
//!
//! Inputs, outputs, state, temporaries and scratch share one arena. Constants are in flash. A call may write its result over an
//! operand that nothing reads later, where its row allows it.

use crate::dialect::{Access, Role, Row};
use crate::verify::Verified;
use kiln_plan::live::{Area, Overwrite, Place, PlaceId, Point, Scratch, Sequence, arrange};
use kiln_plan::{Limits, ProblemError};

/// The alignment of buffers and of scratch memory in bytes: that of the widest vector loads.
pub const ALIGNMENT: u64 = 16;

/// Where everything lies. Offsets are bytes from the start of the arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The offset of each buffer of the program; `None` for constants.
    pub offsets: Vec<Option<u64>>,
    /// The calls during which each buffer holds data, first and last; `None` for constants and for buffers without accesses. An input
    /// is live from the first call on, an output to the last one, and state during all.
    pub lives: Vec<Option<(usize, usize)>>,
    /// The offsets of each call's scratch memory, in the order of its row.
    pub scratch: Vec<Vec<u64>>,
    /// The size of the arena in bytes.
    pub arena_bytes: u64,
    /// No plan of these calls in this order has a smaller arena.
    pub lower_bound: u64,
    /// The greatest sum of scratch memory of one call.
    pub scratch_bytes: u64,
}

/// Plans the arena of a program.
///
/// # Errors
/// If sizes add up to more than any device has.
pub fn plan(verified: &Verified<'_>) -> Result<Plan, ProblemError> {
    let (program, build) = (verified.program(), verified.build());
    let places = program.buffers.iter().map(|buffer| Place {
        alignment: ALIGNMENT,
        from_start: matches!(buffer.role, Role::Input | Role::State(_)),
        to_end: matches!(buffer.role, Role::Output | Role::State(_)),
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
    let mut lives: Vec<Option<(usize, usize)>> = vec![None; program.buffers.len()];
    for (at, call) in program.calls.iter().enumerate() {
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
            let (first, _) = lives[id.index()].unwrap_or((at, at));
            lives[id.index()] = Some((first, at));
        }
        point.overwrites = overwrites(
            row,
            &call
                .buffers
                .iter()
                .map(|id| id.map(|id| id.index()))
                .collect::<Vec<_>>(),
        );
        let sizes = row
            .scratch
            .iter()
            .map(|scratch| (scratch.bytes)(&call.parameters, build) as u64);
        point.scratch = sizes
            .map(|size| Scratch {
                size,
                alignment: ALIGNMENT,
            })
            .collect();
        sequence.points.push(point);
    }
    let last = program.calls.len().saturating_sub(1);
    for (life, place) in lives.iter_mut().zip(&sequence.places) {
        if let Some((first, end)) = life {
            *first = if place.from_start { 0 } else { *first };
            *end = if place.to_end { last } else { *end };
        }
    }
    let arranged = arrange(&sequence, &Limits::default())?;
    let is_planned = |index: usize| program.buffers[index].constant().is_none();
    let offsets = arranged.places.iter().enumerate();
    let of_call = |point: &Point| {
        point
            .scratch
            .iter()
            .map(|s| s.size.next_multiple_of(ALIGNMENT))
            .sum()
    };
    Ok(Plan {
        offsets: offsets
            .map(|(i, &offset)| is_planned(i).then_some(offset))
            .collect(),
        lives,
        scratch: arranged.scratch,
        arena_bytes: arranged.bytes.next_multiple_of(ALIGNMENT),
        lower_bound: arranged.lower_bound,
        scratch_bytes: sequence.points.iter().map(of_call).max().unwrap_or(0),
    })
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
        .map(|(out, operand)| Overwrite {
            out: PlaceId(out),
            operand: PlaceId(operand),
        })
        .collect()
}
