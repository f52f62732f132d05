//! How chosen groups are computed, so that their maps fit together in the arena.
//!
//! Which side a group begins with decides where its result may lie. The sides, and tiles of fewer rows, are found by trying changes of one
//! group at a time, as long as one of them makes the arena smaller.

use super::choose::{Candidate, Choices};
use super::group::{Group, Side, Step};
use super::pace::{Pace, UNEVEN};
use super::tiles::{Form, Tiler};
use super::{Chain, Streamed, planned};
use crate::dialect::{Buffer, BufferId, Build, Call, Program, Role};
use crate::plan::{Accesses, Alone, Owners, Piece, arena_of_parts};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::rc::Rc;

/// The programs that are tried.
const TRIALS: usize = 150;

/// A group, and the side that it begins with.
type Choice = (Candidate, Side);

/// The calls of a group, and how it is computed, but for its line buffers.
type Key = (Range<usize>, usize, Pace, Side);

/// The search for one program and one number of bytes.
pub(super) struct Search<'p> {
    program: &'p Program,
    build: Build,
    choices: &'p Choices,
    level: u64,
    allowed: u64,
    trials: usize,
    /// The program's buffers. During a trial, line buffers have their sizes.
    buffers: Vec<Buffer>,
    /// What each call of the program does to them.
    accesses: Vec<Accesses>,
    owners: Owners,
    /// Groups that were written before.
    known: FxHashMap<Key, Known>,
    /// Programs that were tried before, as the addresses of their groups.
    tried: FxHashSet<Vec<*const Written>>,
}

/// A group with its steps, in all forms that were written.
struct Known {
    group: Group,
    steps: Vec<Step>,
    /// The most rows of each map that are held at once, and whether rows are kept.
    widths: Vec<(usize, bool)>,
    forms: Vec<Rc<Written>>,
}

/// What is chosen, with the size of its arena.
#[derive(Clone)]
struct Found {
    choice: Vec<Choice>,
    widest: u64,
    arena: u64,
    /// Of the arena and of what is added.
    cost: u128,
}

