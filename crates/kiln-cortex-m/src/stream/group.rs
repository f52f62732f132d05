//! Calls that are computed together by rows, and the order in which they are.
//!
//! The last call gives some rows at a time. Every other call gives what is then needed, and nothing again: rows that are needed later are
//! kept. Rows are counted from the side on which the group begins, which is the top or the bottom of all maps.

use super::rows::{ByRows, Map, Window, needed};
use crate::dialect::work::Work;
use crate::dialect::{BufferId, Build, Program};
use crate::plan::ALIGNMENT;
use std::ops::Range;
use std::rc::Rc;

/// The side on which a group begins. Results move towards the start of the arena with one, and towards its end with the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Top,
    Bottom,
}

/// A reader of a map: a call of the group, and its operand.
pub(super) type Reader = (usize, (Map, Window));

/// A map that calls of the group use.
#[derive(Clone, Debug)]
pub(super) struct Used {
    pub map: Map,
    pub row_bytes: u64,
    /// The call that writes it, if one of the group does.
    pub writer: Option<usize>,
    pub readers: Vec<Reader>,
    /// Whether it is needed behind the group.
    pub outlives: bool,
}

/// A call of a group.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Its number in the program.
    pub call: usize,
    pub rows: ByRows,
    pub scratch: u64,
    pub work: Work,
    /// Its operands that the result may take the place of.
    pub overwritable: Vec<BufferId>,
}

/// Calls that are computed together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub members: Vec<Rc<Member>>,
    pub maps: Vec<Used>,
    /// The map that each call writes, and those that it reads, by their numbers.
    writes: Vec<usize>,
    reads: Vec<Vec<usize>>,
}

/// A call for some rows, counted from the group's side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub member: usize,
    pub rows: Range<usize>,
}

/// What is known of a program's buffers.
pub(super) struct Facts {
    /// The calls that can be computed by rows.
    pub members: Vec<Option<Rc<Member>>>,
    /// The calls that use each buffer: the first and the last, or the number of calls if it is needed behind the last.
    pub lives: Vec<Option<(usize, usize)>>,
    /// How many calls write it.
    pub writers: Vec<usize>,
}

impl Member {
    /// A call as one of a group, if it can be computed by rows.
    pub fn of(
        program: &Program,
        build: Build,
        heights: &[Option<usize>],
        at: usize,
    ) -> Option<Member> {
        let call = &program.calls[at];
        let row = call.function.row();
        let scratch = row.scratch.iter();
        let scratch = scratch
            .map(|s| ((s.bytes)(&call.parameters, build) as u64).next_multiple_of(ALIGNMENT));
        let over = row.overwritable.iter();
        let over = over.filter_map(|name| call.buffers[row.slot(name)?]);
        Some(Member {
            call: at,
            rows: ByRows::of(program, call, heights)?,
            scratch: scratch.sum(),
            work: Work::of(call, build),
            overwritable: over.collect(),
        })
    }
}

impl Used {
    fn of(program: &Program, map: Map, outlives: bool) -> Used {
        let dtype = program.buffers[map.buffer.index()].dtype;
        Used {
            map,
            row_bytes: dtype.bytes(map.row) as u64,
            writer: None,
            readers: Vec::new(),
            outlives,
        }
    }

    /// Whether the map is written once and then read, or read only. The result of the last call is read by none.
    fn is_fed(&self, facts: &Facts, last: usize) -> bool {
        let same_height = |(_, (map, _)): &Reader| map.height == self.map.height;
        let is_once = match self.writer {
            Some(at) => {
                let is_single = facts.writers[self.map.buffer.index()] == 1;
                // What reads it before reads what it holds from the run before.
                let reads_new = self.readers.iter().all(|(reader, _)| *reader > at);
                is_single && reads_new && (at == last) == self.readers.is_empty()
            }
            None => true,
        };
        is_once && self.readers.iter().all(same_height)
    }
}

impl Group {
    /// The calls of a range as a group, if they are one: each but the last gives what others of them need.
    pub fn of(program: &Program, facts: &Facts, range: &Range<usize>) -> Option<Group> {
        let members: Option<Vec<Rc<Member>>> =
            facts.members[range.clone()].iter().cloned().collect();
        let members = members?;
        let mut maps: Vec<Used> = Vec::new();
        let mut note = |map: &Map| {
            let known = maps.iter().position(|used| used.map.buffer == map.buffer);
            known.unwrap_or_else(|| {
                let last = facts.lives[map.buffer.index()].map_or(0, |(_, last)| last);
                maps.push(Used::of(program, *map, last >= range.end));
                maps.len() - 1
            })
        };
        let (mut writes, mut reads) = (Vec::new(), Vec::new());
        for member in &members {
            let of: Vec<usize> = member
                .rows
                .inputs
                .iter()
                .map(|(map, _)| note(map))
                .collect();
            reads.push(of);
            writes.push(note(&member.rows.output));
        }
        for (at, member) in members.iter().enumerate() {
            for (&map, input) in reads[at].iter().zip(&member.rows.inputs) {
                maps[map].readers.push((at, *input));
            }
            maps[writes[at]].writer = Some(at);
        }
        let last = members.len() - 1;
        let holds = maps.iter().all(|used| used.is_fed(facts, last));
        holds.then_some(Group {
            members,
            maps,
            writes,
            reads,
        })
    }

