//! Strided views: tensors whose elements are picked from another tensor's memory by sizes and strides.

use crate::call::Tensor;
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::view::View;
use kiln_ir::{Builder, Dim, Movement, TensorData};

/// The elements of a strided view. The element at `i, j, ..` is at position `offset + i * strides[0] + j * strides[1] +
/// ..` of a row-major tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strided {
    /// The size of each axis.
    pub sizes: Vec<usize>,
    /// The stride of each axis, in elements.
    pub strides: Vec<usize>,
    /// The position of the first element, in elements.
    pub offset: usize,
}

impl Strided {
    /// True if it is plain that no two elements share a position: each stride is larger than all that the smaller
    /// strides reach together.
    pub fn is_distinct(&self) -> bool {
        let axes = self.sizes.iter().zip(&self.strides);
        let mut axes: Vec<(usize, usize)> = axes
            .filter(|&(&size, _)| size > 1)
            .map(|(&size, &stride)| (stride, size))
            .collect();
        axes.sort_unstable();
        let mut reach = 0usize;
        axes.into_iter().all(|(stride, size)| {
            let is_beyond = stride > reach;
            reach = reach.saturating_add(stride.saturating_mul(size - 1));
            is_beyond
        })
    }

    /// True if the elements follow each other in row-major order.
    fn is_run(&self) -> bool {
        let mut expected = 1;
        let axes = self.sizes.iter().zip(&self.strides).rev();
        axes.filter(|&(&size, _)| size != 1)
            .all(|(&size, &stride)| {
                let follows = stride == expected;
                expected = expected.saturating_mul(size);
                follows
            })
    }

    /// The number of elements, if all positions are below `count`.
    fn elements_within(&self, count: usize) -> Option<usize> {
        let elements = self
            .sizes
            .iter()
            .try_fold(1usize, |n, &s| n.checked_mul(s))?;
        let mut axes = self.sizes.iter().zip(&self.strides);
        let last = axes.try_fold(self.offset, |at, (&size, &stride)| {
            at.checked_add(size.saturating_sub(1).checked_mul(stride)?)
        })?;
        (elements == 0 || last < count).then_some(elements)
    }

    /// The positions of the elements, in row-major order.
    fn places(&self) -> Vec<i64> {
        let axes = self.sizes.iter().zip(&self.strides);
        axes.fold(vec![self.offset as i64], |starts, (&size, &stride)| {
            let along = |start| (0..size).map(move |i| start + (i * stride) as i64);
            starts.into_iter().flat_map(along).collect()
        })
    }
}

impl Importer<'_> {
    /// A view of `base`, which is row-major and has known sizes. A write to either changes both.
    ///
    /// # Errors
    /// If two elements share a position, or if a position is beyond the elements of `base`.
    pub fn bind_strided(&mut self, base: Tensor, view: &Strided) -> Result<Tensor, Problem> {
        let steps = self.strided_steps(base, view)?;
        let bound = self.bind_view(base, steps)?;
        self.set_contiguous(bound, Some(true));
        Ok(bound)
    }

    fn strided_steps(&mut self, base: Tensor, view: &Strided) -> Result<Vec<View>, Problem> {
        let value = self.current(base)?;
        let from = self.shape(value);
        let count = from.elements().as_const().unwrap_or(0) as usize;
        let elements = view
            .elements_within(count)
            .filter(|_| view.is_distinct())
            .ok_or_else(|| Problem::unsupported(format!("{view:?} of {count} elements")))?;
        if !view.is_run() {
            let index = TensorData::from_i64(view.sizes.clone(), &view.places());
            return Ok(vec![View::Pick(self.literal(index))]);
        }
        let to: Vec<Dim> = view.sizes.iter().map(|&n| Dim::from(n as i64)).collect();
        if elements == count {
            return self.reshaped(&from, &to);
        }
        let flat = [Dim::from(count as i64)];
        let run = [Dim::from(elements as i64)];
        let mut steps = self.reshaped(&from, &flat)?;
        steps.push(View::Slice {
            axis: 0,
            start: Dim::from(view.offset as i64),
            len: run[0].clone(),
            step: 1,
        });
        steps.extend(self.reshaped(&run, &to)?);
        Ok(steps)
    }

    fn reshaped(&self, from: &[Dim], to: &[Dim]) -> Result<Vec<View>, Problem> {
        let steps: Vec<Movement> = self.reshape_steps(from, to)?;
        Ok(steps.into_iter().map(View::Move).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strided(sizes: &[usize], strides: &[usize]) -> Strided {
        Strided {
            sizes: sizes.to_vec(),
            strides: strides.to_vec(),
            offset: 0,
        }
    }

    #[test]
    fn what_steps_over_the_smaller_axes_is_distinct() {
        assert!(strided(&[2, 3], &[3, 1]).is_distinct());
        assert!(strided(&[3, 2], &[1, 5]).is_distinct());
        assert!(strided(&[1, 2], &[0, 1]).is_distinct());
        assert!(!strided(&[2, 3], &[2, 1]).is_distinct());
        assert!(!strided(&[2], &[0]).is_distinct());
    }
}
