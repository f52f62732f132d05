//! The operators of a payload.

use super::super::graph::ValueId;
use super::super::node::{
    BinaryOp, Clamp, ConvKind, ConvParams, Padding2d, PoolKind, PoolParams, UnaryOp, XnnNode, XnnOp,
};
use super::{Encoder, fb, optional, unless_zero};
use planus::WriteAsUnion;

impl<'a> Encoder<'a> {
    pub(super) fn node(&mut self, node: &'a XnnNode) -> planus::Offset<fb::XNode> {
        let min_max = |clamp: Clamp| fb::OutputMinMax {
            output_min: unless_zero(clamp.min),
            output_max: unless_zero(clamp.max),
        };
        let union = self.op(&node.op);
        let clamp = node.clamp.map(min_max);
        fb::XNode::create(&mut self.builder, union, node.debug_handle, clamp)
    }

    fn op(&mut self, op: &'a XnnOp) -> planus::UnionOffset<fb::XNodeUnion> {
        use fb::XNodeUnion as U;
        let union = match op {
            &XnnOp::Unary {
                op,
                input,
                output,
                flags,
            } => unary(op, node1(input, output, flags)),
            &XnnOp::Softmax {
                input,
                output,
                flags,
            } => U::Softmax(node1(input, output, flags)),
            &XnnOp::GlobalAveragePool {
                input,
                output,
                flags,
            } => U::GlobalAvgPooling2d(node1(input, output, flags)),
            &XnnOp::Binary {
                op,
                inputs,
                output,
                flags,
            } => binary(op, node2(inputs, output, flags)),
            &XnnOp::BatchMatMul {
                inputs,
                output,
                flags,
            } => U::BatchMatrixMultiply(node2(inputs, output, flags)),
            &XnnOp::Elu {
                alpha,
                input,
                output,
                flags,
            } => elu(alpha, input, output, flags),
            &XnnOp::LeakyRelu {
                negative_slope,
                input,
                output,
                flags,
            } => leaky_relu(negative_slope, input, output, flags),
            &XnnOp::FullyConnected {
                input,
                filter,
                bias,
                output,
                flags,
            } => fully_connected([input, filter], bias, output, flags),
            &XnnOp::Conv {
                kind,
                ref params,
                input,
                filter,
                bias,
                output,
                flags,
            } => conv(kind, params, [input, filter], bias, output, flags),
            &XnnOp::Pool {
                kind,
                ref params,
                input,
                output,
                flags,
            } => pool(kind, params, input, output, flags),
            &XnnOp::ArgMaxPool {
                padding,
                kernel,
                input,
                output,
                output_index,
                flags,
            } => arg_max_pool(padding, kernel, input, [output, output_index], flags),
            &XnnOp::ResizeBilinear {
                size,
                input,
                output,
                flags,
            } => resize_bilinear(size, input, output, flags),
            XnnOp::Reshape {
                shape,
                input,
                output,
                flags,
            } => return self.reshape(shape, [*input, *output], *flags),
            XnnOp::Transpose {
                perm,
                input,
                output,
                flags,
            } => return self.transpose(perm, [*input, *output], *flags),
            XnnOp::Slice {
                offsets,
                sizes,
                input,
                output,
                flags,
            } => return self.slice([offsets, sizes], [*input, *output], *flags),
            XnnOp::ConstantPad {
                before,
                after,
                value,
                input,
                output,
                flags,
            } => return self.constant_pad([before, after], *value, [*input, *output], *flags),
            XnnOp::Concat {
                axis,
                inputs,
                output,
                flags,
            } => concat(*axis, inputs, *output, *flags),
            &XnnOp::Attention {
                query,
                key,
                value,
                scale,
                mask,
                output,
                flags,
            } => attention([query, key, value, scale, mask], output, flags),
        };
        WriteAsUnion::prepare(&union, &mut self.builder)
    }

    fn reshape(
        &mut self,
        shape: &'a [u32],
        [input, output]: [ValueId; 2],
        flags: u32,
    ) -> planus::UnionOffset<fb::XNodeUnion> {
        let list = self.list(shape);
        let (builder, rank) = (&mut self.builder, shape.len() as u32);
        let node = fb::NodeReshape::create(builder, rank, list, input.0, output.0, flags);
        fb::XNodeUnion::create_static_reshape(builder, node)
    }

