//! The evaluator: runs a graph by the arithmetic of the specification.
//!
//! # Semantics
//! - Integers are exact: accumulators of 32 and 48 bits, scaling by multiplier and shift, saturation. A result that the
//!   specification calls unpredictable (an overflow, an index out of range) is an error.
//! - Floats are computed in f64 and rounded once to their type. Convolutions and matrix products add in f32 instead.
//!
//! # Invariants
//! - Only graphs without faults run, so each operator gets operands that it takes.
//! - [`Limits`] bound memory and steps.

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

/// The outputs of a graph for these inputs. Variables have their first values.
///
/// Elements of `i4` are held in `i8`, those of `i48` in `i64`: see [`dtype_of`].
///
/// # Errors
/// If the graph has faults, if an input is of another type, or if a result is unpredictable.
pub fn evaluate(graph: &TosaGraph, inputs: &[Tensor]) -> Result<Vec<Tensor>, EvaluateError> {
    evaluate_with(graph, inputs, &mut State::default(), Limits::default())
}

/// As [`evaluate()`], with variables that keep their values between calls.
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
