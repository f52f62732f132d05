//! The verifier: lists all faults of a graph.
//!
//! It checks:
//! 1. Lists: each block's nodes are linked in both directions and know their block; results and parameters know their
//!    definition.
//! 2. Uses: each operand, block result and update is on the use list of its value, and the list has nothing else.
//! 3. Dominance: a value is used in its own block only, after its definition.
//! 4. Types: results have the types that the op table infers, as far as symbols allow a proof.
//! 5. Symbols: each is bound once, before the types and attributes that mention it. After a branch or loop, symbols
//!    that its blocks bind count as bound.
//! 6. Constants: their data matches their type. Cells: their initial content and their updates match their type.
//! 7. Bodies: a nested block belongs to one node.
//! 8. Signature: the root block has as many parameters and results as there are tensor entries, and dim orders are
//!    permutations.
//! 9. Sizes: no dim is certainly negative or saturated.
//! 10. Quantisation: parameters match dtype and shape.

use crate::arena::{BlockId, Id, NodeId, SymbolId, ValueId};
use crate::dim::Dim;
use crate::graph::{CellInit, Def, Graph, InputSpec, OutputSpec, Use};
use crate::ops::{Infer, Op};
use crate::types::TensorType;

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {rule}")]
pub struct Fault {
    /// The node, value or block, with names where they help.
    pub place: String,
    /// The broken rule.
    pub rule: String,
}

/// Checks all invariants.
///
/// # Errors
/// All faults, not only the first.
pub fn verify(graph: &Graph) -> Result<(), Vec<Fault>> {
    let mut check = Check {
        graph,
        faults: Vec::new(),
    };
    let ordered = check.lists();
    check.uses();
    check.order(&ordered);
    check.types();
    check.symbols();
    check.constants_and_cells();
    check.bodies();
    check.signature();
    check.sizes();
    check.quantisation();
    if check.faults.is_empty() {
        Ok(())
    } else {
        Err(check.faults)
    }
}

struct Check<'g> {
    graph: &'g Graph,
    faults: Vec<Fault>,
}

/// The position of each node in its block, by node index.
type Positions = Vec<Option<usize>>;

