//! Passes that replace a computation by a simpler one with the same meaning.

pub mod affine_index;
pub mod canonical;
pub mod clean;
pub mod guarded_softmax;
pub mod linear_forms;
pub mod steady_state;
pub mod unrepeat;
