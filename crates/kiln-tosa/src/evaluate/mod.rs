//! Running a graph by the arithmetic of the specification.
//!
//! # Semantics
//! - Integers are exact: accumulators of 32 and 48 bits, scaling by multiplier and shift, saturation. Where the
//!   specification makes a result unpredictable (an overflow, an index out of range), it is an error.
//! - Floats compute in f64 and round once to their type, but for convolutions and products, which add up in f32.
//!
//! # Invariants
//! - Only graphs without faults run, so no operator meets what it does not take.
//! - Memory and steps are limited by [`Limits`].

mod convolution;
mod elementwise;
mod error;
mod fourier;
mod movement;
mod numbers;
mod pool;
mod reduce;
mod region;
mod resize;
mod scale;
mod value;

pub use error::EvaluateError;
pub use region::{Limits, State};
pub use value::dtype_of;

use crate::dialect::{RegionId, Spec, TosaGraph};
use crate::verify::verify;
use kiln_eval::Tensor;

/// The outputs of a graph for these inputs, its variables as they are at first.
///
/// Elements of `i4` are in `i8`, those of `i48` in `i64`; [`dtype_of`] tells.
///
/// # Errors
/// If the graph has faults, an input is of another type, or a result is unpredictable.
pub fn evaluate(graph: &TosaGraph, inputs: &[Tensor]) -> Result<Vec<Tensor>, EvaluateError> {
    evaluate_with(graph, inputs, &mut State::default(), Limits::default())
}

/// As [`evaluate()`], with variables that stay from call to call.
///
/// # Errors
/// As [`evaluate()`], and if a limit is reached.
pub fn evaluate_with(
    graph: &TosaGraph,
    inputs: &[Tensor],
    state: &mut State,
    limits: Limits,
) -> Result<Vec<Tensor>, EvaluateError> {
    verify(graph, Spec::all()).map_err(EvaluateError::Faults)?;
    let mut run = region::Run::new(graph, state, limits);
    run.region(RegionId::MAIN, inputs.to_vec())
}
