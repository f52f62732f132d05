//! The names of operators as users wrote them: `flip` and `embedding`, where the ops of the graph are `reverse` and `index`.

use crate::compiler::CompiledMethod;
use kiln_ir::{Graph, NodeId, Op, SourceId};
use kiln_target::{Place, Placed};
use kiln_transforms::framework::target::Reason;
use rustc_hash::FxHashMap;

/// How many nodes compute each operation of the user's program.
pub struct Operators<'m> {
    graph: &'m Graph,
    parts: FxHashMap<SourceId, usize>,
}

impl<'m> Operators<'m> {
    /// Those of a method.
    pub fn of(method: &'m CompiledMethod) -> Operators<'m> {
        Operators::placed(&method.graph, &method.placements)
    }

    fn placed(graph: &'m Graph, placements: &[Placed]) -> Operators<'m> {
        let mut parts: FxHashMap<SourceId, usize> = FxHashMap::default();
        let computing = placements.iter().filter(|p| p.place != Place::Free);
        let computing = computing.map(|p| graph.node(p.node));
        for node in computing.filter(|node| !attends(&node.op)) {
            for &source in &node.sources {
                *parts.entry(source).or_default() += 1;
            }
        }
        Operators { graph, parts }
    }

    /// The operator in the user's program. A part of one that Kiln computes in several nodes has the name of its own function.
    pub fn name(&self, node: NodeId) -> String {
        let node = self.graph.node(node);
        let most = if attends(&node.op) { 0 } else { 1 };
        let parts = |source: &SourceId| self.parts.get(source).copied().unwrap_or(0);
        let whole = node.sources.iter().find(|&source| parts(source) <= most);
        let operator = whole.and_then(|&source| self.graph.source(source).operator());
        operator.map_or_else(|| node.op.function().into_owned(), str::to_owned)
    }
}

/// The operator of a node, without a look at the others that compute it too.
pub fn name_of(graph: &Graph, node: NodeId) -> String {
    let node = graph.node(node);
    let mut sources = node.sources.iter();
    let operator = sources.find_map(|&source| graph.source(source).operator());
    operator.map_or_else(|| node.op.function().into_owned(), str::to_owned)
}

/// What stands beside the node that computes an operation.
fn attends(op: &Op) -> bool {
    matches!(
        op,
        Op::Constant(_)
            | Op::Move(_)
            | Op::Broadcast(_)
            | Op::Cast(_)
            | Op::Quantize(_)
            | Op::Dequantize(_)
            | Op::Requantize(_)
    )
}

/// The placements with the user's names of operators in their reasons.
pub(crate) fn with_names(graph: &Graph, mut placements: Vec<Placed>) -> Vec<Placed> {
    let operators = Operators::placed(graph, &placements);
    for placed in &mut placements {
        let op = &graph.node(placed.node).op;
        let reasons = [&mut placed.reason, &mut placed.difference];
        let is_op = |reason: &&mut Reason| {
            reason.found == op.function().as_ref() || reason.found == op.name()
        };
        for reason in reasons.into_iter().flatten().filter(is_op) {
            reason.found = operators.name(placed.node);
        }
    }
    placements
}
