//! What an archive quantises, as its imported graph says it before any pass.

use super::unpacked::{Layer, layers};
use crate::growth::Weights;
use kiln_ir::ops::Meaning;
use kiln_ir::{Graph, Id, Op};
use kiln_target::{has_quantised, is_of_quantised_model};
use kiln_transforms::framework::pass::names;
use kiln_transforms::framework::rewriting::nodes_in_use;
use std::collections::BTreeSet;

/// The quantised parts of an imported graph.
#[derive(Debug, Default)]
pub struct Given {
    /// True if any value is quantised.
    pub is_quantised: bool,
    /// True if any value is quantised, or a layer multiplies bytes.
    pub has_integers: bool,
    /// The layers with quantised weights.
    pub layers: Vec<Layer>,
    /// The bytes of the archive's constants.
    pub weights: Weights,
    /// The exporter's names of nodes with an operand that stands for integers.
    names: BTreeSet<String>,
}

impl Given {
    /// What a graph quantises.
    pub fn of(graph: &Graph) -> Given {
        Given {
            is_quantised: has_quantised(graph),
            has_integers: is_of_quantised_model(graph),
            layers: layers(graph),
            weights: Weights::of(graph),
            names: names_of_readers(graph),
        }
    }

    /// True if one of these names is of a node that reads quantised values.
    pub fn reads_quantised(&self, names: &[String]) -> bool {
        names.iter().any(|name| self.names.contains(name))
    }
}

fn names_of_readers(graph: &Graph) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut stands_for_integers = vec![false; graph.value_bound()];
    for id in nodes_in_use(graph) {
        let node = graph.node(id);
        let reads = || node.operands.iter().any(|v| stands_for_integers[v.index()]);
        let gives = match &node.op {
            Op::Dequantize(_) | Op::FakeQuantize(_) => true,
            op => reads() && op.on_quantised() == Meaning::Carried,
        };
        if reads() {
            found.extend(names(graph, id));
        }
        for result in &node.results {
            stands_for_integers[result.index()] = gives;
        }
    }
    found
}
