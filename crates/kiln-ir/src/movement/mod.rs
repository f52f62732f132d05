//! The movement algebra: everything that moves elements without computing, in the form *split, permute, merge*.
//!
//! A [`Movement`] splits the axes of its source into *factors*, permutes the factors, and merges them into the axes of
//! its result. A factor is an id with a (symbolic) size. Factors are identified by their id, so two factors of equal
//! size are still two factors.
//!
//! # Normal form
//! - Every factor occurs exactly once in the source and exactly once in the result. The size of an axis is the product
//!   of its factors, of which the first is the outermost.
//! - No factor has the known size 1. A unit axis has no factors. The movement also records which unit axis of the
//!   source is which of the result. Tracking uses this record; equality and hashing do not.
//! - Factors that are neighbours in one source axis and, in the same order, in one result axis are merged into one
//!   factor.
//! - Factors are numbered in the order of the source.
//!
//! For known sizes other than 0 the form is unique: `==` decides whether two movements of the same shapes are the same
//! function of the elements. A factor of symbolic size is opaque: it cancels only against a size that is the same
//! polynomial. For empty tensors or symbolic sizes, movements that are the same function may compare unequal, but equal
//! ones are always the same function.
//!
//! # Laws
//! Let `;` be [`Movement::compose`], and let every composition yield one normal form. Then:
//! - `(a ; b) ; c == a ; (b ; c)`;
//! - `identity ; a == a == a ; identity`;
//! - `a ; a.inverse()` is the identity, and `a.inverse().inverse() == a`;
//! - `(a ; b).inverse() == b.inverse() ; a.inverse()`;
//! - `reshape(s, t) ; reshape(t, u) == reshape(s, u)`;
//! - `a` is a reshape to [`Realisation::split_shape`], a permutation, and a reshape to the result shape.

mod compose;
mod copy_plan;
mod elementary;
#[cfg(test)]
mod oracle;
mod parts;
mod realise;
mod refine;
mod reshape;
mod size;
mod text;
mod track;

pub use compose::Composed;
pub use copy_plan::CopyPlan;
pub use realise::Realisation;
pub use reshape::Reshape;
pub use text::{MovementNames, ParseMovementError, parse_movement};
pub use track::Place;

use crate::dim::Dim;
use smallvec::SmallVec;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A factor of one movement, numbered in the order of the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Factor(u32);

impl Factor {
    fn new(index: usize) -> Factor {
        Factor(u32::try_from(index).expect("a movement has fewer than 2^32 factors"))
    }

    /// Its index in [`Movement::sizes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "f{}", self.0)
    }
}

/// The factors of one axis, outermost first. A unit axis has none.
pub type AxisFactors = SmallVec<[Factor; 2]>;

/// A rearrangement of elements in normal form; see the [module](self).
#[derive(Clone)]
pub struct Movement {
    sizes: Vec<Dim>,
    source: Vec<AxisFactors>,
    result: Vec<AxisFactors>,
    /// Pairs (source axis, result axis) of corresponding unit axes, sorted by source axis.
    units: Vec<(u32, u32)>,
}

impl PartialEq for Movement {
    fn eq(&self, other: &Self) -> bool {
        self.sizes == other.sizes && self.source == other.source && self.result == other.result
    }
}

impl Eq for Movement {}

impl Hash for Movement {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.sizes.hash(state);
        self.source.hash(state);
        self.result.hash(state);
    }
}

/// Why a movement is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MovementError {
    /// A factor does not occur exactly once on a side.
    #[error("factor {factor} occurs {found} times in the {side}; it must occur once")]
    FactorCount {
        /// The index of the factor in the list of sizes.
        factor: usize,
        /// `source` or `result`.
        side: &'static str,
        /// The number of its occurrences.
        found: usize,
    },
    /// An axis names a factor that has no size.
    #[error("an axis of the {side} has factor {factor}, but there are only {count} factors")]
    UnknownFactor {
        /// The factor that was named.
        factor: usize,
        /// `source` or `result`.
        side: &'static str,
        /// The number of factors.
        count: usize,
    },
    /// A size is negative.
    #[error("size {0} is negative")]
    NegativeSize(Dim),
    /// The product of an axis' sizes exceeds 64 bits, or is a polynomial of more than 4096 terms.
    #[error("the product of {0} sizes is too large to represent")]
    TooLarge(usize),
    /// The shape does not have this axis.
    #[error("axis {axis} is out of range for rank {rank}")]
    AxisOutOfRange {
        /// The axis that was named.
        axis: usize,
        /// The rank of the shape.
        rank: usize,
    },
    /// An axis is named twice.
    #[error("axis {0} is named twice")]
    RepeatedAxis(usize),
    /// A permutation has another rank than the shape.
    #[error("a permutation of {found} axes for a shape of rank {rank}")]
    PermutationRank {
        /// The length of the permutation.
        found: usize,
        /// The rank of the shape.
        rank: usize,
    },
    /// An axis that is to be squeezed does not have the known size 1.
    #[error("axis {axis} has size {size}; only an axis of size 1 can be squeezed")]
    NotUnit {
        /// The axis.
        axis: usize,
        /// Its size.
        size: Dim,
    },
    /// The product of the sizes is not the size of the axis that they split.
    #[error("sizes {parts:?} do not multiply to {size}, the size of axis {axis}")]
    SplitMismatch {
        /// The axis.
        axis: usize,
        /// Its size.
        size: Dim,
        /// The requested sizes.
        parts: Vec<Dim>,
    },
    /// The two shapes of a reshape have provably different numbers of elements.
    #[error("cannot reshape {from} elements to {to} elements")]
    ElementCounts {
        /// The number of elements of the source.
        from: Dim,
        /// The number of elements of the result.
        to: Dim,
    },
}

