//! Chooses the layers that are routed. Of layers that share joins, slices or shuffles, all are routed or none.
//!
//! A shuffle becomes dead only if all its readers are routed. So a reader that cannot be routed keeps the shuffle, and
//! then no layer whose channels pass through it is routed. On targets where copies have a fixed cost, the copies of a
//! group's ranges are compared with the nodes that become dead. Costs are in shuffled elements per pixel.

use super::route::{Candidate, Range};
use super::{CHANNELS, is_dense};
use crate::framework::rewriting::nodes_in_use;
use crate::framework::target::{Reason, Target};
use kiln_ir::graph::Use;
use kiln_ir::{ConstId, Graph, NodeId, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of neighbouring elements that are copied in the time of shuffling one.
const COPIED_PER_SHUFFLED: u64 = 8;

/// The layers to route.
pub(super) struct Plan {
    /// The layers that are routed, in order.
    pub routed: Vec<NodeId>,
    /// The candidates that are not routed, with reasons.
    pub declined: Vec<(NodeId, Reason)>,
}

/// Makes the plan for a graph.
pub(super) fn of(graph: &Graph, target: &dyn Target) -> Plan {
    let mut planner = Planner::new(graph, target);
    planner.settle();
    let groups = planner.groups();
    for group in groups {
        planner.weigh(&group, target.elements_per_range());
    }
    // Groups share no nodes, so declining one group does not affect the others.
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
    /// For each candidate, why it is not routed; `None` while it is.
    verdicts: Vec<Option<Reason>>,
    declined: Vec<(NodeId, Reason)>,
    /// The candidate for each node that reads shuffled channels.
    readers: FxHashMap<NodeId, usize>,
    /// The joins, slices and shuffles that have a reader which is not routed.
    kept: FxHashSet<NodeId>,
    /// The candidates whose channels pass through each join, slice and shuffle.
    passers: FxHashMap<NodeId, Vec<usize>>,
    /// True if the target writes parts at their place in a join. Then all channels must come from dense layers, and
    /// these must have no other readers.
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

    /// A reason why the candidate itself cannot be routed.
    fn fault(&self, candidate: &Candidate, weights: &FxHashMap<ConstId, usize>) -> Option<Reason> {
        let graph = self.graph;
        let layers = [Some(candidate.layer), candidate.by_channel];
        let is_shared = |layer: NodeId| {
            let weight = constant_of(graph, graph.node(layer).operands[1]);
            weight.is_none_or(|weight| weights.get(&weight) != Some(&1))
        };
        if layers.into_iter().flatten().any(is_shared) {
            return Some(Reason::new(
                "the layer is the only reader of its weight; a shared weight would be stored once for each order",
                "another reader of the weight",
            ));
        }
        let is_made_densely = |range: &Range| {
            let maker = graph.producer(range.source);
            maker.is_some_and(|id| is_dense(graph, graph.node(id)))
        };
        let is_made = !self.in_place || candidate.route.ranges.iter().all(is_made_densely);
        (!is_made).then(|| {
            Reason::new(
                "all channels are computed by dense layers",
                "another op that computes channels",
            )
        })
    }

    /// Declines candidates until all readers of the remaining candidates' shuffles are routed.
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

    /// Declines a candidate. The nodes that it reads are then kept.
    fn drop(&mut self, number: usize, open: &mut Vec<NodeId>) {
        if self.verdicts[number].is_some() {
            return;
        }
        self.verdicts[number] = Some(Reason::new(
            "all readers of the shuffled channels are dense layers that can be routed",
            "another reader",
        ));
        let reader = self.candidates[number].reader();
        self.readers.remove(&reader);
        let read = self.graph.producer(self.graph.node(reader).operands[0]);
        open.extend(read.filter(|n| self.passers.contains_key(n)));
    }

    /// True if the node has a reader that is neither a routed layer nor a join, slice or shuffle in front of one.
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

    /// The remaining candidates, grouped by shared joins, slices and shuffles that become dead.
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

    /// Declines a group whose copies cost at least as much as the nodes that become dead. `row` is the fixed cost of
    /// copying a row.
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
        let rule = "the copies cost less than the shuffles, joins and slices that they replace";
        let found = format!("{added} for each pixel in place of {saved}, in shuffled elements");
        for &number in group {
            self.verdicts[number] = Some(Reason::new(rule, found.clone()));
        }
    }
}

/// The number of uses of each constant.
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

/// The cost per pixel of a join, slice or shuffle.
fn cost_of_node(graph: &Graph, node: NodeId, row: u64) -> u64 {
    let node = graph.node(node);
    let channels = channels_of(graph, node.result());
    match node.op {
        Op::Move(_) => channels,
        _ => node.operands.len() as u64 * row + channels / COPIED_PER_SHUFFLED,
    }
}

/// The cost per pixel of slicing and joining the ranges.
fn cost_of_route(graph: &Graph, ranges: &[Range], row: u64) -> u64 {
    let is_cut = |range: &&Range| range.len as u64 != channels_of(graph, range.source);
    let cut = |range: &Range| row + range.len as u64 / COPIED_PER_SHUFFLED;
    let cuts: u64 = ranges.iter().filter(is_cut).map(cut).sum();
    let join: u64 = ranges.iter().map(cut).sum();
    cuts + if ranges.len() > 1 { join } else { 0 }
}
