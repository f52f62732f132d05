//! Windows over images: their axes, and the library's structs for them.

use super::Lowering;
use super::parts::{TensorId, int};
use crate::dialect::Tile;
use kiln_ir::dim::{Dim, DimNames, Symbols};
use kiln_ir::graph::Node;
use kiln_ir::ops;
use kiln_target::operands;
use kiln_transforms::framework::target::Reason;

/// A spatial axis: its size, and the window's size, stride, dilation and padding in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) size: usize,
    pub(super) kernel: usize,
    pub(super) stride: usize,
    pub(super) dilation: usize,
    pub(super) pad: usize,
}

impl Axis {
    /// An axis of size 1 with a window of 1: the height of a 1-D op.
    pub(super) const UNIT: Axis = Axis {
        size: 1,
        kernel: 1,
        stride: 1,
        dilation: 1,
        pad: 0,
    };

    /// An axis with its window, whose stride, dilation and padding are attributes of an op.
    ///
    /// # Errors
    /// If one of them is negative.
    pub(super) fn of([size, kernel]: [usize; 2], attributes: [i64; 3]) -> Result<Axis, Reason> {
        let [stride, dilation, pad] = unsigned(attributes)?;
        Ok(Axis {
            size,
            kernel,
            stride,
            dilation,
            pad,
        })
    }

    /// The axis with the dilation 1 where the window has one element, which is apart from nothing.
    pub(super) fn simplified(self) -> Axis {
        Axis {
            dilation: if self.kernel == 1 { 1 } else { self.dilation },
            ..self
        }
    }
}

impl Lowering<'_> {
    /// Height and width of a convolution, channels last, with this padding in front. The height of a 1-D convolution is 1.
    pub(super) fn conv_axes(
        &self,
        x: TensorId,
        op: &ops::Conv,
        weight: &[usize],
        pads: &[i64],
    ) -> Result<[Axis; 2], Reason> {
        let mut axes = [Axis::UNIT; 2];
        let first = 2 - op.spatial().min(2);
        for (i, axis) in axes[first..].iter_mut().enumerate() {
            let sizes = [self.parts.sizes(x)[first + i + 1], weight[first + i + 2]];
            *axis = Axis::of(sizes, [op.stride[i], op.dilation[i], pads[i]])?;
        }
        Ok(axes)
    }

    /// Height and width of a pool, as [`Lowering::conv_axes`].
    pub(super) fn pool_axes(&self, node: &Node, op: &ops::Pool) -> Result<[Axis; 2], Reason> {
        let spatial = op.spatial();
        if spatial > 2 {
            let found = format!("{spatial} spatial axes");
            return Err(Reason::new("kernels pool images", found));
        }
        let mut axes = [Axis::UNIT; 2];
        for (i, axis) in axes[2 - spatial..].iter_mut().enumerate() {
            let size = known(
                &self.graph.ty(node.operands[0]).shape[i + 2],
                &self.graph.symbols,
            )?;
            let [kernel] = unsigned([op.kernel[i]])?;
            let attributes = [op.stride[i], op.dilation[i], op.pad_low[i]];
            *axis = Axis::of([size, kernel], attributes)?.simplified();
        }
        Ok(axes)
    }
}

/// The value of a dimension that must be static.
pub(super) fn known(dim: &Dim, symbols: &Symbols) -> Result<usize, Reason> {
    let size = dim.as_const().and_then(|n| usize::try_from(n).ok());
    size.ok_or_else(|| operands::not_fixed(DimNames(dim, symbols).to_string()))
}

/// Checks that attributes are not negative.
pub(super) fn unsigned<const N: usize>(numbers: [i64; N]) -> Result<[usize; N], Reason> {
    match numbers.iter().all(|&n| n >= 0) {
        true => Ok(numbers.map(|n| n as usize)),
        false => {
            let rule = "paddings and strides are not negative";
            Err(Reason::new(rule, format!("{numbers:?}")))
        }
    }
}

/// One number for each of width and height.
pub(super) fn tile(axes: &[Axis; 2], of: impl Fn(&Axis) -> usize) -> Result<Tile, Reason> {
    Ok(Tile {
        w: int(of(&axes[1]))?,
        h: int(of(&axes[0]))?,
    })
}
