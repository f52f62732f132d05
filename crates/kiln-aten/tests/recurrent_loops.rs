//! Long recurrent layers as loops over blocks of time steps. They are compared with the same layers, unrolled.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod program;

use kiln_aten::Arg;
use kiln_check::run;
use kiln_eval::Tensor;
use kiln_ir::DType::F32;
use kiln_ir::{Graph, Op, TensorData};
use program::{Program, int, shape, tensors, try_graph_with};

const BATCH: i64 = 2;
const FEATURES: i64 = 3;

/// A layer as `torch.nn` describes it.
#[derive(Clone, Copy, Debug)]
struct Layer {
    target: &'static str,
    /// The number of gates.
    gates: i64,
    layers: i64,
    both_ways: bool,
    batch_first: bool,
    hidden: i64,
    /// The size of a projected `h`.
    projected: Option<i64>,
}

const LSTM: Layer = Layer {
    target: "aten.lstm.input",
    gates: 4,
    layers: 1,
    both_ways: false,
    batch_first: false,
    hidden: 4,
    projected: None,
};

const GRU: Layer = Layer {
    target: "aten.gru.input",
    gates: 3,
    ..LSTM
};

impl Layer {
    fn directions(&self) -> i64 {
        1 + i64::from(self.both_ways)
    }

    fn sizes_of_input(&self, steps: i64) -> [i64; 3] {
        match self.batch_first {
            true => [BATCH, steps, FEATURES],
            false => [steps, BATCH, FEATURES],
        }
    }

    /// The sizes of all parameters, in PyTorch's order.
    fn parameters(&self) -> Vec<Vec<i64>> {
        let (gates, out) = (
            self.gates * self.hidden,
            self.projected.unwrap_or(self.hidden),
        );
        let mut sizes = Vec::new();
        for layer in 0..self.layers {
            let from = if layer == 0 {
                FEATURES
            } else {
                out * self.directions()
            };
            for _ in 0..self.directions() {
                sizes.extend([
                    vec![gates, from],
                    vec![gates, out],
                    vec![gates],
                    vec![gates],
                ]);
                sizes.extend(self.projected.map(|out| vec![out, self.hidden]));
            }
        }
        sizes
    }

    fn call(&self, p: &mut Program<'_>, steps: i64) -> Vec<Arg> {
        let x = p.input("x", F32, &shape(&self.sizes_of_input(steps)));
        let count = self.layers * self.directions();
        let mut states = vec![p.input(
            "h",
            F32,
            &shape(&[count, BATCH, self.projected.unwrap_or(self.hidden)]),
        )];
        if self.target == LSTM.target {
            states.push(p.input("c", F32, &shape(&[count, BATCH, self.hidden])));
        }
        let states = match states.as_slice() {
            [only] => only.clone(),
            all => tensors(all),
        };
        let sizes = self.parameters();
        let weights = sizes.iter().enumerate().map(|(i, sizes)| {
            let sizes: Vec<usize> = sizes.iter().map(|&n| n as usize).collect();
            p.constant(TensorData::from(numbers(i, &sizes)))
        });
        let weights: Vec<Arg> = weights.collect();
        let flags = [
            Arg::Bool(true),
            int(self.layers),
            Arg::Float(0.0),
            Arg::Bool(false),
            Arg::Bool(self.both_ways),
            Arg::Bool(self.batch_first),
        ];
        let args = [&[x, states, tensors(&weights)], flags.as_slice()].concat();
        p.all(self.target, &args)
    }

    fn graph(&self, steps: i64, loops: bool) -> Graph {
        try_graph_with(
            |importer| importer.with_loops(loops),
            |p| Ok(self.call(p, steps)),
        )
        .unwrap()
    }

    fn inputs(&self, steps: i64) -> Vec<Tensor> {
        let count = (self.layers * self.directions()) as usize;
        let sizes = self.sizes_of_input(steps).map(|n| n as usize);
        let h = self.projected.unwrap_or(self.hidden) as usize;
        let mut inputs = vec![
            numbers(100, &sizes),
            numbers(101, &[count, BATCH as usize, h]),
        ];
        if self.target == LSTM.target {
            inputs.push(numbers(102, &[count, BATCH as usize, self.hidden as usize]));
        }
        inputs
    }
}

