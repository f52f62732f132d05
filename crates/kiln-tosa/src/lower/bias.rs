//! Biases: known integers of any width, floats that are known or computed.

use super::Parts;
use super::weights::Weight;
use crate::dialect::{TensorId, TosaDtype};
use kiln_transforms::target::Reason;

/// What is added to the sums of each output channel.
#[derive(Clone)]
pub(crate) enum Bias {
    /// Integers of the type of the sums.
    Known(TosaDtype, Vec<i64>),
    /// Floats.
    Floats(Weight),
}

impl Bias {
    /// How many output channels there are.
    pub(crate) fn len(&self, parts: &Parts<'_, '_>) -> usize {
        match self {
            Bias::Known(_, integers) => integers.len(),
            Bias::Floats(floats) => floats.sizes(parts).iter().product(),
        }
    }

    /// How far integers are from zero, at most; infinitely for floats.
    pub(crate) fn greatest(&self) -> f64 {
        match self {
            Bias::Known(_, integers) => {
                let sizes = integers.iter().map(|i| i.unsigned_abs() as f64);
                sizes.fold(0.0, f64::max)
            }
            Bias::Floats(_) => f64::INFINITY,
        }
    }

    /// Those of some channels.
    ///
    /// # Errors
    /// If there are fewer.
    pub(crate) fn rows(
        &self,
        parts: &mut Parts<'_, '_>,
        from: usize,
        len: usize,
    ) -> Result<Bias, Reason> {
        match self {
            Bias::Known(dtype, integers) => {
                let rows = integers.get(from..from + len);
                let fewer =
                    || Reason::new("a bias is of every channel", integers.len().to_string());
                Ok(Bias::Known(*dtype, rows.ok_or_else(fewer)?.to_vec()))
            }
            Bias::Floats(floats) => floats.rows(parts, from, len).map(Bias::Floats),
        }
    }

    /// The tensor.
    ///
    /// # Errors
    /// If TOSA has no type for it.
    pub(crate) fn tensor(&self, parts: &mut Parts<'_, '_>) -> Result<TensorId, Reason> {
        match self {
            Bias::Known(dtype, integers) => parts.integers(*dtype, &[integers.len()], integers),
            Bias::Floats(floats) => floats.tensor(parts),
        }
    }
}
