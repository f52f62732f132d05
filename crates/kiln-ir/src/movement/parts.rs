//! The builder of movements, and the only way to the normal form: factors in any numbering, not yet merged.
//!
//! Only here a factor may have size 1. If it is all of a source axis and all of a result axis, these two unit axes
//! correspond.

use super::size::{axis_size, checked_product, refuse_negative};
use super::{AxisFactors, Factor, Movement, MovementError};
use crate::dim::Dim;

/// Factors and the axes that hold them. Every factor occurs once on each side.
pub(super) struct Parts {
    pub(super) sizes: Vec<Dim>,
    pub(super) source: Vec<Vec<usize>>,
    pub(super) result: Vec<Vec<usize>>,
}

impl Parts {
    /// No factors; all axes of both ranks are unit axes.
    pub(super) fn new(source_rank: usize, result_rank: usize) -> Parts {
        Parts {
            sizes: Vec::new(),
            source: vec![Vec::new(); source_rank],
            result: vec![Vec::new(); result_rank],
        }
    }

    /// Appends a factor to both axes, as the innermost one.
    pub(super) fn join(&mut self, size: Dim, source: usize, result: usize) {
        self.source[source].push(self.sizes.len());
        self.result[result].push(self.sizes.len());
        self.sizes.push(size);
    }

    /// The normal form.
    pub(super) fn finish(mut self) -> Movement {
        let places = self.result_places();
        let units = self.tracked_units(&places);
        self.drop_units();
        let places = self.result_places();
        let mut number = vec![None; self.sizes.len()];
        let mut runs: Vec<Vec<Dim>> = Vec::new();
        for axis in &self.source {
            let mut last: Option<usize> = None;
            for &factor in axis {
                if last.is_some_and(|l| follows(places[l], places[factor])) {
                    let run = runs.last_mut().expect("the axis has a factor before");
                    run.push(self.sizes[factor].clone());
                } else {
                    number[factor] = Some(Factor::new(runs.len()));
                    runs.push(vec![self.sizes[factor].clone()]);
                }
                last = Some(factor);
            }
        }
        let rename = |axes: &[Vec<usize>]| -> Vec<AxisFactors> {
            axes.iter()
                .map(|axis| axis.iter().filter_map(|&f| number[f]).collect())
                .collect()
        };
        Movement {
            source: rename(&self.source),
            result: rename(&self.result),
            sizes: runs.iter().map(axis_size).collect(),
            units,
        }
    }

    /// For each factor, its result axis and its position in that axis.
    fn result_places(&self) -> Vec<(usize, usize)> {
        let mut places = vec![(0, 0); self.sizes.len()];
        for (axis, factors) in self.result.iter().enumerate() {
            for (position, &factor) in factors.iter().enumerate() {
                places[factor] = (axis, position);
            }
        }
        places
    }

    fn tracked_units(&self, places: &[(usize, usize)]) -> Vec<(u32, u32)> {
        let mut units = Vec::new();
        for (axis, factors) in self.source.iter().enumerate() {
            if let [factor] = factors.as_slice()
                && self.sizes[*factor].is(1)
                && self.result[places[*factor].0].len() == 1
            {
                units.push((axis as u32, places[*factor].0 as u32));
            }
        }
        units
    }

    fn drop_units(&mut self) {
        for axis in self.source.iter_mut().chain(&mut self.result) {
            axis.retain(|&factor| !self.sizes[factor].is(1));
        }
    }
}

fn follows(before: (usize, usize), after: (usize, usize)) -> bool {
    after == (before.0, before.1 + 1)
}

