//! Which calls are computed together, and by how many rows at a time.
//!
//! A program falls into groups and single calls, in its order. For a number of bytes, the cheapest of those that hold no more is found by
//! dynamic programming over the calls; the least number of bytes that is worth its instructions is found by bisection.

use super::estimate::{Estimate, instructions, of_group};
use super::group::{Facts, Group, Member, Side};
use super::pace::Pace;
use super::rows::heights;
use super::tiles::Form;
use crate::dialect::{Build, Program, Role};
use std::ops::Range;
use std::rc::Rc;

/// The most calls of a group.
const LONGEST: usize = 10;

/// One in so many instructions may be added.
const ADDED: u64 = 25;

/// Arenas that are compared are apart by one in so many bytes.
const STEP: u64 = 128;

/// One in a hundred instructions is worth so many in a hundred bytes of the arena.
const WORTH: u64 = 4;

/// Fewer instructions than one in so many are not looked for.
const LOOKED_FOR: u64 = 10_000;

/// A group, and how it is computed.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub calls: Range<usize>,
    pub tile: usize,
    pub pace: Pace,
    pub estimate: Estimate,
}

/// All ways to compute the calls of a program.
pub(super) struct Choices {
    pub facts: Facts,
    /// The bytes that each call holds if it is computed as a whole.
    plain: Vec<u64>,
    /// In the order of their last calls.
    candidates: Vec<Candidate>,
    /// The first candidate that ends behind each call.
    ending: Vec<usize>,
    /// The instructions of the program.
    all: u64,
}

/// The facts of a program's buffers.
fn facts(program: &Program, build: Build) -> Facts {
    let heights = heights(program);
    let count = program.calls.len();
    let mut lives: Vec<Option<(usize, usize)>> = vec![None; program.buffers.len()];
    let mut writers = vec![0; program.buffers.len()];
    for (at, call) in program.calls.iter().enumerate() {
        for (slot, id) in call.function.row().slots.iter().zip(&call.buffers) {
            let Some(id) = *id else { continue };
            let (first, _) = lives[id.index()].unwrap_or((at, at));
            lives[id.index()] = Some((first, at));
            writers[id.index()] += usize::from(slot.access.writes());
        }
    }
    for (life, buffer) in lives.iter_mut().zip(&program.buffers) {
        *life = match (&buffer.role, *life) {
            (Role::Constant(_), _) => None,
            (Role::State(_) | Role::Updated, _) => Some((0, count)),
            (Role::Input, life) => Some((0, life.map_or(0, |(_, last)| last))),
            (Role::Output, life) => life.map(|(first, _)| (first, count)),
            (Role::Temporary, life) => life,
        };
    }
    Facts {
        members: (0..count)
            .map(|at| Member::of(program, build, &heights, at).map(Rc::new))
            .collect(),
        lives,
        writers,
    }
}

impl Choices {
    pub fn of(program: &Program, build: Build) -> Choices {
        let facts = facts(program, build);
        let plain: Vec<u64> = (0..program.calls.len())
            .map(|at| plain(program, build, &facts, at))
            .collect();
        let sum = |holds: fn(&Role) -> bool| -> u64 {
            let buffers = program.buffers.iter().filter(|b| holds(&b.role));
            buffers.map(|b| b.bytes() as u64).sum()
        };
        let inputs = sum(Role::is_given);
        let outputs = sum(Role::is_kept);
        let whole = (0..plain.len())
            .filter(|&at| facts.members[at].is_none())
            .map(|at| plain[at]);
        let least = whole.fold(inputs.max(outputs), u64::max);
        let mut choices = Choices {
            candidates: Vec::new(),
            ending: Vec::new(),
            all: instructions(program, build),
            facts,
            plain,
        };
        for first in 0..choices.plain.len() {
            choices.add(program, first, least);
        }
        let candidates = &mut choices.candidates;
        candidates.sort_by_key(|c| c.calls.end);
        let behind = |end: usize| candidates.partition_point(|c| c.calls.end < end);
        choices.ending = (0..choices.plain.len() + 2).map(behind).collect();
        choices
    }

    /// Adds the groups that start at a call. A group in which no call holds more than `least` cannot lower the peak, so it is left out.
    fn add(&mut self, program: &Program, first: usize, least: u64) {
        for end in first + 1..=(first + LONGEST).min(self.plain.len()) {
            if self.facts.members[end - 1].is_none() {
                return;
            }
            let calls = first..end;
            if calls.clone().all(|at| self.plain[at] <= least) {
                continue;
            }
            let Some(group) = Group::of(program, &self.facts, &calls) else {
                continue;
            };
            let others = others(program, &self.facts, &group, &calls);
            let whole = calls.clone().map(|at| self.plain[at]).max().unwrap_or(0);
            self.candidates
                .extend(Choices::ways(&group, &calls, least / 2, others, whole));
        }
    }

