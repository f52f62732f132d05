//! Each op by itself: whether the integers that an executor gave are within the error of the kernel, of the integers that it gave to the
//! op. No error adds up to another.

use super::fixed_point::{Computation, Element};
use super::reals::evaluated;
use super::{Given, given_value};
use crate::close::{Close, Side, beyond_own_runs};
use crate::numbers::numbers;
use crate::run::{Ran, run_observed};
use kiln_eval::{Observer, Tensor};
use kiln_ir::graph::Node;
use kiln_ir::ops::UnaryFn;
use kiln_ir::{Graph, NodeId, Op, ValueId};
use rustc_hash::FxHashMap;

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
        open: FxHashMap::default(),
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
    let of_integers = nodes.filter(|(_, node)| !is_of_floats(graph, found, node));
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

/// Whether a node quantises floats, whose rounding is open, or clamps what was so quantised and was not found.
fn is_of_floats(graph: &Graph, found: &Given, node: &Node) -> bool {
    let is_open = |value: ValueId| {
        let maker = graph.producer(value).map(|id| graph.node(id));
        !found.contains_key(&value) && maker.is_some_and(|node| is_of_floats(graph, found, node))
    };
    matches!(node.op, Op::Quantize(_)) || moved_or_clamped(node).is_some_and(is_open)
}

/// The operand whose elements a node moves or clamps: their order by size stays, so the operand's ends become the
/// result's.
fn moved_or_clamped(node: &Node) -> Option<ValueId> {
    let is_it = match &node.op {
        Op::Move(_) => true,
        Op::Unary(op) => matches!(op.f, UnaryFn::Clamp { .. }),
        _ => false,
    };
    node.operands.first().copied().filter(|_| is_it)
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

/// The least and the greatest integers that an op's kernel may give.
type Ends = [Tensor; 2];

struct Stepwise<'f> {
    found: &'f Given,
    /// The ends of what kernels may give of values that were not found: calls clamp them as they compute them.
    open: FxHashMap<ValueId, Ends>,
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
        let [result] = &results[..] else {
            return results;
        };
        let Some(found) = self.found.get(&value) else {
            if result.quant().is_some() {
                let (ends, _) = self.ends_of(graph, node, operands, result);
                self.open.insert(value, ends);
            }
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
        if is_of_floats(graph, self.found, graph.node(node)) {
            return None;
        }
        let (ends, elements) = self.ends_of(graph, node, operands, result);
        let ends = ends.map(|end| numbers(&end));
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

    /// What the op may give, and the elements by which the kernel computes it; none for ops that are exact.
    fn ends_of(
        &self,
        graph: &Graph,
        node: NodeId,
        operands: &[Tensor],
        result: &Tensor,
    ) -> (Ends, Option<Vec<Element>>) {
        let node = graph.node(node);
        if let Some(ends) = self.moved_ends(graph, node) {
            return (ends, None);
        }
        let computation = Computation::of(graph, node, operands, result);
        let elements = computation.as_ref().and_then(Computation::elements);
        let ends = match (&computation, &elements) {
            (Some(computation), Some(elements)) => [-1.0, 1.0].map(|part| {
                let reals = elements.iter().map(|element| element.moved(part));
                computation.integers(reals)
            }),
            _ => [result.clone(), result.clone()],
        };
        (ends, elements)
    }

    /// What a movement or a clamp makes of the ends of its operand.
    fn moved_ends(&self, graph: &Graph, node: &Node) -> Option<Ends> {
        let [low, high] = self.open.get(&moved_or_clamped(node)?)?;
        let moved = |end: &Tensor| evaluated(graph, &node.op, std::slice::from_ref(end));
        Some([moved(low)?, moved(high)?])
    }
}
