//! Evaluates the sizes in an op's attributes.

use crate::bindings::Bindings;
use crate::error::Cause;
use kiln_ir::{Dim, Op};

/// The op with all sizes replaced by their values.
///
/// # Errors
/// If a size has no value, or does not fit.
pub fn concrete(op: &Op, bindings: &Bindings) -> Result<Op, Cause> {
    let mut fault = None;
    let known = op.map_dims(&mut |dim| match bindings.value(dim) {
        Ok(value) => Dim::constant(value),
        Err(cause) => {
            fault.get_or_insert(cause);
            dim.clone()
        }
    });
    match fault {
        Some(cause) => Err(cause),
        None => Ok(known?),
    }
}
