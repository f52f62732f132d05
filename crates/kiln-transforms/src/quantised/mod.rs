//! Passes about quantisation. One turns float ops between dequantisation and quantisation into integer ops; one limits
//! the operands of quantisations that a kernel would not saturate. A third keeps the integers of weights beside floats.

pub mod fold_dequantised;
pub mod fold_quantised;
pub mod saturate_quantize;
