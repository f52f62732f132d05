//! The nodes of a flatbuffer.

use super::NONE;
use super::graph::ValueId;
use super::node::{
    BinaryOp, Clamp, ConvKind, ConvParams, Padding2d, PoolKind, PoolParams, UnaryOp, XnnNode, XnnOp,
};
use super::payload_fb::xnnpack as fb;
use super::read::{Ids, ReadError, dims, required};

/// Reads a node; `ids` has the values by the file's numbers.
pub(super) fn node(ids: &Ids, node: &fb::XNodeRef<'_>) -> Result<XnnNode, ReadError> {
    let clamp = match node.output_min_max()? {
        None => None,
        Some(range) => Some(Clamp {
            min: range.output_min()?.unwrap_or(0.0),
            max: range.output_max()?.unwrap_or(0.0),
        }),
    };
    let op = required("XNode.xnode_union", node.xnode_union()?)?;
    Ok(XnnNode {
        op: op_of(ids, &op)?,
        clamp,
        debug_handle: node.debug_handle()?,
    })
}

fn op_of(ids: &Ids, op: &fb::XNodeUnionRef<'_>) -> Result<XnnOp, ReadError> {
    use fb::XNodeUnionRef as U;
    match op {
        U::Abs(n) => unary(ids, UnaryOp::Abs, n),
        U::Ceiling(n) => unary(ids, UnaryOp::Ceiling, n),
        U::Clamp(n) => unary(ids, UnaryOp::Clamp, n),
        U::Convert(n) => unary(ids, UnaryOp::Convert, n),
        U::Copy(n) => unary(ids, UnaryOp::Copy, n),
        U::Cos(n) => unary(ids, UnaryOp::Cos, n),
        U::Exp(n) => unary(ids, UnaryOp::Exp, n),
        U::Floor(n) => unary(ids, UnaryOp::Floor, n),
        U::Gelu(n) => unary(ids, UnaryOp::Gelu, n),
        U::Hardswish(n) => unary(ids, UnaryOp::Hardswish, n),
        U::Log(n) => unary(ids, UnaryOp::Log, n),
        U::Negate(n) => unary(ids, UnaryOp::Negate, n),
        U::ReciprocalSquareRoot(n) => unary(ids, UnaryOp::ReciprocalSquareRoot, n),
        U::Sigmoid(n) => unary(ids, UnaryOp::Sigmoid, n),
        U::Sin(n) => unary(ids, UnaryOp::Sin, n),
        U::Square(n) => unary(ids, UnaryOp::Square, n),
        U::SquareRoot(n) => unary(ids, UnaryOp::SquareRoot, n),
        U::Tanh(n) => unary(ids, UnaryOp::Tanh, n),
        U::Add(n) => binary(ids, BinaryOp::Add, n),
        U::Subtract(n) => binary(ids, BinaryOp::Subtract, n),
        U::Multiply(n) => binary(ids, BinaryOp::Multiply, n),
        U::Div(n) => binary(ids, BinaryOp::Divide, n),
        U::Minimum(n) => binary(ids, BinaryOp::Minimum, n),
        U::Maximum(n) => binary(ids, BinaryOp::Maximum, n),
        U::PReLu(n) => binary(ids, BinaryOp::PRelu, n),
        U::Conv2d(n) => conv(ids, ConvKind::Conv2d, n),
        U::DepthwiseConv2d(n) => conv(ids, ConvKind::Depthwise, n),
        U::ConvTranspose2d(n) => conv(ids, ConvKind::Transposed, n),
        U::MaxPooling2d(n) => pool(ids, PoolKind::Max, n),
        U::AvgPooling2d(n) => pool(ids, PoolKind::Average, n),
        U::Concatenate2(n) => concat(ids, 2, n),
        U::Concatenate3(n) => concat(ids, 3, n),
        U::Concatenate4(n) => concat(ids, 4, n),
        U::Concatenate5(n) => concat(ids, 5, n),
        U::Softmax(n) => softmax(ids, n),
        U::GlobalAvgPooling2d(n) => global_average_pool(ids, n),
        U::BatchMatrixMultiply(n) => batch_matmul(ids, n),
        U::FullyConnected(n) => fully_connected(ids, n),
        U::LeakyReLu(n) => leaky_relu(ids, n),
        U::Elu(n) => elu(ids, n),
        U::ArgMaxPooling2d(n) => arg_max_pool(ids, n),
        U::StaticResizeBilinear2D(n) => resize_bilinear(ids, n),
        U::StaticReshape(n) => reshape(ids, n),
        U::StaticTranspose(n) => transpose(ids, n),
        U::StaticSlice(n) => slice(ids, n),
        U::StaticConstantPad(n) => constant_pad(ids, n),
        U::ScaledDotProductAttention(n) => attention(ids, n),
    }
}

