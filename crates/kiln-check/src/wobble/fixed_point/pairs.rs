//! Functions of two values.

use super::factor::{Factor, Way};
use super::{Computation, Element, MULTIPLIER, functions, in_f64, sums};
use kiln_ir::DType;
use kiln_ir::ops::{Binary, BinaryFn};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::cmsis::requantize;
use kiln_quantised::multiplier::Multiplier;
use kiln_quantised::step::CommonStep;

/// The multiplier of 1/2.
const HALF: Multiplier = Multiplier {
    multiplier: 1 << 30,
    shift: 0,
};

/// The relative error of the interpreter's quotients. The interpreter divides reals of f32. Each real is rounded to f32, and so is the scale
/// of which it is a multiple: four roundings in all.
const DEQUANTISED: f64 = 2.0 * f32::EPSILON as f64;

pub(super) fn pair(of: &Computation<'_>, f: BinaryFn) -> Option<Vec<Element>> {
    use BinaryFn::{Add, Div, Max, Min, Mul, Sub};
    let exact = of.exact()?;
    if let Some(slot) = slot_of_function(of, f, exact.len()) {
        return functions::function(of, slot);
    }
    if let Some(slot) = (0..2).find(|&i| of.operands[1 - i].quant().is_none()) {
        return sums::by_channel(of, f, slot);
    }
    match f {
        Max | Min => extreme(of, f, exact),
        // Kernels have one type.
        _ if !of.has_one_type(&[0, 1]) => None,
        Add | Sub => sum(of, f, exact),
        Mul => sums::product(of),
        Div => {
            let nearly = |exact| Element::nearly(exact, MULTIPLIER + DEQUANTISED);
            Some(exact.into_iter().map(nearly).collect())
        }
        _ => None,
    }
}

/// The operand of which an op is a function: the other one is a known number, or the same value.
fn slot_of_function(of: &Computation<'_>, f: BinaryFn, count: usize) -> Option<usize> {
    let has_table = |i: usize| matches!(of.dtype(i), DType::I8 | DType::I16);
    let is_number = |i: usize| of.known[i] && functions::number(&of.operands[i]).is_some();
    let is_of_one = |&i: &usize| {
        of.operands[i].len() == count
            && of.operands[i].quant().is_some()
            && is_number(1 - i)
            && has_table(i)
    };
    let is_of_itself = of.values[0] == of.values[1]
        && of.dtype(0) == DType::I8
        && matches!(f, BinaryFn::Mul | BinaryFn::Div);
    (0..2).find(is_of_one).or(is_of_itself.then_some(0))
}

/// The distances of both operands, repeated to the result's sizes.
fn repeated(of: &Computation<'_>) -> Option<[Vec<f64>; 2]> {
    let own = [of.distances(0)?, of.distances(1)?];
    let add = Binary { f: BinaryFn::Add }.into();
    let nothing = |i: usize| in_f64(&own[i], std::iter::repeat_n(0.0, own[i].len()));
    Some([
        of.evaluated(&add, &[own[0].clone(), nothing(1)])?,
        of.evaluated(&add, &[nothing(0), own[1].clone()])?,
    ])
}

/// The greater or the lesser of operands that are brought to the result's step.
fn extreme(of: &Computation<'_>, f: BinaryFn, exact: Vec<f64>) -> Option<Vec<Element>> {
    let [a, b] = repeated(of)?;
    let [a, b] = [of.brought(0, &a), of.brought(1, &b)];
    let library = match (a, b) {
        (Some(a), Some(b)) => {
            let of_pair = if f == BinaryFn::Max {
                f64::max
            } else {
                f64::min
            };
            a.into_iter().zip(b).map(|(a, b)| of_pair(a, b)).collect()
        }
        _ => exact.clone(),
    };
    let one = |(exact, library)| Element {
        library,
        ..Element::nearly(exact, MULTIPLIER)
    };
    Some(exact.into_iter().zip(library).map(one).collect())
}

/// How operands are brought to a common unit, and their sum to the result's step.
struct Common {
    left_shift: u32,
    operands: [Factor; 2],
    unit: f64,
    sum: Factor,
}

impl Common {
    /// With as many bits to spare as fit.
    fn of(of: &Computation<'_>) -> Option<Common> {
        let steps = [of.step(0)?, of.step(1)?];
        let reaches = [of.reach(0)?.size(), of.reach(1)?.size()];
        let most = if of.to.dtype == DType::I16 { 14 } else { 20 };
        let with = |left_shift| {
            let common = CommonStep::of(steps, left_shift);
            let twice = |by| Factor {
                by,
                way: Way::Twice,
            };
            let [a, b] = common.operands.map(|by| Multiplier::of(by).ok());
            let reach = Reach(common.reach(reaches) as u128 + 2);
            Some(Common {
                left_shift,
                operands: [twice(a?), twice(b?)],
                unit: common.unit,
                sum: twice(of.to.factor(common.unit, reach)?),
            })
        };
        (0..=most).rev().step_by(2).find_map(with)
    }

    /// An operand in units.
    fn units(&self, slot: usize, distance: f64) -> i32 {
        let shifted = (distance as i32).wrapping_shl(self.left_shift);
        requantize(shifted, self.operands[slot].by)
    }

    /// What rounding an operand errs by, in units: nothing where it is halved and has a bit to spare.
    fn rounding(&self, slot: usize) -> f64 {
        let factor = self.operands[slot];
        match factor.by == HALF && self.left_shift > 0 {
            true => 0.0,
            false => 0.5 + factor.first_rounding(),
        }
    }
}

fn sum(of: &Computation<'_>, f: BinaryFn, exact: Vec<f64>) -> Option<Vec<Element>> {
    let common = Common::of(of)?;
    let [a, b] = repeated(of)?;
    let scales = [of.step(0)?.scale, of.step(1)?.scale];
    let roundings = common.unit * (common.rounding(0) + common.rounding(1));
    let one = |(exact, (a, b)): (f64, (f64, f64))| {
        let of_operands = MULTIPLIER * (a.abs() * scales[0] + b.abs() * scales[1]);
        let of_sum = of.to.real(common.sum.error(exact / of.to.step.scale));
        let (x, y) = (common.units(0, a), common.units(1, b));
        let units = match f {
            BinaryFn::Add => x.wrapping_add(y),
            _ => x.wrapping_sub(y),
        };
        Element {
            exact,
            error: of_sum + roundings + of_operands,
            library: of.to.real(common.sum.steps(units.into())),
        }
    };
    let pairs = a.into_iter().zip(b);
    Some(exact.into_iter().zip(pairs).map(one).collect())
}
