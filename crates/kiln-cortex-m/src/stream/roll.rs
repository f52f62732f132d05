//! Finds loops: calls that repeat with their views moved by the same steps.

use crate::dialect::{Call, Program};

/// A part of a program, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A call, by its number.
    Call(usize),
    /// Calls that repeat. In round `i`, the call `first + j` stands for the call `first + j + i * calls`, whose views begin by
    /// `i * step(first + j, slot)` elements further on.
    Loop {
        /// The first call.
        first: usize,
        /// How many calls repeat.
        calls: usize,
        /// How many rounds there are; at least 2.
        rounds: usize,
    },
}

/// The most calls of a round.
const LONGEST: usize = 64;

/// A program as calls and loops, so that few calls are written: loops are taken in order, each as that which stands for the most calls.
pub fn roll(program: &Program) -> Vec<Part> {
    let calls = &program.calls;
    let mut parts = Vec::new();
    let mut at = 0;
    while at < calls.len() {
        let longest = LONGEST.min((calls.len() - at) / 2);
        let found = (1..=longest).map(|length| (length, rounds(calls, at, length)));
        // The shortest round of those that save the most calls.
        let best = found
            .max_by_key(|&(length, rounds)| ((rounds - 1) * length, std::cmp::Reverse(length)));
        match best.filter(|&(_, rounds)| rounds >= 2) {
            Some((length, rounds)) => {
                parts.push(Part::Loop {
                    first: at,
                    calls: length,
                    rounds,
                });
                at += length * rounds;
            }
            None => {
                parts.push(Part::Call(at));
                at += 1;
            }
        }
    }
    parts
}

/// The elements by which the view of a slot moves from the call of one round to that of the next.
pub fn step(program: &Program, call: usize, calls: usize, place: usize) -> i64 {
    moved(&program.calls[call], &program.calls[call + calls], place)
}

fn moved(call: &Call, next: &Call, place: usize) -> i64 {
    let first = |call: &Call| call.view(place).map_or(0, |view| view.first as i64);
    first(next) - first(call)
}

/// How often calls repeat from a place on.
fn rounds(calls: &[Call], first: usize, length: usize) -> usize {
    let repeats = |round: usize| {
        let from = first + round * length;
        let all = || (0..length).map(|j| (from + j, from + j + length));
        from + 2 * length <= calls.len()
            && all().all(|(a, b)| {
                let (now, next) = (&calls[a], &calls[b]);
                let base = &calls[first + a - from];
                let second = &calls[first + a - from + length];
                let steps = 0..now.buffers.len();
                is_alike(now, next)
                    && steps
                        .into_iter()
                        .all(|place| moved(now, next, place) == moved(base, second, place))
            })
    };
    1 + (0..).take_while(|&round| repeats(round)).count()
}

/// Whether two calls are the same but for where their views begin.
fn is_alike(a: &Call, b: &Call) -> bool {
    let sizes = |call: &Call| {
        call.views
            .iter()
            .map(|view| view.map(|view| view.elements))
            .collect::<Vec<_>>()
    };
    a.function == b.function
        && a.buffers == b.buffers
        && sizes(a) == sizes(b)
        && a.layer == b.layer
        && a.source == b.source
        && a.parameters == b.parameters
}
