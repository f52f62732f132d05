//! Each op by itself: whether the integers that an executor gave are within the error of the kernel, of the integers that it gave to the
//! op. No error adds up to another.

use super::fixed_point::Computation;
use super::{Given, given_value};
use crate::close::{Close, Side, beyond_own_runs};
use crate::numbers::numbers;
use crate::run::{Ran, run_observed};
use kiln_eval::{Observer, Tensor};
use kiln_ir::{Graph, NodeId, Op};

/// How many elements were compared of what an executor gave: its results, and `found`, the quantised values of the graph that it
/// computed on the way. Integers are compared op by op. What floats are in front of is compared with runs of the graph in which the
/// integers are the executor's: it may be off by what the floats' rounding explains.
///
/// # Errors
/// If an op has other sizes, or an element is beyond the error of the op's kernel: which.
pub fn within_kernels(
    graph: &Graph,
    inputs: &[Tensor],
    results: &Ran,
    found: &Given,
) -> Result<usize, String> {
    let mut stepwise = Stepwise {
        found,
        compared: 0,
        fault: None,
    };
    // What an op without a value would have given is not compared.
    let ran = run_observed(graph, inputs, &mut stepwise);
    let compared = stepwise.compared;
    match (stepwise.fault, ran) {
        (Some(fault), _) => return Err(fault),
        (None, Err(_)) => return Ok(compared),
        (None, Ok(_)) => {}
    }
    let nodes = graph.nodes_in(graph.root());
    let of_integers = nodes.filter(|(_, node)| !matches!(node.op, Op::Quantize(_)));
    let values = of_integers.flat_map(|(_, node)| &node.results);
    let given: Given = values
        .filter_map(|value| Some((*value, found.get(value)?.clone())))
        .collect();
    let Ok(mut ran) = run_observed(graph, inputs, &mut AsGiven(&given)) else {
        return Ok(compared);
    };
    ran.truncate(results.len());
    let side = Side { graph, ran: &ran };
    match beyond_own_runs(side, results, inputs, Close::FixedPoint, &given) {
        None => Ok(compared + results.iter().map(Tensor::len).sum::<usize>()),
        Some(difference) => Err(format!("of its own integers, {difference}")),
    }
}

/// Values as they are given.
struct AsGiven<'g>(&'g Given);

impl Observer for AsGiven<'_> {
    fn observe(&mut self, _: &Graph, _: NodeId, _: &[Tensor]) {}

    fn alters(&self) -> bool {
        true
    }

    fn alter(
        &mut self,
        graph: &Graph,
        node: NodeId,
        _: &[Tensor],
        results: Vec<Tensor>,
    ) -> Vec<Tensor> {
        match given_value(self.0, graph, node, &results) {
            Some(given) => vec![given],
            None => results,
        }
    }
}

struct Stepwise<'f> {
    found: &'f Given,
    compared: usize,
    fault: Option<String>,
}

impl Observer for Stepwise<'_> {
    fn observe(&mut self, _: &Graph, _: NodeId, _: &[Tensor]) {}

    fn alters(&self) -> bool {
        true
    }

    /// What was found takes the place of results, so that the next op is judged by what it got.
    fn alter(
        &mut self,
        graph: &Graph,
        node: NodeId,
        operands: &[Tensor],
        results: Vec<Tensor>,
    ) -> Vec<Tensor> {
        let value = graph.node(node).results[0];
        let (Some(found), [result]) = (self.found.get(&value), &results[..]) else {
            return results;
        };
        let Some(given) = given_value(self.found, graph, node, &results) else {
            let fault = format!("{found:?} in place of {result:?}");
            self.fault.get_or_insert(fault);
            return results;
        };
        if let Some(fault) = self.fault_of(graph, node, operands, [result, &given]) {
            self.fault.get_or_insert(fault);
        }
        vec![given]
    }
}

impl Stepwise<'_> {
    fn fault_of(
        &mut self,
        graph: &Graph,
        node: NodeId,
        operands: &[Tensor],
        [result, found]: [&Tensor; 2],
    ) -> Option<String> {
        let op = &graph.node(node).op;
        // The reals in front of a quantisation are floats, whose rounding is open.
        if matches!(op, Op::Quantize(_)) {
            return None;
        }
        let computation = Computation::of(graph, graph.node(node), operands, result);
        let elements = computation.as_ref().and_then(Computation::elements);
        let ends = match (&computation, &elements) {
            (Some(computation), Some(elements)) => [-1.0, 1.0].map(|part| {
                let reals = elements.iter().map(|element| element.moved(part));
                numbers(&computation.integers(reals))
            }),
            _ => [numbers(result), numbers(result)],
        };
        let found = numbers(found);
        self.compared += found.len();
        let [low, high] = &ends;
        let at = (0..found.len()).find(|&i| !(low[i]..=high[i]).contains(&found[i]))?;
        let real = elements.map(|elements| format!(" of {:?}", elements[at]));
        Some(format!(
            "element {at} of {}: found {}, expected {} to {}{}",
            op.name(),
            found[at],
            low[at],
            high[at],
            real.unwrap_or_default()
        ))
    }
}
