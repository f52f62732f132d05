//! Sums of products with a factor: layers, products of matrices, products of two values, and known floats by channel.

use super::factor::{Factor, Way};
use super::weights::{Channel, Weights};
use super::{Computation, Element, SINGLE, in_f64};
use crate::numbers::numbers;
use kiln_eval::Tensor;
use kiln_ir::DType;
use kiln_ir::Op;
use kiln_ir::ops::{Binary, BinaryFn};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::bias::UnitBias;
use kiln_quantised::channel::range_of_sums;
use kiln_quantised::multiplier::Multiplier;

/// How many units a step of an operand has in a sum with known floats.
const PARTS: i64 = 64;

/// A sum with its factor.
pub(super) struct Sum {
    /// In units, with the bias.
    pub sum: f64,
    pub factor: Factor,
    /// What the bias lacks, as a real.
    pub rest: f64,
}

impl Sum {
    pub fn element(&self, of: &Computation<'_>, exact: f64) -> Element {
        let error = of.to.real(self.factor.error(exact / of.to.step.scale));
        Element {
            exact,
            error: error + self.rest,
            library: of.to.real(self.factor.steps(self.sum)),
        }
    }
}

/// A bias in whole units, and what it lacks.
pub(super) fn whole(real: f64, unit: f64, is_wide: bool) -> (i64, f64) {
    let (least, greatest) = range_of_sums(is_wide);
    let found = UnitBias::of(&[real], &[unit], least, greatest);
    let lacks = (real - found.whole[0] as f64 * unit).abs();
    (found.whole[0], if lacks.is_nan() { 0.0 } else { lacks })
}

/// How the library multiplies the sums of a layer: those of 16-bit operands that fit 32 bits as those of 8-bit ones.
pub(super) fn ways(
    of: &Computation<'_>,
    channels: &[(Multiplier, Reach)],
    is_depthwise: bool,
) -> Vec<Factor> {
    let fits = |(by, reach): &(Multiplier, Reach)| by.shift <= 0 && reach.fits(32);
    let is_wide = of.to.dtype == DType::I16 && (is_depthwise || !channels.iter().all(fits));
    let one = |&(by, _): &(Multiplier, Reach)| match is_wide {
        true => Factor { by, way: Way::Wide },
        false => Factor::of_library(of, by),
    };
    channels.iter().map(one).collect()
}

/// A layer, or a product of matrices.
pub(super) fn layer(of: &Computation<'_>) -> Option<Vec<Element>> {
    if !of.has_one_type(&[0]) {
        return None;
    }
    let exact = of.exact()?;
    let own = [of.distances(0)?, of.distances(1)?];
    let sums = of.evaluated(of.op, &own)?;
    if let Op::MatMul(_) = of.op {
        let factor = product_factor(of)?;
        let pairs = exact.into_iter().zip(sums);
        let one = |(exact, sum)| {
            let rest = 0.0;
            Sum { sum, factor, rest }.element(of, exact)
        };
        return Some(pairs.map(one).collect());
    }
    let weights = Weights::of(of)?;
    let channels = weights.channels(of)?;
    let factors = channels.iter().map(|c| {
        let reach = c.reach.with_bias(c.bias);
        Some((of.to.wide_factor(c.unit)?, reach))
    });
    let factors = ways(
        of,
        &factors.collect::<Option<Vec<_>>>()?,
        weights.is_depthwise,
    );
    let inner = weights.inner(of, sums.len());
    let pairs = exact.into_iter().zip(sums).enumerate();
    let one = |(i, (exact, sum))| {
        let at = i / inner % channels.len();
        let Channel { bias, rest, .. } = channels[at];
        let sum = Sum {
            sum: sum + bias as f64,
            factor: factors[at],
            rest,
        };
        sum.element(of, exact)
    };
    Some(pairs.map(one).collect())
}

/// The factor of products of two values.
fn product_factor(of: &Computation<'_>) -> Option<Factor> {
    let unit = of.step(0)?.scale * of.step(1)?.scale;
    let by = of.to.wide_factor(unit)?;
    Some(match of.dtype(0) {
        DType::I16 => Factor { by, way: Way::Wide },
        _ => Factor::of_library(of, by),
    })
}

/// The product of two values, element by element. Where axes are repeated, or readers enlarge a step, Kiln's own kernel rounds once.
pub(super) fn product(of: &Computation<'_>) -> Option<Vec<Element>> {
    let exact = of.exact()?;
    let sums = of.evaluated(of.op, &[of.distances(0)?, of.distances(1)?])?;
    let unit = of.step(0)?.scale * of.step(1)?.scale;
    let by = of.to.wide_factor(unit)?;
    let is_repeated = of.operands.iter().any(|t| t.len() != sums.len());
    let way = match is_repeated || of.is_once {
        true => Way::Once,
        false => Way::Twice,
    };
    let factor = Factor { by, way };
    let pairs = exact.into_iter().zip(sums);
    let one = |(exact, sum)| {
        let rest = 0.0;
        Sum { sum, factor, rest }.element(of, exact)
    };
    Some(pairs.map(one).collect())
}

/// The operand in `slot` with a known float for each channel, as a depthwise convolution of windows of one element.
pub(super) fn by_channel(of: &Computation<'_>, f: BinaryFn, slot: usize) -> Option<Vec<Element>> {
    use BinaryFn::{Add, Div, Mul, Sub};
    if !of.has_one_type(&[slot]) {
        return None;
    }
    let exact = of.exact()?;
    let known = &of.operands[1 - slot];
    let x = of.distances(slot)?;
    let ones = in_f64(&x, numbers(&x).iter().map(|_| 1.0));
    let in_f64 = Tensor::new(known.sizes().to_vec(), numbers(known));
    let floats = of.evaluated(&Binary { f: Mul }.into(), &[ones, in_f64])?;
    let scale = of.step(slot)?.scale;
    let channel = |c: f64| -> Option<(f64, f64, f64)> {
        let unit = scale / PARTS as f64;
        Some(match (f, slot) {
            (Add, _) => (PARTS as f64, unit, c),
            (Sub, 0) => (PARTS as f64, unit, -c),
            (Sub, _) => (-PARTS as f64, unit, c),
            (Mul, _) => (signum(c), scale * c.abs(), 0.0),
            (Div, 0) => (signum(c), scale / c.abs(), 0.0),
            _ => return None,
        })
    };
    let is_wide = of.dtype(slot) == DType::I16;
    let reach = Reach::of_products(1, of.reach(slot)?, Reach(PARTS as u128));
    let mut sums = Vec::with_capacity(exact.len());
    for (x, c) in numbers(&x).into_iter().zip(floats) {
        let (weight, unit, bias) = channel(c)?;
        let (bias, rest) = whole(bias, unit, is_wide);
        let by = of.to.wide_factor(unit)?;
        sums.push((x * weight + bias as f64, rest, (by, reach.with_bias(bias))));
    }
    let channels: Vec<(Multiplier, Reach)> = sums.iter().map(|s| s.2).collect();
    let factors = ways(of, &channels, known.len() > 1);
    let all = sums.into_iter().zip(factors).zip(exact);
    // The interpreter takes the reals of steep ops in f32.
    let rounding = if of.op.is_steep() { SINGLE } else { 0.0 };
    let one = |(((sum, rest, _), factor), exact): (((f64, f64, _), _), f64)| {
        let rest = rest + exact.abs() * rounding;
        Sum { sum, factor, rest }.element(of, exact)
    };
    Some(all.map(one).collect())
}

fn signum(c: f64) -> f64 {
    if c == 0.0 { 0.0 } else { c.signum() }
}
