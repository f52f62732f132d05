//! Passes about quantisation. One turns float ops between dequantisation and quantisation into integer ops; one keeps the integers of weights
//! beside floats; one keeps integers in 32 bits where the target has none of their type; two change the operands of quantisations where a
//! kernel would not saturate, or give NaN another integer.

pub mod fold_dequantised;
pub mod fold_quantised;
pub mod quantize_nan;
pub mod saturate_quantize;
pub mod widen_integers;
