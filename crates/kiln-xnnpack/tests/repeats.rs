//! Equal blocks with weights too large for a cache become one delegate, which is called once for each block.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;
mod device;

use build::{Build, graph};
use kiln_check::check_elsewhere;
use kiln_eval::Tensor;
use kiln_ir::ops::{
    Binary, BinaryFn, Concat, Linear, Move, Reduce, ReduceFn, Simple, Slice, Unary,
};
use kiln_ir::{DType, Dim, Graph, Movement, TensorData, ValueId};
use kiln_portable::region::Region;
use kiln_transforms::framework::pass::{Options as Pipeline, run_pipeline};
use kiln_xnnpack::{Options, Xnnpack, compile, pipeline};

const STEPS: i64 = 4;

fn weights(b: &mut Build<'_>, seed: usize, rows: usize, columns: usize) -> ValueId {
    let number = |i: usize| (((i + seed) * 7919) % 1009) as f32 / 504.5 - 1.0;
    let scale = 1.0 / (columns as f32).sqrt();
    let elements: Vec<f32> = (0..rows * columns).map(|i| number(i) * scale).collect();
    b.constant(TensorData::from_f32(vec![rows, columns], &elements))
}

/// A graph that returns the state after each step of `h = tanh(x[t] w + h u)`, and other results.
fn recurrence(
    size: usize,
    results: impl FnOnce(&mut Build<'_>, &[ValueId]) -> Vec<ValueId>,
) -> Graph {
    let mut made = graph(|b| {
        let size_here = size as i64;
        let x = b.input(DType::F32, [1, STEPS, size_here]);
        let mut h = b.input(DType::F32, [1, size_here]);
        let (w, u) = (weights(b, 1, size, size), weights(b, 2, size, size));
        let mut states = Vec::new();
        for step in 0..STEPS {
            let (axis, start, len) = (1, Dim::constant(step), Dim::constant(1));
            let cut = Slice {
                axis,
                start,
                len,
                step: 1,
            };
            let part = b.op(cut, &[x]);
            let shape = [1, 1, size_here].map(Dim::constant);
            let movement = Movement::squeeze(&shape, &[1]).unwrap();
            let part = b.op(Move { movement }, &[part]);
            let product = b.op(Linear {}, &[part, w]);
            let hidden = b.op(Linear {}, &[h, u]);
            let sum = b.op(Binary { f: BinaryFn::Add }, &[product, hidden]);
            h = b.op(
                Unary {
                    f: Simple::Tanh.into(),
                },
                &[sum],
            );
            states.push(h);
        }
        results(b, &states)
    });
    let target = Xnnpack::default();
    run_pipeline(&mut made, &target, pipeline(), &Pipeline::default()).unwrap();
    made
}

fn head_of_last(b: &mut Build<'_>, states: &[ValueId]) -> Vec<ValueId> {
    let size = 1024;
    let head = weights(b, 3, 3, size);
    vec![b.op(Linear {}, &[*states.last().unwrap(), head])]
}

fn regions(graph: &Graph) -> Vec<Region> {
    compile(graph, &Options::default()).unwrap()
}

/// The program calls one delegate once for each step, and gives the evaluator's results on the device.
fn runs_in_calls(graph: &Graph, calls: usize) {
    runs_around(graph, calls, [0, 0]);
}

/// The same with so many other delegates in front of the steps and behind them.
fn runs_around(graph: &Graph, calls: usize, [before, behind]: [usize; 2]) {
    let regions = regions(graph);
    assert_eq!(regions.len(), before + calls + behind);
    let steps = &regions[before..before + calls];
    for (number, region) in regions.iter().enumerate() {
        let is_step = (before..before + calls).contains(&number);
        assert_eq!(region.blob() == steps[0].blob(), is_step, "region {number}");
    }
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let inputs = [vec![1, STEPS as usize, 1024], vec![1, 1024]].map(|sizes| {
        let count: usize = sizes.iter().product();
        let elements: Vec<f32> = (0..count).map(|i| ((i % 13) as f32 - 6.0) / 6.0).collect();
        Tensor::new(sizes, elements)
    });
    let found = device::run(&runner, graph, regions, &inputs);
    check_elsewhere(graph, &inputs, &found).unwrap();
}

fn small_head(b: &mut Build<'_>, sequence: ValueId) -> ValueId {
    let head = weights(b, 3, 3, 1024);
    let scores = b.op(Linear {}, &[sequence, head]);
    b.op(
        Unary {
            f: Simple::Tanh.into(),
        },
        &[scores],
    )
}

#[test]
fn a_block_is_called_for_each_step_with_what_follows_the_last() {
    runs_in_calls(&recurrence(1024, head_of_last), STEPS as usize);
}

#[test]
fn the_joined_steps_are_written_where_they_lie() {
    let graph = recurrence(1024, |b, states| vec![b.op(Concat { axis: 1 }, states)]);
    runs_in_calls(&graph, STEPS as usize);
    let rows = recurrence(1024, |b, states| {
        let rows = b.op(Concat { axis: 0 }, states);
        vec![rows, *states.last().unwrap()]
    });
    runs_in_calls(&rows, STEPS as usize);
}

#[test]
fn what_works_on_each_step_is_in_each_block() {
    let graph = recurrence(1024, |b, states| {
        let sequence = b.op(Concat { axis: 0 }, states);
        vec![small_head(b, sequence)]
    });
    runs_in_calls(&graph, STEPS as usize);
}

#[test]
fn one_step_of_the_joined_ones_is_read_where_it_is_made() {
    let graph = recurrence(1024, |b, states| {
        let sequence = b.op(Concat { axis: 0 }, states);
        let picked = b.op(
            Slice {
                axis: 0,
                start: Dim::constant(STEPS - 1),
                len: Dim::constant(1),
                step: 1,
            },
            &[sequence],
        );
        vec![small_head(b, picked), sequence]
    });
    runs_in_calls(&graph, STEPS as usize);
}

#[test]
fn what_meets_the_mirrored_step_is_computed_once_both_are_there() {
    let graph = recurrence(1024, |b, states| {
        let mirrored: Vec<ValueId> = states.iter().rev().copied().collect();
        let (there, back) = (
            b.op(Concat { axis: 0 }, states),
            b.op(Concat { axis: 0 }, &mirrored),
        );
        let (there, back) = (small_head(b, there), small_head(b, back));
        vec![b.op(Binary { f: BinaryFn::Mul }, &[there, back])]
    });
    runs_in_calls(&graph, STEPS as usize);
}

#[test]
fn what_mixes_the_steps_follows_them_in_a_call_of_its_own() {
    let mean = recurrence(1024, |b, states| {
        let sequence = b.op(Concat { axis: 0 }, states);
        let f = ReduceFn::Mean;
        vec![b.op(Reduce { f, axes: vec![0] }, &[sequence])]
    });
    runs_around(&mean, STEPS as usize, [0, 1]);
    let large = recurrence(1024, |b, states| {
        let sequence = b.op(Concat { axis: 0 }, states);
        let head = weights(b, 3, 1024, 1024);
        vec![b.op(Linear {}, &[sequence, head])]
    });
    runs_around(&large, STEPS as usize, [0, 1]);
}

#[test]
fn weights_that_a_cache_holds_stay_in_one_call() {
    let graph = recurrence(64, |_, states| vec![*states.last().unwrap()]);
    assert_eq!(regions(&graph).len(), 1);
}
