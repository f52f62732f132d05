//! Results that the meaning of an op leaves open.
//!
//! - The integer to which a NaN is quantised depends on the machine, and so does that of 0/0 among quantised values. A wobbly run takes any integer of the range: one
//!   for each element, one for all elements of a tensor, or what clamps, maxima and similar ops give if the
//!   quantisation comes before them (module `picks`).
//! - Attention in which every score of a row is minus infinity without a mask: PyTorch's kernels give zeros, a softmax
//!   gives NaN. A row that is masked entirely is zero in every form.
//! - The integer of a float beyond the type's range: C++, and so PyTorch, leaves it to the machine. Integers of
//!   moderate size wrap wherever PyTorch runs, and programs rely on it. For larger ones, whose low digits are rounding
//!   errors, any integer is accepted. So is any for NaN, of which machines make 0, or the least integer of 32 bits.

use super::picks::Picks;
use super::reals::reals;
use crate::numbers::{Numbers, numbers, with_numbers};
use crate::random::Random;
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::{Attention, Quantize};
use kiln_ir::{DType, Graph, NodeId, Op, Scalar, TensorData};

/// The integers that a run takes for NaN.
#[derive(Clone, Copy)]
enum NanIs {
    Any,
    Least,
    Greatest,
    /// That of zero, as where a machine converts NaN to 0. A truth behind it depends on this one integer.
    Zero,
    /// What the integer 0 of the other signedness becomes by the shift between both.
    ZeroOfOtherSign,
    /// Those of the evaluator, as if the quantisation came before all ops that select elements.
    Picked,
    /// As if it came before some of them.
    PickedInPart,
}

/// The choices of a run.
pub(super) struct Open {
    nan_is: NanIs,
    /// Only for graphs that quantise.
    picks: Option<Picks>,
}

impl Open {
    /// The choices of one run of a graph.
    pub(super) fn of_run(graph: &Graph, seed: u64) -> Open {
        // Other choices of a run depend on the seed by factors of 36, so that each meets each of these.
        let nan_is = match seed / 4 % 11 {
            0 | 3 | 8 => NanIs::Any,
            1 | 9 => NanIs::Picked,
            2 | 4 => NanIs::PickedInPart,
            5 => NanIs::Least,
            6 => NanIs::Zero,
            7 => NanIs::ZeroOfOtherSign,
            _ => NanIs::Greatest,
        };
        let mut blocks = graph.blocks().map(|(block, _)| block);
        let quantises = blocks.any(|block| {
            let mut nodes = graph.nodes_in(block);
            nodes.any(|(_, node)| matches!(node.op, Op::Quantize(_)))
        });
        let picks = quantises.then(Picks::default);
        Open { nan_is, picks }
    }

    /// Another result that the meaning of the node allows.
    pub(super) fn result(
        &mut self,
        random: &mut Random,
        graph: &Graph,
        node: NodeId,
        operands: &[Tensor],
        result: &Tensor,
    ) -> Option<Tensor> {
        let own = &graph.node(node).op;
        match own {
            Op::Quantize(op) => {
                self.integers_of_nan(random, graph, (node, op), operands.first()?, result)
            }
            // Moves of integers have no NaN.
            Op::Quantised(op) if !op.op.facts().rounding.is_exact() => {
                let reals = reals(graph, own, operands)?.result;
                let quantize = Quantize {
                    quant: op.quant.clone(),
                    dtype: op.dtype,
                };
                self.integers_of_nan(random, graph, (node, &quantize), &reals, result)
            }
            Op::Attention(op) if random.chance(50) => without_scores(graph, op, operands, result),
            Op::Cast(op) => self.open_integers(random, op.to, operands.first()?, result),
            _ => None,
        }
    }

    /// Remembers results in the form in which they are read.
    pub(super) fn note(
        &mut self,
        graph: &Graph,
        node: NodeId,
        operands: &[Tensor],
        results: &[Tensor],
    ) {
        if let Some(picks) = &mut self.picks {
            picks.note(graph, node, operands, results);
        }
    }

    fn integers_of_nan(
        &self,
        random: &mut Random,
        graph: &Graph,
        (node, op): (NodeId, &Quantize),
        reals: &Tensor,
        integers: &Tensor,
    ) -> Option<Tensor> {
        let is_nan: Vec<bool> = numbers(reals).into_iter().map(f64::is_nan).collect();
        if !is_nan.contains(&true) {
            return None;
        }
        let (min, max) = (op.quant.min, op.quant.max);
        let mut own: Vec<i64> = as_integers(integers);
        let picks = self.picks.as_ref();
        let others = match self.nan_is {
            NanIs::Any => own.iter().map(|_| random.between(min, max)).collect(),
            NanIs::Least => vec![min; own.len()],
            NanIs::Greatest => vec![max; own.len()],
            NanIs::ZeroOfOtherSign => vec![zero_of_other_sign(op); own.len()],
            NanIs::Zero => {
                let zeros = with_numbers(reals, own.iter().map(|_| 0.0));
                let operands = std::slice::from_ref(&zeros);
                let mut bindings = Bindings::new(&graph.symbols);
                let found =
                    evaluate_op(&op.clone().into(), operands, &mut bindings, 4 << 30).ok()?;
                as_integers(found.first()?)
            }
            NanIs::Picked => as_integers(&picks?.integers(graph, node, reals, None)?),
            NanIs::PickedInPart => {
                as_integers(&picks?.integers(graph, node, reals, Some(random))?)
            }
        };
        let pairs = own.iter_mut().zip(others).zip(is_nan);
        pairs
            .filter(|(_, is_nan)| *is_nan)
            .for_each(|((own, other), _)| *own = other);
        let any = own.into_iter().map(Scalar::Int);
        let sizes = integers.sizes().to_vec();
        Some(Tensor::from(TensorData::from_scalars(op.dtype, sizes, any)))
    }

