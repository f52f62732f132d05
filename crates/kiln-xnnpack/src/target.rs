//! The XNNPACK target as the passes see it.

use crate::support::{Options, support_with};
use kiln_ir::ops::{BinaryFn, NormKind, Simple, UnaryFn};
use kiln_ir::{DType, Graph, NodeId, Op};
use kiln_transforms::target::{Placement, Reason, Target};

/// XNNPACK delegates, with kernels of the stock runtime for what they leave.
#[derive(Clone, Copy, Debug, Default)]
pub struct Xnnpack {
    /// What the user chose.
    pub options: Options,
}

impl Target for Xnnpack {
    fn placement(&self, graph: &Graph, node: NodeId) -> Placement {
        let reason = match support_with(graph, node, &self.options) {
            Ok(()) => return Placement::Delegate,
            Err(reason) => reason,
        };
        match kiln_portable::support(graph, node) {
            Ok(()) => Placement::Kernel(reason),
            Err(kernel) => Placement::None(Reason::new(
                format!(
                    "{}, and the runtime's kernels: {}",
                    reason.rule, kernel.rule
                ),
                format!("{} and {}", reason.found, kernel.found),
            )),
        }
    }

    fn prefers_decomposed(&self, graph: &Graph, node: NodeId) -> bool {
        let node = graph.node(node);
        let Some(&first) = node.operands.first() else {
            return false;
        };
        let ty = graph.ty(first);
        let sizes = ty.shape.iter().map(|d| graph.symbols.bounds(d).lo);
        let fits = ty.dtype == DType::F32
            && ty.quant.is_none()
            && sizes.into_iter().all(|lo| lo.is_some_and(|n| n > 0));
        fits && has_parts(&node.op, ty.rank())
    }
}

/// True for what XNNPACK has all parts of.
fn has_parts(op: &Op, rank: usize) -> bool {
    match op {
        Op::Unary(op) => match op.f {
            UnaryFn::Simple(f) => matches!(
                f,
                Simple::GeluTanh
                    | Simple::Mish
                    | Simple::LogSigmoid
                    | Simple::Exp2
                    | Simple::Log2
                    | Simple::Log10
            ),
            UnaryFn::Elu { .. } | UnaryFn::Softplus { .. } => true,
            UnaryFn::Clamp { .. } | UnaryFn::LeakyRelu { .. } => false,
        },
        Op::Binary(op) => op.f == BinaryFn::Pow,
        Op::Normalize(op) => match op.kind {
            NormKind::Layer { .. } | NormKind::Rms { .. } | NormKind::Batch => rank <= 6,
            NormKind::Group { .. } => rank <= 5,
        },
        Op::Attention(_) => rank <= 5,
        Op::Softmax(op) => op.log,
        Op::AdaptivePool(_) | Op::Resize(_) | Op::Pool(_) => true,
        _ => false,
    }
}
