//! Constant folding.
//!
//! A node is folded if all its operands are constants, all result sizes are known, and the results take no more bytes
//! than the operands or [`ALWAYS_FOLDED_BYTES`], whichever is more. So folding never makes a program much larger.
//! Look-ups that would otherwise run as kernels may add a share of the program's constants ([`share_of_constants`]), and so
//! may values behind which the first computation with inputs stands ([`share_of_values`]). Overlapping slices that a delegate makes have a lower
//! limit (`simplify::clean::fold`).

use kiln_eval::{Bindings, Cause, Tensor, evaluate_op};
use kiln_ir::graph::Constant;
use kiln_ir::ops::{Growth, Infer, Types};
use kiln_ir::tensor::TensorData;
use kiln_ir::types::TensorType;
use kiln_ir::{Graph, NodeId, Op, ValueId};
use rustc_hash::FxHashMap;

/// Results of up to this many bytes are folded, however small the operands are.
pub const ALWAYS_FOLDED_BYTES: u64 = 64 << 10;

/// A node whose work grows with pairs of elements is folded only if the product of its result's elements and its
/// largest operand's elements is at most this.
const MAX_PAIRS: u64 = 1 << 30;

/// The most bytes of intermediate values while one node is folded through others ([`fold_through`]).
const MAX_INTERMEDIATE_BYTES: u64 = 64 << 20;

/// The most nodes between constants and a value that is computed from them.
const MAX_STEPS: usize = 4096;

/// The budget of one pass for [`fold_through`], in multiples of the limits for one node.
const NODES_PER_BUDGET: u64 = 32;

/// Look-ups that are folded to save kernels may take one part in this many of the bytes of all constants.
const CONSTANTS_PER_SHARE: u64 = 32;

/// The work that [`fold_through`] may still do in one pass.
pub struct FoldBudget {
    bytes: u64,
    pairs: u64,
}

impl Default for FoldBudget {
    fn default() -> FoldBudget {
        FoldBudget {
            bytes: MAX_INTERMEDIATE_BYTES * NODES_PER_BUDGET,
            pairs: MAX_PAIRS * NODES_PER_BUDGET,
        }
    }
}

/// Folds an op over constant operands. `None` if an operand is no constant or the op is not to be folded. `free_bytes`
/// is the size up to which results may be larger than the operands.
///
/// # Errors
/// If the op is to be folded, but its operands have no valid result (such as an index out of range).
pub fn fold(
    graph: &Graph,
    op: &Op,
    operands: &[ValueId],
    free_bytes: u64,
) -> Result<Option<Vec<Constant>>, Cause> {
    if !op.facts().folds {
        return Ok(None);
    }
    let constants: Option<Vec<&Constant>> =
        operands.iter().map(|&v| graph.as_constant(v)).collect();
    let Some(constants) = constants else {
        return Ok(None);
    };
    let Ok(types) = op.infer(&Infer { graph }, &graph.types(operands)) else {
        return Ok(None);
    };
    let Some(limit) = allowed_bytes(&constants, &types, free_bytes) else {
        return Ok(None);
    };
    let operands = constants.iter().map(|c| &c.ty);
    if op.facts().work == Growth::PerPair && pairs_of(operands, &types) > MAX_PAIRS {
        return Ok(None);
    }
    if let Some(moved) = fold_move(op, &constants, &types) {
        return Ok(Some(vec![moved]));
    }
    compute(graph, op, &constants, &types, limit)
}

/// The most bytes that all folded look-ups together may add: a small share of the program's constants. Folding a
/// look-up saves a kernel.
pub fn share_of_constants(graph: &Graph) -> u64 {
    bytes_of_constants(graph) / CONSTANTS_PER_SHARE
}

/// The most bytes that all other large values which follow from constants may add, such as masks: half of that share.
pub fn share_of_values(graph: &Graph) -> u64 {
    bytes_of_constants(graph) / (2 * CONSTANTS_PER_SHARE)
}

fn bytes_of_constants(graph: &Graph) -> u64 {
    let all = graph.constants().filter_map(|(_, c)| bytes_of(&c.ty));
    all.fold(0, u64::saturating_add)
}

/// Folds a node of one result whose operands are not constants themselves, but follow from constants through
/// intermediate values that are too large to keep. `None` if the result takes more than `most_bytes`, if it has no value, or
/// if the work exceeds the budget `left`.
pub fn fold_through(
    graph: &Graph,
    node: NodeId,
    most_bytes: u64,
    left: &mut FoldBudget,
) -> Option<Constant> {
    let found = graph.node(node);
    let ty = graph.ty(found.result());
    if bytes_of(ty)? > most_bytes {
        return None;
    }
    Some(Constant {
        name: found.op.name().into(),
        ty: ty.clone(),
        data: computed(graph, node, left)?,
    })
}

/// The elements of a node's one result, if they follow from constants alone, within the budget `left`.
pub fn computed(graph: &Graph, node: NodeId, left: &mut FoldBudget) -> Option<TensorData> {
    let steps = steps_to(graph, node, left)?;
    let mut bindings = Bindings::new(&graph.symbols);
    let mut made: FxHashMap<ValueId, Tensor> = FxHashMap::default();
    for step in steps {
        let step = graph.node(step);
        let operand = |v: &ValueId| match graph.as_constant(*v) {
            Some(c) => Some(Tensor::from(&c.data).with_quant(c.ty.quant.clone())),
            None => made.get(v).cloned(),
        };
        let operands = step
            .operands
            .iter()
            .map(operand)
            .collect::<Option<Vec<_>>>()?;
        let results =
            evaluate_op(&step.op, &operands, &mut bindings, MAX_INTERMEDIATE_BYTES).ok()?;
        made.insert(step.result(), results.into_iter().next()?);
    }
    Some(TensorData::from(made.remove(&graph.node(node).result())?))
}

