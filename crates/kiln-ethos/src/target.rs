//! The target that passes see: a core, and kernels for all else.

use crate::core_name::Core;
use crate::orders::Orders;
use crate::support::{QUANTISE, support};
use kiln_cortex_m::Firmware;
use kiln_ir::arena::Id;
use kiln_ir::{DType, Graph, NodeId, Op, ValueId};
use kiln_transforms::analysis::constants::is_constant;
use kiln_transforms::framework::target::{Placement, Reason, Target};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A core, with kernels for the nodes that it does not take: of integers, if there are any, else of the stock runtime.
#[derive(Clone, Debug)]
pub struct EthosU {
    core: Core,
    refused: Refused,
    /// The kernels of integers for what the NPU does not take; without, that computes in floats.
    kernels: Option<Firmware>,
}

/// What Vela refused of one graph although the support table admits it; see [`crate::fallback`].
#[derive(Clone, Debug, Default)]
struct Refused {
    /// The nodes that stay outside of regions.
    nodes: FxHashMap<NodeId, Reason>,
    /// The nodes that took the place of refused ones, and the reason.
    parts: FxHashMap<NodeId, Reason>,
}

impl EthosU {
    /// The target of a core.
    pub fn new(core: Core) -> EthosU {
        EthosU {
            core,
            refused: Refused::default(),
            kernels: None,
        }
    }

    /// The target of the same core, with the kernels of integers of the Cortex-M beside it.
    pub fn with_kernels(mut self) -> EthosU {
        let name = self.core.family().host();
        self.kernels = kiln_cortex_m::cores::Core::named(name).map(|core| Firmware { core });
        self
    }

    /// The kernels of integers, if there are any.
    pub(crate) fn kernels(&self) -> Option<&Firmware> {
        self.kernels.as_ref()
    }

    /// The target of the same core for one graph, whose nodes `outside` run as kernels.
    pub(crate) fn without(mut self, nodes: &[NodeId], reason: &Reason) -> EthosU {
        let refused = nodes.iter().map(|&node| (node, reason.clone()));
        self.refused.nodes.extend(refused);
        self
    }

    /// The target of the same core for one graph. The nodes with these indices stand in place of refused ones, for that
    /// reason.
    pub(crate) fn explained(mut self, nodes: Range<usize>, reason: &Reason) -> EthosU {
        let parts = nodes.map(|node| (NodeId::new(node as u32), reason.clone()));
        self.refused.parts.extend(parts);
        self
    }

    /// The core.
    pub fn core(&self) -> Core {
        self.core
    }

    /// The rules of memory orders.
    pub(crate) fn orders(&self) -> Orders {
        Orders { core: self.core }
    }

    fn as_tosa(&self) -> kiln_tosa::Tosa {
        kiln_tosa::Tosa {
            machine: self.core.machine(),
        }
    }

    /// Whether the NPU runs the node: whether it lowers to TOSA operators that the core supports.
    fn on_npu(&self, graph: &Graph, node: NodeId) -> Result<(), Reason> {
        if let Some(reason) = self.refused.nodes.get(&node) {
            return Err(reason.clone());
        }
        check_dtypes(graph, node)?;
        let trial = kiln_tosa::trial(graph, node, &self.orders(), self.core.machine())?;
        support(self.core, &trial)
    }
}

/// Delegates take bools and integers of at most 32 bits; 8-bit integers are signed.
fn check_dtypes(graph: &Graph, node: NodeId) -> Result<(), Reason> {
    let node = graph.node(node);
    if matches!(node.op, Op::Quantize(_) | Op::Dequantize(_)) {
        let rule = "floats become integers in front of the NPU, and floats again behind it";
        return Err(Reason::new(rule, node.op.name()));
    }
    let computed = node.operands.iter().filter(|&&v| !is_constant(graph, v));
    for &value in computed.chain(&node.results) {
        let dtype = graph.ty(value).dtype;
        if dtype.is_float() {
            let reason = Reason::new("the NPU computes in integers", dtype.name());
            return Err(reason.advise(QUANTISE));
        }
        if matches!(dtype, DType::I64 | DType::U8) {
            let rule = "the NPU has integers of 8, 16 and 32 bits with a sign";
            return Err(Reason::new(rule, dtype.name()).advise("use int8 or int32"));
        }
    }
    Ok(())
}

impl Target for EthosU {
    fn placement(&self, graph: &Graph, node: NodeId) -> Placement {
        match self.on_npu(graph, node) {
            Ok(()) => Placement::Delegate,
            Err(reason) => {
                let reason = self.refused.parts.get(&node).cloned().unwrap_or(reason);
                match &self.kernels {
                    Some(kernels) if kernels.takes(graph, node).is_ok() => {
                        Placement::Kernel(reason)
                    }
                    _ => kiln_portable::placement(graph, node, reason),
                }
            }
        }
    }

    fn has_kernel(&self, graph: &Graph, node: NodeId) -> bool {
        kiln_portable::support(graph, node).is_ok()
    }

    /// Nodes that compute in floats run as kernels after decomposition too. Nodes that Vela refused run as they are:
    /// another form of them might be refused again.
    fn prefers_decomposed(&self, graph: &Graph, node: NodeId) -> bool {
        if self.refused.nodes.contains_key(&node) {
            return false;
        }
        let node = graph.node(node);
        let is_float = |v: &ValueId| graph.ty(*v).dtype.is_float();
        !node.operands.iter().chain(&node.results).any(is_float)
    }

    fn kernel_difference(&self, graph: &Graph, node: NodeId) -> Option<Reason> {
        kiln_portable::difference(graph, node)
    }

    /// The kernels beside an NPU run on a Cortex-M, whose conversions from float to integer saturate.
    fn quotients_below(&self, _: &Graph, _: NodeId) -> Option<f64> {
        None
    }

    fn max_rank(&self) -> usize {
        self.as_tosa().max_rank()
    }

    fn bytes_per_join(&self) -> Option<u64> {
        self.as_tosa().bytes_per_join()
    }
}