    /// How a group may be computed.
    fn ways(
        group: &Group,
        calls: &Range<usize>,
        widest: u64,
        others: u64,
        whole: u64,
    ) -> impl Iterator<Item = Candidate> {
        tiles(group.height()).filter_map(move |tile| {
            let form = Form {
                side: Side::Top,
                tile,
                pace: Pace::Even,
                widest,
            };
            let estimate = of_group(group, form, &form.steps(group), others, whole)?;
            Some(Candidate {
                calls: calls.clone(),
                tile,
                pace: Pace::Even,
                estimate,
            })
        })
    }

    /// The groups that hold at most so many bytes with the fewest instructions, if there are any.
    pub fn within(&self, bytes: u64) -> Option<(u64, Vec<Candidate>)> {
        let mut best: Vec<Option<(u64, Option<&Candidate>)>> = vec![None; self.plain.len() + 1];
        best[0] = Some((0, None));
        for end in 1..=self.plain.len() {
            let mut found: Option<(u64, Option<&Candidate>)> = None;
            let mut consider = |before: usize, added: u64, candidate| {
                let Some((sum, _)) = best[before] else { return };
                if found.is_none_or(|(least, _)| sum + added < least) {
                    found = Some((sum + added, candidate));
                }
            };
            if self.plain[end - 1] <= bytes {
                consider(end - 1, 0, None);
            }
            let ending = &self.candidates[self.ending[end]..self.ending[end + 1]];
            for candidate in ending.iter().filter(|c| c.estimate.peak <= bytes) {
                consider(
                    candidate.calls.start,
                    candidate.estimate.added,
                    Some(candidate),
                );
            }
            best[end] = found;
        }
        let (added, _) = best[self.plain.len()]?;
        let mut chosen = Vec::new();
        let mut at = self.plain.len();
        while at > 0 {
            let (_, candidate) = best[at]?;
            chosen.extend(candidate.cloned());
            at = candidate.map_or(at - 1, |c| c.calls.start);
        }
        chosen.reverse();
        Some((added, chosen))
    }

    /// The same calls at another pace, if that adds less.
    pub fn paced(
        &self,
        program: &Program,
        (than, side): &(Candidate, Side),
        pace: Pace,
        widest: u64,
    ) -> Option<Candidate> {
        let group = Group::of(program, &self.facts, &than.calls)?;
        let form = Form {
            side: *side,
            tile: than.tile,
            pace,
            widest,
        };
        let others = others(program, &self.facts, &group, &than.calls);
        let whole = than.calls.clone().map(|at| self.plain[at]).max()?;
        let estimate = of_group(&group, form, &form.steps(&group), others, whole)?;
        let is_less = estimate.added < than.estimate.added;
        is_less.then(|| Candidate {
            calls: than.calls.clone(),
            tile: than.tile,
            pace,
            estimate,
        })
    }

    /// The same calls with other numbers of rows at a time, which add less.
    pub fn cheaper(&self, than: &Candidate) -> impl Iterator<Item = &Candidate> {
        let end = than.calls.end;
        let ending = &self.candidates[self.ending[end]..self.ending[end + 1]];
        ending
            .iter()
            .filter(|c| c.calls == than.calls && c.estimate.added < than.estimate.added)
    }

    /// The same calls, with the next smaller number of rows at a time.
    pub fn finer(&self, than: &Candidate) -> Option<&Candidate> {
        let end = than.calls.end;
        let ending = &self.candidates[self.ending[end]..self.ending[end + 1]];
        let same = ending
            .iter()
            .filter(|c| c.calls == than.calls && c.tile < than.tile);
        same.max_by_key(|c| c.tile)
    }

    /// The instructions that may be added.
    pub fn allowed(&self) -> u64 {
        self.all / ADDED
    }

    /// Whether so many instructions are worth looking for ways without them.
    pub fn is_much(&self, instructions: u64) -> bool {
        instructions > self.all / LOOKED_FOR
    }

    /// What an arena costs together with instructions that are added; less is better.
    pub fn cost(&self, arena: u64, added: u64) -> u128 {
        u128::from(arena) * u128::from(self.all + WORTH * added)
    }

