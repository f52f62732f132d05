//! The places of elements in two tensors, by strides.

use crate::dialect::{MAX_RANK, Strides};
use kiln_transforms::framework::target::Reason;

/// An axis of a walk: its size, and the strides in both tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Axis {
    size: usize,
    steps: [i64; 2],
}

/// A walk over elements in order, with their places in two tensors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Walk {
    axes: Vec<Axis>,
    firsts: [i64; 2],
}

/// The strides of a dense tensor.
pub(crate) fn steps_of(sizes: &[usize]) -> Vec<i64> {
    let mut steps = vec![1; sizes.len()];
    for axis in (1..sizes.len()).rev() {
        steps[axis - 1] = steps[axis] * sizes[axis] as i64;
    }
    steps
}

/// The strides of a dense operand that is broadcast: 0 along axes of size 1.
pub(crate) fn repeated(sizes: &[usize]) -> Vec<i64> {
    let steps = steps_of(sizes);
    let pairs = steps.into_iter().zip(sizes);
    pairs
        .map(|(step, &size)| if size == 1 { 0 } else { step })
        .collect()
}

impl Walk {
    /// The walk over these sizes, by these strides. Axes that are one row in both tensors are joined.
    pub(crate) fn new(sizes: &[usize], steps: [&[i64]; 2]) -> Walk {
        let axis = |i: usize| Axis {
            size: sizes[i],
            steps: [steps[0][i], steps[1][i]],
        };
        let mut axes: Vec<Axis> = Vec::new();
        for next in (0..sizes.len()).map(axis).filter(|axis| axis.size != 1) {
            match axes.last_mut() {
                // Neighbours that are one row in both tensors are one axis.
                Some(last) if (0..2).all(|t| last.steps[t] == next.steps[t] * next.size as i64) => {
                    last.size *= next.size;
                    last.steps = next.steps;
                }
                _ => axes.push(next),
            }
        }
        if axes.is_empty() {
            axes.push(Axis {
                size: 1,
                steps: [1, 1],
            });
        }
        Walk {
            axes,
            firsts: [0, 0],
        }
    }

    /// As [`Walk::new`], without joined axes.
    pub(crate) fn apart(sizes: &[usize], steps: [&[i64]; 2]) -> Walk {
        let axis = |i: usize| Axis {
            size: sizes[i],
            steps: [steps[0][i], steps[1][i]],
        };
        Walk {
            axes: (0..sizes.len()).map(axis).collect(),
            firsts: [0, 0],
        }
    }

    /// The walk over two dense tensors of these sizes.
    pub(crate) fn dense(sizes: &[usize]) -> Walk {
        let steps = steps_of(sizes);
        Walk::new(sizes, [&steps, &steps])
    }

    /// The walk from a dense tensor to a dense one with its axes permuted.
    pub(crate) fn permuted(from: &[usize], axes: &[usize]) -> Walk {
        let steps = steps_of(from);
        let sizes: Vec<usize> = axes.iter().map(|&axis| from[axis]).collect();
        let first: Vec<i64> = axes.iter().map(|&axis| steps[axis]).collect();
        Walk::new(&sizes, [&first, &steps_of(&sizes)])
    }

    /// The same walk, begun at these elements of both tensors.
    pub(crate) fn from(self, firsts: [i64; 2]) -> Walk {
        Walk { firsts, ..self }
    }

    /// The first elements in both tensors.
    ///
    /// # Errors
    /// If a place does not fit 32 bits.
    pub(crate) fn firsts(&self) -> Result<[i32; 2], Reason> {
        Ok([narrow(self.firsts[0])?, narrow(self.firsts[1])?])
    }

    /// Whether the kernels have as many axes as the walk.
    pub(crate) fn fits(&self) -> bool {
        self.axes.len() <= MAX_RANK
    }

    /// The walk as the kernels take it.
    ///
    /// # Errors
    /// If there are more axes than the kernels have, or if a number does not fit 32 bits.
    pub(crate) fn strides(&self) -> Result<Strides, Reason> {
        if !self.fits() {
            let found = format!("{} axes", self.axes.len());
            return Err(Reason::new(format!("at most {MAX_RANK} axes"), found));
        }
        let all = |of: &dyn Fn(&Axis) -> i64| -> Result<Vec<i32>, Reason> {
            self.axes.iter().map(|axis| narrow(of(axis))).collect()
        };
        Ok(Strides::new(
            &all(&|axis| axis.size as i64)?,
            &all(&|axis| axis.steps[0])?,
            &all(&|axis| axis.steps[1])?,
        ))
    }
}