    fn transpose(
        &mut self,
        perm: &'a [u32],
        [input, output]: [ValueId; 2],
        flags: u32,
    ) -> planus::UnionOffset<fb::XNodeUnion> {
        let list = self.list(perm);
        let (builder, rank) = (&mut self.builder, perm.len() as u32);
        let node = fb::NodeTranspose::create(builder, rank, list, input.0, output.0, flags);
        fb::XNodeUnion::create_static_transpose(builder, node)
    }

    fn slice(
        &mut self,
        lists: [&'a [u32]; 2],
        [input, output]: [ValueId; 2],
        flags: u32,
    ) -> planus::UnionOffset<fb::XNodeUnion> {
        let [offsets, sizes] = lists.map(|list| self.list(list));
        let (builder, rank) = (&mut self.builder, lists[0].len() as u32);
        let node = fb::NodeSlice::create(builder, rank, offsets, sizes, input.0, output.0, flags);
        fb::XNodeUnion::create_static_slice(builder, node)
    }

    fn constant_pad(
        &mut self,
        lists: [&'a [u32]; 2],
        value: f32,
        [input, output]: [ValueId; 2],
        flags: u32,
    ) -> planus::UnionOffset<fb::XNodeUnion> {
        let [before, after] = lists.map(|list| self.list(list));
        let (builder, value) = (&mut self.builder, unless_zero(value));
        let node =
            fb::NodeConstantPad::create(builder, before, after, value, input.0, output.0, flags);
        fb::XNodeUnion::create_static_constant_pad(builder, node)
    }
}

fn node1(input: ValueId, output: ValueId, flags: u32) -> Box<fb::Node1x1> {
    Box::new(fb::Node1x1 {
        input_id: input.0,
        output_id: output.0,
        flags,
    })
}

fn node2(inputs: [ValueId; 2], output: ValueId, flags: u32) -> Box<fb::Node2x1> {
    let [a, b] = inputs;
    Box::new(fb::Node2x1 {
        input1_id: a.0,
        input2_id: b.0,
        output_id: output.0,
        flags,
    })
}

fn unary(op: UnaryOp, node: Box<fb::Node1x1>) -> fb::XNodeUnion {
    use fb::XNodeUnion as U;
    let variant = match op {
        UnaryOp::Abs => U::Abs,
        UnaryOp::Ceiling => U::Ceiling,
        UnaryOp::Clamp => U::Clamp,
        UnaryOp::Convert => U::Convert,
        UnaryOp::Copy => U::Copy,
        UnaryOp::Cos => U::Cos,
        UnaryOp::Exp => U::Exp,
        UnaryOp::Floor => U::Floor,
        UnaryOp::Gelu => U::Gelu,
        UnaryOp::Hardswish => U::Hardswish,
        UnaryOp::Log => U::Log,
        UnaryOp::Negate => U::Negate,
        UnaryOp::ReciprocalSquareRoot => U::ReciprocalSquareRoot,
        UnaryOp::Sigmoid => U::Sigmoid,
        UnaryOp::Sin => U::Sin,
        UnaryOp::Square => U::Square,
        UnaryOp::SquareRoot => U::SquareRoot,
        UnaryOp::Tanh => U::Tanh,
    };
    variant(node)
}

fn binary(op: BinaryOp, node: Box<fb::Node2x1>) -> fb::XNodeUnion {
    use fb::XNodeUnion as U;
    let variant = match op {
        BinaryOp::Add => U::Add,
        BinaryOp::Subtract => U::Subtract,
        BinaryOp::Multiply => U::Multiply,
        BinaryOp::Divide => U::Div,
        BinaryOp::Minimum => U::Minimum,
        BinaryOp::Maximum => U::Maximum,
        BinaryOp::PRelu => U::PReLu,
    };
    variant(node)
}

fn elu(alpha: f32, input: ValueId, output: ValueId, flags: u32) -> fb::XNodeUnion {
    fb::XNodeUnion::Elu(Box::new(fb::NodeElu {
        alpha: unless_zero(alpha),
        input_id: input.0,
        output_id: output.0,
        flags,
    }))
}

fn leaky_relu(negative_slope: f32, input: ValueId, output: ValueId, flags: u32) -> fb::XNodeUnion {
    fb::XNodeUnion::LeakyReLu(Box::new(fb::NodeLeakyRelu {
        negative_slope: unless_zero(negative_slope),
        input_id: input.0,
        output_id: output.0,
        flags,
    }))
}

fn fully_connected(
    [input, filter]: [ValueId; 2],
    bias: Option<ValueId>,
    output: ValueId,
    flags: u32,
) -> fb::XNodeUnion {
    fb::XNodeUnion::FullyConnected(Box::new(fb::NodeFullyConnected {
        input1_id: input.0,
        filter_id: filter.0,
        bias_id: optional(bias),
        output_id: output.0,
        flags,
    }))
}

fn conv(
    kind: ConvKind,
    params: &ConvParams,
    [input, filter]: [ValueId; 2],
    bias: Option<ValueId>,
    output: ValueId,
    flags: u32,
) -> fb::XNodeUnion {
    let node = Box::new(fb::NodeConv {
        padding_top: params.padding.top,
        padding_right: params.padding.right,
        padding_bottom: params.padding.bottom,
        padding_left: params.padding.left,
        kernel_height: params.kernel[0],
        kernel_width: params.kernel[1],
        subsampling_height: params.stride[0],
        subsampling_width: params.stride[1],
        dilation_height: params.dilation[0],
        dilation_width: params.dilation[1],
        group_input_channels: params.group_input_channels,
        group_output_channels: params.group_output_channels,
        groups: params.groups,
        adjustment_height: params.adjustment[0],
        adjustment_width: params.adjustment[1],
        input1_id: input.0,
        filter_id: filter.0,
        bias_id: optional(bias),
        output_id: output.0,
        flags,
    });
    match kind {
        ConvKind::Conv2d => fb::XNodeUnion::Conv2d(node),
        ConvKind::Depthwise => fb::XNodeUnion::DepthwiseConv2d(node),
        ConvKind::Transposed => fb::XNodeUnion::ConvTranspose2d(node),
    }
}

fn pool(
    kind: PoolKind,
    params: &PoolParams,
    input: ValueId,
    output: ValueId,
    flags: u32,
) -> fb::XNodeUnion {
    let node = Box::new(fb::NodePool {
        padding_top: params.padding.top,
        padding_right: params.padding.right,
        padding_bottom: params.padding.bottom,
        padding_left: params.padding.left,
        pooling_height: params.kernel[0],
        pooling_width: params.kernel[1],
        stride_height: params.stride[0],
        stride_width: params.stride[1],
        dilation_height: params.dilation[0],
        dilation_width: params.dilation[1],
        input_id: input.0,
        output_id: output.0,
        flags,
    });
    match kind {
        PoolKind::Max => fb::XNodeUnion::MaxPooling2d(node),
        PoolKind::Average => fb::XNodeUnion::AvgPooling2d(node),
    }
}

fn arg_max_pool(
    padding: Padding2d,
    [pooling_height, pooling_width]: [u32; 2],
    input: ValueId,
    [output, index]: [ValueId; 2],
    flags: u32,
) -> fb::XNodeUnion {
    fb::XNodeUnion::ArgMaxPooling2d(Box::new(fb::NodeArgMaxPool {
        padding_top: padding.top,
        padding_right: padding.right,
        padding_bottom: padding.bottom,
        padding_left: padding.left,
        pooling_height,
        pooling_width,
        input_id: input.0,
        output_value_id: output.0,
        output_index_id: index.0,
        flags,
    }))
}

fn resize_bilinear(
    [new_height, new_width]: [u32; 2],
    input: ValueId,
    output: ValueId,
    flags: u32,
) -> fb::XNodeUnion {
    fb::XNodeUnion::StaticResizeBilinear2D(Box::new(fb::NodeResizeBilinear {
        new_height,
        new_width,
        input_id: input.0,
        output_id: output.0,
        flags,
    }))
}

fn concat(axis: u32, inputs: &[ValueId], output: ValueId, flags: u32) -> fb::XNodeUnion {
    let input = |i: usize| optional(inputs.get(i).copied());
    let node = Box::new(fb::NodeConcat {
        axis,
        input1_id: input(0),
        input2_id: input(1),
        input3_id: input(2),
        input4_id: input(3),
        output_id: output.0,
        flags,
        input5_id: input(4),
    });
    match inputs.len() {
        ..=2 => fb::XNodeUnion::Concatenate2(node),
        3 => fb::XNodeUnion::Concatenate3(node),
        4 => fb::XNodeUnion::Concatenate4(node),
        5.. => fb::XNodeUnion::Concatenate5(node),
    }
}

fn attention(
    [query, key, value, scale, mask]: [ValueId; 5],
    output: ValueId,
    flags: u32,
) -> fb::XNodeUnion {
    fb::XNodeUnion::ScaledDotProductAttention(Box::new(fb::NodeAttention {
        query_id: query.0,
        key_id: key.0,
        value_id: value.0,
        scale_id: scale.0,
        mask_id: mask.0,
        output_id: output.0,
        flags,
    }))
}
