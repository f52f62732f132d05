//! Integers of 8 bits in chains of operators, and integers of 32 bits beside numbers.

use super::*;
use kiln_ir::TensorData;
use kiln_ir::graph::Constant;
use kiln_ir::types::{Quant, QuantScheme};
use kiln_xnnpack::support;
use std::sync::Arc;

fn quant(scale: f64, zero_point: i64) -> Arc<Quant> {
    let scheme = QuantScheme::PerTensor { scale, zero_point };
    let (min, max) = (-128, 127);
    Quant { scheme, min, max }.into()
}

/// What a step of a chain does with integers of a scale.
fn step(b: &mut Build<'_>, i: usize, x: ValueId, quant: &Arc<Quant>) -> ValueId {
    let (quant, dtype) = (quant.clone(), DType::I8);
    let unary = |f: Simple| Op::from(Unary { f: f.into() });
    match i % 4 {
        0 => {
            let op = Box::new(unary(Simple::Tanh));
            b.op(Quantised { op, quant, dtype }, &[x])
        }
        1 => {
            let f = UnaryFn::LeakyRelu { slope: 0.3 };
            let op = Box::new(Op::from(Unary { f }));
            b.op(Quantised { op, quant, dtype }, &[x])
        }
        2 => b.op(Requantize { quant, dtype }, &[x]),
        _ => {
            let float = b.op(Dequantize { dtype: DType::F32 }, &[x]);
            let half = b.splat(DType::F32, 2, 0.5);
            let more = b.op(Binary { f: BinaryFn::Mul }, &[float, half]);
            let found = b.op(unary(Simple::Sigmoid), &[more]);
            b.op(Quantize { quant, dtype }, &[found])
        }
    }
}

/// The library merges such chains to tables, and crashes where they are long.
#[test]
fn chains_of_functions_of_one_integer() {
    for count in [1, 5, 8, 9, 10, 11, 12, 20, 40] {
        for first in 0..4 {
            let graph = graph(|b| {
                let x = b.input(DType::F32, [7, 9]);
                let dtype = DType::I8;
                let mut found = b.op(
                    Quantize {
                        quant: quant(0.031, 5),
                        dtype,
                    },
                    &[x],
                );
                for i in 0..count {
                    // The scales grow, so that a step off does not grow with the chain.
                    let quant = quant(0.0137 * 1.01f64.powi(i as i32), [3, -7][i % 2]);
                    let i = if count % 4 == 0 { first } else { first + i };
                    found = step(b, i, found, &quant);
                }
                vec![b.op(Dequantize { dtype: DType::F32 }, &[found])]
            });
            let fed = Tensor::from(tensor(count as u64, DType::F32, &[7, 9]));
            check_fed(&format!("{count} from {first}"), &graph, &[fed]);
        }
    }
}

/// The library makes a clamp in f32 of the minimum or maximum of integers and one number.
#[test]
fn extremes_of_words_and_a_number() {
    let words = [
        0,
        5,
        -5,
        16_777_217,
        -16_777_219,
        123_456_789,
        i32::MAX,
        i32::MIN,
    ];
    let (mut taken, mut refused) = (0, 0);
    for number in [
        0,
        7,
        -9,
        1 << 24,
        (1 << 24) + 1,
        -(1 << 30),
        i32::MAX,
        i32::MIN,
    ] {
        for f in [BinaryFn::Min, BinaryFn::Max] {
            let graph = graph(|b| {
                let x = b.input(DType::I32, [8]);
                let scalar = Scalar::Int(number.into());
                let c = b.constant(TensorData::splat(DType::I32, vec![1], scalar));
                vec![b.op(Binary { f }, &[x, c])]
            });
            let mut nodes = graph.nodes_in(graph.root());
            let node = nodes.find(|(_, n)| matches!(n.op, Op::Binary(_)));
            if support(&graph, node.unwrap().0).is_err() {
                refused += 1;
                continue;
            }
            taken += 1;
            let fed = Tensor::new(vec![8], words.to_vec());
            check_fed(&format!("{f:?} with {number}"), &graph, &[fed]);
        }
    }
    assert_eq!((taken, refused), (12, 4));
}

/// Averages whose results are quantised to the steps of their operands are added in PyTorch's order, and divided by what the op says.
#[test]
fn averages_between_equal_steps() {
    for kernel in [[2, 2], [1, 2], [3, 1], [4, 4]] {
        for divisor in [None, Some(2), Some(5), Some(6), Some(16)] {
            for stride in [[1, 1], kernel] {
                let f = PoolFn::Avg {
                    count_include_pad: true,
                    divisor,
                };
                let quant = quant(0.031, 5);
                let graph = graph(|b| {
                    let x = b.input(DType::F32, [2, 3, 12, 8]);
                    let (steps, dtype) = (quant.clone(), DType::I8);
                    let op = Quantize {
                        quant: steps,
                        dtype,
                    };
                    let float = Dequantize { dtype: DType::F32 };
                    let integers = b.op(op.clone(), &[x]);
                    let real = b.op(float.clone(), &[integers]);
                    let mean = b.op(pool(f, kernel, stride, [0, 0]), &[real]);
                    let integers = b.op(op, &[mean]);
                    vec![b.op(float, &[integers])]
                });
                let fed = Tensor::from(tensor(7, DType::F32, &[2, 3, 12, 8]));
                let name = format!("{kernel:?} by {divisor:?}, stride {stride:?}");
                check_fed(&name, &graph, &[fed]);
            }
        }
    }
}

