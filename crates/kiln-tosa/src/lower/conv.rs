//! Convolutions, channels last.
//!
//! A 1-D convolution is one over an image of width 1. Each group becomes a convolution of its own: one SLICE before
//! them per group, one CONCAT behind them. A convolution with as many groups as channels is a depthwise convolution.

use super::bias::Bias;
use super::weights::Weight;
use super::{Lowering, window::Axis};
use crate::dialect::{Conv, Slice, TensorId, TosaDtype, TosaOp, TransposeConv};
use kiln_ir::graph::Node;
use kiln_ir::{Scalar, TensorData, ValueId, ops};
use kiln_transforms::analysis::constants::constant_of;
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;
use std::ops::Range;

/// The accumulator's type for operands of a type.
pub(crate) fn accumulator(dtype: TosaDtype) -> TosaDtype {
    match dtype {
        TosaDtype::I8 => TosaDtype::I32,
        TosaDtype::I16 => TosaDtype::I48,
        _ => TosaDtype::F32,
    }
}

/// What is done to the sums of a range of output channels before they are joined or reshaped. Sums of 48 bits can only
/// be rescaled, so this rescales them.
pub(crate) type Finish<'f> =
    &'f dyn Fn(&mut Lowering<'_, '_>, TensorId, Range<usize>) -> Result<TensorId, Reason>;

/// Leaves the sums as they are: they are the result.
pub(crate) fn as_it_is(
    _: &mut Lowering<'_, '_>,
    sum: TensorId,
    _: Range<usize>,
) -> Result<TensorId, Reason> {
    Ok(sum)
}

/// The most groups of a convolution, each of which becomes operators of its own. Runs of 64 results are joined at once,
/// so that so many results are joined in two steps.
const MAX_GROUPS: usize = 1 << 12;

/// A bias of zeros.
pub(crate) fn zeros(dtype: TosaDtype, len: usize) -> Result<Weight, Reason> {
    let core = super::parts::core_dtype(dtype)?;
    super::parts::check_written("zeros of a bias", &[len])?;
    let zeros = TensorData::splat(core, vec![len], Scalar::Int(0));
    Ok(Weight::Known(zeros))
}

/// A convolution whose operands are ready. The weight has PyTorch's axes.
pub(crate) struct Convolution<'o> {
    pub(crate) op: &'o ops::Conv,
    /// `[O, I / groups, ..]`; for a transposed convolution `[I, O / groups, ..]`.
    pub(crate) weight: Weight,
    pub(crate) bias: Bias,
    pub(crate) zero_points: [i32; 2],
    pub(crate) finish: Finish<'o>,
    /// The index of the first output channel.
    pub(crate) first: usize,
}

impl Lowering<'_, '_> {
    pub(super) fn conv(
        &mut self,
        node: &Node,
        op: &ops::Conv,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let (x, places) = self.dense_operand(node, order)?;
        let outputs =
            super::data::known(&self.graph.ty(node.result()).shape[1], &self.graph.symbols)?;
        let bias = match node.operands.get(2) {
            Some(&bias) => self.weight(bias)?,
            None => zeros(self.parts.dtype(x), outputs)?,
        };
        let weight = self.weight(node.operands[1])?;
        let weight = self.followed(weight, 1, places)?;
        let conv = Convolution {
            op,
            weight,
            bias: Bias::Floats(bias),
            zero_points: [0, 0],
            finish: &as_it_is,
            first: 0,
        };
        self.convolve(x, &conv)
    }

    /// The weight, with the axes that the graph gives it.
    pub(crate) fn weight(&mut self, value: ValueId) -> Result<Weight, Reason> {
        match constant_of(self.graph, value) {
            Some(data) => Ok(Weight::Known(data)),
            None => {
                let rank = self.graph.ty(value).rank();
                Ok(Weight::Made(self.operand(value, &Order::plain(rank))?))
            }
        }
    }

    /// Lowers a convolution whose input is channels last.
    pub(crate) fn convolve(
        &mut self,
        x: TensorId,
        conv: &Convolution<'_>,
    ) -> Result<TensorId, Reason> {
        let groups = usize::try_from(conv.op.groups).unwrap_or(1);
        let mut sizes = conv.weight.sizes(&self.parts);
        if conv.op.spatial() == 1 {
            sizes.push(1);
        }
        let weight = conv.weight.reshaped(&mut self.parts, &sizes)?;
        let conv = Convolution {
            weight,
            bias: conv.bias.clone(),
            ..*conv
        };
        let channels = *self.parts.shape(x).last().unwrap_or(&1);
        if conv.op.transposed {
            return self.by_group(x, &conv, groups, sizes[0], |this, x, conv| {
                this.transposed(x, conv)
            });
        }
        let axes = self.axes(x, &conv, &sizes)?;
        let x = self.fitted(x, &axes)?;
        if groups == channels && axes.len() == 2 {
            return self.depthwise(x, &conv, &axes);
        }
        self.by_group(x, &conv, groups, sizes[0], |this, x, conv| {
            this.dense(x, conv, &axes)
        })
    }