impl Check<'_> {
    fn fault(&mut self, place: impl std::fmt::Display, rule: impl Into<String>) {
        self.faults.push(Fault {
            place: place.to_string(),
            rule: rule.into(),
        });
    }

    fn describe(&self, node: NodeId) -> String {
        let n = self.graph.node(node);
        let names: Vec<&str> = n
            .sources
            .iter()
            .map(|&s| &*self.graph.source(s).node)
            .collect();
        format!(
            "{node} ({}{}{})",
            n.op.name(),
            if names.is_empty() { "" } else { " from " },
            names.join(", ")
        )
    }

    fn lists(&mut self) -> Positions {
        let mut positions: Positions = vec![None; self.graph.node_bound()];
        let mut seen = 0;
        for (block, body) in self.graph.blocks() {
            let (mut next, mut prev, mut position) = (body.first, None, 0);
            while let Some(id) = next {
                let Some(node) = self.graph.try_node(id) else {
                    self.fault(block, format!("lists {id}, which was erased"));
                    break;
                };
                if positions[id.index()].replace(position).is_some() {
                    self.fault(block, format!("lists {id} twice"));
                    break;
                }
                if node.block != block || node.prev != prev {
                    self.fault(id, format!("is not linked as a member of {block}"));
                }
                (prev, next, position, seen) = (Some(id), node.next, position + 1, seen + 1);
            }
            if body.last != prev {
                self.fault(block, "does not end with its last node");
            }
            for (i, &param) in body.params.iter().enumerate() {
                self.definition(param, Def::Param(block, i as u32));
            }
        }
        if seen != self.graph.node_count() {
            self.fault(
                "graph",
                format!(
                    "{seen} of {} nodes stand in a block",
                    self.graph.node_count()
                ),
            );
        }
        for (id, node) in self.graph.nodes.iter() {
            for (i, &result) in node.results.iter().enumerate() {
                self.definition(result, Def::Result(id, i as u32));
            }
        }
        positions
    }

    fn definition(&mut self, value: ValueId, def: Def) {
        match self.graph.values.get(value) {
            None => self.fault(value, format!("{def:?} was removed")),
            Some(v) if v.def != def => self.fault(
                value,
                format!("is defined by {:?} and listed by {def:?}", v.def),
            ),
            Some(_) => {}
        }
    }

    fn all_uses(&self) -> Vec<(Use, ValueId)> {
        let mut uses = Vec::new();
        for (id, node) in self.graph.nodes.iter() {
            uses.extend(
                node.operands
                    .iter()
                    .enumerate()
                    .map(|(i, &v)| (Use::Operand(id, i as u32), v)),
            );
        }
        for (id, block) in self.graph.blocks() {
            uses.extend(
                block
                    .results
                    .iter()
                    .enumerate()
                    .map(|(i, &v)| (Use::BlockResult(id, i as u32), v)),
            );
        }
        uses.extend(
            self.graph
                .updates
                .iter()
                .enumerate()
                .map(|(i, u)| (Use::Update(i as u32), u.value)),
        );
        uses
    }

    fn uses(&mut self) {
        let mut expected: Vec<Vec<Use>> = vec![Vec::new(); self.graph.value_bound()];
        for (use_, value) in self.all_uses() {
            match expected.get_mut(value.index()) {
                Some(list) if self.graph.values.get(value).is_some() => list.push(use_),
                _ => self.fault(
                    format!("{use_:?}"),
                    format!("reads {value}, which does not exist"),
                ),
            }
        }
        for (id, value) in self.graph.values.iter() {
            let mut listed = value.uses().to_vec();
            let wanted = &mut expected[id.index()];
            listed.sort();
            wanted.sort();
            if listed != *wanted {
                let wanted = wanted.clone();
                self.fault(
                    id,
                    format!("has the use list {listed:?}, but the uses {wanted:?}"),
                );
            }
        }
    }

    fn block_of(&self, value: ValueId) -> Option<BlockId> {
        match self.graph.values.get(value)?.def {
            Def::Param(block, _) => Some(block),
            Def::Result(node, _) => Some(self.graph.try_node(node)?.block),
        }
    }

    fn order(&mut self, positions: &Positions) {
        for (use_, value) in self.all_uses() {
            let user_block = match use_ {
                Use::Operand(node, _) => self.graph.node(node).block,
                Use::BlockResult(block, _) => block,
                Use::Update(_) => self.graph.root(),
            };
            match self.block_of(value) {
                None => {}
                Some(block) if block != user_block => {
                    self.fault(
                        format!("{use_:?}"),
                        format!("in {user_block} reads {value}, which belongs to {block}"),
                    );
                }
                Some(_) => {
                    if let (Use::Operand(user, _), Some(producer)) =
                        (use_, self.graph.producer(value))
                        && positions[producer.index()] >= positions[user.index()]
                    {
                        let place = self.describe(user);
                        self.fault(place, format!("reads {value} before {producer} defines it"));
                    }
                }
            }
        }
    }

    fn types(&mut self) {
        let readable = |v: &ValueId| self.graph.values.get(*v).is_some();
        for (id, node) in self.graph.nodes.iter() {
            if !node.operands.iter().chain(&node.results).all(readable) {
                continue;
            }
            let inferred = match node.op.infer(
                &Infer { graph: self.graph },
                &self.graph.types(&node.operands),
            ) {
                Ok(types) => types,
                Err(misfit) => {
                    let place = self.describe(id);
                    self.fault(place, misfit.to_string());
                    continue;
                }
            };
            if inferred.len() != node.results.len() {
                let place = self.describe(id);
                self.fault(
                    place,
                    format!(
                        "has {} results, its op gives {}",
                        node.results.len(),
                        inferred.len()
                    ),
                );
            }
            for (ty, &result) in inferred.iter().zip(&node.results) {
                if !ty.agrees(self.graph.ty(result), &self.graph.symbols) {
                    let place = self.describe(id);
                    self.fault(
                        place,
                        format!("gives {ty:?}, but {result} is {:?}", self.graph.ty(result)),
                    );
                }
            }
        }
    }

    /// Checks that symbols are bound, by the root's parameters or by a node, before they are mentioned in the same
    /// block or in blocks nested in it.
    fn symbols(&mut self) {
        let mut bound = vec![false; self.graph.symbols.iter().count()];
        let root = self.graph.root();
        for &param in &self.graph.block(root).params {
            for dim in self.graph.ty(param).shape.iter() {
                dim.for_each_symbol(&mut |s| bound[s.index()] = true);
            }
        }
        let mut binders = vec![false; bound.len()];
        let mut seen = vec![false; self.graph.blocks.bound()];
        let mut open = vec![(root, bound)];
        while let Some((block, bound)) = open.pop() {
            if !std::mem::replace(&mut seen[block.index()], true) {
                self.symbols_in(block, bound, &mut binders, &mut open);
            }
        }
    }

    fn symbols_in(
        &mut self,
        block: BlockId,
        mut bound: Vec<bool>,
        binders: &mut [bool],
        inner: &mut Vec<(BlockId, Vec<bool>)>,
    ) {
        let graph = self.graph;
        for &param in &graph.block(block).params {
            self.mentions_bound(graph.ty(param).shape.iter(), &bound, param);
        }
        let mut next = graph.block(block).first;
        // At most as many steps as there are nodes, in case the list is cyclic.
        for _ in 0..graph.node_count() {
            let Some((id, node)) = next.and_then(|id| Some((id, graph.try_node(id)?))) else {
                break;
            };
            next = node.next;
            let mut attributes = Vec::new();
            node.op
                .for_each_dim(&mut |dim| attributes.push(dim.clone()));
            self.mentions_bound(attributes.iter(), &bound, id);
            if let Some(symbol) = bound_symbol(&node.op) {
                let at = symbol.index();
                if std::mem::replace(&mut binders[at], true) || bound[at] {
                    self.fault(&graph.symbols.get(symbol).name, "is bound more than once");
                }
                bound[at] = true;
            }
            let bodies = node.op.bodies().into_iter();
            let bodies: Vec<BlockId> = bodies
                .filter(|&body| graph.try_block(body).is_some())
                .collect();
            inner.extend(bodies.iter().map(|&body| (body, bound.clone())));
            // Symbols that a body binds may occur in the sizes of its results.
            if !bodies.is_empty() {
                self.bind_all(bodies, &mut bound);
            }
            for &result in &node.results {
                if let Some(value) = graph.values.get(result) {
                    self.mentions_bound(value.ty.shape.iter(), &bound, result);
                }
            }
        }
    }

    /// Marks the symbols that nodes of these blocks, and of blocks nested in them, bind.
    fn bind_all(&self, mut blocks: Vec<BlockId>, bound: &mut [bool]) {
        let graph = self.graph;
        let mut steps = graph.node_count();
        while let Some(block) = blocks.pop() {
            let mut next = graph.block(block).first;
            while let Some(node) = next.and_then(|id| graph.try_node(id)).filter(|_| steps > 0) {
                steps -= 1;
                next = node.next;
                if let Some(symbol) = bound_symbol(&node.op) {
                    bound[symbol.index()] = true;
                }
                let bodies = node.op.bodies().into_iter();
                blocks.extend(bodies.filter(|&body| graph.try_block(body).is_some()));
            }
        }
    }

    fn mentions_bound<'d>(
        &mut self,
        dims: impl Iterator<Item = &'d Dim>,
        bound: &[bool],
        place: impl std::fmt::Display,
    ) {
        let mut unbound: Option<SymbolId> = None;
        for dim in dims {
            dim.for_each_symbol(&mut |s| unbound = unbound.or((!bound[s.index()]).then_some(s)));
        }
        if let Some(symbol) = unbound {
            let name = &self.graph.symbols.get(symbol).name;
            self.fault(
                place,
                format!("mentions {name}, which nothing before binds"),
            );
        }
    }

    fn constants_and_cells(&mut self) {
        for (id, constant) in self.graph.constants() {
            let fits = constant.ty.dtype == constant.data.dtype()
                && constant.ty.shape.as_static().as_deref() == Some(constant.data.sizes());
            if !fits {
                self.fault(
                    id,
                    format!(
                        "has type {:?}, but its data is {:?}",
                        constant.ty, constant.data
                    ),
                );
            }
        }
        for (id, cell) in self.graph.cells() {
            let found = match cell.init {
                CellInit::Constant(c) => self.graph.constants.get(c).map(|c| c.ty.clone()),
                CellInit::Input(i) => self.input_type(i as usize),
            };
            match found {
                Some(ty) if ty.agrees(&cell.ty, &self.graph.symbols) => {}
                found => self.fault(
                    id,
                    format!(
                        "has type {:?}, but its initial content is {found:?}",
                        cell.ty
                    ),
                ),
            }
        }
        let mut updated = vec![false; self.graph.cells.bound()];
        for update in &self.graph.updates {
            let Some(cell) = self.graph.cells.get(update.cell) else {
                self.fault(update.cell, "is updated, but does not exist");
                continue;
            };
            if std::mem::replace(&mut updated[update.cell.index()], true) {
                self.fault(update.cell, "is updated twice");
            }
            if let Some(value) = self.graph.values.get(update.value)
                && !value.ty.agrees(&cell.ty, &self.graph.symbols)
            {
                self.fault(
                    update.cell,
                    format!("has type {:?}, but is updated with {:?}", cell.ty, value.ty),
                );
            }
        }
    }

    /// The type of the root parameter at an input position.
    fn input_type(&self, position: usize) -> Option<TensorType> {
        let inputs = &self.graph.signature.inputs;
        if !matches!(inputs.get(position)?, InputSpec::Tensor { .. }) {
            return None;
        }
        let before = inputs[..position]
            .iter()
            .filter(|i| matches!(i, InputSpec::Tensor { .. }))
            .count();
        let param = *self.graph.block(self.graph.root()).params.get(before)?;
        Some(self.graph.ty(param).clone())
    }

    fn bodies(&mut self) {
        let mut owners = vec![0u32; self.graph.blocks.bound()];
        owners[self.graph.root().index()] = 1;
        for (_, node) in self.graph.nodes.iter() {
            for body in node.op.bodies() {
                if let Some(count) = owners.get_mut(body.index()) {
                    *count += 1;
                }
            }
        }
        for (id, _) in self.graph.blocks() {
            if owners[id.index()] != 1 {
                self.fault(id, format!("belongs to {} nodes", owners[id.index()]));
            }
        }
    }

    fn signature(&mut self) {
        let root = self.graph.block(self.graph.root());
        let signature = &self.graph.signature;
        let tensors: Vec<&Vec<u8>> = signature
            .inputs
            .iter()
            .filter_map(|i| match i {
                InputSpec::Tensor { dim_order, .. } => Some(dim_order),
                InputSpec::None | InputSpec::Scalar(_) | InputSpec::Text(_) => None,
            })
            .collect();
        if tensors.len() != root.params.len() {
            self.fault(
                "signature",
                format!(
                    "{} tensor inputs, {} parameters",
                    tensors.len(),
                    root.params.len()
                ),
            );
        }
        for (order, &param) in tensors.iter().zip(&root.params) {
            let mut sorted = (*order).clone();
            sorted.sort_unstable();
            if !sorted
                .iter()
                .map(|&a| usize::from(a))
                .eq(0..self.graph.ty(param).rank())
            {
                self.fault(
                    param,
                    format!("has dim order {order:?}, which is no permutation of its axes"),
                );
            }
        }
        self.outputs();
    }

    fn outputs(&mut self) {
        let results = &self.graph.block(self.graph.root()).results;
        let orders: Vec<&Vec<u8>> = self
            .graph
            .signature
            .outputs
            .iter()
            .filter_map(|o| match o {
                OutputSpec::Tensor { dim_order } => Some(dim_order),
                OutputSpec::None | OutputSpec::Scalar(_) | OutputSpec::Text(_) => None,
            })
            .collect();
        if orders.len() != results.len() {
            let (outputs, results) = (orders.len(), results.len());
            self.fault(
                "signature",
                format!("{outputs} tensor outputs, {results} results"),
            );
        }
        for (order, &result) in orders.iter().zip(results) {
            let mut sorted = (*order).clone();
            sorted.sort_unstable();
            let rank = self.graph.ty(result).rank();
            if !order.is_empty() && !sorted.iter().map(|&a| usize::from(a)).eq(0..rank) {
                self.fault(
                    result,
                    format!(
                        "is returned in dim order {order:?}, which is no permutation of its axes"
                    ),
                );
            }
        }
    }

    fn sizes(&mut self) {
        for (id, value) in self.graph.values.iter() {
            let is_wrong = |d: &&Dim| !self.graph.symbols.can_be_size(d);
            if let Some(dim) = value.ty.shape.iter().find(is_wrong) {
                self.fault(id, format!("has the invalid size {dim}"));
            }
        }
    }

    fn quantisation(&mut self) {
        let values = self
            .graph
            .values
            .iter()
            .map(|(id, v)| (id.to_string(), &v.ty));
        let constants = self
            .graph
            .constants()
            .map(|(id, c)| (id.to_string(), &c.ty));
        let cells = self.graph.cells().map(|(id, c)| (id.to_string(), &c.ty));
        let mut faults = Vec::new();
        for (place, ty) in values.chain(constants).chain(cells) {
            let Some(quant) = &ty.quant else { continue };
            if let Err(rule) = quant.check(ty.dtype, &ty.shape, &self.graph.symbols) {
                faults.push(Fault { place, rule });
            }
        }
        self.faults.extend(faults);
    }
}

/// The symbol that a node binds.
pub fn bound_symbol(op: &Op) -> Option<SymbolId> {
    match op {
        Op::BindSymbol(op) => Some(op.symbol),
        Op::NonZero(op) => Some(op.count),
        _ => None,
    }
}
