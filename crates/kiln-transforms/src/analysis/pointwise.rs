//! Reports why a layer between movements is no pointwise map.
//!
//! A pointwise map mixes the elements along one axis, at each place by itself, with constant weights; movements bring
//! this axis to the end before the layer and back to its place after it. A target that chooses memory orders runs such
//! a map without moving elements. Any other layer between movements stays as it is, and this analysis reports the
//! reason. It never rewrites the graph.

use crate::framework::pass::Report;
use crate::framework::target::Reason;
use kiln_ir::graph::Use;
use kiln_ir::movement::{Composed, Movement};
use kiln_ir::{Dim, Graph, NodeId, Op, ValueId};

/// What reports call a layer between movements that was considered.
const NAME: &str = "pointwise_map";

/// The most movements in a row that are followed. A clean graph has only a few in a row.
const MAX_MOVEMENTS: usize = 16;

/// Reports each layer behind movements that is no pointwise map, with the reason.
pub fn report(graph: &Graph, report: &mut Report) {
    for (block, _) in graph.blocks() {
        for (node, _) in graph.nodes_in(block) {
            if let Some(reason) = why_not(graph, node) {
                report.declined(NAME, node, reason);
            }
        }
    }
}

/// Why a layer behind movements is no pointwise map.
fn why_not(graph: &Graph, node: NodeId) -> Option<Reason> {
    let found = graph.node(node);
    let &[x, weight, ..] = found.operands.as_slice() else {
        return None;
    };
    let is_map = match found.op {
        Op::Linear(_) => true,
        Op::MatMul(_) => graph.ty(weight).rank() == 2,
        _ => false,
    };
    let before = before(graph, x).filter(|_| is_map)?;
    if !is_known(graph, weight) {
        return Some(Reason::new(
            "the weight of a pointwise map is a constant",
            "one that is computed at run time",
        ));
    }
    let last = graph.ty(x).rank() - 1;
    if before.is_axis_kept_backwards(last).is_none() {
        return Some(Reason::new(
            "a pointwise map mixes the elements of one whole axis",
            format!("{}", before.last()),
        ));
    }
    let whole = restored(graph, &before, found.result()).filter(|whole| !whole.is_identity())?;
    Some(Reason::new(
        "the movement behind a pointwise map is the inverse of the one before it",
        format!("{whole}"),
    ))
}

/// A sequence of at least one movement, composed as far as possible.
struct Path(Vec<Movement>);

impl Path {
    fn then(mut self, next: &Movement) -> Path {
        match self.0.pop().map(|last| last.compose(next)) {
            Some(Composed::One(both)) => self.0.push(both),
            Some(Composed::Two(a, b)) => self.0.extend([a, b]),
            None => self.0.push(next.clone()),
        }
        self
    }

    fn last(&self) -> &Movement {
        self.0.last().expect("a path has a movement")
    }

    /// The source axis that equals this result axis, if there is one.
    fn is_axis_kept_backwards(&self, axis: usize) -> Option<usize> {
        let mut steps = self.0.iter().rev();
        steps.try_fold(axis, |axis, movement| movement.inverse().is_axis_kept(axis))
    }

    /// The sequence as one movement, if it is one.
    fn one(self) -> Option<Movement> {
        let [movement] = <[Movement; 1]>::try_from(self.0).ok()?;
        Some(movement)
    }
}

/// The movements from which `value` results, if there are any and their source has rank 3 or more.
fn before(graph: &Graph, value: ValueId) -> Option<Path> {
    let (mut value, mut all) = (value, Vec::new());
    while all.len() < MAX_MOVEMENTS {
        let Some(id) = graph.producer(value) else {
            break;
        };
        let Op::Move(op) = &graph.node(id).op else {
            break;
        };
        all.push(&op.movement);
        value = graph.node(id).operands[0];
    }
    if all.is_empty() || graph.ty(value).rank() < 3 {
        return None;
    }
    let start = Path(Vec::new());
    Some(all.into_iter().rev().fold(start, Path::then))
}

/// True for a constant, or one movement of a constant.
fn is_known(graph: &Graph, value: ValueId) -> bool {
    let source = graph.producer(value).map(|id| graph.node(id));
    let moved = source.filter(|node| matches!(node.op, Op::Move(_)));
    let value = moved.map_or(value, |node| node.operands[0]);
    graph.as_constant(value).is_some()
}

/// The movements before the layer composed with those after it, as if the layer kept the number of features. `None` if
/// they do not compose to one movement that keeps the rank, or if there are none after the layer.
fn restored(graph: &Graph, before: &Path, result: ValueId) -> Option<Movement> {
    let [before] = &before.0[..] else { return None };
    let features = graph.ty(result).shape.last()?;
    let mut path = Path(vec![with_last(before, features)?]);
    let (mut value, mut steps) = (result, 0);
    while let [Use::Operand(reader, _)] = graph.value(value).uses() {
        let Op::Move(op) = &graph.node(*reader).op else {
            break;
        };
        path = path.then(&op.movement);
        value = graph.node(*reader).result();
        steps += 1;
        if steps == MAX_MOVEMENTS {
            return None;
        }
    }
    let whole = path.one().filter(|_| steps > 0)?;
    (whole.source().len() == whole.result().len()).then_some(whole)
}

/// The movement with another size of the last result axis. `None` if that axis is merged from several factors.
fn with_last(movement: &Movement, size: &Dim) -> Option<Movement> {
    let [factor] = movement.result().last()?.as_slice() else {
        return None;
    };
    let mut sizes = movement.sizes().to_vec();
    sizes[factor.index()] = size.clone();
    let places = |axes: &[kiln_ir::movement::AxisFactors]| -> Vec<Vec<usize>> {
        let axis = |a: &kiln_ir::movement::AxisFactors| a.iter().map(|f| f.index()).collect();
        axes.iter().map(axis).collect()
    };
    Movement::from_parts(sizes, places(movement.source()), places(movement.result())).ok()
}