    /// The spatial axes; a 1-D convolution gets a second of size 1.
    fn axes(
        &self,
        x: TensorId,
        conv: &Convolution<'_>,
        weight: &[usize],
    ) -> Result<Vec<Axis>, Reason> {
        let op = conv.op;
        let own = |i: usize| {
            let numbers = [op.stride[i], op.dilation[i], op.pad_low[i], op.pad_high[i]];
            let [stride, dilation, low, high] = numbers.map(|n| usize::try_from(n).ok());
            let (Some(stride), Some(dilation), Some(low), Some(high)) =
                (stride, dilation, low, high)
            else {
                return Err(Reason::new(
                    "paddings and strides are not negative",
                    format!("{numbers:?}"),
                ));
            };
            let size = self.parts.shape(x)[i + 1];
            Ok(Axis {
                size,
                kernel: weight[i + 2],
                stride,
                dilation,
                pad: [low, high],
            })
        };
        let mut axes: Vec<Axis> = (0..op.spatial()).map(own).collect::<Result<_, Reason>>()?;
        if axes.len() == 1 {
            axes.push(Axis::UNIT);
        }
        Ok(axes)
    }

    /// The input without the elements that no window covers.
    pub(crate) fn fitted(&mut self, x: TensorId, axes: &[Axis]) -> Result<TensorId, Reason> {
        let mut size = self.parts.shape(x).to_vec();
        for (i, axis) in axes.iter().enumerate() {
            size[i + 1] = axis.fitted().1;
        }
        if self.parts.shape(x) == size {
            return Ok(x);
        }
        // One SLICE for all axes: an NPU reads the part where it lies, without a copy.
        let start = vec![0; size.len()];
        self.parts.op(TosaOp::Slice(Slice { start, size }), &[x])
    }

    fn attributes<const N: usize>(
        &self,
        x: TensorId,
        conv: &Convolution<'_>,
        axes: &[Axis],
    ) -> Result<Conv<N>, Reason> {
        let own: [Axis; N] = axes.try_into().map_err(|_| {
            Reason::new(
                "a convolution has the axes of its operator",
                axes.len().to_string(),
            )
        })?;
        let [input_zp, weight_zp] = conv.zero_points;
        Ok(Conv {
            pad: own.map(|a| a.fitted().0),
            stride: own.map(|a| a.stride),
            dilation: own.map(|a| a.dilation),
            input_zp,
            weight_zp,
            ..Conv::new(accumulator(self.parts.dtype(x)))
        })
    }

    /// A convolution whose windows lie side by side, as a convolution of stride 1. Each row of windows becomes an
    /// image, and the width of a window becomes channels, which is a reshape if channels are last. Ethos-U otherwise
    /// takes one operator per window for large strides: for 4x4 windows over 224x224, Vela 5.1 estimates 9.5 million
    /// cycles against 0.2 million.
    fn tiled(
        &mut self,
        x: TensorId,
        conv: &Convolution<'_>,
        [high, wide]: [Axis; 2],
    ) -> Result<TensorId, Reason> {
        let [n, _, _, channels] = self.parts.shape(x)[..] else {
            return Err(Reason::new("an image has four axes", "others"));
        };
        let (rows, columns) = (high.size / high.kernel, wide.size / wide.kernel);
        let (outputs, inner) = (conv.weight.sizes(&self.parts)[0], wide.kernel * channels);
        let strips = self
            .parts
            .reshape(x, &[n * rows, high.kernel, columns, inner])?;
        let weight = conv.weight.permuted(&mut self.parts, &[0, 2, 3, 1])?;
        let merged = [outputs, high.kernel, 1, inner];
        let weight = weight
            .reshaped(&mut self.parts, &merged)?
            .tensor(&mut self.parts)?;
        let bias = conv.bias.tensor(&mut self.parts)?;
        let [input_zp, weight_zp] = conv.zero_points;
        let op = Conv {
            input_zp,
            weight_zp,
            ..Conv::new(accumulator(self.parts.dtype(x)))
        };
        let made = self.parts.op(TosaOp::Conv2d(op), &[strips, weight, bias])?;
        let made = self.finish(made, conv)?;
        self.parts.reshape(made, &[n, rows, columns, outputs])
    }

