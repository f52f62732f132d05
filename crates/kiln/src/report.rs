//! The report of a compilation as JSON, for `compile --report` and `explain --json`: its types have the fields of the JSON, in order. Fields
//! may be added, but never change.

use crate::arithmetic::{self, Causes};
use crate::compiler::{Compiled, CompiledMethod};
use crate::counted::counted;
use crate::explain::costs::{self, Cost};
use crate::explain::estimate::{self, Work};
use crate::explain::modules::module_of;
use crate::operators::Operators;
use crate::target::TargetName;
use indexmap::IndexMap;
use kiln_ir::{Graph, NodeId};
use kiln_target::{Bands, Figures, Moved, Mover, Options, Place, Placed};
use kiln_transforms::framework::pass::{Declined, PassRun, names, provenance};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Least;
use serde::Serialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// The report of an artifact, which serialises to what users read.
#[derive(Serialize)]
pub struct Report<'c> {
    target: String,
    size: u64,
    warnings: Vec<String>,
    notes: Vec<String>,
    methods: Vec<Method<'c>>,
    #[serde(flatten)]
    sections: &'c Map<String, Value>,
}

/// A figure that the target does not have is 0, so that readers of the report find every field.
#[derive(Serialize)]
struct Method<'c> {
    name: &'c str,
    delegates: usize,
    kernel_calls: IndexMap<&'c str, usize>,
    bands: Option<Rows>,
    added_kernel_calls: &'c IndexMap<String, usize>,
    planned_bytes: u64,
    planned_lower_bound: u64,
    scratch_bytes: Option<u64>,
    transposed_bytes: u64,
    transposed_lower_bound: u64,
    transposed_lower_bound_kind: &'static str,
    assumed_bounds: Vec<Assumed<'c>>,
    moves: Vec<Move>,
    costs: Vec<Cost>,
    nodes: Vec<Node<'c>>,
    passes: Vec<Pass<'c>>,
}

/// Kernel calls of layers that are computed by rows.
#[derive(Serialize)]
struct Rows {
    layer_calls: usize,
    by_rows: usize,
    bands: usize,
    row_moves: usize,
}

#[derive(Serialize)]
struct Assumed<'c> {
    symbol: &'c str,
    max: i64,
}

#[derive(Serialize)]
struct Move {
    node: Option<String>,
    bytes: u64,
}

/// A kernel call, or all operators of one call of the model that are in one place for one reason: the steps of a recurrent layer are one
/// entry for each function.
#[derive(Serialize)]
struct Node<'c> {
    #[serde(flatten)]
    what: What<'c>,
    /// The operators that the entry stands for.
    count: usize,
    multiply_adds: u64,
    estimated_share: f64,
}

#[derive(PartialEq, Eq, Hash, Serialize)]
struct What<'c> {
    name: String,
    op: &'static str,
    function: Cow<'static, str>,
    operator: String,
    module: Option<&'c str>,
    placed: String,
    computes: Option<String>,
    why_floats: Option<String>,
    reason: Option<String>,
    difference: Option<String>,
    found: Option<&'c str>,
    allowed: Option<&'c str>,
    advice: Option<&'c str>,
    why: Cow<'static, str>,
    source: Option<String>,
}

#[derive(Serialize)]
struct Pass<'c> {
    name: &'static str,
    applied: Vec<Rewrite<'c>>,
    declined: Vec<Refusal<'c>>,
    ms: f64,
}

/// The applications of a rule to one call of the model.
#[derive(Serialize)]
struct Rewrite<'c> {
    #[serde(flatten)]
    what: Rewritten<'c>,
    count: usize,
}

#[derive(PartialEq, Eq, Hash, Serialize)]
struct Rewritten<'c> {
    rule: &'static str,
    nodes: &'c [String],
    why: Option<String>,
}

#[derive(Serialize)]
struct Refusal<'c> {
    rule: &'static str,
    node: String,
    reason: String,
    found: &'c str,
    allowed: &'c str,
    advice: Option<&'c str>,
    source: Option<&'c str>,
}

impl<'c> Report<'c> {
    /// The report of an artifact for a target with these options.
    pub fn of(
        compiled: &'c Compiled,
        target: TargetName,
        options: &Options,
        size: u64,
    ) -> Report<'c> {
        let created = target.create(options);
        let methods = compiled.methods.iter().enumerate();
        let methods = methods.zip(costs::costs(compiled));
        let methods = methods.map(|((i, method), costs)| {
            Method::of(method, compiled.least_moved(i, &*created), costs)
        });
        Report {
            target: target.to_string(),
            size,
            warnings: compiled.warnings(size),
            notes: compiled.notes().collect(),
            methods: methods.collect(),
            sections: &compiled.sections,
        }
    }
}

