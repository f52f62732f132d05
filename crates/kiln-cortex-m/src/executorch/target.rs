//! The target whose artifacts are ExecuTorch programs.

use super::calls;
use super::library::Library;
use crate::compile::CompileError;
use crate::cores::Core;
use crate::dialect::MAX_RANK;
use crate::linked::{Linked, Machine};
use crate::lower::{lower, trial_on};
use crate::orders::Orders;
use kiln_ir::graph::Node;
use kiln_ir::{DType, Graph, NodeId, Op, ValueId};
use kiln_portable::program::{ProgramTarget, Regions, warning_of_quantised_kernels};
use kiln_portable::region::{Body, Boundary, Region};
use kiln_pte::runtime::Kernels;
use kiln_target::{Border, Choice, CompiledMethod, Error, Port, SourceMethod};
use kiln_transforms::analysis::constants::is_constant;
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::framework::regions::{Partition, border, partition};
use kiln_transforms::framework::target::{Placement, Reason, Target};
use kiln_transforms::layout::{self, Layouts, Least, Movers, Order, OrderRules};

/// A core with ExecuTorch's runtime: its `cortex_m::*` kernels and its stock kernels.
#[derive(Clone, Copy, Debug)]
pub struct Firmware {
    /// The core.
    pub core: &'static Core,
}

impl Firmware {
    fn machine(&self) -> Machine {
        Machine {
            build: self.core.build,
            linked: Linked::Runtime,
        }
    }

    /// Whether `cortex_m::*` kernels compute the node.
    ///
    /// # Errors
    /// If they do not: the reason.
    pub fn takes(&self, graph: &Graph, id: NodeId) -> Result<(), Reason> {
        check_dtypes(graph, graph.node(id))?;
        trial_on(graph, id, self.machine()).map(|_| ())
    }
}

/// Checks the types of a node. The kernels compute with 8-bit integers; floats are only quantised and dequantised.
fn check_dtypes(graph: &Graph, node: &Node) -> Result<(), Reason> {
    let is_step = matches!(node.op, Op::Quantize(_) | Op::Dequantize(_));
    let computed = node.operands.iter().filter(|&&v| !is_constant(graph, v));
    let mut values = computed.chain(&node.results);
    let other = |&&v: &&ValueId| graph.ty(v).dtype != DType::I8;
    match values.find(other).filter(|_| !is_step) {
        None => Ok(()),
        Some(&value) => {
            let rule = "the kernels for Cortex-M compute in 8-bit integers";
            let reason = Reason::new(rule, graph.ty(value).dtype.name());
            Err(reason.advise("quantise the model to int8 (--quantize, or before the export)"))
        }
    }
}

impl Target for Firmware {
    fn placement(&self, graph: &Graph, node: NodeId) -> Placement {
        match self.takes(graph, node) {
            Ok(()) => Placement::Delegate,
            Err(reason) => kiln_portable::placement(graph, node, reason),
        }
    }

    fn has_kernel(&self, graph: &Graph, node: NodeId) -> bool {
        kiln_portable::support(graph, node).is_ok()
    }

    /// Nodes that compute in floats run as stock kernels after decomposition too.
    fn prefers_decomposed(&self, graph: &Graph, node: NodeId) -> bool {
        let node = graph.node(node);
        let is_float = |v: &ValueId| graph.ty(*v).dtype.is_float();
        !node.operands.iter().chain(&node.results).any(is_float)
    }

    fn kernel_difference(&self, graph: &Graph, node: NodeId) -> Option<Reason> {
        kiln_portable::difference(graph, node)
    }

    /// Conversions from float to integer saturate on these cores.
    fn quotients_below(&self, _: &Graph, _: NodeId) -> Option<f64> {
        None
    }

    fn max_rank(&self) -> usize {
        MAX_RANK
    }
}

/// The memory orders of the C project, except at the border: tensors of programs are plain or channels last.
struct Tensors;

impl OrderRules for Tensors {
    fn required(&self, graph: &Graph, node: &Node) -> Option<Order> {
        Orders.required(graph, node)
    }

    fn movers(&self) -> Movers {
        Orders.movers()
    }

    fn fuses_into(&self, graph: &Graph, node: &Node) -> Option<NodeId> {
        Orders.fuses_into(graph, node)
    }

