//! Functions of one integer operand, by TOSA's TABLE ([`kiln_quantised::table`]).
//!
//! The entries are what PyTorch computes: dequantise, the function in f32, quantise. An 8-bit operand has an entry per
//! integer. A 16-bit operand has 513 entries, 128 apart, between which TOSA interpolates. An 8-bit operand with a wider
//! result is multiplied by 128, so that each integer has an entry and nothing is interpolated.

use super::Lowering;
use super::rescale::To;
use super::step::step_of;
use crate::dialect::{TensorId, TosaDtype, TosaOp};
use kiln_eval::Tensor;
use kiln_ir::{Content, DType, Quant, Scalar};
use kiln_quantised::table::{ENTRIES, STRIDE, distances, finest_unit, of_words, places};
use kiln_target::operands::{bytes_within, integers_of};
use kiln_transforms::framework::target::Reason;
use std::sync::Arc;

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
        let to = (to.quant, DType::I8);
        let entries = integers_of(bytes_within(from.quant), from.quant, to, function)?;
        let bytes: Vec<u8> = entries.iter().map(|&entry| entry as u8).collect();
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
