//! The steps from a tensor to a view of it.

use kiln_ir::ops::Slice;
use kiln_ir::{Dim, Movement, Shape, ValueId};

/// One step from a base to a view of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum View {
    /// The elements in other axes.
    Move(Movement),
    /// Elements along one axis, as the core's `slice`.
    Slice {
        axis: usize,
        start: Dim,
        len: Dim,
        step: i64,
    },
    /// Repeated along axes of size 1; cannot be written through.
    Broadcast(Shape),
    /// The elements at these row-major positions of the base: an i64 value of the view's shape in which
    /// no position occurs twice.
    Pick(ValueId),
}

/// `Slice` as a step.
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
