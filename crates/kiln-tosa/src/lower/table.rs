//! Functions of one integer operand, by TOSA's TABLE ([`kiln_quantised::table`]).
//!
//! The entries are what PyTorch computes: dequantise, the function in f32, quantise. An 8-bit operand has an entry per
//! integer. A 16-bit operand has 513 entries, 128 apart, between which TOSA interpolates. An 8-bit operand with a wider
//! result is multiplied by 128, so that each integer has an entry and nothing is interpolated.

use super::Lowering;
use super::rescale::To;
use super::step::step_of;
use crate::dialect::{TensorId, TosaDtype, TosaOp};
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::{Dequantize, Quantize};
use kiln_ir::{Content, DType, Op, Quant, Scalar};
use kiln_quantised::table::{ENTRIES, STRIDE, distances, finest_unit, of_words, places};
use kiln_transforms::framework::target::Reason;
use std::sync::Arc;

/// The memory in which a table is computed, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// A quantisation: parameters and dtype.
pub(crate) struct Reals<'q> {
    pub(crate) quant: &'q Arc<Quant>,
    pub(crate) dtype: DType,
}

fn failed(what: impl ToString) -> Reason {
    Reason::new("the function can be tabled", what.to_string())
}

impl Lowering<'_, '_> {
    /// The table of a function of f32, applied to each element.
    pub(crate) fn table(
        &mut self,
        x: TensorId,
        from: &Reals<'_>,
        to: &Reals<'_>,
        function: impl FnOnce(Tensor) -> Result<Tensor, Reason>,
    ) -> Result<TensorId, Reason> {
        match (from.dtype, to.dtype) {
            (DType::I8, DType::I8) => self.small_table(x, from, to, function),
            (DType::I8 | DType::I16, DType::I8 | DType::I16 | DType::I32) => {
                self.wide_table(x, from, to, function)
            }
            (from, to) => Err(failed(format!("a function of {from} to {to}"))),
        }
    }

    fn small_table(
        &mut self,
        x: TensorId,
        from: &Reals<'_>,
        to: &Reals<'_>,
        function: impl FnOnce(Tensor) -> Result<Tensor, Reason>,
    ) -> Result<TensorId, Reason> {
        let codes = (-128..=127i64).map(|c| c.clamp(from.quant.min, from.quant.max) as i8);
        let integers = Tensor::new([256], codes.collect::<Vec<i8>>());
        let integers = integers.with_quant(Some(from.quant.clone()));
        let reals = run(&Dequantize { dtype: DType::F32 }.into(), &[integers])?;
        let quantize = Quantize {
            quant: to.quant.clone(),
            dtype: DType::I8,
        };
        let entries = run(&quantize.into(), &[function(reals)?])?;
        let bytes: Vec<u8> = entries.scalars().iter().map(|s| s.as_i64() as u8).collect();
        let table = Content::from(bytes::Bytes::from(bytes));
        self.parts.op(TosaOp::Table { table }, &[x])
    }

    fn wide_table(
        &mut self,
        x: TensorId,
        from: &Reals<'_>,
        to: &Reals<'_>,
        function: impl FnOnce(Tensor) -> Result<Tensor, Reason>,
    ) -> Result<TensorId, Reason> {
        let (step, goal) = (step_of(from.quant)?, step_of(to.quant)?);
        let is_small = from.dtype == DType::I8;
        let reals: Vec<f32> = match is_small {
            true => distances()
                .map(|d| (d as f64 * step.scale) as f32)
                .collect(),
            false => places().map(|place| step.real(place) as f32).collect(),
        };
        let results = function(Tensor::new([ENTRIES], reals))?;
        let results: Vec<f64> = results.scalars().into_iter().map(Scalar::as_f64).collect();
        // Entries in the result's own steps are rounded once. For other results the entries have the finest unit.
        let entry = match to.dtype {
            DType::I16 => goal.scale,
            _ => finest_unit(results.iter().copied()),
        };
        let entries = of_words(results, entry).into_iter();
        let bytes: Vec<u8> = entries.flat_map(i16::to_le_bytes).collect();
        let x = match is_small {
            true => {
                let to = To {
                    dtype: TosaDtype::I16,
                    zero_point: 0,
                };
                self.rescale(x, step.zero_point, &[STRIDE as f64], to)?
            }
            false => x,
        };
        let table = Content::from(bytes::Bytes::from(bytes));
        let looked_up = self.parts.op(TosaOp::Table { table }, &[x])?;
        let to = To {
            dtype: super::dtype_of(to.dtype)?,
            zero_point: goal.zero_point,
        };
        self.rescale(looked_up, 0, &[entry / goal.scale / STRIDE as f64], to)
    }
}

/// One op on tensors.
///
/// # Errors
/// If it has no value.
pub(crate) fn run(op: &Op, operands: &[Tensor]) -> Result<Tensor, Reason> {
    let mut bindings = Bindings::default();
    let results = evaluate_op(op, operands, &mut bindings, MAX_BYTES).map_err(failed)?;
    let first = results.into_iter().next();
    first.ok_or_else(|| failed("no result"))
}
