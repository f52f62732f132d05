//! Convolutions, linear layers and products of matrices in floats.

use crate::dialect::Tile;
use crate::dialect::{Convolution, Dtype, FloatConv, FloatMatmul, FloatRange, Function, Matrices};
use crate::lower::conv::{image, permuted};
use crate::lower::parts::{TensorId, dims, int};
use crate::lower::strided::{Walk, repeated};
use crate::lower::transposed::rearranged;
use crate::lower::window::{Axis, tile, unsigned};
use crate::lower::{Lowering, Order};
use kiln_ir::graph::Node;
use kiln_ir::ops;
use kiln_transforms::analysis::constants::constant_of;
use kiln_transforms::framework::target::Reason;

/// The four sizes of an image.
fn quad(sizes: &[usize]) -> Result<[usize; 4], Reason> {
    let found = || Reason::new("an image has four axes", format!("{sizes:?}"));
    sizes.try_into().map_err(|_| found())
}

impl Lowering<'_> {
    pub(super) fn float_conv(
        &mut self,
        node: &Node,
        op: &ops::Conv,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let data = self.known_weight(node)?;
        let [groups] = unsigned([op.groups])?;
        let (x, places) = self.dense_operand(node, order)?;
        self.check_float(x)?;
        let weight = image(&self.followed(data, places)?)?;
        let weight = match op.transposed {
            true => rearranged(&weight, groups)?,
            false => weight,
        };
        let axes = self.float_axes(x, op, weight.sizes())?;
        let [outputs, inputs, height, width] = quad(weight.sizes())?;
        let sizes = self.sizes(node.result(), order)?;
        let channels = quad(self.parts.sizes(x))?[3];
        let is_depthwise = inputs == 1 && groups == channels && channels > 1;
        let (function, axes_of, filter) = match is_depthwise {
            true => (
                Function::KilnDepthwiseConvF32,
                [1, 2, 3, 0],
                [1, height, width, outputs],
            ),
            false => (
                Function::KilnConvolveF32,
                [0, 2, 3, 1],
                [outputs, height, width, inputs],
            ),
        };
        let conv = FloatConv {
            convolution: convolution(op, &axes)?,
            input_dims: dims(quad(self.parts.sizes(x))?)?,
            filter_dims: dims(filter)?,
            output_dims: dims(quad(&sizes)?)?,
        };
        let weight = permuted(&weight, &axes_of)?;
        let weight = self.parts.data("weight", &weight)?;
        let bias = self.vector(node.operands.get(2).copied())?;
        let y = self.parts.temporary(Dtype::F32, &sizes);
        let slots = [Some(x), Some(weight), bias, Some(y)];
        self.parts.call(function, conv, &slots)?;
        Ok(y)
    }

    /// The tensor of a bias, known or computed.
    fn vector(&mut self, value: Option<kiln_ir::ValueId>) -> Result<Option<TensorId>, Reason> {
        value
            .map(|value| self.operand(value, &Order::plain(1)))
            .transpose()
    }

    /// Height and width, each with the padding in front of the windows' image. The padding is negative where a transposed
    /// convolution is cropped.
    fn float_axes(
        &self,
        x: TensorId,
        op: &ops::Conv,
        weight: &[usize],
    ) -> Result<[(Axis, i64); 2], Reason> {
        let spatial = op.spatial().min(2);
        let axes = self.conv_axes(x, op, weight, &vec![0; spatial])?;
        let mut axes = axes.map(|axis| (axis.simplified(), 0));
        for ((axis, padding), &low) in axes[2 - spatial..].iter_mut().zip(&op.pad_low) {
            *padding = match op.transposed {
                true => (axis.dilation * (axis.kernel.max(1) - 1)) as i64 - low,
                false => low,
            };
        }
        Ok(axes)
    }

    pub(super) fn float_linear(&mut self, node: &Node, order: &Order) -> Result<TensorId, Reason> {
        let (x, places) = self.dense_operand(node, order)?;
        self.check_float(x)?;
        let weight = match constant_of(self.graph, node.operands[1]) {
            Some(data) => {
                let data = self.followed(data, places)?;
                self.parts.data("weight", &data)?
            }
            None => self.operand(node.operands[1], &Order::plain(2))?,
        };
        let &[columns, depth] = self.parts.sizes(weight) else {
            return Err(self.no_kernel(node));
        };
        let bias = self.vector(node.operands.get(2).copied())?;
        let sizes = self.sizes(node.result(), order)?;
        let rows = sizes.iter().rev().skip(1).product();
        let product = FloatMatmul {
            matrices: Matrices {
                rows: int(rows)?,
                depth: int(depth)?,
                columns: int(columns)?,
                lhs_row: int(depth)?,
                lhs_column: 1,
                rhs_row: 1,
                rhs_column: int(depth)?,
                range: FloatRange::default(),
            },
            batches: Walk::dense(&[1]).strides()?,
        };
        let y = self.parts.temporary(Dtype::F32, &sizes);
        let slots = [Some(x), Some(weight), bias, Some(y)];
        self.parts.call(Function::KilnMatmulF32, product, &slots)?;
        Ok(y)
    }

    pub(super) fn float_matmul(&mut self, node: &Node) -> Result<TensorId, Reason> {
        let order = Order::plain(self.graph.ty(node.result()).rank());
        let [a, b] = self.operands(node, &order)?[..] else {
            return Err(self.no_kernel(node));
        };
        self.check_float(a)?;
        let sizes = self.sizes(node.result(), &order)?;
        let batch = sizes.len() - 2;
        let (rows, columns) = (sizes[batch], sizes[batch + 1]);
        let depth = self.parts.sizes(a)[batch + 1];
        let steps = [a, b].map(|t| repeated(self.parts.sizes(t))[..batch].to_vec());
        let product = FloatMatmul {
            matrices: Matrices {
                rows: int(rows)?,
                depth: int(depth)?,
                columns: int(columns)?,
                lhs_row: int(depth)?,
                lhs_column: 1,
                rhs_row: int(columns)?,
                rhs_column: 1,
                range: FloatRange::default(),
            },
            batches: Walk::new(&sizes[..batch], [&steps[0], &steps[1]]).strides()?,
        };
        let y = self.parts.temporary(Dtype::F32, &sizes);
        let slots = [Some(a), Some(b), None, Some(y)];
        self.parts.call(Function::KilnMatmulF32, product, &slots)?;
        Ok(y)
    }
}

/// The struct of a convolution. The input of a transposed one lies `stride` apart, and its weight is already turned around.
fn convolution(op: &ops::Conv, axes: &[(Axis, i64); 2]) -> Result<Convolution, Reason> {
    let narrow = |padding: i64| {
        i32::try_from(padding).map_err(|_| Reason::new("paddings fit 32 bits", padding.to_string()))
    };
    let padding = Tile {
        w: narrow(axes[1].1)?,
        h: narrow(axes[0].1)?,
    };
    let axes = axes.map(|(axis, _)| axis);
    let (strides, ones) = (tile(&axes, |axis| axis.stride)?, Tile { w: 1, h: 1 });
    let [stride, upscale] = match op.transposed {
        true => [ones, strides],
        false => [strides, ones],
    };
    Ok(Convolution {
        stride,
        padding,
        dilation: tile(&axes, |axis| axis.dilation)?,
        upscale,
        flipped: false,
        range: FloatRange::default(),
    })
}
