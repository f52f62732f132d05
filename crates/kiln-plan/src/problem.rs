//! The question: which buffers live when, and how much room each needs.
//!
//! Invariants that [`Problem::check`] holds and every other module relies on: `lower <= upper`, `alignment >= 1`, a pin is a
//! multiple of its buffer's alignment, and no sum that the planner can form exceeds `u64`.

use thiserror::Error;

/// A block of memory that is wanted for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// What messages call it; it need not be unique.
    pub id: String,
    /// First step at which the buffer is live.
    pub lower: u64,
    /// First step at which it is dead again: it lives in `[lower, upper)`. `upper == lower` is legal and overlaps nothing.
    pub upper: u64,
    /// Bytes. Zero is legal and overlaps nothing.
    pub size: u64,
    /// The offset is a multiple of this; 1 where any offset will do. Not necessarily a power of two.
    pub alignment: u64,
    /// The offset, where the caller has already decided it.
    pub pin: Option<u64>,
}

impl Buffer {
    /// A buffer of `size` bytes live in `[lower, upper)`, free to lie anywhere.
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

    /// The same buffer with `alignment`.
    pub fn aligned(self, alignment: u64) -> Self {
        Buffer { alignment, ..self }
    }

    /// The same buffer at `offset`, wherever the others go.
    pub fn pinned(self, offset: u64) -> Self {
        Buffer {
            pin: Some(offset),
            ..self
        }
    }

    /// Whether the buffer occupies any byte at any time. One that does not conflicts with nothing, yet its
    /// `offset + size` still counts towards the peak.
    pub fn occupies(&self) -> bool {
        self.size > 0 && self.lower < self.upper
    }

    /// Whether the two may not share a byte.
    pub fn overlaps(&self, other: &Buffer) -> bool {
        self.occupies() && other.occupies() && self.lower < other.upper && other.lower < self.upper
    }
}

/// Buffers to place in one arena.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// What to place; a solution's offsets are in this order.
    pub buffers: Vec<Buffer>,
    /// Bytes that the arena may have. With a capacity the solver stops at the first plan that fits.
    pub capacity: Option<u64>,
}

/// Why a problem has no meaning, whatever the capacity.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProblemError {
    /// A life that ends before it starts.
    #[error(
        "buffer `{id}` lives in [{lower}, {upper}): its end lies before its start; give upper >= lower"
    )]
    Backwards {
        /// The buffer.
        id: String,
        /// Its first step.
        lower: u64,
        /// Its end.
        upper: u64,
    },
    /// An alignment of zero.
    #[error("buffer `{id}` has alignment 0; give 1 where any offset will do")]
    ZeroAlignment {
        /// The buffer.
        id: String,
    },
    /// A pin that its own alignment forbids.
    #[error("buffer `{id}` is pinned to {pin}, which is no multiple of its alignment {alignment}")]
    CrookedPin {
        /// The buffer.
        id: String,
        /// Its offset.
        pin: u64,
        /// Its alignment.
        alignment: u64,
    },
    /// Two pins that want the same byte at the same time.
    #[error(
        "buffers `{first}` and `{second}` are pinned to the same bytes while both are live; move one pin"
    )]
    PinsCollide {
        /// The one listed first.
        first: String,
        /// The other.
        second: String,
    },
    /// Sizes, alignments and pins add up to more than the planner counts.
    #[error(
        "the sizes, alignments and pins up to buffer `{id}` add up to more than 2^62 bytes; no device has such an arena"
    )]
    TooLarge {
        /// The buffer that went over.
        id: String,
    },
    /// More buffers than a 32-bit handle names.
    #[error("{count} buffers; the planner takes at most 2^32 - 1")]
    TooMany {
        /// How many there are.
        count: usize,
    },
}

/// The largest sum of sizes, alignments and pins, so that no offset the planner computes can overflow.
const LARGEST_SUM: u64 = 1 << 62;

impl Problem {
    /// A problem without a capacity: the least peak is wanted.
    pub fn new(buffers: Vec<Buffer>) -> Self {
        Problem {
            buffers,
            capacity: None,
        }
    }

    /// Whether the problem means anything. Pins are compared with each other when it is solved.
    ///
    /// # Errors
    /// The first buffer that breaks an invariant of the module.
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
                .filter(|&sum| sum <= LARGEST_SUM)
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
