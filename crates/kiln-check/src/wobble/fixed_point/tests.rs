//! What the library computes is within the errors, on random networks.

use super::{Computation, Element};
use crate::fake_target::FakeTarget;
use crate::generate::network;
use crate::inputs::{Situation, Sizes, Values, inputs};
use crate::numbers::numbers;
use crate::run::run_observed;
use kiln_eval::{Observer, Tensor};
use kiln_ir::{Graph, NodeId, Op};
use kiln_transforms::framework::pass::run_pipeline;
use kiln_transforms::passes::fold_quantised;
use std::collections::BTreeMap;

/// Counts by op.
#[derive(Default)]
struct Count {
    elements: usize,
    /// Which the library rounds another way.
    others: usize,
}

#[derive(Default)]
struct Check {
    is_once: bool,
    counts: BTreeMap<String, Count>,
}

impl Observer for Check {
    fn observe(&mut self, _: &Graph, _: NodeId, _: &[Tensor]) {}

    fn alters(&self) -> bool {
        true
    }

    fn alter(
        &mut self,
        graph: &Graph,
        id: NodeId,
        operands: &[Tensor],
        results: Vec<Tensor>,
    ) -> Vec<Tensor> {
        let node = graph.node(id);
        let computation = Computation::of(graph, node, operands, &results[0]);
        let Some(mut computation) = computation else {
            return results;
        };
        computation.is_once = self.is_once;
        let Some(elements) = computation.elements() else {
            return results;
        };
        let integers = |of: fn(&Element) -> f64| {
            let found = computation.integers(elements.iter().map(of));
            numbers(&found)
        };
        let exact = numbers(&results[0]);
        assert_eq!(integers(|e| e.exact), exact, "{:?}", node.op);
        let [low, high] = [integers(|e| e.moved(-1.0)), integers(|e| e.moved(1.0))];
        let library = integers(|e| e.library);
        for (i, element) in elements.iter().enumerate() {
            let is_within = low[i] <= library[i] && library[i] <= high[i];
            assert!(is_within, "{i}: {element:?} of {:?}", node.op);
        }
        let name = match &node.op {
            Op::Quantised(op) => op.op.name(),
            op => op.name(),
        };
        let count = self.counts.entry(name.to_owned()).or_default();
        count.elements += exact.len();
        count.others += (0..exact.len()).filter(|&i| library[i] != exact[i]).count();
        results
    }
}

#[test]
fn the_library_is_within_the_errors() {
    let target = FakeTarget::default();
    let mut check = Check::default();
    for seed in 1..=300 {
        let mut graph = network(seed);
        let pipeline = [fold_quantised::PASS];
        run_pipeline(&mut graph, &target, &pipeline, &Default::default()).expect("it holds");
        check.is_once = seed % 3 == 0;
        for values in [Values::Noise, Values::Finite] {
            let sizes = Sizes::Hint;
            let inputs = inputs(&graph, Situation { sizes, values }, seed).expect("small inputs");
            // A graph without a value checks what it computes until then.
            let _ = run_observed(&graph, &inputs, &mut check);
        }
    }
    for name in [
        "conv", "linear", "matmul", "binary", "unary", "reduce", "pool", "softmax",
    ] {
        let count = check.counts.get(name);
        assert!(count.is_some_and(|c| c.elements > 1000), "{name}");
    }
    let others: usize = check.counts.values().map(|c| c.others).sum();
    assert!(others > 100, "{others}");
}
