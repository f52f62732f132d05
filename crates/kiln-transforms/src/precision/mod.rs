//! Computes a model in other floats than it was exported in: f16, bf16 or f32.
//!
//! This changes results, so it is no pass: the user asks for it before all passes. Inputs, outputs and state keep their
//! types. To halves, products of matrices and convolutions are converted, and what computes on their results. The module
//! `kept` says what stays in f32.
//!
//! Floats that are neither f32 nor the wanted halves become f32 first: a model of f64 keeps nothing in f64.
//!
//! Constants are converted where the archive is read, to the nearest number.

mod kept;

use crate::decompose;
use kept::{Kept, holds};
use kiln_ir::graph::Node;
use kiln_ir::ops::Cast;
use kiln_ir::{
    ConstId, DType, Graph, NodeId, Op, Place, Rewriter, TensorData, TensorType, ValueId,
};
use rustc_hash::FxHashMap;

/// What a conversion did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Converted {
    /// The nodes that compute in the new floats.
    pub nodes: usize,
    /// The nodes that stay, although they compute in floats.
    pub kept: usize,
}

/// Makes the graph compute in floats of type `to`: f16, bf16 or f32.
pub fn convert(graph: &mut Graph, to: DType) -> Converted {
    if to == DType::F32 {
        return Conversion::new(graph, to).run();
    }
    // A mask may hold numbers that halves do not. So what adds it must be seen.
    decompose::masked_attention(graph);
    let in_f32 = Conversion {
        spares: Some(to),
        ..Conversion::new(graph, DType::F32)
    };
    let widened = in_f32.run();
    let done = Conversion::new(graph, to).run();
    Converted {
        nodes: done.nodes.max(widened.nodes),
        kept: done.kept,
    }
}

struct Conversion<'g> {
    rewriter: Rewriter<'g>,
    to: DType,
    /// Floats that stay.
    spares: Option<DType>,
    /// Values in the new floats, by those in their place.
    new: FxHashMap<ValueId, ValueId>,
    /// Converted constants; `None` if the new floats do not hold one.
    constants: FxHashMap<ConstId, Option<TensorData>>,
    kept: Kept,
    done: Converted,
}

