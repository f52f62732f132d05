//! Layers of integers with constant parameters, in torchao's calls. Each result is what the calls compute one by one, whether or not they are
//! a layer of dequantised activations and weights to Kiln.

mod program;

use kiln_aten::Arg;
use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::DType::{F32, I8, I32};
use kiln_ir::{Graph, Op, Scalar, TensorData, ValueId};
use program::{Program, graph, int, ints, shape};

/// The parameters of a layer of 3 features and 2 channels, over 4 rows.
#[derive(Clone, Debug)]
struct Layer {
    /// The scales that quantise the input: one, or one for each row.
    scales: Vec<f32>,
    /// The scales behind the product.
    scales_behind: Vec<f32>,
    zero_points: Vec<i64>,
    /// What is subtracted from the scaled sums, a row for each of `zero_points`; nothing if all are 0.
    offset: Vec<f32>,
    weight_scales: Vec<f32>,
    is_weight_constant: bool,
    bias: Vec<f32>,
    /// Axes of size 1 in front of the bias, and of the offset.
    axes_of_bias: usize,
    axes_of_offset: usize,
}

const ROWS: usize = 4;
const FEATURES: usize = 3;
const CHANNELS: usize = 2;
/// Row-major, a row for each channel.
const WEIGHT: [i64; 6] = [3, -7, 127, -128, 64, 5];
const SUMS: [f32; CHANNELS] = [123.0, -59.0];

/// A layer about a zero point for the whole input.
fn whole(zero_point: i64) -> Layer {
    Layer {
        scales: vec![0.03],
        scales_behind: vec![0.03],
        zero_points: vec![zero_point],
        offset: SUMS.map(|sum| zero_point as f32 * 0.03 * sum).to_vec(),
        weight_scales: vec![0.5, 0.01],
        is_weight_constant: true,
        bias: vec![4.5, -2.0],
        axes_of_bias: 0,
        axes_of_offset: 0,
    }
}

/// A layer of rows about zero points of their own.
fn by_row(zero_points: [i64; ROWS]) -> Layer {
    let scales = vec![0.03, 0.01, 0.02, 0.04];
    let rows = scales.iter().zip(zero_points);
    let offset = rows.flat_map(|(scale, z)| SUMS.map(|sum| z as f32 * scale * sum));
    Layer {
        offset: offset.collect(),
        scales_behind: scales.clone(),
        scales,
        zero_points: zero_points.to_vec(),
        ..whole(0)
    }
}

fn input() -> Vec<f32> {
    let element = |i: usize| ((i * 37) % 23) as f32 * 0.21 - 2.0;
    (0..ROWS * FEATURES).map(element).collect()
}

impl Layer {
    fn has_zero_point(&self) -> bool {
        self.zero_points.iter().any(|&z| z != 0)
    }

    /// The calls.
    fn graph(&self) -> Graph {
        graph(|p| {
            let x = p.input("x", F32, &shape(&[ROWS as i64, FEATURES as i64]));
            let weight = match self.is_weight_constant {
                true => bytes(p, vec![CHANNELS, FEATURES], &WEIGHT),
                false => p.input("w", I8, &shape(&[CHANNELS as i64, FEATURES as i64])),
            };
            let column =
                |p: &mut Program<'_>, values: &[f32]| floats(p, vec![values.len(), 1], values);
            let scale = column(p, &self.scales);
            let zero_point = bytes(p, vec![self.zero_points.len(), 1], &self.zero_points);
            let block = ROWS as i64 / self.scales.len() as i64;
            let parameters = [ints(&[block, FEATURES as i64]), scale, zero_point];
            let range = [Arg::DType(I8), int(-128), int(127)];
            let args: Vec<Arg> = [x].into_iter().chain(parameters).chain(range).collect();
            let stored = p.call("torchao.quantize_affine.default", &args);
            let turned = p.call("aten.t.default", &[weight]);
            let rows = p.call(
                "aten.reshape.default",
                &[stored, ints(&[-1, FEATURES as i64])],
            );
            let sums = p.call("aten._int_mm.default", &[rows, turned]);
            let sums = p.call("aten.to.dtype", &[sums, Arg::DType(F32)]);
            let behind = column(p, &self.scales_behind);
            let mut y = p.call("aten.mul.Tensor", &[sums, behind]);
            if self.has_zero_point() {
                let sizes = [self.offset.len() / CHANNELS, CHANNELS];
                let sizes = [vec![1; self.axes_of_offset], sizes.to_vec()].concat();
                let offset = floats(p, sizes, &self.offset);
                y = p.call("aten.sub.Tensor", &[y, offset]);
            }
            let scales = floats(p, vec![self.weight_scales.len()], &self.weight_scales);
            y = p.call("aten.mul.Tensor", &[y, scales]);
            y = p.call("aten.reshape.default", &[y, ints(&[2, 2, CHANNELS as i64])]);
            let sizes = [vec![1; self.axes_of_bias], vec![self.bias.len()]].concat();
            let bias = floats(p, sizes, &self.bias);
            vec![p.call("aten.add.Tensor", &[y, bias])]
        })
    }

