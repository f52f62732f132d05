//! Passes about quantisation: floats between dequantisation and quantisation become integers, and what a kernel would not
//! saturate is limited in front of it.

pub mod fold_quantised;
pub mod saturate_quantize;
