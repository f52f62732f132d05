//! Resizing: samples at other sizes.
//!
//! TOSA samples at `(i * d + offset) / n` with integers `d`, `offset` and `n`. PyTorch computes the positions in
//! floats, which nearly always are a ratio of small integers. If they are not, or if TOSA would round them to other
//! neighbours, nearest samples are gathered one by one, and linear samples are left to their decomposition into
//! products.

use super::Lowering;
use crate::dialect::{Resize, ResizeMode, TensorId, TosaOp};
use kiln_ir::graph::Node;
use kiln_ir::ops;
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

/// The greatest numerator of RESIZE (TOSA 1.0: `scale_n <= 1 << 11`).
const MOST: u64 = 1 << 11;

/// The greatest size that RESIZE reads or writes (TOSA 1.0: sizes are below 16384).
const MAX_SAMPLES: usize = (1 << 14) - 1;

/// One axis of a resize.
#[derive(Clone, Copy, Debug)]
struct Axis {
    from: usize,
    to: usize,
    /// The scale factor that the user gave, if any.
    scale: Option<f64>,
    align_corners: bool,
}

/// RESIZE's integers for one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    n: i32,
    d: i32,
    offset: i32,
}

impl Numbers {
    const SAME: Numbers = Numbers {
        n: 1,
        d: 1,
        offset: 0,
    };

    /// The position of sample `i` rounded down, and the numerator of the rest.
    fn place(self, i: usize) -> (i64, i64) {
        let at = i as i64 * i64::from(self.d) + i64::from(self.offset);
        (at.div_euclid(self.n.into()), at.rem_euclid(self.n.into()))
    }

    fn nearest(self, i: usize, from: usize) -> usize {
        let (index, rest) = self.place(i);
        let nearest = index + i64::from(2 * rest >= i64::from(self.n));
        nearest.clamp(0, from as i64 - 1) as usize
    }

    /// What the border adds to the input's size, so that there are as many samples as asked for.
    fn border(self, from: usize, to: usize) -> i64 {
        (to as i64 - 1) * i64::from(self.d) + i64::from(self.offset)
            - (from as i64 - 1) * i64::from(self.n)
    }

    fn is_allowed(self, from: usize, to: usize) -> bool {
        if from.max(to) > MAX_SAMPLES {
            return false;
        }
        let (n, d, offset) = (i64::from(self.n), i64::from(self.d), i64::from(self.offset));
        let border = self.border(from, to);
        n <= MOST as i64
            && d < 16 * n
            && (-n..16 * n).contains(&offset)
            && (-16 * n..n).contains(&border)
    }
}

impl Axis {
    /// The distance between neighbouring samples.
    fn ratio(&self) -> Option<(u64, u64)> {
        if self.align_corners {
            let steps = |n: usize| n.saturating_sub(1) as u64;
            return if self.to > 1 {
                reduced(steps(self.from), steps(self.to))
            } else {
                Some((0, 1))
            };
        }
        match self.scale.filter(|&s| s > 0.0) {
            Some(scale) => fraction(1.0 / scale),
            None => reduced(self.from as u64, self.to as u64),
        }
    }

    fn place(&self, i: usize) -> f64 {
        let ratio = match self.scale.filter(|&s| s > 0.0) {
            Some(scale) => 1.0 / scale,
            None => self.from as f64 / self.to as f64,
        };
        match (self.align_corners, self.to) {
            (true, 0 | 1) => 0.0,
            (true, to) => i as f64 * (self.from - 1) as f64 / (to - 1) as f64,
            (false, _) => (i as f64 + 0.5) * ratio - 0.5,
        }
    }

    /// PyTorch's nearest sample: the position rounded down, in PyTorch's arithmetic.
    fn nearest(&self, i: usize) -> usize {
        if self.to == self.from {
            return i;
        }
        if self.from * 2 == self.to {
            return i / 2;
        }
        let ratio = match self.scale.filter(|&s| s > 0.0) {
            Some(scale) => (1.0 / scale) as f32,
            None => self.from as f32 / self.to as f32,
        };
        ((i as f32 * ratio).floor() as usize).min(self.from - 1)
    }