impl Movement {
    /// The sizes of the factors, by [`Factor::index`].
    pub fn sizes(&self) -> &[Dim] {
        &self.sizes
    }

    /// The factors of each source axis, outermost first.
    pub fn source(&self) -> &[AxisFactors] {
        &self.source
    }

    /// The factors of each result axis, outermost first.
    pub fn result(&self) -> &[AxisFactors] {
        &self.result
    }

    /// The size of a factor.
    ///
    /// # Panics
    /// If the movement has no such factor.
    pub fn size(&self, factor: Factor) -> &Dim {
        &self.sizes[factor.index()]
    }

    /// The shape of the source.
    pub fn source_shape(&self) -> Vec<Dim> {
        self.shape_of(&self.source)
    }

    /// The shape of the result.
    pub fn result_shape(&self) -> Vec<Dim> {
        self.shape_of(&self.result)
    }

    fn shape_of(&self, axes: &[AxisFactors]) -> Vec<Dim> {
        axes.iter()
            .map(|axis| size::axis_size(axis.iter().map(|f| self.size(*f))))
            .collect()
    }

    /// The factors in the order of the result, outermost first.
    pub fn result_order(&self) -> impl Iterator<Item = Factor> {
        self.result.iter().flatten().copied()
    }

    /// True if the movement moves nothing and keeps the shape: the result *is* the source.
    pub fn is_identity(&self) -> bool {
        self.source == self.result
    }

    /// True if the movement keeps the order of elements in memory: it only splits, merges, adds and removes axes.
    pub fn is_view(&self) -> bool {
        self.result_order().is_sorted()
    }

    /// The inverse movement, from the result back to the source.
    pub fn inverse(&self) -> Movement {
        let mut number = vec![Factor(0); self.sizes.len()];
        let mut sizes = Vec::with_capacity(self.sizes.len());
        for factor in self.result_order() {
            number[factor.index()] = Factor::new(sizes.len());
            sizes.push(self.size(factor).clone());
        }
        let renumber = |axes: &[AxisFactors]| -> Vec<AxisFactors> {
            axes.iter()
                .map(|axis| axis.iter().map(|f| number[f.index()]).collect())
                .collect()
        };
        let mut units: Vec<(u32, u32)> = self.units.iter().map(|&(s, r)| (r, s)).collect();
        units.sort_unstable();
        Movement {
            source: renumber(&self.result),
            result: renumber(&self.source),
            sizes,
            units,
        }
    }

    /// The permutation as [`Movement::permute`] takes it, if every axis stays whole and the rank stays. Unit axes that
    /// are not tracked correspond in order.
    pub fn as_permutation(&self) -> Option<Vec<usize>> {
        if self.source.len() != self.result.len() {
            return None;
        }
        let mut permutation = vec![None; self.result.len()];
        for axis in 0..self.source.len() {
            permutation[self.through(axis)?] = Some(axis);
        }
        permutation.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::oracle::*;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn identity_and_view_are_what_the_index_map_says(d in drawn(Sizes::Positive)) {
            let movement = d.movement();
            let in_order = map_of(&movement, [0, 0]).is_sorted();
            prop_assert_eq!(movement.is_view(), in_order);
            let same_shape = movement.source_shape() == movement.result_shape();
            prop_assert_eq!(movement.is_identity(), in_order && same_shape);
        }

        #[test]
        fn equality_is_equality_of_functions((a, b) in drawn(Sizes::Positive).prop_flat_map(|a| {
            let source = a.shape(&a.source);
            (Just(a), drawn_from(source))
        })) {
            let same = a.index_map([0, 0]) == b.index_map([0, 0])
                && a.shape(&a.result) == b.shape(&b.result);
            prop_assert_eq!(a.movement() == b.movement(), same);
        }

        #[test]
        fn inverse_undoes(d in any_sizes().prop_flat_map(drawn), v in values()) {
            let movement = d.movement();
            let back = movement.inverse();
            let there_and_back = then(&map_of(&movement, v), &map_of(&back, v));
            prop_assert!(there_and_back.into_iter().eq(0..d.index_map(v).len()));
            prop_assert_eq!(back.source_shape(), movement.result_shape());
            prop_assert_eq!(back.inverse(), movement);
        }

        #[test]
        fn permutations_are_found_again(
            (shape, order) in prop::collection::vec(size(Sizes::Symbolic), 0..6).prop_flat_map(|shape| {
                let order: Vec<usize> = (0..shape.len()).collect();
                (Just(shape), Just(order).prop_shuffle())
            })
        ) {
            let movement = Movement::permute(&shape, &order).unwrap();
            prop_assert_eq!(movement.as_permutation(), Some(order));
        }

        #[test]
        fn as_permutation_is_the_movement(d in any_sizes().prop_flat_map(drawn)) {
            let movement = d.movement();
            if let Some(order) = movement.as_permutation() {
                let permute = Movement::permute(&movement.source_shape(), &order).unwrap();
                prop_assert_eq!(permute, movement);
            }
        }
    }

    #[test]
    fn equal_sizes_are_still_two_factors() {
        let transpose = Movement::permute(&known(&[4, 4]), &[1, 0]).unwrap();
        assert!(!transpose.is_identity());
        assert_eq!(transpose, transpose.inverse());
    }

    #[test]
    fn unit_axes_do_not_enter_equality() {
        let shape = known(&[1, 1, 3]);
        let swapped = Movement::permute(&shape, &[1, 0, 2]).unwrap();
        assert!(swapped.is_identity());
        assert_eq!(swapped, Movement::identity(&shape));
        assert_eq!(swapped.as_permutation(), Some(vec![1, 0, 2]));
    }
}
