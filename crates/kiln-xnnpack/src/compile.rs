//! Compiles a graph to delegates.

use crate::lower::{LowerError, lower};
use crate::orders::Orders;
use crate::payload;
use crate::repeats::{self, Plan};
use crate::support::Options;
use crate::target::Xnnpack;
use kiln_ir::content::Content;
use kiln_ir::{Graph, Symbols, ValueId};
use kiln_portable::region::{Body, Boundary, Delegated, Region};
use kiln_target::Operators;
use kiln_transforms::framework::regions::{Partition, border, partition};
use kiln_transforms::layout::{self, Layouts};
use std::ops::Range;

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
    if let Some(plan) = repeats::plan(graph, &target)
        && let Some(regions) = compile_repeats(graph, &plan, options)?
    {
        return Ok(regions);
    }
    let compiler = Compiler::new(graph, partition(graph, &target), options);
    let count = compiler.partition.regions.len();
    (0..count).map(|region| compiler.plain(region)).collect()
}

/// The regions of a plan. All blocks of a run have the first one's payload. `None` if payloads of a run differ.
pub(crate) fn compile_repeats(
    graph: &Graph,
    plan: &Plan,
    options: &Options,
) -> Result<Option<Vec<Region>>, CompileError> {
    let compiler = Compiler::new(graph, plan.partition.clone(), options);
    let mut regions = Vec::with_capacity(plan.partition.regions.len());
    let end = plan.partition.regions.len();
    let rest = std::iter::once(end..end);
    for run in plan.runs.iter().cloned().chain(rest) {
        for region in regions.len()..run.start {
            regions.push(compiler.plain(region)?);
        }
        match compiler.run(run)? {
            Some(run) => regions.extend(run),
            None => return Ok(None),
        }
    }
    Ok(Some(regions))
}

/// What compiling any region of a graph needs.
struct Compiler<'g> {
    graph: &'g Graph,
    partition: Partition,
    options: &'g Options,
    widest: Symbols,
    layouts: Layouts,
}

impl<'g> Compiler<'g> {
    fn new(graph: &'g Graph, partition: Partition, options: &'g Options) -> Self {
        let widest = kiln_portable::widest(graph);
        let layouts = layout::assign(graph, &partition, &Orders, &widest);
        Self {
            graph,
            partition,
            options,
            widest,
            layouts,
        }
    }

    fn boundaries(&self, values: &[ValueId]) -> Vec<Boundary> {
        let boundary = |value: &ValueId| Boundary {
            value: *value,
            dim_order: self.layouts.border(self.graph, *value).dim_order(),
        };
        values.iter().map(boundary).collect()
    }

    /// A region with a payload of its own.
    fn plain(&self, number: usize) -> Result<Region, CompileError> {
        let nodes = &self.partition.regions[number];
        let border = border(self.graph, &self.partition, number);
        let sides = [&*border.inputs, &*border.outputs];
        let lowered = lower(self.graph, &self.layouts, nodes, sides, self.options)?;
        Ok(Region {
            nodes: nodes.clone(),
            inputs: self.boundaries(&border.inputs),
            outputs: self.boundaries(&border.outputs),
            reordered: lowered.reordered(&self.widest),
            body: body(&lowered.graph, lowered.named_data, lowered.guards)?,
        })
    }

    /// The blocks of a run, all with the first block's payload. `None` if the payloads differ.
    fn run(&self, run: Range<usize>) -> Result<Option<Vec<Region>>, CompileError> {
        let blocks = &self.partition.regions[run.clone()];
        let all_outputs = repeats::outputs(self.graph, blocks);
        let mut first: Option<(payload::XnnGraph, Body)> = None;
        let mut regions = Vec::with_capacity(blocks.len());
        for (number, outputs) in run.zip(all_outputs) {
            let nodes = &self.partition.regions[number];
            let inputs = border(self.graph, &self.partition, number).inputs;
            let sides = [&*inputs, &*outputs];
            let lowered = lower(self.graph, &self.layouts, nodes, sides, self.options)?;
            let reordered = lowered.reordered(&self.widest);
            let mut payload = lowered.graph;
            // The nodes of a block are those of the first but for their numbers.
            payload.nodes.iter_mut().for_each(|n| n.debug_handle = 0);
            let made = match &first {
                Some((known, _)) if *known != payload => return Ok(None),
                Some((_, body)) => body.clone(),
                None => body(&payload, lowered.named_data, lowered.guards)?,
            };
            first.get_or_insert_with(|| (payload, made.clone()));
            regions.push(Region {
                nodes: nodes.clone(),
                inputs: self.boundaries(&inputs),
                outputs: self.boundaries(&outputs),
                reordered,
                body: made,
            });
        }
        Ok(Some(regions))
    }
}

fn body(
    payload: &payload::XnnGraph,
    named_data: Vec<(String, Content)>,
    guards: usize,
) -> Result<Body, CompileError> {
    let nodes = payload.nodes.iter();
    let conversions = nodes.filter(|node| node.op.is_conversion()).count();
    Ok(Body::Delegate(Delegated {
        backend: BACKEND,
        blob: payload::write(payload)?,
        named_data,
        operators: Operators {
            all: payload.nodes.len(),
            guards,
            conversions,
        },
    }))
}

/// A lower bound of the bytes that the delegates of a graph only move, given the user's memory order at the border and
/// the order that each op requires.
pub fn least_moved(graph: &Graph, options: &Options) -> layout::Least {
    let target = Xnnpack::new(*options);
    let repeats = repeats::plan(graph, &target)
        .filter(|plan| matches!(compile_repeats(graph, plan, options), Ok(Some(_))));
    let partition = repeats.map_or_else(|| partition(graph, &target), |plan| plan.partition);
    layout::least(graph, &partition, &Orders, &kiln_portable::widest(graph))
}
