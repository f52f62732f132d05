//! Sums over windows, by depthwise convolutions that read nothing beside their window.
//!
//! XNNPACK's depthwise kernels take 3, 4, 9 or 25 taps. For a window with fewer they read neighbours and multiply them
//! by 0 (measured), so a NaN there spreads. Therefore a window is covered by convolutions of exactly these numbers of
//! taps, applied one after the other with growing dilation. Windows of 1, 2 and 5 taps are extended by columns that lie
//! in the padding. A length that is no product of these is covered by parts that are summed ([`super::depthwise`]).

use super::cover::is_tile;
use super::depthwise::{self, Depthwise};
use super::pool::{Window, out_size};
use super::window::UNIT;
use super::{Lowering, Problem};
use crate::orders::MOVERS;
use crate::payload::ValueId as Tensor;
use crate::weights;
use kiln_ir::{DType, Dim, Shape};
use kiln_transforms::framework::target::Reason;

/// The most taps of a window that is not covered by rows and columns.
pub(super) const MAX_AT_ONCE: u32 = 25;

/// The most elements of a filter that sums: 4 MiB as f32. A filter has its window's taps for each channel, and an image's
/// rows may be channels ([`form`]).
const MAX_WEIGHTS: u64 = 1 << 20;

/// The number of columns that extend this number of taps to a kernel's, all but one of them in the padding.
fn columns(taps: u32) -> Option<u32> {
    match taps {
        1 => Some(3),
        2 => Some(2),
        5 => Some(5),
        taps => is_tile(taps).then_some(1),
    }
}

/// Whether a sum may count an element more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// Each element once.
    Once,
    /// Each element at least once.
    Any,
}

/// Convolutions that sum windows, one after the other; `None` if there are none.
pub(crate) fn stages([h, w]: [Window; 2], count: Count) -> Option<Vec<[Window; 2]>> {
    if is_tile(h.kernel * w.kernel) {
        return Some(vec![[h, w]]);
    }
    let mut all = Vec::new();
    if h != UNIT {
        all.extend(axis_stages(h, count)?.into_iter().map(|h| [h, UNIT]));
    }
    if w != UNIT || all.is_empty() {
        all.extend(axis_stages(w, count)?.into_iter().map(|w| [UNIT, w]));
    }
    Some(all)
}

/// Convolutions that sum windows of an input of that shape, each element once.
///
/// # Errors
/// If there are none.
pub(crate) fn sum(windows: [Window; 2], shape: &Shape) -> Result<Vec<[Window; 2]>, Reason> {
    if let Some(stages) = stages(windows, Count::Once).filter(|stages| fit(stages, shape)) {
        return check_filters(&stages, shape).map(|()| stages);
    }
    let [h, w] = windows;
    let (whole, apart) = (vec![[h, w]], vec![[h, UNIT], [UNIT, w]]);
    let is_one = h.kernel == 1 || w.kernel == 1;
    let small = h
        .kernel
        .checked_mul(w.kernel)
        .is_some_and(|n| n <= MAX_AT_ONCE);
    let ways = if is_one || small {
        [whole, apart]
    } else {
        [apart, whole]
    };
    let [first, second] = ways.map(|stages| are_summed(&stages, shape).map(|()| stages));
    first.or(second)
}

/// Convolutions that sum windows of an input of that shape, each element at least once.
///
/// # Errors
/// If there are none.
pub(crate) fn sum_of_any(windows: [Window; 2], shape: &Shape) -> Result<Vec<[Window; 2]>, Reason> {
    match stages(windows, Count::Any).filter(|stages| fit(stages, shape)) {
        Some(stages) => check_filters(&stages, shape).map(|()| stages),
        None => sum(windows, shape),
    }
}

/// Refuses stages of which one reads beside its window, or has too large a filter.
fn are_summed(stages: &[[Window; 2]], shape: &Shape) -> Result<(), Reason> {
    check_filters(stages, shape)?;
    let mut shape = shape.clone();
    for stage in stages {
        let taps = stage[0].kernel.saturating_mul(stage[1].kernel);
        let is_column = columns(taps).is_some();
        if !(is_column && fit(&[*stage], &shape)) {
            depthwise::plan(*stage, &shape)?;
        }
        shape = seen(&shape, stage);
    }
    Ok(())
}

