//! Ops that compute on quantised integers.
//!
//! A dense op sums products in 32 bits (48 bits for 16-bit operands), and RESCALE brings the sums to the result's
//! integers with one rounding. Sums, differences, maxima and minima first bring both operands to a common step
//! ([`CommonStep`], with a shift of 20 bits for 8-bit operands and 12 for 16-bit ones). Products need no common step. A
//! function of one operand is a table.

use super::conv::Convolution;
use super::rescale::{From, To};
use super::step::{Goal, Step, step_of};
use super::table::Reals;
use super::weights::Weight;
use super::{Lowering, dtype_of};
use crate::dialect::{NanMode, Negate, TensorId, TosaDtype, TosaOp};
use crate::orders::ROWS;
use kiln_eval::Tensor;
use kiln_ir::graph::Node;
use kiln_ir::ops::{self, BinaryFn, Quantised, ReduceFn, ResizeMode, Simple, UnaryFn};
use kiln_ir::types::QuantScheme;
use kiln_ir::{DType, Op, Quant, Scalar, ValueId};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::parameters::WeightScales;
use kiln_quantised::step::CommonStep;
use kiln_target::operands::{self, run};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;
use std::sync::Arc;

impl Lowering<'_, '_> {
    pub(super) fn quant(&self, value: ValueId) -> Result<&Arc<Quant>, Reason> {
        operands::quant_of(self.graph, value)
    }

    /// The scale and the zero point of a value. TOSA's operators take 16-bit integers only with the zero point 0.
    pub(super) fn step(&self, value: ValueId) -> Result<Step, Reason> {
        operands::step(self.graph, value)
    }

    pub(super) fn quantised(
        &mut self,
        node: &Node,
        q: &Quantised,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let to = Goal::of(q)?;
        let made = match &*q.op {
            Op::Conv(op) => self.quantised_conv(node, op, &to, order)?,
            Op::Linear(_) => self.quantised_linear(node, &to, order)?,
            Op::MatMul(_) => self.quantised_matmul(node, &to)?,
            Op::Unary(op) => match op.f {
                UnaryFn::Simple(Simple::Neg) if self.is_wide_about_zero(node.operands[0]) => {
                    self.times(node.operands[0], -1.0, &to, order)?
                }
                _ => self.quantised_function(node, q, 0, order)?,
            },
            Op::Cast(_) => self.quantised_cast(node, &to, order)?,
            Op::Binary(op) => self.quantised_binary(node, q, op.f, &to, order)?,
            Op::Reduce(op) => self.quantised_reduce(node, op, &to, order)?,
            Op::Pool(op) => self.quantised_pool(node, op, &to, order)?,
            Op::Resize(op) => self.quantised_resize(node, op, &to, order)?,
            other => {
                return Err(Reason::new(
                    "no function in integers computes the op",
                    other.function(),
                ));
            }
        };
        self.within(made, &to)
    }

    /// Clamps the integers to the result's range, if it is narrower than its dtype.
    fn within(&mut self, x: TensorId, to: &Goal) -> Result<TensorId, Reason> {
        match to.narrow {
            Some((min, max)) => self.parts.clamp(x, Scalar::Int(min), Scalar::Int(max)),
            None => Ok(x),
        }
    }

    pub(super) fn requantize(
        &mut self,
        node: &Node,
        quant: &Quant,
        dtype: DType,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let value = node.operands[0];
        let (x, step) = self.signed_operand(value, order)?;
        let (own, quant) = signed(dtype, quant);
        let to = Goal::new(&quant, own)?;
        let made = self.brought_from(x, step, self.reach(value).size(), &to)?;
        let made = self.within(made, &to)?;
        self.in_type(made, dtype)
    }

