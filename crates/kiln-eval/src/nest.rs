//! Loop nests over dense results, and the parallel filling of results.

use crate::element::Element;
use rayon::prelude::*;

/// The number of elements per task. Starting a task costs little compared with computing these, and the split does not
/// depend on the number of threads.
const BLOCK: usize = 1 << 14;

/// A vector of `len` elements that `fill(start, part)` computes in parallel, part by part.
pub fn filled<R: Element>(len: usize, fill: impl Fn(usize, &mut [R]) + Sync) -> Vec<R> {
    filled_by(len, &fill)
}

// `fill` is dynamic, so that the parallel loops are not compiled for each kernel.
fn filled_by<R: Element>(len: usize, fill: &(dyn Fn(usize, &mut [R]) + Sync)) -> Vec<R> {
    let mut out = vec![R::default(); len];
    if len <= BLOCK {
        fill(0, &mut out);
        return out;
    }
    out.par_chunks_mut(BLOCK)
        .enumerate()
        .for_each(|(i, part)| fill(i * BLOCK, part));
    out
}

/// A vector of `rows` rows of `width` elements. `fill(row, part)` computes each row, in parallel.
pub fn filled_rows<R: Element>(
    rows: usize,
    width: usize,
    fill: impl Fn(usize, &mut [R]) + Sync,
) -> Vec<R> {
    filled_rows_by(rows, width, &fill)
}

fn filled_rows_by<R: Element>(
    rows: usize,
    width: usize,
    fill: &(dyn Fn(usize, &mut [R]) + Sync),
) -> Vec<R> {
    let mut out = vec![R::default(); rows * width];
    if width == 0 {
        return out;
    }
    out.par_chunks_mut(width)
        .with_min_len((BLOCK / 4).div_ceil(width))
        .enumerate()
        .for_each(|(row, part)| fill(row, part));
    out
}

/// The row-major strides, in elements.
pub fn strides(sizes: &[usize]) -> Vec<isize> {
    let mut strides = vec![1isize; sizes.len()];
    for axis in (1..sizes.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(sizes[axis] as isize);
    }
    strides
}

type Visit<'v, const N: usize> = dyn FnMut(usize, usize, [isize; N], [isize; N]) + 'v;

/// A loop nest over the elements of a result in row-major order, with the index of each element in `N` operands.
///
/// Neighbouring loops are merged if they step through every operand like a single loop.
#[derive(Clone, Debug)]
pub struct Nest<const N: usize> {
    sizes: Vec<usize>,
    steps: Vec<[isize; N]>,
    start: [isize; N],
}

impl<const N: usize> Nest<N> {
    /// Loops of `sizes` whose operands start at `start` and advance by `steps[axis]`.
    pub fn new(sizes: &[usize], steps: &[[isize; N]], start: [isize; N]) -> Nest<N> {
        let mut nest = Nest {
            sizes: Vec::with_capacity(sizes.len()),
            steps: Vec::with_capacity(sizes.len()),
            start,
        };
        for (&size, &step) in sizes.iter().zip(steps) {
            nest.push(size, step);
        }
        if nest.sizes.is_empty() {
            nest.sizes.push(1);
            nest.steps.push([0; N]);
        }
        nest
    }

    /// A nest for operands of the result's rank, which are broadcast along axes of size 1.
    pub fn broadcast(sizes: &[usize], operands: [&[usize]; N]) -> Nest<N> {
        let own = operands.map(strides);
        let step = |axis: usize| {
            std::array::from_fn(|i| {
                if operands[i][axis] == 1 {
                    0
                } else {
                    own[i][axis]
                }
            })
        };
        let steps: Vec<[isize; N]> = (0..sizes.len()).map(step).collect();
        Nest::new(sizes, &steps, [0; N])
    }

    fn push(&mut self, size: usize, step: [isize; N]) {
        if size == 1 {
            return;
        }
        if let (Some(outer), Some(last)) = (self.sizes.last_mut(), self.steps.last_mut())
            && (0..N).all(|i| last[i] == step[i].saturating_mul(size as isize))
        {
            *outer = outer.saturating_mul(size);
            *last = step;
            return;
        }
        self.sizes.push(size);
        self.steps.push(step);
    }

    /// Calls `row(at, len, indices, steps)` for the runs of the innermost loop within elements `start..start + len`.
    /// `at` counts from `start`.
    pub fn rows(
        &self,
        start: usize,
        len: usize,
        mut row: impl FnMut(usize, usize, [isize; N], [isize; N]),
    ) {
        self.walk(start, len, &mut row);
    }

