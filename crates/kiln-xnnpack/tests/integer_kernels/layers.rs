//! Fully connected layers, convolutions and matrix products.

use super::compare;
use super::probe::{Numbers, Probe, by_channel};
use kiln_xnnpack::payload::{
    Clamp, ConvKind, ConvParams, Datatype, Padding2d, Quant, ValueId, XnnOp, flags,
};

/// The operands of a layer with 8-bit weights and biases in units of the sums.
struct Layer {
    probe: Probe,
    input: ValueId,
    filter: ValueId,
    bias: Option<ValueId>,
    output: ValueId,
    clamp: Option<Clamp>,
}

/// How a filter is held.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    /// Bytes with one scale.
    WithOneScale,
    /// Bytes with a scale for each channel.
    ByChannel,
    /// Two integers in a byte, with a scale for each channel.
    InPairs,
}

/// Sizes: of the input, the filter and the output. Channels of the filter lie along `channel_dim`.
fn layer(n: &mut Numbers, [x, w, y]: [&[u32]; 3], channel_dim: usize, held: Held) -> Layer {
    let channels = w[channel_dim] as usize;
    let depth: u32 = w.iter().product::<u32>() / w[channel_dim];
    let from_scale = n.scale(0.01, 0.1);
    let scales: Vec<f32> = (0..if held == Held::WithOneScale {
        1
    } else {
        channels
    })
        .map(|_| n.scale(0.001, 0.02))
        .collect();
    let typical = if held == Held::InPairs { 2.5 } else { 40.0 };
    let to_scale = from_scale * scales[0] * typical * (depth as f32).sqrt() * n.scale(0.5, 4.0);
    let from = n.quant(Datatype::QInt8, from_scale);
    let to = n.quant(Datatype::QInt8, to_scale);
    let mut probe = Probe::new(format!("{x:?} by {w:?}, {from:?} {scales:?} {to:?}"));
    let bytes = n.bytes(x.iter().product::<u32>() as usize);
    let input = probe.input(Datatype::QInt8, Some(from), x, bytes);
    let units: Vec<f32> = scales.iter().map(|s| s * from_scale).collect();
    let (filter_type, filter_quant, bias_type, bias_quant) = match held {
        Held::WithOneScale => (
            Datatype::QInt8,
            Quant::PerTensor {
                scale: scales[0],
                zero_point: 0,
            },
            Datatype::QInt32,
            Quant::PerTensor {
                scale: units[0],
                zero_point: 0,
            },
        ),
        Held::ByChannel | Held::InPairs => (
            if held == Held::InPairs {
                Datatype::QcInt4
            } else {
                Datatype::QcInt8
            },
            by_channel(scales, channel_dim as i32),
            Datatype::QcInt32,
            by_channel(units, 0),
        ),
    };
    let elements = w.iter().product::<u32>() as usize;
    let bytes = n.bytes(match held {
        Held::InPairs => elements / 2,
        Held::WithOneScale | Held::ByChannel => elements,
    });
    let filter = probe.constant(filter_type, filter_quant, w, bytes);
    let bias = (n.below(4) > 0).then(|| {
        let units = (0..channels).map(|_| n.below(20000) as i32 - 10000);
        let bytes = units.flat_map(i32::to_le_bytes).collect();
        probe.constant(bias_type, bias_quant, &[channels as u32], bytes)
    });
    let output = probe.output(Datatype::QInt8, Some(to.clone()), y);
    let clamp = match n.below(4) {
        0 => Some(n.clamp(&to)),
        1 => Some(Clamp {
            min: -20.3 * to_scale,
            max: 30.6 * to_scale,
        }),
        _ => None,
    };
    Layer {
        probe,
        input,
        filter,
        bias,
        output,
        clamp,
    }
}

fn connected(n: &mut Numbers, held: Held) -> Probe {
    let (rows, inputs, outputs) = (
        1 + n.below(9) as u32,
        1 + n.below(70) as u32,
        1 + n.below(40) as u32,
    );
    let in_pairs = held == Held::InPairs;
    let inputs = if in_pairs { inputs * 2 } else { inputs };
    let turned = n.below(2) == 1 && !in_pairs;
    let w = if turned {
        [inputs, outputs]
    } else {
        [outputs, inputs]
    };
    let sizes: [&[u32]; 3] = [&[rows, inputs], &w, &[rows, outputs]];
    let made = layer(n, sizes, usize::from(turned), held);
    let Layer {
        mut probe,
        input,
        filter,
        bias,
        output,
        clamp,
    } = made;
    let flags = if turned { flags::TRANSPOSE_WEIGHTS } else { 0 };
    probe.push(
        XnnOp::FullyConnected {
            input,
            filter,
            bias,
            output,
            flags,
        },
        clamp,
    );
    probe
}

#[test]
fn fully_connected() {
    compare(&[
        ("per tensor", |n| connected(n, Held::WithOneScale)),
        ("per channel", |n| connected(n, Held::ByChannel)),
        ("in pairs", |n| connected(n, Held::InPairs)),
    ]);
}

/// The sizes of a convolution.
pub struct Geometry {
    pub params: ConvParams,
    /// Of the input, the filter and the output.
    pub sizes: [[u32; 4]; 3],
    /// The dim of the filter's output channels.
    pub channel_dim: usize,
}

