//! Each op of a network by itself: a program of the same lowering that gives all integers, each of which is within the error of its kernel.

use super::case::{BEYOND_KERNEL, Case, Stop};
use kiln_check::{Given, within_kernels};
use kiln_eval::Tensor;
use kiln_ir::graph::OutputSpec;
use kiln_ir::ops::Meaning;
use kiln_ir::{Graph, Op, Rewriter, ValueId};

/// The quantised values that nodes of the root compute, or quantise floats to.
fn computed(graph: &Graph) -> Vec<ValueId> {
    let nodes = graph.nodes_in(graph.root());
    let computes = |op: &Op| match op {
        Op::Quantised(_) | Op::Requantize(_) | Op::Quantize(_) => true,
        op => op.on_quantised() == Meaning::Computed,
    };
    let nodes = nodes.filter(|(_, node)| computes(&node.op) && node.results.len() == 1);
    let values = nodes.map(|(_, node)| node.results[0]);
    values
        .filter(|&value| graph.ty(value).quant.is_some())
        .collect()
}

/// A program of the same lowering, which also gives the integers that are computed on the way.
struct Exposed {
    case: Case,
    /// The outputs of the network. Those behind them are the integers.
    own: usize,
    values: Vec<ValueId>,
}

impl Exposed {
    /// That of a network; `None` if the program is refused.
    ///
    /// # Errors
    /// If the program is wrong.
    fn of(case: &Case) -> Result<Option<Exposed>, String> {
        let values = computed(&case.graph);
        let mut graph = case.graph.clone();
        let root = graph.root();
        let own = graph.block(root).results.len();
        let results = graph.block(root).results.iter().chain(&values);
        let results: Vec<ValueId> = results.copied().collect();
        let mut rewriter = Rewriter::new(&mut graph);
        rewriter.signature().outputs = vec![OutputSpec::TENSOR; results.len()];
        rewriter.set_results(root, results);
        match Case::of_graph(graph, &case.choice) {
            Ok(case) => Ok(Some(Exposed { case, own, values })),
            Err(Stop::Refused(_)) => Ok(None),
            Err(Stop::Wrong(text)) => Err(text),
        }
    }

    /// How many elements were compared.
    ///
    /// # Errors
    /// If one of them is beyond the error of its kernel.
    fn within_kernels(&self) -> Result<u64, String> {
        let mut compared = 0;
        for run in self.case.runs.iter().filter(|run| run.is_bounded()) {
            let found = run.model_outputs.iter().skip(self.own).cloned();
            let found: Vec<Tensor> = found.collect();
            if run.outputs.is_none() {
                continue;
            }
            let counts = [found.len(), self.values.len()];
            if counts[0] != counts[1] {
                let [found, expected] = counts;
                return Err(format!(
                    "{BEYOND_KERNEL}: {found} integers in place of {expected}"
                ));
            }
            let found: Given = self.values.iter().copied().zip(found).collect();
            let (graph, inputs) = (&self.case.graph, &run.model_inputs);
            let elements = within_kernels(graph, inputs, &run.model_outputs, &found);
            let core = self.case.choice.core.name;
            let elements =
                elements.map_err(|fault| format!("{BEYOND_KERNEL}: on {core}, {fault}"))?;
            compared += elements as u64;
        }
        Ok(compared)
    }

    /// Whether the run of this number gives these outputs.
    fn gives(&self, run: usize, outputs: &[Tensor]) -> bool {
        let own = self.case.runs.get(run).map(|run| &run.model_outputs);
        let own = own.and_then(|outputs| outputs.get(..self.own));
        own.is_some_and(|own| {
            let mut pairs = own.iter().zip(outputs);
            own.len() == outputs.len() && pairs.all(|(a, b)| a.bytes() == b.bytes())
        })
    }
}

impl Case {
    /// The elements of all integers that were compared.
    ///
    /// # Errors
    /// If one of them is beyond the error of its kernel.
    pub fn beyond_kernels(&self) -> Result<u64, String> {
        let exposed = Exposed::of(self)?;
        exposed.map_or(Ok(0), |exposed| exposed.within_kernels())
    }

    /// Whether the outputs of a run follow from the graph step by step: a program of the same lowering gives the same bits, and all that
    /// it computes on the way is within the errors of its kernels.
    pub fn follows_stepwise(&self, run: usize) -> bool {
        let exposed = Exposed::of(self).ok().flatten();
        exposed.is_some_and(|exposed| {
            exposed.gives(run, &self.runs[run].model_outputs) && exposed.within_kernels().is_ok()
        })
    }
}
