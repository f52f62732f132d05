//! Pools, channels last.
//!
//! TOSA's averages do not count padding. Padding that counts is added before by a PAD. What ceil mode adds behind the
//! padding never counts, in TOSA as in PyTorch. A dilated maximum is one over the elements of a window, axis by axis.

use super::Lowering;
use crate::dialect::{AvgPool, MaxPool, NanMode, TensorId, TosaDtype, TosaOp};
use kiln_ir::Scalar;
use kiln_ir::graph::Node;
use kiln_ir::ops::{self, BinaryFn, PoolFn};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

/// The greatest window, `MAX_KERNEL` (TOSA 1.0, level 8K).
const MAX_TAPS: usize = 8192;

/// One spatial axis: its size, and the window's size, stride, dilation and padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) size: usize,
    pub(crate) kernel: usize,
    pub(crate) stride: usize,
    pub(crate) dilation: usize,
    pub(crate) pad: [usize; 2],
}

impl Axis {
    /// The axis of size 1 with a window of 1: the width of a 1-D op.
    pub(crate) const UNIT: Axis = Axis {
        size: 1,
        kernel: 1,
        stride: 1,
        dilation: 1,
        pad: [0; 2],
    };

    fn extent(&self) -> usize {
        (self.kernel - 1) * self.dilation + 1
    }

    /// The padding, and the size of the input without the elements behind the last window: TOSA wants the last window
    /// to end at the very end.
    pub(crate) fn fitted(&self) -> ([usize; 2], usize) {
        let padded = self.size + self.pad[0] + self.pad[1];
        let unseen = padded.saturating_sub(self.extent()) % self.stride;
        let less = unseen.min(self.pad[1]);
        (
            [self.pad[0], self.pad[1] - less],
            self.size - (unseen - less),
        )
    }

    /// The number of the input's elements that each window covers.
    pub(crate) fn seen(&self) -> impl Iterator<Item = usize> {
        let Axis {
            size,
            kernel,
            stride,
            pad,
            ..
        } = *self;
        (0..self.windows()).map(move |i| {
            let (start, end) = (i * stride, i * stride + kernel);
            end.min(pad[0] + size).saturating_sub(start.max(pad[0]))
        })
    }

    /// True if windows lie side by side and cover the axis.
    pub(crate) fn is_tiling(&self) -> bool {
        let is_whole = self.size.is_multiple_of(self.kernel);
        is_whole && self.stride == self.kernel && self.dilation == 1 && self.pad == [0; 2]
    }

    /// The number of windows.
    pub(crate) fn windows(&self) -> usize {
        (self.size + self.pad[0] + self.pad[1]).saturating_sub(self.extent()) / self.stride + 1
    }
}

impl Lowering<'_, '_> {
    pub(super) fn pool(
        &mut self,
        node: &Node,
        op: &ops::Pool,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        if op.spatial() > 2 {
            return Err(Reason::new(
                "TOSA pools images",
                format!("{} spatial axes", op.spatial()),
            ));
        }
        let x = self.operand(node.operands[0], order)?;
        let axes = self.pool_axes(node, op)?;
        match op.f {
            PoolFn::Max => self.max_pool(x, &axes),
            PoolFn::Avg {
                count_include_pad,
                divisor,
            } => {
                let count = (count_include_pad, divisor);
                self.average(x, op, axes, count)
            }
            PoolFn::MaxWithIndices => Err(Reason::new(
                "TOSA's pools give no positions",
                "indices of the maxima",
            )),
        }
    }

    /// The axes of height and width, with the padding that ceil mode adds.
    pub(super) fn pool_axes(&self, node: &Node, op: &ops::Pool) -> Result<[Axis; 2], Reason> {
        let mut axes = [Axis::UNIT; 2];
        for (i, axis) in axes.iter_mut().enumerate().take(op.spatial()) {
            let size = super::data::known(
                &self.graph.ty(node.operands[0]).shape[i + 2],
                &self.graph.symbols,
            )?;
            let windows = super::data::known(
                &self.graph.ty(node.result()).shape[i + 2],
                &self.graph.symbols,
            )?;
            let numbers = [
                op.kernel[i],
                op.stride[i],
                op.dilation[i],
                op.pad_low[i],
                op.pad_high[i],
            ];
            if numbers.iter().any(|&n| n < 0) {
                return Err(Reason::new(
                    "paddings are not negative",
                    format!("{numbers:?}"),
                ));
            }
            let [kernel, stride, dilation, low, high] = numbers.map(|n| n as usize);
            *axis = Axis {
                size,
                kernel,
                stride,
                dilation,
                pad: [low, high],
            };
            let seen = (windows - 1) * stride + axis.extent();
            if op.ceil {
                axis.pad[1] = seen.saturating_sub(size + low);
            }
        }
        Ok(axes)
    }