    /// What the calls compute.
    fn expected(&self) -> Vec<f64> {
        let x = input();
        let of = |row: usize, channel: usize| {
            let (scale, zero_point) = (
                at(&self.scales, row),
                self.zero_points[row % self.zero_points.len()],
            );
            let sum: f64 = (0..FEATURES)
                .map(|i| {
                    let step = (f64::from(x[row * FEATURES + i]) / scale).round_ties_even();
                    let integer = (step + zero_point as f64).clamp(-128.0, 127.0);
                    integer * WEIGHT[channel * FEATURES + i] as f64
                })
                .sum();
            let offset = match self.has_zero_point() {
                true => at(&self.offset, row * CHANNELS % self.offset.len() + channel),
                false => 0.0,
            };
            let scaled = sum * at(&self.scales_behind, row) - offset;
            scaled * at(&self.weight_scales, channel) + at(&self.bias, channel)
        };
        (0..ROWS * CHANNELS)
            .map(|i| of(i / CHANNELS, i % CHANNELS))
            .collect()
    }

    /// True if the calls are one layer. Checks what it computes.
    fn is_layer(&self) -> bool {
        let graph = self.graph();
        let mut inputs = vec![Tensor::new(vec![ROWS, FEATURES], input())];
        if !self.is_weight_constant {
            let weight = WEIGHT.map(|w| w as i8).to_vec();
            inputs.push(Tensor::new(vec![CHANNELS, FEATURES], weight));
        }
        let mut state = State::new(&graph);
        let outcome = evaluate(&graph, &inputs, &mut state, &Options::default());
        let outcome = outcome.expect("the graph runs");
        let found = outcome.outputs[0].elements::<f32>().expect("f32");
        assert_eq!(found.len(), self.expected().len());
        for (found, expected) in found.iter().zip(self.expected()) {
            let distance = (f64::from(*found) - expected).abs();
            assert!(distance < 1e-3, "{found} in place of {expected}");
        }
        let [result] = graph.block(graph.root()).results[..] else {
            panic!("one result")
        };
        is_linear(&graph, result)
    }
}

fn at(values: &[f32], index: usize) -> f64 {
    f64::from(values[index % values.len()])
}

/// True for the moved result of a linear layer with a bias and with quantised weights.
fn is_linear(graph: &Graph, value: ValueId) -> bool {
    let Some(id) = graph.producer(value) else {
        return false;
    };
    let node = graph.node(id);
    match &node.op {
        Op::Move(_) => is_linear(graph, node.operands[0]),
        Op::Linear(_) => {
            let op = graph.producer_op(node.operands[1]);
            node.operands.len() == 3 && matches!(op, Some(Op::Dequantize(_)))
        }
        _ => false,
    }
}

fn floats(p: &mut Program<'_>, sizes: Vec<usize>, values: &[f32]) -> Arg {
    p.constant(TensorData::from_f32(sizes, values))
}

fn bytes(p: &mut Program<'_>, sizes: Vec<usize>, values: &[i64]) -> Arg {
    let scalars = values.iter().map(|&v| Scalar::Int(v));
    p.constant(TensorData::from_scalars(I8, sizes, scalars))
}

#[test]
fn integers_with_constant_parameters_are_layers() {
    for layer in [
        whole(0),
        whole(-20),
        by_row([0; ROWS]),
        by_row([1, -20, 0, 30]),
    ] {
        assert!(layer.is_layer());
    }
    let one_scale = Layer {
        weight_scales: vec![0.25],
        ..whole(0)
    };
    assert!(one_scale.is_layer());
    let bias_of_more_axes = Layer {
        axes_of_bias: 3,
        ..whole(0)
    };
    assert!(bias_of_more_axes.is_layer());
    // What quantises need not be what dequantises.
    let other_scale = Layer {
        scales_behind: vec![0.5],
        ..whole(0)
    };
    assert!(other_scale.is_layer());
}

#[test]
fn what_is_no_layer_is_computed_as_it_stands() {
    let near_misses = [
        Layer {
            is_weight_constant: false,
            ..whole(0)
        },
        Layer {
            weight_scales: vec![0.5, -0.01],
            ..whole(0)
        },
        // These subtract other numbers than the zero points add.
        Layer {
            offset: whole(-21).offset,
            ..whole(-20)
        },
        Layer {
            offset: whole(-20).offset,
            ..by_row([-20; ROWS])
        },
        Layer {
            scales_behind: vec![0.5],
            ..whole(-20)
        },
        // This adds an axis to the sums.
        Layer {
            axes_of_offset: 1,
            ..whole(-20)
        },
    ];
    for layer in near_misses {
        assert!(!layer.is_layer(), "{layer:?}");
    }
}

/// Sums of integers that no scale follows stay integers.
#[test]
fn sums_that_nothing_scales_are_integers() {
    let graph = graph(|p| {
        let x = p.input("x", I8, &shape(&[2, 3]));
        let weight = bytes(p, vec![3, 2], &WEIGHT);
        vec![p.call("aten._int_mm.default", &[x, weight])]
    });
    let [result] = graph.block(graph.root()).results[..] else {
        panic!("one result")
    };
    assert_eq!(graph.ty(result).dtype, I32);
}
