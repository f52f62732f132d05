//! Functions of one integer, by TOSA's TABLE.
//!
//! Of 8 bits each integer has its entry. Of 16 bits there are 513, a step of 128 apart, between which TOSA interpolates
//! with 7 fractional bits. Entries are what PyTorch computes: dequantised, the function in f32, quantised.

use super::Lowering;
use super::rescale::To;
use crate::dialect::{TensorId, TosaDtype, TosaOp};
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::{Dequantize, Quantize};
use kiln_ir::{Content, DType, Op, Quant, Scalar};
use kiln_transforms::target::Reason;
use std::sync::Arc;

/// Memory for a table that is being made.
const MOST_BYTES: u64 = 1 << 20;

/// The integers at which a table has entries.
fn codes(dtype: DType) -> Vec<i64> {
    match dtype {
        DType::I8 => (-128..=127).collect(),
        _ => (0..=512).map(|i| -32_768 + 128 * i).collect(),
    }
}

/// What stands for reals.
pub(crate) struct Reals<'q> {
    pub(crate) quant: &'q Arc<Quant>,
    pub(crate) dtype: DType,
}

fn failed(what: impl ToString) -> Reason {
    Reason::new("the function can be tabled", what.to_string())
}

impl Lowering<'_, '_> {
    /// What the function of f32 makes of each element.
    pub(crate) fn table(
        &mut self,
        x: TensorId,
        from: &Reals<'_>,
        to: &Reals<'_>,
        function: impl FnOnce(Tensor) -> Result<Tensor, Reason>,
    ) -> Result<TensorId, Reason> {
        if from.dtype != to.dtype || !matches!(from.dtype, DType::I8 | DType::I16) {
            return Err(failed(format!(
                "a function of {} to {}",
                from.dtype, to.dtype
            )));
        }
        let entries = entries(from, to, function)?;
        let bytes: Vec<u8> = match from.dtype {
            DType::I8 => entries.iter().map(|&e| e as u8).collect(),
            _ => entries
                .iter()
                .flat_map(|&e| (e as i16).to_le_bytes())
                .collect(),
        };
        let looked_up = self.parts.op(
            TosaOp::Table {
                table: Content::from(bytes::Bytes::from(bytes)),
            },
            &[x],
        )?;
        match from.dtype {
            DType::I8 => Ok(looked_up),
            _ => {
                let to = To {
                    dtype: TosaDtype::I16,
                    zero_point: 0,
                };
                self.rescale(looked_up, 0, &[1.0 / 128.0], to)
            }
        }
    }
}

fn entries(
    from: &Reals<'_>,
    to: &Reals<'_>,
    function: impl FnOnce(Tensor) -> Result<Tensor, Reason>,
) -> Result<Vec<i64>, Reason> {
    // The last of 513 codes is past 16 bits: it is the end of the last step.
    let codes = codes(from.dtype);
    let (scale, zero_point) = match from.quant.scheme.scales() {
        [scale] => (*scale, from.quant.scheme.zero_points()[0]),
        _ => return Err(failed("parameters by channel")),
    };
    let reals = match from.dtype {
        DType::I8 => {
            let integers: Vec<i8> = codes
                .iter()
                .map(|&c| c.clamp(from.quant.min, from.quant.max) as i8)
                .collect();
            let integers =
                Tensor::new([codes.len()], integers).with_quant(Some(from.quant.clone()));
            run(&Dequantize { dtype: DType::F32 }.into(), &[integers])?
        }
        _ => {
            let real = |c: &i64| ((c - zero_point) as f64 * scale) as f32;
            Tensor::new([codes.len()], codes.iter().map(real).collect::<Vec<f32>>())
        }
    };
    let results = function(reals)?;
    let quantize = Quantize {
        quant: to.quant.clone(),
        dtype: to.dtype,
    };
    let entries = run(&quantize.into(), &[results])?;
    Ok(entries.scalars().into_iter().map(Scalar::as_i64).collect())
}

/// One op on tensors.
///
/// # Errors
/// If it has no value.
pub(crate) fn run(op: &Op, operands: &[Tensor]) -> Result<Tensor, Reason> {
    let mut bindings = Bindings::default();
    let results = evaluate_op(op, operands, &mut bindings, MOST_BYTES).map_err(failed)?;
    results
        .into_iter()
        .next()
        .ok_or_else(|| failed("no result"))
}
