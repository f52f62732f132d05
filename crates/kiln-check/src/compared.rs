//! How much a check of passes compared.

use std::ops::AddAssign;

/// What was compared behind passes. Without elements, nothing but the verifier checked them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// The passes that changed the graph.
    pub changes: usize,
    /// The situations in which results with elements were compared, counted for each of these passes.
    pub situations: usize,
    /// The elements of these results.
    pub elements: usize,
}

impl Compared {
    /// True if passes changed the graph, and no inputs gave it a value to compare.
    pub fn is_blind(&self) -> bool {
        self.changes > 0 && self.elements == 0
    }
}

impl AddAssign for Compared {
    fn add_assign(&mut self, other: Compared) {
        self.changes += other.changes;
        self.situations += other.situations;
        self.elements += other.elements;
    }
}
