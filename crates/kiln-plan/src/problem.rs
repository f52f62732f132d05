//! The problem: buffers with live ranges and sizes.
//!
//! [`Problem::check`] guarantees these invariants, on which all other modules rely: `lower <= upper`, `alignment >= 1`,
//! a pin is a multiple of its buffer's alignment, and no sum that the planner computes exceeds `u64`.

use thiserror::Error;

/// A block of memory with a live range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Its name in messages; need not be unique.
    pub id: String,
    /// The first step at which it is live.
    pub lower: u64,
    /// The first step at which it is no longer live: the live range is `[lower, upper)`. `upper == lower` is valid, and
    /// such a buffer overlaps none.
    pub upper: u64,
    /// Its size in bytes. Zero is valid, and such a buffer overlaps none.
    pub size: u64,
    /// Its offset must be a multiple of this. Need not be a power of two.
    pub alignment: u64,
    /// Its offset, if the caller has fixed it.
    pub pin: Option<u64>,
}

impl Buffer {
    /// A buffer of `size` bytes with the live range `[lower, upper)`, without alignment and pin.
    pub fn new(id: impl Into<String>, lower: u64, upper: u64, size: u64) -> Self {
        Buffer {
            id: id.into(),
            lower,
            upper,
            size,
            alignment: 1,
            pin: None,
        }
    }

    /// The same buffer with this alignment.
    pub fn aligned(self, alignment: u64) -> Self {
        Buffer { alignment, ..self }
    }

    /// The same buffer, pinned at `offset`.
    pub fn pinned(self, offset: u64) -> Self {
        Buffer {
            pin: Some(offset),
            ..self
        }
    }

    /// True if the buffer occupies a byte at some time. One that does not conflicts with no other, but its `offset +
    /// size` counts for the peak.
    pub fn occupies(&self) -> bool {
        self.size > 0 && self.lower < self.upper
    }

    /// True if the two buffers must not share a byte.
    pub fn overlaps(&self, other: &Buffer) -> bool {
        self.occupies() && other.occupies() && self.lower < other.upper && other.lower < self.upper
    }
}

/// Buffers that are placed in one arena.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// The buffers. The offsets of a solution are in this order.
    pub buffers: Vec<Buffer>,
    /// The most bytes of the arena. With a capacity, the solver stops at the first plan that fits.
    pub capacity: Option<u64>,
}

/// Why a problem is invalid, whatever the capacity.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProblemError {
    /// A live range ends before it starts.
    #[error(
        "buffer `{id}` lives in [{lower}, {upper}): its end lies before its start; give upper >= lower"
    )]
    Backwards {
        /// The buffer.
        id: String,
        /// The start of its live range.
        lower: u64,
        /// The end of its live range.
        upper: u64,
    },
    /// An alignment is zero.
    #[error("buffer `{id}` has alignment 0; give 1 where any offset will do")]
    ZeroAlignment {
        /// The buffer.
        id: String,
    },
    /// A pin is no multiple of the alignment.
    #[error("buffer `{id}` is pinned to {pin}, which is no multiple of its alignment {alignment}")]
    CrookedPin {
        /// The buffer.
        id: String,
        /// Its offset.
        pin: u64,
        /// Its alignment.
        alignment: u64,
    },
    /// Two buffers are pinned to the same byte at the same time.
    #[error(
        "buffers `{first}` and `{second}` are pinned to the same bytes while both are live; move one pin"
    )]
    PinsCollide {
        /// The buffer that is listed first.
        first: String,
        /// The other buffer.
        second: String,
    },
    /// The sum of sizes, alignments and pins is too large.
    #[error(
        "the sizes, alignments and pins up to buffer `{id}` add up to more than 2^62 bytes; no device has such an arena"
    )]
    TooLarge {
        /// The buffer at which the sum becomes too large.
        id: String,
    },
    /// There are more buffers than a 32-bit index can number.
    #[error("{count} buffers; the planner takes at most 2^32 - 1")]
    TooMany {
        /// The number of buffers.
        count: usize,
    },
}

/// The largest sum of sizes, alignments and pins. It prevents overflow of all offsets.
const MAX_SUM: u64 = 1 << 62;

impl Problem {
    /// A problem without a capacity, which asks for the least peak.
    pub fn new(buffers: Vec<Buffer>) -> Self {
        Problem {
            buffers,
            capacity: None,
        }
    }

    /// Checks that the problem is valid. Pins are compared with each other only when it is solved.
    ///
    /// # Errors
    /// The first buffer that violates an invariant of the module.
    pub fn check(&self) -> Result<(), ProblemError> {
        if u32::try_from(self.buffers.len()).is_err() {
            return Err(ProblemError::TooMany {
                count: self.buffers.len(),
            });
        }
        let mut sum = 0u64;
        for buffer in &self.buffers {
            check_one(buffer)?;
            sum = [buffer.size, buffer.alignment, buffer.pin.unwrap_or(0)]
                .into_iter()
                .try_fold(sum, |sum, part| sum.checked_add(part))
                .filter(|&sum| sum <= MAX_SUM)
                .ok_or_else(|| ProblemError::TooLarge {
                    id: buffer.id.clone(),
                })?;
        }
        Ok(())
    }
}

fn check_one(buffer: &Buffer) -> Result<(), ProblemError> {
    let Buffer {
        id,
        lower,
        upper,
        alignment,
        pin,
        ..
    } = buffer;
    if lower > upper {
        return Err(ProblemError::Backwards {
            id: id.clone(),
            lower: *lower,
            upper: *upper,
        });
    }
    if *alignment == 0 {
        return Err(ProblemError::ZeroAlignment { id: id.clone() });
    }
    match pin {
        Some(pin) if pin % alignment != 0 => Err(ProblemError::CrookedPin {
            id: id.clone(),
            pin: *pin,
            alignment: *alignment,
        }),
        _ => Ok(()),
    }
}
