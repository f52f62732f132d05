//! Nodes that compute the same from the same are one; constants of the same content are one.
//!
//! ```kiln
//! clean
//! graph "duplicates" {
//!   input tensor "x" [0]
//!   input tensor "y" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3], %1 "y": f32[3]) {
//!     %2: f32[3] = binary %0, %1 {f=add}
//!     %3: f32[3] = binary %1, %0 {f=add}
//!     %4: f32[3] = binary %2, %3 {f=sub}
//!     return %4
//!   }
//! }
//! ---
//! graph "duplicates" {
//!   input tensor "x" [0]
//!   input tensor "y" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3], %1 "y": f32[3]) {
//!     %2: f32[3] = binary %0, %1 {f=add}
//!     %3: f32[3] = binary %2, %2 {f=sub}
//!     return %3
//!   }
//! }
//! ```

use crate::rewriting::{Course, nodes_in_use};
use kiln_ir::graph::{Constant, Graph, ValueList};
use kiln_ir::ops;
use kiln_ir::{ConstId, DType, NodeId, Op};
use rustc_hash::{FxHashMap, FxHasher};
use std::fmt::Write;
use std::hash::{Hash, Hasher};

const NAME: &str = "common_subexpression";

/// The nodes of a block that were met, by what they compute.
#[derive(Default)]
pub struct Known(FxHashMap<u64, Vec<NodeId>>);

impl Known {
    /// Remembers a node, or puts the results of an equal one in place of its own. `None` once no more
    /// may be applied.
    pub fn meet(&mut self, course: &mut Course<'_, '_>, node: NodeId) -> Option<()> {
        if !may_share(&course.graph().node(node).op) {
            return Some(());
        }
        let candidates = self.0.entry(key(course.graph(), node)).or_default();
        let equal = candidates
            .iter()
            .copied()
            .find(|&other| are_equal(course.graph(), node, other));
        let Some(other) = equal else {
            candidates.push(node);
            return Some(());
        };
        if !course.rewriter.may_apply() {
            return None;
        }
        if !matches!(course.graph().node(node).op, Op::Constant(_)) {
            course.report.applied(NAME, course.rewriter.graph(), node);
        }
        let results = course.graph().node(other).results.clone();
        course.replace(node, &results.iter().map(|&v| Some(v)).collect::<Vec<_>>());
        Some(())
    }
}

fn may_share(op: &Op) -> bool {
    !matches!(
        op,
        Op::BindSymbol(_) | Op::NonZero(_) | Op::If(_) | Op::While(_)
    )
}

/// Operands, in one order where the op does not mind.
fn ordered_operands(graph: &Graph, node: NodeId) -> ValueList {
    let node = graph.node(node);
    let mut operands = node.operands.clone();
    if matches!(&node.op, Op::Binary(op) if op.f.commutes()) {
        operands.sort();
    }
    operands
}

/// Feeds what is written to it to a hasher.
struct Hashing(FxHasher);

impl Write for Hashing {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

fn key(graph: &Graph, node: NodeId) -> u64 {
    let mut hashing = Hashing(FxHasher::default());
    match &graph.node(node).op {
        Op::Constant(op) => op.value.hash(&mut hashing.0),
        op => write!(hashing, "{op:?}").expect("hashing does not fail"),
    }
    ordered_operands(graph, node).hash(&mut hashing.0);
    hashing.0.finish()
}

fn are_equal(graph: &Graph, a: NodeId, b: NodeId) -> bool {
    let (left, right) = (graph.node(a), graph.node(b));
    left.op == right.op
        && ordered_operands(graph, a) == ordered_operands(graph, b)
        && left
            .results
            .iter()
            .zip(&right.results)
            .all(|(&l, &r)| graph.ty(l) == graph.ty(r))
}

/// Makes all nodes of constants with equal content name one of them; `None` once no more may be
/// applied.
pub fn share_constants(course: &mut Course<'_, '_>) -> Option<()> {
    let first = first_of_equals(course.graph());
    for node in nodes_in_use(course.graph()) {
        let Op::Constant(op) = &course.graph().node(node).op else {
            continue;
        };
        let Some(&value) = first.get(&op.value) else {
            continue;
        };
        if !course.rewriter.may_apply() {
            return None;
        }
        course
            .rewriter
            .replace_node(node, ops::Constant { value }, &[])
            .expect("a constant of the same type stands in place of another");
    }
    Some(())
}

/// For each constant that has the content of an earlier one: that one. Only constants of equal size are
/// looked at.
fn first_of_equals(graph: &Graph) -> FxHashMap<ConstId, ConstId> {
    let mut by_size: FxHashMap<(DType, &[usize]), Vec<ConstId>> = FxHashMap::default();
    for (id, constant) in graph.constants() {
        by_size
            .entry((constant.data.dtype(), constant.data.sizes()))
            .or_default()
            .push(id);
    }
    let mut first = FxHashMap::default();
    let mut by_content: FxHashMap<u64, Vec<ConstId>> = FxHashMap::default();
    for ids in by_size.values().filter(|ids| ids.len() > 1) {
        by_content.clear();
        for &id in ids {
            let same = by_content
                .entry(content_hash(graph.constant(id)))
                .or_default();
            match same
                .iter()
                .find(|&&other| is_same(graph.constant(other), graph.constant(id)))
            {
                Some(&other) => {
                    first.insert(id, other);
                }
                None => same.push(id),
            }
        }
    }
    first
}

fn content_hash(constant: &Constant) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(constant.data.bytes());
    hasher.finish()
}

fn is_same(a: &Constant, b: &Constant) -> bool {
    a.ty == b.ty && a.data == b.data
}
