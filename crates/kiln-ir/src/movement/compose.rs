//! Composition of movements.

use super::parts::Parts;
use super::refine::{Part, Shared, refine};
use super::{AxisFactors, Movement};
use crate::dim::Dim;

/// One movement, or two in a row if no common refinement can be proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Composed {
    /// A single normal form.
    One(Movement),
    /// The first, then the second.
    Two(Movement, Movement),
}

impl Composed {
    /// The movements in the order in which they are applied.
    pub fn steps(&self) -> Vec<&Movement> {
        match self {
            Composed::One(only) => vec![only],
            Composed::Two(first, second) => vec![first, second],
        }
    }

    /// The movement, when it is one.
    pub fn one(self) -> Option<Movement> {
        match self {
            Composed::One(only) => Some(only),
            Composed::Two(..) => None,
        }
    }
}

impl Movement {
    /// This movement followed by `next`. The result is two movements if the factors of an axis between them have no
    /// common refinement, or if the shapes between them are not the same polynomials.
    ///
    /// ```
    /// use kiln_ir::movement::{Composed, Movement};
    /// let transpose = Movement::permute(&[5.into(), 5.into()], &[1, 0])?;
    /// let Composed::One(twice) = transpose.compose(&transpose) else { panic!() };
    /// assert!(twice.is_identity() && !transpose.is_identity());
    /// # Ok::<(), kiln_ir::movement::MovementError>(())
    /// ```
    pub fn compose(&self, next: &Movement) -> Composed {
        match self.try_compose(next) {
            Some(movement) => Composed::One(movement),
            None => Composed::Two(self.clone(), next.clone()),
        }
    }

    fn try_compose(&self, next: &Movement) -> Option<Movement> {
        if self.result.len() != next.source.len() {
            return None;
        }
        let mut parts = Parts::new(0, 0);
        // For each factor of this movement and of the next one, the finer factors into which it splits.
        let mut ours = vec![Vec::new(); self.sizes.len()];
        let mut theirs = vec![Vec::new(); next.sizes.len()];
        for (left, right) in self.result.iter().zip(&next.source) {
            for shared in refine_axis((left, &self.sizes), (right, &next.sizes))? {
                ours[shared.left].push(parts.sizes.len());
                theirs[shared.right].push(parts.sizes.len());
                parts.sizes.push(shared.size);
            }
        }
        parts.source = substitute(&self.source, &ours);
        parts.result = substitute(&next.result, &theirs);
        self.compose_units(next, &mut parts);
        Some(parts.finish())
    }

    fn compose_units(&self, next: &Movement, parts: &mut Parts) {
        for &(source, middle) in &self.units {
            let through = next.units.binary_search_by_key(&middle, |&(axis, _)| axis);
            if let Ok(found) = through {
                parts.join(
                    Dim::constant(1),
                    source as usize,
                    next.units[found].1 as usize,
                );
            }
        }
    }
}

fn refine_axis(
    left: (&AxisFactors, &[Dim]),
    right: (&AxisFactors, &[Dim]),
) -> Option<impl Iterator<Item = Shared>> {
    let parts = |(axis, sizes): (&AxisFactors, &[Dim])| -> Vec<Part> {
        let part = |owner: usize| Part {
            size: sizes[owner].clone(),
            owner,
        };
        axis.iter().map(|f| part(f.index())).collect()
    };
    let refined = refine(parts(left), parts(right));
    refined
        .is_complete()
        .then(|| refined.head.into_iter().chain(refined.tail))
}

fn substitute(axes: &[AxisFactors], finer: &[Vec<usize>]) -> Vec<Vec<usize>> {
    axes.iter()
        .map(|axis| {
            let factors = axis.iter().flat_map(|f| &finer[f.index()]);
            factors.copied().collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::oracle::*;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn composing_chains_the_index_maps((a, b) in any_sizes().prop_flat_map(drawn_pair), v in values()) {
            let composed = a.movement().compose(&b.movement());
            prop_assert_eq!(map_of_steps(&composed, v), then(&a.index_map(v), &b.index_map(v)));
            prop_assert_eq!(composed.steps()[0].source_shape(), a.shape(&a.source));
            prop_assert_eq!(composed.steps().last().unwrap().result_shape(), b.shape(&b.result));
        }

        #[test]
        fn two_are_kept_only_where_there_is_no_one((a, b) in drawn_pair(Sizes::Positive)) {
            let map = then(&a.index_map([0, 0]), &b.index_map([0, 0]));
            let (source, result) = (at(&a.shape(&a.source), [0, 0]), at(&b.shape(&b.result), [0, 0]));
            let composed = a.movement().compose(&b.movement());
            prop_assert_eq!(composed.one().is_some(), has_normal_form(&map, &source, &result));
        }

        #[test]
        fn identity_is_neutral_and_inverse_cancels(d in any_sizes().prop_flat_map(drawn)) {
            let a = d.movement();
            let one = Movement::identity(&a.source_shape());
            prop_assert_eq!(one.compose(&a), Composed::One(a.clone()));
            prop_assert_eq!(a.compose(&Movement::identity(&a.result_shape())), Composed::One(a.clone()));
            prop_assert_eq!(a.compose(&a.inverse()), Composed::One(one));
        }

        #[test]
        fn composition_is_associative_and_inverse_reverses(
            (a, b, c) in drawn_pair(Sizes::Known).prop_flat_map(|(a, b)| {
                let middle = b.shape(&b.result);
                (Just(a), Just(b), drawn_from(middle))
            })
        ) {
            let (a, b, c) = (a.movement(), b.movement(), c.movement());
            let (Some(ab), Some(bc)) = (a.compose(&b).one(), b.compose(&c).one()) else {
                return Ok(());
            };
            prop_assert_eq!(b.inverse().compose(&a.inverse()), Composed::One(ab.inverse()));
            if let (Some(left), Some(right)) = (ab.compose(&c).one(), a.compose(&bc).one()) {
                prop_assert_eq!(left, right);
            }
        }
    }

    #[test]
    fn shapes_that_differ_keep_two() {
        let (a, b) = (
            Movement::identity(&known(&[2, 3])),
            Movement::identity(&known(&[6])),
        );
        assert_eq!(a.compose(&b).one(), None);
    }
}
