//! Compiles a graph to delegates.

use crate::lower::{LowerError, lower};
use crate::orders::Orders;
use crate::payload;
use crate::repeats;
use crate::support::Options;
use crate::target::Xnnpack;
use kiln_ir::{Graph, ValueId};
use kiln_portable::region::{Body, Boundary, Delegated, Region};
use kiln_transforms::framework::regions::{Partition, border, partition};
use kiln_transforms::layout;

/// The backend's id in a program.
pub const BACKEND: &str = "XnnpackBackend";

/// Why a graph did not compile. Both are bugs in Kiln: an unsupported node stays outside of delegates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// A node did not lower.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// A payload breaks a rule.
    #[error("a payload for XNNPACK is not well-formed (a bug in Kiln): {0}")]
    Payload(#[from] payload::Fault),
}

/// Compiles the delegates of all blocks of a graph.
///
/// # Errors
/// If a supported node does not lower, which is a bug.
pub fn compile(graph: &Graph, options: &Options) -> Result<Vec<Region>, CompileError> {
    let target = Xnnpack::new(*options);
    if let Some(partition) = repeats::partition(graph, &target)
        && let Some(regions) = compile_repeats(graph, &partition, options)?
    {
        return Ok(regions);
    }
    let partition = partition(graph, &target);
    let widest = kiln_portable::widest(graph);
    let layouts = layout::assign(graph, &partition, &Orders, &widest);
    let boundary = |value: &ValueId| Boundary {
        value: *value,
        dim_order: layouts.border(graph, *value).dim_order(),
    };
    let mut regions = Vec::with_capacity(partition.regions.len());
    for (number, nodes) in partition.regions.iter().enumerate() {
        let border = border(graph, &partition, number);
        let sides = [&*border.inputs, &*border.outputs];
        let lowered = lower(graph, &layouts, nodes, sides, options)?;
        let reordered = lowered.reordered(&widest);
        regions.push(Region {
            nodes: nodes.clone(),
            inputs: border.inputs.iter().map(boundary).collect(),
            outputs: border.outputs.iter().map(boundary).collect(),
            body: Body::Delegate(Delegated {
                backend: BACKEND,
                blob: payload::write(&lowered.graph)?,
                named_data: lowered.named_data,
            }),
            reordered,
        });
    }
    Ok(regions)
}

/// One region per block, all with the first block's payload. `None` if the payloads differ.
pub(crate) fn compile_repeats(
    graph: &Graph,
    partition: &Partition,
    options: &Options,
) -> Result<Option<Vec<Region>>, CompileError> {
    let widest = kiln_portable::widest(graph);
    let layouts = layout::assign(graph, partition, &Orders, &widest);
    let boundary = |value: &ValueId| Boundary {
        value: *value,
        dim_order: layouts.border(graph, *value).dim_order(),
    };
    let outputs = repeats::outputs(graph, &partition.regions);
    let mut first: Option<(payload::XnnGraph, Region)> = None;
    let mut regions = Vec::with_capacity(partition.regions.len());
    for (number, (nodes, outputs)) in partition.regions.iter().zip(outputs).enumerate() {
        let inputs = border(graph, partition, number).inputs;
        let lowered = lower(graph, &layouts, nodes, [&*inputs, &*outputs], options)?;
        let reordered = lowered.reordered(&widest);
        let mut payload = lowered.graph;
        // The nodes of a block are those of the first but for their numbers.
        payload.nodes.iter_mut().for_each(|n| n.debug_handle = 0);
        let (nodes, inputs) = (nodes.clone(), inputs.iter().map(boundary).collect());
        let outputs = outputs.iter().map(boundary).collect();
        let region = match &first {
            Some((known, _)) if *known != payload => return Ok(None),
            Some((_, region)) => region.clone(),
            None => Region {
                nodes: Vec::new(),
                inputs: Vec::new(),
                outputs: Vec::new(),
                body: Body::Delegate(Delegated {
                    backend: BACKEND,
                    blob: payload::write(&payload)?,
                    named_data: lowered.named_data,
                }),
                reordered: Vec::new(),
            },
        };
        first.get_or_insert_with(|| (payload, region.clone()));
        regions.push(Region {
            nodes,
            inputs,
            outputs,
            reordered,
            ..region
        });
    }
    Ok(Some(regions))
}

/// A lower bound of the bytes that the delegates of a graph only move, given the user's memory order at the border and
/// the order that each op requires.
pub fn least_moved(graph: &Graph, options: &Options) -> layout::Least {
    let target = Xnnpack::new(*options);
    let repeats = repeats::partition(graph, &target)
        .filter(|partition| matches!(compile_repeats(graph, partition, options), Ok(Some(_))));
    let partition = repeats.unwrap_or_else(|| partition(graph, &target));
    layout::least(graph, &partition, &Orders, &kiln_portable::widest(graph))
}
