//! Movements of one kind: identity, permute, squeeze, unsqueeze, merge, split.
//!
//! No size of a shape is negative, as in types.

use super::parts::Parts;
use super::size::checked_product;
use super::{AxisFactors, Movement, MovementError};
use crate::dim::Dim;
use std::ops::Range;

impl Movement {
    /// The movement that moves nothing.
    pub fn identity(shape: &[Dim]) -> Movement {
        let mut parts = Parts::new(shape.len(), shape.len());
        for (axis, size) in shape.iter().enumerate() {
            parts.join(size.clone(), axis, axis);
        }
        parts.finish()
    }

    /// A permutation: result axis `i` is source axis `permutation[i]`.
    ///
    /// # Errors
    /// If `permutation` is no permutation of the axes.
    pub fn permute(shape: &[Dim], permutation: &[usize]) -> Result<Movement, MovementError> {
        if permutation.len() != shape.len() {
            return Err(MovementError::PermutationRank {
                found: permutation.len(),
                rank: shape.len(),
            });
        }
        named(permutation, shape.len())?;
        let mut parts = Parts::new(shape.len(), shape.len());
        for (axis, &from) in permutation.iter().enumerate() {
            parts.join(shape[from].clone(), from, axis);
        }
        Ok(parts.finish())
    }

    /// Removes the given axes, which must have size 1.
    ///
    /// # Errors
    /// If an axis is out of range, named twice, or not known to have size 1.
    pub fn squeeze(shape: &[Dim], axes: &[usize]) -> Result<Movement, MovementError> {
        let dropped = named(axes, shape.len())?;
        if let Some(&axis) = axes.iter().find(|&&axis| !shape[axis].is(1)) {
            let size = shape[axis].clone();
            return Err(MovementError::NotUnit { axis, size });
        }
        let mut parts = Parts::new(shape.len(), shape.len() - axes.len());
        let kept = (0..shape.len()).filter(|&axis| !dropped[axis]);
        for (to, from) in kept.enumerate() {
            parts.join(shape[from].clone(), from, to);
        }
        Ok(parts.finish())
    }

    /// Inserts axes of size 1. `axes` are their positions in the result.
    ///
    /// # Errors
    /// If an axis is out of range of the result, or named twice.
    pub fn unsqueeze(shape: &[Dim], axes: &[usize]) -> Result<Movement, MovementError> {
        let rank = shape.len() + axes.len();
        let inserted = named(axes, rank)?;
        let mut parts = Parts::new(shape.len(), rank);
        let kept = (0..rank).filter(|&axis| !inserted[axis]);
        for (from, to) in kept.enumerate() {
            parts.join(shape[from].clone(), from, to);
        }
        Ok(parts.finish())
    }

    /// Merges the axes of `range` into one. An empty range inserts a unit axis there.
    ///
    /// # Errors
    /// If the range is out of range, or the merged size is too large.
    pub fn merge(shape: &[Dim], range: Range<usize>) -> Result<Movement, MovementError> {
        let Some(merged) = shape.get(range.clone()) else {
            return Err(MovementError::AxisOutOfRange {
                axis: range.start.max(range.end),
                rank: shape.len(),
            });
        };
        checked_product(merged)?;
        let mut parts = Parts::new(shape.len(), shape.len() - merged.len() + 1);
        for (axis, size) in shape.iter().enumerate() {
            let to = if axis < range.end {
                axis.min(range.start)
            } else {
                axis + 1 - merged.len()
            };
            parts.join(size.clone(), axis, to);
        }
        Ok(parts.finish())
    }

    /// Splits `axis` into axes of the given sizes, whose product must equal it as a polynomial.
    ///
    /// # Errors
    /// If the axis is out of range, or the product of the sizes is not its size.
    pub fn split(shape: &[Dim], axis: usize, sizes: &[Dim]) -> Result<Movement, MovementError> {
        let Some(size) = shape.get(axis) else {
            let rank = shape.len();
            return Err(MovementError::AxisOutOfRange { axis, rank });
        };
        if checked_product(sizes)? != *size {
            return Err(MovementError::SplitMismatch {
                axis,
                size: size.clone(),
                parts: sizes.to_vec(),
            });
        }
        let (before, after) = (&shape[..axis], &shape[axis + 1..]);
        let split = [before, sizes, after].concat();
        Ok(Movement::merge(&split, axis..axis + sizes.len())?.inverse())
    }

