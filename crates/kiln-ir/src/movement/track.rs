//! Tracks axes through a movement.

use super::{Factor, Movement};

/// A position in the result that holds a factor of a source axis, or the unit axis to which it corresponds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The result axis.
    pub axis: usize,
    /// The position among the factors of that axis; 0 is the outermost.
    pub position: usize,
    /// The factor; `None` for a unit axis.
    pub factor: Option<Factor>,
}

impl Movement {
    /// The positions in the result of the factors of source axis `axis`, outermost factor first. A unit axis has one
    /// position, or none if its counterpart is not known.
    ///
    /// # Panics
    /// If the source has no such axis.
    pub fn track(&self, axis: usize) -> Vec<Place> {
        if self.source[axis].is_empty() {
            let unit = self.tracked_unit(axis).map(|axis| Place {
                axis,
                position: 0,
                factor: None,
            });
            return unit.into_iter().collect();
        }
        self.source[axis].iter().map(|&f| self.place(f)).collect()
    }

    /// The position of `factor` in the result.
    ///
    /// # Panics
    /// If the movement has no such factor.
    pub fn place(&self, factor: Factor) -> Place {
        let found = self.result.iter().enumerate().find_map(|(axis, factors)| {
            let position = factors.iter().position(|&f| f == factor)?;
            Some(Place {
                axis,
                position,
                factor: Some(factor),
            })
        });
        found.expect("every factor is in the result")
    }

    /// The result axis that equals source axis `axis`, if there is one. For a unit axis, the one that is known to
    /// correspond to it.
    ///
    /// # Panics
    /// If the source has no such axis.
    pub fn is_axis_kept(&self, axis: usize) -> Option<usize> {
        match self.source[axis].as_slice() {
            [] => self.tracked_unit(axis),
            [factor] => {
                let place = self.place(*factor);
                (self.result[place.axis].len() == 1).then_some(place.axis)
            }
            _ => None,
        }
    }

    /// For an op that treats source axis `axis` specially and is parallel over the others: the result axis that it can
    /// treat specially instead. As [`Movement::is_axis_kept`], but unit axes without a known counterpart correspond in
    /// order, because one is as good as another. Different source axes get different result axes.
    ///
    /// # Panics
    /// If the source has no such axis.
    pub fn through(&self, axis: usize) -> Option<usize> {
        if !self.source[axis].is_empty() || self.tracked_unit(axis).is_some() {
            return self.is_axis_kept(axis);
        }
        let loose = |axis: &usize| self.tracked_unit(*axis).is_none();
        let earlier = (0..axis)
            .filter(|&a| self.source[a].is_empty())
            .filter(loose)
            .count();
        let taken = |axis: usize| self.units.iter().any(|&(_, to)| to as usize == axis);
        (0..self.result.len())
            .filter(|&to| self.result[to].is_empty() && !taken(to))
            .nth(earlier)
    }

    fn tracked_unit(&self, axis: usize) -> Option<usize> {
        let found = self.units.iter().find(|&&(from, _)| from as usize == axis);
        found.map(|&(_, to)| to as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::*;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The coordinate along the factor at `position`, for an axis with coordinate `coordinate`.
    fn digit(sizes: &[usize], position: usize, coordinate: usize) -> usize {
        let below: usize = sizes[position + 1..].iter().product();
        coordinate / below % sizes[position]
    }

    proptest! {
        #[test]
        fn digits_of_a_tracked_axis_are_where_it_says(d in any_sizes().prop_flat_map(drawn), v in values()) {
            let movement = d.movement();
            let sizes = |axis: &super::super::AxisFactors| -> Vec<usize> {
                at(&axis.iter().map(|&f| movement.size(f).clone()).collect::<Vec<_>>(), v)
            };
            let (source, result) = (at(&movement.source_shape(), v), at(&movement.result_shape(), v));
            for (to, from) in d.index_map(v).into_iter().enumerate() {
                let (from, to) = (coordinates(&source, from), coordinates(&result, to));
                for axis in (0..source.len()).filter(|&axis| !movement.source()[axis].is_empty()) {
                    for (position, place) in movement.track(axis).into_iter().enumerate() {
                        prop_assert_eq!(
                            digit(&sizes(&movement.source()[axis]), position, from[axis]),
                            digit(&sizes(&movement.result()[place.axis]), place.position, to[place.axis])
                        );
                        prop_assert_eq!(place.factor, Some(movement.source()[axis][position]));
                    }
                }
            }
        }

        #[test]
        fn an_axis_is_kept_when_its_coordinate_is(d in drawn(Sizes::Positive)) {
            let movement = d.movement();
            let shape = |axes: &[Vec<usize>]| at(&d.shape(axes), [0, 0]);
            let (source, result) = (shape(&d.source), shape(&d.result));
            let map = d.index_map([0, 0]);
            for axis in (0..source.len()).filter(|&axis| source[axis] > 1) {
                let same = |&other: &usize| {
                    source[axis] == result[other] && map.iter().enumerate().all(|(to, &from)| {
                        coordinates(&source, from)[axis] == coordinates(&result, to)[other]
                    })
                };
                prop_assert_eq!(movement.is_axis_kept(axis), (0..result.len()).find(same));
            }
        }

        #[test]
        fn different_axes_come_through_as_different_axes(d in any_sizes().prop_flat_map(drawn)) {
            let movement = d.movement();
            let (source, result) = (movement.source_shape(), movement.result_shape());
            let mut seen = BTreeSet::new();
            for (axis, size) in source.iter().enumerate() {
                let through = movement.through(axis);
                if let Some(kept) = movement.is_axis_kept(axis) {
                    prop_assert_eq!(through, Some(kept));
                }
                if let Some(to) = through {
                    prop_assert!(seen.insert(to));
                    prop_assert_eq!(size, &result[to]);
                }
            }
        }
    }

    #[test]
    fn unit_axes_are_tracked_through_a_chain() {
        let shape = known(&[1, 1, 6, 5]);
        let to_last = Movement::permute(&shape, &[0, 2, 3, 1]).unwrap();
        let flat = Movement::merge(&to_last.result_shape(), 1..3).unwrap();
        let chain = to_last.compose(&flat).one().unwrap();
        assert_eq!(
            (chain.is_axis_kept(0), chain.is_axis_kept(1)),
            (Some(0), Some(2))
        );
        assert_eq!(chain.is_axis_kept(2), None);
        let places: Vec<(usize, usize)> = (2..4)
            .flat_map(|a| chain.track(a))
            .map(|p| (p.axis, p.position))
            .collect();
        assert_eq!(places, [(1, 0), (1, 1)]);
    }

    #[test]
    fn a_unit_axis_that_merged_away_has_no_place() {
        let gone = Movement::merge(&known(&[1, 6]), 0..2).unwrap();
        assert_eq!((gone.track(0), gone.through(0)), (vec![], None));
        assert_eq!(gone.is_axis_kept(1), Some(0));
    }
}
