//! Which layers are routed: of layers that share joins, slices or shuffles, all or none.
//!
//! A shuffle goes only if each of its readers is routed, so a reader that cannot be keeps it, and with it all whose
//! channels pass it. Where copies cost something, those of all ranges of layers that share what goes are weighed against
//! what goes. Costs are counted for each pixel, in shuffled elements.

use super::route::{Candidate, Range};
use super::{CHANNELS, is_dense};
use crate::framework::rewriting::nodes_in_use;
use crate::framework::target::{Reason, Target};
use kiln_ir::graph::Use;
use kiln_ir::{ConstId, Graph, NodeId, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// So many elements of neighbouring channels are copied in the time of shuffling one.
const COPIED_PER_SHUFFLED: u64 = 8;

/// What is to be done.
pub(super) struct Plan {
    /// Layers that are routed, in order.
    pub routed: Vec<NodeId>,
    /// Layers that are not, and why.
    pub declined: Vec<(NodeId, Reason)>,
}

/// The plan for a graph.
pub(super) fn of(graph: &Graph, target: &dyn Target) -> Plan {
    let mut planner = Planner::new(graph, target);
    planner.settle();
    let groups = planner.groups();
    for group in groups {
        planner.weigh(&group, target.elements_per_range());
    }
    // Readers of a group that is not worth it keep nothing that others would have taken: groups share nothing.
    let Planner {
        candidates,
        mut declined,
        verdicts,
        ..
    } = planner;
    let mut routed = Vec::new();
    for (candidate, verdict) in candidates.into_iter().zip(verdicts) {
        match verdict {
            None => routed.push(candidate.layer),
            Some(reason) => declined.push((candidate.layer, reason)),
        }
    }
    Plan { routed, declined }
}

struct Planner<'g> {
    graph: &'g Graph,
    candidates: Vec<Candidate>,
    /// Why each candidate is not routed, if it is not.
    verdicts: Vec<Option<Reason>>,
    declined: Vec<(NodeId, Reason)>,
    /// The candidate of each node that reads shuffled channels.
    readers: FxHashMap<NodeId, usize>,
    /// Joins, slices and shuffles that are read by something that is not routed.
    kept: FxHashSet<NodeId>,
    /// Which candidates pass each join, slice and shuffle.
    passers: FxHashMap<NodeId, Vec<usize>>,
    /// True if parts are written at their place in a join: only dense layers may make them, and nobody else may read any.
    in_place: bool,
}

impl<'g> Planner<'g> {
    fn new(graph: &'g Graph, target: &dyn Target) -> Planner<'g> {
        let weights = readers_of_constants(graph);
        let mut planner = Planner {
            graph,
            candidates: Vec::new(),
            verdicts: Vec::new(),
            declined: Vec::new(),
            readers: FxHashMap::default(),
            kept: FxHashSet::default(),
            passers: FxHashMap::default(),
            in_place: target.bytes_per_join().is_some(),
        };
        for id in nodes_in_use(graph) {
            match Candidate::at(graph, id) {
                None => {}
                Some(Err(reason)) => planner.declined.push((id, reason)),
                Some(Ok(candidate)) => {
                    let verdict = planner.fault(&candidate, &weights);
                    planner.add(candidate, verdict);
                }
            }
        }
        planner
    }

    fn add(&mut self, mut candidate: Candidate, verdict: Option<Reason>) {
        let number = self.candidates.len();
        candidate.passed.sort_unstable();
        candidate.passed.dedup();
        for &node in &candidate.passed {
            self.passers.entry(node).or_default().push(number);
        }
        if verdict.is_none() {
            self.readers.insert(candidate.reader(), number);
        }
        self.candidates.push(candidate);
        self.verdicts.push(verdict);
    }

    /// What forbids a candidate by itself.
    fn fault(&self, candidate: &Candidate, weights: &FxHashMap<ConstId, usize>) -> Option<Reason> {
        let graph = self.graph;
        let layers = [Some(candidate.layer), candidate.by_channel];
        let is_shared = |layer: NodeId| {
            let weight = constant_of(graph, graph.node(layer).operands[1]);
            weight.is_none_or(|weight| weights.get(&weight) != Some(&1))
        };
        if layers.into_iter().flatten().any(is_shared) {
            return Some(Reason::new(
                "the weight is read by this layer alone, or it would be stored once for each order",
                "another reader of the weight",
            ));
        }
        let is_made_densely = |range: &Range| {
            let maker = graph.producer(range.source);
            maker.is_some_and(|id| is_dense(graph, graph.node(id)))
        };
        let is_made = !self.in_place || candidate.route.ranges.iter().all(is_made_densely);
        (!is_made).then(|| Reason::new("the channels are made by dense layers", "another maker"))
    }

    /// Declines candidates until all that reads a shuffle of those that are left is routed.
    fn settle(&mut self) {
        let passed: Vec<NodeId> = self.passers.keys().copied().collect();
        let mut open: Vec<NodeId> = passed.into_iter().filter(|&n| self.is_kept(n)).collect();
        if self.in_place {
            for number in 0..self.candidates.len() {
                if !self.sources_are_taken_whole(number) {
                    self.drop(number, &mut open);
                }
            }
        }
        while let Some(node) = open.pop() {
            if !self.kept.insert(node) {
                continue;
            }
            let data = self.graph.node(node);
            let before = data.operands.iter().filter_map(|&v| self.graph.producer(v));
            open.extend(before.filter(|n| self.passers.contains_key(n)));
            if self.in_place || matches!(data.op, Op::Move(_)) {
                for number in self.passers[&node].clone() {
                    self.drop(number, &mut open);
                }
            }
        }
    }

    /// Declines a candidate: what it reads is kept then.
    fn drop(&mut self, number: usize, open: &mut Vec<NodeId>) {
        if self.verdicts[number].is_some() {
            return;
        }
        self.verdicts[number] = Some(Reason::new(
            "shuffled channels are read by dense layers alone, all of which are routed",
            "another reader",
        ));
        let reader = self.candidates[number].reader();
        self.readers.remove(&reader);
        let read = self.graph.producer(self.graph.node(reader).operands[0]);
        open.extend(read.filter(|n| self.passers.contains_key(n)));
    }

    /// True if anything but routed layers, and joins, slices and shuffles in front of them, reads the node.
    fn is_kept(&self, node: NodeId) -> bool {
        let result = self.graph.node(node).result();
        !self
            .graph
            .value(result)
            .uses()
            .iter()
            .all(|u| self.goes_on(u))
    }

    fn goes_on(&self, read: &Use) -> bool {
        match *read {
            Use::Operand(reader, slot) => {
                self.passers.contains_key(&reader)
                    || slot == 0 && self.readers.contains_key(&reader)
            }
            Use::BlockResult(..) | Use::Update(_) => false,
        }
    }

    fn sources_are_taken_whole(&self, number: usize) -> bool {
        let ranges = self.candidates[number].route.ranges.iter();
        let mut uses = ranges.flat_map(|range| self.graph.value(range.source).uses());
        uses.all(|u| self.goes_on(u))
    }

    /// The candidates that are left, those together that share a join, slice or shuffle.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut seen = vec![false; self.candidates.len()];
        for first in 0..self.candidates.len() {
            let (mut group, mut open) = (Vec::new(), vec![first]);
            while let Some(number) = open.pop() {
                if seen[number] || self.verdicts[number].is_some() {
                    continue;
                }
                seen[number] = true;
                group.push(number);
                let passed = self.candidates[number].passed.iter();
                let goes = passed.filter(|n| !self.kept.contains(n));
                open.extend(goes.flat_map(|n| &self.passers[n]));
            }
            if !group.is_empty() {
                groups.push(group);
            }
        }
        groups
    }

