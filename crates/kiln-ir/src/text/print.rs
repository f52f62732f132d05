//! The printer of the text form.

use crate::arena::{BlockId, Id, ValueId};
use crate::dtype::Scalar;
use crate::graph::{CellInit, Graph, InputSpec, Node, OutputSpec, StateCell};
use crate::ops::attribute::{Attribute, Names};
use crate::tensor::TensorData;
use crate::types::TensorType;
use std::fmt::Write;

/// How constants of more than 16 elements print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// As a digest of their bytes.
    Digest,
    /// With all bytes.
    Full,
}

/// Constants of up to this many elements print as numbers.
const INLINE_ELEMENTS: usize = 16;

/// The graph as text.
pub fn print(graph: &Graph, data: Data) -> String {
    let names = Names::new(graph);
    let mut printer = Printer {
        graph,
        names,
        numbers: vec![u32::MAX; graph.value_bound()],
        out: String::new(),
        data,
    };
    printer.graph();
    printer.out
}

/// A digest of a tensor's bytes: 128 bits of FNV-1a, as hex. It tells constants in a text apart, but does not resist
/// forgery.
pub fn digest(data: &TensorData) -> String {
    let step = |hash: u128, byte: &u8| {
        (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    };
    format!(
        "{:032x}",
        data.bytes()
            .iter()
            .fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128, step)
    )
}

/// All blocks, each after the bodies of its nodes, so that a body's types are known before a node refers to it.
fn bodies_first(graph: &Graph) -> Vec<BlockId> {
    fn visit(graph: &Graph, block: BlockId, seen: &mut [bool], order: &mut Vec<BlockId>) {
        if seen.get(block.index()).copied() != Some(false) {
            return;
        }
        seen[block.index()] = true;
        for (_, node) in graph.nodes_in(block) {
            node.op
                .bodies()
                .iter()
                .for_each(|&b| visit(graph, b, seen, order));
        }
        order.push(block);
    }
    let (mut seen, mut order) = (vec![true; graph.blocks.bound()], Vec::new());
    graph.blocks().for_each(|(id, _)| seen[id.index()] = false);
    visit(graph, graph.root(), &mut seen, &mut order);
    graph
        .blocks()
        .for_each(|(id, _)| visit(graph, id, &mut seen, &mut order));
    order
}

struct Printer<'g> {
    graph: &'g Graph,
    names: Names<'g>,
    numbers: Vec<u32>,
    out: String,
    data: Data,
}

