//! Minimum s-t cut by Dinic's algorithm.
//!
//! Each phase computes breadth-first levels and a blocking flow, without recursion. The result is deterministic: edges
//! are visited in the order in which they were added.

/// A flow network. Nodes are numbers from 0.
pub(crate) struct Network {
    edges: Vec<Edge>,
    /// Edge numbers by node. Edge `e ^ 1` is the reverse of edge `e`.
    out: Vec<Vec<u32>>,
}

/// A cut between source and sink.
pub(crate) struct Cut {
    /// For each node, whether it is on the source's side.
    pub(crate) side: Vec<bool>,
    /// The sum of the capacities that are cut.
    pub(crate) cost: u64,
}

struct Edge {
    to: u32,
    left: u64,
}

impl Network {
    /// A network without edges.
    pub(crate) fn new(nodes: usize) -> Network {
        Network {
            edges: Vec::new(),
            out: vec![Vec::new(); nodes],
        }
    }

    /// Adds a node.
    pub(crate) fn add_node(&mut self) -> usize {
        self.out.push(Vec::new());
        self.out.len() - 1
    }

    /// Adds an edge that costs `capacity` if `from` is on the source's side and `to` is not.
    pub(crate) fn add_edge(&mut self, from: usize, to: usize, capacity: u64) {
        self.add_edges(from, to, capacity, 0);
    }

    /// Adds an edge in each direction.
    pub(crate) fn add_edges(&mut self, from: usize, to: usize, there: u64, back: u64) {
        if from == to || (there == 0 && back == 0) {
            return;
        }
        let number = self.edges.len() as u32;
        self.edges.push(Edge {
            to: to as u32,
            left: there,
        });
        self.edges.push(Edge {
            to: from as u32,
            left: back,
        });
        self.out[from].push(number);
        self.out[to].push(number + 1);
    }

    /// The minimum cut with the smallest source side.
    pub(crate) fn minimum_cut(mut self, source: usize, sink: usize) -> Cut {
        let mut cost = 0u64;
        loop {
            let levels = self.levels(source);
            if levels[sink] == u32::MAX {
                let side = levels.iter().map(|&level| level != u32::MAX).collect();
                return Cut { side, cost };
            }
            let mut next = vec![0; self.out.len()];
            loop {
                match self.augment(source, sink, &levels, &mut next) {
                    0 => break,
                    flow => cost = cost.saturating_add(flow),
                }
            }
        }
    }

    fn levels(&self, source: usize) -> Vec<u32> {
        let mut levels = vec![u32::MAX; self.out.len()];
        levels[source] = 0;
        let mut queue = std::collections::VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            for &edge in &self.out[node] {
                let edge = &self.edges[edge as usize];
                if edge.left > 0 && levels[edge.to as usize] == u32::MAX {
                    levels[edge.to as usize] = levels[node] + 1;
                    queue.push_back(edge.to as usize);
                }
            }
        }
        levels
    }

    /// Sends as much flow as fits along one shortest path; 0 if there is none left. `next` remembers edges that are
    /// exhausted.
    fn augment(&mut self, source: usize, sink: usize, levels: &[u32], next: &mut [usize]) -> u64 {
        let mut path: Vec<u32> = Vec::new();
        let mut node = source;
        while node != sink {
            match self.advance(node, levels, next) {
                Some(edge) => {
                    path.push(edge);
                    node = self.edges[edge as usize].to as usize;
                }
                None => {
                    let Some(edge) = path.pop() else { return 0 };
                    node = self.edges[edge as usize ^ 1].to as usize;
                    next[node] += 1;
                }
            }
        }
        let flow = path
            .iter()
            .map(|&e| self.edges[e as usize].left)
            .min()
            .unwrap_or(0);
        for edge in path {
            self.edges[edge as usize].left -= flow;
            let back = &mut self.edges[edge as usize ^ 1].left;
            *back = back.saturating_add(flow);
        }
        flow
    }

    fn advance(&self, node: usize, levels: &[u32], next: &mut [usize]) -> Option<u32> {
        while let Some(&edge) = self.out[node].get(next[node]) {
            let Edge { to, left } = self.edges[edge as usize];
            if left > 0 && levels[to as usize] == levels[node] + 1 {
                return Some(edge);
            }
            next[node] += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cost(edges: &[(usize, usize, u64)], side: &[bool]) -> u64 {
        let cut = edges
            .iter()
            .filter(|&&(from, to, _)| side[from] && !side[to]);
        cut.map(|&(_, _, capacity)| capacity).sum()
    }

    proptest! {
        #[test]
        fn no_side_cuts_less(edges in prop::collection::vec((0..7usize, 0..7usize, 0..20u64), 0..25)) {
            let mut network = Network::new(7);
            edges.iter().for_each(|&(from, to, capacity)| network.add_edge(from, to, capacity));
            let Cut { side, cost: found } = network.minimum_cut(0, 6);
            prop_assert!(side[0] && !side[6]);
            let edges: Vec<_> = edges.into_iter().filter(|(from, to, _)| from != to).collect();
            let least = (0..32u32).map(|bits| {
                let mut other: Vec<bool> = (0..7).map(|i| i > 0 && bits >> (i - 1) & 1 == 1).collect();
                (other[0], other[6]) = (true, false);
                cost(&edges, &other)
            });
            prop_assert_eq!(Some(cost(&edges, &side)), least.min());
            prop_assert_eq!(cost(&edges, &side), found);
        }
    }
}
