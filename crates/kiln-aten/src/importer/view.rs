//! The steps from a tensor to a view of it.

use kiln_ir::ops::Slice;
use kiln_ir::{Dim, Movement, Shape, ValueId};

/// One step from a base to a view of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum View {
    /// The same elements on other axes.
    Move(Movement),
    /// A part of one axis, as in the core op `slice`.
    Slice {
        axis: usize,
        start: Dim,
        len: Dim,
        step: i64,
    },
    /// The elements repeated along axes of size 1. A write through this step is refused.
    Broadcast(Shape),
    /// The elements at these row-major positions of the base. The value is i64 and has the view's shape; no position
    /// occurs twice.
    Pick(ValueId),
}

/// A `Slice` op as a step.
impl From<Slice> for View {
    fn from(s: Slice) -> View {
        View::Slice {
            axis: s.axis,
            start: s.start,
            len: s.len,
            step: s.step,
        }
    }
}
