//! Emits a program from graphs and regions.

use crate::arena::arena;
use crate::bounds::Bounds;
use crate::draft::Draft;
use crate::error::EmitError;
use crate::lower::{Lower, lower_root};
use crate::memory::plan;
use crate::order::membership;
use crate::region::Region;
use crate::report::MethodReport;
use indexmap::IndexMap;
use kiln_ir::Graph;
use kiln_ir::graph::{CellInit, StateCell};
use kiln_pte::{ContainerMeta, Program};
use kiln_transforms::framework::target::Reason;

/// A method to emit.
#[derive(Clone, Debug)]
pub struct Method<'g> {
    /// Its graph. The graph's name is the method's name.
    pub graph: &'g Graph,
    /// The regions that delegates and the target's own kernels take.
    pub regions: Vec<Region>,
    /// How the caller nests the flat inputs and outputs.
    pub container: Option<ContainerMeta>,
}

impl<'g> Method<'g> {
    /// A method without delegates.
    pub fn new(graph: &'g Graph) -> Method<'g> {
        Method {
            graph,
            regions: Vec::new(),
            container: None,
        }
    }
}

/// Options of the emission.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Greatest values of symbols, by name. They narrow the graph's own bounds.
    pub dims: Vec<(String, i64)>,
    /// The time limit of the memory planner.
    pub plan: kiln_plan::Limits,
}

/// A program with its figures.
#[derive(Clone, Debug)]
pub struct Emitted {
    /// The program.
    pub program: Program,
    /// Figures of each method, in order.
    pub reports: Vec<MethodReport>,
}

/// Emits the program of several methods. They share constants, blobs and named data.
///
/// # Errors
/// The first node, method or size that the stock runtime cannot run.
pub fn emit(methods: &[Method<'_>], options: &Options) -> Result<Emitted, EmitError> {
    refuse_shared_state(methods)?;
    let (mut program, mut named) = (Program::default(), IndexMap::new());
    let mut reports = Vec::with_capacity(methods.len());
    for method in methods {
        let draft = Draft::new(&mut program, &mut named, &method.graph.name);
        let (emitted, report) = emit_method(method, draft, options)?;
        program.methods.push(emitted);
        reports.push(report);
    }
    Ok(Emitted { program, reports })
}

/// The greatest size of an arena. 32-bit devices cannot address more, and no device of the runtime has more.
const MAX_PLANNED_BYTES: u64 = 1 << 32;

fn emit_method(
    method: &Method<'_>,
    draft: Draft<'_>,
    options: &Options,
) -> Result<(kiln_pte::Method, MethodReport), EmitError> {
    let graph = method.graph;
    let in_region = membership(graph, &method.regions);
    let bounds = Bounds::new(graph, &options.dims);
    let mut cx = Lower::new(graph, &method.regions, &in_region, draft, bounds);
    lower_root(&mut cx)?;
    let named = cx.named();
    let Lower {
        mut draft, bounds, ..
    } = cx;
    let advice = crate::bounds::advice(graph.symbols.iter().next().is_some());
    let planned = plan(&mut draft, &options.plan).map_err(|error| {
        let reason = Reason::new("the memory can be planned", error.to_string());
        EmitError::method(graph, reason.advise(advice))
    })?;
    let mut report = MethodReport::of(&draft.method, &draft.callers);
    if planned.bytes > MAX_PLANNED_BYTES {
        let rule = "the planned memory of a method stays below 4 GiB";
        let reason = Reason::new(
            rule,
            format!("{} bytes at the greatest sizes", planned.bytes),
        );
        return Err(EmitError::method(graph, reason.advise(advice)));
    }
    report.planned_bytes = planned.bytes;
    report.planned_lower_bound = planned.lower_bound;
    report.arena = arena(&draft, &planned, graph, &named);
    report.reordered = std::mem::take(&mut draft.reordered);
    let inside = method.regions.iter().flat_map(|r| &r.reordered);
    report.reordered.extend(inside);
    report.operators = draft.operators;
    let bytes = report.reordered.iter().map(|r| r.bytes);
    report.transposed_bytes = bytes.fold(0, u64::saturating_add);
    report.assumed_bounds = bounds.into_assumed();
    draft.method.container = method.container.clone();
    Ok((draft.method, report))
}

fn has_buffer(graph: &Graph, name: &str) -> bool {
    let is_written = |c: &StateCell| &*c.name == name && matches!(c.init, CellInit::Constant(_));
    graph.cells().any(|(_, c)| is_written(c))
        || graph.signature.buffers.iter().any(|b| &**b == name)
}

/// Methods of the stock runtime share no memory, so a method cannot see the state that another one changes.
fn refuse_shared_state(methods: &[Method<'_>]) -> Result<(), EmitError> {
    for (number, method) in methods.iter().enumerate() {
        for update in method.graph.updates() {
            let cell = method.graph.cell(update.cell);
            if matches!(cell.init, CellInit::Input(_)) {
                continue;
            }
            let sharer = methods
                .iter()
                .enumerate()
                .find(|(other, m)| *other != number && has_buffer(m.graph, &cell.name));
            if let Some((_, sharer)) = sharer {
                let rule = "methods of the stock runtime do not share state";
                let found = format!(
                    "buffer {:?} of this method and of {:?}",
                    cell.name, sharer.graph.name
                );
                let reason = Reason::new(rule, found).advise("pass it in and out as a tensor");
                return Err(EmitError::method(method.graph, reason));
            }
        }
    }
    Ok(())
}