    /// A quantised operand as signed integers, with what they stand for.
    pub(super) fn signed_operand(
        &mut self,
        value: ValueId,
        order: &Order,
    ) -> Result<(TensorId, Step), Reason> {
        let x = self.operand(value, order)?;
        let dtype = self.graph.ty(value).dtype;
        if dtype != DType::U8 {
            return Ok((x, self.step(value)?));
        }
        let (_, quant) = signed(dtype, self.quant(value)?);
        Ok((self.in_type(x, dtype)?, step_of(&quant)?))
    }

    /// Bytes of the other sign if the type has none: the high bit is turned, which adds or takes 128.
    pub(super) fn in_type(&mut self, x: TensorId, dtype: DType) -> Result<TensorId, Reason> {
        if dtype != DType::U8 {
            return Ok(x);
        }
        let high = self.parts.number(x, -128.0)?;
        self.parts.op(TosaOp::BitwiseXor, &[x, high])
    }

    /// Brings the integers of `value` to the result's scale and zero point.
    pub(super) fn brought(
        &mut self,
        x: TensorId,
        value: ValueId,
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        self.brought_from(x, self.step(value)?, self.reach(value).size(), to)
    }

    fn brought_from(
        &mut self,
        x: TensorId,
        step: Step,
        reach: f64,
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        let zero_point = step.zero_point;
        let from = From { zero_point, reach };
        self.saturated(x, from, &[to.steps_of(step)], to.target())
    }

    fn quantised_conv(
        &mut self,
        node: &Node,
        op: &ops::Conv,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let input = self.step(node.operands[0])?;
        let outputs =
            super::data::known(&self.graph.ty(node.result()).shape[1], &self.graph.symbols)?;
        let weights =
            self.weight_scales(node.operands[1], if op.transposed { 1 } else { 0 }, outputs)?;
        let (x, places) = self.dense_operand(node, order)?;
        let bias = node.operands.get(2).copied();
        let (bias, units) = self.bias_in_units(x, bias, weights.of_sums(input), to)?;
        let weight = self.weight(node.operands[1])?;
        let reach = self.reach_of_products(node, &weight, &bias, !units.rest.is_empty());
        let weight = self.followed(weight, 1, places)?;
        let conv = Convolution {
            op,
            weight,
            bias,
            zero_points: [input.zero_point, weights.zero_point],
            finish: &|this, sum, channels| this.settle_biased(sum, reach, &units, channels, to),
            first: 0,
        };
        self.convolve(x, &conv)
    }

    fn quantised_linear(
        &mut self,
        node: &Node,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let input = self.step(node.operands[0])?;
        let weight = self.weight(node.operands[1])?;
        let outputs = weight.sizes(&self.parts)[0];
        let weights = self.weight_scales(node.operands[1], 0, outputs)?;
        let (x, places) = self.dense_operand(node, order)?;
        let weight = self.followed(weight, 1, places)?;
        let bias = node.operands.get(2).copied();
        let (bias, units) = self.bias_in_units(x, bias, weights.of_sums(input), to)?;
        let reach = self.reach_of_products(node, &weight, &bias, !units.rest.is_empty());
        let Weight::Known(_) = weight else {
            return Err(Reason::new(
                "a linear layer's weight is known",
                "one that is computed",
            ));
        };
        let weight = weight.tensor(&mut self.parts)?;
        let bias = bias.tensor(&mut self.parts)?;
        let zero_points = [input.zero_point, weights.zero_point];
        self.rows_by(x, [weight, bias], zero_points, &|this, sum, channels| {
            this.settle_biased(sum, reach, &units, channels, to)
        })
    }

    fn quantised_matmul(&mut self, node: &Node, to: &Goal) -> Result<TensorId, Reason> {
        let [a, b] = [self.step(node.operands[0])?, self.step(node.operands[1])?];
        let order = Order::plain(self.graph.ty(node.result()).rank());
        let operands = self.operands(node, &order)?;
        let (zero_points, scale) = ([a.zero_point, b.zero_point], a.scale * b.scale);
        let taps = self.parts.shape(operands[0]).last().copied().unwrap_or(1);
        let [x, y] = [node.operands[0], node.operands[1]].map(|value| self.reach(value));
        let reach = Reach::of_products(taps, x, y).size();
        self.product([operands[0], operands[1]], zero_points, &|this, sum, _| {
            this.settle_products(sum, reach, &[scale], to)
        })
    }

