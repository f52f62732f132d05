//! The flatbuffer of a payload.
//!
//! Only called on graphs that [`check`](super::check()) passed.

use super::graph::{ConstantData, ValueId, XnnGraph, XnnValue};
use super::node::{BinaryOp, ConvKind, Padding2d, PoolKind, UnaryOp, XnnNode, XnnOp};
use super::payload_fb::xnnpack as fb;
use super::quant::{Quant, Scales};
use super::{IDENTIFIER, NONE};

/// The flatbuffer; `offsets` has the place of each inline constant.
pub(super) fn encode(graph: &XnnGraph, offsets: &[Option<u64>]) -> Vec<u8> {
    let ids = |ids: Vec<ValueId>| Some(ids.into_iter().map(|id| id.0).collect());
    let values = graph.values.iter().zip(0..);
    let tables = fb::XnnGraph {
        version: Some("0".to_owned()),
        xnodes: Some(graph.nodes.iter().map(node).collect()),
        xvalues: Some(values.map(|(v, id)| fb::XValue { xvalue_union: Some(value(v, id)) }).collect()),
        num_externs: graph.num_externs,
        input_ids: ids(graph.inputs()),
        output_ids: ids(graph.outputs()),
        constant_buffer: None,
        mem_buffer_sizes: None,
        constant_data: Some(constants(graph, offsets)),
    };
    kiln_pte::flatbuffer::finish(tables, *IDENTIFIER)
}

/// Entry 0 means "not constant", and is there even if nothing else is.
fn constants(graph: &XnnGraph, offsets: &[Option<u64>]) -> Vec<fb::ConstantDataOffset> {
    let entry = |(constant, offset): (&ConstantData, &Option<u64>)| match constant {
        ConstantData::Inline(data) => fb::ConstantDataOffset {
            offset: offset.unwrap_or_default(),
            size: data.len() as u64,
            named_key: None,
        },
        ConstantData::Named(key) => {
            fb::ConstantDataOffset { offset: u64::MAX, size: 0, named_key: Some(key.clone()) }
        }
    };
    let reserved = fb::ConstantDataOffset { offset: 0, size: 0, named_key: None };
    std::iter::once(reserved).chain(graph.constants.iter().zip(offsets).map(entry)).collect()
}

fn value(value: &XnnValue, id: u32) -> fb::XValueUnion {
    let external = value.external;
    let flag = |set: bool, bit: u32| if set { bit } else { 0 };
    let tensor = fb::XnnTensorValue {
        datatype: value.datatype.code().try_into().expect("Datatype's codes are the schema's"),
        num_dims: value.dims.len() as u32,
        dims: Some(value.dims.clone()),
        constant_buffer_idx: value.constant.map_or(0, |constant| constant.0 + 1),
        external_id: external.map_or(NONE, |external| external.position),
        flags: external.map_or(0, |external| flag(external.input, 1) | flag(external.output, 2)),
        id_out: id,
        dq_datatype: fb::XnnDatatype::Invalid,
    };
    match &value.quant {
        None => fb::XValueUnion::XnnTensorValue(Box::new(tensor)),
        Some(params) => fb::XValueUnion::XnnQuantizedTensorValue(Box::new(fb::XnnQuantizedTensorValue {
            tensor_value: Some(Box::new(tensor)),
            quant_params: Some(quant(params)),
        })),
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
        Quant::PerTensor { scale, zero_point } => fb::XnnQuantParams::PerTensorQuant(Box::new(fb::PerTensorQuant {
            scale: *scale,
            zero_point: *zero_point,
        })),
        Quant::PerChannel { scales: s, channel_dim } => {
            let (scale, scale_buffer_idx, num_scales) = scales(s);
            let table = fb::PerChannelQuant { scale, channel_dim: *channel_dim, scale_buffer_idx, num_scales };
            fb::XnnQuantParams::PerChannelQuant(Box::new(table))
        }
        Quant::PerTokenDynamic { num_nonbatch_dims } => {
            let table = fb::PerTokenDynamicQuant { num_nonbatch_dims: *num_nonbatch_dims };
            fb::XnnQuantParams::PerTokenDynamicQuant(Box::new(table))
        }
        Quant::PerGroup { scales: s, channel_dim, group_size } => {
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
    let min_max = |clamp: super::node::Clamp| fb::OutputMinMax { output_min: clamp.min, output_max: clamp.max };
    fb::XNode {
        xnode_union: Some(op(&node.op)),
        debug_handle: node.debug_handle,
        output_min_max: node.clamp.map(|clamp| Box::new(min_max(clamp))),
    }
}

fn op(op: &XnnOp) -> fb::XNodeUnion {
    use fb::XNodeUnion as U;
    match op {
        XnnOp::Unary { op, input, output, flags } => unary(*op, node1(*input, *output, *flags)),
        XnnOp::Softmax { input, output, flags } => U::Softmax(node1(*input, *output, *flags)),
        XnnOp::GlobalAveragePool { input, output, flags } => U::GlobalAvgPooling2d(node1(*input, *output, *flags)),
        XnnOp::Binary { op, inputs, output, flags } => binary(*op, node2(*inputs, *output, *flags)),
        XnnOp::BatchMatMul { inputs, output, flags } => U::BatchMatrixMultiply(node2(*inputs, *output, *flags)),
        &XnnOp::Elu { alpha, input, output, flags } => {
            let node = fb::NodeElu { alpha, input_id: input.0, output_id: output.0, flags };
            U::Elu(Box::new(node))
        }
        &XnnOp::LeakyRelu { negative_slope, input, output, flags } => {
            let node = fb::NodeLeakyRelu { negative_slope, input_id: input.0, output_id: output.0, flags };
            U::LeakyReLu(Box::new(node))
        }
        &XnnOp::FullyConnected { input, filter, bias, output, flags } => {
            let (input1_id, filter_id, bias_id) = (input.0, filter.0, optional(bias));
            let node = fb::NodeFullyConnected { input1_id, filter_id, bias_id, output_id: output.0, flags };
            U::FullyConnected(Box::new(node))
        }
        XnnOp::Conv { .. } => conv(op),
        XnnOp::Pool { .. } | XnnOp::ArgMaxPool { .. } | XnnOp::ResizeBilinear { .. } => image(op),
    }
}

fn node1(input: ValueId, output: ValueId, flags: u32) -> Box<fb::Node1x1> {
    Box::new(fb::Node1x1 { input_id: input.0, output_id: output.0, flags })
}

fn node2(inputs: [ValueId; 2], output: ValueId, flags: u32) -> Box<fb::Node2x1> {
    let [a, b] = inputs;
    Box::new(fb::Node2x1 { input1_id: a.0, input2_id: b.0, output_id: output.0, flags })
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

