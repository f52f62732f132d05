//! What becomes of an error of one step.
//!
//! The library's functions of sums of products round twice ([`kiln_quantised::cmsis::requantize`]): a result may be a step beside the
//! exact one, rounded once. What reads the result multiplies that step by its gain. Up to a gain of 1 the reader's results stay within a
//! step of the exact ones: numbers that are a step apart at most are rounded to integers that are. With a greater gain they may be two
//! steps apart, so what is read is rounded once ([`super::exact`]), which costs nothing.
//!
//! The gain of a reader is the greatest change of its result, in its steps, when one element of its operand changes by one step:
//!
//! | reader | gain |
//! |---|---|
//! | a function of one integer | the greatest difference of neighbouring entries of its table |
//! | a sum, a difference, the greater or lesser, a requantisation | the operand's scale by the result's |
//! | a product | the same, times the greatest size of the other operand |
//! | a quotient | the same, by the least divisor; any for the divisor itself |
//! | a softmax | a quarter of it, as `p (1 - p)` is at most 1/4 |
//!
//! Layers of known weights that read layers, and sums of layers, count as no readers, whatever their gain. Networks of integers are made
//! of them, other compilers call the library for them with the same numbers, and the bits are to be the same from end to end.

use super::Lowering;
use kiln_ir::graph::{Node, Use};
use kiln_ir::ops::{BinaryFn, Quantised, ReduceFn};
use kiln_ir::{DType, Op, ValueId};
use kiln_target::operands::{bytes_within, integers_of};
use std::collections::BTreeSet;

/// The greatest gain that keeps an error of one step within one step.
const MOST_GAIN: f64 = 1.0;

impl Lowering<'_> {
    /// Whether something that reads a node's result, or what it is moved to, may make two steps of one.
    pub(super) fn is_enlarged(&self, node: &Node, q: &Quantised) -> bool {
        let value = node.result();
        let is_layer = matches!(*q.op, Op::Conv(_) | Op::Linear(_));
        let (mut seen, mut next) = (BTreeSet::from([value]), vec![value]);
        while let Some(value) = next.pop() {
            for of in self.graph.value(value).uses() {
                let &Use::Operand(id, slot) = of else {
                    continue;
                };
                let reader = self.graph.node(id);
                let counts = !is_layer || !is_sum(reader);
                if counts && self.gain(reader, slot as usize) > MOST_GAIN {
                    return true;
                }
                next.extend(self.same(reader, value).filter(|&same| seen.insert(same)));
            }
        }
        false
    }

    /// The results that hold the integers of an operand in its own step.
    fn same(&self, reader: &Node, operand: ValueId) -> impl Iterator<Item = ValueId> {
        let keeps = !matches!(reader.op, Op::Quantised(_) | Op::Requantize(_));
        let quant = self.graph.ty(operand).quant.as_ref();
        let results = reader.results.iter().copied();
        results.filter(move |&result| keeps && self.graph.ty(result).quant.as_ref() == quant)
    }

    /// The gain of a reader for an error of an operand; 0 of what keeps its steps, or computes in floats.
    fn gain(&self, reader: &Node, slot: usize) -> f64 {
        let Some(&result) = reader.results.first() else {
            return 0.0;
        };
        let [Ok(from), Ok(to)] = [reader.operands[slot], result].map(|value| self.step(value))
        else {
            return 0.0;
        };
        let ratio = from.scale / to.scale;
        let Op::Quantised(q) = &reader.op else {
            let keeps = !matches!(reader.op, Op::Requantize(_));
            return if keeps { 0.0 } else { ratio };
        };
        if let Some(gain) = self.gain_of_table(reader, q, slot) {
            return gain;
        }
        ratio * self.gain_of_reals(reader, q, slot)
    }

    /// Of an op that is a function of one 8-bit integer.
    fn gain_of_table(&self, reader: &Node, q: &Quantised, slot: usize) -> Option<f64> {
        let value = reader.operands[slot];
        let is_function = matches!(*q.op, Op::Unary(_) | Op::Binary(_));
        if !is_function || self.graph.ty(value).dtype != DType::I8 {
            return None;
        }
        let function = self.function_of(reader, q, slot).ok()?;
        let from = self.quant(value).ok()?;
        let entries = integers_of(bytes_within(from), from, (&q.quant, q.dtype), function).ok()?;
        let steps = entries.windows(2).map(|pair| pair[0].abs_diff(pair[1]));
        Some(steps.max()? as f64)
    }

    /// The greatest change of the real result of an op by a change of 1 of an element of an operand.
    fn gain_of_reals(&self, reader: &Node, q: &Quantised, slot: usize) -> f64 {
        match &*q.op {
            Op::Unary(_) | Op::Conv(_) | Op::Linear(_) => 0.0,
            Op::Softmax(_) => 0.25,
            Op::Reduce(op) if op.f == ReduceFn::Mean => {
                let shape = &self.graph.ty(reader.operands[0]).shape;
                let sizes = op.axes.iter().filter_map(|&axis| shape[axis].as_const());
                1.0 / sizes.product::<i64>().max(1) as f64
            }
            Op::MatMul(_) => self.sizes_of(reader.operands[1 - slot])[1],
            Op::Binary(op) => match (op.f, slot) {
                (BinaryFn::Mul, _) => self.sizes_of(reader.operands[1 - slot])[1],
                (BinaryFn::Div, 0) => 1.0 / self.sizes_of(reader.operands[1])[0],
                (BinaryFn::Div, _) => f64::INFINITY,
                _ => 1.0,
            },
            _ => 1.0,
        }
    }

    /// The least size of the numbers of a value but 0, and the greatest one.
    fn sizes_of(&self, value: ValueId) -> [f64; 2] {
        let known = self.reals(value).unwrap_or_default();
        let sizes = known
            .iter()
            .map(|real| real.abs())
            .filter(|&size| size > 0.0);
        let unknown = || {
            let step = self.step(value).map_or(0.0, |step| step.scale);
            [step, step * self.reach(value).size()]
        };
        let found = sizes.fold(None, |found: Option<[f64; 2]>, size| {
            let [least, greatest] = found.unwrap_or([size; 2]);
            Some([least.min(size), greatest.max(size)])
        });
        found.unwrap_or_else(unknown)
    }
}

fn is_sum(reader: &Node) -> bool {
    let Op::Quantised(q) = &reader.op else {
        return false;
    };
    matches!(&*q.op, Op::Binary(op) if op.f == BinaryFn::Add)
}
