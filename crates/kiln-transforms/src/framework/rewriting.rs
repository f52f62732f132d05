//! Application of rules: emit nodes, check their types, and replace the old node; or remove the emitted nodes again.

use crate::framework::emitter::Emitter;
use crate::framework::pass::Report;
use crate::framework::target::{Reason, Target};
use kiln_ir::arena::Id;
use kiln_ir::graph::Use;
use kiln_ir::{BlockId, Graph, NodeId, Op, Place, Rewriter, ValueId};
use smallvec::SmallVec;

/// The new value for each result of a node; `None` for a result that has no readers.
pub type Replacements = SmallVec<[Option<ValueId>; 2]>;

/// The outcome of a rule: the new value for the node's result, `None` if the rule does not match, or the reason why it
/// declines.
pub type Rewritten = Result<Option<ValueId>, Reason>;

/// A rewrite of nodes with one result.
#[derive(Clone, Copy)]
pub struct Rule {
    /// The name of the rule in reports.
    pub name: &'static str,
    /// Emits the replacement of the node's result. An error means that the rule declines.
    pub rewrite: fn(&mut Emitter<'_, '_>, NodeId) -> Rewritten,
}

/// The names of rules followed by other names, for [`Pass::rules`](crate::framework::pass::Pass::rules). `COUNT` must
/// be their number.
pub const fn names<const COUNT: usize>(
    rules: &[Rule],
    others: &[&'static str],
) -> [&'static str; COUNT] {
    assert!(rules.len() + others.len() == COUNT);
    let (mut names, mut i) = ([""; COUNT], 0);
    while i < COUNT {
        names[i] = if i < rules.len() {
            rules[i].name
        } else {
            others[i - rules.len()]
        };
        i += 1;
    }
    names
}

/// What happened to a node when a rule was tried.
pub enum Applied {
    /// The rule did not match, or it declined.
    No,
    /// The node was replaced. Holds the inserted nodes that are in use.
    Yes(Vec<NodeId>),
    /// The rewriter's limit of applications is reached.
    Stopped,
}

/// The context of a running pass.
pub struct PassContext<'c, 'g> {
    /// The rewriter, which alone can change the graph.
    pub rewriter: &'c mut Rewriter<'g>,
    /// The target.
    pub target: &'c dyn Target,
    /// The report of the run.
    pub report: &'c mut Report,
}

impl PassContext<'_, '_> {
    /// The graph.
    pub fn graph(&self) -> &Graph {
        self.rewriter.graph()
    }

    /// Tries a rule on a node.
    pub fn try_rule(&mut self, rule: &Rule, node: NodeId) -> Applied {
        self.try_rewrite(rule.name, node, |emitter| (rule.rewrite)(emitter, node))
    }

    /// As [`PassContext::try_rule`], for a rewrite that asks what its pass knows of the whole graph.
    pub fn try_rewrite(
        &mut self,
        rule: &'static str,
        node: NodeId,
        rewrite: impl FnOnce(&mut Emitter<'_, '_>) -> Rewritten,
    ) -> Applied {
        let mark = self.mark();
        match self.emit(node, rewrite) {
            Ok(None) => {
                self.take_back(mark);
                Applied::No
            }
            Ok(Some(value)) => {
                let before = self.makers_of_operands(node);
                let applied = self.commit(rule, node, &[Some(value)], mark);
                if let Applied::Yes(_) = applied {
                    self.erase_unread(before);
                }
                applied
            }
            Err(reason) => {
                self.take_back(mark);
                self.report.declined(rule, node, reason);
                Applied::No
            }
        }
    }

    /// Calls `emit` with an emitter that inserts before `node` and gives new nodes the provenance of `node`.
    pub fn emit<T>(&mut self, node: NodeId, emit: impl FnOnce(&mut Emitter<'_, '_>) -> T) -> T {
        self.emit_for(node, &[node], emit)
    }

    /// As [`PassContext::emit`], with the provenance of several nodes, which the new ones replace together.
    pub fn emit_for<T>(
        &mut self,
        node: NodeId,
        replaced: &[NodeId],
        emit: impl FnOnce(&mut Emitter<'_, '_>) -> T,
    ) -> T {
        self.rewriter.set_sources_of(replaced);
        emit(&mut Emitter::new(
            self.rewriter,
            self.target,
            Place::Before(node),
        ))
    }

    /// The current number of node ids. Nodes inserted later can be found and removed by [`PassContext::live_since`] and
    /// [`PassContext::take_back`].
    pub fn mark(&self) -> u32 {
        self.graph().node_bound() as u32
    }

    /// Replaces the results of `node` by `values` and reports it, if the types match and the rewriter's limit allows
    /// it. Otherwise the nodes inserted since `mark` are removed.
    pub fn commit(
        &mut self,
        rule: &'static str,
        node: NodeId,
        values: &[Option<ValueId>],
        mark: u32,
    ) -> Applied {
        if let Err(reason) = self.fits(node, values, mark) {
            self.take_back(mark);
            self.report.declined(rule, node, reason);
            return Applied::No;
        }
        if !self.rewriter.may_apply() {
            self.take_back(mark);
            return Applied::Stopped;
        }
        self.report.applied(rule, self.rewriter.graph(), node);
        self.prune(mark, values);
        self.replace(node, values);
        Applied::Yes(self.live_since(mark))
    }

    /// Replaces the results of `node` by `values`, and erases the node.
    pub fn replace(&mut self, node: NodeId, values: &[Option<ValueId>]) {
        let results = self.graph().node(node).results.clone();
        for (&old, new) in results.iter().zip(values) {
            let Some(new) = *new else { continue };
            let shape = self.graph().ty(old).shape.clone();
            if self.graph().ty(new).shape != shape {
                self.rewriter.refine_shape(new, shape.to_vec());
            }
            self.rewriter.replace_value(old, new);
        }
        self.rewriter.erase(node);
    }

    /// Checks that `values` can replace the results of `node`.
    ///
    /// # Errors
    /// Names the result that does not match: a bug of the rule.
    pub fn fits(&self, node: NodeId, values: &[Option<ValueId>], mark: u32) -> Result<(), Reason> {
        let graph = self.graph();
        for (&old, new) in graph.node(node).results.iter().zip(values) {
            let Some(new) = *new else {
                if graph.value(old).uses().is_empty() {
                    continue;
                }
                return Err(Reason::new(
                    "the rule replaces every result that has readers",
                    format!("{old}"),
                ));
            };
            let (old, ty) = (graph.ty(old), graph.ty(new));
            let is_made = graph
                .producer(new)
                .is_some_and(|n| n.index() >= mark as usize);
            let equal = old.shape.equal(&ty.shape, &graph.symbols);
            let agrees = old.shape == ty.shape || (is_made && equal != Some(false));
            if old.dtype != ty.dtype || old.quant != ty.quant || !agrees {
                return Err(Reason::new(
                    format!("the replacement has the type of the result, {old:?}"),
                    format!("{ty:?}"),
                ));
            }
        }
        Ok(())
    }

    /// The nodes inserted since `mark` that still exist, in order of insertion.
    pub fn live_since(&self, mark: u32) -> Vec<NodeId> {
        (mark..self.graph().node_bound() as u32)
            .map(NodeId::new)
            .filter(|&n| self.graph().try_node(n).is_some())
            .collect()
    }

    fn makers_of_operands(&self, node: NodeId) -> Vec<NodeId> {
        let operands = self.graph().node(node).operands.iter();
        operands.filter_map(|&v| self.graph().producer(v)).collect()
    }

    /// Erases the nodes that have no readers, and transitively their operands' producers: dead nodes must not count as
    /// readers in later rules.
    fn erase_unread(&mut self, mut nodes: Vec<NodeId>) {
        while let Some(node) = nodes.pop() {
            let Some(found) = self.graph().try_node(node) else {
                continue;
            };
            if matches!(found.op, Op::NonZero(_)) || !is_unread(self.graph(), node) {
                continue;
            }
            nodes.extend(self.makers_of_operands(node));
            self.rewriter.erase(node);
        }
    }

    /// Erases all nodes inserted since `mark`. Only such nodes may read them.
    pub fn take_back(&mut self, mark: u32) {
        self.prune(mark, &[]);
    }

    /// Erases the nodes inserted since `mark` that are dead, except the producers of `kept`.
    pub fn prune(&mut self, mark: u32, kept: &[Option<ValueId>]) {
        let kept: Vec<NodeId> = kept
            .iter()
            .flatten()
            .filter_map(|&v| self.graph().producer(v))
            .collect();
        let mut ready = self.live_since(mark);
        ready.retain(|n| is_unread(self.graph(), *n) && !kept.contains(n));
        while let Some(node) = ready.pop() {
            if self.graph().try_node(node).is_none() {
                continue;
            }
            let operands = self.graph().node(node).operands.clone();
            self.rewriter.erase(node);
            let freed = operands.iter().filter_map(|&v| self.graph().producer(v));
            ready.extend(freed.filter(|n| {
                n.index() >= mark as usize && is_unread(self.graph(), *n) && !kept.contains(n)
            }));
        }
    }
}

/// True if no result of the node has readers.
pub fn is_unread(graph: &Graph, node: NodeId) -> bool {
    graph
        .node(node)
        .results
        .iter()
        .all(|&r| graph.value(r).uses().is_empty())
}

/// True if the value has exactly one use.
pub fn is_read_once(graph: &Graph, value: ValueId) -> bool {
    graph.value(value).uses().len() == 1
}

/// The root block and the bodies of all nodes within, outer blocks first.
pub fn blocks_in_use(graph: &Graph) -> Vec<BlockId> {
    let (mut blocks, mut next) = (vec![graph.root()], 0);
    while let Some(&block) = blocks.get(next) {
        next += 1;
        for (_, node) in graph.nodes_in(block) {
            blocks.extend(node.op.bodies());
        }
    }
    blocks
}

/// The nodes of the root block and of all bodies, in order.
pub fn nodes_in_use(graph: &Graph) -> Vec<NodeId> {
    let blocks = blocks_in_use(graph);
    let nodes = blocks.into_iter().flat_map(|b| graph.nodes_in(b));
    nodes.map(|(id, _)| id).collect()
}

/// The nodes of [`nodes_in_use`] on which a result, a state, a size or the flow of control depends, in order.
pub fn nodes_read(graph: &Graph) -> Vec<NodeId> {
    let mut nodes = nodes_in_use(graph);
    let mut is_read = vec![false; graph.node_bound()];
    // Readers stand behind what they read, and bodies behind the blocks around them.
    for &id in nodes.iter().rev() {
        let node = graph.node(id);
        let by = |use_: &Use| match *use_ {
            Use::Operand(reader, _) => is_read[reader.index()],
            Use::BlockResult(..) | Use::Update(_) => true,
        };
        let mut uses = node.results.iter().flat_map(|&v| graph.value(v).uses());
        let is_size = matches!(node.op, Op::NonZero(_) | Op::BindSymbol(_));
        is_read[id.index()] = is_size || !node.op.bodies().is_empty() || uses.any(by);
    }
    nodes.retain(|id| is_read[id.index()]);
    nodes
}

/// Runs a pass that is a list of rules: applies them everywhere, then removes unused constants.
pub fn run_pass(
    rewriter: &mut Rewriter<'_>,
    target: &dyn Target,
    report: &mut Report,
    rules: &[Rule],
) {
    let mut cx = PassContext {
        rewriter,
        target,
        report,
    };
    run_rules(&mut cx, rules);
    rewriter.remove_unused_constants();
}

/// Applies rules to every node in order, and to the nodes that replace it, until none matches.
fn run_rules(cx: &mut PassContext<'_, '_>, rules: &[Rule]) {
    for node in nodes_in_use(cx.graph()) {
        if settle(cx, rules, node, &mut |_, _| {}).is_none() {
            return;
        }
    }
}

/// Applies rules to a node, and to the nodes that replace it, until none matches. Calls `settled` for each node that
/// remains. `None` once the rewriter's limit is reached.
pub fn settle(
    cx: &mut PassContext<'_, '_>,
    rules: &[Rule],
    node: NodeId,
    settled: &mut dyn FnMut(&mut PassContext<'_, '_>, NodeId),
) -> Option<()> {
    let mut open = vec![node];
    'nodes: while let Some(node) = open.pop() {
        if cx.graph().try_node(node).is_none() {
            continue;
        }
        if cx.graph().node(node).results.len() == 1 {
            for rule in rules {
                match cx.try_rule(rule, node) {
                    Applied::No => {}
                    Applied::Yes(new) => {
                        open.extend(new.into_iter().rev());
                        continue 'nodes;
                    }
                    Applied::Stopped => return None,
                }
            }
        }
        settled(cx, node);
    }
    Some(())
}
