//! Compiles a graph to delegates: regions, their TOSA graphs, and their command streams.

use crate::payload::{self, Payload, Slot};
use crate::support::support;
use crate::target::EthosU;
use crate::vela::VelaError;
use kiln_ir::{Graph, NodeId, Scalar, ValueId};
use kiln_portable::region::{Body, Boundary, Delegated, Region, Reordered};
use kiln_target::{Border, Operators, Port};
use kiln_tosa::dialect::{Builder, Clamp, NanMode, TensorId, TosaDtype, TosaGraph, TosaOp};
use kiln_transforms::framework::pass::Broken;
use kiln_transforms::framework::regions::{Border as Sides, Partition, border, partition};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::{self, Layouts, Least};

/// The id of the runtime's backend in a program.
pub const BACKEND: &str = "EthosUBackend";

/// A compiler from TOSA graphs to command streams.
pub trait CommandStreams {
    /// The command stream of a graph whose operators the core supports.
    ///
    /// # Errors
    /// If there is none.
    fn make(&self, file: &TosaGraph) -> Result<Payload, VelaError>;
}

/// Why a graph did not compile.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// A node of a region does not lower to TOSA. That is a bug: an unsupported node stays outside of regions.
    #[error(transparent)]
    Lower(#[from] kiln_tosa::CompileError),
    /// A region lowers to operators that the core does not support.
    #[error("{place} is compiled for no NPU: {reason}")]
    Unsupported {
        /// The region's nodes.
        place: String,
        /// The operator, and why.
        reason: Reason,
    },
    /// There is no command stream for a region.
    #[error(transparent)]
    Vela(Box<Refusal>),
    /// A pass broke the graph when it decomposed nodes for kernels: a bug.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// Even a graph of one supported operator has no command stream.
    #[error(
        "its arguments or its installation are wrong (--vela gives it arguments), for it takes not even the smallest graph: {0}"
    )]
    Refuses(VelaError),
    /// The command stream's inputs or outputs are not those of its region.
    #[error("{place}: {what}")]
    Border {
        /// The region's nodes.
        place: String,
        /// The difference.
        what: String,
    },
    /// The payload of a command stream is too large.
    #[error(transparent)]
    Payload(#[from] payload::WriteError),
}

/// A region without a command stream.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {error}")]
pub struct Refusal {
    /// The nodes to blame, in words, or those of the whole region.
    pub place: String,
    /// The nodes that have no command stream by themselves either. Empty if each of them has one.
    pub nodes: Vec<NodeId>,
    /// All nodes of the region.
    pub region: Vec<NodeId>,
    /// Why there is no command stream.
    pub error: VelaError,
}

/// Compiles the delegates of all blocks of a graph.
///
/// # Errors
/// If a region has no command stream; the error names its nodes.
pub fn compile(
    graph: &Graph,
    target: &EthosU,
    streams: &dyn CommandStreams,
) -> Result<Vec<Region>, CompileError> {
    let partition = partition(graph, target);
    let layouts = layout::assign(graph, &partition, &target.orders(), &graph.symbols);
    let numbers = 0..partition.regions.len();
    numbers
        .map(|number| {
            let part = Part {
                graph,
                layouts: &layouts,
                nodes: &partition.regions[number],
                sides: border(graph, &partition, number),
            };
            part.compile(target, streams)
        })
        .collect()
}

/// A lower bound of the bytes that the delegates of a graph move in transposes and copies.
pub fn least_moved(graph: &Graph, target: &EthosU) -> Least {
    let partition: Partition = partition(graph, target);
    layout::least(graph, &partition, &target.orders(), &graph.symbols)
}

/// Compiles one region.
struct Part<'a> {
    graph: &'a Graph,
    layouts: &'a Layouts,
    nodes: &'a [NodeId],
    sides: Sides,
}

