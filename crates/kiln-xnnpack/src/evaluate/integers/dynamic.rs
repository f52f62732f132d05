//! Layers with weights of integers on floats, and rows that are quantised when running.
//!
//! Only layers read a tensor of rows, so it is kept as the reals that its integers stand for, in f64. The library multiplies exact sums of
//! integers by their scales in f32, in an order that differs between processors; here they are multiplied in f64 and rounded once.

use super::{integers_of, unsupported};
use crate::evaluate::operators::{clamp_of, clamped, conv, convert, fully_connected_exact};
use crate::evaluate::{ExecuteError, Result1, Run};
use crate::payload::{Datatype, Quant, Scales, ValueId, XnnNode, XnnOp};
use kiln_eval::Tensor;
use kiln_ir::DType;
use kiln_quantised::xnnpack::dynamic;

impl Run<'_> {
    /// True if the node reads rows that were quantised when running, or floats beside weights of integers.
    pub(super) fn is_dynamic(&self, node: &XnnNode) -> bool {
        let (XnnOp::FullyConnected { input, .. } | XnnOp::Conv { input, .. }) = &node.op else {
            return false;
        };
        self.datatype(*input) == Datatype::QdInt8 || self.datatype(*input).is_float()
    }

    /// The reals of rows, whose parameters follow from their extremes.
    pub(super) fn quantised_rows(&self, from: ValueId, to: ValueId) -> Result1 {
        let Some(Quant::PerTokenDynamic { num_nonbatch_dims }) =
            self.quantised(to).and_then(|value| value.quant.as_ref())
        else {
            return Err(ExecuteError::Unsupported(format!("{to} of rows")));
        };
        let input = convert(self.value(from)?, DType::F32)?;
        let sizes = input.sizes();
        let shared = sizes.len().saturating_sub(*num_nonbatch_dims as usize);
        let length = sizes[shared..].iter().product::<usize>().max(1);
        let elements = input.elements::<f32>().unwrap_or_default();
        let rows = elements.chunks(length).flat_map(rounded_row);
        Ok(Tensor::new(sizes, rows.collect()))
    }

    /// A layer whose result is a float.
    pub(super) fn dynamic_layer(&self, node: &XnnNode) -> Result1 {
        let (input, filter, bias) = match &node.op {
            XnnOp::FullyConnected {
                input,
                filter,
                bias,
                ..
            }
            | XnnOp::Conv {
                input,
                filter,
                bias,
                ..
            } => (*input, *filter, *bias),
            other => return Err(unsupported(other)),
        };
        let x = convert(self.value(input)?, DType::F64)?;
        let w = self.weight_reals(filter)?;
        let bias = self.real_bias(bias, filter, self.datatype(input).is_float())?;
        let made = match &node.op {
            XnnOp::FullyConnected { flags, .. } => {
                fully_connected_exact(&x, &w, bias.as_ref(), *flags)?
            }
            XnnOp::Conv {
                kind,
                params,
                flags: 0,
                ..
            } => conv(*kind, params, &x, &w, bias.as_ref())?,
            other => return Err(unsupported(other)),
        };
        let made = convert(&made, DType::F32)?;
        match clamp_of(node) {
            Some(clamp) => clamped(made, clamp),
            None => Ok(made),
        }
    }

    /// The reals of weights with scales by channel or by group, as f64.
    fn weight_reals(&self, id: ValueId) -> Result1 {
        let value = self.value(id)?;
        let integers = integers_of(value)?;
        let (scales, run) = match self.quantised(id).and_then(|v| v.quant.as_ref()) {
            Some(Quant::PerGroup {
                scales, group_size, ..
            }) => (self.half_scales(scales)?, *group_size as usize),
            Some(Quant::PerChannel { channel_dim, .. }) => {
                let mut scales = self.weight_scales(id)?.0;
                let (sizes, dim) = (value.sizes(), *channel_dim as usize);
                // A list may have more scales than there are channels.
                scales.truncate(sizes[dim]);
                let run: usize = sizes[dim + 1..].iter().product();
                let around = sizes[..dim].iter().product();
                (scales.repeat(around), run)
            }
            _ => (self.weight_scales(id)?.0, integers.len()),
        };
        let real = |(i, &n): (usize, &i32)| {
            let scale = scales.get(i / run.max(1))?;
            Some(f64::from(n) * f64::from(*scale))
        };
        let reals: Option<Vec<f64>> = integers.iter().enumerate().map(real).collect();
        let reals = reals.ok_or_else(|| {
            ExecuteError::Unsupported(format!("{id} with {} scales", scales.len()))
        })?;
        Ok(Tensor::new(value.sizes(), reals))
    }

    fn half_scales(&self, scales: &Scales) -> Result<Vec<f32>, ExecuteError> {
        match scales {
            Scales::Inline(scales) => Ok(scales.clone()),
            Scales::Constant { data, count } => {
                let bytes = self.loaded.bytes_of(*data)?;
                let halves = bytes.chunks_exact(2).take(*count as usize);
                let single =
                    |b: &[u8]| f32::from_bits(u32::from(b[0]) << 16 | u32::from(b[1]) << 24);
                Ok(halves.map(single).collect())
            }
        }
    }

    /// The bias in f64. Beside floats it is in units of the channel's scale.
    fn real_bias(
        &self,
        id: Option<ValueId>,
        filter: ValueId,
        in_units: bool,
    ) -> Result<Option<Tensor>, ExecuteError> {
        let Some(id) = id else { return Ok(None) };
        let bias = convert(self.value(id)?, DType::F64)?;
        if !in_units {
            return Ok(Some(bias));
        }
        let scales = self.weight_scales(filter)?.0;
        let reals = bias.elements::<f64>().unwrap_or_default().iter();
        let reals = reals.zip(&scales).map(|(b, &scale)| b * f64::from(scale));
        Ok(Some(Tensor::new(bias.sizes(), reals.collect())))
    }
}

/// The reals of one row (`src/f32-qs8-vcvt`).
fn rounded_row(row: &[f32]) -> Vec<f64> {
    let least = row.iter().copied().fold(f32::INFINITY, f32::min);
    let greatest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let found = dynamic(least, greatest);
    let scale = f64::from(1.0 / found.inverse);
    let real = |&x: &f32| {
        // The inverse of a tiny range is infinite, and the scale 0.
        let steps = if x == 0.0 { 0.0 } else { x * found.inverse };
        let integer = f64::from(steps.round_ties_even()) + f64::from(found.zero_point);
        (integer.clamp(-128.0, 127.0) - f64::from(found.zero_point)) * scale
    };
    row.iter().map(real).collect()
}
