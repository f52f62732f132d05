//! Windows over images: their axes, and the library's structs of them.

use super::parts::int;
use crate::dialect::Tile;
use kiln_ir::Dim;
use kiln_transforms::framework::target::Reason;

/// One spatial axis: its size, and the window's size, stride, dilation and padding in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) size: usize,
    pub(super) kernel: usize,
    pub(super) stride: usize,
    pub(super) dilation: usize,
    pub(super) pad: usize,
}

impl Axis {
    /// The axis of size 1 with a window of 1: the height of a 1-D op.
    pub(super) const UNIT: Axis = Axis {
        size: 1,
        kernel: 1,
        stride: 1,
        dilation: 1,
        pad: 0,
    };
}

/// The value of a dimension that must be static.
pub(super) fn known(dim: &Dim) -> Result<usize, Reason> {
    let size = dim.as_const().and_then(|n| usize::try_from(n).ok());
    size.ok_or_else(|| {
        Reason::new("sizes are known ahead of time", dim.to_string())
            .advise("export the model without dynamic dims")
    })
}

/// Attributes that are not negative.
pub(super) fn unsigned<const N: usize>(numbers: [i64; N]) -> Result<[usize; N], Reason> {
    match numbers.iter().all(|&n| n >= 0) {
        true => Ok(numbers.map(|n| n as usize)),
        false => {
            let rule = "paddings and strides are not negative";
            Err(Reason::new(rule, format!("{numbers:?}")))
        }
    }
}

/// A number of height and width.
pub(super) fn tile(axes: &[Axis; 2], of: impl Fn(&Axis) -> usize) -> Result<Tile, Reason> {
    Ok(Tile {
        w: int(of(&axes[1]))?,
        h: int(of(&axes[0]))?,
    })
}