impl Part<'_> {
    fn compile(
        &self,
        target: &EthosU,
        streams: &dyn CommandStreams,
    ) -> Result<Region, CompileError> {
        let file = kiln_tosa::compile_part(
            self.graph,
            self.layouts,
            self.nodes,
            &self.ports(),
            target.core().machine(),
        )?;
        support(target.core(), &file).map_err(|reason| CompileError::Unsupported {
            place: place(self.graph, self.nodes),
            reason,
        })?;
        let made = streams.make(&file);
        let made = made.map_err(|error| self.refused(target, streams, error))?;
        self.check(&file, &made)?;
        Ok(Region {
            nodes: self.nodes.to_vec(),
            inputs: self.sides.inputs.iter().map(|v| self.boundary(v)).collect(),
            outputs: self
                .sides
                .outputs
                .iter()
                .map(|v| self.boundary(v))
                .collect(),
            body: Body::Delegate(Delegated {
                backend: BACKEND,
                blob: payload::write(&made)?,
                named_data: Vec::new(),
                operators: Operators::default(),
            }),
            reordered: reordered(&file),
        })
    }

    /// The error of a region, or of one of its nodes that fails by itself too.
    fn refused(
        &self,
        target: &EthosU,
        streams: &dyn CommandStreams,
        error: VelaError,
    ) -> CompileError {
        let is_refused = matches!(error, VelaError::Refused(_));
        if is_refused && let Some(error) = refuses_all(streams) {
            return CompileError::Refuses(error);
        }
        let found = is_refused
            .then(|| culprit(self.graph, target, streams, self.nodes))
            .flatten();
        let blamed = found.as_ref().map_or(self.nodes, std::slice::from_ref);
        CompileError::Vela(Box::new(Refusal {
            place: place(self.graph, blamed),
            nodes: found.into_iter().collect(),
            region: self.nodes.to_vec(),
            error,
        }))
    }

    fn boundary(&self, value: &ValueId) -> Boundary {
        Boundary {
            value: *value,
            dim_order: self.layouts.border(self.graph, *value).dim_order(),
        }
    }

    fn ports(&self) -> Border {
        let port = |side: &str, (index, &value): (usize, &ValueId)| Port {
            name: format!("{side}_{index}"),
            index,
            value,
            outer: value,
            dim_order: self.boundary(&value).dim_order,
        };
        let (inputs, outputs) = (self.sides.inputs.iter(), self.sides.outputs.iter());
        Border {
            inputs: inputs.enumerate().map(|v| port("input", v)).collect(),
            outputs: outputs.enumerate().map(|v| port("output", v)).collect(),
        }
    }

    /// The inputs and outputs of the command stream have the sizes of the TOSA file's: the runtime copies tensors by
    /// these sizes.
    fn check(&self, file: &TosaGraph, made: &Payload) -> Result<(), CompileError> {
        let main = file.main();
        let sides = [
            ("inputs", &main.inputs, &made.inputs),
            ("outputs", &main.outputs, &made.outputs),
        ];
        for (side, tensors, slots) in sides {
            if !is_same(file, tensors, slots) {
                let what = format!("the {side} of the command stream are others: {slots:?}");
                let place = place(self.graph, self.nodes);
                return Err(CompileError::Border { place, what });
            }
        }
        Ok(())
    }
}

/// The error for a graph that every core takes, if that graph is refused too: then the model is not at fault.
fn refuses_all(streams: &dyn CommandStreams) -> Option<VelaError> {
    let mut builder = Builder::default();
    let x = builder.input("x", TosaDtype::I8, &[1, 1, 1, 16]);
    let clamp = Clamp {
        min: Scalar::Int(-100),
        max: Scalar::Int(100),
        nan_mode: NanMode::Propagate,
    };
    let limited = builder.op(TosaOp::Clamp(clamp), &[x]).ok()?;
    let made = streams.make(&builder.finish(&[limited]));
    made.err()
        .filter(|error| matches!(error, VelaError::Refused(_)))
}

/// The node that has no command stream by itself either, found by bisection.
fn culprit(
    graph: &Graph,
    target: &EthosU,
    streams: &dyn CommandStreams,
    nodes: &[NodeId],
) -> Option<NodeId> {
    let mut rest = nodes;
    while rest.len() > 1 {
        let (left, right) = rest.split_at(rest.len() / 2);
        let mut halves = [left, right].into_iter();
        rest = halves.find(|half| is_refused(graph, target, streams, half))?;
    }
    rest.first().copied()
}

fn is_refused(
    graph: &Graph,
    target: &EthosU,
    streams: &dyn CommandStreams,
    nodes: &[NodeId],
) -> bool {
    let partition = Partition::of(graph, vec![nodes.to_vec()]);
    let layouts = layout::assign(graph, &partition, &target.orders(), &graph.symbols);
    let part = Part {
        graph,
        layouts: &layouts,
        nodes,
        sides: border(graph, &partition, 0),
    };
    let machine = target.core().machine();
    let file = kiln_tosa::compile_part(graph, &layouts, nodes, &part.ports(), machine);
    file.is_ok_and(|file| matches!(streams.make(&file), Err(VelaError::Refused(_))))
}

/// Nodes in words, for the user.
fn place(graph: &Graph, nodes: &[NodeId]) -> String {
    let name = |&id: &NodeId| {
        let names = kiln_transforms::framework::pass::names(graph, id).join(", ");
        let op = graph.node(id).op.name();
        match names.is_empty() {
            true => op.to_owned(),
            false => format!("{names} ({op})"),
        }
    };
    match nodes {
        [] => "an empty part".into(),
        [only] => {
            let source = kiln_transforms::framework::pass::provenance(graph, *only);
            match source.is_empty() {
                true => name(only),
                false => format!("{}, {source}", name(only)),
            }
        }
        [first, .., last] => {
            let count = nodes.len();
            format!("the {count} nodes from {} to {}", name(first), name(last))
        }
    }
}

/// True if tensors and slots have the same element sizes and counts.
fn is_same(file: &TosaGraph, tensors: &[TensorId], slots: &[Slot]) -> bool {
    let is_alike = |(&id, slot): (&TensorId, &Slot)| {
        file.main().tensor(id).is_some_and(|tensor| {
            let bytes = i32::try_from(tensor.dtype.bits() / 8);
            tensor.elements() == slot.elements() && bytes == Ok(slot.element_bytes)
        })
    };
    tensors.len() == slots.len() && tensors.iter().zip(slots).all(is_alike)
}

fn reordered(file: &TosaGraph) -> Vec<Reordered> {
    match kiln_tosa::moved_bytes(file) {
        0 => Vec::new(),
        bytes => vec![Reordered { node: None, bytes }],
    }
}
