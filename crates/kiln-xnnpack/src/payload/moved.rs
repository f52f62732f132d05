//! Which nodes of a payload only move elements.

use super::graph::{ValueId, XnnGraph, XnnValue};
use super::node::{UnaryOp, XnnOp};

impl XnnGraph {
    /// What is written by nodes that only move elements: every transpose, and reshapes and copies that do not lie
    /// where their operand does. The library has the two in one place if no other node reads the operand and neither
    /// crosses the border (measured).
    pub fn moved(&self) -> Vec<ValueId> {
        let mut readers = vec![0u32; self.values.len()];
        for input in self.nodes.iter().flat_map(|node| node.op.inputs()) {
            readers[input.index()] += 1;
        }
        let is_inside = |value: &XnnValue| value.external.is_none() && value.constant.is_none();
        let in_place = |input: ValueId, output: ValueId| {
            let ends = [input, output].map(|v| &self.values[v.index()]);
            readers[input.index()] == 1 && ends.into_iter().all(is_inside)
        };
        let moved = self.nodes.iter().filter_map(|node| match &node.op {
            XnnOp::Transpose { output, .. } => Some(*output),
            XnnOp::Reshape { input, output, .. }
            | XnnOp::Unary {
                op: UnaryOp::Copy,
                input,
                output,
                ..
            } => (!in_place(*input, *output)).then_some(*output),
            _ => None,
        });
        moved.collect()
    }
}