/// The nodes on all paths from constants to `node`, and `node` itself, in topological order. Their cost is subtracted
/// from `left`. `None` if they cost too much, or if a path starts at a value that is no constant.
fn steps_to(graph: &Graph, node: NodeId, left: &mut FoldBudget) -> Option<Vec<NodeId>> {
    let (mut steps, mut open) = (Vec::new(), vec![(node, false)]);
    let mut seen = rustc_hash::FxHashSet::default();
    let (mut bytes, mut pairs) = (0u64, 0u64);
    while let Some((node, is_behind)) = open.pop() {
        if is_behind {
            steps.push(node);
            continue;
        }
        if !seen.insert(node) {
            continue;
        }
        let step = graph.node(node);
        if !step.op.facts().folds || step.results.len() != 1 || seen.len() > MAX_STEPS {
            return None;
        }
        let ty = graph.ty(step.result());
        bytes = bytes.checked_add(bytes_of(ty)?)?;
        if step.op.facts().work == Growth::PerPair {
            let operands = step.operands.iter().map(|&v| graph.ty(v));
            pairs = pairs.saturating_add(pairs_of(operands, std::slice::from_ref(ty)));
        }
        if bytes > MAX_INTERMEDIATE_BYTES || pairs > MAX_PAIRS {
            return None;
        }
        open.push((node, true));
        for &operand in &step.operands {
            if graph.as_constant(operand).is_none() {
                open.push((graph.producer(operand)?, false));
            }
        }
    }
    left.bytes = left.bytes.checked_sub(bytes)?;
    left.pairs = left.pairs.checked_sub(pairs)?;
    Some(steps)
}

/// The bytes of a tensor; `None` if a size is unknown.
pub fn bytes_of(ty: &TensorType) -> Option<u64> {
    let sizes = ty.shape.as_static()?;
    let element = ty.dtype.size() as u64;
    sizes
        .into_iter()
        .try_fold(element, |n, size| n.checked_mul(size as u64))
}

fn pairs_of<'t>(operands: impl Iterator<Item = &'t TensorType>, results: &[TensorType]) -> u64 {
    let elements = |ty: &TensorType| {
        let sizes = ty.shape.as_static().unwrap_or_default();
        sizes
            .into_iter()
            .fold(1u64, |n, s| n.saturating_mul(s as u64))
    };
    let results = results.iter().map(elements).fold(0, u64::saturating_add);
    results.saturating_mul(operands.map(elements).max().unwrap_or(0))
}

/// The limit for the bytes of the results; `None` if they take more, or if their size is unknown.
fn allowed_bytes(constants: &[&Constant], types: &[TensorType], free_bytes: u64) -> Option<u64> {
    let operands: u64 = constants.iter().map(|c| c.data.bytes().len() as u64).sum();
    let limit = operands.max(free_bytes);
    let mut needed = 0u64;
    for ty in types {
        needed = needed.checked_add(bytes_of(ty)?)?;
    }
    (needed <= limit).then_some(limit)
}

/// Folds a movement lazily: the elements are permuted when the constant is read. If their order does not change, the
/// bytes are shared.
fn fold_move(op: &Op, constants: &[&Constant], types: &Types) -> Option<Constant> {
    let (Op::Move(op), [constant], [ty]) = (op, constants, types.as_slice()) else {
        return None;
    };
    Some(Constant {
        name: constant.name.clone(),
        data: constant.data.moved(&op.movement)?,
        ty: ty.clone(),
    })
}

fn compute(
    graph: &Graph,
    op: &Op,
    constants: &[&Constant],
    types: &Types,
    limit: u64,
) -> Result<Option<Vec<Constant>>, Cause> {
    let operands: Vec<Tensor> = constants
        .iter()
        .map(|c| Tensor::from(&c.data).with_quant(c.ty.quant.clone()))
        .collect();
    let mut bindings = Bindings::new(&graph.symbols);
    let results = match evaluate_op(op, &operands, &mut bindings, limit) {
        Ok(results) => results,
        Err(Cause::NoValue { .. } | Cause::Unsupported(_) | Cause::OutOfMemory { .. }) => {
            return Ok(None);
        }
        Err(cause) => return Err(cause),
    };
    let name = name_of(op, constants);
    let constant = |(tensor, ty): (Tensor, &TensorType)| Constant {
        name: name.as_str().into(),
        ty: ty.clone(),
        data: TensorData::from(tensor),
    };
    Ok(Some(results.into_iter().zip(types).map(constant).collect()))
}

/// The name of a folded constant, made of its operands' names; for reports only.
fn name_of(op: &Op, constants: &[&Constant]) -> String {
    let mut names: Vec<&str> = constants
        .iter()
        .map(|c| &*c.name)
        .filter(|n| !n.is_empty())
        .collect();
    names.dedup();
    match names.as_slice() {
        [] => op.name().to_string(),
        [only] => (*only).to_string(),
        [first, .., last] => format!("{first}+{last}"),
    }
}