type Decoded = Result<XnnOp, ReadError>;

fn optional(ids: &Ids, id: u32) -> Result<Option<ValueId>, ReadError> {
    match id {
        NONE => Ok(None),
        id => ids.get(id).map(Some),
    }
}

fn unary(ids: &Ids, op: UnaryOp, n: &fb::Node1x1Ref<'_>) -> Decoded {
    Ok(XnnOp::Unary {
        op,
        input: ids.get(n.input_id()?)?,
        output: ids.get(n.output_id()?)?,
        flags: n.flags()?,
    })
}

fn softmax(ids: &Ids, n: &fb::Node1x1Ref<'_>) -> Decoded {
    Ok(XnnOp::Softmax {
        input: ids.get(n.input_id()?)?,
        output: ids.get(n.output_id()?)?,
        flags: n.flags()?,
    })
}

fn global_average_pool(ids: &Ids, n: &fb::Node1x1Ref<'_>) -> Decoded {
    let (input, output) = (ids.get(n.input_id()?)?, ids.get(n.output_id()?)?);
    Ok(XnnOp::GlobalAveragePool {
        input,
        output,
        flags: n.flags()?,
    })
}

fn binary(ids: &Ids, op: BinaryOp, n: &fb::Node2x1Ref<'_>) -> Decoded {
    let inputs = [ids.get(n.input1_id()?)?, ids.get(n.input2_id()?)?];
    Ok(XnnOp::Binary {
        op,
        inputs,
        output: ids.get(n.output_id()?)?,
        flags: n.flags()?,
    })
}

fn batch_matmul(ids: &Ids, n: &fb::Node2x1Ref<'_>) -> Decoded {
    let inputs = [ids.get(n.input1_id()?)?, ids.get(n.input2_id()?)?];
    Ok(XnnOp::BatchMatMul {
        inputs,
        output: ids.get(n.output_id()?)?,
        flags: n.flags()?,
    })
}

fn elu(ids: &Ids, n: &fb::NodeEluRef<'_>) -> Decoded {
    let (input, output) = (ids.get(n.input_id()?)?, ids.get(n.output_id()?)?);
    Ok(XnnOp::Elu {
        alpha: n.alpha()?.unwrap_or(0.0),
        input,
        output,
        flags: n.flags()?,
    })
}

fn leaky_relu(ids: &Ids, n: &fb::NodeLeakyReluRef<'_>) -> Decoded {
    let (input, output) = (ids.get(n.input_id()?)?, ids.get(n.output_id()?)?);
    Ok(XnnOp::LeakyRelu {
        negative_slope: n.negative_slope()?.unwrap_or(0.0),
        input,
        output,
        flags: n.flags()?,
    })
}

fn fully_connected(ids: &Ids, n: &fb::NodeFullyConnectedRef<'_>) -> Decoded {
    Ok(XnnOp::FullyConnected {
        input: ids.get(n.input1_id()?)?,
        filter: ids.get(n.filter_id()?)?,
        bias: optional(ids, n.bias_id()?)?,
        output: ids.get(n.output_id()?)?,
        flags: n.flags()?,
    })
}

fn conv(ids: &Ids, kind: ConvKind, n: &fb::NodeConvRef<'_>) -> Decoded {
    let params = ConvParams {
        padding: Padding2d {
            top: n.padding_top()?,
            right: n.padding_right()?,
            bottom: n.padding_bottom()?,
            left: n.padding_left()?,
        },
        kernel: [n.kernel_height()?, n.kernel_width()?],
        stride: [n.subsampling_height()?, n.subsampling_width()?],
        dilation: [n.dilation_height()?, n.dilation_width()?],
        groups: n.groups()?,
        group_input_channels: n.group_input_channels()?,
        group_output_channels: n.group_output_channels()?,
        adjustment: [n.adjustment_height()?, n.adjustment_width()?],
    };
    Ok(XnnOp::Conv {
        kind,
        params,
        input: ids.get(n.input1_id()?)?,
        filter: ids.get(n.filter_id()?)?,
        bias: optional(ids, n.bias_id()?)?,
        output: ids.get(n.output_id()?)?,
        flags: n.flags()?,
    })
}

