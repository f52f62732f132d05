//! Lowering of what no delegate takes to the kernels of the stock runtime.

pub mod region;
