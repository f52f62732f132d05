//! The explanation as one self-contained page: the modules as a tree, the graph with delegates, kernels and movements in
//! colours, and what is known of a clicked node or module. A module that is closed in the tree is one box of the graph. Where
//! an artifact tells what lies in its planned memory, a button shows the picture of that.
//!
//! `page.js` draws, and `layout.js` says where: a node stands below its operands. `arena.js` keeps the picture's text legible. Constants are not drawn.

use super::arena::picture;
use super::costs::{Cost, costs};
use super::estimate::{self, Work};
use super::modules::module_of;
use crate::arithmetic::{Causes, computes, packed_bytes, why_floats};
use crate::compiler::{Compiled, CompiledMethod};
use crate::operators::Operators;
use crate::report::{name_of, sentence, source_of, why};
use kiln_ir::graph::Node;
use kiln_ir::{BlockId, Graph, Id, NodeId, Op};
use kiln_target::{Mover, Place, Placed};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const LAYOUT: &str = include_str!("layout.js");
const MEMORY: &str = include_str!("arena.js");
const SCRIPT: &str = include_str!("page.js");

/// The page.
pub fn page(compiled: &Compiled, model: &str, target: &str, size: u64) -> String {
    let methods = compiled.methods.iter().zip(costs(compiled));
    let methods: Vec<Value> = methods.map(|(m, costs)| method_json(m, &costs)).collect();
    let notes: Vec<String> = compiled.notes().collect();
    let data = json!({
        "model": model, "target": target, "size": size, "methods": methods,
        "warnings": compiled.warnings(size), "notes": notes,
    });
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
        .replace("@STYLE@", STYLE)
        .replace("@LAYOUT@", LAYOUT)
        .replace("@MEMORY@", MEMORY)
        .replace("@SCRIPT@", SCRIPT)
        .replace("@ARENAS@", &arenas.collect::<String>())
        .replace("@DATA@", &data)
}

fn method_json(method: &CompiledMethod, costs: &[Cost]) -> Value {
    let figures = &method.figures;
    json!({
        "name": figures.name,
        "has_delegates": figures.delegates.is_some(),
        "delegates": figures.delegates.unwrap_or(0),
        "kernel_calls": figures.kernel_calls.clone().unwrap_or_default(),
        "planned_bytes": figures.planned_bytes.unwrap_or(0),
        "planned_lower_bound": figures.planned_lower_bound.unwrap_or(0),
        "transposed_bytes": figures.transposed_bytes,
        "costs": costs,
        "nodes": Drawing::new(method).nodes(),
    })
}

/// What is drawn of a method: inputs and nodes, each with the numbers of those that it reads.
struct Drawing<'m> {
    method: &'m CompiledMethod,
    causes: Causes<'m>,
    operators: Operators<'m>,
    /// The bytes that each node moves.
    moved: FxHashMap<NodeId, u64>,
    /// The drawn item that produces a value.
    of_value: Vec<Option<usize>>,
    drawn: Vec<Value>,
}

impl<'m> Drawing<'m> {
    fn new(method: &'m CompiledMethod) -> Self {
        let mut moved: FxHashMap<NodeId, u64> = FxHashMap::default();
        for tensor in &method.figures.moves {
            if let Mover::Node(node) = tensor.mover {
                *moved.entry(node).or_default() += tensor.bytes;
            }
        }
        Drawing {
            method,
            causes: Causes::of(&method.passes),
            operators: Operators::of(method),
            moved,
            of_value: vec![None; method.graph.value_bound()],
            drawn: Vec::new(),
        }
    }

    fn nodes(mut self) -> Vec<Value> {
        let method = self.method;
        let graph = &method.graph;
        let work = estimate::work(method);
        let mut placed = method.placements.iter().zip(&work).peekable();
        for (block, _) in graph.blocks() {
            self.params(block);
            while let Some((node, work)) =
                placed.next_if(|(p, _)| graph.node(p.node).block == block)
            {
                if !matches!(graph.node(node.node).op, Op::Constant(_)) {
                    self.node(node, *work);
                }
            }
        }
        self.drawn
    }

    fn params(&mut self, block: BlockId) {
        let graph = &self.method.graph;
        for &param in &graph.block(block).params {
            self.of_value[param.index()] = Some(self.drawn.len());
            let name = graph.value(param).name.as_deref().unwrap_or("input");
            self.drawn.push(json!({
                "name": name, "op": "input", "kind": "input", "placed": "input",
                "type": graph.type_text(param), "why": "an input", "from": [],
            }));
        }
    }

    fn node(&mut self, placed: &Placed, work: Work) {
        let graph = &self.method.graph;
        let node = graph.node(placed.node);
        let made = node.operands.iter().map(|v| self.of_value[v.index()]);
        let mut makers: Vec<usize> = made.flatten().collect();
        makers.sort_unstable();
        makers.dedup();
        for result in &node.results {
            self.of_value[result.index()] = Some(self.drawn.len());
        }
        let types: Vec<String> = node.results.iter().map(|&r| graph.type_text(r)).collect();
        let reason = placed.reason.as_ref();
        self.drawn.push(json!({
            "name": name_of(graph, placed.node),
            "op": self.operators.name(placed.node),
            "kind": self.kind(placed),
            "placed": placed.place.to_string(),
            "type": types.join(", "),
            "why": why(placed),
            "reason": reason.map(sentence),
            "advice": reason.and_then(|r| r.advice.clone()),
            "difference": placed.difference.as_ref().map(ToString::to_string),
            "source": source_of(graph, placed.node),
            "module": module_of(graph, placed.node),
            "computes": computes(graph, placed),
            "why_floats": why_floats(self.method, &self.causes, placed),
            "products": work.products,
            "time": work.share,
            "constants": constants(graph, node),
            "moved": self.moved.get(&placed.node),
            "from": makers,
        }));
    }

    /// The colour class of a node.
    fn kind(&self, placed: &Placed) -> &'static str {
        if placed.place == Place::Free {
            "free"
        } else if placed.reason.is_some() {
            "kernel"
        } else if self.is_movement(placed.node) {
            "movement"
        } else {
            "delegate"
        }
    }

    /// True for a node that only reorders elements in memory. A movement may cost nothing: its reader takes them as they are.
    fn is_movement(&self, node: NodeId) -> bool {
        let moves = &self.method.figures.moves;
        // A TOSA file tells of its moves by line.
        let by_node = !moves.iter().any(|m| matches!(m.mover, Mover::Line(_)));
        is_movement(&self.method.graph, node) && (!by_node || self.moved.contains_key(&node))
    }
}

/// The constants that a node reads, by number, with their bytes: several nodes may read one.
fn constants(graph: &Graph, node: &Node) -> Vec<(usize, u64)> {
    let numbered = node.operands.iter();
    let numbered = numbered.filter_map(|&v| Some((v.index(), packed_bytes(graph.as_constant(v)?))));
    numbered.collect()
}

/// True for a node that only reorders elements in memory.
fn is_movement(graph: &Graph, node: NodeId) -> bool {
    matches!(&graph.node(node).op, Op::Move(op) if !op.movement.is_view())
}
