//! The calls of a group, by tiles.
//!
//! A map that is needed only within the group has a line buffer, with room for the rows that are held at once, or keeps its own place for
//! each row. In a line buffer, rows that are kept are moved before new ones are written.

use super::group::{Group, Side, Step, Used, rows_of};
use super::pace::Pace;
use super::rows::Map;
use crate::dialect::{
    BufferId, Call, Copy, Dtype, Function, Parameters, Program, Reshape, Strides, View,
};
use std::ops::Range;

/// How a group is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub side: Side,
    /// Rows of the last result at a time, or the least number of them.
    pub tile: usize,
    pub pace: Pace,
    /// A map of more bytes has a line buffer even if that moves rows.
    pub widest: u64,
}

impl Form {
    /// The steps of a group.
    pub fn steps(&self, group: &Group) -> Vec<Step> {
        group.steps(self.side, &self.pace.ends(self.tile, group.height()))
    }
}

/// A line buffer.
struct Line<'g> {
    used: &'g Used,
    /// Rows that it has room for.
    rows: usize,
    /// The row at its start; it may be one before the map's first, while the buffer is not full.
    base: i64,
}

/// Writes the calls of a group.
pub(super) struct Tiler<'g> {
    group: &'g Group,
    form: Form,
    lines: Vec<Line<'g>>,
    done: Vec<usize>,
}

impl<'g> Tiler<'g> {
    /// Of a group with the most rows of each map that are held at once, and whether rows are kept ([`Group::widths`]).
    pub fn new(group: &'g Group, form: Form, widths: &[(usize, bool)]) -> Tiler<'g> {
        let lines = group
            .maps
            .iter()
            .zip(widths)
            .filter(|(used, (rows, keeps))| {
                let bytes = used.row_bytes * used.map.height as u64;
                let is_within = used.writer.is_some() && !used.outlives && *rows < used.map.height;
                is_within && (!*keeps || bytes > form.widest)
            });
        Tiler {
            group,
            form,
            lines: lines
                .map(|(used, &(rows, _))| Line {
                    used,
                    rows,
                    base: 0,
                })
                .collect(),
            done: vec![0; group.members.len()],
        }
    }

    /// The elements of the line buffers.
    pub fn sizes(&self) -> impl Iterator<Item = (BufferId, usize)> + '_ {
        self.lines
            .iter()
            .map(|line| (line.used.map.buffer, line.rows * line.used.map.row))
    }

    /// Adds the calls of a step.
    pub fn step(&mut self, program: &Program, step: &Step, into: &mut Vec<Call>) {
        let member = &self.group.members[step.member];
        let call = &program.calls[member.call];
        let output = member.rows.output;
        if let Some(at) = self
            .lines
            .iter()
            .position(|line| line.used.map.buffer == output.buffer)
        {
            self.make_room(program, at, step, call, into);
        }
        let rows = rows_of(self.form.side, output.height, &step.rows);
        let base = |map: &Map| {
            let line = self
                .lines
                .iter()
                .find(|line| line.used.map.buffer == map.buffer);
            line.map_or(0, |line| line.base)
        };
        let first = |map: &Map, row: usize| (row as i64 - base(map)).max(0) as usize * map.row;
        into.push(member.rows.tile(call, &rows, first));
        self.done[step.member] = step.rows.end;
    }

    /// Moves the rows that are kept to the side of the line buffer from which new rows follow.
    fn make_room(
        &mut self,
        program: &Program,
        at: usize,
        step: &Step,
        call: &Call,
        into: &mut Vec<Call>,
    ) {
        let (side, line) = (self.form.side, &self.lines[at]);
        let height = line.used.map.height;
        let kept = self
            .group
            .first_needed(side, line.used, &self.done)
            .min(step.rows.start);
        let held = rows_of(side, height, &(kept..step.rows.end));
        let (from, room) = (line.base, line.rows as i64);
        let (start, end) = (held.start as i64, held.end as i64);
        let is_there = from <= start && end <= from + room;
        let to = match side {
            _ if is_there && kept < step.rows.start => from,
            Side::Top => start,
            Side::Bottom => end - room,
        };
        if to != from && kept < step.rows.start {
            let rows = rows_of(side, height, &(kept..step.rows.start));
            let moves = moves(&rows, from, to);
            let map = line.used.map;
            let dtype = program.buffers[map.buffer.index()].dtype;
            into.extend(
                moves
                    .into_iter()
                    .map(|(from, to)| moved(map, dtype, call, from, to)),
            );
        }
        self.lines[at].base = to;
    }
}

/// Copies that move rows from one base to another: each from rows of the buffer to others that it does not overlap.
fn moves(rows: &Range<usize>, from: i64, to: i64) -> Vec<(Range<usize>, Range<usize>)> {
    let distance = (to - from).unsigned_abs() as usize;
    let count = rows.len().div_ceil(distance);
    let chunks = (0..count)
        .map(|i| rows.start + i * distance..(rows.start + (i + 1) * distance).min(rows.end));
    let place = |rows: &Range<usize>, base: i64| {
        (rows.start as i64 - base) as usize..(rows.end as i64 - base) as usize
    };
    let mut moves: Vec<_> = chunks
        .map(|rows| (place(&rows, from), place(&rows, to)))
        .collect();
    // Rows that move down go last rows first.
    if to < from {
        let last = rows.end;
        let chunks = (0..count)
            .map(|i| last.saturating_sub((i + 1) * distance).max(rows.start)..last - i * distance);
        moves = chunks
            .map(|rows| (place(&rows, from), place(&rows, to)))
            .collect();
    }
    moves
}

/// A call that copies rows within a buffer.
fn moved(map: Map, dtype: Dtype, of: &Call, from: Range<usize>, to: Range<usize>) -> Call {
    let elements = (from.end - from.start) * map.row;
    let view = |rows: &Range<usize>| {
        Some(View {
            first: rows.start * map.row,
            elements,
        })
    };
    let (function, parameters): (Function, Parameters) = match dtype {
        Dtype::I8 => (
            Function::ReshapeS8,
            Reshape {
                total_size: elements as i32,
            }
            .into(),
        ),
        _ => (
            Function::KilnCopy,
            Copy {
                strides: Strides::new(&[elements as i32], &[1], &[1]),
                element_size: dtype.bytes(1) as i32,
                input_first: 0,
                output_first: 0,
            }
            .into(),
        ),
    };
    Call {
        function,
        parameters,
        buffers: vec![Some(map.buffer), Some(map.buffer)],
        views: vec![view(&from), view(&to)],
        node: of.node,
        layer: of.layer.clone(),
        source: of.source.clone(),
    }
}
