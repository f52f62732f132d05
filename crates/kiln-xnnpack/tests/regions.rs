//! Regions of random graphs are convex and free of cycles. There are no more of them than the longest alternation of
//! delegated and other nodes on one path demands.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;

use build::graph;
use kiln_ir::ops::{Binary, BinaryFn, Simple, Unary};
use kiln_ir::{DType, Graph, NodeId};
use kiln_xnnpack::{Options, compile, find_reentry};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

/// A graph with one node for each entry: its function (only a kernel runs `round`) and the distances to its operands.
fn random() -> impl Strategy<Value = Vec<(bool, usize, usize)>> {
    prop::collection::vec((any::<bool>(), 0..6usize, 0..6usize), 1..40)
}

fn made(nodes: &[(bool, usize, usize)]) -> Graph {
    graph(|b| {
        let mut values = vec![b.input(DType::F32, [2, 3])];
        for &(inside, x, y) in nodes {
            let back = |n: usize| values[values.len().saturating_sub(n + 1)];
            let (x, y) = (back(x), back(y));
            values.push(if inside {
                b.op(Binary { f: BinaryFn::Add }, &[x, y])
            } else {
                b.op(
                    Unary {
                        f: Simple::Round.into(),
                    },
                    &[x],
                )
            });
        }
        vec![*values.last().unwrap()]
    })
}

/// The greatest number of delegates that one path enters.
fn longest_alternation(graph: &Graph, inside: &HashSet<NodeId>) -> usize {
    let mut entered: HashMap<NodeId, usize> = HashMap::new();
    for (id, node) in graph.nodes_in(graph.root()) {
        let from = node.operands.iter().filter_map(|&v| graph.producer(v));
        let counts =
            from.map(|p| entered[&p] + usize::from(inside.contains(&id) && !inside.contains(&p)));
        let count = counts
            .max()
            .unwrap_or(0)
            .max(usize::from(inside.contains(&id)));
        entered.insert(id, count);
    }
    entered.values().copied().max().unwrap_or(0)
}

/// True if the regions and the nodes outside can run in some order, each region at once.
fn has_order(graph: &Graph, region_of: &HashMap<NodeId, usize>) -> bool {
    let steps: Vec<NodeId> = graph.nodes_in(graph.root()).map(|(id, _)| id).collect();
    let mut done: HashSet<NodeId> = HashSet::new();
    loop {
        let ready = |id: &NodeId, done: &HashSet<NodeId>| {
            let mut from = graph
                .node(*id)
                .operands
                .iter()
                .filter_map(|&v| graph.producer(v));
            from.all(|p| {
                done.contains(&p)
                    || (region_of.contains_key(id) && region_of.get(&p) == region_of.get(id))
            })
        };
        let next = steps.iter().find(|id| {
            !done.contains(id)
                && match region_of.get(id) {
                    None => ready(id, &done),
                    Some(region) => steps
                        .iter()
                        .filter(|n| region_of.get(n) == Some(region))
                        .all(|n| ready(n, &done)),
                }
        });
        let Some(next) = next else {
            return done.len() == steps.len();
        };
        match region_of.get(next) {
            None => done.extend([*next]),
            Some(region) => done.extend(steps.iter().filter(|n| region_of.get(n) == Some(region))),
        }
    }
}

proptest! {
    #[test]
    fn regions_are_convex_and_few(nodes in random()) {
        let graph = made(&nodes);
        let regions = compile(&graph, &Options::default()).unwrap();
        let mut region_of = HashMap::new();
        for (number, region) in regions.iter().enumerate() {
            prop_assert_eq!(find_reentry(&graph, &region.nodes), None);
            region.nodes.iter().for_each(|&n| { region_of.insert(n, number); });
        }
        let inside: HashSet<NodeId> = region_of.keys().copied().collect();
        let adds = graph.nodes_in(graph.root()).filter(|(_, n)| n.op.name() == "binary").count();
        prop_assert_eq!(inside.len(), adds);
        prop_assert_eq!(regions.len(), longest_alternation(&graph, &inside));
        prop_assert!(has_order(&graph, &region_of));
    }
}

#[test]
fn the_checker_finds_a_way_out_and_in() {
    let graph = made(&[(true, 0, 0), (false, 0, 0), (true, 0, 1)]);
    let nodes: Vec<NodeId> = graph.nodes_in(graph.root()).map(|(id, _)| id).collect();
    assert_eq!(find_reentry(&graph, &[nodes[0], nodes[2]]), Some(nodes[2]));
    assert_eq!(find_reentry(&graph, &nodes), None);
}

/// One reader may choose between two orders that are equal in memory. The other reader has none of the value's axes.
#[test]
fn readers_of_a_value_may_have_other_ranks() {
    let text = "graph \"ranks\" {
  input tensor \"x\" [0, 1, 2, 3]
  output tensor
  output tensor
  block b0 (%0: bf16[4, 4, 6, 6]) {
    %1: f32[4, 4, 6, 6] = cast %0 {to=f32}
    %2: f32[4, 4, 1, 9] = resize %1 {mode=linear, align_corners=true, output=[1, 9], scales=[none, none]}
    %3: bf16[144, 4] = move %0 {movement=(a:4 b:4 c:6 d:6 -> (a c d) b)}
    return %2, %3
  }
}
";
    let graph = kiln_ir::text::parse(text).unwrap();
    assert!(compile(&graph, &Options::default()).is_ok());
}

