//! What the device gives, against what the interpreter gives. They may differ as far as rounding explains
//! (`kiln_check::check_elsewhere`), and by what the formulas of XNNPACK's kernels lose beyond that (`table`).
//!
//! What a formula loses in one node reaches the results through the nodes behind it. To first order, a result is off by the
//! sum of what each node's loss brings. So the interpreter runs the graph once more with each such loss added at its
//! node, and once with it subtracted.

pub mod table;

use kiln_check::{Ran, Side, difference_elsewhere};
use kiln_eval::{Observer, Options, State, Tensor, evaluate_observed};
use kiln_ir::{Graph, NodeId, Scalar, TensorData};

/// Compares what the device found with what the interpreter gives, `ran`. The graph is the one that the device runs, and has no
/// state.
///
/// # Errors
/// If a result is missing or of another type, or an element is off by more than rounding and formulas explain.
pub fn check(graph: &Graph, inputs: &[Tensor], ran: &Ran, found: &Ran) -> Result<(), String> {
    let types = |all: &Ran| -> Vec<_> {
        all.iter()
            .map(|t| (t.dtype(), t.sizes().to_vec()))
            .collect()
    };
    if types(found) != types(ran) {
        return Err(format!("{:?}, not {:?}", types(found), types(ran)));
    }
    let lost = lost(graph, inputs, ran)?;
    let nearer = found.iter().zip(ran).zip(&lost);
    let nearer: Ran = nearer
        .map(|((found, own), lost)| nearer_by(found, own, lost))
        .collect();
    let side = Side { graph, ran };
    match difference_elsewhere(side, &nearer, inputs) {
        None => Ok(()),
        Some(difference) => Err(difference.to_string()),
    }
}

fn numbers(tensor: &Tensor) -> Vec<f64> {
    tensor.scalars().into_iter().map(Scalar::as_f64).collect()
}

fn with_numbers(like: &Tensor, numbers: impl Iterator<Item = f64>) -> Tensor {
    let (dtype, sizes) = (like.dtype(), like.sizes().to_vec());
    Tensor::from(TensorData::from_scalars(
        dtype,
        sizes,
        numbers.map(Scalar::Float),
    ))
}

/// What is found, moved towards what is expected by as much as formulas lose. What is left is for rounding to explain.
fn nearer_by(found: &Tensor, own: &Tensor, lost: &[f64]) -> Tensor {
    if lost.iter().all(|&lost| lost == 0.0) {
        return found.clone();
    }
    let pairs = numbers(found).into_iter().zip(numbers(own)).zip(lost);
    let nearer = pairs.map(|((found, own), &lost)| match found - own {
        off if off.abs() <= lost => own,
        off if off.is_finite() => found - lost.copysign(off),
        _ => found,
    });
    with_numbers(own, nearer)
}

/// How far each element of each result may be off by what the formulas of nodes lose.
fn lost(graph: &Graph, inputs: &[Tensor], ran: &Ran) -> Result<Vec<Vec<f64>>, String> {
    let mut lost: Vec<Vec<f64>> = ran.iter().map(|t| vec![0.0; t.len()]).collect();
    let lossy = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    for (node, _) in lossy.filter(|(_, node)| table::loses(&node.op)) {
        let mut most: Vec<Vec<f64>> = ran.iter().map(|t| vec![0.0; t.len()]).collect();
        for sign in [1.0, -1.0] {
            let off = observed(graph, inputs, &mut Off { node, sign })?;
            let results = most.iter_mut().zip(off.iter().zip(ran));
            for (most, (off, own)) in results {
                let pairs = numbers(off).into_iter().zip(numbers(own));
                for (most, (off, own)) in most.iter_mut().zip(pairs) {
                    let distance = (off - own).abs();
                    *most = most.max(if own.is_finite() { distance } else { 0.0 });
                }
            }
        }
        for (all, one) in lost.iter_mut().flatten().zip(most.iter().flatten()) {
            *all += one;
        }
    }
    Ok(lost)
}

fn observed(graph: &Graph, inputs: &[Tensor], observer: &mut dyn Observer) -> Result<Ran, String> {
    let mut state = State::new(graph);
    let outcome = evaluate_observed(graph, inputs, &mut state, &Options::default(), observer);
    Ok(outcome.map_err(|e| e.to_string())?.outputs)
}

/// Puts the results of one node off by what its formula loses.
struct Off {
    node: NodeId,
    sign: f64,
}

impl Observer for Off {
    fn observe(&mut self, _: &Graph, _: NodeId, _: &[Tensor]) {}

    fn alters(&self) -> bool {
        true
    }

    fn alter(
        &mut self,
        graph: &Graph,
        node: NodeId,
        operands: &[Tensor],
        results: Vec<Tensor>,
    ) -> Vec<Tensor> {
        if node != self.node {
            return results;
        }
        let loss = table::loss(&graph.node(node).op, operands, &results[0]);
        let pairs = numbers(&results[0]).into_iter().zip(loss);
        let off = pairs.map(|(own, loss)| match (self.sign * loss).is_finite() {
            true => own + self.sign * loss,
            false => own,
        });
        vec![with_numbers(&results[0], off)]
    }
}