/// Refuses filters of which one is too large.
fn check_filters(stages: &[[Window; 2]], shape: &Shape) -> Result<(), Reason> {
    let one = Dim::constant(1);
    let size = |axis: usize| shape.get(axis).unwrap_or(&one).clone();
    let mut dims = [0, 2, 3, 1].map(size).to_vec();
    for stage in stages {
        let (image, windows) = form(&dims, stage).unwrap_or_else(|| (dims.clone(), *stage));
        let channels = image.last().and_then(Dim::as_const);
        let channels =
            channels.ok_or_else(|| Reason::new("channels are known", format!("{shape:?}")))?;
        let taps = windows.map(|w| i64::from(w.kernel));
        let sizes = taps.into_iter().chain([channels]);
        weights::check_elements("a filter that sums windows", MAX_WEIGHTS, sizes)?;
        dims = windowed(&dims, stage);
    }
    Ok(())
}

/// The image of one column on which a stage is computed, and its window there; `None` if it sees the image as it is.
fn form(dims: &[Dim], [h, w]: &[Window; 2]) -> Option<(Vec<Dim>, [Window; 2])> {
    let along_height = *w == UNIT;
    let image = column(dims, along_height);
    let is_known = image
        .last()
        .is_some_and(|channels| channels.as_const().is_some());
    let has_column = (*h == UNIT || along_height) && is_known && MOVERS.can_reshape(&image);
    let count = columns(h.kernel.saturating_mul(w.kernel)).filter(|&n| n > 1 && has_column)?;
    let filled = Window {
        kernel: count,
        high: count - 1,
        ..UNIT
    };
    let window = if along_height { *h } else { *w };
    Some((image, [window, filled]))
}

/// True if the convolutions can run on an input of that shape. Columns in the padding need a reshape of its rows.
fn fit(stages: &[[Window; 2]], shape: &Shape) -> bool {
    let needs_columns = |[h, w]: &[Window; 2]| !is_tile(h.kernel * w.kernel);
    shape.rank() == 3 || shape.as_static().is_some() || !stages.iter().any(needs_columns)
}

/// Puts the padding into the first convolution and the stride into the last.
fn axis_stages(window: Window, count: Count) -> Option<Vec<Window>> {
    let lengths = lengths(window.kernel, count)?;
    let last = lengths.len() - 1;
    let stage = |(i, (kernel, apart)): (usize, (u32, u32))| Window {
        kernel,
        stride: if i == last { window.stride } else { 1 },
        low: if i == 0 { window.low } else { 0 },
        high: if i == 0 { window.high } else { 0 },
        dilation: window.dilation * apart,
    };
    Some(lengths.into_iter().enumerate().map(stage).collect())
}

/// Numbers of taps, with dilations, of convolutions that together cover a length.
fn lengths(length: u32, count: Count) -> Option<Vec<(u32, u32)>> {
    if columns(length).is_some() {
        return Some(vec![(length, 1)]);
    }
    if count == Count::Any {
        let apart = (length / 3).min((length - 3) / 2);
        let mut all = lengths(length - 2 * apart, count)?;
        all.push((3, apart));
        return Some(all);
    }
    let first = [25, 9, 5, 4, 3, 2]
        .into_iter()
        .find(|t| length.is_multiple_of(*t))?;
    let rest = lengths(length / first, count)?;
    let further = rest.into_iter().map(|(taps, apart)| (taps, apart * first));
    Some([(first, 1)].into_iter().chain(further).collect())
}

