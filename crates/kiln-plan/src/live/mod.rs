//! Liveness: plans a sequence of program points that read and write places in memory.
//!
//! This module knows neither graphs nor instructions: a target states what each point of its program accesses. [`arrange`]
//! computes the live range of each place, merges places where a point may overwrite what it reads, calls
//! [`crate::solve`] for the offsets, and places scratch memory. [`check`] checks an arrangement by the control flow
//! alone.
//!
//! # Semantics of a sequence
//! - A point reads its areas before or while it writes others. Scratch memory belongs to the point alone.
//! - After a point, control goes to the next point, to the point that it names, or to either.
//! - A place whose first access is in a loop is written there, in each iteration, before it is read. Data that one
//!   iteration leaves for the next one is in a place that is accessed before the loop.
//! - A view is an area of the place that it views.

mod arrange;
mod check;
mod merge;
mod ranges;

pub use arrange::{Arrangement, arrange};
pub use check::{Fault, check};

use std::ops::Range;

/// The index of a place in its sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceId(pub usize);

/// Memory that holds data for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its size in bytes.
    pub size: u64,
    /// Its offset must be a multiple of this.
    pub alignment: u64,
    /// Its offset, if the caller has fixed it.
    pub pin: Option<u64>,
    /// True if it holds data before the first point.
    pub from_start: bool,
    /// True if it is read after the last point.
    pub to_end: bool,
    /// True if it keeps its data from one run of the sequence to the next. Then it is not merged.
    pub keeps: bool,
}

impl Place {
    /// A place of `size` bytes that only points write and read.
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
    /// The offset of its first byte in the place.
    pub offset: u64,
    /// Its size in bytes.
    pub size: u64,
}

/// A permission to work in place: the point writes `out` element by element after it has read the same element of
/// `operand`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overwrite {
    /// The place that is written, as a whole.
    pub out: PlaceId,
    /// The place that it may overwrite.
    pub operand: PlaceId,
}

/// A scratch buffer of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scratch {
    /// Its size in bytes.
    pub size: u64,
    /// Its offset must be a multiple of this.
    pub alignment: u64,
}

/// The successors of a point in the control flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Next {
    /// The next point.
    #[default]
    Following,
    /// The next point or this one. The number of points stands for the end.
    Either(usize),
}

/// A program point: its memory accesses, and its successors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// The areas that it reads.
    pub reads: Vec<Area>,
    /// The areas that it writes.
    pub writes: Vec<Area>,
    /// What it may do in place, best first.
    pub overwrites: Vec<Overwrite>,
    /// Its scratch buffers.
    pub scratch: Vec<Scratch>,
    /// Its successors.
    pub next: Next,
}

/// The points of a program in order, and the places that they access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    /// The places.
    pub places: Vec<Place>,
    /// The points.
    pub points: Vec<Point>,
}

impl Sequence {
    /// The area of a whole place.
    pub fn whole(&self, place: PlaceId) -> Area {
        Area {
            place,
            offset: 0,
            size: self.places[place.0].size,
        }
    }

    /// The points of each loop: from the target of a backward jump up to the jump.
    fn loops(&self) -> Vec<Range<usize>> {
        let back = |(at, point): (usize, &Point)| match point.next {
            Next::Either(to) if to <= at => Some(to..at + 1),
            Next::Either(_) | Next::Following => None,
        };
        self.points.iter().enumerate().filter_map(back).collect()
    }
}