    /// Declines a group whose copies cost more than what goes.
    fn weigh(&mut self, group: &[usize], row: u64) {
        if row == 0 {
            return;
        }
        let (mut goes, mut routes) = (FxHashSet::default(), FxHashSet::default());
        for &number in group {
            let candidate = &self.candidates[number];
            let passed = candidate.passed.iter().copied();
            goes.extend(passed.filter(|n| !self.kept.contains(n)));
            routes.insert(candidate.route.ranges.clone());
        }
        let saved: u64 = goes.iter().map(|&n| cost_of_node(self.graph, n, row)).sum();
        let added: u64 = routes
            .iter()
            .map(|r| cost_of_route(self.graph, r, row))
            .sum();
        if added < saved {
            return;
        }
        let rule =
            "copies of ranges cost less than the shuffles, joins and slices that they replace";
        let found = format!("{added} for each pixel in place of {saved}, in shuffled elements");
        for &number in group {
            self.verdicts[number] = Some(Reason::new(rule, found.clone()));
        }
    }
}

/// How many operands each constant is.
fn readers_of_constants(graph: &Graph) -> FxHashMap<ConstId, usize> {
    let mut readers = FxHashMap::default();
    for id in nodes_in_use(graph) {
        if let Op::Constant(op) = &graph.node(id).op {
            let uses = graph.value(graph.node(id).result()).uses().len();
            *readers.entry(op.value).or_default() += uses;
        }
    }
    readers
}

fn constant_of(graph: &Graph, value: kiln_ir::ValueId) -> Option<ConstId> {
    match graph.producer_op(value)? {
        Op::Constant(op) => Some(op.value),
        _ => None,
    }
}

fn channels_of(graph: &Graph, value: kiln_ir::ValueId) -> u64 {
    let size = graph.ty(value).shape[CHANNELS].as_const();
    size.and_then(|n| u64::try_from(n).ok()).unwrap_or(0)
}

/// What a join, slice or shuffle costs for each pixel.
fn cost_of_node(graph: &Graph, node: NodeId, row: u64) -> u64 {
    let node = graph.node(node);
    let channels = channels_of(graph, node.result());
    match node.op {
        Op::Move(_) => channels,
        _ => node.operands.len() as u64 * row + channels / COPIED_PER_SHUFFLED,
    }
}

/// What the slices and the join of ranges cost for each pixel.
fn cost_of_route(graph: &Graph, ranges: &[Range], row: u64) -> u64 {
    let is_cut = |range: &&Range| range.len as u64 != channels_of(graph, range.source);
    let cut = |range: &Range| row + range.len as u64 / COPIED_PER_SHUFFLED;
    let cuts: u64 = ranges.iter().filter(is_cut).map(cut).sum();
    let join: u64 = ranges.iter().map(cut).sum();
    cuts + if ranges.len() > 1 { join } else { 0 }
}