    /// The scales of a weight by output channel, and its one zero point.
    fn weight_scales(
        &self,
        value: ValueId,
        channels: usize,
        outputs: usize,
    ) -> Result<WeightScales, Reason> {
        operands::weight_scales(self.graph, value, channels, outputs)
    }

    /// The reals of a known value.
    pub(super) fn reals(&self, value: ValueId) -> Result<Vec<f64>, Reason> {
        operands::reals(self.graph, value)
    }

    /// The op as a function of its operand `slot`. Every other operand is one number.
    fn quantised_function(
        &mut self,
        node: &Node,
        q: &Quantised,
        slot: usize,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let value = node.operands[slot];
        let from = self.quant(value)?.clone();
        let dtype = self.graph.ty(value).dtype;
        let numbers: Vec<Option<f32>> = (0..node.operands.len())
            .map(|i| {
                if i == slot {
                    None
                } else {
                    self.one_number(node.operands[i])
                }
            })
            .collect();
        let x = self.operand(value, order)?;
        let op = (*q.op).clone();
        let (from, to) = (
            Reals {
                quant: &from,
                dtype,
            },
            Reals {
                quant: &q.quant,
                dtype: q.dtype,
            },
        );
        self.table(x, &from, &to, |reals| {
            let operands: Vec<Tensor> = numbers
                .iter()
                .map(|number| match number {
                    Some(number) => Tensor::new([1], vec![*number]),
                    None => reals.clone(),
                })
                .collect();
            run(&op, &operands)
        })
    }

    /// The real of a known value whose elements are all equal.
    fn one_number(&self, value: ValueId) -> Option<f32> {
        operands::one_number(self.graph, value)
    }

    /// An op of which one operand is a number: a table. Products of 16-bit integers with a number are rescaled instead,
    /// since a 16-bit table interpolates.
    fn quantised_with(
        &mut self,
        node: &Node,
        q: &Quantised,
        (f, slot): (BinaryFn, usize),
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let number = self.one_number(node.operands[1 - slot]).map(f64::from);
        let is_plain = self.is_wide_about_zero(node.operands[slot]);
        match number.filter(|&n| n != 0.0 && is_plain) {
            Some(n) if f == BinaryFn::Mul => self.times(node.operands[slot], n, to, order),
            _ => self.quantised_function(node, q, slot, order),
        }
    }

    fn is_wide(&self, value: ValueId) -> bool {
        self.graph.ty(value).dtype == DType::I16
    }

    fn is_wide_about_zero(&self, value: ValueId) -> bool {
        self.is_wide(value) && self.step(value).is_ok()
    }

    /// The product of a number and 16-bit integers with the zero point 0.
    fn times(
        &mut self,
        value: ValueId,
        number: f64,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let from = self.step(value)?;
        let mut x = self.operand(value, order)?;
        if number < 0.0 {
            x = self.parts.op(TosaOp::Negate(Negate::default()), &[x])?;
        }
        self.settle(
            x,
            self.reach(value).size(),
            &[from.single() * number.abs()],
            to,
        )
    }

    /// Plain integers become quantised ones: their real is the integer itself.
    fn quantised_cast(
        &mut self,
        node: &Node,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let dtype = self.graph.ty(node.operands[0]).dtype;
        if !matches!(dtype, DType::I8 | DType::I16) {
            let rule = "integers of 8 and of 16 bits are given a scale, others stay as they are";
            return Err(Reason::new(rule, dtype.name()));
        }
        let x = self.operand(node.operands[0], order)?;
        self.settle(x, f64::from(1u32 << 15), &[1.0], to)
    }

