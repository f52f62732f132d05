//! Convolutions.

use super::*;

#[test]
fn convolutions() {
    for (name, groups, o, c, k, dtype) in [
        ("plain", 1, 5, 6, 3, DType::F32),
        ("half", 1, 5, 6, 3, DType::F16),
        ("pointwise", 1, 5, 6, 1, DType::F32),
        ("grouped", 2, 4, 6, 3, DType::F32),
        ("depthwise", 6, 6, 6, 3, DType::F32),
        ("multiplied", 6, 12, 6, 3, DType::F32),
        ("depthwise 1", 6, 6, 6, 1, DType::F32),
        ("half depthwise 1", 6, 6, 6, 1, DType::F16),
        ("depthwise 2", 6, 6, 6, 2, DType::F32),
        ("depthwise 7", 6, 6, 6, 7, DType::F32),
        ("depthwise 9", 6, 6, 6, 9, DType::F32),
        ("one channel", 1, 3, 1, 3, DType::F32),
        ("half depthwise", 4, 4, 4, 3, DType::F16),
    ] {
        for (stride, relu) in [(1, false), (2, true)] {
            check(name, |b| {
                let x = b.input(dtype, [2, c, 12, 11]);
                let w = b.weights(dtype, &[o, c as usize / groups as usize, k, k]);
                let bias = b.weights(dtype, &[o]);
                let y = b.op(
                    conv2d(groups, [stride, stride], [k as i64 / 2; 2]),
                    &[x, w, bias],
                );
                vec![if relu {
                    b.op(Unary { f: UnaryFn::RELU }, &[y])
                } else {
                    y
                }]
            });
        }
    }
    check("uneven padding", |b| {
        let x = b.input(DType::F32, [1, 3, 8, 9]);
        let w = b.weights(DType::F32, &[4, 3, 3, 2]);
        vec![b.op(
            Conv {
                pad_low: vec![1, 0],
                pad_high: vec![2, 3],
                dilation: vec![2, 1],
                ..conv2d(1, [2, 1], [0, 0])
            },
            &[x, w],
        )]
    });
    check("rows", |b| {
        let x = b.input(DType::F32, [2, 3, 20]);
        let w = b.weights(DType::F32, &[4, 3, 5]);
        let bias = b.weights(DType::F32, &[4]);
        let conv = Conv {
            stride: vec![2],
            pad_low: vec![2],
            pad_high: vec![1],
            dilation: vec![1],
            groups: 1,
            transposed: false,
            output_padding: vec![0],
        };
        let y = b.op(conv.clone(), &[x, w, bias]);
        let y = b.op(
            Unary {
                f: Simple::Gelu.into(),
            },
            &[y],
        );
        let w = b.weights(DType::F32, &[4, 1, 3]);
        vec![b.op(Conv { groups: 4, ..conv }, &[y, w])]
    });
    check("a long depthwise row", |b| {
        let x = b.input(DType::F32, [2, 3, 40]);
        let w = b.weights(DType::F32, &[3, 1, 31]);
        let bias = b.weights(DType::F32, &[3]);
        let (stride, dilation, output_padding) = (vec![1], vec![1], vec![0]);
        let y = b.op(
            Conv {
                stride,
                pad_low: vec![15],
                pad_high: vec![15],
                dilation,
                groups: 3,
                transposed: false,
                output_padding,
            },
            &[x, w, bias],
        );
        vec![b.op(Unary { f: UnaryFn::RELU }, &[y])]
    });
    for groups in [1i64, 2] {
        for dilation in [1, 2] {
            check("transposed", |b| {
                let x = b.input(DType::F32, [2, 4, 5, 6]);
                let w = b.weights(DType::F32, &[4, 3, 3, 2]);
                let bias = b.weights(DType::F32, &[3 * groups as usize]);
                vec![b.op(
                    Conv {
                        transposed: true,
                        output_padding: vec![1, 0],
                        stride: vec![2, 3],
                        pad_low: vec![1, 0],
                        pad_high: vec![1, 0],
                        dilation: vec![dilation; 2],
                        ..conv2d(groups, [2, 2], [0, 0])
                    },
                    &[x, w, bias],
                )]
            });
        }
    }
    check("transposed rows", |b| {
        let x = b.input(DType::F32, [2, 4, 6]);
        let w = b.weights(DType::F32, &[4, 3, 4]);
        vec![b.op(
            Conv {
                stride: vec![2],
                pad_low: vec![1],
                pad_high: vec![1],
                dilation: vec![1],
                groups: 1,
                transposed: true,
                output_padding: vec![0],
            },
            &[x, w],
        )]
    });
}

/// The taps that fill up a window of 1 or 2 read nothing, so NaN and infinities do not spread.
#[test]
fn small_depthwise_windows_see_nothing_else() {
    for kernel in [[1, 1], [2, 1], [1, 2]] {
        for (stride, pad) in [(1, 0), (2, 0), (2, 1), (3, 2)] {
            let graph = graph(|b| {
                let x = b.input(DType::F32, [1, 5, 6, 7]);
                let w = b.weights(DType::F32, &[5, 1, kernel[0], kernel[1]]);
                let bias = b.weights(DType::F32, &[5]);
                vec![b.op(conv2d(5, [stride, stride], [pad, pad]), &[x, w, bias])]
            });
            let numbers = (0..210).map(|i| match i % 13 {
                0 => f64::NAN,
                7 => f64::INFINITY,
                _ => f64::from(i) / 64.0,
            });
            let x = kiln_ir::TensorData::from_scalars(
                DType::F32,
                vec![1, 5, 6, 7],
                numbers.map(Scalar::Float),
            );
            let name = format!("depthwise {kernel:?} by {stride} padded {pad}");
            check_fed(&name, &graph, &[Tensor::from(x)]);
            let regions = compile(&graph, &Options::default()).unwrap();
            let text = kiln_xnnpack::payload::read(regions[0].blob().unwrap().clone())
                .unwrap()
                .to_string();
            let is_scale = kernel == [1, 1] && stride == 1;
            let convolved = text.matches("depthwise_conv2d(").count();
            assert_eq!(convolved, usize::from(!is_scale), "{name}: {text}");
            assert_eq!(text.contains("multiply("), is_scale, "{name}: {text}");
        }
    }
}
