//! How chosen groups are computed, so that their maps fit together in the arena.
//!
//! Which side a group begins with decides where its result may lie. The sides, and tiles of fewer rows, are found by trying changes of one
//! group at a time, as long as one of them makes the arena smaller.

use super::choose::{Candidate, Choices};
use super::group::{Group, Side};
use super::pace::{Pace, UNEVEN};
use super::tiles::{Form, Tiler};
use super::{Chain, Streamed, planned};
use crate::dialect::{BufferId, Build, Call, Program};
use crate::plan::arena_of_parts;
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
    /// Groups that were written before.
    known: FxHashMap<Key, Vec<Rc<Written>>>,
    /// Programs that were tried before, as the addresses of their groups.
    tried: FxHashSet<Vec<*const Written>>,
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
        Search {
            program,
            build,
            choices,
            level,
            allowed: choices.allowed(),
            trials: TRIALS,
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
        let mut buffers = Program {
            buffers: self.program.buffers.clone(),
            ..Program::default()
        };
        let mut calls = Vec::new();
        self.each_part(&choice, &groups, |part| match part {
            Part::Whole(whole) => calls.extend(whole),
            Part::Group(_, written) => {
                written.resize(&mut buffers);
                calls.extend(&written.calls);
            }
        });
        let below = best.as_ref().map_or(u64::MAX, |b| {
            let of_one = self.choices.cost(1, added).max(1);
            u64::try_from(b.cost / of_one).unwrap_or(u64::MAX)
        });
        let Some(arena) = arena_of_parts(&buffers, &calls, self.build, below) else {
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

    /// The program with its groups by rows.
    fn program(&mut self, choice: &[Choice], widest: u64) -> (Program, Vec<Chain>) {
        let groups: Vec<Rc<Written>> = choice.iter().map(|c| self.written(c, widest)).collect();
        let mut after = Program {
            buffers: self.program.buffers.clone(),
            ..Program::default()
        };
        let mut chains = Vec::new();
        self.each_part(choice, &groups, |part| match part {
            Part::Whole(whole) => after.calls.extend_from_slice(whole),
            Part::Group(candidate, written) => {
                let start = after.calls.len();
                written.resize(&mut after);
                after.calls.extend_from_slice(&written.calls);
                chains.push(Chain {
                    before: candidate.calls.clone(),
                    after: start..after.calls.len(),
                    rows: candidate.tile,
                });
            }
        });
        (after, chains)
    }

    /// Applies a function to calls that stay whole, and to groups, in order.
    fn each_part<'s>(
        &'s self,
        choice: &'s [Choice],
        groups: &'s [Rc<Written>],
        mut f: impl FnMut(Part<'s>),
    ) {
        let mut next = 0;
        for ((candidate, _), written) in choice.iter().zip(groups) {
            f(Part::Whole(
                &self.program.calls[next..candidate.calls.start],
            ));
            f(Part::Group(candidate, written));
            next = candidate.calls.end;
        }
        f(Part::Whole(&self.program.calls[next..]));
    }

    /// The calls of a group by rows. Forms with the same line buffers are written once.
    fn written(&mut self, (candidate, side): &Choice, widest: u64) -> Rc<Written> {
        let key = (
            candidate.calls.clone(),
            candidate.tile,
            candidate.pace,
            *side,
        );
        let group = Group::of(self.program, &self.choices.facts, &candidate.calls);
        let group = group.unwrap_or_else(|| unreachable!("it was a group when it was chosen"));
        let form = Form {
            side: *side,
            tile: candidate.tile,
            pace: candidate.pace,
            widest,
        };
        let steps = form.steps(&group);
        let mut tiler = Tiler::new(&group, form, &steps);
        let sizes: Vec<(BufferId, usize)> = tiler.sizes().collect();
        let known = self.known.entry(key).or_default();
        if let Some(written) = known.iter().find(|written| written.sizes == sizes) {
            return Rc::clone(written);
        }
        let mut calls = Vec::new();
        for step in &steps {
            tiler.step(self.program, step, &mut calls);
        }
        let written = Rc::new(Written { calls, sizes });
        known.push(Rc::clone(&written));
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

/// A part of a program: calls that stay whole, or a group by rows.
enum Part<'s> {
    Whole(&'s [Call]),
    Group(&'s Candidate, &'s Written),
}

/// A group by rows.
struct Written {
    calls: Vec<Call>,
    /// The elements of its line buffers.
    sizes: Vec<(BufferId, usize)>,
}

impl Written {
    /// Gives the line buffers their sizes.
    fn resize(&self, program: &mut Program) {
        for &(id, elements) in &self.sizes {
            program.buffers[id.index()].elements = elements;
        }
    }
}
