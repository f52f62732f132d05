//! What a way to compute calls costs: the bytes that it holds at most, and the instructions that it adds.

use super::group::{Group, Step};
use super::tiles::Form;
use crate::dialect::work::Work;
use crate::dialect::{Build, Program};

/// The instructions of a copy around its loop.
const COPY: u64 = 90;

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
    calls.map(|call| Work::of(call, build).of_all()).sum()
}

/// What a group costs, with what else is held meanwhile. `None` if it holds as many bytes as its calls do as a whole.
pub(super) fn of_group(
    group: &Group,
    form: Form,
    steps: &[Step],
    others: u64,
    whole: u64,
) -> Option<Estimate> {
    let widths = group.widths(form.side, steps);
    let mut done = vec![0; group.members.len()];
    let first = |used| group.first_needed(form.side, used, &done);
    let mut needed: Vec<usize> = group.maps.iter().map(first).collect();
    let mut estimate = Estimate { peak: 0, added: 0 };
    for step in steps {
        let member = &group.members[step.member];
        let mut held = others + member.scratch;
        for ((used, (width, keeps)), needed) in group.maps.iter().zip(&widths).zip(&needed) {
            let after = |member: usize| match member == step.member {
                true => step.rows.end,
                false => done[member],
            };
            let (height, needed) = (used.map.height, *needed);
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
        for (at, used) in group.read_by(step.member) {
            needed[at] = group.first_needed(form.side, used, &done);
        }
        held -= replaced(group, step, &needed);
        if held >= whole {
            return None;
        }
        estimate.peak = estimate.peak.max(held);
        estimate.added += member.work.of_rows(step.rows.len());
    }
    let whole = group.members.iter();
    let whole: u64 = whole.map(|m| m.work.of_rows(m.rows.output.height)).sum();
    estimate.added = estimate.added.saturating_sub(whole);
    Some(estimate)
}

/// The bytes of a result that take the place of an operand's.
fn replaced(group: &Group, step: &Step, needed: &[usize]) -> u64 {
    let member = &group.members[step.member];
    let out = group.written(step.member);
    let is_dying = |(at, used): (usize, &super::group::Used)| {
        let fits = used.writer.is_none() && !used.outlives && used.row_bytes == out.row_bytes;
        fits && member.overwritable.contains(&used.map.buffer) && needed[at] >= step.rows.end
    };
    match group.maps.iter().enumerate().any(is_dying) {
        true => step.rows.len() as u64 * out.row_bytes,
        false => 0,
    }
}
