//! What a way to compute calls costs: the bytes that it holds at most, and the instructions that it adds.

use super::group::{Group, Step};
use super::tiles::Form;
use crate::dialect::{Build, Call, Parameters, Program};

/// The instructions of a call around its loops.
const CALL: u64 = 300;

/// The instructions of a copy around its loop.
const COPY: u64 = 60;

/// What a way to compute calls costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Estimate {
    /// The bytes that are held at most.
    pub peak: u64,
    /// The instructions that are added.
    pub added: u64,
}

/// The instructions of a program, about: a part of them may be added.
pub(super) fn instructions(program: &Program, build: Build) -> u64 {
    let calls = program.calls.iter();
    calls
        .map(|call| CALL + of_multiplications(call.multiplications(), build))
        .sum()
}

/// Instructions of so many multiplications.
fn of_multiplications(multiplications: u64, build: Build) -> u64 {
    match build {
        Build::Mve => multiplications * 3 / 4,
        Build::Scalar | Build::Dsp => multiplications * 5 / 2,
    }
}

/// Instructions of a call, however few rows it computes. Without MVE, a window of one element adds up the weights in each call.
fn of_call(call: &Call, build: Build) -> u64 {
    let weights = match &call.parameters {
        Parameters::Conv(of) if (of.filter_dims.h, of.filter_dims.w) == (1, 1) => {
            of.filter_dims.elements() as u64
        }
        _ => 0,
    };
    match build {
        Build::Mve => CALL,
        Build::Scalar | Build::Dsp => CALL + 3 * weights,
    }
}

/// How many places of a result the library computes at once.
fn at_once(build: Build) -> u64 {
    match build {
        Build::Mve => 4,
        Build::Scalar | Build::Dsp => 2,
    }
}

/// What a group costs, with what else is held meanwhile. `None` if it holds as many bytes as its calls do as a whole.
pub(super) fn of_group(
    program: &Program,
    build: Build,
    group: &Group,
    form: Form,
    tiles: &[Vec<Step>],
    others: u64,
    whole: u64,
) -> Option<Estimate> {
    let widths = group.widths(form.side, tiles);
    let mut done = vec![0; group.members.len()];
    let mut estimate = Estimate { peak: 0, added: 0 };
    for step in tiles.iter().flatten() {
        let member = &group.members[step.member];
        let after = |member: usize| match member == step.member {
            true => step.rows.end,
            false => done[member],
        };
        let mut held = others + member.scratch;
        for (used, (width, keeps)) in group.maps.iter().zip(&widths) {
            let height = used.map.height;
            let needed = group.first_needed(form.side, used, &done);
            let rows = match used.writer {
                None if used.outlives => height,
                None => height - needed,
                Some(writer) if used.outlives => after(writer),
                Some(writer) if needed >= height || after(writer) == 0 => 0,
                // A line buffer is there as a whole.
                Some(_) => *width,
            };
            held += rows as u64 * used.row_bytes;
            let is_moved = used.writer == Some(step.member)
                && *keeps
                && !used.outlives
                && needed < step.rows.start
                && step.rows.start > 0;
            if is_moved && used.row_bytes * height as u64 > form.widest {
                estimate.added += COPY + (step.rows.start - needed) as u64 * used.row_bytes / 2;
            }
        }
        done[step.member] = step.rows.end;
        held -= replaced(group, form, step, &done);
        if held >= whole {
            return None;
        }
        estimate.peak = estimate.peak.max(held);
        let call = &program.calls[member.call];
        estimate.added += of_call(call, build) + wasted(call, step.rows.len(), build);
    }
    let whole = group.members.iter().map(|m| {
        let call = &program.calls[m.call];
        of_call(call, build) + wasted(call, m.rows.output.height, build)
    });
    estimate.added = estimate.added.saturating_sub(whole.sum());
    Some(estimate)
}

/// The bytes of a result that take the place of an operand's.
fn replaced(group: &Group, form: Form, step: &Step, after: &[usize]) -> u64 {
    let member = &group.members[step.member];
    let out = group.written(step.member);
    let is_dying = |used: &&super::group::Used| {
        let fits = used.writer.is_none() && !used.outlives && used.row_bytes == out.row_bytes;
        fits && member.overwritable.contains(&used.map.buffer)
            && group.first_needed(form.side, used, after) >= step.rows.end
    };
    match group.maps.iter().any(|used| is_dying(&used)) {
        true => step.rows.len() as u64 * out.row_bytes,
        false => 0,
    }
}

/// The instructions for places that are left over where the library computes several at once.
fn wasted(call: &Call, rows: usize, build: Build) -> u64 {
    let dims = match &call.parameters {
        Parameters::Conv(of) => &of.output_dims,
        Parameters::Depthwise(of) if build == Build::Mve => &of.output_dims,
        _ => return 0,
    };
    let [_, height, width, _] = dims.sizes();
    let places = (rows * width) as u64;
    let over = places.next_multiple_of(at_once(build)) - places;
    let of_place =
        of_multiplications(call.multiplications(), build) / (height * width).max(1) as u64;
    match build {
        Build::Mve => over * of_place / 2,
        Build::Scalar | Build::Dsp => over * of_place / 4,
    }
}
