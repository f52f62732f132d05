//! Fallback: nodes that Vela refuses, although the support table admits them, run as kernels.
//!
//! The node to blame is found by bisection of its region ([`compile()`]). It leaves the NPU together with the nodes
//! like it, they are decomposed, and the regions are found anew. If no node is refused by itself, or after
//! [`MAX_ROUNDS`] rounds, all nodes of the region leave. A graph is never given to Vela twice. So one model takes at
//! most `MAX_ROUNDS` times `2 log2 n` runs of Vela beside those of its regions, and the same runs each time.

use crate::compile::{CommandStreams, CompileError, compile};
use crate::payload::Payload;
use crate::target::EthosU;
use crate::vela::VelaError;
use kiln_ir::{Graph, NodeId, TensorType};
use kiln_portable::region::Region;
use kiln_tosa::dialect::TosaGraph;
use kiln_tosa::file::write;
use kiln_transforms::framework::pass::{Options, Pass, run_pipeline};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::passes::{clean, decompose};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The rounds in which single nodes leave the NPU. In later rounds whole regions leave.
const MAX_ROUNDS: usize = 4;
/// The bound of all rounds. Each takes nodes out for good, and what they decompose to has fewer kinds of nodes each
/// time.
const MAX_IN_ALL: usize = 16;

/// The delegates of a graph, and the target for which it compiled.
#[derive(Debug)]
pub struct Delegates {
    /// The delegates.
    pub regions: Vec<Region>,
    /// The target for this graph: it refuses the nodes that Vela refused, with Vela's reason.
    pub target: EthosU,
}

/// As [`compile()`], but nodes whose command stream is refused are decomposed in `graph` and run as kernels.
///
/// # Errors
/// If there is no command stream for another reason, or if Vela refuses every graph.
pub fn compile_or_fall_back(
    graph: &mut Graph,
    target: &EthosU,
    streams: &dyn CommandStreams,
) -> Result<Delegates, CompileError> {
    let streams = Remembered::new(streams);
    let mut target = target.clone();
    for round in 0..MAX_IN_ALL {
        let refusal = match compile(graph, &target, &streams) {
            Ok(regions) => return Ok(Delegates { regions, target }),
            Err(CompileError::Vela(refusal)) => refusal,
            Err(error) => return Err(error),
        };
        let VelaError::Refused(said) = &refusal.error else {
            return Err(CompileError::Vela(refusal));
        };
        let reason = Reason::new(
            format!("Vela compiles the node for {}", target.core()),
            format!("that it refuses {}: {said}", refusal.place),
        );
        let nodes = match round < MAX_ROUNDS && !refusal.nodes.is_empty() {
            true => alike(graph, &refusal.region, &refusal.nodes),
            false => refusal.region,
        };
        target = fall_back(graph, target, &nodes, &reason)?;
    }
    compile(graph, &target, &streams).map(|regions| Delegates { regions, target })
}

/// The nodes of a region with the same op as one of `nodes`, on operands of the same types.
fn alike(graph: &Graph, region: &[NodeId], nodes: &[NodeId]) -> Vec<NodeId> {
    let types = |node: NodeId| -> Vec<&TensorType> {
        let operands = graph.node(node).operands.iter();
        operands.map(|&v| graph.ty(v)).collect()
    };
    let is_alike = |&a: &NodeId| {
        nodes
            .iter()
            .any(|&b| graph.node(a).op == graph.node(b).op && types(a) == types(b))
    };
    region.iter().copied().filter(is_alike).collect()
}

/// Decomposes the nodes that the target no longer takes, and records why their parts run as kernels.
fn fall_back(
    graph: &mut Graph,
    target: EthosU,
    nodes: &[NodeId],
    reason: &Reason,
) -> Result<EthosU, CompileError> {
    const PASSES: &[Pass] = &[decompose::PASS, clean::PASS];
    let bound = graph.node_bound();
    let target = target.without(nodes, reason);
    run_pipeline(graph, &target, PASSES, &Options::default())?;
    Ok(target.explained(bound..graph.node_bound(), reason))
}

/// A cache of command streams: each graph is compiled once.
struct Remembered<'s> {
    streams: &'s dyn CommandStreams,
    made: RefCell<BTreeMap<[u8; 32], Result<Payload, String>>>,
}

impl<'s> Remembered<'s> {
    fn new(streams: &'s dyn CommandStreams) -> Remembered<'s> {
        Remembered {
            streams,
            made: RefCell::default(),
        }
    }
}

impl CommandStreams for Remembered<'_> {
    fn make(&self, file: &TosaGraph) -> Result<Payload, VelaError> {
        let key = blake3::hash(&write(file)?.to_bytes());
        if let Some(known) = self.made.borrow().get(key.as_bytes()) {
            return known.clone().map_err(VelaError::Refused);
        }
        let made = self.streams.make(file);
        let known = match &made {
            Ok(payload) => Ok(payload.clone()),
            Err(VelaError::Refused(said)) => Err(said.clone()),
            // An error that may not occur again is not kept.
            Err(_) => return made,
        };
        self.made.borrow_mut().insert(*key.as_bytes(), known);
        made
    }
}
