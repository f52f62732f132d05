//! The tensors that hold each value of a region, and their memory orders, while the region is lowered.
//!
//! A movement is not lowered where it stands in the graph. A reader of its result asks for the result in some order,
//! and gets it from the nearest existing tensor by the fewest transposes. A conversion that several readers share is
//! done once.

use super::dense::has_known_weights;
use super::movers::{Mover, Movers, compose};
use super::order::Order;
use crate::analysis::constants::{MAX_MOVEMENTS, is_constant};
use crate::framework::target::Reason;
use kiln_ir::graph::Node;
use kiln_ir::{Dim, Graph, Movement, NodeId, Op, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

/// The tensors of a program under construction.
pub trait Tensors {
    /// A tensor's handle.
    type Tensor: Copy + Eq + Hash;

    /// The sizes of a tensor.
    fn dims(&self, tensor: Self::Tensor) -> &[Dim];

    /// The result of applying a mover to a tensor.
    ///
    /// # Errors
    /// If the target has no such operator.
    fn apply(&mut self, tensor: Self::Tensor, mover: &Mover) -> Result<Self::Tensor, String>;

    /// True if the target has operators for all of these moves, applied to this tensor.
    fn takes(&self, tensor: Self::Tensor, moves: &[Mover]) -> bool {
        let _ = (tensor, moves);
        true
    }

    /// Materialises a constant, or movements of a constant, in an order.
    ///
    /// # Errors
    /// If it cannot be materialised in that order.
    fn constant(&mut self, value: ValueId, order: &Order) -> Result<Self::Tensor, String>;
}

/// Why a node is not lowered: its operand cannot be moved, for this problem.
pub fn not_moved(problem: String) -> Reason {
    Reason::new("the operand can be moved to where it is read", problem)
}

/// The tensors that hold each value.
#[derive(Clone)]
pub struct Holdings<'a, T> {
    graph: &'a Graph,
    members: FxHashSet<NodeId>,
    movers: Movers,
    /// By value, in the order in which they were made.
    held: FxHashMap<ValueId, Vec<(Order, T)>>,
    /// The result of each mover that was applied to a tensor.
    applied: FxHashMap<(T, Mover), T>,
}

