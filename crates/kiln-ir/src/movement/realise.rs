//! The realisation of a movement with the least rank.

use super::size::product;
use super::{Factor, Movement};
use crate::dim::Dim;

/// A reshape to `split_shape`, a permutation, and a reshape to `result_shape`: the movement with the least rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Realisation {
    /// The sizes of the runs of factors that stay together, in the order of the source. None has the known size 1.
    pub split_shape: Vec<Dim>,
    /// Axis `i` of the permuted tensor is axis `permutation[i]` of the split tensor. No two consecutive axes stay
    /// consecutive, so this is the identity exactly for a view.
    pub permutation: Vec<usize>,
    /// The shape of the result.
    pub result_shape: Vec<Dim>,
}

impl Movement {
    /// The realisation of least rank. A run stays in pieces if its size would be too large to represent (see
    /// [`MovementError::TooLarge`](super::MovementError::TooLarge)).
    pub fn realise(&self) -> Realisation {
        let runs = self.runs();
        let mut split: Vec<&(Factor, Dim)> = runs.iter().collect();
        split.sort_by_key(|(first, _)| *first);
        let place = |first: &Factor| split.partition_point(|(other, _)| other < first);
        Realisation {
            split_shape: split.iter().map(|(_, size)| size.clone()).collect(),
            permutation: runs.iter().map(|(first, _)| place(first)).collect(),
            result_shape: self.result_shape(),
        }
    }

    /// The runs of factors that are consecutive both in the source and in the result, as (first factor, size), in the
    /// order of the result.
    fn runs(&self) -> Vec<(Factor, Dim)> {
        let mut runs: Vec<(Factor, Dim)> = Vec::new();
        let mut next = None;
        for factor in self.result_order() {
            let size = self.size(factor);
            let grown = match runs.last() {
                Some((_, run)) if next == Some(factor) => product([run, size]),
                _ => None,
            };
            match (grown, runs.last_mut()) {
                (Some(grown), Some(last)) => last.1 = grown,
                _ => runs.push((factor, size.clone())),
            }
            next = Some(Factor(factor.0 + 1));
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::*;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn realisation_is_the_movement(d in any_sizes().prop_flat_map(drawn), v in values()) {
            let realisation = d.movement().realise();
            let permute = Movement::permute(&realisation.split_shape, &realisation.permutation).unwrap();
            prop_assert_eq!(map_of(&permute, v), d.index_map(v));
            prop_assert_eq!(realisation.result_shape, d.shape(&d.result));
        }

        #[test]
        fn rank_is_least(d in drawn(Sizes::Positive)) {
            let loops = nest(&d.index_map([0, 0])).unwrap();
            prop_assert_eq!(d.movement().realise().permutation.len(), loops.len());
        }
    }

    #[test]
    fn what_travels_together_is_one_axis() {
        let to_nhwc = Movement::permute(&known(&[1, 3, 8, 8]), &[0, 2, 3, 1]).unwrap();
        let realisation = to_nhwc.realise();
        assert_eq!(realisation.split_shape, known(&[3, 64]));
        assert_eq!(realisation.permutation, [1, 0]);
    }
}
