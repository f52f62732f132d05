//! The quantiser on random graphs of all families: graphs stay valid and run, inputs, outputs and state keep their types, and the
//! passes make integers of what it rounds.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_check::{FakeTarget, Recipe, generate, inputs, situations};
use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::verify::verify;
use kiln_ir::{Graph, Op, TensorType};
use kiln_quantiser::{Ends, Mode, Ranges, Scope, quantise, quantise_dynamically};
use kiln_transforms::framework::pass::{Options as PassOptions, run_pipeline};
use kiln_transforms::passes::fold_quantised;

const GRAPHS: u64 = 600;

fn runs(graph: &Graph, inputs: &[Tensor]) -> bool {
    let options = Options {
        max_bytes: 1 << 30,
        max_iterations: 64,
    };
    evaluate(graph, inputs, &mut State::new(graph), &options).is_ok()
}

fn border(graph: &Graph) -> Vec<TensorType> {
    let block = graph.block(graph.root());
    let values = block.params.iter().chain(&block.results);
    let updated = graph.updates().iter().map(|update| &update.value);
    values
        .chain(updated)
        .map(|&v| graph.ty(v).clone())
        .collect()
}

fn integers(graph: &Graph) -> usize {
    let nodes = graph.nodes_in(graph.root());
    nodes
        .filter(|(_, node)| matches!(node.op, Op::Quantised(_)))
        .count()
}

#[test]
fn random_graphs_stay_valid() {
    let target = FakeTarget::parse([]);
    let (mut rounded, mut layers, mut folded) = (0, 0, 0);
    for seed in 0..GRAPHS {
        let graph = generate(seed, &Recipe::ANY);
        let Some(given) = inputs(&graph, situations(&graph)[0], seed).filter(|x| runs(&graph, x))
        else {
            continue;
        };
        let Ok(ranges) = Ranges::observe(&graph, [given.clone()].into_iter()) else {
            continue;
        };
        for (scope, mode, ends) in [
            (Scope::Layers, Mode::Static, Ends::LeastError),
            (Scope::All, Mode::Static, Ends::Extremes),
            (Scope::All, Mode::Static, Ends::LeastError),
            (Scope::All, Mode::Wide, Ends::Extremes),
        ] {
            let mut other = graph.clone();
            let done = quantise(&mut other, &ranges, scope, mode, ends);
            assert_eq!(verify(&other), Ok(()), "seed {seed} {scope:?}");
            assert_eq!(border(&other), border(&graph), "seed {seed} {scope:?}");
            assert!(runs(&other, &given), "seed {seed} {scope:?} does not run");
            rounded += done.activations;
            layers += done.layers;
            run_pipeline(
                &mut other,
                &target,
                &[fold_quantised::PASS],
                &PassOptions::default(),
            )
            .unwrap();
            folded += integers(&other);
        }
        for mode in [Mode::Dynamic, Mode::FourBit, Mode::Weights] {
            let mut other = graph.clone();
            layers += quantise_dynamically(&mut other, mode).layers;
            assert_eq!(verify(&other), Ok(()), "seed {seed} {mode:?}");
            assert_eq!(border(&other), border(&graph), "seed {seed} {mode:?}");
            assert!(runs(&other, &given), "seed {seed} {mode:?} does not run");
        }
    }
    println!("{rounded} activations, {layers} layers; {folded} nodes of integers");
    assert!(
        rounded > 1000 && layers > 100 && folded > 500,
        "{rounded} {layers} {folded}"
    );
}
