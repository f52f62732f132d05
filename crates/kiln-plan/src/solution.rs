//! The solution: offsets, and how good they are known to be.

/// The offsets of a problem's buffers, the peak, and what is proven about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The offset of each buffer in bytes, in the order of the problem.
    pub offsets: Vec<u64>,
    /// The size of the arena: the largest `offset + size` of all buffers.
    pub peak: u64,
    /// No plan has a lower peak than this.
    pub lower_bound: u64,
    /// Why the search ended.
    pub proof: Proof,
}

impl Solution {
    /// True if no plan has a lower peak.
    pub fn is_optimal(&self) -> bool {
        !matches!(self.proof, Proof::Gap { .. })
    }
}

/// What is known about the distance from the best plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Optimal: the peak equals the largest live load (or the end of a pinned buffer), which is a lower bound.
    LiveLoadMet,
    /// Optimal: the search has excluded all lower peaks; `lower_bound == peak`.
    SearchExhausted,
    /// The budget was exhausted, or the capacity was met. The least peak is in `[lower_bound, peak]`.
    Gap {
        /// `peak - lower_bound`.
        bytes: u64,
    },
}
