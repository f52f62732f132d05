//! Recurrent layers with large weights are unrolled in blocks. They are compared with one call for each time step and layer.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod program;

use kiln_aten::Arg;
use kiln_check::{Close, Side, difference, run};
use kiln_eval::Tensor;
use kiln_ir::DType::F32;
use kiln_ir::Op;
use program::{Program, graph, int, ints, shape, tensors, try_graph};

const STEPS: i64 = 4;
const HIDDEN: i64 = 512;

/// A tensor of numbers that differ for each seed.
fn numbers(seed: usize, sizes: &[usize]) -> Tensor {
    let count: usize = sizes.iter().product();
    let number = |i: usize| (((i + seed) * 7919 % 1009) as f32 / 504.5 - 1.0) / 16.0;
    Tensor::new(sizes.to_vec(), (0..count).map(number).collect::<Vec<f32>>())
}

fn sizes() -> [Vec<i64>; 7] {
    let gates = 4 * HIDDEN;
    [
        vec![1, STEPS, 3],
        vec![2, 1, HIDDEN],
        vec![2, 1, HIDDEN],
        vec![gates, 3],
        vec![gates, HIDDEN],
        vec![gates, HIDDEN],
        vec![gates, HIDDEN],
    ]
}

fn inputs(p: &mut Program<'_>) -> Vec<Arg> {
    sizes()
        .iter()
        .enumerate()
        .map(|(i, s)| p.input(&format!("x{i}"), F32, &shape(s)))
        .collect()
}

fn lstm(p: &mut Program<'_>, x: &Arg, states: &[Arg], weights: &[Arg]) -> Vec<Arg> {
    let layers = weights.len() as i64 / 2;
    let flags = [
        Arg::Bool(false),
        int(layers),
        Arg::Float(0.0),
        Arg::Bool(false),
        Arg::Bool(false),
        Arg::Bool(true),
    ];
    let args = [
        &[x.clone(), tensors(states), tensors(weights)],
        flags.as_slice(),
    ]
    .concat();
    p.all("aten.lstm.input", &args)
}

fn given() -> Vec<Tensor> {
    let given = sizes();
    let tensor =
        |(i, s): (usize, &Vec<i64>)| numbers(i, &s.iter().map(|&n| n as usize).collect::<Vec<_>>());
    given.iter().enumerate().map(tensor).collect()
}

#[test]
fn blocks_compute_what_steps_do() {
    let blocks = graph(|p| {
        let x = inputs(p);
        lstm(p, &x[0], &x[1..3], &x[3..7])
    });
    let readers = blocks
        .nodes_in(blocks.root())
        .filter(|(_, n)| matches!(n.op, Op::Linear(_)))
        .count();
    assert_eq!(
        readers as i64,
        4 * STEPS,
        "a block of one step has four products"
    );
    let steps = graph(|p| {
        let x = inputs(p);
        let mut layer_input: Vec<Arg> = (0..STEPS)
            .map(|t| {
                p.call(
                    "aten.slice.Tensor",
                    &[x[0].clone(), int(1), int(t), int(t + 1)],
                )
            })
            .collect();
        let mut last = [Vec::new(), Vec::new()];
        for layer in 0..2 {
            let part = |p: &mut Program<'_>, v: &Arg| {
                p.call(
                    "aten.slice.Tensor",
                    &[v.clone(), int(0), int(layer), int(layer + 1)],
                )
            };
            let mut state = vec![part(p, &x[1]), part(p, &x[2])];
            let weights = &x[3 + 2 * layer as usize..5 + 2 * layer as usize];
            for step in &mut layer_input {
                let mut made = lstm(p, step, &state, weights);
                state = made.split_off(1);
                *step = made.remove(0);
            }
            last[0].push(state[0].clone());
            last[1].push(state[1].clone());
        }
        let mut join =
            |list: &[Arg], axis: i64| p.call("aten.cat.default", &[tensors(list), int(axis)]);
        vec![join(&layer_input, 1), join(&last[0], 0), join(&last[1], 0)]
    });
    let inputs = given();
    let rans = [&steps, &blocks].map(|graph| (graph, run(graph, &inputs).unwrap()));
    let [before, after] = rans.each_ref().map(|(graph, ran)| Side { graph, ran });
    assert_eq!(difference(before, after, &inputs, Close::Rounding), None);
}

/// The state of one number is written out for its cell. Its sizes cost a program nothing.
#[test]
fn a_repeated_state_is_no_larger_than_a_constant() {
    let built = |batch: i64| {
        try_graph(|p| {
            let x = p.input("x", F32, &shape(&[STEPS, batch, 3]));
            let weights = [[4 * HIDDEN, 3], [4 * HIDDEN, HIDDEN]];
            let weights = weights.map(|sizes| p.input("w", F32, &shape(&sizes)));
            let state = p.call("aten.zeros.default", &[ints(&[1, batch, HIDDEN])]);
            let flags = [
                Arg::Bool(false),
                int(1),
                Arg::Float(0.0),
                Arg::Bool(false),
                Arg::Bool(false),
                Arg::Bool(false),
            ];
            let states = tensors(&[state.clone(), state]);
            let args = [&[x, states, tensors(&weights)], flags.as_slice()].concat();
            let args: Vec<_> = args.into_iter().map(|arg| ("", arg)).collect();
            p.try_call("aten.lstm.input", &args, Vec::new())
        })
    };
    assert_eq!(built(2).unwrap().cells().count(), 2);
    let refused = built(1 << 40).unwrap_err().to_string();
    assert!(refused.contains("elements of a constant"), "{refused}");
}