    /// Splits axes into axes of the sizes that `parts` has for them. An axis with less than two parts stays, and so do those
    /// behind the last of `parts`.
    ///
    /// # Errors
    /// As for [`Movement::split`].
    ///
    /// # Examples
    /// ```
    /// use kiln_ir::movement::Movement;
    /// let parts = vec![vec![], vec![2.into(), 3.into()]];
    /// let movement = Movement::split_each(&[5.into(), 6.into(), 4.into()], &parts)?;
    /// assert_eq!(movement.to_string(), "a:5 (b:2 c:3) d:4 -> a b c d");
    /// # Ok::<(), kiln_ir::movement::MovementError>(())
    /// ```
    pub fn split_each(shape: &[Dim], parts: &[Vec<Dim>]) -> Result<Movement, MovementError> {
        let (mut view, mut at) = (Movement::identity(shape), 0);
        for sizes in parts {
            if sizes.len() > 1 {
                let split = Movement::split(&view.result_shape(), at, sizes)?;
                view = view.compose(&split).one().expect("views compose to one");
            }
            at += sizes.len().max(1);
        }
        Ok(view)
    }

    /// The sizes of the factors of each source axis, outermost first.
    pub fn source_parts(&self) -> Vec<Vec<Dim>> {
        let sizes = |axis: &AxisFactors| axis.iter().map(|f| self.size(*f).clone()).collect();
        self.source.iter().map(sizes).collect()
    }
}

/// Marks the named axes. Each may be named once, and must be below `rank`.
fn named(axes: &[usize], rank: usize) -> Result<Vec<bool>, MovementError> {
    let mut named = vec![false; rank];
    for &axis in axes {
        let slot = named
            .get_mut(axis)
            .ok_or(MovementError::AxisOutOfRange { axis, rank })?;
        if std::mem::replace(slot, true) {
            return Err(MovementError::RepeatedAxis(axis));
        }
    }
    Ok(named)
}

#[cfg(test)]
mod tests {
    use super::super::oracle::known;
    use super::*;

    #[test]
    fn unit_axes_come_and_go() {
        let shape = known(&[1, 3, 1, 4]);
        let squeeze = Movement::squeeze(&shape, &[2]).unwrap();
        assert_eq!(squeeze.to_string(), "c:1 a:3 1 b:4 -> c a b");
        let back = Movement::unsqueeze(&squeeze.result_shape(), &[2]).unwrap();
        assert_eq!(back, squeeze.inverse());
        let both = squeeze.compose(&back).one().unwrap();
        assert!(both.is_identity());
        assert_eq!(
            (both.is_axis_kept(0), both.is_axis_kept(2)),
            (Some(0), None)
        );
        assert_eq!(both.as_permutation(), Some(vec![0, 1, 2, 3]));
    }

    #[test]
    fn merge_and_split_are_inverse() {
        let shape = known(&[2, 3, 4, 5]);
        let merge = Movement::merge(&shape, 1..3).unwrap();
        assert_eq!(merge.to_string(), "a:2 b:3 c:4 d:5 -> a (b c) d");
        let split = Movement::split(&known(&[2, 12, 5]), 1, &known(&[3, 4])).unwrap();
        assert_eq!(split, merge.inverse());
        assert_eq!(
            Movement::merge(&shape, 2..2).unwrap(),
            Movement::unsqueeze(&shape, &[2]).unwrap()
        );
    }

    #[test]
    fn refuses_axes_that_are_not_there() {
        let shape = known(&[1, 3]);
        assert!(matches!(
            Movement::permute(&shape, &[0]),
            Err(MovementError::PermutationRank { .. })
        ));
        assert_eq!(
            Movement::permute(&shape, &[1, 1]),
            Err(MovementError::RepeatedAxis(1))
        );
        assert!(matches!(
            Movement::squeeze(&shape, &[1]),
            Err(MovementError::NotUnit { .. })
        ));
        assert!(matches!(
            Movement::unsqueeze(&shape, &[3]),
            Err(MovementError::AxisOutOfRange { .. })
        ));
        assert!(matches!(
            Movement::merge(&shape, 1..3),
            Err(MovementError::AxisOutOfRange { .. })
        ));
        assert!(matches!(
            Movement::split(&shape, 1, &known(&[2])),
            Err(MovementError::SplitMismatch { .. })
        ));
    }
}