    fn max_pool(&mut self, x: TensorId, axes: &[Axis; 2]) -> Result<TensorId, Reason> {
        if axes.iter().any(|a| a.dilation > 1) {
            return self.dilated_max(x, axes);
        }
        let x = self.fitted(x, axes)?;
        let pool = MaxPool {
            kernel: axes.map(|a| a.kernel),
            stride: axes.map(|a| a.stride),
            pad: axes.map(|a| a.fitted().0),
            nan_mode: NanMode::Propagate,
        };
        self.parts.op(TosaOp::MaxPool2d(pool), &[x])
    }

    fn dilated_max(&mut self, x: TensorId, axes: &[Axis; 2]) -> Result<TensorId, Reason> {
        let least = match self.parts.dtype(x).int_range() {
            Some((least, _)) => Scalar::Int(least),
            None => Scalar::Float(f64::NEG_INFINITY),
        };
        if let Some(axis) = axes.iter().find(|a| a.kernel > MAX_TAPS) {
            return Err(Reason::new(
                "a dilated window has at most 8192 taps",
                axis.kernel.to_string(),
            ));
        }
        let [high, wide] = axes.map(|a| a.pad);
        let mut greatest = self.padded(x, vec![[0, 0], high, wide, [0, 0]], least)?;
        for (i, axis) in axes.iter().enumerate() {
            let taps = (0..axis.kernel).map(|tap| {
                self.strided(
                    greatest,
                    i + 1,
                    tap * axis.dilation,
                    axis.windows(),
                    axis.stride,
                )
            });
            let taps: Vec<TensorId> = taps.collect::<Result<_, Reason>>()?;
            greatest = taps[1..]
                .iter()
                .try_fold(taps[0], |a, &b| self.two(BinaryFn::Max, a, b))?;
        }
        Ok(greatest)
    }

    fn average(
        &mut self,
        x: TensorId,
        op: &ops::Pool,
        axes: [Axis; 2],
        count: (bool, Option<i64>),
    ) -> Result<TensorId, Reason> {
        let (x, axes) = self.framed(x, op, axes, count, 0)?;
        let mean = self.mean(x, &axes, 0)?;
        let Some(divisor) = count.1 else {
            return Ok(mean);
        };
        let area = (axes[0].kernel * axes[1].kernel) as f64;
        let factor = self.parts.number(mean, area / divisor as f64)?;
        self.parts.op(TosaOp::Mul { shift: 0 }, &[mean, factor])
    }

    /// Adds the padding that counts by a PAD; the axes keep the rest.
    pub(super) fn framed(
        &mut self,
        x: TensorId,
        op: &ops::Pool,
        mut axes: [Axis; 2],
        (count_include_pad, divisor): (bool, Option<i64>),
        zero_point: i32,
    ) -> Result<(TensorId, [Axis; 2]), Reason> {
        if let Some(axis) = axes.iter().find(|a| a.dilation > 1) {
            return Err(Reason::new(
                "averages are of windows without gaps",
                format!("a dilation of {}", axis.dilation),
            ));
        }
        if !count_include_pad && divisor.is_none() {
            return Ok((x, axes));
        }
        // With a divisor all elements count alike, also those behind the padding.
        let mut border = vec![[0, 0]; 4];
        for (i, axis) in axes.iter_mut().enumerate() {
            let high = if i < op.spatial() {
                op.pad_high[i] as usize
            } else {
                0
            };
            let put = if divisor.is_some() {
                axis.pad[1]
            } else {
                high.min(axis.pad[1])
            };
            border[i + 1] = [axis.pad[0], put];
            axis.size += axis.pad[0] + put;
            axis.pad = [0, axis.pad[1] - put];
        }
        let x = self.padded(x, border, Scalar::Int(zero_point.into()))?;
        Ok((x, axes))
    }

    /// TOSA's average of integers, in their own scale and zero point.
    pub(super) fn mean(
        &mut self,
        x: TensorId,
        axes: &[Axis; 2],
        zero_point: i32,
    ) -> Result<TensorId, Reason> {
        let fitted = self.fitted(x, axes)?;
        let pool = AvgPool {
            kernel: axes.map(|a| a.kernel),
            stride: axes.map(|a| a.stride),
            pad: axes.map(|a| a.fitted().0),
            acc: match self.parts.dtype(x).is_int() {
                true => TosaDtype::I32,
                false => TosaDtype::F32,
            },
            input_zp: zero_point,
            output_zp: zero_point,
        };
        self.parts.op(TosaOp::AvgPool2d(pool), &[fitted])
    }
}
