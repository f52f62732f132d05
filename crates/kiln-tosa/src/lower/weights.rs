//! Weights, known ahead of time or not, rearranged as TOSA wants them.

use super::Parts;
use crate::dialect::TensorId;
use kiln_ir::{Dim, Movement, TensorData};
use kiln_transforms::target::Reason;

/// A weight.
#[derive(Clone)]
pub(crate) enum Weight {
    /// Rearranged ahead of time.
    Known(TensorData),
    /// Rearranged when running.
    Made(TensorId),
}

fn broken(what: impl ToString) -> Reason {
    Reason::new("a weight can be rearranged", what.to_string())
}

impl Weight {
    /// Its sizes.
    pub(crate) fn sizes(&self, parts: &Parts<'_, '_>) -> Vec<usize> {
        match self {
            Weight::Known(data) => data.sizes().to_vec(),
            Weight::Made(tensor) => parts.shape(*tensor).to_vec(),
        }
    }

    /// The same elements under other sizes.
    ///
    /// # Errors
    /// If they are not as many.
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

    /// The axes in another order.
    ///
    /// # Errors
    /// If it has others.
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

    /// A run of indices of the first axis.
    ///
    /// # Errors
    /// If it has fewer.
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

    /// The tensor.
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
