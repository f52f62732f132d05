//! Passes about quantisation. One turns float ops between dequantisation and quantisation into integer ops; one keeps the integers of weights
//! beside floats; one gives unsigned bytes a sign, one gives channels of zeros a usable scale, both in front of these; one keeps integers in
//! 32 bits where the target has none of their type; two change the operands of quantisations where a
//! kernel would not saturate, or give NaN another integer.

pub mod fold_dequantised;
pub mod fold_quantised;
pub mod live_scales;
pub mod quantize_nan;
mod retype;
pub mod saturate_quantize;
pub mod signed_integers;
pub(crate) mod whole_weights;
pub mod widen_integers;
