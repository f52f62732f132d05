//! Passes that make one operator of a layer and what stands beside it.

pub mod fold_batch_norm;
pub mod fuse_pad;
pub mod separate_bias;