impl Geometry {
    pub fn new(n: &mut Numbers, kind: ConvKind) -> Geometry {
        let small = |n: &mut Numbers, end: u64| 1 + n.below(end) as u32;
        let kernel = [small(n, 4), small(n, 4)];
        let stride = [small(n, 2), small(n, 2)];
        let dilation = [small(n, 2), small(n, 2)];
        let (groups, inputs, outputs) = match kind {
            ConvKind::Depthwise => (small(n, 20), 1, small(n, 4)),
            _ if n.below(3) == 0 => (1 + small(n, 3), small(n, 6), small(n, 6)),
            _ => (1, small(n, 20), small(n, 20)),
        };
        let pad = |n: &mut Numbers, kernel: u32| n.below(kernel.into()) as u32;
        let padding = Padding2d {
            top: pad(n, kernel[0]),
            right: pad(n, kernel[1]),
            bottom: pad(n, kernel[0]),
            left: pad(n, kernel[1]),
        };
        let adjustment = match kind {
            ConvKind::Transposed => stride.map(|stride| n.below(stride.into()) as u32),
            _ => [0, 0],
        };
        let image = [8 + n.below(4) as u32, 8 + n.below(4) as u32];
        let pads = [padding.top + padding.bottom, padding.left + padding.right];
        let size = |axis: usize| {
            let window = dilation[axis] * (kernel[axis] - 1) + 1;
            match kind {
                ConvKind::Transposed => {
                    stride[axis] * (image[axis] - 1) + window + adjustment[axis] - pads[axis]
                }
                _ => (image[axis] + pads[axis] - window) / stride[axis] + 1,
            }
        };
        let x = [2, image[0], image[1], groups * inputs];
        let y = [2, size(0), size(1), groups * outputs];
        let (w, channel_dim) = match kind {
            ConvKind::Depthwise => ([1, kernel[0], kernel[1], groups * outputs], 3),
            _ => ([groups * outputs, kernel[0], kernel[1], inputs], 0),
        };
        let params = ConvParams {
            padding,
            kernel,
            stride,
            dilation,
            groups,
            group_input_channels: inputs,
            group_output_channels: outputs,
            adjustment,
        };
        Geometry {
            params,
            sizes: [x, w, y],
            channel_dim,
        }
    }
}

fn convolution(n: &mut Numbers, kind: ConvKind, per_tensor: bool) -> Probe {
    let Geometry {
        params,
        sizes: [x, w, y],
        channel_dim,
    } = Geometry::new(n, kind);
    let held = match per_tensor {
        true => Held::WithOneScale,
        false => Held::ByChannel,
    };
    let made = layer(n, [&x, &w, &y], channel_dim, held);
    let Layer {
        mut probe,
        input,
        filter,
        bias,
        output,
        clamp,
    } = made;
    probe.name = format!("{params:?} {}", probe.name);
    let flags = 0;
    probe.push(
        XnnOp::Conv {
            kind,
            params,
            input,
            filter,
            bias,
            output,
            flags,
        },
        clamp,
    );
    probe
}

#[test]
fn convolutions() {
    compare(&[
        ("convolution per tensor", |n| {
            convolution(n, ConvKind::Conv2d, true)
        }),
        ("convolution per channel", |n| {
            convolution(n, ConvKind::Conv2d, false)
        }),
        ("depthwise per channel", |n| {
            convolution(n, ConvKind::Depthwise, false)
        }),
        ("transposed per tensor", |n| {
            convolution(n, ConvKind::Transposed, true)
        }),
        ("transposed per channel", |n| {
            convolution(n, ConvKind::Transposed, false)
        }),
    ]);
}

#[test]
fn products() {
    compare(&[("matrices", |n| {
        let (batch, rows, depth, columns) = (
            1 + n.below(3) as u32,
            1 + n.below(9) as u32,
            1 + n.below(40) as u32,
            1 + n.below(20) as u32,
        );
        let turned = n.below(2) == 1;
        let scales = [n.scale(0.01, 0.1), n.scale(0.01, 0.1)];
        let to_scale = scales[0] * scales[1] * 40.0 * (depth as f32).sqrt() * n.scale(0.5, 4.0);
        // The library takes the second factor about 0 only.
        let (a, b) = (
            n.quant(Datatype::QInt8, scales[0]),
            Quant::PerTensor {
                scale: scales[1],
                zero_point: 0,
            },
        );
        let to = n.quant(Datatype::QInt8, to_scale);
        let mut probe = Probe::new(format!(
            "{batch} {rows} {depth} {columns} {a:?} {b:?} {to:?} {turned}"
        ));
        let left = n.bytes((batch * rows * depth) as usize);
        let right = n.bytes((batch * depth * columns) as usize);
        let shape = if turned {
            [batch, columns, depth]
        } else {
            [batch, depth, columns]
        };
        let a = probe.input(Datatype::QInt8, Some(a), &[batch, rows, depth], left);
        let b = probe.input(Datatype::QInt8, Some(b), &shape, right);
        let output = probe.output(Datatype::QInt8, Some(to), &[batch, rows, columns]);
        let flags = if turned { flags::TRANSPOSE_WEIGHTS } else { 0 };
        probe.push(
            XnnOp::BatchMatMul {
                inputs: [a, b],
                output,
                flags,
            },
            None,
        );
        probe
    })]);
}