    /// The integers for which RESIZE picks PyTorch's nearest samples, if there are any.
    ///
    /// PyTorch's sample `i` is element `floor(i * p / q)`. TOSA rounds a position to the nearest element, halves up. If
    /// a size is a multiple of the other, the centres of the samples, `(i + 1/2) * p / q - 1/2`, round to the same
    /// elements; these integers are preferred, since Vela takes no others on Ethos-U55 and U65. For other ratios,
    /// positions half a step less than `i * p / q` round to the element below. Every sample is checked before the
    /// integers are taken.
    fn nearest_numbers(&self) -> Option<Numbers> {
        if self.to == self.from {
            return Some(Numbers::SAME);
        }
        let (p, q) = Axis {
            align_corners: false,
            ..*self
        }
        .ratio()?;
        let (n, d) = (i32::try_from(2 * q).ok()?, i32::try_from(2 * p).ok()?);
        let offsets = [d / 2 - n / 2, -(n / 2)];
        let mut numbers = offsets.map(|offset| Numbers { n, d, offset }).into_iter();
        numbers
            .find(|&numbers| numbers.is_allowed(self.from, self.to) && self.picks_nearest(numbers))
    }

    fn picks_nearest(&self, numbers: Numbers) -> bool {
        (0..self.to).all(|i| numbers.nearest(i, self.from) == self.nearest(i))
    }

    /// The integers for PyTorch's positions of linear samples.
    fn linear_numbers(&self) -> Option<Numbers> {
        if self.to == self.from {
            return Some(Numbers::SAME);
        }
        let (p, q) = self.ratio()?;
        let (p, q) = (i32::try_from(p).ok()?, i32::try_from(q).ok()?);
        let numbers = match self.align_corners {
            true => Numbers {
                n: q,
                d: p.max(1),
                offset: 0,
            },
            false => Numbers {
                n: q.checked_mul(2)?,
                d: p.checked_mul(2)?,
                offset: p - q,
            },
        };
        let is_near = |i: usize| {
            let (index, rest) = numbers.place(i);
            let place = index as f64 + rest as f64 / f64::from(numbers.n);
            (place.max(0.0) - self.place(i).max(0.0)).abs() <= 1e-6 * self.from as f64
        };
        let fits = numbers.is_allowed(self.from, self.to) && (0..self.to).all(is_near);
        fits.then_some(numbers)
    }
}

fn reduced(p: u64, q: u64) -> Option<(u64, u64)> {
    let (mut a, mut b) = (p, q);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (a != 0).then(|| (p / a, q / a))
}

/// The ratio of small integers that is equal to a float.
fn fraction(x: f64) -> Option<(u64, u64)> {
    let candidates = (1..=MOST).map(|q| ((x * q as f64).round(), q));
    let mut exact =
        candidates.filter(|&(p, q)| p > 0.0 && (x - p / q as f64).abs() <= 1e-12 * x.abs());
    exact.next().map(|(p, q)| (p as u64, q))
}

