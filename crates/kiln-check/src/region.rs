//! Extracts a part of a graph as a graph of its own.

use kiln_ir::arena::{BlockId, ConstId, SourceId, SymbolId};
use kiln_ir::graph::{InputSpec, OutputSpec, Use};
use kiln_ir::ops::attribute::Names;
use kiln_ir::ops::{Constant, If, Misfit, While};
use kiln_ir::verify::bound_symbol;
use kiln_ir::{DType, Dim, Graph, NodeId, Op, Place, Rewriter, TensorType, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The part of the root block that consists of `kept`. Values that it reads from outside become inputs, and values that
/// others read become outputs. Constants that it reads are copied. A symbol that no input of the part binds gets an
/// input that does.
///
/// `None` if the part cannot stand alone, because a nested block in it reads state.
pub fn region(graph: &Graph, kept: &FxHashSet<NodeId>) -> Option<Graph> {
    let mut part = Graph::new("region");
    part.symbols = graph.symbols.clone();
    let mut copy = Copy {
        from: graph,
        to: Rewriter::new(&mut part),
        values: FxHashMap::default(),
        constants: FxHashMap::default(),
        sources: FxHashMap::default(),
    };
    let root = copy.to.graph().root();
    let mut outputs = Vec::new();
    for (id, node) in graph.nodes_in(graph.root()) {
        if !kept.contains(&id) || is_input(&node.op) {
            continue;
        }
        for &operand in &node.operands {
            copy.bring(operand).ok()?;
        }
        copy.node(id, root)?;
        let read = node
            .results
            .iter()
            .filter(|&&r| is_read_outside(graph, r, kept));
        outputs.extend(read.map(|r| copy.values[r]));
    }
    copy.bind_symbols();
    copy.to.signature().outputs = vec![OutputSpec::TENSOR; outputs.len()];
    copy.to.set_results(root, outputs);
    Some(part)
}

fn is_input(op: &Op) -> bool {
    matches!(op, Op::Constant(_) | Op::ReadState(_))
}

fn is_read_outside(graph: &Graph, value: ValueId, kept: &FxHashSet<NodeId>) -> bool {
    let is_outside = |u: &Use| match u {
        Use::Operand(reader, _) => !kept.contains(reader),
        Use::BlockResult(..) | Use::Update(_) => true,
    };
    graph.value(value).uses().iter().any(is_outside)
}

struct Copy<'f, 't> {
    from: &'f Graph,
    to: Rewriter<'t>,
    values: FxHashMap<ValueId, ValueId>,
    constants: FxHashMap<ConstId, ConstId>,
    sources: FxHashMap<SourceId, SourceId>,
}

impl Copy<'_, '_> {
    /// Makes a value of the root block available in the part: as a constant, or as an input.
    fn bring(&mut self, value: ValueId) -> Result<(), Misfit> {
        if self.values.contains_key(&value) {
            return Ok(());
        }
        let root = self.to.graph().root();
        let new = match self.from.producer_op(value) {
            Some(Op::Constant(op)) => {
                let value = self.constant(op.value);
                self.to.set_sources([]);
                self.to.value(Place::End(root), Constant { value }, &[])?
            }
            _ => add_input(&mut self.to, self.from.ty(value).clone()),
        };
        self.values.insert(value, new);
        Ok(())
    }

    fn constant(&mut self, id: ConstId) -> ConstId {
        let (from, to) = (self.from, &mut self.to);
        let add = || to.add_typed_constant(from.constant(id).clone());
        *self.constants.entry(id).or_insert_with(add)
    }

    /// Copies a node whose operands are available.
    fn node(&mut self, id: NodeId, block: BlockId) -> Option<()> {
        let node = self.from.node(id);
        let op = self.op(&node.op)?;
        let sources: Vec<SourceId> = node.sources.iter().map(|&s| self.source(s)).collect();
        self.to.set_sources(sources);
        let operands: Vec<ValueId> = node.operands.iter().map(|v| self.values[v]).collect();
        let new = self.to.insert(Place::End(block), op, &operands).ok()?;
        let results = self.to.graph().node(new).results.clone();
        for (&old, new) in node.results.iter().zip(results) {
            let shape = &self.from.ty(old).shape;
            if self.to.graph().ty(new).shape != *shape {
                self.to.refine_shape(new, shape.to_vec());
            }
            self.values.insert(old, new);
        }
        Some(())
    }

    fn op(&mut self, op: &Op) -> Option<Op> {
        Some(match op {
            Op::Constant(op) => Op::from(Constant {
                value: self.constant(op.value),
            }),
            Op::ReadState(_) => return None,
            Op::If(op) => Op::from(If {
                then: self.block(op.then)?,
                otherwise: self.block(op.otherwise)?,
            }),
            Op::While(op) => Op::from(While {
                condition: self.block(op.condition)?,
                body: self.block(op.body)?,
                carried: op.carried,
            }),
            other => other.clone(),
        })
    }

    fn block(&mut self, id: BlockId) -> Option<BlockId> {
        let block = self.to.add_block();
        for &param in &self.from.block(id).params {
            let new = self.to.add_param(block, self.from.ty(param).clone(), None);
            self.values.insert(param, new);
        }
        for (node, _) in self.from.nodes_in(id) {
            self.node(node, block)?;
        }
        let results = self.from.block(id).results.iter();
        let results = results.map(|v| self.values[v]).collect();
        self.to.set_results(block, results);
        Some(block)
    }

    fn source(&mut self, id: SourceId) -> SourceId {
        let (from, to) = (self.from, &mut self.to);
        let add = || to.add_source(from.source(id).clone());
        *self.sources.entry(id).or_insert_with(add)
    }

    fn bind_symbols(&mut self) {
        let (mentioned, bound) = symbols(self.to.graph());
        let missing = mentioned.into_iter().filter(|s| !bound.contains(s));
        for symbol in missing {
            let ty = TensorType::new(DType::Bool, vec![Dim::symbol(symbol)]);
            add_input(&mut self.to, ty);
        }
    }
}

fn add_input(rewriter: &mut Rewriter<'_>, ty: TensorType) -> ValueId {
    let root = rewriter.graph().root();
    let dim_order = (0..ty.rank() as u8).collect();
    let name = "x".into();
    rewriter
        .signature()
        .inputs
        .push(InputSpec::Tensor { name, dim_order });
    rewriter.add_param(root, ty, None)
}

/// The symbols that the graph mentions, in order, and those that it binds.
fn symbols(graph: &Graph) -> (Vec<SymbolId>, FxHashSet<SymbolId>) {
    let (mut mentioned, mut bound) = (FxHashSet::default(), FxHashSet::default());
    for &param in &graph.block(graph.root()).params {
        let shape = &graph.ty(param).shape;
        shape.iter().for_each(|d| {
            d.for_each_symbol(&mut |s| {
                bound.insert(s);
            })
        });
    }
    let names = Names::new(graph);
    for (block, data) in graph.blocks() {
        let mut values = data.params.clone();
        let mut text = String::new();
        for (_, node) in graph.nodes_in(block) {
            bound.extend(bound_symbol(&node.op));
            values.extend(&node.results);
            node.op.print_attributes(&mut text, &names);
            text.push(' ');
        }
        for value in values {
            let shape = &graph.ty(value).shape;
            shape.iter().for_each(|d| {
                d.for_each_symbol(&mut |s| {
                    mentioned.insert(s);
                })
            });
        }
        let words: FxHashSet<&str> = text
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .collect();
        let named = graph
            .symbols
            .iter()
            .filter(|(_, s)| words.contains(&*s.name));
        mentioned.extend(named.map(|(id, _)| id));
    }
    let mut mentioned: Vec<SymbolId> = mentioned.into_iter().collect();
    mentioned.sort();
    (mentioned, bound)
}
