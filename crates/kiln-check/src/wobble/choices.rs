//! Operands of ops for which a small movement decides between values that are far apart, or between a value and none.
//!
//! - An integer divisor that rounding brings to zero: the division would have no value, and the run would end. The plain run
//!   has one, so the divisor is not zero there; it is one here.
//! - A count of differences (distances of the norm 0): where rounding may make two numbers equal, they differ in some runs and
//!   not in others. Independent movements would hardly ever make them equal. How far rounding moves a number is what the runs
//!   so far show. Truths of numbers and comparisons are decided by it too.
//! - A sum whose terms cancel: zero where the order of rounding is kind, else a residue that later ops may enlarge. Independent
//!   movements of the terms hardly ever leave zero, and never in a whole row.

use super::{absolute, unit};
use crate::numbers::{numbers, with_numbers};
use crate::random::Random;
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::{Binary, BinaryFn, Distances};
use kiln_ir::{Graph, NodeId, Op, Scalar, TensorData};
use rustc_hash::FxHashMap;

/// The operands of a division of integers without divisors of zero; `None` if there are none.
pub(super) fn divisible(op: &Op, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    use BinaryFn::*;
    let Op::Binary(Binary { f }) = op else {
        return None;
    };
    let [a, b] = operands else { return None };
    let divides = matches!(f, FloorDiv | TruncDiv | Remainder | Fmod) && b.dtype().is_int();
    let is_zero = |s: &Scalar| s.as_i64() == 0;
    let divisors = b.scalars();
    if !divides || !divisors.iter().any(is_zero) {
        return None;
    }
    let one = |s: Scalar| if is_zero(&s) { Scalar::Int(1) } else { s };
    let others = divisors.into_iter().map(one);
    let others = TensorData::from_scalars(b.dtype(), b.sizes().to_vec(), others);
    Some(vec![a.clone(), others.into()])
}

/// The least and the greatest number that an element has in the runs so far.
type Spread = (f64, f64);

/// The slot of a node's own result.
const RESULT: usize = usize::MAX;

/// The spreads of operands and of sums, by slot.
#[derive(Default)]
pub(super) struct Spreads {
    of_slots: FxHashMap<(NodeId, usize), Vec<Spread>>,
}

impl Spreads {
    /// Counts of differences in which undecided pairs count at random; `None` for other ops.
    pub(super) fn counts(
        &mut self,
        random: &mut Random,
        (node, op): (NodeId, &Op),
        operands: &[Tensor],
        result: &Tensor,
    ) -> Option<Tensor> {
        let Op::Distances(Distances { p: 0.0 }) = op else {
            return None;
        };
        let [a, b] = operands else { return None };
        let spreads = [(0, a), (1, b)].map(|(slot, t)| self.widened((node, slot), &numbers(t)));
        // In some runs all pairs are equal that may be, and in some none is.
        let percent = *random.pick(&[0, 50, 100]);
        let width = a.sizes().last().copied().unwrap_or(0);
        let count = |i: usize| {
            let rows = rows_of(i, result.sizes(), [a.sizes(), b.sizes()]);
            let of = |slot: usize| spreads[slot].iter().skip(rows[slot] * width).take(width);
            let differs = |((low, high), (least, greatest)): &(&Spread, &Spread)| {
                let is_open = low <= greatest && least <= high && (low, least) != (high, greatest);
                let is_equal = low == least && !is_open;
                !(is_equal || is_open && random.chance(percent))
            };
            of(0).zip(of(1)).filter(differs).count() as f64
        };
        Some(with_numbers(result, (0..result.len()).map(count)))
    }

    /// A sum of two operands with zeros where the runs so far have it on both sides of zero and at least half of the
    /// digits cancel; `None` for other ops.
    pub(super) fn cancelled(
        &mut self,
        graph: &Graph,
        (node, op): (NodeId, &Op),
        operands: &[Tensor],
        sum: &Tensor,
    ) -> Option<Tensor> {
        use BinaryFn::{Add, Sub};
        if !matches!(op, Op::Binary(Binary { f: Add | Sub })) {
            return None;
        }
        let absolute: Vec<Tensor> = operands.iter().map(absolute).collect();
        let add = Op::from(Binary { f: Add });
        let mut bindings = Bindings::new(&graph.symbols);
        let terms = evaluate_op(&add, &absolute, &mut bindings, 4 << 30).ok()?;
        let terms = numbers(terms.first()?);
        let sums = numbers(sum);
        let spreads = self.widened((node, RESULT), &sums);
        let half = unit(sum.dtype()).sqrt();
        let one = |i: usize| {
            let (least, greatest) = spreads[i];
            let cancels = least.abs().max(greatest.abs()) <= half * terms[i];
            let turns = least <= 0.0 && 0.0 <= greatest;
            if cancels && turns { 0.0 } else { sums[i] }
        };
        Some(with_numbers(sum, (0..sums.len()).map(one)))
    }

    /// For each number of a node, whether the runs so far have it on both sides of zero, or at zero and beside it.
    pub(super) fn around_zero(&mut self, of: (NodeId, usize), own: &[f64]) -> Vec<bool> {
        let spreads = self.widened(of, own);
        let around =
            |(least, greatest): &Spread| *least <= 0.0 && 0.0 <= *greatest && least < greatest;
        spreads.iter().map(around).collect()
    }

    /// The spread of each number, this run's included. Where sizes depend on values, the run stands alone.
    fn widened(&mut self, slot: (NodeId, usize), own: &[f64]) -> Vec<Spread> {
        let known = self.of_slots.entry(slot).or_default();
        if known.len() != own.len() {
            *known = own.iter().map(|&v| (v, v)).collect();
        }
        for ((least, greatest), &v) in known.iter_mut().zip(own) {
            (*least, *greatest) = (least.min(v), greatest.max(v));
        }
        known.clone()
    }
}

/// The rows of both operands between which element `i` of the result is the distance. Leading axes are broadcast.
fn rows_of(i: usize, result: &[usize], operands: [&[usize]; 2]) -> [usize; 2] {
    let rank = result.len();
    let mut left = i;
    let mut place = vec![0; rank];
    for axis in (0..rank).rev() {
        place[axis] = left % result[axis];
        left /= result[axis];
    }
    // The last axis of the result counts the rows of the second operand.
    [(0, place[rank - 2]), (1, place[rank - 1])].map(|(slot, row)| {
        let sizes = operands[slot];
        let lead = (0..rank - 2).fold(0, |at, axis| at * sizes[axis] + place[axis] % sizes[axis]);
        lead * sizes[rank - 2] + row
    })
}
