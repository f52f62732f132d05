//! Computing nodes over constants ahead of time.
//!
//! A node is folded when all its operands are constants, its results' sizes are known, and the results
//! take no more bytes than the operands or [`FREE_BYTES`], whichever is more: folding never makes a
//! program much larger. Look-ups that would run as a kernel may add a share of the program's constants
//! ([`share_of_constants`]).

use kiln_eval::{Bindings, Cause, Tensor, evaluate_op};
use kiln_ir::graph::Constant;
use kiln_ir::ops::{Growth, Infer, Types};
use kiln_ir::tensor::TensorData;
use kiln_ir::types::TensorType;
use kiln_ir::{Graph, NodeId, Op, ValueId};
use rustc_hash::FxHashMap;

/// Results of up to so many bytes are computed ahead whatever the operands are.
pub const FREE_BYTES: u64 = 64 << 10;

/// What sees several operand elements for each of the result is computed ahead only if elements of the
/// result times elements of the greatest operand are no more than that.
const MOST_PAIRS: u64 = 1 << 30;

/// What stands between constants and what is made of them may take so many bytes while it is computed.
const MOST_BETWEEN: u64 = 64 << 20;

/// So many times as much as for one result may be computed for all.
const MOST_THROUGH: u64 = 32;

/// Results that save kernels may take this part of all constants, together.
const SHARE: u64 = 32;

/// What may still be computed between constants and results, for all results of a pass.
pub struct Work {
    bytes: u64,
    pairs: u64,
}

impl Default for Work {
    fn default() -> Work {
        Work {
            bytes: MOST_BETWEEN * MOST_THROUGH,
            pairs: MOST_PAIRS * MOST_THROUGH,
        }
    }
}

/// The constants that the op makes of constant operands; `None` if it is not to be folded. Results of up
/// to `free_bytes` may be larger than the operands.
///
/// # Errors
/// If it is, but has no value.
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
    if op.facts().work == Growth::PerPair && pairs_of(operands, &types) > MOST_PAIRS {
        return Ok(None);
    }
    if let Some(moved) = fold_move(op, &constants, &types) {
        return Ok(Some(vec![moved]));
    }
    compute(graph, op, &constants, &types, limit)
}

/// The bytes that results may take together where folding them saves kernels: little beside what the program holds anyway.
pub fn share_of_constants(graph: &Graph) -> u64 {
    let all = graph.constants().filter_map(|(_, c)| bytes_of(&c.ty));
    all.fold(0, u64::saturating_add) / SHARE
}

/// The constant that a node of one result makes, through nodes between constants and it that are too large to be
/// folded; `None` if its result is too large too, or has no value, or if there is more to compute than is left.
pub fn fold_through(graph: &Graph, node: NodeId, left: &mut Work) -> Option<Constant> {
    let found = graph.node(node);
    let ty = graph.ty(found.result());
    if bytes_of(ty)? > FREE_BYTES {
        return None;
    }
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
        let results = evaluate_op(&step.op, &operands, &mut bindings, MOST_BETWEEN).ok()?;
        made.insert(step.result(), results.into_iter().next()?);
    }
    Some(Constant {
        name: found.op.name().into(),
        ty: ty.clone(),
        data: TensorData::from(made.remove(&found.result())?),
    })
}

/// The nodes between constants and a node, and it, each behind its operands, which are taken from what is left; `None` if
/// that is too much to compute.
fn steps_to(graph: &Graph, node: NodeId, left: &mut Work) -> Option<Vec<NodeId>> {
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
        let ty = graph.ty(step.result());
        bytes = bytes.checked_add(bytes_of(ty)?)?;
        if step.op.facts().work == Growth::PerPair {
            let operands = step.operands.iter().map(|&v| graph.ty(v));
            pairs = pairs.saturating_add(pairs_of(operands, std::slice::from_ref(ty)));
        }
        if bytes > MOST_BETWEEN || pairs > MOST_PAIRS {
            return None;
        }
        open.push((node, true));
        let between = step
            .operands
            .iter()
            .filter(|&&v| graph.as_constant(v).is_none());
        open.extend(
            between
                .filter_map(|&v| graph.producer(v))
                .map(|n| (n, false)),
        );
    }
    left.bytes = left.bytes.checked_sub(bytes)?;
    left.pairs = left.pairs.checked_sub(pairs)?;
    Some(steps)
}

/// The bytes of a tensor of known size.
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

/// The bytes that the results may take; `None` if they take more, or an unknown number.
fn allowed_bytes(constants: &[&Constant], types: &[TensorType], free_bytes: u64) -> Option<u64> {
    let operands: u64 = constants.iter().map(|c| c.data.bytes().len() as u64).sum();
    let limit = operands.max(free_bytes);
    let mut needed = 0u64;
    for ty in types {
        needed = needed.checked_add(bytes_of(ty)?)?;
    }
    (needed <= limit).then_some(limit)
}

/// A moved constant is made when it is wanted; it shares the bytes where their order stays.
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

/// The names of the constants that went in, for people.
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
