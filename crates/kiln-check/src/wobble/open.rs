//! What the meaning of an op leaves open.
//!
//! - The integer that a NaN is quantised to: a conversion gives what the machine gives. In a wobbly run it is any of the
//!   range: one for each element, or one for all of a tensor, or the next element's.
//! - Attention where every score of a row is minus infinity of itself, not by its mask: PyTorch's kernels give zeros, a
//!   softmax NaN. Rows that a mask leaves nothing of are zeros in every form.

use crate::numbers::{Numbers, numbers, with_numbers};
use crate::random::Random;
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::{Attention, Quantize};
use kiln_ir::{Graph, Op, Scalar, TensorData};

/// Which integers a run gives for a NaN: any of its range, or those of other elements, to which a clamp, a maximum or a
/// minimum that comes behind instead of in front would bring it.
#[derive(Clone, Copy)]
pub(super) enum NanIs {
    Any,
    Least,
    Greatest,
    LeastBeside,
    GreatestBeside,
    Next,
}

impl NanIs {
    /// One for each run.
    pub(super) fn of_run(seed: u64) -> NanIs {
        match seed / 2 % 8 {
            0 | 3 | 6 => NanIs::Any,
            1 => NanIs::GreatestBeside,
            2 => NanIs::LeastBeside,
            4 => NanIs::Next,
            5 => NanIs::Least,
            _ => NanIs::Greatest,
        }
    }
}

/// Another result that the op may have just as well.
pub(super) fn result(
    random: &mut Random,
    how: NanIs,
    graph: &Graph,
    op: &Op,
    operands: &[Tensor],
    result: &Tensor,
) -> Option<Tensor> {
    match op {
        Op::Quantize(op) => integers_of_nan(random, how, op, operands.first()?, result),
        Op::Attention(op) if random.chance(50) => without_scores(graph, op, operands, result),
        _ => None,
    }
}

fn integers_of_nan(
    random: &mut Random,
    how: NanIs,
    op: &Quantize,
    reals: &Tensor,
    integers: &Tensor,
) -> Option<Tensor> {
    let reals = numbers(reals);
    if !reals.iter().any(|v| v.is_nan()) {
        return None;
    }
    let mut own: Vec<i64> = integers.scalars().into_iter().map(Scalar::as_i64).collect();
    let known = || {
        let pairs = own.iter().zip(&reals);
        pairs
            .filter(|(_, real)| !real.is_nan())
            .map(|(own, _)| *own)
    };
    let (min, max) = (op.quant.min, op.quant.max);
    let shared = match how {
        NanIs::Any => None,
        NanIs::Least => Some(min),
        NanIs::Greatest => Some(max),
        NanIs::LeastBeside => known().min(),
        NanIs::GreatestBeside => known().max(),
        NanIs::Next => known().next_back(),
    };
    let mut next = shared;
    for (own, real) in own.iter_mut().zip(&reals).rev() {
        if real.is_nan() {
            *own = next.unwrap_or_else(|| random.between(min, max));
        } else if matches!(how, NanIs::Next) {
            next = Some(*own);
        }
    }
    let any = own.into_iter().map(Scalar::Int);
    let sizes = integers.sizes().to_vec();
    Some(Tensor::from(TensorData::from_scalars(op.dtype, sizes, any)))
}

/// NaN for rows whose scores are all minus infinity, be it with the mask or without, unless the mask leaves nothing
/// of them.
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
    // The weights of a row sum to one, or to zero where it has no score.
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

/// False if no product of finite factors comes near minus infinity, as everywhere but on inputs made for it.
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
