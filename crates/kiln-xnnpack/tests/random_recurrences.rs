//! Random recurrences and ops on their states: a program that calls one block for each step gives the evaluator's results
//! on the stock runtime, in its planned memory.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;
mod device;

use build::{Build, dims, graph};
use kiln_check::Random;
use kiln_check::check_elsewhere;
use kiln_eval::Tensor;
use kiln_ir::ops::*;
use kiln_ir::{DType, Dim, Graph, Movement, TensorData, ValueId};
use kiln_portable::region::Region;
use kiln_transforms::framework::pass::{Options as Pipeline, run_pipeline};
use kiln_xnnpack::{Options, Xnnpack, compile, pipeline};

const SIZE: i64 = 32;

fn sizes(b: &Build<'_>, v: ValueId) -> Vec<i64> {
    let sizes = b.rewriter.graph().ty(v).shape.as_static().unwrap();
    sizes.into_iter().map(|n| n as i64).collect()
}

fn unary(b: &mut Build<'_>, f: Simple, x: ValueId) -> ValueId {
    b.op(Unary { f: f.into() }, &[x])
}

fn binary(b: &mut Build<'_>, f: BinaryFn, x: ValueId, y: ValueId) -> ValueId {
    b.op(Binary { f }, &[x, y])
}

fn slice(b: &mut Build<'_>, x: ValueId, axis: usize, start: i64, len: i64, step: i64) -> ValueId {
    let (start, len) = (Dim::constant(start), Dim::constant(len));
    b.op(
        Slice {
            axis,
            start,
            len,
            step,
        },
        &[x],
    )
}

/// Random weights, so small that sums stay near 1.
fn weights(b: &mut Build<'_>, sizes: &[usize]) -> ValueId {
    let plain = b.weights(DType::F32, sizes);
    let data = b.rewriter.graph().as_constant(plain).unwrap().data.clone();
    let inputs = *sizes.last().unwrap() as f64;
    let scaled = data
        .scalars()
        .map(|n| kiln_ir::Scalar::Float(n.as_f64() / inputs.sqrt() / 2.0));
    let scaled = TensorData::from_scalars(DType::F32, sizes.to_vec(), scaled);
    b.constant(scaled)
}

/// Recurrences, one after the other: the first reads the rows of an input, or of what is made of them at once; the next
/// reads the states of the one before. Gives the states of the last one.
fn recurrence(b: &mut Build<'_>, random: &mut Random, steps: i64) -> Vec<Vec<ValueId>> {
    let mut x = b.input(DType::F32, [steps, SIZE]);
    if random.chance(40) {
        let w = weights(b, &[SIZE as usize; 2]);
        let product = b.op(Linear {}, &[x, w]);
        x = unary(b, Simple::Tanh, product);
    }
    let rows = (0..steps).map(|step| slice(b, x, 0, step, 1, 1)).collect();
    let mut states = layer(b, random, rows);
    if random.chance(30) {
        let below = random.pick(&states).clone();
        let rows = match random.chance(50) {
            true => below,
            false => {
                let joined = b.op(Concat { axis: 0 }, &below);
                (0..steps)
                    .map(|step| slice(b, joined, 0, step, 1, 1))
                    .collect()
            }
        };
        states = layer(b, random, rows);
    }
    states
}

/// A recurrence with two states in each step. The second reads the first.
fn layer(b: &mut Build<'_>, random: &mut Random, rows: Vec<ValueId>) -> Vec<Vec<ValueId>> {
    let mut h = b.input(DType::F32, [1, SIZE]);
    let mut c = b.input(DType::F32, [1, SIZE]);
    let square = [SIZE as usize; 2];
    let (w, u, v) = (
        weights(b, &square),
        weights(b, &square),
        weights(b, &square),
    );
    let gated = random.chance(50);
    let mut states = vec![Vec::new(), Vec::new()];
    for part in rows {
        let product = b.op(Linear {}, &[part, w]);
        let hidden = b.op(Linear {}, &[h, u]);
        let sum = binary(b, BinaryFn::Add, product, hidden);
        h = unary(b, Simple::Tanh, sum);
        let gate = b.op(Linear {}, &[h, v]);
        let gate = unary(b, Simple::Sigmoid, gate);
        c = binary(b, BinaryFn::Mul, gate, c);
        if gated {
            c = binary(b, BinaryFn::Add, c, h);
        }
        states[0].push(h);
        states[1].push(c);
    }
    states
}

