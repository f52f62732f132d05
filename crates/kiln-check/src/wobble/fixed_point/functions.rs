//! Functions of one integer, by tables.

use super::{Computation, Element, FUNCTION, SINGLE, in_f64};
use crate::numbers::numbers;
use crate::wobble::reals::evaluated;
use kiln_eval::Tensor;
use kiln_ir::ops::{Dequantize, Quantize};
use kiln_ir::{DType, Op};
use kiln_quantised::table::{interpolated, of_words, places};

/// The one number that a tensor holds.
pub(super) fn number(tensor: &Tensor) -> Option<f64> {
    let all = numbers(tensor);
    let (&first, rest) = all.split_first()?;
    rest.iter().all(|&other| other == first).then_some(first)
}

/// The op as a function of its operand `slot`. Its table has what f32 gives for each integer. A function of 16-bit integers may have a
/// table of fewer entries, if that is within a step everywhere.
pub(super) fn function(of: &Computation<'_>, slot: usize) -> Option<Vec<Element>> {
    let exact = of.exact()?;
    let lost = lost(of, slot, &exact)?;
    let function = Function::of(of, slot)?;
    let words = match (of.dtype(slot), of.to.dtype) {
        (DType::I16, DType::I16) => function.words(),
        _ => None,
    };
    let is_near = words.is_some();
    let entries = match words {
        Some(entries) => entries,
        None => function.entries(of.operands[slot].clone())?,
    };
    let zero_point = f64::from(of.to.step.zero_point);
    let ends = of.to.ends();
    let all = exact.into_iter().zip(lost).zip(entries);
    let one = |((exact, lost), entry): ((f64, f64), f64)| Element {
        // A chord is a step off an entry that saturates, wherever the function itself goes.
        exact: if is_near {
            exact.clamp(ends[0], ends[1])
        } else {
            exact
        },
        error: lost + if is_near { of.to.step.scale } else { 0.0 },
        library: of.to.real(entry - zero_point),
    };
    Some(all.map(one).collect())
}

/// How far the reals of entries are from the exact ones. f32 rounds the scale of an operand and its real, which the function may
/// enlarge; the interpreter does the same before a steep function. Then come the roundings of the function itself.
fn lost(of: &Computation<'_>, slot: usize, exact: &[f64]) -> Option<Vec<f64>> {
    let reals = of.reals()?;
    let own = numbers(&reals[slot]);
    let sizes = own.iter().zip(exact).map(|(x, y)| x.abs().max(y.abs()));
    let mut lost: Vec<f64> = sizes.map(|size| FUNCTION * size).collect();
    if of.op.is_steep() {
        return Some(lost);
    }
    for operand in 0..reals.len() {
        let mut greatest = vec![0f64; exact.len()];
        for by in [1.0 - 2.0 * SINGLE, 1.0 + 2.0 * SINGLE] {
            let mut moved = reals.clone();
            let own = numbers(&reals[operand]).into_iter();
            moved[operand] = in_f64(&reals[operand], own.map(|x| x * by));
            let found = of.evaluated(of.op, &moved)?;
            for ((most, found), exact) in greatest.iter_mut().zip(found).zip(exact) {
                // NaN, as the difference of infinities, is none.
                *most = most.max((found - exact).abs());
            }
        }
        lost.iter_mut()
            .zip(greatest)
            .for_each(|(all, one)| *all += one);
    }
    Some(lost)
}

/// A function of one operand.
struct Function<'f, 'c> {
    of: &'f Computation<'c>,
    slot: usize,
    /// The other operands; `None` for the same one.
    others: Vec<Option<Tensor>>,
}

impl<'f, 'c> Function<'f, 'c> {
    fn of(of: &'f Computation<'c>, slot: usize) -> Option<Function<'f, 'c>> {
        let reals = of.reals()?;
        let other = |i: usize| match of.values[i] == of.values[slot] {
            true => Some(None),
            false => {
                let number = number(&reals[i])? as f32;
                Some(Some(Tensor::new([1], vec![number])))
            }
        };
        let others = (0..reals.len()).map(other).collect::<Option<_>>()?;
        Some(Function { of, slot, others })
    }

    /// In f32.
    fn reals(&self, x: &Tensor) -> Option<Tensor> {
        let operand = |other: &Option<Tensor>| other.as_ref().unwrap_or(x).clone();
        let operands: Vec<Tensor> = self.others.iter().map(operand).collect();
        evaluated(self.of.graph, self.of.op, &operands)
    }

    /// What integers become, each by itself.
    fn entries(&self, integers: Tensor) -> Option<Vec<f64>> {
        let dtype = DType::F32;
        let graph = self.of.graph;
        // The other operands are numbers of one axis.
        let quant = integers.quant().cloned();
        let flat = integers.reshaped(vec![integers.len()]).ok()?;
        let integers = flat.with_quant(quant);
        let reals = evaluated(graph, &Dequantize { dtype }.into(), &[integers])?;
        let quantize = Quantize {
            quant: self.of.to.quant.clone(),
            dtype: self.of.to.dtype,
        };
        let found = evaluated(graph, &Op::from(quantize), &[self.reals(&reals)?])?;
        Some(numbers(&found))
    }

    /// What 16-bit integers become by 513 entries; `None` where some integer would be off by more than a step.
    fn words(&self) -> Option<Vec<f64>> {
        let x = &self.of.operands[self.slot];
        let (from, to) = (self.of.step(self.slot)?, self.of.to.step);
        let stand: Vec<f32> = places().map(|place| from.real(place) as f32).collect();
        let few = numbers(&self.reals(&Tensor::new([stand.len()], stand))?);
        let zero = to.real(2 * i64::from(to.zero_point));
        let few = of_words(few.into_iter().map(|real| real + zero), to.scale);
        let quant = x.quant()?;
        let of = |x: i16| f64::from((interpolated(&few, x) + 64) >> 7);
        let codes = (-32_768..=32_767i64).map(|c| c.clamp(quant.min, quant.max) as i16);
        let codes = Tensor::new([65_536], codes.collect::<Vec<i16>>());
        let entries = self.entries(codes.with_quant(Some(quant.clone())))?;
        let pairs = (i16::MIN..=i16::MAX).zip(entries);
        let mut is_near = pairs.map(|(x, exact)| (of(x) - exact).abs() <= 1.0);
        if !is_near.all(|near| near) {
            return None;
        }
        Some(x.elements::<i16>()?.iter().map(|&x| of(x)).collect())
    }
}
