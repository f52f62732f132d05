//! Passes that divide a layer, so that its result need not be sliced, or its operand need not be concatenated.

pub mod split_conv;
pub mod split_joined;
pub mod split_linear;
