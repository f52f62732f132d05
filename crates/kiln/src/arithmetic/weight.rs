//! The integers behind the weight of a layer, and how an archive makes floats of them.

use kiln_ir::graph::{Constant, Node};
use kiln_ir::{DType, Graph, Op, ValueId};
use kiln_transforms::analysis::constants::is_constant;

/// The most nodes that are looked at behind a weight.
const MAX_NODES: usize = 64;

/// How integers become floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// By a scale and a zero point that are part of a type; or by a cast alone, since the scales are behind the layer.
    Quantised,
    /// By a call whose scales or zero points can be no part of a type.
    OtherParameters,
    /// By casts, differences and products of the archive, as `run_decompositions()` leaves them.
    ByHand,
}

/// The constant of integers of which a weight is made, perhaps moved, and how. `None` for weights of floats, and for what follows from
/// inputs.
pub fn integers_behind(graph: &Graph, weight: ValueId) -> Option<(&Constant, Form)> {
    Search {
        graph,
        left: MAX_NODES,
    }
    .integers(weight)
}

struct Search<'g> {
    graph: &'g Graph,
    left: usize,
}

impl<'g> Search<'g> {
    fn node(&mut self, value: ValueId) -> Option<&'g Node> {
        self.left = self.left.checked_sub(1)?;
        Some(self.graph.node(self.graph.producer(value)?))
    }

    fn integers(&mut self, value: ValueId) -> Option<(&'g Constant, Form)> {
        let node = self.node(value)?;
        match &node.op {
            Op::Move(_) | Op::Broadcast(_) => self.integers(node.operands[0]),
            Op::Dequantize(_) => Some((self.constant(node.operands[0])?, Form::Quantised)),
            Op::Cast(op) if op.to.is_float() => {
                let from = node.operands[0];
                match self.graph.ty(from).dtype {
                    own if own.is_float() => self.integers(from),
                    // Wider integers are numbers of the model, not quantised ones.
                    DType::I8 | DType::U8 => Some((self.constant(from)?, Form::Quantised)),
                    _ => None,
                }
            }
            Op::Binary(_) => {
                let found = node.operands.iter().filter_map(|&v| self.integers(v));
                // Scales may have integers too.
                let (constant, _) =
                    found.max_by_key(|(constant, _)| constant.data.bytes().len())?;
                let all = node.operands.iter().all(|&v| self.is_known(v));
                all.then(|| (constant, self.form(node)))
            }
            _ => None,
        }
    }

    /// The constant that a value is, or is the movement of.
    fn constant(&mut self, value: ValueId) -> Option<&'g Constant> {
        if !is_constant(self.graph, value) {
            return None;
        }
        let mut source = value;
        while let Some(Op::Move(_)) = self.graph.producer_op(source) {
            source = self.node(source)?.operands[0];
        }
        self.graph.as_constant(source)
    }

    /// True for what follows from constants alone.
    fn is_known(&mut self, value: ValueId) -> bool {
        self.node(value).is_some_and(|node| match &node.op {
            Op::Constant(_) => true,
            _ => !node.operands.is_empty() && node.operands.iter().all(|&v| self.is_known(v)),
        })
    }

    fn form(&self, node: &Node) -> Form {
        let mut sources = node.sources.iter().map(|&s| self.graph.source(s));
        match sources.any(|source| source.target.contains("dequantize")) {
            true => Form::OtherParameters,
            false => Form::ByHand,
        }
    }
}
