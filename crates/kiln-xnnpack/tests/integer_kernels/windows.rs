//! Pools, means, resizes and movements.

use super::compare;
use super::probe::{Numbers, Probe};
use kiln_xnnpack::payload::{
    Clamp, Datatype, Padding2d, PoolKind, PoolParams, ValueId, XnnOp, flags,
};

/// Both types have kernels of these operators.
fn any_type(n: &mut Numbers) -> Datatype {
    [Datatype::QInt8, Datatype::QUInt8][n.below(2) as usize]
}

/// One operator whose result has the quantisation of its operand.
fn carried(
    n: &mut Numbers,
    [x, y]: [&[u32]; 2],
    clamp: Option<Clamp>,
    op: impl FnOnce(ValueId, ValueId) -> XnnOp,
) -> Probe {
    let datatype = any_type(n);
    let scale = n.scale(0.01, 1.0);
    let quant = n.quant(datatype, scale);
    let mut probe = Probe::new(format!("{x:?} to {y:?} {datatype} {quant:?}"));
    let bytes = n.bytes(x.iter().product::<u32>() as usize);
    let input = probe.input(datatype, Some(quant.clone()), x, bytes);
    let output = probe.output(datatype, Some(quant), y);
    probe.push(op(input, output), clamp);
    probe
}

fn max_pool(n: &mut Numbers) -> Probe {
    let kernel = [1 + n.below(3) as u32, 2 + n.below(2) as u32];
    let stride = [1 + n.below(3) as u32, 1 + n.below(2) as u32];
    let (pad, channels) = (n.below(kernel[1].into()) as u32, 1 + n.below(40) as u32);
    let padding = Padding2d {
        left: pad,
        right: pad,
        ..Padding2d::default()
    };
    let (height, width) = (6 + n.below(4) as u32, 6 + n.below(4) as u32);
    let x = [2, height, width, channels];
    let y = [
        2,
        (height - kernel[0]) / stride[0] + 1,
        (width + 2 * pad - kernel[1]) / stride[1] + 1,
        channels,
    ];
    let params = PoolParams {
        padding,
        kernel,
        stride,
        dilation: [1, 1],
    };
    let range = n.quant(Datatype::QInt8, 0.05);
    let clamp = (n.below(3) == 0).then(|| n.clamp(&range));
    carried(n, [&x, &y], clamp, |input, output| XnnOp::Pool {
        kind: PoolKind::Max,
        params,
        input,
        output,
        flags: 0,
    })
}

fn resize(n: &mut Numbers) -> Probe {
    let [height, width, rows, columns] = [0; 4].map(|_| 1 + n.below(12) as u32);
    let channels = 1 + n.below(20) as u32;
    let flags = if n.below(2) == 1 {
        flags::ALIGN_CORNERS
    } else {
        0
    };
    let sizes: [&[u32]; 2] = [&[2, height, width, channels], &[2, rows, columns, channels]];
    carried(n, sizes, None, |input, output| XnnOp::ResizeBilinear {
        size: [rows, columns],
        input,
        output,
        flags,
    })
}

fn mean(n: &mut Numbers) -> Probe {
    let datatype = any_type(n);
    let scales = [n.scale(0.01, 0.1), n.scale(0.01, 0.1)];
    let [from, to] = scales.map(|scale| n.quant(datatype, scale));
    let [height, width, channels] = [
        1 + n.below(9) as u32,
        1 + n.below(9) as u32,
        1 + n.below(40) as u32,
    ];
    let mut probe = Probe::new(format!(
        "{height} by {width} by {channels} {datatype} {from:?} to {to:?}"
    ));
    let bytes = n.bytes((2 * height * width * channels) as usize);
    let input = probe.input(datatype, Some(from), &[2, height, width, channels], bytes);
    let output = probe.output(datatype, Some(to), &[2, 1, 1, channels]);
    let flags = flags::KEEP_DIMS;
    probe.push(
        XnnOp::GlobalAveragePool {
            input,
            output,
            flags,
        },
        None,
    );
    probe
}

/// A mean of floats that are multiples of a scale, whose rounding errors decide ties behind it.
fn mean_of_floats(n: &mut Numbers) -> Probe {
    let [height, width, channels] = [
        1 + n.below(9) as u32,
        1 + n.below(9) as u32,
        1 + n.below(40) as u32,
    ];
    let scale = n.scale(0.01, 0.1);
    let mut probe = Probe::new(format!("{height} by {width} by {channels} of {scale}"));
    let count = 2 * height * width * channels;
    let floats = (0..count).map(|_| (n.below(256) as f32 - 128.0) * scale);
    let bytes = floats.flat_map(f32::to_le_bytes).collect();
    let input = probe.input(Datatype::Fp32, None, &[2, height, width, channels], bytes);
    let output = probe.output(Datatype::Fp32, None, &[2, 1, 1, channels]);
    let flags = flags::KEEP_DIMS;
    probe.push(
        XnnOp::GlobalAveragePool {
            input,
            output,
            flags,
        },
        None,
    );
    probe
}

#[test]
fn windows() {
    compare(&[
        ("maximum pool", max_pool),
        ("mean", mean),
        ("mean of floats", mean_of_floats),
        ("resize", resize),
    ]);
}

#[test]
fn movements() {
    compare(&[
        ("pad", |n| {
            let value = n.below(100) as f32 * 0.013 - 0.5;
            carried(n, [&[3, 5], &[4, 8]], None, |input, output| {
                XnnOp::ConstantPad {
                    before: vec![1, 2],
                    after: vec![0, 1],
                    value,
                    input,
                    output,
                    flags: 0,
                }
            })
        }),
        ("transpose", |n| {
            carried(n, [&[3, 5, 7], &[7, 3, 5]], None, |input, output| {
                XnnOp::Transpose {
                    perm: vec![2, 0, 1],
                    input,
                    output,
                    flags: 0,
                }
            })
        }),
        ("reshape", |n| {
            carried(n, [&[3, 4, 7], &[12, 7]], None, |input, output| {
                XnnOp::Reshape {
                    shape: vec![0, 7],
                    input,
                    output,
                    flags: 0,
                }
            })
        }),
        ("slice", |n| {
            carried(n, [&[9, 7], &[3, 7]], None, |input, output| XnnOp::Slice {
                offsets: vec![2, 0],
                sizes: vec![3, 0],
                input,
                output,
                flags: 0,
            })
        }),
        ("concatenation", |n| {
            carried(n, [&[9, 7], &[18, 7]], None, |input, output| {
                XnnOp::Concat {
                    axis: 0,
                    inputs: vec![input, input],
                    output,
                    flags: 0,
                }
            })
        }),
    ]);
}
