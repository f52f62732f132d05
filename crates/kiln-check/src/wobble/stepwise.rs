//! Each op by itself: whether the integers that an executor gave are within the error of the kernel, of the integers that it gave to the
//! op. No error adds up to another, and no run is random.

use super::fixed_point::Computation;
use crate::numbers::numbers;
use crate::run::run_observed;
use kiln_eval::{Observer, Tensor};
use kiln_ir::{Graph, NodeId, Op, ValueId};
use rustc_hash::FxHashMap;

/// How many elements were compared of what an executor found for quantised values of a graph.
///
/// # Errors
/// If an op has other sizes, or an element is beyond the error of the op's kernel: which.
pub fn within_kernels(
    graph: &Graph,
    inputs: &[Tensor],
    found: &FxHashMap<ValueId, Tensor>,
) -> Result<usize, String> {
    let mut stepwise = Stepwise {
        found,
        compared: 0,
        fault: None,
    };
    // What an op without a value would have given is not compared.
    let _ = run_observed(graph, inputs, &mut stepwise);
    stepwise.fault.map_or(Ok(stepwise.compared), Err)
}

struct Stepwise<'f> {
    found: &'f FxHashMap<ValueId, Tensor>,
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
        let found = found.clone().with_quant(graph.ty(value).quant.clone());
        if (found.dtype(), found.sizes()) != (result.dtype(), result.sizes()) {
            let fault = format!("{found:?} in place of {result:?}");
            self.fault.get_or_insert(fault);
            return results;
        }
        if let Some(fault) = self.fault_of(graph, node, operands, [result, &found]) {
            self.fault.get_or_insert(fault);
        }
        vec![found]
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
