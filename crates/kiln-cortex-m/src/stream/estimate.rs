//! What a way to compute calls costs: the bytes that it holds at most, and the instructions that it adds.

use super::group::{Group, Step, Used};
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
    // A step changes the bytes of few maps: of the one that it writes, and of those that it reads.
    let bytes = |map: usize, needed: &[usize], done: &[usize]| {
        let used = &group.maps[map];
        let rows = rows(used, widths[map].0, needed[map], done);
        rows as u64 * used.row_bytes
    };
    let all = 0..group.maps.len();
    let mut of_maps: Vec<u64> = all.map(|map| bytes(map, &needed, &done)).collect();
    let mut of_all: u64 = of_maps.iter().sum();
    let mut change = |map: usize, needed: &[usize], done: &[usize]| {
        let new = bytes(map, needed, done);
        of_all = of_all + new - std::mem::replace(&mut of_maps[map], new);
        of_all
    };
    let mut estimate = Estimate { peak: 0, added: 0 };
    for step in steps {
        let member = &group.members[step.member];
        let written = group.writes(step.member);
        done[step.member] = step.rows.end;
        let mut held = others + member.scratch + change(written, &needed, &done);
        let (used, (_, keeps)) = (&group.maps[written], widths[written]);
        let is_moved = keeps
            && !used.outlives
            && needed[written] < step.rows.start
            && used.row_bytes * used.map.height as u64 > form.widest;
        if is_moved {
            let rows = step.rows.start - needed[written];
            estimate.added += COPY + rows as u64 * used.row_bytes / 2;
        }
        for (map, used) in group.read_by(step.member) {
            needed[map] = group.first_needed(form.side, used, &done);
            change(map, &needed, &done);
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

/// The rows of a map that are held, if its line buffer has so many, rows are needed from one on, and calls have given so many each.
fn rows(used: &Used, width: usize, needed: usize, done: &[usize]) -> usize {
    let height = used.map.height;
    match used.writer {
        None if used.outlives => height,
        None => height - needed,
        Some(writer) if used.outlives => done[writer],
        Some(writer) if needed >= height || done[writer] == 0 => 0,
        // A line buffer is there as a whole.
        Some(_) => width,
    }
}

/// The bytes of a result that take the place of an operand's.
fn replaced(group: &Group, step: &Step, needed: &[usize]) -> u64 {
    let member = &group.members[step.member];
    if member.overwritable.is_empty() {
        return 0;
    }
    let out = group.written(step.member);
    let is_dying = |(at, used): (usize, &Used)| {
        let fits = used.writer.is_none() && !used.outlives && used.row_bytes == out.row_bytes;
        fits && member.overwritable.contains(&used.map.buffer) && needed[at] >= step.rows.end
    };
    match group.maps.iter().enumerate().any(is_dying) {
        true => step.rows.len() as u64 * out.row_bytes,
        false => 0,
    }
}
