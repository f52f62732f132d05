//! Weights, rearranged for TOSA's operators: known ones ahead of time, others by operators.

use super::Parts;
use super::parts::check_written;
use crate::dialect::TensorId;
use kiln_ir::{Dim, Movement, Scalar, TensorData};
use kiln_transforms::framework::target::Reason;

/// A weight, known or computed.
#[derive(Clone)]
pub(crate) enum Weight {
    /// Known: rearranged ahead of time.
    Known(TensorData),
    /// Computed: rearranged by operators.
    Made(TensorId),
}

fn broken(what: impl ToString) -> Reason {
    Reason::new("a weight can be rearranged", what.to_string())
}

impl Weight {
    /// The weight's sizes.
    pub(crate) fn sizes(&self, parts: &Parts<'_, '_>) -> Vec<usize> {
        match self {
            Weight::Known(data) => data.sizes().to_vec(),
            Weight::Made(tensor) => parts.shape(*tensor).to_vec(),
        }
    }

    /// The weight with other sizes.
    ///
    /// # Errors
    /// If the number of elements differs.
    pub(crate) fn reshaped(
        &self,
        parts: &mut Parts<'_, '_>,
        to: &[usize],
    ) -> Result<Weight, Reason> {
        Ok(match self {
            Weight::Known(data) => Weight::Known(data.reshaped(to.to_vec()).map_err(broken)?),
            Weight::Made(tensor) => Weight::Made(parts.reshape(*tensor, to)?),
        })
    }

    /// The weight with its axes permuted.
    ///
    /// # Errors
    /// If these are not the weight's axes.
    pub(crate) fn permuted(
        &self,
        parts: &mut Parts<'_, '_>,
        axes: &[usize],
    ) -> Result<Weight, Reason> {
        match self {
            Weight::Known(data) => {
                let dims: Vec<Dim> = data
                    .sizes()
                    .iter()
                    .map(|&n| Dim::constant(n as i64))
                    .collect();
                let movement = Movement::permute(&dims, axes).map_err(broken)?;
                let moved = data.moved(&movement).ok_or_else(|| broken("other sizes"))?;
                Ok(Weight::Known(moved))
            }
            Weight::Made(tensor) => Ok(Weight::Made(parts.transpose(*tensor, axes)?)),
        }
    }

    /// A known weight with the indices of an axis permuted: index `i` moves to `places[i]`.
    ///
    /// # Errors
    /// If the weight is not known.
    pub(crate) fn scattered(&self, axis: usize, places: &[usize]) -> Result<Weight, Reason> {
        let Weight::Known(data) = self else {
            return Err(broken("a weight that is computed"));
        };
        let sizes = data.sizes();
        let inner = sizes[axis + 1..].iter().product::<usize>() * data.dtype().size();
        let block = inner * sizes[axis];
        let from = data.bytes();
        let mut bytes = vec![0; from.len()];
        for start in (0..from.len()).step_by(block.max(1)) {
            for (i, place) in places.iter().enumerate() {
                let (a, b) = (start + i * inner, start + place * inner);
                bytes[b..b + inner].copy_from_slice(&from[a..a + inner]);
            }
        }
        let data = TensorData::new(data.dtype(), sizes.to_vec(), bytes.into());
        data.map(Weight::Known).map_err(broken)
    }

    /// A known weight whose elements along an axis are `step` apart, with the integer `between` in the gaps.
    ///
    /// # Errors
    /// If the weight is not known, or if the result is too large.
    pub(crate) fn spread(&self, axis: usize, step: usize, between: i64) -> Result<Weight, Reason> {
        let Weight::Known(data) = self else {
            return Err(broken("a weight that is computed"));
        };
        let mut sizes = data.sizes().to_vec();
        let inner = sizes[axis + 1..].iter().product::<usize>() * data.dtype().size();
        let (from, count) = (data.bytes(), sizes[axis]);
        sizes[axis] = (count.max(1) - 1).saturating_mul(step) + 1;
        check_written("weights with gaps", &sizes)?;
        let filler = TensorData::splat(data.dtype(), sizes.clone(), Scalar::Int(between));
        let mut bytes = filler.bytes().to_vec();
        for (i, run) in from.chunks_exact(inner.max(1)).enumerate() {
            let at = ((i / count) * sizes[axis] + i % count * step) * inner;
            bytes[at..at + inner].copy_from_slice(run);
        }
        let data = TensorData::new(data.dtype(), sizes, bytes.into());
        data.map(Weight::Known).map_err(broken)
    }

    /// A run of indices of the first axis.
    ///
    /// # Errors
    /// If the axis has fewer.
    pub(crate) fn rows(
        &self,
        parts: &mut Parts<'_, '_>,
        from: usize,
        len: usize,
    ) -> Result<Weight, Reason> {
        match self {
            Weight::Known(data) => {
                let mut sizes = data.sizes().to_vec();
                let (row, of) = (data.bytes().len() / sizes[0].max(1), sizes[0]);
                if from + len > of {
                    return Err(broken(format!("rows up to {} of {of}", from + len)));
                }
                sizes[0] = len;
                let bytes = data.bytes().slice(from * row..(from + len) * row);
                TensorData::new(data.dtype(), sizes, bytes)
                    .map(Weight::Known)
                    .map_err(broken)
            }
            Weight::Made(tensor) => Ok(Weight::Made(parts.part(*tensor, 0, from, len)?)),
        }
    }

    /// The weight as a tensor.
    ///
    /// # Errors
    /// If TOSA has no type for it.
    pub(crate) fn tensor(&self, parts: &mut Parts<'_, '_>) -> Result<TensorId, Reason> {
        match self {
            Weight::Known(data) => parts.data(data),
            Weight::Made(tensor) => Ok(*tensor),
        }
    }
}
