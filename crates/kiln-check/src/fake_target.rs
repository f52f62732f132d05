//! A target for tests, whose support table is one line of words.

use kiln_ir::arena::Id;
use kiln_ir::ops::{NormKind, PadMode, PoolFn, UnaryFn};
use kiln_ir::{DType, Graph, NodeId, Op, Scalar, TensorData, TensorType};
use kiln_transforms::framework::target::{Placement, Reason, Target};
use std::collections::BTreeSet;

/// Runs every node in its delegate, except those that its lists name.
///
/// A list names nodes by family (`pool`), family and function (`pool.max`), family and number of spatial axes
/// (`pool.3d`), family and rank (`matmul.4d`), or family and dtype (`softmax.f16`). An op on quantised values is named
/// by the family that it computes (`quantised.linear`, `dequantised.index`), and one that rounds its input by `dequantised.rounded`.
/// Behind `narrow` are dtypes of integers that its delegate does not hold. Behind `halves`, the word `whole` says that programs hold weights of
/// f32 that are whole numbers in half as many bytes.
#[derive(Clone, Debug, Default)]
pub struct FakeTarget {
    kernel: BTreeSet<String>,
    none: BTreeSet<String>,
    prefers: BTreeSet<String>,
    copies: BTreeSet<String>,
    narrow: BTreeSet<String>,
    halves: BTreeSet<String>,
}

impl FakeTarget {
    /// Parses `kernel a b none c prefers d`. Behind `copies`, the word `joins` says that parts are never written in
    /// place in a join.
    pub fn parse<'t>(words: impl IntoIterator<Item = &'t str>) -> FakeTarget {
        let mut target = FakeTarget::default();
        let mut list: Option<&mut BTreeSet<String>> = None;
        for word in words {
            match word {
                "kernel" => list = Some(&mut target.kernel),
                "none" => list = Some(&mut target.none),
                "prefers" => list = Some(&mut target.prefers),
                "copies" => list = Some(&mut target.copies),
                "narrow" => list = Some(&mut target.narrow),
                "halves" => list = Some(&mut target.halves),
                name => {
                    list.as_mut()
                        .expect("a list before the names")
                        .insert(name.to_string());
                }
            }
        }
        target
    }
}

fn function_name(op: &Op) -> Option<String> {
    let text = |name: &str| Some(name.to_string());
    match op {
        Op::Unary(op) => match op.f {
            UnaryFn::Simple(f) => text(f.text()),
            UnaryFn::Clamp { .. } => text("clamp"),
            UnaryFn::Elu {
                scale, input_scale, ..
            } => text(if (scale, input_scale) == (1.0, 1.0) {
                "plain_elu"
            } else {
                "elu"
            }),
            UnaryFn::LeakyRelu { .. } => text("leaky_relu"),
            UnaryFn::Softplus { .. } => text("softplus"),
        },
        Op::Binary(op) => text(op.f.text()),
        Op::Compare(op) => text(op.f.text()),
        Op::Reduce(op) => text(op.f.text()),
        Op::ArgReduce(op) => text(op.f.text()),
        Op::Scan(op) => text(op.f.text()),
        Op::Scatter(op) => text(op.f.text()),
        Op::Resize(op) => text(op.mode.text()),
        Op::Softmax(op) => text(if op.log { "log" } else { "plain" }),
        Op::Pool(op) => pool_name(op.f),
        Op::AdaptivePool(op) => pool_name(op.f),
        Op::Pad(op) => match op.mode {
            PadMode::Constant(_) => text("constant"),
            PadMode::Reflect => text("reflect"),
            PadMode::Replicate => text("replicate"),
            PadMode::Circular => text("circular"),
        },
        Op::Normalize(op) => match op.kind {
            NormKind::Layer { .. } => text("layer"),
            NormKind::Rms { .. } => text("rms"),
            NormKind::Group { .. } => text("group"),
            NormKind::Batch => text("batch"),
        },
        Op::Quantised(op) => text(op.op.name()),
        Op::Dequantised(op) => text(op.op.name()),
        Op::Conv(op) => op.transposed.then(|| "transposed".to_string()),
        Op::Slice(op) => (op.step > 1).then(|| "strided".to_string()),
        _ => None,
    }
}

fn pool_name(f: PoolFn) -> Option<String> {
    Some(match f {
        PoolFn::Max => "max".into(),
        PoolFn::MaxWithIndices => "max_with_indices".into(),
        PoolFn::Avg { .. } => "avg".into(),
    })
}

fn names(graph: &Graph, node: NodeId) -> Vec<String> {
    let node = graph.node(node);
    let family = node.op.name();
    let mut names = vec![family.to_string()];
    names.extend(function_name(&node.op).map(|f| format!("{family}.{f}")));
    if let Some(&x) = node.operands.first() {
        let ty = graph.ty(x);
        let axes = match &node.op {
            Op::Conv(_) | Op::Pool(_) | Op::AdaptivePool(_) => ty.rank() - 2,
            _ => ty.rank(),
        };
        names.push(format!("{family}.{axes}d"));
        names.push(format!("{family}.{}", ty.dtype));
    }
    if let Op::Dequantised(op) = &node.op
        && op.activation.is_some()
    {
        names.push("dequantised.rounded".into());
    }
    if let Op::Softmax(op) = &node.op
        && op.axis + 1 != graph.ty(node.operands[0]).rank()
    {
        names.push("softmax.inner".into());
    }
    names
}

impl Target for FakeTarget {
    fn placement(&self, graph: &Graph, node: NodeId) -> Placement {
        let names = names(graph, node);
        let listed = |list: &BTreeSet<String>| names.iter().find(|n| list.contains(*n)).cloned();
        if let Some(name) = listed(&self.none) {
            return Placement::None(Reason::new("the fake target runs no such op", name));
        }
        match listed(&self.kernel).or_else(|| listed(&self.prefers)) {
            Some(name) => Placement::Kernel(Reason::new("the fake delegate has no such op", name)),
            None => Placement::Delegate,
        }
    }

    fn prefers_decomposed(&self, graph: &Graph, node: NodeId) -> bool {
        assert!(node.index() < graph.node_bound());
        names(graph, node).iter().any(|n| self.prefers.contains(n))
    }

    fn quantises_nan_to_zero(&self, graph: &Graph, node: NodeId) -> bool {
        !matches!(self.placement(graph, node), Placement::Kernel(_))
    }

    /// Its kernels are those of the stock runtime.
    fn quotients_below(&self, graph: &Graph, node: NodeId) -> Option<f64> {
        matches!(self.placement(graph, node), Placement::Kernel(_)).then_some(2147483648.0)
    }

    fn holds(&self, ty: &TensorType) -> bool {
        !self.narrow.contains(ty.dtype.name())
    }

    fn weight_bytes(&self, weight: &TensorData) -> usize {
        let is_whole = |number: Scalar| number.as_f64().fract() == 0.0;
        let is_half = self.halves.contains("whole")
            && weight.dtype() == DType::F32
            && weight.scalars().all(is_whole);
        weight.bytes().len() / if is_half { 2 } else { 1 }
    }

    fn elements_per_operator(&self) -> u64 {
        8
    }

    fn bytes_per_join(&self) -> Option<u64> {
        (!self.copies.contains("joins")).then_some(64)
    }

    fn elements_per_range(&self) -> u64 {
        if self.copies.contains("joins") { 2 } else { 0 }
    }
}
