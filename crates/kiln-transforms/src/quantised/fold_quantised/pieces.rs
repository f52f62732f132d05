//! Slices of floats whose pieces are quantised on their own.
//!
//! A quantisation that rises through a slice converts the whole. That pays if the whole becomes integers anyway, if something else needs
//! the whole in this quantisation, or if pieces with as many elements as the whole do. Otherwise each piece is converted behind its slice.

use super::carry::{MOST_MOVED, Stored, carries, is_clamp, is_extreme};
use super::reach::Reach;
use crate::framework::rewriting::nodes_in_use;
use kiln_ir::graph::Use;
use kiln_ir::{Dim, Graph, NodeId, Op, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The quantisations that stay behind slices.
#[derive(Default)]
pub(super) struct Pieces {
    apart: FxHashMap<NodeId, Vec<Stored>>,
}

/// What needs a tensor in one quantisation.
struct Need {
    stored: Stored,
    /// The elements of the slices that are quantised so.
    sliced: Dim,
    /// True if another reader than a slice is quantised so.
    is_whole: bool,
}

impl Pieces {
    /// Analyses a graph in which dequantisations have sunk, and no quantisation has risen.
    pub(super) fn of(graph: &Graph, reach: &Reach) -> Pieces {
        let mut pieces = Pieces::default();
        let mut seen = FxHashSet::default();
        for id in nodes_in_use(graph) {
            let node = graph.node(id);
            if !matches!(node.op, Op::Slice(_)) {
                continue;
            }
            let whole = node.operands[0];
            if seen.insert(whole) && stays_float(graph, reach, whole) {
                pieces.divide(graph, whole);
            }
        }
        pieces
    }

    /// True if the slice's result is quantised so behind the slice.
    pub(super) fn are_apart(&self, slice: NodeId, stored: &Stored) -> bool {
        let apart = self.apart.get(&slice);
        apart.is_some_and(|all| all.contains(stored))
    }

    fn divide(&mut self, graph: &Graph, whole: ValueId) {
        let mut needs: Vec<Need> = Vec::new();
        let mut slices: Vec<(NodeId, Vec<Stored>)> = Vec::new();
        for use_ in graph.value(whole).uses() {
            let &Use::Operand(reader, slot) = use_ else {
                continue;
            };
            let node = graph.node(reader);
            let is_slice = matches!(node.op, Op::Slice(_));
            let quantised = needed_by(graph, reader, slot);
            for stored in &quantised {
                let known = needs.iter().position(|need| need.stored == *stored);
                let at = known.unwrap_or_else(|| {
                    let (sliced, is_whole) = (Dim::constant(0), false);
                    let stored = stored.clone();
                    needs.push(Need {
                        stored,
                        sliced,
                        is_whole,
                    });
                    needs.len() - 1
                });
                match is_slice {
                    true => {
                        let elements = graph.ty(node.result()).shape.elements();
                        needs[at].sliced = needs[at].sliced.clone() + elements;
                    }
                    false => needs[at].is_whole = true,
                }
            }
            if is_slice {
                slices.push((reader, quantised));
            }
        }
        let all = graph.ty(whole).shape.elements();
        needs.retain(|need| !need.is_whole && !reaches(&need.sliced, &all));
        for (slice, mut quantised) in slices {
            quantised.retain(|stored| needs.iter().any(|need| need.stored == *stored));
            if !quantised.is_empty() {
                self.apart.insert(slice, quantised);
            }
        }
    }
}

/// True if so many elements are at least all.
fn reaches(elements: &Dim, all: &Dim) -> bool {
    match (elements.as_const(), all.as_const()) {
        (Some(elements), Some(all)) => elements >= all,
        _ => elements == all,
    }
}

/// The quantisations that rise to this operand of a reader, if all can.
fn needed_by(graph: &Graph, reader: NodeId, slot: u32) -> Vec<Stored> {
    let (mut open, mut seen) = (vec![(reader, slot)], FxHashSet::default());
    let mut found = Vec::new();
    while let Some((reader, slot)) = open.pop() {
        let node = graph.node(reader);
        let Some(&result) = node.results.first() else {
            continue;
        };
        let passes = is_clamp(&node.op)
            || is_extreme(&node.op)
            || carries(graph, reader) && node.op.meets(slot as usize);
        if matches!(node.op, Op::Quantize(_)) {
            found.extend(Stored::of(graph, result).filter(|stored| !found.contains(stored)));
        } else if passes && seen.len() < MOST_MOVED && seen.insert(result) {
            open.extend(
                graph
                    .value(result)
                    .uses()
                    .iter()
                    .filter_map(|use_| match *use_ {
                        Use::Operand(reader, slot) => Some((reader, slot)),
                        Use::BlockResult(..) | Use::Update(_) => None,
                    }),
            );
        }
    }
    found
}

/// True if nothing that the value consists of is computed as integers.
fn stays_float(graph: &Graph, reach: &Reach, value: ValueId) -> bool {
    let (mut open, mut seen) = (vec![value], FxHashSet::from_iter([value]));
    while let Some(value) = open.pop() {
        let Some(id) = graph.producer(value) else {
            continue;
        };
        let node = graph.node(id);
        let becomes_integers = match &node.op {
            Op::Constant(_) => false,
            Op::Dequantize(_) => true,
            op if is_clamp(op) || carries(graph, id) => {
                let meeting = (0..node.operands.len()).filter(|&i| is_clamp(op) || op.meets(i));
                open.extend(
                    meeting
                        .map(|i| node.operands[i])
                        .filter(|&v| seen.insert(v)),
                );
                seen.len() > MOST_MOVED
            }
            op => op.computes_reals() && reach.stuck(value).is_none(),
        };
        if becomes_integers {
            return false;
        }
    }
    true
}