/// A kernel that binds a size stands between the delegate whose result it reads and the one that mentions the size, although no value
/// leads from it to that.
#[test]
fn a_size_that_a_kernel_binds_is_a_path() {
    let text = "graph \"count\" {
  symbol u0 in 0..=4
  input tensor \"x\" [0]
  input tensor \"y\" [0]
  output tensor
  output tensor
  block b0 (%0: f32[4], %1: f32[1]) {
    %2: f32[4] = unary %0 {f=exp}
    %3: i64[u0, 1] = non_zero %2 {count=u0}
    %4: f32[1] = unary %1 {f=exp}
    %5: f32[u0] = broadcast %4 {shape=[u0]}
    %6: f32[u0] = unary %5 {f=neg}
    return %6, %3
  }
}
";
    let graph = kiln_ir::text::parse(text).unwrap();
    let regions = compile(&graph, &Options::default()).unwrap();
    let nodes: Vec<NodeId> = graph.nodes_in(graph.root()).map(|(id, _)| id).collect();
    assert_eq!(find_reentry(&graph, &[nodes[0], nodes[4]]), Some(nodes[4]));
    assert_eq!(regions.len(), 2);
    for region in &regions {
        assert_eq!(find_reentry(&graph, &region.nodes), None);
    }
}

/// A number of found elements is 0 in earnest, and the library's products fail on matrices without rows. A size of an input is left to
/// the caller.
#[test]
fn products_of_found_rows_are_kernels() {
    const OF_INPUT: &str = "graph \"rows\" {
  symbol s0 in 0..=4
  input tensor \"x\" [0, 1]
  input tensor \"y\" [0, 1]
  output tensor
  block b0 (%0: f32[2, 3], %1: f32[s0, 2]) {
    %2: f32[s0, 3] = matmul %1, %0 {}
    return %2
  }
}
";
    const FOUND: &str = "graph \"rows\" {
  symbol u0 in 0..=6
  input tensor \"x\" [0, 1]
  output tensor
  block b0 (%0: f32[2, 3]) {
    %1: i64[u0, 2] = non_zero %0 {count=u0}
    %2: f32[u0, 2] = cast %1 {to=f32}
    %3: f32[u0, 3] = matmul %2, %0 {}
    return %3
  }
}
";
    for (text, is_delegated) in [(OF_INPUT, true), (FOUND, false)] {
        let graph = kiln_ir::text::parse(text).unwrap();
        let regions = compile(&graph, &Options::default()).unwrap();
        let mut nodes = graph.nodes_in(graph.root());
        let (product, _) = nodes.find(|(_, node)| node.op.name() == "matmul").unwrap();
        let is_inside = regions.iter().any(|region| region.nodes.contains(&product));
        assert_eq!(is_inside, is_delegated, "{text}");
    }
}

/// A kernel finds extremes of rows in less time than the library's pools. It does so where that divides no delegate, if there are many
/// elements.
#[test]
fn extremes_in_front_of_a_delegate_are_kernels() {
    let regions_of = |rows: i64, axis: i64, first: &str| {
        let (kept, folded) = match axis {
            1 => (format!("f32[{rows}, 64]"), format!("f32[{rows}, 1]")),
            _ => (format!("f32[{rows}, 64]"), "f32[1, 64]".to_owned()),
        };
        let text = format!(
            "graph \"rows\" {{
  input tensor \"x\" [0, 1]
  output tensor
  block b0 (%0: {kept}) {{
    %1: {kept} = unary %0 {{f={first}}}
    %2: {folded} = reduce %1 {{f=max, axes=[{axis}]}}
    %3: {kept} = binary %1, %2 {{f=div}}
    %4: {kept} = unary %3 {{f=sigmoid}}
    return %4
  }}
}}
"
        );
        let graph = kiln_ir::text::parse(&text).unwrap();
        let regions = compile(&graph, &Options::default()).unwrap();
        let name = |n: &NodeId| graph.node(*n).op.name();
        let names = regions.iter().map(|r| r.nodes.iter().map(name).collect());
        names.collect::<Vec<Vec<_>>>()
    };
    // A kernel rounds, so that the reduction is in front of the delegate.
    let without = vec![vec!["binary", "unary"]];
    let with = vec![vec!["reduce", "binary", "unary"]];
    assert_eq!(regions_of(64, 1, "round"), without);
    assert_eq!(regions_of(63, 1, "round"), with, "few elements");
    assert_eq!(regions_of(64, 0, "round"), with, "not along memory");
    let whole = vec![vec!["unary", "reduce", "binary", "unary"]];
    assert_eq!(regions_of(64, 1, "sigmoid"), whole, "behind an operator");
}
