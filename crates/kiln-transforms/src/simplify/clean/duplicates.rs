//! Common subexpression elimination: merges equal nodes with equal operands, and constants of equal content.
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

use crate::framework::rewriting::PassContext;
use crate::guards;
use kiln_ir::content::Distinct;
use kiln_ir::graph::{Constant, Graph, ValueList};
use kiln_ir::ops::{self, BinaryFn};
use kiln_ir::{ConstId, DType, NodeId, Op, Quant};
use rustc_hash::{FxHashMap, FxHasher};
use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

guards! {
    /// The op commutes.
    COMMUTES;
    /// The extreme of two zeros depends on their order.
    ZEROS_IN_ORDER;
}

/// The name of the rewrite in reports.
pub const NAME: &str = "common_subexpression";

/// The nodes of one block that were visited, by the hash of what they compute.
#[derive(Default)]
pub struct Known(FxHashMap<u64, Vec<NodeId>>);

impl Known {
    /// Replaces a node by an equal one that was visited before, or records it. `None` once the rewriter's limit is
    /// reached.
    pub fn meet(
        &mut self,
        cx: &mut PassContext<'_, '_>,
        contents: &mut Contents,
        node: NodeId,
    ) -> Option<()> {
        if !may_share(&cx.graph().node(node).op) {
            return Some(());
        }
        let node = share_constant(cx, contents, node)?;
        let candidates = self.0.entry(key(cx.graph(), node)).or_default();
        let equal = candidates.iter().copied().find(|&other| {
            cx.graph().try_node(other).is_some() && are_equal(cx.graph(), node, other)
        });
        let Some(other) = equal else {
            candidates.push(node);
            return Some(());
        };
        if !cx.rewriter.may_apply() {
            return None;
        }
        if !matches!(cx.graph().node(node).op, Op::Constant(_)) {
            cx.report.applied(NAME, cx.rewriter.graph(), node);
        }
        let results = cx.graph().node(other).results.clone();
        cx.replace(node, &results.iter().map(|&v| Some(v)).collect::<Vec<_>>());
        Some(())
    }
}

fn may_share(op: &Op) -> bool {
    !matches!(
        op,
        Op::BindSymbol(_) | Op::NonZero(_) | Op::If(_) | Op::While(_)
    )
}

/// The operands, sorted if the op is commutative. The extreme of two zeros depends on their order, so float extremes
/// are not.
fn ordered_operands(graph: &Graph, node: NodeId) -> ValueList {
    let node = graph.node(node);
    let mut operands = node.operands.clone();
    if let Op::Binary(op) = &node.op {
        let is_extreme = matches!(op.f, BinaryFn::Max | BinaryFn::Min);
        let is_float = graph.ty(operands[0]).dtype.is_float();
        if COMMUTES.holds(op.f.commutes()) && ZEROS_IN_ORDER.holds(!(is_extreme && is_float)) {
            operands.sort();
        }
    }
    operands
}

/// A formatter that hashes what is written to it.
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

/// Lets a constant node refer to the first constant of the same type and content. `None` once the rewriter's limit is
/// reached.
fn share_constant(
    cx: &mut PassContext<'_, '_>,
    contents: &mut Contents,
    node: NodeId,
) -> Option<NodeId> {
    let Op::Constant(op) = &cx.graph().node(node).op else {
        return Some(node);
    };
    let (own, value) = (op.value, contents.first(cx.graph(), op.value));
    if own == value {
        return Some(node);
    }
    if !cx.rewriter.may_apply() {
        return None;
    }
    let shared = cx.rewriter.replace_node(node, ops::Constant { value }, &[]);
    Some(shared.expect("a constant of the same type stands in place of another"))
}

/// The constants that were visited, by content.
#[derive(Default)]
pub struct Contents {
    by_type: FxHashMap<TypeKey, Distinct<ConstId>>,
    first: FxHashMap<ConstId, ConstId>,
}

/// The properties that constants need to share besides their bytes.
type TypeKey = (DType, Vec<usize>, Option<QuantKey>);

/// A quantisation as a key. A weight may have millions of scales, so they are not copied. They are positive and finite, so
/// equality is an equivalence.
struct QuantKey(Arc<Quant>);

impl PartialEq for QuantKey {
    fn eq(&self, other: &QuantKey) -> bool {
        self.0 == other.0
    }
}

impl Eq for QuantKey {}

impl Hash for QuantKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Quant { scheme, min, max } = &*self.0;
        (min, max, std::mem::discriminant(scheme)).hash(state);
        for scale in scheme.scales() {
            scale.to_bits().hash(state);
        }
        scheme.zero_points().hash(state);
    }
}

impl Contents {
    /// The first visited constant with the type and content of this one.
    fn first(&mut self, graph: &Graph, id: ConstId) -> ConstId {
        if let Some(&first) = self.first.get(&id) {
            return first;
        }
        let Constant { ty, data, .. } = graph.constant(id);
        let quant = ty.quant.clone().map(QuantKey);
        let key = (data.dtype(), data.sizes().to_vec(), quant);
        let alike = self.by_type.entry(key).or_default();
        let first = alike.first(data.content(), id);
        self.first.insert(id, first);
        first
    }
}