    fn quantised_binary(
        &mut self,
        node: &Node,
        q: &Quantised,
        f: BinaryFn,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let of_one: Vec<usize> = (0..2)
            .filter(|&i| self.one_number(node.operands[1 - i]).is_some())
            .collect();
        let same_sizes = |i: &usize| {
            self.graph.ty(node.operands[*i]).shape == self.graph.ty(node.result()).shape
        };
        if let Some(slot) = of_one.into_iter().find(same_sizes)
            && let Ok(made) = self.quantised_with(node, q, (f, slot), to, order)
        {
            return Ok(made);
        }
        let steps = [self.step(node.operands[0])?, self.step(node.operands[1])?];
        let [a, b] = self.operands(node, order)?[..] else {
            return Err(Reason::new(
                "the op has two operands",
                node.operands.len().to_string(),
            ));
        };
        match f {
            BinaryFn::Add | BinaryFn::Sub => {
                let op = match f {
                    BinaryFn::Add => TosaOp::Add,
                    _ => TosaOp::Sub,
                };
                let ([a, b], scale, reach) = self.aligned(node, [a, b], to)?;
                let sum = self.parts.op(op, &[a, b])?;
                self.settle(sum, reach, &[scale], to)
            }
            BinaryFn::Mul => {
                let a = self.rescale(a, steps[0].zero_point, &[1.0], To::WORDS)?;
                let b = self.rescale(b, steps[1].zero_point, &[1.0], To::WORDS)?;
                let product = self.parts.op(TosaOp::Mul { shift: 0 }, &[a, b])?;
                let [x, y] = [node.operands[0], node.operands[1]].map(|value| self.reach(value));
                let reach = Reach::of_products(1, x, y).size();
                self.settle(product, reach, &[steps[0].scale * steps[1].scale], to)
            }
            BinaryFn::Max | BinaryFn::Min => {
                let nan_mode = NanMode::Propagate;
                let op = if f == BinaryFn::Max {
                    TosaOp::Maximum { nan_mode }
                } else {
                    TosaOp::Minimum { nan_mode }
                };
                let ([a, b], scale, reach) = self.aligned(node, [a, b], to)?;
                let extreme = self.parts.op(op, &[a, b])?;
                self.settle(extreme, reach, &[scale], to)
            }
            other => Err(Reason::new(
                "no function in integers computes the op",
                other.text(),
            )),
        }
    }

    /// Both operands in 32 bits and in a common step, the real of its unit, and the reach of their sum. The unit is
    /// such that the coarser operand is multiplied by a power of two, which Ethos-U does while it adds.
    fn aligned(
        &mut self,
        node: &Node,
        operands: [TensorId; 2],
        to: &Goal,
    ) -> Result<([TensorId; 2], f64, f64), Reason> {
        let values = [node.operands[0], node.operands[1]];
        let steps = [self.step(values[0])?, self.step(values[1])?];
        let spare = |&x: &TensorId| match self.parts.dtype(x) {
            TosaDtype::I8 => 20,
            TosaDtype::I16 => 12,
            _ => 1,
        };
        let spare = operands.iter().map(spare).min().unwrap_or(1);
        let common = CommonStep::of(steps, spare);
        if common.forgets(to.step.scale) {
            return Err(Reason::new(
                "operands of an integer sum or extreme have scales less than some 2^19 apart",
                format!("scales {:e} and {:e}", steps[0].scale, steps[1].scale),
            ));
        }
        let mut aligned = operands;
        for ((x, step), units) in aligned.iter_mut().zip(steps).zip(common.units()) {
            *x = self.rescale(*x, step.zero_point, &[units], To::WORDS)?;
        }
        let reach = common.reach(values.map(|value| self.reach(value).size()));
        Ok((aligned, common.unit, reach))
    }

