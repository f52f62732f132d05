//! Passes that merge a layer with ops next to it.

pub mod fold_batch_norm;
pub mod fuse_pad;
pub mod separate_bias;