impl Movement {
    /// The movement with the given factors. For each axis of both sides, the lists hold the indices in `sizes` of its
    /// factors, outermost first. They need not be in normal form. If a factor of size 1 is all of a source axis and all
    /// of a result axis, these unit axes correspond.
    ///
    /// # Errors
    /// If a factor does not occur once on both sides, a size is negative, or an axis is too large.
    ///
    /// ```
    /// use kiln_ir::movement::Movement;
    /// let sizes = vec![2.into(), 3.into(), 4.into()];
    /// let movement = Movement::from_parts(sizes, vec![vec![0], vec![1, 2]], vec![vec![0, 2], vec![1]])?;
    /// assert_eq!(movement.to_string(), "a:2 (b:3 c:4) -> (a c) b");
    /// # Ok::<(), kiln_ir::movement::MovementError>(())
    /// ```
    pub fn from_parts(
        sizes: Vec<Dim>,
        source: Vec<Vec<usize>>,
        result: Vec<Vec<usize>>,
    ) -> Result<Movement, MovementError> {
        refuse_negative(&sizes)?;
        for (side, axes) in [("source", &source), ("result", &result)] {
            occurs_once(side, axes, sizes.len())?;
            for axis in axes {
                let factors: Vec<Dim> = axis.iter().map(|&f| sizes[f].clone()).collect();
                checked_product(&factors)?;
            }
        }
        let parts = Parts {
            sizes,
            source,
            result,
        };
        Ok(parts.finish())
    }

    /// The movement with other sizes of its factors, in normal form.
    ///
    /// # Errors
    /// If a size is known to be negative, or a product is too large.
    pub fn with_sizes(&self, sizes: Vec<Dim>) -> Result<Movement, MovementError> {
        let places = |axes: &[AxisFactors]| -> Vec<Vec<usize>> {
            let axis = |factors: &AxisFactors| factors.iter().map(|f| f.index()).collect();
            axes.iter().map(axis).collect()
        };
        Movement::from_parts(sizes, places(self.source()), places(self.result()))
    }
}

fn occurs_once(side: &'static str, axes: &[Vec<usize>], count: usize) -> Result<(), MovementError> {
    let mut found = vec![0usize; count];
    for &factor in axes.iter().flatten() {
        let slot = found.get_mut(factor).ok_or(MovementError::UnknownFactor {
            factor,
            side,
            count,
        })?;
        *slot += 1;
    }
    match found.iter().position(|&n| n != 1) {
        Some(factor) => Err(MovementError::FactorCount {
            factor,
            side,
            found: found[factor],
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::*;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn normal_form_keeps_shapes_and_elements(d in any_sizes().prop_flat_map(drawn), v in values()) {
            let movement = d.movement();
            prop_assert_eq!(map_of(&movement, v), d.index_map(v));
            prop_assert_eq!(movement.source_shape(), d.shape(&d.source));
            prop_assert_eq!(movement.result_shape(), d.shape(&d.result));
        }

        #[test]
        fn normal_form_is_normal(d in any_sizes().prop_flat_map(drawn)) {
            let movement = d.movement();
            prop_assert!(movement.sizes().iter().all(|size| !size.is(1)));
            prop_assert!(movement.source().iter().flatten().map(|f| f.index()).eq(0..movement.sizes().len()));
            for pair in movement.result().iter().flat_map(|axis| axis.windows(2)) {
                let together = movement.source().iter().any(|axis| axis.windows(2).any(|w| w == pair));
                prop_assert!(!together, "{movement} keeps neighbours apart");
            }
        }
    }

    #[test]
    fn refuses_what_is_no_movement() {
        let of = |sizes: &[i64], source: &[usize], result: &[usize]| {
            Movement::from_parts(known(sizes), vec![source.to_vec()], vec![result.to_vec()])
                .unwrap_err()
        };
        let count = |side, found| MovementError::FactorCount {
            factor: 0,
            side,
            found,
        };
        assert_eq!(of(&[2], &[], &[0]), count("source", 0));
        assert_eq!(of(&[2], &[0], &[0, 0]), count("result", 2));
        assert!(matches!(
            of(&[2], &[7], &[0]),
            MovementError::UnknownFactor { factor: 7, .. }
        ));
        assert_eq!(
            of(&[-2], &[0], &[0]),
            MovementError::NegativeSize((-2).into())
        );
        let huge = [i64::MAX / 2, 3];
        assert_eq!(of(&huge, &[0, 1], &[0, 1]), MovementError::TooLarge(2));
    }
}