    /// All numbers of bytes that some way to compute a call holds, in order.
    fn levels(&self) -> Vec<u64> {
        let of_groups = self.candidates.iter().map(|c| c.estimate.peak);
        let mut levels: Vec<u64> = self.plain.iter().copied().chain(of_groups).collect();
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    /// The fewest bytes; within what may be added, or whatever is added.
    pub fn least(&self, whatever: bool) -> Option<u64> {
        let most = if whatever { u64::MAX } else { self.allowed() };
        self.least_of(&self.levels(), most)
    }

    /// The fewest bytes for which no more is added.
    fn least_of(&self, levels: &[u64], most: u64) -> Option<u64> {
        let is_worth = |&level: &u64| {
            let found = self.within(level);
            found.is_none_or(|(added, _)| added > most)
        };
        levels.get(levels.partition_point(is_worth)).copied()
    }

    /// The level with the least total cost within the allowed bytes.
    pub fn best(&self) -> Option<u64> {
        let levels = self.levels();
        let mut best = self.least_of(&levels, self.allowed())?;
        let mut least = self.cost(best, self.within(best)?.0);
        let mut at = best;
        // No more bytes than these can cost less.
        while u128::from(at) * u128::from(self.all) < least {
            let least_next = at + (at / STEP).max(1);
            let next = levels.partition_point(|&level| level < least_next);
            // The last one takes part, however near it is: it adds nothing.
            let last = levels.last().filter(|&&last| last > at);
            let Some(&level) = levels.get(next).or(last) else {
                break;
            };
            at = level;
            let Some((added, _)) = self.within(at) else {
                continue;
            };
            let cost = self.cost(at, added);
            if cost < least {
                (best, least) = (at, cost);
            }
        }
        Some(best)
    }
}

/// Numbers of rows to be computed at a time: the least for each number of calls, and those that leave no places over.
fn tiles(height: usize) -> impl Iterator<Item = usize> {
    (1..height).filter(move |&tile| {
        let is_least = tile <= 4 || height.div_ceil(tile) < height.div_ceil(tile - 1);
        let is_even = tile.is_multiple_of(4) && height.div_ceil(tile) < height.div_ceil(tile - 3);
        is_least || is_even
    })
}

/// The bytes that a call holds if it is computed as a whole: results may take the place of operands.
fn plain(program: &Program, build: Build, facts: &Facts, at: usize) -> u64 {
    let call = &program.calls[at];
    let row = call.function.row();
    let bytes = |i: usize| program.buffers[i].bytes() as u64;
    let is_live =
        |i: &usize| facts.lives[*i].is_some_and(|(first, last)| first <= at && at <= last);
    let live: u64 = (0..program.buffers.len()).filter(is_live).map(bytes).sum();
    let scratch = row
        .scratch
        .iter()
        .map(|s| ((s.bytes)(&call.parameters, build) as u64).next_multiple_of(16));
    let out = row
        .slots
        .iter()
        .position(|slot| slot.access == crate::dialect::Access::Write);
    let out = out.and_then(|place| call.buffers[place]);
    let over = row
        .overwritable
        .iter()
        .filter_map(|name| call.buffers[row.slot(name)?]);
    let dies =
        |id: crate::dialect::BufferId| facts.lives[id.index()].is_some_and(|(_, last)| last == at);
    let saved = out.filter(|out| {
        over.clone()
            .any(|id| dies(id) && bytes(id.index()) == bytes(out.index()))
    });
    live + scratch.sum::<u64>() - saved.map_or(0, |out| bytes(out.index()))
}

/// The bytes of all buffers that are live during a group and are no maps of it.
fn others(program: &Program, facts: &Facts, group: &Group, calls: &Range<usize>) -> u64 {
    let is_other = |i: &usize| {
        let is_live =
            facts.lives[*i].is_some_and(|(first, last)| first < calls.end && calls.start <= last);
        is_live && group.maps.iter().all(|used| used.map.buffer.index() != *i)
    };
    let others = (0..program.buffers.len()).filter(is_other);
    others.map(|i| program.buffers[i].bytes() as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One call that holds 10,050 bytes, or 10,000 with so many of a million instructions more.
    fn choices(added: u64) -> Choices {
        let estimate = Estimate {
            peak: 10_000,
            added,
        };
        Choices {
            facts: Facts {
                members: vec![None],
                lives: Vec::new(),
                writers: Vec::new(),
            },
            plain: vec![10_050],
            candidates: vec![Candidate {
                calls: 0..1,
                tile: 1,
                pace: Pace::Even,
                estimate,
            }],
            ending: vec![0, 0, 1],
            all: 1_000_000,
        }
    }

    /// The most bytes are less than a step above the least, so nothing lies behind these.
    #[test]
    fn the_best_of_near_arenas() {
        assert_eq!(choices(1000).best(), Some(10_000));
        assert_eq!(choices(2000).best(), Some(10_050));
    }
}
