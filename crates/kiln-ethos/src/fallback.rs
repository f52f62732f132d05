//! What Vela refuses although the support table lets it through runs as kernels.
//!
//! The node to blame is found by halves of its region ([`compile()`]). It is taken out with those that are alike, decomposed
//! anew, and the graph is cut again. Where no node alone is refused, or after [`MOST_ROUNDS`], all nodes of the region are taken out.
//! Graphs that Vela was given before are not given to it again. So a graph takes at most `MOST_ROUNDS` times `2 log2 n` runs of
//! Vela beside those of its regions, the same each time.

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

/// Rounds in which single nodes are taken out; behind them whole regions are.
const MOST_ROUNDS: usize = 4;
/// Rounds in all: each takes nodes out for good, and their parts are of fewer kinds each time.
const MOST_IN_ALL: usize = 16;

/// The delegates of a graph.
#[derive(Debug)]
pub struct Delegates {
    /// Compiled.
    pub regions: Vec<Region>,
    /// The target for this graph: it does not take what was refused, and says why.
    pub target: EthosU,
}

/// As [`compile()`], but what the command streams are refused for is decomposed in `graph`, to run as kernels.
///
/// # Errors
/// If there is no command stream for another reason, or if every graph is refused.
pub fn compile_or_fall_back(
    graph: &mut Graph,
    target: &EthosU,
    streams: &dyn CommandStreams,
) -> Result<Delegates, CompileError> {
    let streams = Remembered::new(streams);
    let mut target = target.clone();
    for round in 0..MOST_IN_ALL {
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
        let nodes = match round < MOST_ROUNDS && !refusal.nodes.is_empty() {
            true => alike(graph, &refusal.region, &refusal.nodes),
            false => refusal.region,
        };
        target = fall_back(graph, target, &nodes, &reason)?;
    }
    compile(graph, &target, &streams).map(|regions| Delegates { regions, target })
}

/// Those of a region that compute the same as one of `nodes`, of operands of the same types.
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

/// Decomposes what the target no longer takes; the parts that kernels run say why.
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

/// Command streams, each made once.
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
            // Nothing that holds the next time.
            Err(_) => return made,
        };
        self.made.borrow_mut().insert(*key.as_bytes(), known);
        made
    }
}
