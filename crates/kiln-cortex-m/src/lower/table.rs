//! Functions of one integer, by tables.
//!
//! An entry is what PyTorch computes: dequantise, the function in f32, quantise. 8-bit integers have an entry each. 16-bit
//! integers have 513 entries, between which the kernel interpolates, if that is within a step everywhere; otherwise they have an
//! entry each.

use super::goal::{Goal, step_of};
use super::parts::TensorId;
use super::{Lowering, Order};
use crate::dialect::{Activation, Dtype, Function, Requantise, Scaling, Table};
use kiln_eval::Tensor;
use kiln_ir::graph::Node;
use kiln_ir::ops::Quantised;
use kiln_ir::{DType, Quant, Scalar};
use kiln_quantised::table::{interpolated, of_words, places};
use kiln_target::operands::{bytes_within, integers_of, run, words_within};
use kiln_transforms::framework::target::Reason;
use std::sync::Arc;

fn failed(what: impl ToString) -> Reason {
    Reason::new("the function can be tabled", what.to_string())
}

impl Lowering<'_> {
    /// The op as a function of its operand `slot`. Every other operand is the same value, or one number.
    pub(super) fn quantised_function(
        &mut self,
        node: &Node,
        q: &Quantised,
        slot: usize,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let value = node.operands[slot];
        let from = self.quant(value)?.clone();
        let function = self.function_of(node, q, slot)?;
        let x = self.operand(value, order)?;
        let to = (&q.quant, q.dtype);
        match (self.parts.dtype(x), Goal::of(q)?.dtype) {
            (Dtype::I8, Dtype::I8 | Dtype::I16) => self.table_of_bytes(x, &from, to, &function),
            (Dtype::I16, Dtype::I16) => self.table_of_words(x, &from, to, &function),
            (Dtype::I16, Dtype::I8) => self.table_to_bytes(x, &from, to, &function),
            (from, to) => Err(failed(format!("a function of {from} to {to}"))),
        }
    }

    /// The op on the reals of its operand `slot`.
    ///
    /// # Errors
    /// If another operand is neither the same value nor one number.
    pub(super) fn function_of(
        &self,
        node: &Node,
        q: &Quantised,
        slot: usize,
    ) -> Result<impl Fn(Tensor) -> Result<Tensor, Reason> + use<>, Reason> {
        let value = node.operands[slot];
        let count = node.operands.len();
        let others = (0..count).filter(|&i| node.operands[i] != value);
        let numbers: Vec<(usize, f32)> = others
            .map(|i| {
                let number = self.one_number(node.operands[i]);
                let number = number.ok_or_else(|| failed("an operand that is no number"))?;
                Ok((i, number))
            })
            .collect::<Result<_, Reason>>()?;
        let op = (*q.op).clone();
        Ok(move |reals: Tensor| {
            let mut operands = vec![reals; count];
            for &(i, number) in &numbers {
                operands[i] = Tensor::new([1], vec![number]);
            }
            run(&op, &operands)
        })
    }

    fn looked_up(
        &mut self,
        x: TensorId,
        function: Function,
        (dtype, entries): (Dtype, &[i64]),
    ) -> Result<TensorId, Reason> {
        let bytes: Vec<u8> = match dtype {
            Dtype::I8 => entries.iter().map(|&e| e as i8 as u8).collect(),
            _ => entries
                .iter()
                .flat_map(|&e| (e as i16).to_le_bytes())
                .collect(),
        };
        let table = self.parts.constant("table", dtype, &[entries.len()], bytes);
        let sizes = self.parts.sizes(x).to_vec();
        let y = self.parts.temporary(dtype, &sizes);
        let size = super::parts::int(self.parts.elements(x))?;
        let slots = [Some(table), Some(x), Some(y)];
        self.parts.call(function, Table { size }, &slots)?;
        Ok(y)
    }

    fn table_of_bytes(
        &mut self,
        x: TensorId,
        from: &Arc<Quant>,
        to: (&Arc<Quant>, DType),
        function: &dyn Fn(Tensor) -> Result<Tensor, Reason>,
    ) -> Result<TensorId, Reason> {
        let entries = integers_of(bytes_within(from), from, to, function)?;
        match to.1 {
            DType::I8 => self.looked_up(x, Function::KilnTableS8, (Dtype::I8, &entries)),
            _ => self.looked_up(x, Function::KilnTableS8S16, (Dtype::I16, &entries)),
        }
    }

    fn table_of_words(
        &mut self,
        x: TensorId,
        from: &Arc<Quant>,
        to: (&Arc<Quant>, DType),
        function: &dyn Fn(Tensor) -> Result<Tensor, Reason>,
    ) -> Result<TensorId, Reason> {
        let entries = integers_of(words_within(from), from, to, function)?;
        let (step, goal) = (step_of(from)?, step_of(to.0)?);
        let reals: Vec<f32> = places().map(|place| step.real(place) as f32).collect();
        let few = function(Tensor::new([reals.len()], reals))?;
        let few = few.scalars().into_iter().map(Scalar::as_f64);
        let few = of_words(
            few.map(|r| r + f64::from(goal.zero_point) * goal.scale),
            goal.scale,
        );
        // The range may be narrower than the type.
        let [least, most] = [to.0.min, to.0.max].map(|end| end as i16);
        let few: Vec<i16> = few.into_iter().map(|n| n.clamp(least, most)).collect();
        let is_near = entries.iter().enumerate().all(|(i, &exact)| {
            let found = (interpolated(&few, (i as i64 - 32_768) as i16) + 64) >> 7;
            (i64::from(found) - exact).abs() <= 1
        });
        if is_near {
            let few: Vec<i64> = few.into_iter().map(i64::from).collect();
            return self.looked_up(x, Function::KilnTableInterpolatedS16, (Dtype::I16, &few));
        }
        self.looked_up(x, Function::KilnTableS16, (Dtype::I16, &entries))
    }

    /// A function of 16-bit integers with 8-bit results: the entries are 16-bit integers, which are then narrowed.
    fn table_to_bytes(
        &mut self,
        x: TensorId,
        from: &Arc<Quant>,
        to: (&Arc<Quant>, DType),
        function: &dyn Fn(Tensor) -> Result<Tensor, Reason>,
    ) -> Result<TensorId, Reason> {
        let entries = integers_of(words_within(from), from, to, function)?;
        let wide = self.looked_up(x, Function::KilnTableS16, (Dtype::I16, &entries))?;
        let range = Activation {
            min: to.0.min as i32,
            max: to.0.max as i32,
        };
        self.limited(wide, Dtype::I8, range)
    }

    /// The integers clamped to a range, perhaps in another type.
    pub(super) fn limited(
        &mut self,
        x: TensorId,
        dtype: Dtype,
        range: Activation,
    ) -> Result<TensorId, Reason> {
        self.rescaled(
            x,
            dtype,
            &Scaling {
                input_offset: 0,
                multiplier: 1 << 30,
                shift: 1,
                output_offset: 0,
                activation: range,
            },
        )
    }

    /// The integers requantised to another scale, zero point or type.
    pub(super) fn rescaled(
        &mut self,
        x: TensorId,
        dtype: Dtype,
        scaling: &Scaling,
    ) -> Result<TensorId, Reason> {
        let function = match (self.parts.dtype(x), dtype) {
            (Dtype::I8, Dtype::I8) => Function::KilnRequantizeS8S8,
            (Dtype::I8, Dtype::I16) => Function::KilnRequantizeS8S16,
            (Dtype::I16, Dtype::I8) => Function::KilnRequantizeS16S8,
            (Dtype::I16, Dtype::I16) => Function::KilnRequantizeS16S16,
            (Dtype::I32, Dtype::I8) => Function::KilnRequantizeS32S8,
            (Dtype::I32, Dtype::I16) => Function::KilnRequantizeS32S16,
            (from, to) => {
                return Err(Reason::new(
                    "a function brings integers to the type",
                    format!("{from} to {to}"),
                ));
            }
        };
        let sizes = self.parts.sizes(x).to_vec();
        let y = self.parts.temporary(dtype, &sizes);
        let size = super::parts::int(self.parts.elements(x))?;
        let scaling = scaling.clone();
        self.parts
            .call(function, Requantise { scaling, size }, &[Some(x), Some(y)])?;
        Ok(y)
    }
}