/// Joins of the states, in order or in reverse order, along either axis.
fn joins(b: &mut Build<'_>, random: &mut Random, states: &[Vec<ValueId>]) -> Vec<ValueId> {
    let mut pool = Vec::new();
    for of in states {
        pool.push(*of.last().unwrap());
        for _ in 0..2 {
            let mut parts = of.clone();
            if random.chance(40) {
                parts.reverse();
            }
            let axis = random.below(2);
            let joined = b.op(Concat { axis }, &parts);
            let as_rows = dims(&[parts.len() as i64, SIZE]);
            pool.push(match axis {
                0 => joined,
                _ => reshaped(b, joined, &as_rows),
            });
        }
    }
    pool
}

/// The product of a layer on the states and a layer on the states in reverse order.
fn mirrored(b: &mut Build<'_>, random: &mut Random, states: &[Vec<ValueId>]) -> ValueId {
    let mut ends = [random.pick(states).clone(), random.pick(states).clone()];
    ends[1].reverse();
    let computed = ends.map(|parts| {
        let joined = b.op(Concat { axis: 0 }, &parts);
        let weight = weights(b, &[3, SIZE as usize]);
        b.op(Linear {}, &[joined, weight])
    });
    binary(b, BinaryFn::Mul, computed[0], computed[1])
}

fn reshaped(b: &mut Build<'_>, x: ValueId, to: &[Dim]) -> ValueId {
    let from = dims(&sizes(b, x));
    let reshape = Movement::reshape(&from, to, &kiln_ir::Symbols::default()).unwrap();
    let steps: Vec<Movement> = reshape.steps.steps().into_iter().cloned().collect();
    steps
        .into_iter()
        .fold(x, |x, movement| b.op(Move { movement }, &[x]))
}

/// Adds an op on one of these values.
fn grow(b: &mut Build<'_>, random: &mut Random, pool: &[ValueId]) -> ValueId {
    let x = *random.pick(pool);
    let shape = sizes(b, x);
    let last = shape.len() - 1;
    let alike: Vec<ValueId> = pool
        .iter()
        .copied()
        .filter(|&v| sizes(b, v) == shape)
        .collect();
    let other = *random.pick(&alike);
    match random.below(12) {
        0 | 1 => {
            let features = random.between(1, 3) as usize;
            let weight = weights(b, &[features, shape[last] as usize]);
            b.op(Linear {}, &[x, weight])
        }
        2 => unary(b, Simple::Tanh, x),
        3 => binary(b, BinaryFn::Add, x, other),
        4 => binary(b, BinaryFn::Mul, x, other),
        5 => {
            let row = weights(b, &[shape[last] as usize]);
            let mut as_rows = vec![1; shape.len()];
            as_rows[last] = shape[last];
            let row = reshaped(b, row, &dims(&as_rows));
            binary(b, BinaryFn::Mul, x, row)
        }
        6 => {
            let axes = vec![if random.chance(75) { last } else { 0 }];
            let f = ReduceFn::Mean;
            let mean = b.op(Reduce { f, axes }, &[x]);
            binary(b, BinaryFn::Sub, x, mean)
        }
        7 => {
            let start = random.between(0, shape[0] - 1);
            let len = random.between(1, shape[0] - start);
            slice(b, x, 0, start, len, 1)
        }
        8 => {
            let len = (shape[last] + 1) / 2;
            slice(b, x, last, 0, len, 1)
        }
        9 => b.op(Concat { axis: last }, &[x, other]),
        10 => {
            let mut to = shape.clone();
            to.insert(random.below(to.len() + 1), 1);
            match to.len() {
                4.. => unary(b, Simple::Sigmoid, x),
                _ => reshaped(b, x, &dims(&to)),
            }
        }
        _ => {
            let order: Vec<usize> = (0..shape.len()).rev().collect();
            let movement = Movement::permute(&dims(&shape), &order).unwrap();
            b.op(Move { movement }, &[x])
        }
    }
}