impl<'p> Search<'p> {
    pub fn new(program: &'p Program, build: Build, choices: &'p Choices, level: u64) -> Search<'p> {
        let mut owners = Owners::default();
        let calls = program.calls.iter();
        let accesses = calls.map(|call| Accesses::of(program, call, build, &mut owners));
        Search {
            program,
            build,
            choices,
            level,
            allowed: choices.allowed(),
            trials: TRIALS,
            buffers: program.buffers.clone(),
            accesses: accesses.collect(),
            owners,
            known: FxHashMap::default(),
            tried: FxHashSet::default(),
        }
    }

    /// The program with chosen groups.
    pub fn run(mut self, chosen: Vec<Candidate>) -> Option<Streamed> {
        let added: u64 = chosen.iter().map(|c| c.estimate.added).sum();
        self.allowed = self.allowed.max(added);
        let mut best: Option<Found> = None;
        let patterns = [
            [Side::Top, Side::Bottom],
            [Side::Bottom, Side::Top],
            [Side::Top, Side::Top],
            [Side::Bottom, Side::Bottom],
        ];
        for widest in [self.level, self.level / 2, 0] {
            for pattern in patterns {
                let sides = pattern.into_iter().cycle();
                let choice: Vec<Choice> = chosen.iter().cloned().zip(sides).collect();
                self.consider(choice, widest, &mut best);
            }
        }
        while let Some(found) = best.clone().filter(|_| self.trials > 0) {
            self.improve(&found, &mut best);
            if best.as_ref().is_none_or(|b| b.cost == found.cost) {
                break;
            }
        }
        let best = best?;
        let mut found = self.planned(&best);
        let paced = self.paced(best.clone());
        if paced.cost != best.cost {
            let most = found.as_ref().map_or(u64::MAX, |f| f.plan.arena_bytes);
            let other = self.planned(&paced);
            found = other.filter(|o| o.plan.arena_bytes <= most).or(found);
        }
        found
    }

    fn planned(&mut self, found: &Found) -> Option<Streamed> {
        let (after, chains) = self.program(&found.choice, found.widest);
        planned(after, self.build, chains)
    }

    /// Tries changes of groups that are alike together, and of one group; if none of them helps, of two.
    fn improve(&mut self, found: &Found, best: &mut Option<Found>) {
        let changes: Vec<Vec<Choice>> = found.choice.iter().map(|c| self.changes(c)).collect();
        let is_better = |best: &Option<Found>| best.as_ref().is_some_and(|b| b.cost < found.cost);
        let with = |ats: &[(usize, &Choice)]| {
            let mut choice = found.choice.clone();
            ats.iter()
                .for_each(|&(at, change)| choice[at] = change.clone());
            choice
        };
        for alike in alike(&found.choice) {
            for change in 0..changes[alike[0]].len() {
                let all: Option<Vec<(usize, &Choice)>> = alike
                    .iter()
                    .map(|&at| Some((at, changes[at].get(change)?)))
                    .collect();
                if let Some(all) = all {
                    self.consider(with(&all), found.widest, best);
                }
            }
        }
        for (at, of_group) in changes.iter().enumerate() {
            for change in of_group {
                self.consider(with(&[(at, change)]), found.widest, best);
            }
        }
        for (at, of_group) in changes.iter().enumerate() {
            for (other, of_other) in changes.iter().enumerate().skip(at + 1) {
                if is_better(best) {
                    return;
                }
                let pairs = of_group
                    .iter()
                    .flat_map(|a| of_other.iter().map(move |b| (a, b)));
                for (a, b) in pairs {
                    self.consider(with(&[(at, a), (other, b)]), found.widest, best);
                }
            }
        }
    }

    /// The same groups with rounds that add less, where these fit the arena that was found.
    fn paced(&mut self, mut found: Found) -> Found {
        self.level = 0;
        for at in 0..found.choice.len() {
            let of_one = &found.choice[at];
            let mut others: Vec<Candidate> = self.choices.cheaper(&of_one.0).cloned().collect();
            let paced = |pace| self.choices.paced(self.program, of_one, pace, found.widest);
            others.extend(UNEVEN.into_iter().filter_map(paced));
            let saved = |c: &Candidate| of_one.0.estimate.added - c.estimate.added;
            others.retain(|c| c.estimate.peak <= found.arena && self.choices.is_much(saved(c)));
            others.sort_by_key(|c| c.estimate.added);
            self.trials = others.len();
            for other in others {
                let mut choice = found.choice.clone();
                choice[at].0 = other;
                let mut best = Some(found.clone());
                self.consider(choice, found.widest, &mut best);
                let is_better = |best: &Found| best.cost < found.cost && best.arena <= found.arena;
                if let Some(best) = best.filter(is_better) {
                    found = best;
                    break;
                }
            }
        }
        found
    }

    /// Other ways to compute a group.
    fn changes(&self, (candidate, side): &Choice) -> Vec<Choice> {
        let other = match side {
            Side::Top => Side::Bottom,
            Side::Bottom => Side::Top,
        };
        let finer = self.choices.finer(candidate).into_iter();
        let finer = finer.flat_map(|c| [(c.clone(), *side), (c.clone(), other)]);
        std::iter::once((candidate.clone(), other))
            .chain(finer)
            .collect()
    }

    fn consider(&mut self, choice: Vec<Choice>, widest: u64, best: &mut Option<Found>) {
        let is_enough = best.as_ref().is_some_and(|b| b.arena <= self.level);
        let added: u64 = choice.iter().map(|(c, _)| c.estimate.added).sum();
        // No more is added than may be, or than the first choice adds.
        if self.trials == 0 || is_enough || added > self.allowed {
            return;
        }
        let groups: Vec<Rc<Written>> = choice.iter().map(|c| self.written(c, widest)).collect();
        if !self.tried.insert(groups.iter().map(Rc::as_ptr).collect()) {
            return;
        }
        self.trials -= 1;
        let below = best.as_ref().map_or(u64::MAX, |b| {
            let of_one = self.choices.cost(1, added).max(1);
            u64::try_from(b.cost / of_one).unwrap_or(u64::MAX)
        });
        let Some(arena) = self.arena(&choice, &groups, below) else {
            return;
        };
        let cost = self.choices.cost(arena, added);
        if best.as_ref().is_none_or(|b| cost < b.cost) {
            *best = Some(Found {
                choice,
                widest,
                arena,
                cost,
            });
        }
    }

    /// About the size of the arena of a choice, if it is below so many bytes.
    fn arena(&mut self, choice: &[Choice], groups: &[Rc<Written>], below: u64) -> Option<u64> {
        for written in groups {
            resize(&written.sizes, &mut self.buffers);
        }
        let mut pieces = Vec::new();
        let mut next = 0;
        for ((candidate, _), written) in choice.iter().zip(groups) {
            let before = &self.accesses[next..candidate.calls.start];
            pieces.extend([Piece::Calls(before), Piece::Alone(&written.alone)]);
            next = candidate.calls.end;
        }
        pieces.push(Piece::Calls(&self.accesses[next..]));
        let found = arena_of_parts(&self.buffers, &pieces, below);
        for written in groups {
            resize_as(self.program, &written.sizes, &mut self.buffers);
        }
        found
    }

    /// The program with its groups by rows.
    fn program(&mut self, choice: &[Choice], widest: u64) -> (Program, Vec<Chain>) {
        let groups: Vec<Rc<Written>> = choice.iter().map(|c| self.written(c, widest)).collect();
        let mut after = Program {
            buffers: self.program.buffers.clone(),
            ..Program::default()
        };
        let mut chains = Vec::new();
        let mut next = 0;
        for ((candidate, _), written) in choice.iter().zip(&groups) {
            let whole = &self.program.calls[next..candidate.calls.start];
            after.calls.extend_from_slice(whole);
            let start = after.calls.len();
            resize(&written.sizes, &mut after.buffers);
            after.calls.extend_from_slice(&written.calls);
            chains.push(Chain {
                before: candidate.calls.clone(),
                after: start..after.calls.len(),
                rows: candidate.tile,
            });
            next = candidate.calls.end;
        }
        after.calls.extend_from_slice(&self.program.calls[next..]);
        (after, chains)
    }

    /// The calls of a group by rows. Forms with the same line buffers are written once.
    fn written(&mut self, (candidate, side): &Choice, widest: u64) -> Rc<Written> {
        let (range, pace) = (&candidate.calls, candidate.pace);
        let form = Form {
            side: *side,
            tile: candidate.tile,
            pace,
            widest,
        };
        let facts = &self.choices.facts;
        let key = (range.clone(), candidate.tile, pace, *side);
        let known = self.known.entry(key).or_insert_with(|| {
            let group = Group::of(self.program, facts, range);
            let group = group.unwrap_or_else(|| unreachable!("it was a group when it was chosen"));
            let steps = form.steps(&group);
            Known {
                widths: group.widths(*side, &steps),
                group,
                steps,
                forms: Vec::new(),
            }
        });
        let mut tiler = Tiler::new(&known.group, form, &known.widths);
        let is_same = |written: &&Rc<Written>| written.sizes.iter().copied().eq(tiler.sizes());
        if let Some(written) = known.forms.iter().find(is_same) {
            return Rc::clone(written);
        }
        let sizes: Vec<Size> = tiler.sizes().collect();
        let mut calls = Vec::new();
        for step in &known.steps {
            tiler.step(self.program, step, &mut calls);
        }
        let (build, owners) = (self.build, &mut self.owners);
        let accesses = calls.iter();
        let accesses = accesses.map(|call| Accesses::of(self.program, call, build, owners));
        let accesses: Vec<Accesses> = accesses.collect();
        let is_own = |id: usize| {
            let is_within = |(first, last)| range.start <= first && last < range.end;
            self.program.buffers[id].role == Role::Temporary
                && facts.lives[id].is_some_and(is_within)
        };
        resize(&sizes, &mut self.buffers);
        let alone = Rc::new(Alone::of(&self.buffers, &accesses, is_own));
        resize_as(self.program, &sizes, &mut self.buffers);
        let written = Rc::new(Written {
            calls,
            alone,
            sizes,
        });
        known.forms.push(Rc::clone(&written));
        written
    }
}

