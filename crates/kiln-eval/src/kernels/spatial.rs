//! Windows over up to three spatial axes.

use crate::error::{Cause, misfit};

/// One value for each of three spatial axes, outermost first. If there are fewer axes, outer ones of size 1 are added.
pub type Axes<T> = [T; 3];

/// The values of up to three axes, with neutral values for the added ones.
///
/// # Errors
/// If there are more than three.
pub fn three<T: Copy>(values: &[T], neutral: T) -> Result<Axes<T>, Cause> {
    let mut axes = [neutral; 3];
    let Some(first) = 3usize.checked_sub(values.len()) else {
        misfit!("{} spatial axes; at most three have a kernel", values.len());
    };
    axes[first..].copy_from_slice(values);
    Ok(axes)
}

/// The positions of windows: tap `t` of window `w` is at position `w * stride - pad + t * dilation`.
#[derive(Clone, Debug)]
pub struct Windows {
    /// The number of taps.
    pub kernel: Axes<usize>,
    /// The distance of neighbouring windows.
    pub stride: Axes<i64>,
    /// The padding before the first element.
    pub pad: Axes<i64>,
    /// The distance of neighbouring taps.
    pub dilation: Axes<i64>,
}

impl Windows {
    /// True if window `w` has only position `w`.
    pub fn are_points(&self) -> bool {
        self.kernel == [1; 3] && self.stride == [1; 3] && self.pad == [0; 3]
    }

    /// The coordinates of a tap, given its row-major index.
    pub fn tap(&self, number: usize) -> Axes<usize> {
        let [_, middle, inner] = self.kernel;
        [
            number / (middle * inner),
            number / inner % middle,
            number % inner,
        ]
    }

    fn place(&self, axis: usize, window: usize, tap: usize) -> i64 {
        window as i64 * self.stride[axis] - self.pad[axis] + tap as i64 * self.dilation[axis]
    }

    /// The position of a tap, if it is within `size`.
    fn inside(&self, axis: usize, window: usize, tap: usize, size: usize) -> Option<usize> {
        let place = usize::try_from(self.place(axis, window, tap)).ok()?;
        (place < size).then_some(place)
    }

    /// For windows `start..start + len` of the row-major `windows`, calls `run(at, position, count, step)` for runs of
    /// windows whose tap lies within `sizes`. `at` counts from `start`, and neighbouring positions are `step` apart.
    pub fn seen(
        &self,
        tap: Axes<usize>,
        windows: &Axes<usize>,
        sizes: &Axes<usize>,
        start: usize,
        len: usize,
        mut run: impl FnMut(usize, usize, usize, usize),
    ) {
        let mut at = 0;
        while at < len {
            let window = start + at;
            let column = window % windows[2];
            let count = (windows[2] - column).min(len - at);
            let row = window / windows[2];
            let outer = self.inside(0, row / windows[1], tap[0], sizes[0]);
            let middle = self.inside(1, row % windows[1], tap[1], sizes[1]);
            if let (Some(outer), Some(middle)) = (outer, middle) {
                let (first, last) = self.columns_inside(tap[2], column, count, sizes[2]);
                if first < last {
                    let place = self.place(2, first, tap[2]) as usize;
                    let line = (outer * sizes[1] + middle) * sizes[2];
                    let step = self.stride[2] as usize;
                    run(at + first - column, line + place, last - first, step);
                }
            }
            at += count;
        }
    }

    /// The part of columns `column..column + count` whose tap lies within `0..size`.
    fn columns_inside(
        &self,
        tap: usize,
        column: usize,
        count: usize,
        size: usize,
    ) -> (usize, usize) {
        let (stride, base) = (self.stride[2], self.place(2, 0, tap));
        // The least w with base + w * stride >= bound.
        let least = |bound: i64| ((bound - base) + stride - 1).div_euclid(stride).max(0) as usize;
        (least(0).max(column), least(size as i64).min(column + count))
    }
}
