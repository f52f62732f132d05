//! Streaming: chains of layers are computed by rows, so that the maps between them are never whole, and results grow into the memory of
//! operands that are read already.
//!
//! ```text
//! arm_convolve_s8(input_data=x, ..., output_data=y)            arm_convolve_s8(input_data=x[0..96], ..., output_data=y[0..128])
//! arm_depthwise_conv_s8(input_data=y, ..., output_data=z)  =>  arm_depthwise_conv_s8(input_data=y[0..128], ..., output_data=z[0..64])
//!                                                              arm_convolve_s8(input_data=x[32..160], ..., output_data=y[128..256])
//!                                                              ...
//! ```
//!
//! A streamed program is a program: its calls have views. It computes the same bits with the same multiplications, because no row is
//! computed twice. [`roll`](mod@roll) finds the loops in it, which a printer writes as such.

mod choose;
mod estimate;
mod group;
pub mod roll;
mod rows;
mod tiles;

use crate::dialect::{Build, Program};
use crate::plan::{Plan, plan};
use crate::verify::verify;
use choose::{Candidate, Choices};
use group::{Group, Side};
use std::ops::Range;
use tiles::{Form, Tiler};

/// How far to go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// The arena needs no fewer bytes than this. Without it, as few as are worth their instructions.
    pub max_arena: Option<u64>,
}

/// A chain that is computed by rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The calls of the program before.
    pub before: Range<usize>,
    /// The calls of the program after.
    pub after: Range<usize>,
    /// The rows of the last result at a time.
    pub rows: usize,
}

/// A program with what was done to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Streamed {
    /// The program.
    pub program: Program,
    /// Its plan.
    pub plan: Plan,
    /// The chains, in order; none if the program is as it was.
    pub chains: Vec<Chain>,
}

/// Streams a program where that lowers the arena. `None` if the program breaks a rule of the build, or cannot be planned.
pub fn stream(program: &Program, build: Build, wish: Wish) -> Option<Streamed> {
    let whole = planned(program.clone(), build, Vec::new())?;
    let fits = |found: &Streamed| {
        wish.max_arena
            .is_some_and(|most| found.plan.arena_bytes <= most)
    };
    if fits(&whole) {
        return Some(whole);
    }
    let choices = Choices::of(program, build);
    let mut best = whole;
    let levels = [
        wish.max_arena,
        choices.least(false),
        wish.max_arena.and_then(|_| choices.least(true)),
    ];
    for level in levels.into_iter().flatten() {
        let Some((_, chosen)) = choices.within(level) else {
            continue;
        };
        for found in realised(program, build, &choices, &chosen, level) {
            if found.plan.arena_bytes < best.plan.arena_bytes {
                best = found;
            }
        }
        if fits(&best) {
            break;
        }
    }
    Some(best)
}

/// The program with chosen groups, in the ways that may place their maps best.
fn realised(
    program: &Program,
    build: Build,
    choices: &Choices,
    chosen: &[Candidate],
    level: u64,
) -> Vec<Streamed> {
    let sides = [
        [Side::Top, Side::Bottom],
        [Side::Bottom, Side::Top],
        [Side::Top, Side::Top],
    ];
    let widths = [level, level / 2, 0];
    let ways = sides
        .into_iter()
        .flat_map(|sides| widths.map(|widest| (sides, widest)));
    let mut found: Vec<Streamed> = Vec::new();
    for (sides, widest) in ways {
        let (after, chains) = written(program, build, choices, chosen, sides, widest);
        found.extend(planned(after, build, chains));
        if found.last().is_some_and(|f| f.plan.arena_bytes <= level) {
            break;
        }
    }
    found
}

fn planned(program: Program, build: Build, chains: Vec<Chain>) -> Option<Streamed> {
    let verified = verify(&program, build).ok()?;
    let plan = plan(&verified).ok()?;
    Some(Streamed {
        program,
        plan,
        chains,
    })
}

/// Writes the calls of chosen groups by rows. Groups begin with sides in turn.
fn written(
    program: &Program,
    build: Build,
    choices: &Choices,
    chosen: &[Candidate],
    sides: [Side; 2],
    widest: u64,
) -> (Program, Vec<Chain>) {
    let mut after = Program {
        buffers: program.buffers.clone(),
        calls: Vec::new(),
    };
    let mut chains = Vec::new();
    let mut next = 0;
    for (number, candidate) in chosen.iter().enumerate() {
        let calls = candidate.calls.clone();
        after
            .calls
            .extend_from_slice(&program.calls[next..calls.start]);
        next = calls.end;
        let group = Group::of(program, build, &choices.facts, &calls);
        let group = group.unwrap_or_else(|| unreachable!("it was a group when it was chosen"));
        let form = Form {
            side: sides[number % 2],
            tile: candidate.tile,
            widest,
        };
        let tiles = group.steps(form.side, form.tile);
        let mut tiler = Tiler::new(&group, form, &tiles);
        for (id, elements) in tiler.sizes() {
            after.buffers[id.index()].elements = elements;
        }
        let start = after.calls.len();
        for step in tiles.iter().flatten() {
            tiler.step(program, step, &mut after.calls);
        }
        chains.push(Chain {
            before: calls,
            after: start..after.calls.len(),
            rows: candidate.tile,
        });
    }
    after.calls.extend_from_slice(&program.calls[next..]);
    (after, chains)
}