/// Numbers between -1/2 and 1/2 that differ for each seed.
fn numbers(seed: usize, sizes: &[usize]) -> Tensor {
    let count: usize = sizes.iter().product();
    let number = |i: usize| ((i * 31 + seed * 17 + 5) * 7919 % 1009) as f32 / 1009.0 - 0.5;
    Tensor::new(sizes.to_vec(), (0..count).map(number).collect::<Vec<f32>>())
}

fn loops(graph: &Graph) -> usize {
    let nodes = graph.nodes_in(graph.root());
    nodes.filter(|(_, n)| matches!(n.op, Op::While(_))).count()
}

fn all_layers() -> Vec<Layer> {
    let cells = [
        LSTM,
        Layer {
            projected: Some(2),
            ..LSTM
        },
        GRU,
        Layer {
            target: "aten.rnn_tanh.input",
            gates: 1,
            ..LSTM
        },
        Layer {
            target: "aten.rnn_relu.input",
            gates: 1,
            ..LSTM
        },
    ];
    let mut all = Vec::new();
    for cell in cells {
        for (layers, both_ways, batch_first) in [
            (1, false, false),
            (2, false, true),
            (1, true, true),
            (2, true, false),
        ] {
            all.push(Layer {
                layers,
                both_ways,
                batch_first,
                ..cell
            });
        }
    }
    all
}

/// Blocks have 32 steps here: 544 steps are 17 blocks, 515 and 513 steps leave 3 and 1 behind the loop.
#[test]
fn loops_compute_what_steps_do() {
    let mut elements = 0;
    for layer in all_layers() {
        for steps in [544, 515, 513] {
            elements += check(&layer, steps);
        }
    }
    assert!(elements > 300_000, "{elements} elements were compared");
}

/// A step that reads more weights than a block may is a block.
#[test]
fn blocks_of_one_step_compute_what_steps_do() {
    for both_ways in [false, true] {
        let layer = Layer {
            hidden: 384,
            both_ways,
            ..GRU
        };
        assert!(check(&layer, 513) > 300_000);
    }
}

/// Compares a layer as a loop with the same layer unrolled. Gives the number of elements that are not 0.
fn check(layer: &Layer, steps: i64) -> usize {
    let [unrolled, looped] = [false, true].map(|loops| layer.graph(steps, loops));
    let expected = if layer.both_ways { layer.layers } else { 1 };
    assert_eq!(
        (loops(&unrolled), loops(&looped)),
        (0, expected as usize),
        "{layer:?}"
    );
    let inputs = layer.inputs(steps);
    let [expected, found] = [&unrolled, &looped].map(|graph| run(graph, &inputs).unwrap());
    assert_eq!(expected.len(), found.len());
    let mut elements = 0;
    for (expected, found) in expected.iter().zip(&found) {
        assert_eq!(expected.sizes(), found.sizes(), "{layer:?}");
        let [expected, found] = [expected, found].map(|t| TensorData::from(t.clone()));
        for (a, b) in expected.scalars().zip(found.scalars()) {
            let (a, b) = (a.as_f64(), b.as_f64());
            let is_near = (a - b).abs() <= 1e-5 * a.abs().max(1.0);
            assert!(is_near, "{layer:?}, {steps} steps: {a} {b}");
            elements += usize::from(a != 0.0);
        }
    }
    elements
}

#[test]
fn a_long_layer_takes_no_more_nodes() {
    for layer in all_layers() {
        let [short, long] = [544, 54_400].map(|steps| layer.graph(steps, true).node_count());
        assert_eq!(short, long, "{layer:?}");
    }
}

/// What the program computes cannot be named in a loop's body; layers with such weights stay unrolled.
#[test]
fn computed_weights_are_no_constants_of_a_loop() {
    let graph = try_graph_with(
        |importer| importer.with_loops(true),
        |p| {
            let x = p.input("x", F32, &shape(&[600, 1, 3]));
            let h = p.input("h", F32, &shape(&[1, 1, 4]));
            let weights = [[4, 3], [4, 4]].map(|sizes| p.input("w", F32, &shape(&sizes)));
            let flags = [
                Arg::Bool(false),
                int(1),
                Arg::Float(0.0),
                Arg::Bool(false),
                Arg::Bool(false),
                Arg::Bool(false),
            ];
            let args = [&[x, h, tensors(&weights)], flags.as_slice()].concat();
            Ok(p.all("aten.rnn_tanh.input", &args))
        },
    );
    assert_eq!(loops(&graph.unwrap()), 0);
}