fn random_recurrence(seed: u64) -> Graph {
    let mut random = Random::new(seed);
    graph(|b| {
        let steps = random.between(2, 6);
        let states = recurrence(b, &mut random, steps);
        let mut pool = joins(b, &mut random, &states);
        if random.chance(50) {
            pool = vec![mirrored(b, &mut random, &states)];
        }
        for _ in 0..random.below(7) {
            let next = grow(b, &mut random, &pool);
            pool.push(next);
        }
        let mut results = vec![*pool.last().unwrap()];
        for _ in 0..random.below(3) {
            results.push(*random.pick(&pool));
        }
        results
    })
}

fn inputs(graph: &Graph, seed: u64) -> Vec<Tensor> {
    let params = graph.block(graph.root()).params.iter().enumerate();
    let tensors = params.map(|(i, &v)| {
        let sizes = graph.ty(v).shape.as_static().unwrap();
        let data: TensorData = build::tensor(seed * 8 + i as u64, DType::F32, &sizes);
        Tensor::from(data)
    });
    tensors.collect()
}

#[test]
fn recurrences_in_blocks_give_what_the_graph_means() {
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let options = Options {
        cached_bytes: 0,
        ..Options::default()
    };
    let mut counts = Counts::default();
    for seed in 1..=SEEDS {
        let mut graph = random_recurrence(seed);
        let inputs = inputs(&graph, seed);
        let before = graph.clone();
        let target = Xnnpack::new(options);
        run_pipeline(&mut graph, &target, pipeline(), &Pipeline::default()).unwrap();
        let regions = compile(&graph, &options).unwrap();
        counts.count(&regions, graph.cells().count() > 0);
        let found = device::run(&runner, &graph, regions, &inputs);
        check_elsewhere(&before, &inputs, &found).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
    eprintln!("{counts:?} of {SEEDS}");
    let Counts {
        alone,
        filled,
        in_front,
        behind,
        several,
    } = counts;
    for (what, count) in [
        ("blocks alone", alone),
        ("blocks that read what is not made yet", filled),
        ("a delegate in front of blocks", in_front),
        ("a delegate behind blocks", behind),
        ("several runs of blocks", several),
    ] {
        assert!(count > 2, "{count} with {what}");
    }
}

/// The number of recurrences. More are run by changing it.
const SEEDS: u64 = 150;

/// How many programs have which delegates.
#[derive(Debug, Default)]
struct Counts {
    /// Calls of one delegate only.
    alone: u64,
    /// Of these, those whose tail reads zeros in place of what later blocks make.
    filled: u64,
    in_front: u64,
    behind: u64,
    several: u64,
}

impl Counts {
    fn count(&mut self, regions: &[Region], has_cells: bool) {
        let times = |r: &Region| regions.iter().filter(|o| o.blob() == r.blob()).count();
        let repeated: Vec<usize> = (0..regions.len())
            .filter(|&i| times(&regions[i]) > 1)
            .collect();
        let (Some(&first), Some(&last)) = (repeated.first(), repeated.last()) else {
            return;
        };
        let is_alone = times(&regions[0]) == regions.len();
        self.alone += u64::from(is_alone);
        self.filled += u64::from(is_alone && has_cells);
        self.in_front += u64::from(first > 0);
        self.behind += u64::from(last + 1 < regions.len());
        self.several += u64::from(times(&regions[first]) < repeated.len());
    }
}