impl<'a, T: Copy + Eq + Hash> Holdings<'a, T> {
    /// Holdings of the region with these nodes, of which `moves` are movements. Nothing is held yet.
    pub fn new(graph: &'a Graph, nodes: &[NodeId], movers: Movers) -> Holdings<'a, T> {
        Holdings {
            graph,
            movers,
            members: nodes.iter().copied().collect(),
            held: FxHashMap::default(),
            applied: FxHashMap::default(),
        }
    }

    /// Records that a tensor holds a value in an order.
    pub fn hold(&mut self, value: ValueId, order: &Order, tensor: T) {
        let places = self.held.entry(value).or_default();
        places.push((order.clone(), tensor));
    }

    fn find(&self, value: ValueId, order: &Order) -> Option<T> {
        let mut held = self.held.get(&value)?.iter();
        held.find(|(o, _)| o == order).map(|&(_, tensor)| tensor)
    }

    /// The tensor that holds the value in this order; converts if necessary.
    ///
    /// # Errors
    /// If the value is not made yet, or no moves lead to the order.
    pub fn operand(
        &mut self,
        tensors: &mut impl Tensors<Tensor = T>,
        value: ValueId,
        order: &Order,
    ) -> Result<T, String> {
        if let Some(tensor) = self.find(value, order) {
            return Ok(tensor);
        }
        let tensor = if is_constant(self.graph, value) {
            tensors.constant(value, order)?
        } else {
            let to = order.to_memory(&self.graph.ty(value).shape, self.movers.rows);
            self.moved(tensors, value, &to)?
        };
        self.hold(value, order, tensor);
        Ok(tensor)
    }

    /// The tensor that holds the value after a movement, from whichever existing tensor needs to move the fewest
    /// elements.
    ///
    /// # Errors
    /// If the value is not made yet, or no moves lead there.
    pub fn moved(
        &mut self,
        tensors: &mut impl Tensors<Tensor = T>,
        value: ValueId,
        to: &Movement,
    ) -> Result<T, String> {
        let mut best: Option<(u64, T, Vec<Mover>)> = None;
        for (from, tensor, movements) in self.origins(value, to) {
            let dims = tensors.dims(tensor);
            let moves = match self.is_shared(from) {
                true => self.movers.moves_from_shared(&movements, dims),
                false => self.movers.moves_of(&movements, dims),
            };
            let Some(moves) = moves else {
                continue;
            };
            if !tensors.takes(tensor, &moves) {
                continue;
            }
            let cost = self.movers.cost(&moves);
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, tensor, moves));
            }
        }
        match best {
            Some((_, tensor, moves)) => self.walk(tensors, tensor, &moves),
            None => self.moved_by_way(tensors, value, to),
        }
    }

    /// A tensor that holds the value in this order, but with its innermost axis permuted; the sizes of the value in the
    /// order; and for each index of the axis its place in the tensor. `None` if the tensor is the value itself, or if
    /// more than the innermost axis differs.
    ///
    /// # Errors
    /// If the tensor cannot be reshaped.
    fn shuffled(
        &mut self,
        tensors: &mut impl Tensors<Tensor = T>,
        value: ValueId,
        order: &Order,
    ) -> Result<Option<(T, Vec<usize>)>, String> {
        let shape = &self.graph.ty(value).shape;
        let to = order.to_memory(shape, self.movers.rows);
        let mut found = None;
        for (_, tensor, path) in self.origins(value, &to) {
            if path.iter().all(Movement::is_view) {
                return Ok(None);
            }
            if super::price::is_shuffle_of_last(&path) && found.is_none() {
                found = path.into_iter().next().map(|movement| (tensor, movement));
            }
        }
        let Some((tensor, movement)) = found else {
            return Ok(None);
        };
        let factors = movement.factor_sizes(&|_| None);
        let (Some(factors), Some(last)) = (
            factors,
            order
                .dims(shape, self.movers.rows)
                .last()
                .and_then(Dim::as_const),
        ) else {
            return Ok(None);
        };
        let plan = movement.copy_plan(&factors);
        let places = (0..last as usize).map(|i| plan.source_index(i)).collect();
        let tensor = self.walk(
            tensors,
            tensor,
            &[Mover::Reshape(order.dims(shape, self.movers.rows))],
        )?;
        Ok(Some((tensor, places)))
    }

    /// The first operand of a node in its memory order. Its innermost axis may be permuted if that saves a transpose and
    /// known weights can be permuted likewise ([`has_known_weights`]): what belongs to index `i` stands at `places[i]`.
    ///
    /// # Errors
    /// As of [`Holdings::operand`].
    pub fn dense_operand(
        &mut self,
        tensors: &mut impl Tensors<Tensor = T>,
        node: &Node,
        order: &Order,
    ) -> Result<(T, Option<Vec<usize>>), String> {
        let value = node.operands[0];
        if has_known_weights(self.graph, node, 0)
            && let Some((tensor, places)) = self.shuffled(tensors, value, order)?
        {
            return Ok((tensor, Some(places)));
        }
        Ok((self.operand(tensors, value, order)?, None))
    }

    /// The cost of `moved` for this value; a number that is only compared.
    pub fn cost_of(
        &self,
        tensors: &impl Tensors<Tensor = T>,
        value: ValueId,
        to: &Movement,
    ) -> u64 {
        let origins = self.origins(value, to).into_iter();
        let moves = origins.filter_map(|(_, tensor, movements)| {
            self.movers.moves_of(&movements, tensors.dims(tensor))
        });
        let costs = moves.map(|moves| self.movers.cost(&moves));
        costs.min().unwrap_or(u64::MAX)
    }

    /// True if the value has other readers, or is made outside of the region.
    fn is_shared(&self, value: ValueId) -> bool {
        let is_own = |id: NodeId| self.members.contains(&id);
        self.graph.value(value).uses().len() > 1 || !self.graph.producer(value).is_some_and(is_own)
    }

    /// The values from which movements alone lead to this one. Each comes with a tensor that holds it and with the
    /// movements, `to` included.
    fn origins(&self, value: ValueId, to: &Movement) -> Vec<(ValueId, T, Vec<Movement>)> {
        let mut found = Vec::new();
        let (mut value, mut path) = (value, vec![to.clone()]);
        for _ in 0..MAX_MOVEMENTS {
            if let Some(held) = self.held.get(&value) {
                for (order, tensor) in held {
                    let back = order
                        .to_memory(&self.graph.ty(value).shape, self.movers.rows)
                        .inverse();
                    let all = path.iter().fold(vec![back], compose);
                    found.push((value, *tensor, all));
                }
            }
            let Some((source, movement)) = self.member_move(value) else {
                return found;
            };
            path = path.iter().fold(vec![movement.clone()], compose);
            value = source;
        }
        found
    }

    fn member_move(&self, value: ValueId) -> Option<(ValueId, &'a Movement)> {
        let producer = self.graph.producer(value);
        let id = producer.filter(|id| self.members.contains(id))?;
        let node = self.graph.node(id);
        match &node.op {
            Op::Move(op) => Some((node.operands[0], &op.movement)),
            _ => None,
        }
    }

    /// As [`Holdings::moved`], by way of the plain order of the value or of a value that it is moved from.
    fn moved_by_way(
        &mut self,
        tensors: &mut impl Tensors<Tensor = T>,
        value: ValueId,
        to: &Movement,
    ) -> Result<T, String> {
        let plain = Order::plain(self.graph.ty(value).rank());
        let tensor = match self.find(value, &plain) {
            Some(tensor) => tensor,
            None => {
                let Some((source, movement)) = self.member_move(value) else {
                    return Err(format!(
                        "{value} is needed before it is made, or cannot be moved so"
                    ));
                };
                if is_constant(self.graph, source) {
                    let order = Order::plain(movement.source().len());
                    self.operand(tensors, source, &order)?;
                }
                let tensor = self.moved(tensors, source, movement)?;
                self.hold(value, &plain, tensor);
                tensor
            }
        };
        let moves = self.movers.moves(to, tensors.dims(tensor));
        let moves = moves.ok_or_else(|| format!("the movement {to} cannot be expressed"))?;
        self.walk(tensors, tensor, &moves)
    }

    /// Applies the moves; a mover that was applied to a tensor before is reused.
    fn walk(
        &mut self,
        tensors: &mut impl Tensors<Tensor = T>,
        from: T,
        moves: &[Mover],
    ) -> Result<T, String> {
        moves.iter().try_fold(from, |tensor, mover| {
            let key = (tensor, mover.clone());
            if let Some(&made) = self.applied.get(&key) {
                return Ok(made);
            }
            let made = tensors.apply(tensor, mover)?;
            self.applied.insert(key, made);
            Ok(made)
        })
    }
}