impl<'g> Conversion<'g> {
    fn new(graph: &'g mut Graph, to: DType) -> Conversion<'g> {
        let kept = match to {
            DType::F32 => Kept::default(),
            _ => Kept::of(graph, to),
        };
        Conversion {
            rewriter: Rewriter::new(graph),
            to,
            spares: None,
            new: FxHashMap::default(),
            constants: FxHashMap::default(),
            kept,
            done: Converted::default(),
        }
    }

    fn run(mut self) -> Converted {
        let root = self.graph().root();
        let nodes: Vec<NodeId> = self.graph().nodes_in(root).map(|(id, _)| id).collect();
        let mut replaced = Vec::new();
        for &id in &nodes {
            let node = self.graph().node(id).clone();
            if matches!(node.op, Op::Constant(_) | Op::ReadState(_)) || !self.touches(&node) {
                continue;
            }
            match self.converted(id, &node) {
                Some(made) => {
                    self.done.nodes += 1;
                    replaced.push(id);
                    for (&old, &new) in node.results.iter().zip(&self.results(made)) {
                        self.new.insert(old, new);
                    }
                }
                None => {
                    self.done.kept += usize::from(node.op.computes_reals());
                    self.kept.stays(self.rewriter.graph(), id);
                }
            }
        }
        self.hand_back(&replaced);
        self.done
    }

    fn graph(&self) -> &Graph {
        self.rewriter.graph()
    }

    fn results(&self, node: NodeId) -> Vec<ValueId> {
        self.graph().node(node).results.to_vec()
    }

    /// True for floats that are converted.
    fn is_old(&self, ty: &TensorType) -> bool {
        let is_old = match self.to {
            DType::F32 => ty.dtype != DType::F32 && self.spares != Some(ty.dtype),
            _ => ty.dtype == DType::F32,
        };
        is_old && ty.dtype.is_float() && ty.quant.is_none()
    }

    fn touches(&self, node: &Node) -> bool {
        let mut values = node.operands.iter().chain(&node.results);
        values.any(|&v| self.is_old(self.graph().ty(v)))
    }

    /// The node in the new floats, beside the old one. `None` if it stays.
    fn converted(&mut self, id: NodeId, node: &Node) -> Option<NodeId> {
        let is_opaque =
            matches!(node.op, Op::Foreign(_) | Op::FakeQuantize(_)) || !node.op.bodies().is_empty();
        if is_opaque || self.kept.must_stay(self.graph(), id) {
            return None;
        }
        let op = self.op(node)?;
        let operands: Option<Vec<ValueId>> =
            node.operands.iter().map(|&v| self.operand(v)).collect();
        self.rewriter.set_sources_of(&[id]);
        let made = self
            .rewriter
            .insert(Place::Before(id), op, &operands?)
            .ok()?;
        if self.is_as_expected(node, made) {
            return Some(made);
        }
        self.rewriter.erase(made);
        None
    }

    /// Whether results are what they were, in the new floats.
    fn is_as_expected(&self, node: &Node, made: NodeId) -> bool {
        let graph = self.graph();
        let results = node.results.iter().zip(&graph.node(made).results);
        results.into_iter().all(|(&old, &new)| {
            let (old, new) = (graph.ty(old), graph.ty(new));
            let dtype = match self.is_old(old) {
                true => self.to,
                false => old.dtype,
            };
            new.dtype == dtype && new.quant == old.quant && new.shape == old.shape
        })
    }

    /// The op, with the type that it names changed. `None` if it has no such form.
    fn op(&self, node: &Node) -> Option<Op> {
        match &node.op {
            Op::Cast(cast) => Some(match self.is_old(self.graph().ty(node.result())) {
                true => Cast { to: self.to }.into(),
                false => cast.clone().into(),
            }),
            Op::Iota(_) => None,
            other => Some(other.clone()),
        }
    }

    /// The value in the new floats. `None` for a constant that they do not hold.
    fn operand(&mut self, value: ValueId) -> Option<ValueId> {
        if let Some(&new) = self.new.get(&value) {
            return Some(new);
        }
        if !self.is_old(self.graph().ty(value)) {
            return Some(value);
        }
        let producer = self.graph().producer(value);
        let place = match producer {
            Some(node) => Place::After(node),
            None => Place::Start(self.graph().root()),
        };
        let constant = producer.and_then(|node| match &self.graph().node(node).op {
            Op::Constant(constant) => Some(constant.value),
            _ => None,
        });
        self.rewriter.set_sources([]);
        let new = match constant {
            Some(id) => {
                let name = self.graph().constant(id).name.clone();
                let data = self.constant(id)?;
                self.rewriter.constant_value(place, name, data)
            }
            None => self
                .rewriter
                .value(place, Cast { to: self.to }, &[value])
                .ok()?,
        };
        self.new.insert(value, new);
        Some(new)
    }

    fn constant(&mut self, id: ConstId) -> Option<TensorData> {
        if let Some(known) = self.constants.get(&id) {
            return known.clone();
        }
        let data = &self.graph().constant(id).data;
        let made = holds(data, self.to)
            .then(|| converted(data, self.to))
            .flatten();
        self.constants.insert(id, made.clone());
        made
    }

    /// Gives the old types back to what stays, and to the caller.
    fn hand_back(&mut self, replaced: &[NodeId]) {
        for &id in replaced.iter().rev() {
            for old in self.results(id) {
                let new = self.new[&old];
                if self.graph().value(old).uses().is_empty() {
                    continue;
                }
                let ty = self.graph().ty(old);
                let value = match self.graph().producer(new).filter(|_| self.is_old(ty)) {
                    Some(node) => {
                        let to = ty.dtype;
                        self.rewriter.set_sources([]);
                        self.rewriter.value(Place::After(node), Cast { to }, &[new])
                    }
                    None => Ok(new),
                };
                self.rewriter
                    .replace_value(old, value.expect("a float becomes another float"));
            }
            self.rewriter.erase(id);
        }
    }
}

/// A tensor in other floats.
fn converted(data: &TensorData, to: DType) -> Option<TensorData> {
    match data.dtype() {
        DType::F64 => {
            let sizes = data.sizes().to_vec();
            Some(TensorData::from_scalars(to, sizes, data.scalars()))
        }
        _ => data.converted(to),
    }
}