impl Printer<'_> {
    fn put(&mut self, text: impl std::fmt::Display) {
        write!(self.out, "{text}").expect("writing to a string does not fail");
    }

    fn graph(&mut self) {
        let graph = self.graph;
        self.put(format_args!("graph {:?} {{\n", graph.name));
        for (_, symbol) in graph.symbols.iter() {
            let max = symbol.max.map(|m| format!("={m}")).unwrap_or_default();
            self.put(format_args!(
                "  symbol {} in {}..{max}",
                symbol.name, symbol.min
            ));
            if let Some(hint) = symbol.hint {
                self.put(format_args!(" like {hint}"));
            }
            self.put("\n");
        }
        self.constants();
        for (id, cell) in graph.cells() {
            self.cell(id, cell);
        }
        self.signature();
        for (id, source) in graph.sources.iter() {
            let parts = [&source.node, &source.target, &source.module, &source.line];
            self.put(format_args!("  source {id}"));
            parts
                .into_iter()
                .for_each(|p| self.put(format_args!(" {p:?}")));
            self.put("\n");
        }
        let mut counter = 0;
        for id in bodies_first(graph) {
            self.block(id, &mut counter);
        }
        for update in graph.updates() {
            self.put("  update ");
            update.cell.print(&mut self.out, &self.names);
            self.put(" = ");
            self.value(update.value);
            self.put("\n");
        }
        self.put("}\n");
    }

    fn constants(&mut self) {
        for (number, (_, constant)) in self.graph.constants().enumerate() {
            self.put(format_args!("  constant c{number} {:?} ", constant.name));
            self.ty(&constant.ty);
            self.put(" = ");
            self.elements(&constant.data);
            self.put("\n");
        }
    }

    fn elements(&mut self, data: &TensorData) {
        if data.elements() <= INLINE_ELEMENTS {
            data.scalars()
                .collect::<Vec<Scalar>>()
                .print(&mut self.out, &self.names);
        } else if let Some(value) = data.as_splat() {
            self.put("splat ");
            value.print(&mut self.out, &self.names);
        } else if self.data == Data::Full {
            self.put("hex \"");
            for byte in data.bytes() {
                self.put(format_args!("{byte:02x}"));
            }
            self.put("\"");
        } else {
            self.put(format_args!("digest \"{}\"", digest(data)));
        }
    }

    fn cell(&mut self, id: crate::arena::CellId, cell: &StateCell) {
        self.put("  state ");
        id.print(&mut self.out, &self.names);
        self.put(format_args!(" {:?} ", cell.name));
        self.ty(&cell.ty);
        match cell.init {
            CellInit::Constant(c) => {
                self.put(" = ");
                c.print(&mut self.out, &self.names);
            }
            CellInit::Input(i) => self.put(format_args!(" = input {i}")),
        }
        self.put("\n");
    }

    fn signature(&mut self) {
        for input in &self.graph.signature.inputs {
            self.put("  input ");
            match input {
                InputSpec::Tensor { name, dim_order } => {
                    self.put(format_args!("tensor {name:?} {dim_order:?}"))
                }
                InputSpec::None => self.put("none"),
                InputSpec::Scalar(s) => self.scalar(s),
                InputSpec::Text(t) => self.put(format_args!("text {t:?}")),
            }
            self.put("\n");
        }
        for output in &self.graph.signature.outputs {
            self.put("  output ");
            match output {
                OutputSpec::Tensor { dim_order } if dim_order.is_empty() => self.put("tensor"),
                OutputSpec::Tensor { dim_order } => self.put(format_args!("tensor {dim_order:?}")),
                OutputSpec::None => self.put("none"),
                OutputSpec::Scalar(s) => self.scalar(s),
                OutputSpec::Text(t) => self.put(format_args!("text {t:?}")),
            }
            self.put("\n");
        }
        for buffer in &self.graph.signature.buffers {
            self.put(format_args!("  buffer {buffer:?}\n"));
        }
    }

    fn scalar(&mut self, scalar: &Scalar) {
        self.put("scalar ");
        scalar.print(&mut self.out, &self.names);
    }

    fn ty(&mut self, ty: &TensorType) {
        self.put(ty.dtype);
        ty.shape.print(&mut self.out, &self.names);
        if let Some(quant) = &ty.quant {
            self.put(" as (");
            quant.print(&mut self.out, &self.names);
            self.put(")");
        }
    }

    fn block(&mut self, id: BlockId, counter: &mut u32) {
        let graph = self.graph;
        self.put("  block ");
        id.print(&mut self.out, &self.names);
        self.put(" (");
        for (i, &param) in graph.block(id).params.iter().enumerate() {
            self.put(if i > 0 { ", " } else { "" });
            self.define(param, counter);
        }
        self.put(") {\n");
        for (_, node) in graph.nodes_in(id) {
            self.node(node, counter);
        }
        self.put("    return");
        self.values(&graph.block(id).results);
        self.put("\n  }\n");
    }

    fn define(&mut self, value: ValueId, counter: &mut u32) {
        self.numbers[value.index()] = *counter;
        *counter += 1;
        self.value(value);
        if let Some(name) = &self.graph.value(value).name {
            self.put(format_args!(" {name:?}"));
        }
        self.put(": ");
        self.ty(self.graph.ty(value));
    }

    fn value(&mut self, value: ValueId) {
        let number = self.numbers[value.index()];
        self.put(format_args!("%{number}"));
    }

    fn values(&mut self, values: &[ValueId]) {
        for (i, &value) in values.iter().enumerate() {
            self.put(if i > 0 { ", " } else { " " });
            self.value(value);
        }
    }

    fn node(&mut self, node: &Node, counter: &mut u32) {
        self.put("    ");
        for (i, &result) in node.results.iter().enumerate() {
            self.put(if i > 0 { ", " } else { "" });
            self.define(result, counter);
        }
        self.put(if node.results.is_empty() { "" } else { " = " });
        self.put(node.op.name());
        self.values(&node.operands);
        self.put(" {");
        node.op.print_attributes(&mut self.out, &self.names);
        self.put("}");
        for (i, source) in node.sources.iter().enumerate() {
            self.put(format_args!("{}{source}", if i > 0 { ", " } else { " @ " }));
        }
        self.put("\n");
    }
}