    fn quantised_reduce(
        &mut self,
        node: &Node,
        op: &ops::Reduce,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let from = self.step(node.operands[0])?;
        let x = self.operand(node.operands[0], order)?;
        let mut axes: Vec<usize> = op
            .axes
            .iter()
            .map(|&axis| order.position(axis, ROWS))
            .collect();
        axes.sort_unstable();
        let count: usize = axes.iter().map(|&axis| self.parts.shape(x)[axis]).product();
        match op.f {
            ReduceFn::Max | ReduceFn::Min => {
                let extreme = self.fold(x, op.f, &axes)?;
                self.brought(extreme, node.operands[0], to)
            }
            ReduceFn::Sum | ReduceFn::Mean => {
                let reach = count as f64 * self.reach(node.operands[0]).size();
                if reach >= f64::from(i32::MAX) {
                    let found = format!("{count} elements");
                    return Err(Reason::new("a sum fits 32 bits", found));
                }
                let words = self.rescale(x, from.zero_point, &[1.0], To::WORDS)?;
                let sum = self.fold(words, ReduceFn::Sum, &axes)?;
                let is_own = op.f == ReduceFn::Mean && from == to.step && to.dtype == DType::I8;
                if is_own && self.has_ties(x, count) {
                    return self.tied(sum, count, from);
                }
                let parts = if op.f == ReduceFn::Mean {
                    count as f64
                } else {
                    1.0
                };
                self.settle(sum, reach, &[from.single() / parts], to)
            }
            other => Err(Reason::new(
                "no function in integers computes the op",
                other.text(),
            )),
        }
    }

    fn quantised_resize(
        &mut self,
        node: &Node,
        op: &ops::Resize,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let from = self.step(node.operands[0])?;
        let sampled = self.resize(node, op, order)?;
        if op.mode == ResizeMode::Nearest || self.parts.dtype(sampled) == dtype_of(to.dtype)? {
            return self.brought(sampled, node.operands[0], to);
        }
        // The weights of a sample add up to the product of both numerators.
        let parts = self.resize_unit(node, op)?;
        if from == to.step {
            let own = To {
                dtype: dtype_of(to.dtype)?,
                zero_point: 0,
            };
            return self.rescale(sampled, 0, &[1.0 / parts], own);
        }
        let zero = f64::from(from.zero_point) * parts;
        let from_zero = match zero == 0.0 {
            true => sampled,
            false => {
                let zero = self.parts.number(sampled, zero)?;
                self.parts.op(TosaOp::Sub, &[sampled, zero])?
            }
        };
        let reach = self.reach(node.operands[0]).size() * parts;
        self.settle(from_zero, reach, &[from.single() / parts], to)
    }

    /// A clamp whose bounds are reals, by the integers of the bounds.
    pub(super) fn quantised_clamp(
        &mut self,
        node: &Node,
        min: Option<Scalar>,
        max: Option<Scalar>,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let quant = self.quant(node.operands[0])?.clone();
        let step = step_of(&quant)?;
        let x = self.operand(node.operands[0], order)?;
        let bound = |real: Scalar| step.integer(real.as_f64(), quant.min, quant.max);
        let (min, max) = (min.map_or(quant.min, bound), max.map_or(quant.max, bound));
        self.parts
            .clamp(x, Scalar::Int(min.min(max)), Scalar::Int(max))
    }

    /// The integer of a real that fills a border.
    pub(super) fn quantised_value(&self, value: ValueId, real: Scalar) -> Result<Scalar, Reason> {
        operands::integer(self.graph, value, real).map(Scalar::Int)
    }
}

/// The signed integers of a type, and what they stand for: those of bytes without a sign are less by 128.
pub(super) fn signed(dtype: DType, quant: &Quant) -> (DType, Quant) {
    const HALF: i64 = 128;
    if dtype != DType::U8 {
        return (dtype, quant.clone());
    }
    let mut quant = quant.clone();
    if let QuantScheme::PerTensor { zero_point, .. } = &mut quant.scheme {
        *zero_point -= HALF;
    }
    (quant.min, quant.max) = (quant.min - HALF, quant.max - HALF);
    (DType::I8, quant)
}
