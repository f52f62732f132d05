//! What another executor's own formula explains.

use crate::numbers::numbers;
use kiln_eval::Tensor;
use kiln_ir::TensorData;

/// What is expected, with the elements found in place of those that lie no farther from them than `lost` says of the index
/// and what is expected there: what the other executor's formula is known to lose. The same tensor if the types differ.
pub fn settled(found: &Tensor, expected: &Tensor, lost: impl Fn(usize, f64) -> f64) -> Tensor {
    if (found.dtype(), found.sizes()) != (expected.dtype(), expected.sizes()) {
        return expected.clone();
    }
    let (own, others) = (numbers(found), numbers(expected));
    let (found, mut settled) = (found.scalars(), expected.scalars());
    for (i, scalar) in settled.iter_mut().enumerate() {
        if (own[i] - others[i]).abs() <= lost(i, others[i]) {
            *scalar = found[i];
        }
    }
    let (dtype, sizes) = (expected.dtype(), expected.sizes().to_vec());
    Tensor::from(TensorData::from_scalars(dtype, sizes, settled))
}
