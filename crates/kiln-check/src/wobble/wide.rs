//! Keeps floats that exceed the range of their type.
//!
//! A rewrite may make an op read an intermediate result before it is rounded to its type, or in another order. Sums of
//! a convolution beyond 65504 are infinite in f16, but finite if the following normalisation is part of the weights.
//! Products beyond f32 are finite if a scale comes first. So an overflowing value is kept in the next wider type beside
//! the infinity, and its readers compute from the wide value. Their result is rounded as usual; if it overflows, it is
//! kept as well.
//!
//! A rewrite merges some ops and leaves others. Behind it, infinities of both kinds may meet: one that stays cancels
//! another one, or no longer does. So some runs keep every overflowing value. In other runs each node keeps all, none
//! or some of its elements, because a rewrite may also take a node apart.

use super::{UNITS, unit};
use crate::numbers::{Numbers, numbers, with_numbers};
use crate::random::Random;
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::graph::Node;
use kiln_ir::{DType, Graph, NodeId, Op, TensorData, ValueId};
use rustc_hash::FxHashMap;

/// The values in a wider type, where f16 or f32 overflowed.
pub(super) struct Wide {
    values: FxHashMap<ValueId, Tensor>,
    /// True if each node chooses what it keeps.
    mixes: bool,
    /// True once a node did not keep everything.
    mixed: bool,
}

/// The overflowing elements that a node keeps.
#[derive(Clone, Copy, PartialEq)]
enum Keeps {
    All,
    Nothing,
    Some,
}

impl Wide {
    /// True in half of the runs.
    pub(super) fn of_run(seed: u64) -> Option<Wide> {
        (seed % 2 == 1).then(|| Wide {
            values: FxHashMap::default(),
            mixes: seed % 4 == 3,
            mixed: false,
        })
    }

    /// True if some overflowing value was not kept.
    pub(super) fn mixed(&self) -> bool {
        self.mixed
    }

    /// True if one of the values is kept wide.
    pub(super) fn holds_any(&self, values: &[ValueId]) -> bool {
        values.iter().any(|v| self.values.contains_key(v))
    }

    /// The results of a node on operands that are kept wide, if they differ from the plain ones.
    pub(super) fn result(
        &mut self,
        random: &mut Random,
        graph: &Graph,
        node: NodeId,
        operands: &[Tensor],
        result: &Tensor,
    ) -> Option<Tensor> {
        let node = graph.node(node);
        let &[own] = &node.results[..] else {
            return None;
        };
        self.values.remove(&own);
        let holds = self.holds_any(&node.operands);
        if !holds && !may_overflow(&node.op, operands, result) {
            return None;
        }
        let keeps = match self.mixes {
            true => *random.pick(&[Keeps::All, Keeps::Nothing, Keeps::Some]),
            false => Keeps::All,
        };
        let wider = wider_than(result.dtype());
        let found = self.in_type(wider, graph, node, operands)?;
        if found.sizes() != result.sizes() {
            return None;
        }
        if found.dtype() != wider || !has_range(result.dtype()) {
            return (found.dtype() == result.dtype()).then_some(found);
        }
        let rounded = of_type(result.dtype(), &found);
        let kept = Kept::of(random, keeps, &found, &rounded);
        self.mixed |= kept.lacks_some;
        if let Some(kept) = kept.values {
            self.values.insert(own, kept);
        }
        // Intermediate values within the op overflow as well.
        if !holds && keeps == Keeps::Nothing {
            self.mixed |= has_other_infinities(&rounded, result);
            return None;
        }
        Some(rounded)
    }

    /// The op's result from operands in a wider type, where they are kept wide.
    fn in_type(
        &self,
        dtype: DType,
        graph: &Graph,
        node: &Node,
        operands: &[Tensor],
    ) -> Option<Tensor> {
        let each = node.operands.iter().zip(operands);
        let operands: Vec<Tensor> = each
            .map(|(v, own)| self.values.get(v).unwrap_or(own))
            .map(|t| match t.dtype().is_float() {
                true => of_type(dtype, t),
                false => t.clone(),
            })
            .collect();
        let mut bindings = Bindings::new(&graph.symbols);
        let found = evaluate_op(&node.op, &operands, &mut bindings, 4 << 30).ok()?;
        found.into_iter().next()
    }

