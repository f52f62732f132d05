//! Passes that divide a layer, so that nothing has to be cut out of its result or joined in front of it.

pub mod split_conv;
pub mod split_joined;
pub mod split_linear;
