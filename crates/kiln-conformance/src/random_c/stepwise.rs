//! Each op of a network by itself: a program of the same lowering that gives all integers, each of which is within the error of its kernel.

use super::case::{BEYOND_KERNEL, Case, Compared, Run, Stop};
use kiln_check::{Given, within_kernels};
use kiln_eval::Tensor;
use kiln_ir::graph::Use;
use kiln_ir::ops::{Meaning, UnaryFn};
use kiln_ir::{Graph, Op, ValueId};

/// The quantised values that nodes of the root block compute, or quantise from floats. Values that the computing call clamps at once
/// are left out.
fn computed(graph: &Graph) -> Vec<ValueId> {
    let nodes = graph.nodes_in(graph.root());
    let computes = |op: &Op| match op {
        Op::Quantised(_) | Op::Requantize(_) | Op::Quantize(_) => true,
        op => op.on_quantised() == Meaning::Computed,
    };
    let nodes = nodes.filter(|(_, node)| computes(&node.op) && node.results.len() == 1);
    let values = nodes.map(|(_, node)| node.results[0]);
    values
        .filter(|&value| graph.ty(value).quant.is_some() && !is_only_clamped(graph, value))
        .collect()
}

/// Whether a value has one reader, which clamps it, perhaps behind movements.
fn is_only_clamped(graph: &Graph, mut value: ValueId) -> bool {
    while let [Use::Operand(reader, _)] = graph.value(value).uses() {
        let node = graph.node(*reader);
        match &node.op {
            Op::Move(_) => value = node.results[0],
            Op::Unary(op) => return matches!(op.f, UnaryFn::Clamp { .. }),
            _ => return false,
        }
    }
    false
}

/// The same calls, with the integers that are computed on the way as further outputs. Chains by rows and the plan may differ.
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
        let graph = &case.graph;
        let own = graph.block(graph.root()).results.len();
        let values = computed(graph);
        match Case::observed(graph.clone(), &case.choice, &values) {
            Ok(found) => {
                let exposed = Exposed {
                    case: found,
                    own,
                    values,
                };
                match exposed.gives(&case.runs) {
                    true => Ok(Some(exposed)),
                    false => Err(format!(
                        "{BEYOND_KERNEL}: the observed program gives other bits"
                    )),
                }
            }
            Err(Stop::Refused(_)) => Ok(None),
            Err(Stop::Wrong(text)) => Err(text),
        }
    }

    /// What was compared.
    ///
    /// # Errors
    /// If an element is beyond the error of its kernel.
    fn within_kernels(&self) -> Result<Compared, String> {
        let mut compared = Compared::default();
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
            compared.add(Compared::of_run(elements as u64));
        }
        Ok(compared)
    }

    /// Whether these runs of the network have the same outputs.
    fn gives(&self, runs: &[Run]) -> bool {
        let is_same = |(own, run): (&Run, &Run)| {
            let own = own.model_outputs.iter().take(self.own);
            own.map(Tensor::bytes)
                .eq(run.model_outputs.iter().map(Tensor::bytes))
        };
        self.case.runs.len() == runs.len() && self.case.runs.iter().zip(runs).all(is_same)
    }
}

impl Case {
    /// The integers that were compared; none if the observed program is refused.
    ///
    /// # Errors
    /// If one of them is beyond the error of its kernel.
    pub fn beyond_kernels(&self) -> Result<Compared, String> {
        let exposed = Exposed::of(self)?;
        exposed.map_or(Ok(Compared::default()), |exposed| exposed.within_kernels())
    }

    /// Whether the outputs follow from the graph step by step: all that the program computes on the way is within the errors of its
    /// kernels.
    pub fn follows_stepwise(&self) -> bool {
        let exposed = Exposed::of(self).ok().flatten();
        exposed.is_some_and(|exposed| exposed.within_kernels().is_ok())
    }
}
