//! The answer: where each buffer lies, and how good that is known to be.

/// Offsets for a problem, the arena they need, and what is proven about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Byte offset of each buffer, in the problem's order.
    pub offsets: Vec<u64>,
    /// Bytes that the arena needs: the largest `offset + size`, over all buffers.
    pub peak: u64,
    /// Bytes that no plan can do without.
    pub lower_bound: u64,
    /// Why the search ended where it did.
    pub proof: Proof,
}

impl Solution {
    /// Whether no plan has a lower peak.
    pub fn is_optimal(&self) -> bool {
        !matches!(self.proof, Proof::Gap { .. })
    }
}

/// What is known about the distance from the best plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Optimal: the peak is the largest live load (or the reach of a pin), which every plan needs.
    LiveLoadMet,
    /// Optimal: the search has seen that every plan with a lower peak fails; `lower_bound == peak`.
    SearchExhausted,
    /// The budget ran out, or the capacity was met, with the optimum somewhere in `[lower_bound, peak]`.
    Gap {
        /// `peak - lower_bound`.
        bytes: u64,
    },
}
