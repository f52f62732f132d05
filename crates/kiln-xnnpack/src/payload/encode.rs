//! The flatbuffer of a payload.
//!
//! Only called on graphs that [`check`](super::check()) passed.

use super::graph::{ConstantData, ValueId, XnnGraph, XnnValue};
use super::node::{
    BinaryOp, ConvKind, ConvParams, Padding2d, PoolKind, PoolParams, UnaryOp, XnnNode, XnnOp,
};
use super::payload_fb::xnnpack as fb;
use super::quant::{Quant, Scales};
use super::{IDENTIFIER, NONE};
use planus::{WriteAsOffset, WriteAsUnion};
use rustc_hash::FxHashMap;

/// The flatbuffer; `offsets` has the place of each inline constant.
pub(super) fn encode(graph: &XnnGraph, offsets: &[Option<u64>]) -> Vec<u8> {
    let ids = |ids: Vec<ValueId>| Some(ids.into_iter().map(|id| id.0).collect::<Vec<u32>>());
    let mut values = Values::default();
    let xvalues: Vec<planus::Offset<fb::XValue>> = graph
        .values
        .iter()
        .zip(0..)
        .map(|(v, id)| values.add(v, id))
        .collect();
    let builder = &mut values.builder;
    let xnodes: Vec<fb::XNode> = graph.nodes.iter().map(node).collect();
    let root = fb::XnnGraph::create(
        builder,
        "0",
        xnodes,
        xvalues,
        graph.num_externs,
        ids(graph.inputs()),
        ids(graph.outputs()),
        None::<Vec<fb::Buffer>>,
        None::<Vec<u32>>,
        constants(graph, offsets),
    );
    kiln_pte::flatbuffer::finish_with(builder, root, *IDENTIFIER)
}

/// Entry 0 means "not constant", and is there even if nothing else is.
fn constants(graph: &XnnGraph, offsets: &[Option<u64>]) -> Vec<fb::ConstantDataOffset> {
    let entry = |(constant, offset): (&ConstantData, &Option<u64>)| match constant {
        ConstantData::Inline(data) => fb::ConstantDataOffset {
            offset: offset.unwrap_or_default(),
            size: data.len() as u64,
            named_key: None,
        },
        ConstantData::Named(key) => fb::ConstantDataOffset {
            offset: u64::MAX,
            size: 0,
            named_key: Some(key.clone()),
        },
    };
    let reserved = fb::ConstantDataOffset {
        offset: 0,
        size: 0,
        named_key: None,
    };
    std::iter::once(reserved)
        .chain(graph.constants.iter().zip(offsets).map(entry))
        .collect()
}

/// Values in a flatbuffer, which holds equal lists of dims and equal scales of tensors once.
#[derive(Default)]
struct Values<'a> {
    builder: planus::Builder,
    dims: FxHashMap<&'a [u32], planus::Offset<[u32]>>,
    /// By the bits of the scale, and the zero point.
    per_tensor: FxHashMap<(u32, i32), planus::Offset<fb::PerTensorQuant>>,
}

impl<'a> Values<'a> {
    fn add(&mut self, value: &'a XnnValue, id: u32) -> planus::Offset<fb::XValue> {
        let tensor = self.tensor(value, id);
        let union = match &value.quant {
            None => fb::XValueUnion::create_xnn_tensor_value(&mut self.builder, tensor),
            Some(params) => {
                let params = self.quant(params);
                let table = fb::XnnQuantizedTensorValue::create(&mut self.builder, tensor, params);
                fb::XValueUnion::create_xnn_quantized_tensor_value(&mut self.builder, table)
            }
        };
        fb::XValue::create(&mut self.builder, union)
    }

    fn tensor(&mut self, value: &'a XnnValue, id: u32) -> planus::Offset<fb::XnnTensorValue> {
        let external = value.external;
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        let datatype: fb::XnnDatatype = value
            .datatype
            .code()
            .try_into()
            .expect("Datatype's codes are the schema's");
        let builder = &mut self.builder;
        let dims = self.dims.entry(&value.dims);
        let dims = *dims.or_insert_with_key(|dims| WriteAsOffset::prepare(*dims, builder));
        fb::XnnTensorValue::create(
            builder,
            datatype,
            value.dims.len() as u32,
            dims,
            value.constant.map_or(0, |constant| constant.0 + 1),
            external.map_or(NONE, |external| external.position),
            external.map_or(0, |external| {
                flag(external.input, 1) | flag(external.output, 2)
            }),
            id,
            fb::XnnDatatype::Invalid,
        )
    }

    fn quant(&mut self, params: &Quant) -> planus::UnionOffset<fb::XnnQuantParams> {
        let builder = &mut self.builder;
        let Quant::PerTensor { scale, zero_point } = params else {
            return WriteAsUnion::prepare(&quant(params), builder);
        };
        let known = self.per_tensor.entry((scale.to_bits(), *zero_point));
        let table = *known.or_insert_with(|| {
            fb::PerTensorQuant::create(builder, unless_zero(*scale), *zero_point)
        });
        fb::XnnQuantParams::create_per_tensor_quant(builder, table)
    }
}