    fn absorbs(&self, graph: &Graph, node: &Node, operand: usize) -> bool {
        Orders.absorbs(graph, node, operand)
    }

    fn bytes_per_mover(&self) -> u64 {
        Orders.bytes_per_mover()
    }

    fn takes_input(&self, order: &Order) -> bool {
        *order == Order::channels_last(4)
    }

    fn gives_output(&self, order: &Order) -> bool {
        *order == Order::channels_last(4)
    }
}

/// The regions of a graph that `cortex_m::*` kernels take, as calls of them.
///
/// # Errors
/// If a node has no kernel. That is a bug: an unsupported node stays outside of regions.
pub fn regions(graph: &Graph, firmware: &Firmware) -> Result<Vec<Region>, CompileError> {
    regions_of(graph, &partition(graph, firmware), firmware)
}

/// These regions of a graph as calls of `cortex_m::*` kernels, which take all of their nodes.
///
/// # Errors
/// As of [`regions`].
pub fn regions_of(
    graph: &Graph,
    partition: &Partition,
    firmware: &Firmware,
) -> Result<Vec<Region>, CompileError> {
    let layouts = layout::assign(graph, partition, &Tensors, &graph.symbols);
    let numbers = 0..partition.regions.len();
    numbers
        .map(|number| region(graph, partition, &layouts, number, firmware))
        .collect()
}

fn region(
    graph: &Graph,
    partition: &Partition,
    layouts: &Layouts,
    number: usize,
    firmware: &Firmware,
) -> Result<Region, CompileError> {
    let (nodes, sides) = (&partition.regions[number], border(graph, partition, number));
    let boundary = |value: &ValueId| Boundary {
        value: *value,
        dim_order: layouts.border(graph, *value).dim_order(),
    };
    let port = |(index, value): (usize, &ValueId)| Port {
        name: String::new(),
        index,
        value: *value,
        outer: *value,
        dim_order: boundary(value).dim_order,
    };
    let ports = Border {
        inputs: sides.inputs.iter().enumerate().map(port).collect(),
        outputs: sides.outputs.iter().enumerate().map(port).collect(),
    };
    let machine = firmware.machine();
    let lowered = lower(graph, layouts, nodes, &ports, machine);
    let lowered = lowered.map_err(|failed| CompileError::of(graph, failed))?;
    let calls = calls(&lowered, machine.build);
    let calls = calls.map_err(|reason| CompileError::of(graph, (None, reason)))?;
    Ok(Region {
        nodes: nodes.clone(),
        inputs: sides.inputs.iter().map(boundary).collect(),
        outputs: sides.outputs.iter().map(boundary).collect(),
        body: Body::Kernels(calls),
        reordered: Vec::new(),
    })
}

const NO_INTEGERS: &str = "the model has no quantised activations, so nothing of it runs on the cortex_m kernels, which compute in integers; \
                           quantise it (--quantize, or before the export)";

impl ProgramTarget for Firmware {
    fn as_target(&self) -> &dyn Target {
        self
    }

    fn pipeline(&self) -> &'static [Pass] {
        crate::pipeline()
    }

    fn regions(&self, graph: &mut Graph) -> Result<Regions, Error> {
        let made = regions(graph, self);
        made.map(Regions::from).map_err(Error::of)
    }

    fn kernels(&self) -> &'static [&'static dyn Kernels] {
        &[&Library]
    }

    fn warning(&self, source: &SourceMethod<'_>, method: &CompiledMethod) -> Option<String> {
        match source.is_quantised {
            true => {
                let kernels = warning_of_quantised_kernels(source.graph, &method.placements);
                let nodes = kiln_target::computing_in_floats(source.graph);
                let floats = || kiln_target::in_floats(source.graph, nodes);
                let explained = |what| {
                    format!("{what}, by kernels that take far longer; kiln explain says why")
                };
                kernels.or_else(|| floats().map(explained))
            }
            false => Some(NO_INTEGERS.into()),
        }
    }

    fn lists_border(&self) -> bool {
        true
    }

    fn least_moved(&self, graph: &Graph) -> Least {
        let partition = partition(graph, self);
        layout::least(graph, &partition, &Tensors, &graph.symbols)
    }

    /// A program has no name, and its inputs and outputs are those of the model.
    fn ignores(&self) -> &'static [Choice] {
        &[Choice::FloatIo, Choice::Name]
    }
}