fn pool(ids: &Ids, kind: PoolKind, n: &fb::NodePoolRef<'_>) -> Decoded {
    let params = PoolParams {
        padding: Padding2d {
            top: n.padding_top()?,
            right: n.padding_right()?,
            bottom: n.padding_bottom()?,
            left: n.padding_left()?,
        },
        kernel: [n.pooling_height()?, n.pooling_width()?],
        stride: [n.stride_height()?, n.stride_width()?],
        dilation: [n.dilation_height()?, n.dilation_width()?],
    };
    let (input, output) = (ids.get(n.input_id()?)?, ids.get(n.output_id()?)?);
    Ok(XnnOp::Pool {
        kind,
        params,
        input,
        output,
        flags: n.flags()?,
    })
}

fn arg_max_pool(ids: &Ids, n: &fb::NodeArgMaxPoolRef<'_>) -> Decoded {
    Ok(XnnOp::ArgMaxPool {
        padding: Padding2d {
            top: n.padding_top()?,
            right: n.padding_right()?,
            bottom: n.padding_bottom()?,
            left: n.padding_left()?,
        },
        kernel: [n.pooling_height()?, n.pooling_width()?],
        input: ids.get(n.input_id()?)?,
        output: ids.get(n.output_value_id()?)?,
        output_index: ids.get(n.output_index_id()?)?,
        flags: n.flags()?,
    })
}

fn resize_bilinear(ids: &Ids, n: &fb::NodeResizeBilinearRef<'_>) -> Decoded {
    let size = [n.new_height()?, n.new_width()?];
    let (input, output) = (ids.get(n.input_id()?)?, ids.get(n.output_id()?)?);
    Ok(XnnOp::ResizeBilinear {
        size,
        input,
        output,
        flags: n.flags()?,
    })
}

fn reshape(ids: &Ids, n: &fb::NodeReshapeRef<'_>) -> Decoded {
    let shape = dims("NodeReshape.new_shape", n.new_shape()?, Some(n.num_dims()?))?;
    let (input, output) = (ids.get(n.input_id()?)?, ids.get(n.output_id()?)?);
    Ok(XnnOp::Reshape {
        shape,
        input,
        output,
        flags: n.flags()?,
    })
}

fn transpose(ids: &Ids, n: &fb::NodeTransposeRef<'_>) -> Decoded {
    let perm = dims("NodeTranspose.perm", n.perm()?, Some(n.num_dims()?))?;
    let (input, output) = (ids.get(n.input_id()?)?, ids.get(n.output_id()?)?);
    Ok(XnnOp::Transpose {
        perm,
        input,
        output,
        flags: n.flags()?,
    })
}

fn slice(ids: &Ids, n: &fb::NodeSliceRef<'_>) -> Decoded {
    let offsets = dims("NodeSlice.offsets", n.offsets()?, Some(n.num_dims()?))?;
    let sizes = dims("NodeSlice.sizes", n.sizes()?, Some(n.num_dims()?))?;
    let (input, output) = (ids.get(n.input_id()?)?, ids.get(n.output_id()?)?);
    Ok(XnnOp::Slice {
        offsets,
        sizes,
        input,
        output,
        flags: n.flags()?,
    })
}

fn constant_pad(ids: &Ids, n: &fb::NodeConstantPadRef<'_>) -> Decoded {
    let before = dims("NodeConstantPad.pre_paddings", n.pre_paddings()?, None)?;
    let after = dims("NodeConstantPad.post_paddings", n.post_paddings()?, None)?;
    let (input, output) = (ids.get(n.input_id()?)?, ids.get(n.output_id()?)?);
    Ok(XnnOp::ConstantPad {
        before,
        after,
        value: n.padding_value()?.unwrap_or(0.0),
        input,
        output,
        flags: n.flags()?,
    })
}

fn concat(ids: &Ids, count: usize, n: &fb::NodeConcatRef<'_>) -> Decoded {
    let all = [
        n.input1_id()?,
        n.input2_id()?,
        n.input3_id()?,
        n.input4_id()?,
        n.input5_id()?,
    ];
    let inputs = all[..count]
        .iter()
        .map(|&id| ids.get(id))
        .collect::<Result<_, _>>()?;
    Ok(XnnOp::Concat {
        axis: n.axis()?,
        inputs,
        output: ids.get(n.output_id()?)?,
        flags: n.flags()?,
    })
}

fn attention(ids: &Ids, n: &fb::NodeAttentionRef<'_>) -> Decoded {
    Ok(XnnOp::Attention {
        query: ids.get(n.query_id()?)?,
        key: ids.get(n.key_id()?)?,
        value: ids.get(n.value_id()?)?,
        scale: ids.get(n.scale_id()?)?,
        mask: ids.get(n.mask_id()?)?,
        output: ids.get(n.output_id()?)?,
        flags: n.flags()?,
    })
}
