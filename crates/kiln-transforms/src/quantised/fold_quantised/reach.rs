//! Finds which float values can be computed as integers, and why others cannot.

use super::carry::{carries, integers_of, is_clamp, is_extreme, is_float, is_given};
use crate::framework::pass::names;
use crate::framework::rewriting::nodes_in_use;
use crate::framework::target::Reason;
use kiln_ir::arena::Id;
use kiln_ir::graph::{Node, Use};
use kiln_ir::ops::{PoolFn, UnaryFn};
use kiln_ir::{Graph, NodeId, Op, ValueId};

/// Why a float value cannot be computed as integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stuck {
    /// An operand of its producer is no dequantisation.
    Operand(NodeId, usize),
    /// The value is read as float.
    Read(ValueId),
    /// The weight of its producer is a float constant.
    Weight(NodeId),
    /// Its producer has no quantised form.
    Family(NodeId),
    /// Its producer sorts floats. Integers may be equal where the floats are not, and no integer represents NaN.
    Order(NodeId),
    /// Its producer stays a kernel of floats.
    Kernel(NodeId),
}

/// The results of the analysis, by value.
pub(super) struct Reach {
    stuck: Vec<Option<Stuck>>,
    needed: Vec<bool>,
}

impl Reach {
    /// Analyses a graph in which dequantisations have sunk.
    pub(super) fn of(graph: &Graph) -> Reach {
        let mut reach = Reach {
            stuck: vec![None; graph.value_bound()],
            needed: vec![false; graph.value_bound()],
        };
        let nodes = nodes_in_use(graph);
        for &id in nodes.iter().rev() {
            for &result in &graph.node(id).results {
                reach.needed[result.index()] = reach.is_needed(graph, result);
            }
        }
        for &id in &nodes {
            let node = graph.node(id);
            let Some(&result) = node.results.first() else {
                continue;
            };
            if is_float(graph, result) {
                reach.stuck[result.index()] = reach.of_node(graph, id, node);
            }
        }
        reach
    }

    /// Why the value cannot be computed as integers; `None` if it can.
    pub(super) fn stuck(&self, value: ValueId) -> Option<Stuck> {
        self.stuck.get(value.index()).copied().flatten()
    }

    /// True if an op reads the value as float, or the caller does.
    pub(super) fn is_read_as_float(&self, value: ValueId) -> bool {
        self.needed.get(value.index()).copied().unwrap_or(false)
    }

    /// Why a node still takes dequantised operands.
    pub(super) fn kept(&self, graph: &Graph, id: NodeId) -> Stuck {
        let node = graph.node(id);
        let float = node.results.first().filter(|&&v| is_float(graph, v));
        let mut operands = 0..node.operands.len();
        match float {
            Some(&result) => self.stuck(result).unwrap_or(Stuck::Read(result)),
            None => match operands.find(|&i| !is_given(graph, node.operands[i])) {
                Some(i) => Stuck::Operand(id, i),
                None => Stuck::Family(id),
            },
        }
    }

    /// True if the value is read as float.
    fn is_needed(&self, graph: &Graph, value: ValueId) -> bool {
        let by = |use_: &Use| match *use_ {
            Use::BlockResult(..) | Use::Update(_) => true,
            Use::Operand(reader, slot) => {
                let node = graph.node(reader);
                match &node.op {
                    Op::Quantize(_) => false,
                    op if is_clamp(op)
                        || is_extreme(op)
                        || carries(graph, reader) && op.meets(slot as usize) =>
                    {
                        let result = node.results.first();
                        result.is_some_and(|r| self.needed[r.index()])
                    }
                    _ => true,
                }
            }
        };
        graph.value(value).uses().iter().any(by)
    }

    fn of_node(&self, graph: &Graph, id: NodeId, node: &Node) -> Option<Stuck> {
        match &node.op {
            Op::Dequantize(_)
            | Op::Constant(_)
            | Op::ReadState(_)
            | Op::Iota(_)
            | Op::DimValue(_)
            | Op::If(_)
            | Op::While(_) => None,
            // The cast makes a real of an integer. Its quantisation stays after it.
            Op::Cast(_) if !is_float(graph, node.operands[0]) => None,
            op if is_clamp(op) => self.stuck(node.operands[0]),
            Op::Sort(_) | Op::TopK(_) => Some(Stuck::Order(id)),
            op if carries(graph, id) => {
                let mut meeting = (0..node.operands.len()).filter(|&i| op.meets(i));
                meeting.find_map(|i| self.stuck(node.operands[i]))
            }
            op if is_extreme(op) && !node.operands.iter().all(|&v| is_given(graph, v)) => {
                node.operands.iter().find_map(|&v| self.stuck(v))
            }
            op if op.computes_reals() => self.of_computing(graph, id, node),
            _ => Some(Stuck::Family(id)),
        }
    }