    /// Makes the wide value follow the movement by rounding: elements in range take the moved value, the others move by
    /// the same relative amount.
    pub(super) fn moved(&mut self, random: &mut Random, value: ValueId, result: &Tensor) {
        let Some(kept) = self.values.get_mut(&value) else {
            return;
        };
        let step = UNITS * unit(result.dtype());
        let pairs = numbers(kept).into_iter().zip(numbers(result));
        let one = |(kept, own): (f64, f64)| match own.is_finite() {
            true => own,
            false => kept * (1.0 + step * (2.0 * random.unit() - 1.0)),
        };
        let moved: Vec<f64> = pairs.map(one).collect();
        *kept = with_numbers(kept, moved.into_iter());
    }
}

/// The kept values of a result.
struct Kept {
    /// The wide values with infinities where they are not kept; `None` if none is kept.
    values: Option<Tensor>,
    /// True if an overflowing value is not kept.
    lacks_some: bool,
}

impl Kept {
    /// The kept elements, given the wide numbers and their rounded values.
    fn of(random: &mut Random, keeps: Keeps, found: &Tensor, rounded: &Tensor) -> Kept {
        let (mut has_some, mut lacks_some) = (false, false);
        let pairs = numbers(found).into_iter().zip(numbers(rounded));
        let one = |(wide, own): (f64, f64)| {
            if own.is_finite() || !wide.is_finite() {
                return own;
            }
            let is_kept = keeps == Keeps::All || (keeps == Keeps::Some && random.chance(50));
            has_some |= is_kept;
            lacks_some |= !is_kept;
            if is_kept { wide } else { own }
        };
        let values: Vec<f64> = pairs.map(one).collect();
        let values = has_some.then(|| with_numbers(found, values.into_iter()));
        Kept { values, lacks_some }
    }
}

fn has_other_infinities(a: &Tensor, b: &Tensor) -> bool {
    let (a, b) = (Numbers::of(a), Numbers::of(b));
    a.iter()
        .zip(b.iter())
        .any(|(a, b)| a.is_finite() != b.is_finite())
}

/// False if everything is in range, or the sums of finite products are too small to overflow: then whatever is infinite
/// is so in every type.
fn may_overflow(op: &Op, operands: &[Tensor], result: &Tensor) -> bool {
    if !has_range(result.dtype()) || !is_beyond(result) {
        return false;
    }
    let greatest = |t: &Tensor| {
        let all = Numbers::of(t);
        let finite = all.iter().filter(|v| v.is_finite());
        finite.fold(0.0, |m: f64, v| m.max(v.abs()))
    };
    match (op, operands) {
        (Op::MatMul(_) | Op::Linear(_) | Op::Conv(_), [a, b, bias @ ..]) => {
            let bias = bias.first().map_or(0.0, greatest);
            greatest(a) * greatest(b) * b.len() as f64 + bias >= greatest_of(result.dtype()) / 2.0
        }
        _ => true,
    }
}

fn has_range(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::F32)
}

fn greatest_of(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 65504.0,
        _ => f64::from(f32::MAX),
    }
}

fn wider_than(dtype: DType) -> DType {
    match dtype {
        DType::F16 => DType::F32,
        _ => DType::F64,
    }
}

/// True if an element is NaN or infinite.
fn is_beyond(tensor: &Tensor) -> bool {
    Numbers::of(tensor).iter().any(|v| !v.is_finite())
}

fn of_type(dtype: DType, tensor: &Tensor) -> Tensor {
    if tensor.dtype() == dtype {
        return tensor.clone();
    }
    let sizes = tensor.sizes().to_vec();
    Tensor::from(TensorData::from_scalars(dtype, sizes, tensor.scalars()))
}
