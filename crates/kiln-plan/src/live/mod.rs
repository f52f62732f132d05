//! From accesses to a plan: a sequence of steps, each of which reads and writes places in memory, becomes offsets.
//!
//! It knows neither graphs nor instructions: a target says of each of its steps what the step accesses. [`arrange`] finds
//! when each place holds something, merges places where a step may write over what it reads, asks [`crate::solve`] for
//! offsets, and gives temporary memory its own. [`check`] judges an arrangement by the flow of control alone.
//!
//! # What a sequence says
//! - A step reads its areas before or while it writes others. Scratch memory is the step's alone.
//! - Behind a step control goes on with the next one, with the one that the step names, or with either.
//! - A place that a loop accesses first is written there, in each iteration, before it is read. What an iteration leaves
//!   to the next is in a place that is accessed before the loop.
//! - A view is an area of the place that it is a view of.

mod arrange;
mod check;
mod merge;
mod ranges;

pub use arrange::{Arrangement, arrange};
pub use check::{Fault, check};

use std::ops::Range;

/// The number of a place in its sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceId(pub usize);

/// Memory that holds something for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Bytes.
    pub size: u64,
    /// The offset is a multiple of this.
    pub alignment: u64,
    /// The offset, where the caller has decided it.
    pub pin: Option<u64>,
    /// Holds something before the first step.
    pub from_start: bool,
    /// Is read behind the last step.
    pub to_end: bool,
    /// Keeps its content from one run of the sequence to the next, and is merged with nothing.
    pub keeps: bool,
}

impl Place {
    /// A place of `size` bytes that steps alone write and read.
    pub fn new(size: u64) -> Place {
        Place {
            size,
            alignment: 1,
            pin: None,
            from_start: false,
            to_end: false,
            keeps: false,
        }
    }
}

/// A part of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// The place.
    pub place: PlaceId,
    /// The first byte in it.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}

/// What a step may do in place: write one place over another, element by element as it reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overwrite {
    /// What is written, as a whole.
    pub out: PlaceId,
    /// What it may be written over.
    pub operand: PlaceId,
}

/// Temporary memory of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scratch {
    /// Bytes.
    pub size: u64,
    /// The offset is a multiple of this.
    pub alignment: u64,
}

/// Where control goes on behind a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Next {
    /// With the next step.
    #[default]
    Step,
    /// With the next step or with this one; the number of steps is the end.
    Either(usize),
}

/// What a step accesses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// What it reads.
    pub reads: Vec<Area>,
    /// What it writes.
    pub writes: Vec<Area>,
    /// What it may do in place, the best first.
    pub overwrites: Vec<Overwrite>,
    /// What it needs while it runs.
    pub scratch: Vec<Scratch>,
    /// Where control goes on.
    pub next: Next,
}

/// Steps and the places that they access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    /// The places.
    pub places: Vec<Place>,
    /// The steps.
    pub steps: Vec<Step>,
}

impl Sequence {
    /// All of a place.
    pub fn whole(&self, place: PlaceId) -> Area {
        Area {
            place,
            offset: 0,
            size: self.places[place.0].size,
        }
    }

    /// The steps of each loop: those between a step that control goes back to, and the one that it goes back from.
    fn loops(&self) -> Vec<Range<usize>> {
        let back = |(at, step): (usize, &Step)| match step.next {
            Next::Either(to) if to <= at => Some(to..at + 1),
            Next::Either(_) | Next::Step => None,
        };
        self.steps.iter().enumerate().filter_map(back).collect()
    }
}