    /// Other integers for NaN, and random ones for floats from [`FIRST_UNKNOWN`] on; `None` if there are neither.
    fn open_integers(
        &self,
        random: &mut Random,
        to: DType,
        floats: &Tensor,
        integers: &Tensor,
    ) -> Option<Tensor> {
        let (least, greatest) = to.int_range()?;
        let is_open = |v: f64| {
            let is_beyond = v < least as f64 || v > greatest as f64;
            v.is_nan() || (is_beyond && v.abs() >= FIRST_UNKNOWN)
        };
        let floats = floats.dtype().is_float().then(|| numbers(floats))?;
        if !floats.iter().any(|&v| is_open(v)) {
            return None;
        }
        let own = as_integers(integers).into_iter().zip(floats);
        let any = own.map(|(own, v)| match self.nan_is {
            _ if !is_open(v) => own,
            NanIs::Least if v.is_nan() => least,
            NanIs::Greatest if v.is_nan() => greatest,
            NanIs::Zero if v.is_nan() => 0,
            // The others are about quantisations.
            _ => random.between(least, greatest),
        });
        let sizes = integers.sizes().to_vec();
        let any = any.map(Scalar::Int);
        Some(Tensor::from(TensorData::from_scalars(to, sizes, any)))
    }
}

/// The integer 0 of the type with the other signedness, clamped to its range and shifted to the range of this one.
fn zero_of_other_sign(op: &Quantize) -> i64 {
    let (least, greatest) = op.dtype.int_range().unwrap_or_default();
    let shifted = if least == 0 {
        (greatest + 1) / 2
    } else {
        least
    };
    shifted.clamp(op.quant.min, op.quant.max)
}

/// The first number whose neighbours in f32 are more than 1 apart.
const FIRST_UNKNOWN: f64 = 16_777_216.0;

fn as_integers(tensor: &Tensor) -> Vec<i64> {
    tensor.scalars().into_iter().map(Scalar::as_i64).collect()
}

/// NaN for rows whose scores are all minus infinity, with or without the mask, unless the mask covers the whole row.
fn without_scores(
    graph: &Graph,
    op: &Attention,
    operands: &[Tensor],
    result: &Tensor,
) -> Option<Tensor> {
    let ([q, k, v], masks) = operands.split_first_chunk()?;
    if !may_lack_scores(op, q, k) {
        return None;
    }
    // The weights of a row add up to one, or to zero if the row has no score.
    let of_value = |t: &Tensor, value| Tensor::splat(t.dtype(), t.sizes(), Scalar::Float(value));
    let sums = |op: Attention, q: &Tensor, k: &Tensor, masks: &[Tensor]| {
        let mut operands = vec![q.clone(), k.clone(), of_value(v, 1.0)];
        operands.extend_from_slice(masks);
        let mut bindings = Bindings::new(&graph.symbols);
        let found = evaluate_op(&Op::from(op), &operands, &mut bindings, 4 << 30).ok()?;
        found.first().map(numbers)
    };
    let own = sums(op.clone(), q, k, masks)?;
    let has_keys = k.sizes().iter().rev().nth(1).is_some_and(|&n| n > 0);
    if !has_keys || !own.contains(&0.0) {
        return None;
    }
    let plain = Attention {
        causal: false,
        ..op.clone()
    };
    let unmasked = sums(plain, q, k, &[])?;
    let kept = sums(op.clone(), &of_value(q, 0.0), &of_value(k, 0.0), masks)?;
    let one = |(i, value)| match own[i] == 0.0 && (unmasked[i] == 0.0 || kept[i] != 0.0) {
        true => f64::NAN,
        false => value,
    };
    let elements = numbers(result).into_iter().enumerate().map(one);
    Some(with_numbers(result, elements))
}

/// False if no product of finite factors can come near minus infinity, which holds except on inputs made for it.
fn may_lack_scores(op: &Attention, q: &Tensor, k: &Tensor) -> bool {
    let greatest = |t: &Tensor| {
        let all = Numbers::of(t);
        all.iter().fold(0.0, |m: f64, v| {
            if v.is_nan() {
                f64::INFINITY
            } else {
                m.max(v.abs())
            }
        })
    };
    let width = q.sizes().last().map_or(1.0, |&e| e as f64);
    let bound = greatest(q) * greatest(k) * width;
    let is_small = |v: f64| v < f64::from(f32::MAX) / 2.0;
    !is_small(bound) || !is_small(bound * op.scale.unwrap_or(1.0).abs())
}
