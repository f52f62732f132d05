//! The explanation as one self-contained page. It draws the graph with delegates, kernels and movements in colours,
//! shows reason and source of a clicked node, and has search, zoom (wheel) and pan (drag). Where an artifact tells what
//! lies in its arena, a button shows the picture of that.
//!
//! The layout is computed here, so that the page is deterministic: a node stands one level below its lowest operand,
//! and blocks follow each other. Constants are not drawn.

use super::arena::picture;
use super::function::Functions;
use super::modules::module_of;
use crate::arithmetic::{Causes, computes, why_floats};
use crate::compiler::{Compiled, CompiledMethod};
use crate::report::{name_of, source_of, why};
use kiln_ir::{BlockId, Graph, Id, NodeId, Op, ValueId};
use kiln_target::{Place, Placed};
use serde_json::{Value, json};

const TEMPLATE: &str = include_str!("page.html");

/// The page.
pub fn page(compiled: &Compiled, model: &str, target: &str, size: u64) -> String {
    let methods: Vec<Value> = compiled
        .methods
        .iter()
        .map(|method| {
            let figures = &method.figures;
            json!({
                "name": figures.name,
                "delegates": figures.delegates.unwrap_or(0),
                "kernel_calls": figures.kernel_calls.clone().unwrap_or_default(),
                "planned_bytes": figures.planned_bytes.unwrap_or(0),
                "planned_lower_bound": figures.planned_lower_bound.unwrap_or(0),
                "transposed_bytes": figures.transposed_bytes,
                "nodes": drawn(method),
            })
        })
        .collect();
    let data = json!({"model": model, "target": target, "size": size, "methods": methods});
    // Only `</` could end a script element. Escaped, it is the same JSON.
    let data = data.to_string().replace('<', "\\u003c");
    let arenas = compiled
        .methods
        .iter()
        .enumerate()
        .filter_map(|(i, method)| {
            let arena = compiled.artifact.arena(&method.figures.name)?;
            Some(picture(&arena, i))
        });
    TEMPLATE
        .replace("@ARENAS@", &arenas.collect::<String>())
        .replace("@DATA@", &data)
}

/// Inputs and nodes, with their positions and those of their operands.
fn drawn(method: &CompiledMethod) -> Vec<Value> {
    let graph = &method.graph;
    let mut layout = Layout {
        of_value: vec![None; graph.value_bound()],
        cells: Vec::new(),
        bottom: 0,
    };
    let mut drawn = Vec::new();
    let causes = Causes::of(&method.passes);
    let functions = Functions::new(graph);
    let mut placed = method.placements.iter().peekable();
    for (block, _) in graph.blocks() {
        layout.params(graph, block, &mut drawn);
        while let Some(node) = placed.next_if(|p| graph.node(p.node).block == block) {
            if !matches!(graph.node(node.node).op, Op::Constant(_)) {
                let mut shown = layout.node(graph, node, drawn.len());
                shown["op"] = functions.name(&graph.node(node.node).op).into();
                shown["module"] = module_of(graph, node.node).into();
                shown["computes"] = computes(graph, node).into();
                shown["why_floats"] = why_floats(method, &causes, node).into();
                drawn.push(shown);
            }
        }
        layout.bottom += layout.cells.len() + 2;
        layout.cells.clear();
    }
    drawn
}

/// The positions of what is drawn. A level is a row, filled from the left.
struct Layout {
    /// The drawn item that produces a value, and the item's level.
    of_value: Vec<Option<(usize, usize)>>,
    /// The number of items on each level of this block.
    cells: Vec<usize>,
    /// The first row of this block.
    bottom: usize,
}

impl Layout {
    fn place(&mut self, level: usize) -> (usize, usize) {
        if self.cells.len() <= level {
            self.cells.resize(level + 1, 0);
        }
        self.cells[level] += 1;
        (self.cells[level] - 1, self.bottom + level)
    }

    fn params(&mut self, graph: &Graph, block: BlockId, drawn: &mut Vec<Value>) {
        for &param in &graph.block(block).params {
            let (x, y) = self.place(0);
            self.of_value[param.index()] = Some((drawn.len(), 0));
            let name = graph.value(param).name.as_deref().unwrap_or("input");
            drawn.push(json!({
                "name": name, "op": "input", "kind": "input", "placed": "input",
                "type": graph.type_text(param), "why": "an input", "x": x, "y": y, "from": [],
            }));
        }
    }

    /// The node as the item of this number.
    fn node(&mut self, graph: &Graph, placed: &Placed, number: usize) -> Value {
        let node = graph.node(placed.node);
        let makers: Vec<(usize, usize)> = node
            .operands
            .iter()
            .filter_map(|v: &ValueId| self.of_value[v.index()])
            .collect();
        let level = makers.iter().map(|m| m.1 + 1).max().unwrap_or(0);
        let (x, y) = self.place(level);
        for result in &node.results {
            self.of_value[result.index()] = Some((number, level));
        }
        let types: Vec<String> = node.results.iter().map(|&r| graph.type_text(r)).collect();
        json!({
            "name": name_of(graph, placed.node),
            "kind": kind(graph, placed),
            "placed": placed.place.to_string(),
            "type": types.join(", "),
            "why": why(placed),
            "advice": placed.reason.as_ref().and_then(|r| r.advice.clone()),
            "difference": placed.difference.as_ref().map(ToString::to_string),
            "source": source_of(graph, placed.node),
            "x": x, "y": y,
            "from": makers.iter().map(|m| m.0).collect::<Vec<_>>(),
        })
    }
}

/// The colour class of a node.
fn kind(graph: &Graph, placed: &Placed) -> &'static str {
    if is_movement(graph, placed.node) {
        "movement"
    } else if placed.place == Place::Free {
        "free"
    } else if placed.reason.is_some() {
        "kernel"
    } else {
        "delegate"
    }
}

/// True for a node that only reorders elements in memory.
pub fn is_movement(graph: &Graph, node: NodeId) -> bool {
    matches!(&graph.node(node).op, Op::Move(op) if !op.movement.is_view())
}
