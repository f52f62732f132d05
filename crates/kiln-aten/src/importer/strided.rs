//! Tensors that are elements of another's memory, by size and stride.

use crate::call::Tensor;
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::view::View;
use kiln_ir::{Dim, Movement, TensorData};

/// Elements of a row-major tensor: the one at `i, j, ..` lies at `offset + i * strides[0] + j * strides[1] + ..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strided {
    /// How many, along each axis.
    pub sizes: Vec<usize>,
    /// As many; in elements.
    pub strides: Vec<usize>,
    /// From the tensor's first element.
    pub offset: usize,
}

impl Strided {
    /// True if no two of its elements are plainly one: each stride steps over all that smaller ones reach.
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

    /// How many elements there are, if all lie among the first `count`.
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

    /// The places in row-major order.
    fn places(&self) -> Vec<i64> {
        let axes = self.sizes.iter().zip(&self.strides);
        axes.fold(vec![self.offset as i64], |starts, (&size, &stride)| {
            let along = |start| (0..size).map(move |i| start + (i * stride) as i64);
            starts.into_iter().flat_map(along).collect()
        })
    }
}

impl Importer<'_> {
    /// A view of `base`, which is row-major and of known sizes: what is written to one shows in the other.
    ///
    /// # Errors
    /// If elements repeat, or lie beyond those of `base`.
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