    fn dense(
        &mut self,
        x: TensorId,
        conv: &Convolution<'_>,
        axes: &[Axis],
    ) -> Result<TensorId, Reason> {
        if let [high, wide] = *axes
            && high.is_tiling()
            && wide.is_tiling()
            && high.stride.max(wide.stride) > self.parts.machine().greatest_stride
        {
            return self.tiled(x, conv, [high, wide]);
        }
        let rank = axes.len() + 2;
        let last: Vec<usize> = [0].into_iter().chain(2..rank).chain([1]).collect();
        let weight = conv
            .weight
            .permuted(&mut self.parts, &last)?
            .tensor(&mut self.parts)?;
        let op = match axes.len() {
            2 => TosaOp::Conv2d(self.attributes(x, conv, axes)?),
            _ => TosaOp::Conv3d(self.attributes(x, conv, axes)?),
        };
        let bias = conv.bias.tensor(&mut self.parts)?;
        let sum = self.parts.op(op, &[x, weight, bias])?;
        self.finish(sum, conv)
    }

    /// A depthwise convolution. The weight `[C * M, 1, H, W]` becomes `[H, W, C, M]`.
    pub(super) fn depthwise(
        &mut self,
        x: TensorId,
        conv: &Convolution<'_>,
        axes: &[Axis],
    ) -> Result<TensorId, Reason> {
        let sizes = conv.weight.sizes(&self.parts);
        let channels = *self.parts.shape(x).last().unwrap_or(&1);
        let split = [channels, sizes[0] / channels, sizes[2], sizes[3]];
        let weight = conv.weight.reshaped(&mut self.parts, &split)?;
        let weight = weight
            .permuted(&mut self.parts, &[2, 3, 0, 1])?
            .tensor(&mut self.parts)?;
        let op = TosaOp::DepthwiseConv2d(self.attributes(x, conv, axes)?);
        let bias = conv.bias.tensor(&mut self.parts)?;
        let sum = self.parts.op(op, &[x, weight, bias])?;
        self.finish(sum, conv)
    }

    fn transposed(&mut self, x: TensorId, conv: &Convolution<'_>) -> Result<TensorId, Reason> {
        let op = conv.op;
        if op.spatial() > 2 {
            return Err(Reason::new(
                "a transposed convolution is of an image",
                format!("one over {} axes", op.spatial()),
            ));
        }
        let out = |i: usize| -> [i32; 2] {
            let sides = [-op.pad_low[i], op.output_padding[i] - op.pad_high[i]];
            sides.map(|n| n as i32)
        };
        let rows = op.spatial() == 1;
        let [input_zp, weight_zp] = conv.zero_points;
        let attributes = TransposeConv {
            out_pad: [out(0), if rows { [0, 0] } else { out(1) }],
            stride: [
                op.stride[0] as usize,
                if rows { 1 } else { op.stride[1] as usize },
            ],
            acc: accumulator(self.parts.dtype(x)),
            input_zp,
            weight_zp,
            local_bound: false,
        };
        let mut weight = conv.weight.clone();
        for (i, &dilation) in op.dilation.iter().enumerate().filter(|(_, d)| **d > 1) {
            weight = weight.spread(i + 2, dilation as usize, weight_zp.into())?;
        }
        let weight = weight
            .permuted(&mut self.parts, &[1, 2, 3, 0])?
            .tensor(&mut self.parts)?;
        let op = TosaOp::TransposeConv2d(attributes);
        let bias = conv.bias.tensor(&mut self.parts)?;
        let sum = self.parts.op(op, &[x, weight, bias])?;
        self.finish(sum, conv)
    }

    fn finish(&mut self, sum: TensorId, conv: &Convolution<'_>) -> Result<TensorId, Reason> {
        let outputs = conv.bias.len(&self.parts);
        (conv.finish)(self, sum, conv.first..conv.first + outputs)
    }

    /// Lowers each group by itself, with its slices of input, weight and bias, and joins the results along the
    /// channels.
    fn by_group(
        &mut self,
        x: TensorId,
        conv: &Convolution<'_>,
        groups: usize,
        rows: usize,
        mut convolve: impl FnMut(&mut Self, TensorId, &Convolution<'_>) -> Result<TensorId, Reason>,
    ) -> Result<TensorId, Reason> {
        if groups <= 1 {
            return convolve(self, x, conv);
        }
        if groups > MAX_GROUPS {
            let rule = format!("at most {MAX_GROUPS} groups are convolved one by one");
            return Err(Reason::new(rule, groups.to_string()));
        }
        let axis = self.parts.shape(x).len() - 1;
        let (channels, outputs) = (
            self.parts.shape(x)[axis] / groups,
            conv.bias.len(&self.parts) / groups,
        );
        let mut made = Vec::with_capacity(groups);
        for group in 0..groups {
            let part = self.parts.part(x, axis, group * channels, channels)?;
            let weight = conv
                .weight
                .rows(&mut self.parts, group * rows / groups, rows / groups)?;
            let bias = conv.bias.rows(&mut self.parts, group * outputs, outputs)?;
            made.push(convolve(
                self,
                part,
                &Convolution {
                    weight,
                    bias,
                    first: group * outputs,
                    ..*conv
                },
            )?);
        }
        self.join(&made, axis)
    }
}