impl<'c> Method<'c> {
    fn of(method: &'c CompiledMethod, least: Least, costs: Vec<Cost>) -> Method<'c> {
        let (graph, figures) = (&method.graph, &method.figures);
        let calls = figures.kernel_calls.iter().flatten();
        let assumed = figures.assumed_bounds.iter().map(|bound| Assumed {
            symbol: &bound.symbol,
            max: bound.max,
        });
        Method {
            name: &figures.name,
            delegates: figures.delegates.unwrap_or(0),
            kernel_calls: calls.map(|(name, count)| (name.as_str(), *count)).collect(),
            bands: figures.bands.map(Rows::of),
            added_kernel_calls: &figures.added,
            planned_bytes: figures.planned_bytes.unwrap_or(0),
            planned_lower_bound: figures.planned_lower_bound.unwrap_or(0),
            scratch_bytes: figures.scratch_bytes,
            transposed_bytes: figures.transposed_bytes,
            transposed_lower_bound: least.bytes,
            transposed_lower_bound_kind: if least.is_exact {
                "exact"
            } else {
                "relaxation"
            },
            assumed_bounds: assumed.collect(),
            moves: figures.moves.iter().map(|m| Move::of(graph, m)).collect(),
            costs,
            nodes: Node::all(method),
            passes: method.passes.iter().map(Pass::of).collect(),
        }
    }
}

impl Rows {
    fn of(bands: Bands) -> Rows {
        Rows {
            layer_calls: bands.layers,
            by_rows: bands.by_rows,
            bands: bands.bands,
            row_moves: bands.moves,
        }
    }
}

impl Move {
    fn of(graph: &Graph, moved: &Moved) -> Move {
        let node = match &moved.mover {
            Mover::Node(node) => Some(name_of(graph, *node)),
            Mover::Line(line) => Some(line.clone()),
            Mover::Method => None,
        };
        Move {
            node,
            bytes: moved.bytes,
        }
    }
}

impl<'c> Node<'c> {
    /// The nodes of a method, in the order in which each is met first.
    fn all(method: &'c CompiledMethod) -> Vec<Node<'c>> {
        let said = (&Causes::of(&method.passes), &Operators::of(method));
        let mut found: IndexMap<(What<'c>, Option<NodeId>), (usize, Work)> = IndexMap::new();
        for (placed, work) in method.placements.iter().zip(estimate::work(method)) {
            let own = (placed.place == Place::Kernel).then_some(placed.node);
            let (count, sum) = found
                .entry((What::of(method, said, placed), own))
                .or_default();
            *count += 1;
            sum.products += work.products;
            sum.share += work.share;
        }
        let found = found.into_iter();
        found
            .map(|((what, _), (count, work))| Node {
                what,
                count,
                multiply_adds: work.products,
                estimated_share: work.share,
            })
            .collect()
    }
}

impl<'c> What<'c> {
    fn of(
        method: &'c CompiledMethod,
        (causes, operators): (&Causes<'_>, &Operators<'_>),
        placed: &'c Placed,
    ) -> What<'c> {
        let graph = &method.graph;
        let reason = placed.reason.as_ref();
        What {
            name: name_of(graph, placed.node),
            op: graph.node(placed.node).op.name(),
            function: graph.node(placed.node).op.function(),
            operator: operators.name(placed.node),
            module: module_of(graph, placed.node),
            placed: placed.place.to_string(),
            computes: arithmetic::computes(graph, placed),
            why_floats: arithmetic::why_floats(method, causes, placed),
            reason: reason.map(Reason::to_string),
            difference: placed.difference.as_ref().map(Reason::to_string),
            found: reason.map(|reason| reason.found.as_str()),
            allowed: reason.map(|reason| reason.rule.as_str()),
            advice: reason.and_then(|reason| reason.advice.as_deref()),
            why: why(placed),
            source: source_of(graph, placed.node),
        }
    }
}

impl<'c> Pass<'c> {
    fn of(run: &'c PassRun) -> Pass<'c> {
        let mut applied: IndexMap<Rewritten<'c>, usize> = IndexMap::new();
        for one in &run.report.applied {
            let what = Rewritten {
                rule: one.rule,
                nodes: &one.nodes,
                why: one.why.as_ref().map(Reason::to_string),
            };
            *applied.entry(what).or_default() += 1;
        }
        let applied = applied.into_iter();
        let applied = applied.map(|(what, count)| Rewrite { what, count });
        Pass {
            name: run.pass,
            applied: applied.collect(),
            declined: run.report.declined.iter().map(Refusal::of).collect(),
            ms: run.time.as_secs_f64() * 1e3,
        }
    }
}

impl<'c> Refusal<'c> {
    fn of(declined: &'c Declined) -> Refusal<'c> {
        let node = match declined.nodes.is_empty() {
            true => declined.node.to_string(),
            false => declined.nodes.join(", "),
        };
        Refusal {
            rule: declined.rule,
            node,
            reason: declined.reason.to_string(),
            found: &declined.reason.found,
            allowed: &declined.reason.rule,
            advice: declined.reason.advice.as_deref(),
            source: Some(declined.source.as_str()).filter(|source| !source.is_empty()),
        }
    }
}

/// The reason for a node's place, in words.
pub fn why(placed: &Placed) -> Cow<'static, str> {
    match &placed.reason {
        Some(reason) => sentence(reason).into(),
        None if placed.place == Place::Free => {
            "costs nothing when running: a constant, a size, a state or a view".into()
        }
        None if placed.place == Place::Kernel => "a kernel runs it".into(),
        None => "the delegate runs it".into(),
    }
}

/// A reason as a sentence.
pub fn sentence(reason: &Reason) -> String {
    format!("{}; found {}", reason.rule, reason.found)
}

/// The source of a node, if it is known.
pub fn source_of(graph: &Graph, node: NodeId) -> Option<String> {
    Some(provenance(graph, node)).filter(|s| !s.is_empty())
}

/// The exporter's names for a node, else the name of its op.
pub fn name_of(graph: &Graph, node: NodeId) -> String {
    let names = names(graph, node);
    if names.is_empty() {
        graph.node(node).op.name().to_string()
    } else {
        names.join(", ")
    }
}

/// The summary of a method: a few lines of text.
pub fn summary(compiled: &Compiled, target: TargetName, output: &Path, size: u64) -> String {
    let name = compiled.artifact.name();
    let name = name.map_or(String::new(), |name| format!(", called {name} (--name)"));
    // The bytes of a folder are those of its texts. What the firmware gets of these are the constants.
    let what = match compiled.artifact.kind().extension {
        "" => "bytes of source text",
        _ => "bytes",
    };
    let mut text = format!("{}: {size} {what}{name}\n", output.display());
    for method in &compiled.methods {
        text += &figures_text(&method.figures);
        if let Some(verified) = &method.verified {
            text += &format!("    {}\n", verified.text(method.passes.len()));
        }
    }
    let misnamed = crate::warnings::of_name(output, compiled.artifact.kind(), target);
    for warning in compiled.warnings(size).into_iter().chain(misnamed) {
        text += &format!("warning: {warning}\n");
    }
    for note in compiled.notes() {
        text += &format!("note: {note}\n");
    }
    text
}

/// The figures that a method has, and a line for each kernel.
pub fn figures_text(figures: &Figures) -> String {
    let delegates = figures.delegates.map(|n| counted(n, "delegate"));
    let kernels = figures.kernel_calls.as_ref();
    let kernels = kernels.map(|_| {
        let bands = figures.bands.as_ref().and_then(Bands::text);
        let bands = bands.map_or(String::new(), |text| format!(" ({text})"));
        counted(figures.kernel_call_count(), "kernel call") + &bands
    });
    let planned = figures.planned_bytes.map(|bytes| {
        let least = figures
            .planned_lower_bound
            .map(|n| format!(" (at least {n})"));
        format!("{bytes} bytes planned{}", least.unwrap_or_default())
    });
    let constants = figures.constant_bytes();
    let constants = constants.map(|bytes| format!("{bytes} bytes of constants"));
    let scratch = figures.scratch_bytes;
    let scratch = scratch.map(|bytes| format!("{bytes} bytes of scratch memory beside"));
    let moved = format!("{} bytes only moved", figures.transposed_bytes);
    let parts = [delegates, kernels, planned, scratch, constants, Some(moved)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let mut text = format!("  {}: {}\n", figures.name, parts.join(", "));
    for (kernel, count) in figures.kernel_calls.iter().flatten() {
        writeln!(text, "    {count} x {kernel}").expect("a string takes all");
    }
    for bound in &figures.assumed_bounds {
        writeln!(
            text,
            "    {} has no upper bound: planned for up to {} (--dim {}=MAX changes it)",
            bound.symbol, bound.max, bound.symbol
        )
        .expect("a string takes all");
    }
    text
}
