//! State that nothing shows: cells from which no output follows, now or in a later call.
//!
//! A program that is alone with its state may leave such cells out. Models count batches so, in batch norms that were trained with
//! quantisation.

use crate::arena::{BlockId, CellId, Id, NodeId, ValueId};
use crate::graph::{CellInit, Graph, Update};
use crate::ops::Op;
use crate::rewrite::Rewriter;

/// What outputs and tensors of the caller follow from.
struct Followed<'g> {
    graph: &'g Graph,
    seen: Vec<bool>,
    /// By node.
    entered: Vec<bool>,
    cells: Vec<CellId>,
    values: Vec<ValueId>,
}

impl Followed<'_> {
    fn value(&mut self, value: ValueId) {
        if !std::mem::replace(&mut self.seen[value.index()], true) {
            self.values.push(value);
        }
    }

    fn node(&mut self, id: NodeId) {
        if std::mem::replace(&mut self.entered[id.index()], true) {
            return;
        }
        let node = self.graph.node(id);
        node.operands
            .iter()
            .for_each(|&operand| self.value(operand));
        if let Op::ReadState(op) = &node.op
            && !self.cells.contains(&op.cell)
        {
            self.cells.push(op.cell);
            let updates = self.graph.updates().iter();
            let new: Vec<ValueId> = updates
                .filter(|u| u.cell == op.cell)
                .map(|u| u.value)
                .collect();
            new.into_iter().for_each(|value| self.value(value));
        }
        node.op
            .bodies()
            .into_iter()
            .for_each(|body| self.block(body));
    }

    fn block(&mut self, block: BlockId) {
        let (graph, results) = (self.graph, &self.graph.block(block).results);
        results.iter().for_each(|&result| self.value(result));
        graph.nodes_in(block).for_each(|(id, _)| self.node(id));
    }
}

/// The cells that outputs follow from, and those that are tensors of the caller.
fn shown(graph: &Graph) -> Vec<CellId> {
    let mut followed = Followed {
        graph,
        seen: vec![false; graph.value_bound()],
        entered: vec![false; graph.node_bound()],
        cells: Vec::new(),
        values: Vec::new(),
    };
    for &result in &graph.block(graph.root()).results {
        followed.value(result);
    }
    for update in graph.updates() {
        if matches!(graph.cell(update.cell).init, CellInit::Input(_)) {
            followed.cells.push(update.cell);
            followed.value(update.value);
        }
    }
    while let Some(value) = followed.values.pop() {
        if let Some(node) = graph.producer(value) {
            followed.node(node);
        }
    }
    followed.cells
}

impl Rewriter<'_> {
    /// Removes the updates of cells from which no output follows. Gives these cells.
    pub fn remove_unread_updates(&mut self) -> Vec<CellId> {
        let graph = self.graph();
        let is_own = |u: &Update| matches!(graph.cell(u.cell).init, CellInit::Constant(_));
        if !graph.updates().iter().any(is_own) {
            return Vec::new();
        }
        let shown = shown(graph);
        let updates: Vec<Update> = self.graph().updates().to_vec();
        let (kept, unread): (Vec<Update>, Vec<Update>) = updates
            .into_iter()
            .partition(|update| shown.contains(&update.cell));
        if !unread.is_empty() {
            self.clear_updates();
            kept.iter()
                .for_each(|update| self.add_update(update.cell, update.value));
        }
        unread.into_iter().map(|update| update.cell).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use crate::Rewriter;
    use crate::text::parse;

    /// A counter that only counts; one that another cell is made of, which the output reads; and an input that is written.
    const COUNTERS: &str = r#"graph "forward" {
  constant c0 "zero" f32[2] = splat 0.0
  constant c1 "one" f32[2] = splat 1.0
  state m0 "alone" f32[2] = c0
  state m1 "source" f32[2] = c0
  state m2 "read" f32[2] = c0
  state m3 "x" f32[2] = input 0
  input tensor "x" [0]
  output tensor
  block b0 (%0 "x": f32[2]) {
    %1: f32[2] = constant {value=c1}
    %2: f32[2] = read_state {cell=m0}
    %3: f32[2] = binary %2, %1 {f=add}
    %4: f32[2] = read_state {cell=m1}
    %5: f32[2] = binary %4, %1 {f=add}
    %6: f32[2] = read_state {cell=m2}
    %7: f32[2] = binary %0, %6 {f=add}
    return %7
  }
  update m0 = %3
  update m1 = %5
  update m2 = %4
  update m3 = %3
}
"#;

    #[test]
    fn updates_stay_from_which_an_output_follows() {
        let alone = COUNTERS.replace("  update m3 = %3\n", "");
        let mut graph = parse(&alone).unwrap();
        let unread = Rewriter::new(&mut graph).remove_unread_updates();
        let names: Vec<&str> = unread.iter().map(|&cell| &*graph.cell(cell).name).collect();
        assert_eq!(names, ["alone"]);
        assert_eq!(graph.updates().len(), 2);
        crate::verify::verify(&graph).unwrap();
    }

    #[test]
    fn tensors_of_the_caller_are_shown() {
        let mut graph = parse(COUNTERS).unwrap();
        assert_eq!(Rewriter::new(&mut graph).remove_unread_updates(), []);
        assert_eq!(graph.updates().len(), 4);
    }
}
