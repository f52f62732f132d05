//! Conversions to other floats, on random graphs of all families: graphs stay valid and run, and inputs, outputs and state keep their
//! types.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_check::{Recipe, generate, inputs, situations};
use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::verify::verify;
use kiln_ir::{DType, Graph};
use kiln_transforms::precision::convert;

const GRAPHS: u64 = 600;

/// Whether the graph runs on these inputs.
fn runs(graph: &Graph, inputs: &[Tensor]) -> bool {
    let options = Options {
        max_bytes: 1 << 30,
        max_iterations: 64,
    };
    evaluate(graph, inputs, &mut State::new(graph), &options).is_ok()
}

#[test]
fn random_graphs_stay_valid() {
    let (mut converted, mut kept, mut ran) = (0, 0, 0);
    for seed in 0..GRAPHS {
        let graph = generate(seed, &Recipe::ANY);
        let types = |graph: &Graph| {
            let block = graph.block(graph.root());
            let values = block.params.iter().chain(&block.results);
            let updated = graph.updates().iter().map(|update| &update.value);
            let types = values.chain(updated).map(|&v| graph.ty(v).clone());
            types.collect::<Vec<_>>()
        };
        for to in [DType::F16, DType::BF16, DType::F32] {
            let mut other = graph.clone();
            let done = convert(&mut other, to);
            assert_eq!(verify(&other), Ok(()), "seed {seed} to {to}");
            assert_eq!(types(&other), types(&graph), "seed {seed} to {to}");
            converted += done.nodes;
            kept += done.kept;
            let situation = situations(&graph)[0];
            if let Some(given) = inputs(&graph, situation, seed)
                && runs(&graph, &given)
            {
                assert!(runs(&other, &given), "seed {seed} to {to} does not run");
                ran += 1;
            }
        }
    }
    println!("{converted} nodes converted, {kept} stay; {ran} graphs ran");
    assert!(
        converted > 1000 && kept > 100 && ran > 1000,
        "{converted} {kept} {ran}"
    );
}
