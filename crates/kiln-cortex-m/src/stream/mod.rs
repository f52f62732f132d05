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
mod pace;
pub mod roll;
mod rows;
mod search;
mod tiles;

use crate::dialect::{Build, Program};
use crate::plan::{Plan, plan, reordered};
use crate::verify::verify;
use choose::Choices;
use search::Search;
use std::ops::Range;

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

/// Orders the calls of a program without branches and loops, and streams it, where that lowers the arena. `None` if the program breaks a rule of the build, or cannot
/// be planned.
pub fn stream(program: &Program, build: Build, wish: Wish) -> Option<Streamed> {
    // Branches and loops keep their calls.
    if !program.flows.is_empty() {
        return planned(program.clone(), build, Vec::new());
    }
    let given = in_order(program, build, wish)?;
    let fits = |found: &Streamed| {
        wish.max_arena
            .is_some_and(|most| found.plan.arena_bytes <= most)
    };
    if given.chains.is_empty() && fits(&given) {
        return Some(given);
    }
    let ordered = reordered(program, build).and_then(|ordered| in_order(&ordered, build, wish));
    let is_better = |other: &Streamed| other.plan.arena_bytes < given.plan.arena_bytes;
    match ordered.filter(is_better) {
        Some(ordered) => Some(ordered),
        None => Some(given),
    }
}

/// Streams a program whose calls stay in their order.
fn in_order(program: &Program, build: Build, wish: Wish) -> Option<Streamed> {
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
    let levels = match wish.max_arena {
        None => [choices.best(), None, None],
        Some(most) => [Some(most), choices.least(false), choices.least(true)],
    };
    for level in levels.into_iter().flatten() {
        let chosen = choices.within(level).map(|(_, chosen)| chosen);
        let Some(chosen) = chosen.filter(|chosen| !chosen.is_empty()) else {
            continue;
        };
        let found = Search::new(program, build, &choices, level).run(chosen);
        if let Some(found) = found.filter(|f| f.plan.arena_bytes < best.plan.arena_bytes) {
            best = found;
        }
        if fits(&best) {
            break;
        }
    }
    Some(best)
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