    fn of_computing(&self, graph: &Graph, id: NodeId, node: &Node) -> Option<Stuck> {
        if node.results.len() != 1 {
            return Some(Stuck::Family(id));
        }
        let weight = match node.op {
            Op::Conv(_) | Op::Linear(_) | Op::MatMul(_) => Some(1),
            _ => None,
        };
        for (i, &operand) in node.operands.iter().enumerate() {
            if !is_given(graph, operand) {
                return Some(Stuck::Operand(id, i));
            }
            let is_real = is_float(graph, operand) && integers_of(graph, operand).is_none();
            if is_real && weight.is_some_and(|weight| i <= weight) {
                return Some(Stuck::Weight(id));
            }
        }
        self.needed[node.result().index()].then(|| Stuck::Read(node.result()))
    }
}

impl Stuck {
    /// The reason for reports.
    pub(super) fn reason(self, graph: &Graph) -> Reason {
        match self {
            Stuck::Operand(node, i) if is_rounded(graph, operand(graph, node, i)) => Reason::new(
                "the steps of all operands are known at compile time",
                format!(
                    "steps of operand {i} of {} that are computed at run time",
                    described(graph, Some(node))
                ),
            )
            .advise("quantise with ranges that are calibrated before the export"),
            Stuck::Operand(node, i) => Reason::new(
                "all operands of a quantised op are quantised",
                format!(
                    "operand {i} of {}, {}",
                    described(graph, Some(node)),
                    made_by(graph, operand(graph, node, i))
                ),
            ),
            Stuck::Read(value) => Reason::new(
                "the result is quantised before anything reads it",
                format!(
                    "the result of {}, which {} as floats",
                    described(graph, graph.producer(value)),
                    readers(graph, value)
                ),
            ),
            Stuck::Weight(node) => Reason::new(
                "both factors are quantised",
                format!("{} of a float constant", described(graph, Some(node))),
            )
            .advise("quantise the weights"),
            Stuck::Family(node) => {
                Reason::new("the op has a quantised form", described(graph, Some(node)))
            }
            Stuck::Order(node) => Reason::new(
                "the op does not sort floats, since quantised elements may be equal where floats are not, and cannot be NaN",
                described(graph, Some(node)),
            ),
            Stuck::Kernel(node) => Reason::new(
                "a kernel between delegates moves floats, since kernels of integers take longer",
                described(graph, Some(node)),
            ),
        }
    }
}

fn operand(graph: &Graph, node: NodeId, i: usize) -> Option<ValueId> {
    graph.try_node(node)?.operands.get(i).copied()
}

/// Whether a value is rounded to steps of its own, which are computed at run time.
fn is_rounded(graph: &Graph, value: Option<ValueId>) -> bool {
    let mut made = value.and_then(|value| graph.producer(value));
    while let Some(id) = made {
        match graph.node(id).op {
            Op::FakeQuantize(_) => return true,
            Op::Move(_) => made = graph.producer(graph.node(id).operands[0]),
            _ => return false,
        }
    }
    false
}

/// The name of a node's op, with its function.
pub(super) fn described(graph: &Graph, node: Option<NodeId>) -> String {
    let Some((node, data)) = node.and_then(|n| Some((n, graph.try_node(n)?))) else {
        return "a node that is gone".into();
    };
    let named = match &data.op {
        Op::Unary(op) => match op.f {
            UnaryFn::Simple(f) => Some(f.text().into()),
            UnaryFn::Clamp { .. } => Some("clamp".into()),
            UnaryFn::Elu { .. } => Some("elu".into()),
            UnaryFn::LeakyRelu { .. } => Some("leaky_relu".into()),
            UnaryFn::Softplus { .. } => Some("softplus".into()),
        },
        Op::Binary(op) => Some(op.f.text().into()),
        Op::Compare(op) => Some(op.f.text().into()),
        Op::Reduce(op) => Some(op.f.text().into()),
        Op::Pool(op) => Some(match op.f {
            PoolFn::Max | PoolFn::MaxWithIndices => "max_pool".into(),
            PoolFn::Avg { .. } => "avg_pool".into(),
        }),
        // The exporter's view or transpose.
        Op::Move(_) => names(graph, node).into_iter().next(),
        _ => None,
    };
    named.unwrap_or_else(|| data.op.name().into())
}

fn made_by(graph: &Graph, value: Option<ValueId>) -> String {
    match value.map(|v| graph.producer(v)) {
        Some(Some(node)) => format!("made by {} in floats", described(graph, Some(node))),
        Some(None) => "a float input".into(),
        None => "gone".into(),
    }
}

/// What reads a value, without quantisations.
fn readers(graph: &Graph, value: ValueId) -> String {
    let mut names: Vec<String> = Vec::new();
    for use_ in graph.value(value).uses() {
        let name = match *use_ {
            Use::BlockResult(..) => "the caller".to_string(),
            Use::Update(_) => "state".to_string(),
            Use::Operand(reader, _) => described(graph, Some(reader)),
        };
        if !names.contains(&name) && name != "quantize" {
            names.push(name);
        }
    }
    format!(
        "{} {}",
        names.join(", "),
        if names.len() == 1 { "takes" } else { "take" }
    )
}