    fn walk(&self, start: usize, len: usize, row: &mut Visit<'_, N>) {
        if len == 0 {
            return;
        }
        let inner = self.sizes.len() - 1;
        let (width, step) = (self.sizes[inner], self.steps[inner]);
        let (mut counters, mut places) = self.seek(start);
        let mut done = 0;
        while done < len {
            let run = (width - counters[inner]).min(len - done);
            let skipped = counters[inner] as isize;
            row(
                done,
                run,
                std::array::from_fn(|i| places[i] + skipped * step[i]),
                step,
            );
            done += run;
            counters[inner] = 0;
            self.advance(&mut counters, &mut places);
        }
    }

    /// The counters of element `index`, and the operands' indices with the innermost counter at 0.
    fn seek(&self, mut index: usize) -> (Vec<usize>, [isize; N]) {
        let mut counters = vec![0; self.sizes.len()];
        let mut places = self.start;
        for axis in (0..self.sizes.len()).rev() {
            counters[axis] = index % self.sizes[axis];
            index /= self.sizes[axis];
            if axis + 1 < self.sizes.len() {
                let steps = counters[axis] as isize;
                (0..N).for_each(|i| places[i] += steps * self.steps[axis][i]);
            }
        }
        (counters, places)
    }

    fn advance(&self, counters: &mut [usize], places: &mut [isize; N]) {
        for axis in (0..self.sizes.len() - 1).rev() {
            counters[axis] += 1;
            (0..N).for_each(|i| places[i] += self.steps[axis][i]);
            if counters[axis] < self.sizes[axis] {
                return;
            }
            let size = self.sizes[axis] as isize;
            (0..N).for_each(|i| places[i] -= self.steps[axis][i] * size);
            counters[axis] = 0;
        }
    }
}

/// The elements of `source` that a nest of `len` elements visits.
pub fn copied<T: Element>(nest: &Nest<1>, len: usize, source: &[T]) -> Vec<T> {
    filled(len, |start, part| {
        nest.rows(start, part.len(), |at, run, [place], [step]| {
            let out = &mut part[at..at + run];
            match step {
                1 => out.copy_from_slice(&source[place as usize..place as usize + run]),
                0 => out.fill(source[place as usize]),
                _ => (0isize..)
                    .zip(out)
                    .for_each(|(i, o)| *o = source[(place + i * step) as usize]),
            }
        });
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Calls `visit` with each multi-index below `sizes`, in row-major order.
    fn for_each_index(sizes: &[usize], mut visit: impl FnMut(&[usize])) {
        if sizes.contains(&0) {
            return;
        }
        let mut index = vec![0; sizes.len()];
        loop {
            visit(&index);
            let Some(axis) = (0..sizes.len()).rev().find(|&a| index[a] + 1 < sizes[a]) else {
                return;
            };
            index[axis] += 1;
            index[axis + 1..].fill(0);
        }
    }

    #[test]
    fn scalars_have_one_element() {
        assert_eq!(copied(&Nest::broadcast(&[], [&[]]), 1, &[7i64]), [7]);
    }

    #[test]
    fn negative_steps_count_down() {
        let nest = Nest::new(&[2, 3], &[[3], [-1]], [2]);
        assert_eq!(copied(&nest, 6, &[0i64, 1, 2, 3, 4, 5]), [2, 1, 0, 5, 4, 3]);
    }

    proptest! {
        #[test]
        fn runs_from_anywhere_are_the_index_map(
            axes in prop::collection::vec((1usize..4, any::<bool>()), 0..5), start in 0usize..9, len in 0usize..20
        ) {
            let sizes: Vec<usize> = axes.iter().map(|a| a.0).collect();
            let own: Vec<usize> = axes.iter().map(|&(n, repeat)| if repeat { 1 } else { n }).collect();
            let total: usize = sizes.iter().product();
            let mut map = Vec::new();
            let steps = strides(&own);
            for_each_index(&sizes, |index| {
                map.push((0..sizes.len()).map(|a| (index[a] % own[a]) as isize * steps[a]).sum::<isize>());
            });
            let (start, len) = (start % total, len.min(total - start % total));
            let mut seen = Vec::new();
            Nest::broadcast(&sizes, [&own]).rows(start, len, |at, run, [p], [s]| {
                assert_eq!(at, seen.len());
                seen.extend((0..run as isize).map(|i| p + i * s));
            });
            prop_assert_eq!(&seen[..], &map[start..start + len]);
        }
    }
}