    /// The height of the last result.
    pub fn height(&self) -> usize {
        self.members
            .last()
            .map_or(0, |last| last.rows.output.height)
    }

    /// The steps of rounds behind each of which so many rows of the last result are there.
    pub fn steps(&self, side: Side, ends_of_rounds: &[usize]) -> Vec<Step> {
        let count = self.members.len();
        let mut done = vec![0; count];
        let mut targets = vec![0; count];
        let mut steps = Vec::with_capacity(count * ends_of_rounds.len());
        let total = self.height();
        for &end in ends_of_rounds {
            for member in (0..count).rev() {
                let used = self.written(member);
                let height = used.map.height;
                let for_readers = used.readers.iter().map(|(reader, input)| {
                    let height = self.members[*reader].rows.output.height;
                    ends(side, input, height, targets[*reader])
                });
                let target = match member + 1 == count {
                    true => end,
                    false if used.outlives && end == total => height,
                    false => for_readers.max().unwrap_or(0),
                };
                targets[member] = target.max(done[member]);
            }
            let new = (0..count).filter(|&m| targets[m] > done[m]);
            steps.extend(new.map(|member| Step {
                member,
                rows: done[member]..targets[member],
            }));
            done.copy_from_slice(&targets);
        }
        steps
    }

    /// The map that a call of the group writes.
    pub fn written(&self, member: usize) -> &Used {
        &self.maps[self.writes(member)]
    }

    /// Its number.
    pub fn writes(&self, member: usize) -> usize {
        self.writes[member]
    }

    /// The maps that a call of the group reads, with their numbers.
    pub fn read_by(&self, member: usize) -> impl Iterator<Item = (usize, &Used)> {
        self.reads[member].iter().map(|&map| (map, &self.maps[map]))
    }

    /// The first row of a map that is needed when calls have given so many rows each.
    pub fn first_needed(&self, side: Side, used: &Used, done: &[usize]) -> usize {
        if used.outlives {
            return 0;
        }
        let firsts = used.readers.iter().map(|(reader, input)| {
            first(
                side,
                input,
                self.members[*reader].rows.output.height,
                done[*reader],
            )
        });
        firsts.min().unwrap_or(used.map.height)
    }

    /// The most rows of each map of the group that are held at once, and whether rows are kept from one tile to the next.
    pub fn widths(&self, side: Side, steps: &[Step]) -> Vec<(usize, bool)> {
        let mut widths = vec![(0, false); self.maps.len()];
        let mut done = vec![0; self.members.len()];
        for step in steps {
            let map = self.writes[step.member];
            let kept = self.first_needed(side, &self.maps[map], &done);
            let width = &mut widths[map];
            width.0 = width.0.max(step.rows.end - kept.min(step.rows.start));
            width.1 |= kept < step.rows.start;
            done[step.member] = step.rows.end;
        }
        widths
    }
}

/// Rows in memory of rows that are counted from a side.
pub(super) fn rows_of(side: Side, height: usize, counted: &Range<usize>) -> Range<usize> {
    match side {
        Side::Top => counted.clone(),
        Side::Bottom => height - counted.end..height - counted.start,
    }
}

/// How many rows of an operand the first `end` rows of a result of `height` need.
fn ends(side: Side, input: &(Map, Window), height: usize, end: usize) -> usize {
    if end == 0 {
        return 0;
    }
    let needed = needed(input, &rows_of(side, height, &(0..end)));
    match side {
        Side::Top => needed.end,
        Side::Bottom => input.0.height - needed.start,
    }
}

/// The first row of an operand that a result still needs when `done` of its rows are there.
fn first(side: Side, input: &(Map, Window), height: usize, done: usize) -> usize {
    if done >= height {
        return input.0.height;
    }
    let needed = needed(input, &rows_of(side, height, &(done..height)));
    match side {
        Side::Top => needed.start,
        Side::Bottom => input.0.height - needed.end,
    }
}