impl Lowering<'_, '_> {
    pub(super) fn resize(
        &mut self,
        node: &Node,
        op: &ops::Resize,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        if op.output.len() > 2 {
            return Err(Reason::new(
                "TOSA samples images",
                format!("{} spatial axes", op.output.len()),
            ));
        }
        let x = self.operand(node.operands[0], order)?;
        let axes = self.resize_axes(node, op)?;
        match op.mode {
            ops::ResizeMode::Nearest => match axes.map(|a| a.nearest_numbers()) {
                [Some(y), Some(x_numbers)] => {
                    self.sample(x, ResizeMode::Nearest, &axes, [y, x_numbers])
                }
                _ => {
                    let axes = axes.iter().enumerate();
                    let mut sampled = axes.filter(|(_, axis)| axis.to != axis.from);
                    sampled.try_fold(x, |x, (i, axis)| {
                        self.pick(x, i + 1, axis.to, |i| axis.nearest(i))
                    })
                }
            },
            ops::ResizeMode::Linear => match axes.map(|a| a.linear_numbers()) {
                [Some(y), Some(x_numbers)] => {
                    self.sample(x, ResizeMode::Bilinear, &axes, [y, x_numbers])
                }
                _ => Err(Reason::new(
                    "TOSA samples at places of small whole numbers",
                    format!("{axes:?}"),
                )),
            },
            ops::ResizeMode::Cubic => Err(Reason::new("TOSA samples nearest or linear", "cubic")),
        }
    }

    fn resize_axes(&self, node: &Node, op: &ops::Resize) -> Result<[Axis; 2], Reason> {
        let mut axes = [Axis {
            from: 1,
            to: 1,
            scale: None,
            align_corners: false,
        }; 2];
        for (i, to) in op.output.iter().enumerate() {
            let from = super::data::known(
                &self.graph.ty(node.operands[0]).shape[i + 2],
                &self.graph.symbols,
            )?;
            let (to, scale) = (
                super::data::known(to, &self.graph.symbols)?,
                op.scales.get(i).copied().flatten(),
            );
            axes[i] = Axis {
                from,
                to,
                scale,
                align_corners: op.align_corners,
            };
        }
        Ok(axes)
    }

    /// The sum of the weights of a linear sample of integers.
    pub(super) fn resize_unit(&self, node: &Node, op: &ops::Resize) -> Result<f64, Reason> {
        let axes = self.resize_axes(node, op)?;
        let numerators = axes.map(|a| a.linear_numbers().map_or(1.0, |n| f64::from(n.n)));
        Ok(numerators.iter().product())
    }

    fn sample(
        &mut self,
        x: TensorId,
        mode: ResizeMode,
        axes: &[Axis; 2],
        numbers: [Numbers; 2],
    ) -> Result<TensorId, Reason> {
        if numbers == [Numbers::SAME; 2] {
            return Ok(x);
        }
        let border = [0, 1].map(|i| numbers[i].border(axes[i].from, axes[i].to) as i32);
        let resize = Resize {
            mode,
            scale_n: numbers.map(|n| n.n),
            scale_d: numbers.map(|n| n.d),
            offset: numbers.map(|n| n.offset),
            border,
        };
        self.parts.op(TosaOp::Resize(resize), &[x])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_is_the_left_neighbour() {
        for (from, to) in [(2, 4), (3, 7), (5, 3), (8, 12), (7, 7), (1, 6)] {
            let axis = Axis {
                from,
                to,
                scale: None,
                align_corners: false,
            };
            let numbers = axis.nearest_numbers().unwrap();
            assert!(
                (0..to).all(|i| numbers.nearest(i, from) == i * from / to),
                "{from} to {to}"
            );
        }
    }

    #[test]
    fn repeated_elements_are_sampled_at_their_centres() {
        for times in [2, 4, 8] {
            for from in 1..40 {
                let axis = Axis {
                    from,
                    to: times * from,
                    scale: None,
                    align_corners: false,
                };
                let numbers = axis.nearest_numbers().unwrap();
                let half = times as i32 - 1;
                assert_eq!(numbers.offset, -half, "{times} times {from}");
                assert_eq!(numbers.border(from, axis.to), i64::from(half));
                assert!((0..axis.to).all(|i| numbers.nearest(i, from) == i / times));
            }
        }
    }

    #[test]
    fn factors_are_fractions() {
        assert_eq!(fraction(1.0 / 2.5), Some((2, 5)));
        assert_eq!(fraction(1.0 / 3.0), Some((1, 3)));
        assert_eq!(fraction(std::f64::consts::PI / 4.0), None);
    }
}