fn narrow(number: i64) -> Result<i32, Reason> {
    i32::try_from(number).map_err(|_| Reason::new("places fit 32 bits", number.to_string()))
}

/// A transpose of as few axes as possible: neighbours that stay neighbours are one axis, and axes of size 1 are left out.
pub(crate) fn joined(from: &[usize], axes: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut last = None;
    let follows = |last: Option<usize>, axis: usize| {
        last.is_some_and(|last: usize| last < axis && from[last + 1..axis].iter().all(|&n| n == 1))
    };
    for &axis in axes.iter().filter(|&&axis| from[axis] != 1) {
        match runs.last_mut() {
            Some((_, whole)) if follows(last, axis) => *whole *= from[axis],
            _ => runs.push((axis, from[axis])),
        }
        last = Some(axis);
    }
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by_key(|&run| runs[run].0);
    let sizes = order.iter().map(|&run| runs[run].1).collect();
    let place = |run: usize| order.iter().position(|&o| o == run).unwrap_or(run);
    (sizes, (0..runs.len()).map(place).collect())
}

/// Splits a permutation of joined axes into two. The first brings two axes to their places. It has 6 axes at most: those in front
/// that stay, the two, and the runs before, between and behind them. The second has one axis less than the whole.
pub(crate) fn in_two(axes: &[usize]) -> [Vec<usize>; 2] {
    let in_place = usize::from(axes.first() == Some(&0));
    let moved = &axes[..axes.len().min(in_place + 2)];
    let others = (0..axes.len()).filter(|axis| !moved.contains(axis));
    let first: Vec<usize> = moved.iter().copied().chain(others).collect();
    let place = |axis: &usize| first.iter().position(|other| other == axis);
    let second = axes.iter().filter_map(place).collect();
    [first, second]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_axes_are_moved_in_steps() {
        for count in 7..12 {
            // Backwards, and by turns from both ends.
            let backwards: Vec<usize> = (0..count).rev().collect();
            let turns = (0..count).map(|i| if i % 2 == 0 { i / 2 } else { count - 1 - i / 2 });
            for axes in [backwards, turns.collect()] {
                let sizes: Vec<usize> = (2..2 + count).collect();
                let (mut rest, mut found) = (axes, sizes);
                let mut steps = 0;
                while !Walk::permuted(&found, &rest).fits() {
                    let (joint, order) = joined(&found, &rest);
                    let [first, second] = in_two(&order);
                    assert!(Walk::permuted(&joint, &first).fits(), "{order:?}");
                    let both = second.iter().map(|&axis| first[axis]);
                    assert_eq!(both.collect::<Vec<_>>(), order);
                    found = first.iter().map(|&axis| joint[axis]).collect();
                    (rest, steps) = (second, steps + 1);
                }
                assert!((1..=count - 6).contains(&steps), "{steps}");
            }
        }
    }

    #[test]
    fn neighbours_are_one_axis() {
        assert_eq!(
            joined(&[1, 3, 4, 5], &[0, 2, 3, 1]),
            (vec![3, 20], vec![1, 0])
        );
        assert_eq!(
            joined(&[2, 3, 4], &[2, 1, 0]),
            (vec![2, 3, 4], vec![2, 1, 0])
        );
        let walk = Walk::permuted(&[2, 3, 4, 5], &[0, 2, 3, 1]);
        let found = walk.strides().expect("three axes");
        assert_eq!(found, Strides::new(&[2, 20, 3], &[60, 1, 20], &[60, 3, 1]));
    }

    #[test]
    fn what_is_dense_is_one_row() {
        let walk = Walk::dense(&[2, 3, 1, 4]);
        assert_eq!(
            walk.strides().expect("one"),
            Strides::new(&[24], &[1], &[1])
        );
        let one = Walk::dense(&[1, 1]);
        assert_eq!(one.strides().expect("one"), Strides::new(&[1], &[1], &[1]));
    }

    #[test]
    fn an_axis_that_is_repeated_stays() {
        let walk = Walk::new(&[2, 3], [&repeated(&[1, 3]), &repeated(&[2, 1])]);
        let expected = Strides::new(&[2, 3], &[0, 1], &[1, 0]);
        assert_eq!(walk.strides().expect("two"), expected);
    }
}