/// A constant mask hides integers by a minimum and a maximum with integers of the same scale.
#[test]
fn masks_of_integers() {
    let types = [
        (DType::I8, -7, [-128, 127]),
        (DType::U8, 130, [0, 255]),
        (DType::I32, 0, [-32767, 32767]),
    ];
    let masks: [&[usize]; 4] = [&[2, 5, 7], &[1, 5, 7], &[1, 5, 1], &[2, 1, 1]];
    for (dtype, zero_point, [min, max]) in types {
        let scale = 0.031;
        let scheme = QuantScheme::PerTensor { scale, zero_point };
        let quant = Arc::new(Quant { scheme, min, max });
        for (seed, mask) in masks.into_iter().enumerate() {
            for (hidden, is_first) in [(min, true), (max, false), (zero_point + 3, true)] {
                let graph = graph(|b| {
                    let x = b.input(DType::F32, [2, 5, 7]);
                    let op = Quantize {
                        quant: quant.clone(),
                        dtype,
                    };
                    let x = b.op(op, &[x]);
                    let signs = tensor(seed as u64, DType::F32, mask);
                    let signs = signs.scalars().map(|s| Scalar::Bool(s.as_f64() > 0.0));
                    let mask = TensorData::from_scalars(DType::Bool, mask.to_vec(), signs);
                    let mask = b.constant(mask);
                    let data = TensorData::splat(dtype, vec![1; 3], Scalar::Int(hidden));
                    let mut ty = data.tensor_type();
                    ty.quant = Some(quant.clone());
                    let name = "hidden".into();
                    let hidden = b.rewriter.add_typed_constant(Constant { name, ty, data });
                    let hidden = b.op(kiln_ir::ops::Constant { value: hidden }, &[]);
                    let chosen = if is_first { [x, hidden] } else { [hidden, x] };
                    let y = b.op(Select {}, &[mask, chosen[0], chosen[1]]);
                    vec![b.op(Dequantize { dtype: DType::F32 }, &[y])]
                });
                let fed = Tensor::from(tensor(7, DType::F32, &[2, 5, 7]));
                check_fed(&format!("{dtype} {hidden} by {seed}"), &graph, &[fed]);
            }
        }
    }
}

/// Plain bytes move as they are, and become the floats that they are, each of them.
#[test]
fn plain_bytes_become_floats() {
    let every = |dtype: DType| {
        let (least, greatest) = dtype.int_range().unwrap_or((0, 1));
        let all = (0..256i64).map(|i| Scalar::Int(least + i % (greatest - least + 1)));
        let all: Vec<Scalar> = all.collect();
        Tensor::from(TensorData::from_scalars(dtype, vec![16, 16], all))
    };
    for dtype in [DType::I8, DType::U8, DType::Bool] {
        for to in [DType::F32, DType::F16, DType::BF16] {
            let name = format!("{dtype} to {to}");
            let alone = graph(|b| {
                let x = b.input(dtype, [16, 16]);
                let x = b.op(Cast { to }, &[x]);
                // A cast alone is left to a kernel.
                vec![b.op(Binary { f: BinaryFn::Add }, &[x, x])]
            });
            check_fed(&name, &alone, &[every(dtype)]);
            if dtype == DType::Bool {
                continue;
            }
            let moved = graph(|b| {
                let x = b.input(dtype, [16, 16]);
                let pad = Pad {
                    low: dims(&[1, 0]),
                    high: dims(&[0, 2]),
                    mode: PadMode::Constant(Scalar::Int(7)),
                };
                let padded = b.op(pad, &[x]);
                let movement = Movement::permute(&dims(&[17, 18]), &[1, 0]).unwrap();
                let moved = b.op(Move { movement }, &[padded]);
                let slice = |start: i64, step| Slice {
                    axis: 0,
                    start: start.into(),
                    len: 5.into(),
                    step,
                };
                let parts = [slice(3, 1), slice(1, 2)].map(|slice| b.op(slice, &[moved]));
                let all = b.op(Concat { axis: 0 }, &[moved, parts[0], parts[1]]);
                vec![b.op(Cast { to }, &[all])]
            });
            check_fed(&format!("{name}, moved"), &moved, &[every(dtype)]);
        }
    }
}

/// A number between two integers is truncated by PyTorch, and would be rounded here.
#[test]
fn plain_bytes_are_padded_with_whole_numbers() {
    for (number, is_taken) in [(7.0, true), (0.7, false)] {
        let graph = graph(|b| {
            let x = b.input(DType::U8, [2, 4]);
            let pad = Pad {
                low: dims(&[0, 1]),
                high: dims(&[0, 0]),
                mode: PadMode::Constant(Scalar::Float(number)),
            };
            vec![b.op(pad, &[x])]
        });
        let mut nodes = graph.nodes_in(graph.root());
        let (pad, _) = nodes.next().unwrap();
        assert_eq!(support(&graph, pad).is_ok(), is_taken, "{number}");
    }
}