impl Lowering<'_> {
    /// Sums windows and multiplies by a factor.
    pub(super) fn window_sum(
        &mut self,
        input: Tensor,
        output: Tensor,
        stages: &[[Window; 2]],
        factor: f64,
    ) -> Result<(), Problem> {
        let (mut from, mut factor) = (input, factor);
        for (i, stage) in stages.iter().enumerate() {
            let to = if i + 1 == stages.len() {
                output
            } else {
                let dims = self.tensors.dims(from).to_vec();
                let elements = self.tensors.elements(from);
                self.tensors.add(elements, windowed(&dims, stage))
            };
            self.stage(from, to, *stage, factor)?;
            (from, factor) = (to, 1.0);
        }
        Ok(())
    }

    fn stage(
        &mut self,
        input: Tensor,
        output: Tensor,
        windows: [Window; 2],
        factor: f64,
    ) -> Result<(), Problem> {
        let dims = self.tensors.dims(input).to_vec();
        let Some((column, windows)) = form(&dims, &windows) else {
            return self.equal_taps(input, output, windows, factor);
        };
        let image = self.tensors.reshape(input, &column);
        let summed = windowed(&column, &windows);
        if summed == self.tensors.dims(output) {
            return self.equal_taps(image, output, windows, factor);
        }
        let elements = self.tensors.elements(input);
        let sum = self.tensors.add(elements, summed);
        self.equal_taps(image, sum, windows, factor)?;
        self.tensors.push_reshape(sum, output);
        Ok(())
    }

    /// A depthwise convolution whose weights all equal the factor.
    fn equal_taps(
        &mut self,
        input: Tensor,
        output: Tensor,
        windows: [Window; 2],
        factor: f64,
    ) -> Result<(), Problem> {
        let dims = self.tensors.dims(input);
        let channels = dims.last().and_then(Dim::as_const);
        let channels = channels.ok_or("channels are not known")? as usize;
        let [h, w] = windows.map(|w| w.kernel as usize);
        let shape: Shape = [0, 3, 1, 2].into_iter().map(|i| dims[i].clone()).collect();
        let filter = weights::splat(DType::F32, &[1, h, w, channels], factor);
        let conv = Depthwise {
            windows,
            filter: &filter,
            bias: None,
            clamp: None,
        };
        self.depthwise(&conv, &shape, input, output)
    }
}

/// `[n, h, w, c]` as an image of one column, along its height or its width.
fn column(dims: &[Dim], along_height: bool) -> Vec<Dim> {
    let [n, h, w, c] = [0, 1, 2, 3].map(|i| dims[i].clone());
    if along_height {
        vec![n, h, 1.into(), w * c]
    } else {
        vec![n * h, w, 1.into(), c]
    }
}

fn windowed(dims: &[Dim], [h, w]: &[Window; 2]) -> Vec<Dim> {
    let [n, height, width, c] = [0, 1, 2, 3].map(|i| dims[i].clone());
    vec![n, out_size(&height, h), out_size(&width, w), c]
}

/// As [`windowed`], of `[n, c, ..]`.
fn seen(shape: &Shape, stage: &[Window; 2]) -> Shape {
    let mut sizes = shape.to_vec();
    for (size, window) in sizes.iter_mut().skip(2).zip(stage) {
        *size = out_size(size, window);
    }
    sizes.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each place of a window is counted.
    fn counts(length: u32, count: Count) -> Option<Vec<u32>> {
        let mut counts = vec![1];
        for (taps, apart) in lengths(length, count)? {
            let mut next = vec![0; counts.len() + ((taps - 1) * apart) as usize];
            for tap in 0..taps {
                for (i, n) in counts.iter().enumerate() {
                    next[i + (tap * apart) as usize] += n;
                }
            }
            counts = next;
        }
        Some(counts)
    }

    #[test]
    fn a_window_of_one_element_is_summed_too() {
        let stages = stages([UNIT, UNIT], Count::Once);
        assert_eq!(stages, Some(vec![[UNIT, UNIT]]));
    }

    #[test]
    fn every_length_is_covered() {
        for length in 1..300 {
            let counts = counts(length, Count::Any).unwrap();
            assert_eq!(counts.len(), length as usize);
            assert!(counts.iter().all(|&n| n > 0), "{length}: {counts:?}");
        }
    }

    #[test]
    fn what_is_counted_once_is_no_prime_but_some() {
        for length in 1..300 {
            if let Some(counts) = counts(length, Count::Once) {
                assert_eq!(counts, vec![1; length as usize]);
            }
        }
        let exact: Vec<u32> = (1..20)
            .filter(|&n| lengths(n, Count::Once).is_some())
            .collect();
        assert_eq!(exact, [1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 18]);
    }
}
