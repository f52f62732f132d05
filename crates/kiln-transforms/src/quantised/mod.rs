//! Passes that turn floats between quantisation and dequantisation into integers.

pub mod fold_quantised;
