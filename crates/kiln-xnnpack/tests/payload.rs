//! Random payloads that are written and read again stay the same. Damaged payloads are refused or read as valid ones.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use bytes::Bytes;
use expect_test::expect;
use kiln_xnnpack::payload::{
    BinaryOp, Clamp, ConstantData, ConstantIndex, ConvKind, ConvParams, Datatype, External,
    Padding2d, PoolKind, PoolParams, Quant, Scales, UnaryOp, ValueId, XnnGraph, XnnNode, XnnOp,
    XnnValue, check, read, write,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// The bytes of every constant: more than any generated value or list of scales needs.
const CONSTANT_BYTES: usize = 4 * 5usize.pow(4);

fn constant() -> impl Strategy<Value = ConstantData> {
    prop_oneof![
        "[a-f0-9]{1,64}".prop_map(ConstantData::Named),
        (any::<u8>(), 0usize..40).prop_map(|(fill, more)| ConstantData::Inline(Bytes::from(
            vec![fill; CONSTANT_BYTES + more]
        ))),
    ]
}

fn scales(count: u32) -> impl Strategy<Value = Scales> {
    prop_oneof![
        vec(1e-3f32..10.0, count as usize).prop_map(Scales::Inline),
        Just(Scales::Constant {
            data: ConstantIndex(0),
            count
        }),
    ]
}

/// The quantisation of a datatype, for a value with these dims.
fn quant(datatype: Datatype, dims: &[u32]) -> BoxedStrategy<Option<Quant>> {
    let count: u32 = dims.iter().product();
    match datatype {
        Datatype::Fp32 | Datatype::Fp16 | Datatype::Bf16 | Datatype::Int32 | Datatype::PFp32 => {
            Just(None).boxed()
        }
        Datatype::QInt8 | Datatype::QUInt8 | Datatype::QInt32 => (1e-6f32..10.0, -128..128i32)
            .prop_map(|(scale, zero_point)| Some(Quant::PerTensor { scale, zero_point }))
            .boxed(),
        Datatype::QdInt8 | Datatype::QpInt8 => (1..4i32)
            .prop_map(|num_nonbatch_dims| Some(Quant::PerTokenDynamic { num_nonbatch_dims }))
            .boxed(),
        Datatype::QcInt8 | Datatype::QcInt32 | Datatype::QcInt4 => scales(dims[0])
            .prop_map(|scales| {
                Some(Quant::PerChannel {
                    scales,
                    channel_dim: 0,
                })
            })
            .boxed(),
        Datatype::QbInt4 => scales(count / 32)
            .prop_map(|scales| {
                Some(Quant::PerGroup {
                    scales,
                    channel_dim: 0,
                    group_size: 32,
                })
            })
            .boxed(),
    }
}

fn value() -> impl Strategy<Value = XnnValue> {
    (
        select(Datatype::ALL),
        vec(0u32..5, 1..5),
        prop::option::of(Just(ConstantIndex(1))),
    )
        .prop_flat_map(|(datatype, dims, constant)| {
            quant(datatype, &dims).prop_map(move |quant| XnnValue {
                datatype,
                quant,
                dims: dims.clone(),
                constant,
                external: None,
            })
        })
}

/// A node whose ids and parameters are taken from random numbers.
fn op(
    pick: usize,
    input: impl Fn(usize) -> ValueId,
    output: ValueId,
    second: ValueId,
    n: &[u32],
) -> XnnOp {
    let [a, b, c] = [input(0), input(1), input(2)];
    let (flags, real) = (n[0] % 64, n[1] as f32 / 256.0);
    let pair = |i: usize| [n[i], n[i + 1]];
    let padding = Padding2d {
        top: n[2],
        right: n[3],
        bottom: n[4],
        left: n[5],
    };
    let bias = (n[6].is_multiple_of(2)).then_some(c);
    let params = ConvParams {
        padding,
        kernel: pair(0),
        stride: pair(1),
        dilation: pair(2),
        groups: n[3],
        group_input_channels: n[4],
        group_output_channels: n[5],
        adjustment: pair(6),
    };
    let pool = PoolParams {
        padding,
        kernel: pair(0),
        stride: pair(1),
        dilation: pair(2),
    };
    let conv = |kind| XnnOp::Conv {
        kind,
        params,
        input: a,
        filter: b,
        bias,
        output,
        flags,
    };
    let pooled = |kind| XnnOp::Pool {
        kind,
        params: pool,
        input: a,
        output,
        flags,
    };
    match pick {
        0..18 => XnnOp::Unary {
            op: UnaryOp::ALL[pick],
            input: a,
            output,
            flags,
        },
        18..25 => XnnOp::Binary {
            op: BinaryOp::ALL[pick - 18],
            inputs: [a, b],
            output,
            flags,
        },
        25 => XnnOp::Elu {
            alpha: real,
            input: a,
            output,
            flags,
        },
        26 => XnnOp::LeakyRelu {
            negative_slope: real,
            input: a,
            output,
            flags,
        },
        27 => XnnOp::Softmax {
            input: a,
            output,
            flags,
        },
        28 => XnnOp::FullyConnected {
            input: a,
            filter: b,
            bias,
            output,
            flags,
        },
        29 => XnnOp::BatchMatMul {
            inputs: [a, b],
            output,
            flags,
        },
        30 => conv(ConvKind::Conv2d),
        31 => conv(ConvKind::Depthwise),
        32 => conv(ConvKind::Transposed),
        33 => pooled(PoolKind::Max),
        34 => pooled(PoolKind::Average),
        35 => XnnOp::ArgMaxPool {
            padding,
            kernel: pair(0),
            input: a,
            output,
            output_index: second,
            flags,
        },
        36 => XnnOp::GlobalAveragePool {
            input: a,
            output,
            flags,
        },
        37 => XnnOp::ResizeBilinear {
            size: pair(0),
            input: a,
            output,
            flags,
        },
        38 => XnnOp::Reshape {
            shape: n[..4].to_vec(),
            input: a,
            output,
            flags,
        },
        39 => XnnOp::Transpose {
            perm: vec![2, 0, 1],
            input: a,
            output,
            flags,
        },
        40 => XnnOp::Slice {
            offsets: n[..3].to_vec(),
            sizes: n[3..6].to_vec(),
            input: a,
            output,
            flags,
        },
        41 => {
            let (before, after) = (n[..3].to_vec(), n[3..6].to_vec());
            XnnOp::ConstantPad {
                before,
                after,
                value: real,
                input: a,
                output,
                flags,
            }
        }
        42..46 => XnnOp::Concat {
            axis: n[2],
            inputs: (0..pick - 40).map(input).collect(),
            output,
            flags,
        },
        _ => XnnOp::Attention {
            query: a,
            key: b,
            value: c,
            scale: a,
            mask: b,
            output,
            flags,
        },
    }
}

/// The generator makes every kind of node.
const OPS: usize = 47;

fn graph() -> impl Strategy<Value = XnnGraph> {
    let constants = (constant(), constant());
    let node = (
        0..OPS,
        vec(any::<u32>(), 8),
        any::<u32>(),
        prop::option::of((-9f32..0.0, 0f32..9.0)),
    );
    (constants, value(), vec((value(), value(), node), 1..8)).prop_map(
        |(constants, first, raws)| {
            let mut graph = XnnGraph {
                constants: vec![constants.0, constants.1],
                ..XnnGraph::default()
            };
            let external = |position, output: bool| {
                Some(External {
                    position,
                    input: !output,
                    output,
                })
            };
            graph.add_value(XnnValue {
                external: external(2, false),
                constant: None,
                ..first.clone()
            });
            graph.add_value(XnnValue {
                constant: Some(ConstantIndex(0)),
                ..first
            });
            for (output, second, (pick, numbers, debug_handle, clamp)) in raws {
                let ready = graph.values.len() as u32;
                let output = graph.add_value(XnnValue {
                    constant: None,
                    ..output
                });
                let second = graph.add_value(XnnValue {
                    constant: None,
                    ..second
                });
                let op = op(
                    pick,
                    |i| ValueId(numbers[i] % ready),
                    output,
                    second,
                    &numbers,
                );
                if op.outputs().len() == 1 {
                    graph.values[second.index()].constant = Some(ConstantIndex(1));
                }
                let clamp = clamp.map(|(min, max)| Clamp { min, max });
                graph.nodes.push(XnnNode {
                    op,
                    clamp,
                    debug_handle,
                });
            }
            let last = graph.nodes.last().unwrap().op.outputs()[0];
            graph.values[last.index()].external = external(0, true);
            graph.num_externs = 4;
            graph
        },
    )
}

/// A graph that was read obeys the rules of the tables. It can be invalid only because of the nodes that read and write values.
fn read_soundly(blob: &[u8]) -> bool {
    match read(Bytes::copy_from_slice(blob)) {
        Ok(graph) => {
            if let Err(fault) = check(&graph) {
                assert!(
                    fault.rule.contains("reads ") || fault.rule.contains("writes "),
                    "{fault}"
                );
            }
            assert!(graph.to_string().lines().count() >= graph.nodes.len());
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

proptest! {
    #[test]
    fn a_payload_survives(graph in graph()) {
        let blob = write(&graph).unwrap();
        let again = read(blob.clone()).unwrap();
        prop_assert_eq!(&again, &graph);
        prop_assert_eq!(write(&again).unwrap(), blob);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_cut_payload_is_refused(graph in graph()) {
        let blob = write(&graph).unwrap();
        prop_assert!(read_soundly(&blob));
        let flatbuffer_end = u32::from_le_bytes(blob[10..14].try_into().unwrap())
            + u32::from_le_bytes(blob[14..18].try_into().unwrap());
        for percent in 0..100 {
            let cut = &blob[..blob.len() * percent / 100];
            prop_assert!(!read_soundly(cut) || cut.len() >= flatbuffer_end as usize, "cut at {percent} %");
        }
    }

    #[test]
    fn a_flipped_bit_is_harmless(graph in graph(), bit in 0u8..8) {
        let mut blob = write(&graph).unwrap().to_vec();
        for at in 0..blob.len().min(6000) {
            blob[at] ^= 1 << bit;
            read_soundly(&blob);
            blob[at] ^= 1 << bit;
        }
    }

    #[test]
    fn a_hostile_number_is_harmless(graph in graph(), shift in 0usize..4) {
        let mut blob = write(&graph).unwrap().to_vec();
        for hostile in [u32::MAX, i32::MAX as u32, 0x8000_0000, 0x00ff_ffff, 0x1000, 0] {
            for at in (shift..blob.len().min(6000) - 4).step_by(4) {
                let kept: [u8; 4] = blob[at..at + 4].try_into().unwrap();
                blob[at..at + 4].copy_from_slice(&hostile.to_le_bytes());
                read_soundly(&blob);
                blob[at..at + 4].copy_from_slice(&kept);
            }
        }
    }
}

#[test]
fn one_node_is_one_line() {
    let mut graph = XnnGraph {
        num_externs: 2,
        ..XnnGraph::default()
    };
    let image = |channels| XnnValue::internal(Datatype::Fp32, vec![1, 8, 8, channels]);
    let input = Some(External {
        position: 0,
        input: true,
        output: false,
    });
    let output = Some(External {
        position: 1,
        input: false,
        output: true,
    });
    let x = graph.add_value(XnnValue {
        external: input,
        ..image(3)
    });
    let weights = Some(graph.add_constant(ConstantData::Named("conv.weight".into())));
    let filter = XnnValue::internal(Datatype::Fp32, vec![16, 3, 3, 3]);
    let filter = graph.add_value(XnnValue {
        constant: weights,
        ..filter
    });
    let convolved = graph.add_value(image(16));
    let y = graph.add_value(XnnValue {
        external: output,
        ..image(16)
    });
    let params = ConvParams {
        padding: Padding2d {
            top: 1,
            right: 1,
            bottom: 1,
            left: 1,
        },
        kernel: [3, 3],
        stride: [1, 1],
        dilation: [1, 1],
        groups: 1,
        group_input_channels: 3,
        group_output_channels: 16,
        adjustment: [0, 0],
    };
    let conv = XnnOp::Conv {
        kind: ConvKind::Conv2d,
        params,
        input: x,
        filter,
        bias: None,
        output: convolved,
        flags: 0,
    };
    graph.nodes.push(XnnNode {
        clamp: Some(Clamp {
            min: 0.0,
            max: f32::INFINITY,
        }),
        ..XnnNode::new(conv)
    });
    let sigmoid = XnnOp::Unary {
        op: UnaryOp::Sigmoid,
        input: convolved,
        output: y,
        flags: 0,
    };
    graph.nodes.push(XnnNode::new(sigmoid));
    expect![[r#"
        input 0 %0 fp32[1, 8, 8, 3]
        constant %1 fp32[16, 3, 3, 3] = named conv.weight
        output 1 %3 fp32[1, 8, 8, 16]
        %2 fp32[1, 8, 8, 16] = conv2d(%0, %1) kernel [3, 3] stride [1, 1] padding 1, 1, 1, 1 clamp 0..inf
        %3 fp32[1, 8, 8, 16] = sigmoid(%2)
    "#]]
    .assert_eq(&graph.to_string());
}

/// A program would otherwise hold the dims of an image once for each operator on it.
#[test]
fn equal_dims_are_written_once() {
    let bytes = |different: bool| {
        let dims = |i: u32| vec![1, 8, 8, if different { i } else { 4 }];
        let values = (0..100).map(|i| XnnValue::internal(Datatype::Fp32, dims(i)));
        let graph = XnnGraph {
            values: values.collect(),
            ..XnnGraph::default()
        };
        let written = write(&graph).unwrap();
        assert_eq!(read(written.clone()).unwrap(), graph);
        written.len()
    };
    // A length and four sizes of four bytes each.
    assert!(bytes(false) + 99 * 20 <= bytes(true));
}