/// Groups, by their places, that are computed in the same way at the same cost; those that have no like are left out.
fn alike(choice: &[Choice]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    for (at, (of, side)) in choice.iter().enumerate() {
        let is_like = |other: &usize| {
            let (other, its) = &choice[*other];
            (other.calls.len(), other.tile, other.estimate, its)
                == (of.calls.len(), of.tile, of.estimate, side)
        };
        match all.iter_mut().find(|like| is_like(&like[0])) {
            Some(like) => like.push(at),
            None => all.push(vec![at]),
        }
    }
    all.retain(|like| like.len() > 1);
    all
}

/// A group by rows.
struct Written {
    calls: Vec<Call>,
    /// What they do to buffers.
    alone: Rc<Alone>,
    sizes: Vec<Size>,
}

/// A line buffer, and its elements.
type Size = (BufferId, usize);

/// Gives line buffers their sizes.
fn resize(sizes: &[Size], buffers: &mut [Buffer]) {
    for &(id, elements) in sizes {
        buffers[id.index()].elements = elements;
    }
}

/// Gives line buffers the sizes that they have in a program.
fn resize_as(program: &Program, sizes: &[Size], buffers: &mut [Buffer]) {
    for &(id, _) in sizes {
        buffers[id.index()].elements = program.buffers[id.index()].elements;
    }
}
