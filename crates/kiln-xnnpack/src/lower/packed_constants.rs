//! Gives each constant that an operator packs a value of its own, beside the one that other operators read.
//!
//! Fully connected layers and convolutions pack their weights and biases when a program is loaded. ExecuTorch's runtime then frees the
//! bytes of these values, and another operator that reads one of them at every run ends the process (measured; ExecuTorch's own programs
//! of `linear(x) + bias` do so too). Two values of one constant are loaded twice.

use super::Lowered;
use crate::payload::{ValueId as Tensor, XnnGraph, XnnNode, XnnOp};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Separates what is packed from what is read when running.
pub(super) fn separate(lowered: &mut Lowered) {
    let is_read = read_when_running(&lowered.graph);
    let mut own: FxHashMap<Tensor, Tensor> = FxHashMap::default();
    for i in 0..lowered.graph.nodes.len() {
        let slots = packed(&mut lowered.graph.nodes[i].op);
        let mut found: SmallVec<[Tensor; 2]> = slots.map(|slot| *slot).collect();
        for value in &mut found {
            if is_read[value.index()] && lowered.graph.values[value.index()].constant.is_some() {
                let twin = own.entry(*value);
                *value = *twin.or_insert_with(|| copied(lowered, *value));
            }
        }
        let slots = packed(&mut lowered.graph.nodes[i].op);
        slots.zip(found).for_each(|(slot, value)| *slot = value);
    }
}

/// By value, whether an operator reads it at every run.
fn read_when_running(graph: &XnnGraph) -> Vec<bool> {
    let mut is_read = vec![false; graph.values.len()];
    for XnnNode { op, .. } in &graph.nodes {
        let packs = matches!(op, XnnOp::FullyConnected { .. } | XnnOp::Conv { .. });
        let count = if packs { 1 } else { usize::MAX };
        for value in op.inputs().into_iter().take(count) {
            is_read[value.index()] = true;
        }
    }
    is_read
}

/// The weights and the bias of an operator that packs them.
fn packed(op: &mut XnnOp) -> impl Iterator<Item = &mut Tensor> {
    let slots = match op {
        XnnOp::FullyConnected { filter, bias, .. } | XnnOp::Conv { filter, bias, .. } => {
            [Some(filter), bias.as_mut()]
        }
        _ => [None, None],
    };
    slots.into_iter().flatten()
}

/// Another value of the same constant.
fn copied(lowered: &mut Lowered, value: Tensor) -> Tensor {
    lowered.dims.push(lowered.dims[value.index()].clone());
    let twin = lowered.graph.values[value.index()].clone();
    lowered.graph.add_value(twin)
}