/// The scale vector is there even when the scales are elsewhere: the runtime reads its length first.
fn scales(scales: &Scales) -> (Option<Vec<f32>>, u32, u32) {
    match scales {
        Scales::Inline(scales) => (Some(scales.clone()), 0, scales.len() as u32),
        Scales::Constant { data, count } => (Some(Vec::new()), data.0 + 1, *count),
    }
}

fn quant(params: &Quant) -> fb::XnnQuantParams {
    match params {
        Quant::PerTensor { scale, zero_point } => {
            fb::XnnQuantParams::PerTensorQuant(Box::new(fb::PerTensorQuant {
                scale: unless_zero(*scale),
                zero_point: *zero_point,
            }))
        }
        Quant::PerChannel {
            scales: s,
            channel_dim,
        } => {
            let (scale, scale_buffer_idx, num_scales) = scales(s);
            let table = fb::PerChannelQuant {
                scale,
                channel_dim: *channel_dim,
                scale_buffer_idx,
                num_scales,
            };
            fb::XnnQuantParams::PerChannelQuant(Box::new(table))
        }
        Quant::PerTokenDynamic { num_nonbatch_dims } => {
            let table = fb::PerTokenDynamicQuant {
                num_nonbatch_dims: *num_nonbatch_dims,
            };
            fb::XnnQuantParams::PerTokenDynamicQuant(Box::new(table))
        }
        Quant::PerGroup {
            scales: s,
            channel_dim,
            group_size,
        } => {
            let (scale, scale_buffer_idx, num_scales) = scales(s);
            fb::XnnQuantParams::PerChannelGroupQuant(Box::new(fb::PerChannelGroupQuant {
                scale,
                channel_dim: *channel_dim,
                group_size: *group_size,
                scale_buffer_idx,
                num_scales,
            }))
        }
    }
}

fn node(node: &XnnNode) -> fb::XNode {
    let min_max = |clamp: super::node::Clamp| fb::OutputMinMax {
        output_min: unless_zero(clamp.min),
        output_max: unless_zero(clamp.max),
    };
    fb::XNode {
        xnode_union: Some(op(&node.op)),
        debug_handle: node.debug_handle,
        output_min_max: node.clamp.map(|clamp| Box::new(min_max(clamp))),
    }
}

fn op(op: &XnnOp) -> fb::XNodeUnion {
    use fb::XNodeUnion as U;
    match op {
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
        } => reshape(shape, *input, *output, *flags),
        XnnOp::Transpose {
            perm,
            input,
            output,
            flags,
        } => transpose(perm, *input, *output, *flags),
        XnnOp::Slice {
            offsets,
            sizes,
            input,
            output,
            flags,
        } => slice([offsets, sizes], *input, *output, *flags),
        XnnOp::ConstantPad {
            before,
            after,
            value,
            input,
            output,
            flags,
        } => constant_pad([before, after], *value, *input, *output, *flags),
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

/// A number whose absence is zero; negative zero, which equals it, stays.
fn unless_zero(value: f32) -> Option<f32> {
    (value.to_bits() != 0).then_some(value)
}

fn optional(id: Option<ValueId>) -> u32 {
    id.map_or(NONE, |id| id.0)
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

fn reshape(shape: &[u32], input: ValueId, output: ValueId, flags: u32) -> fb::XNodeUnion {
    fb::XNodeUnion::StaticReshape(Box::new(fb::NodeReshape {
        num_dims: shape.len() as u32,
        new_shape: Some(shape.to_vec()),
        input_id: input.0,
        output_id: output.0,
        flags,
    }))
}

fn transpose(perm: &[u32], input: ValueId, output: ValueId, flags: u32) -> fb::XNodeUnion {
    fb::XNodeUnion::StaticTranspose(Box::new(fb::NodeTranspose {
        num_dims: perm.len() as u32,
        perm: Some(perm.to_vec()),
        input_id: input.0,
        output_id: output.0,
        flags,
    }))
}

fn slice(
    [offsets, sizes]: [&[u32]; 2],
    input: ValueId,
    output: ValueId,
    flags: u32,
) -> fb::XNodeUnion {
    fb::XNodeUnion::StaticSlice(Box::new(fb::NodeSlice {
        num_dims: offsets.len() as u32,
        offsets: Some(offsets.to_vec()),
        sizes: Some(sizes.to_vec()),
        input_id: input.0,
        output_id: output.0,
        flags,
    }))
}

fn constant_pad(
    [before, after]: [&[u32]; 2],
    padding_value: f32,
    input: ValueId,
    output: ValueId,
    flags: u32,
) -> fb::XNodeUnion {
    fb::XNodeUnion::StaticConstantPad(Box::new(fb::NodeConstantPad {
        pre_paddings: Some(before.to_vec()),
        post_paddings: Some(after.to_vec()),
        padding_value: unless_zero(padding_value),
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
