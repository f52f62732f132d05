//! Pools, means, resizes and pads.

use super::{integers_of, tensor};
use crate::evaluate::operators::{one, pad_with, pool, without_pooled_dims};
use crate::evaluate::{ExecuteError, Result1, Run};
use crate::payload::{PoolKind, PoolParams, ValueId, flags};
use kiln_eval::Tensor;
use kiln_ir::Scalar;
use kiln_ir::ops::{Reduce, ReduceFn};
use kiln_quantised::xnnpack::pointwise::Mean;

impl Run<'_> {
    pub(super) fn max_pool(&self, kind: PoolKind, params: &PoolParams, input: ValueId) -> Result1 {
        if kind != PoolKind::Max {
            return Err(ExecuteError::Unsupported(
                "an average pool of quantised tensors".into(),
            ));
        }
        pool(kind, params, self.value(input)?)
    }

    pub(super) fn mean(&self, input: ValueId, output: ValueId, flags: u32) -> Result1 {
        let value = self.value(input)?;
        let Some(first) = value.rank().checked_sub(3) else {
            return Err(ExecuteError::Unsupported(format!(
                "a global average of rank {}",
                value.rank()
            )));
        };
        let axes = vec![first, first + 1];
        let count = axes.iter().map(|&axis| value.sizes()[axis]).product();
        let steps = integers_of(value)?.into_iter().map(f64::from).collect();
        let exact: Tensor = Tensor::new(value.sizes(), steps);
        let sums = one(
            Reduce {
                f: ReduceFn::Sum,
                axes,
            },
            &[&exact],
        )?;
        let mean = Mean::new(self.qparams(input)?, self.qparams(output)?, count);
        let elements = sums.elements::<f64>().unwrap_or_default();
        let rounded = elements.iter().map(|&sum| mean.apply(sum as i64 as i32));
        let kept = tensor(self.datatype(output), sums.sizes(), rounded.collect())?;
        without_pooled_dims(kept, flags)
    }

    pub(super) fn pad_quantised(
        &self,
        [before, after]: [&[u32]; 2],
        value: f32,
        input: ValueId,
        output: ValueId,
    ) -> Result1 {
        let integer = self.qparams(output)?.bound(value);
        pad_with(
            self.value(input)?,
            before,
            after,
            Scalar::Int(integer.into()),
        )
    }

    /// A resize whose weights are in units of `2^-11` (`src/s8-ibilinear`); the result is rounded once, ties up.
    pub(super) fn resize_fixed(&self, input: ValueId, size: [u32; 2], flag: u32) -> Result1 {
        if flag & !flags::ALIGN_CORNERS != 0 {
            return Err(ExecuteError::Unsupported(format!(
                "resize_bilinear with flags {flag:#x}"
            )));
        }
        let value = self.value(input)?;
        let &[batch, height, width, channels] = value.sizes() else {
            return Err(ExecuteError::Unsupported(
                "a resize of another rank than 4".into(),
            ));
        };
        let align = flag == flags::ALIGN_CORNERS;
        let rows = samples(height, size[0] as usize, align);
        let columns = samples(width, size[1] as usize, align);
        let found = integers_of(value)?;
        let mut made = Vec::with_capacity(batch * rows.len() * columns.len() * channels);
        for image in found.chunks_exact((height * width * channels).max(1)) {
            for row in &rows {
                for column in &columns {
                    for c in 0..channels {
                        let at = |y: usize, x: usize| image[(y * width + x) * channels + c];
                        let lines = row
                            .places
                            .map(|y| column.mixed(column.places.map(|x| at(y, x))));
                        let sum = row.mixed(lines);
                        made.push((sum + (1 << 21)) >> 22);
                    }
                }
            }
        }
        let sizes = [batch, rows.len(), columns.len(), channels];
        tensor(self.datatype(input), &sizes, made)
    }
}

/// Where a result is sampled along one axis: two places, and the weight of the second in units of `2^-11`.
struct Sample {
    places: [usize; 2],
    weight: i32,
}

impl Sample {
    fn mixed(&self, [first, second]: [i32; 2]) -> i32 {
        (first << 11) + (second - first) * self.weight
    }
}

/// The samples of an axis (`xnn_indirection_init_resize_bilinear2d_hwc_q11`, `src/indirection.c`).
fn samples(from: usize, to: usize, align_corners: bool) -> Vec<Sample> {
    let corner = i32::from(align_corners && to != 1);
    let last = from.saturating_sub(1);
    let scale = (from as i32 - corner) as f32 / (to as i32 - corner) as f32;
    let offset = if align_corners {
        0.0
    } else {
        0.5 * scale - 0.5
    };
    let sample = |i: usize| {
        let place = (i as f32 * scale + offset).max(0.0).min(last as f32);
        let first = place as usize;
        let weight = ((place - first as f32) * 2048.0).round_ties_even() as i32;
        let places = [first, (first + 1).min(last)];
        Sample { places, weight }
    };
    (0..to).map(sample).collect()
}
