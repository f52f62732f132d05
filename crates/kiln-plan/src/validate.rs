//! The validator of solutions. It shares no code with the search.
//!
//! A sweep over time keeps the live buffers sorted by offset. A buffer that starts can only collide with its
//! neighbours.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::{Buffer, Problem, Proof, Solution};

/// A fault of a solution. Buffers are given by their index in the problem.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The number of offsets is not that of buffers.
    #[error("{offsets} offsets for {buffers} buffers")]
    Count {
        /// The number of offsets.
        offsets: usize,
        /// The number of buffers.
        buffers: usize,
    },
    /// A buffer ends beyond the range of `u64`.
    #[error("buffer {buffer} at {offset} ends past 2^64")]
    Overflow {
        /// The buffer.
        buffer: usize,
        /// Its offset.
        offset: u64,
    },
    /// An offset is no multiple of the alignment.
    #[error("buffer {buffer} at {offset} breaks its alignment {alignment}")]
    Misaligned {
        /// The buffer.
        buffer: usize,
        /// Its offset.
        offset: u64,
        /// Its alignment.
        alignment: u64,
    },
    /// A pinned buffer lies elsewhere.
    #[error("buffer {buffer} is pinned to {pin} and lies at {offset}")]
    Moved {
        /// The buffer.
        buffer: usize,
        /// Its required offset.
        pin: u64,
        /// Its offset in the solution.
        offset: u64,
    },
    /// Two buffers share a byte at the same time.
    #[error("buffers {first} and {second} share a byte at step {step}")]
    Shared {
        /// The buffer that was live first.
        first: usize,
        /// The other buffer.
        second: usize,
        /// The first step at which both are live.
        step: u64,
    },
    /// The peak is not the largest end of a buffer.
    #[error("the peak is said to be {said} and is {found}")]
    Peak {
        /// The peak in the solution.
        said: u64,
        /// The largest `offset + size`.
        found: u64,
    },
    /// The lower bound or the proof contradicts the peak.
    #[error("peak {peak} with lower bound {lower_bound} does not agree with the proof {proof:?}")]
    Claim {
        /// The peak of the solution.
        peak: u64,
        /// The lower bound of the solution.
        lower_bound: u64,
        /// The proof of the solution.
        proof: Proof,
    },
}

/// Checks `solution` as an answer to `problem`, without its capacity. Checks that peak, bound and proof agree, but not
/// that the lower bound is right.
///
/// # Errors
/// All faults of single buffers and of the claims. For each starting buffer, its collisions with its neighbours.
pub fn validate(problem: &Problem, solution: &Solution) -> Result<(), Vec<Fault>> {
    let (buffers, offsets) = (&problem.buffers, &solution.offsets);
    if buffers.len() != offsets.len() {
        return Err(vec![Fault::Count {
            offsets: offsets.len(),
            buffers: buffers.len(),
        }]);
    }
    let mut faults: Vec<Fault> = buffers
        .iter()
        .zip(offsets)
        .enumerate()
        .flat_map(|(i, (b, &at))| placed(i, b, at))
        .collect();
    if faults
        .iter()
        .any(|fault| matches!(fault, Fault::Overflow { .. }))
    {
        return Err(faults);
    }
    faults.extend(collisions(buffers, offsets));
    faults.extend(claims(buffers, solution));
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults)
    }
}

fn placed(buffer: usize, b: &Buffer, offset: u64) -> Vec<Fault> {
    let mut faults = Vec::new();
    if offset.checked_add(b.size).is_none() {
        faults.push(Fault::Overflow { buffer, offset });
    }
    if offset.checked_rem(b.alignment) != Some(0) {
        faults.push(Fault::Misaligned {
            buffer,
            offset,
            alignment: b.alignment,
        });
    }
    if let Some(pin) = b.pin.filter(|&pin| pin != offset) {
        faults.push(Fault::Moved {
            buffer,
            pin,
            offset,
        });
    }
    faults
}

/// Invariant of the sweep: the live buffers are disjoint, because a buffer that collides is reported and not added.
fn collisions(buffers: &[Buffer], offsets: &[u64]) -> Vec<Fault> {
    let mut events = Vec::with_capacity(2 * buffers.len());
    for (i, b) in buffers.iter().enumerate() {
        if b.size > 0 && b.lower < b.upper {
            events.push((b.lower, true, i));
            events.push((b.upper, false, i));
        }
    }
    // `false < true`: ends at a step come before starts at it.
    events.sort_unstable();
    let mut live: BTreeMap<u64, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for (step, starts, i) in events {
        let (from, to) = (offsets[i], offsets[i] + buffers[i].size);
        if !starts {
            if live.get(&from) == Some(&i) {
                live.remove(&from);
            }
            continue;
        }
        let below = live
            .range(..=from)
            .next_back()
            .filter(|&(&at, &j)| at + buffers[j].size > from);
        let hit: Vec<usize> = below
            .into_iter()
            .chain(live.range(from..to))
            .map(|(_, &j)| j)
            .collect();
        match hit.first() {
            None => {
                live.insert(from, i);
            }
            Some(&first) => faults.push(Fault::Shared {
                first,
                second: i,
                step,
            }),
        }
    }
    faults
}

fn claims(buffers: &[Buffer], solution: &Solution) -> Vec<Fault> {
    let &Solution {
        ref offsets,
        peak,
        lower_bound,
        proof,
    } = solution;
    let mut faults = Vec::new();
    let found = buffers
        .iter()
        .zip(offsets)
        .map(|(b, &at)| at + b.size)
        .max()
        .unwrap_or(0);
    if found != peak {
        faults.push(Fault::Peak { said: peak, found });
    }
    let agrees = match proof {
        Proof::LiveLoadMet | Proof::SearchExhausted => lower_bound == peak,
        Proof::Gap { bytes } => bytes > 0 && lower_bound.checked_add(bytes) == Some(peak),
    };
    if !agrees {
        faults.push(Fault::Claim {
            peak,
            lower_bound,
            proof,
        });
    }
    faults
}
