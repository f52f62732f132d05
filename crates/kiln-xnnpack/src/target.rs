//! The XNNPACK target as the passes see it.

use crate::halves::{self, Held};
use crate::orders::MOVERS;
use crate::support::{Options, comes_with_position, difference, support_with};
use crate::weights;
use kiln_ir::graph::Node;
use kiln_ir::ops::{Parts, ReduceFn};
use kiln_ir::{DType, Graph, NodeId, Op, TensorData, TensorType, ValueId};
use kiln_transforms::analysis::constants::is_constant;
use kiln_transforms::framework::target::{Placement, Reason, Target};

/// XNNPACK delegates; kernels of the stock runtime run the rest.
#[derive(Clone, Copy, Debug, Default)]
pub struct Xnnpack {
    options: Options,
}

impl Xnnpack {
    /// The target with the user's options.
    pub fn new(options: Options) -> Xnnpack {
        Xnnpack { options }
    }

    /// The user's options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Why the node's kernel is not used although the runtime has one.
    fn refused_kernel(&self, graph: &Graph, node: NodeId) -> Option<Reason> {
        let reason = kiln_portable::difference(graph, node).filter(|_| self.options.strict_nan);
        reason.map(|r| r.advise("without --strict-nan the kernel is used"))
    }

    /// True if the parts of a node take no more time than a kernel: those that are wide do while they fit the cache.
    fn has_cheap_parts(&self, graph: &Graph, node: &Node) -> bool {
        match node.op.facts().parts {
            Parts::Cheap => true,
            Parts::Dear => false,
            Parts::Wide => {
                let ty = graph.ty(node.result());
                let pairs = node.op.pairs(&graph.types(&node.operands), ty);
                let bytes = pairs.and_then(|n| n.checked_mul(ty.dtype.size() as u64));
                bytes.is_some_and(|bytes| bytes <= self.options.cached_bytes)
            }
        }
    }
}

/// Elements from which it matters how long an element takes.
const LEAST_FOR_KERNEL: i64 = 4096;

impl Target for Xnnpack {
    fn placement(&self, graph: &Graph, node: NodeId) -> Placement {
        let reason = match support_with(graph, node, &self.options) {
            Ok(()) => return Placement::Delegate,
            Err(reason) => reason,
        };
        match self.refused_kernel(graph, node) {
            Some(kernel) => Placement::None(kernel),
            None => kiln_portable::placement(graph, node, reason),
        }
    }

    fn has_kernel(&self, graph: &Graph, node: NodeId) -> bool {
        kiln_portable::support(graph, node).is_ok() && self.refused_kernel(graph, node).is_none()
    }

    /// The least and the greatest element of rows. Measured: the library's pools take 1.4 ns for an element, and 3.6 ns where they keep
    /// NaN; kernels take 0.5 ns along the last axis. Other axes take them longer.
    fn has_faster_kernel(&self, graph: &Graph, node: NodeId) -> bool {
        let node = graph.node(node);
        let Op::Reduce(op) = &node.op else {
            return false;
        };
        let ty = graph.ty(node.operands[0]);
        let most = graph.symbols.bounds(&ty.shape.elements()).hi;
        matches!(op.f, ReduceFn::Max | ReduceFn::Min)
            && ty.dtype == DType::F32
            && op.axes.iter().copied().eq(ty.shape.len().checked_sub(1))
            && most.is_none_or(|most| most >= LEAST_FOR_KERNEL)
    }

    fn difference(&self, graph: &Graph, node: NodeId) -> Option<Reason> {
        difference(graph, node, &self.options)
    }

    fn weight_bytes(&self, weight: &TensorData) -> usize {
        weights::bytes_for_singles(weight)
    }

    fn floats(&self, graph: &Graph, node: NodeId) -> Option<DType> {
        let node = graph.node(node);
        let has_halves = node.operands.iter().any(|&v| graph.ty(v).dtype.is_half());
        let is_wide = || halves::held(graph, node, self.options.half()) == Held::Single;
        (has_halves && is_wide()).then_some(DType::F32)
    }

    fn kernel_difference(&self, graph: &Graph, node: NodeId) -> Option<Reason> {
        kiln_portable::difference(graph, node)
    }

    fn prefers_decomposed(&self, graph: &Graph, node: NodeId) -> bool {
        let node = graph.node(node);
        let floats = |v: &ValueId| {
            let ty = graph.ty(*v);
            ty.dtype.is_float() && ty.dtype != DType::F64 && ty.quant.is_none()
        };
        // Kernels of integers cut a delegate, in which floats would do the same.
        let on_integers = |v: &ValueId| graph.ty(*v).quant.is_some();
        if node.operands.first().is_some_and(on_integers) && node.results.iter().all(on_integers) {
            return true;
        }
        // Weights are dequantised ahead of time.
        let is_ahead = matches!(node.op, Op::Dequantize(_)) && is_constant(graph, node.operands[0]);
        node.results.iter().all(floats)
            && (self.has_cheap_parts(graph, node) || is_ahead)
            && !comes_with_position(graph, node)
    }

    fn quotients_below(&self, graph: &Graph, node: NodeId) -> Option<f64> {
        match self.placement(graph, node) {
            Placement::Delegate => None,
            Placement::Kernel(_) | Placement::None(_) => {
                kiln_portable::quotients_below(graph, node)
            }
        }
    }

    /// The types of operators and of biases.
    fn holds(&self, ty: &TensorType) -> bool {
        matches!(ty.dtype, DType::I8 | DType::U8 | DType::I32)
    }

    /// The library gives an end of the range, which one depends on the processor; the stock kernel gives the least integer. With
    /// `fast_nan` no NaN arises.
    fn quantises_nan_to_zero(&self, _: &Graph, _: NodeId) -> bool {
        self.options.fast_nan
    }

    fn max_rank(&self) -> usize {
        MOVERS.max_rank
    }

    fn cached_bytes(&self) -> u64 {
        self.options.cached_bytes
    }

    /// Measured: an operator of XNNPACK takes 0.1 us besides its elements; a sigmoid takes 0.2 ns per element.
    fn elements_per_operator(&self) -> u64 {
        512
    }

    /// Measured: a row takes 3.7 ns to cut out or to join, whatever its length; a shuffled element takes 0.41 ns.
    fn elements_per_range(&self) -> u64 {
        9
    }
}
