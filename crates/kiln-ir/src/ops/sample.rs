//! Sampling of images at the coordinates of a grid.

use super::attribute::name_attribute;
use super::*;

name_attribute! {
    /// How values between elements are interpolated.
    SampleMode {
        /// The nearest element; of two equally near, the one with an even index.
        Nearest "nearest",
        /// Linear between two neighbours along each axis.
        Linear "linear",
        /// Cubic convolution (a = -0.75) of four neighbours along each axis.
        Cubic "cubic",
    }
}

name_attribute! {
    /// The values outside of an image.
    Outside {
        /// Zeros.
        Zeros "zeros",
        /// The nearest element of the border.
        Border "border",
        /// The image, reflected again and again.
        Reflection "reflection",
    }
}

family! {
    /// Samples the axes behind the first two of `x[n, c, ..]` at the coordinates `grid[n, .., s]`. There are `s`
    /// coordinates for the `s` axes, last axis first, with -1 and 1 at the borders. A coordinate that is NaN is at
    /// element 0 of its axis if all coordinates have an element, otherwise outside of the image.
    GridSample {
        /// The interpolation.
        mode: SampleMode,
        /// The values outside of the image.
        outside: Outside,
        /// True if the borders are the centres of the first and last element, false if they are their outer edges.
        align_corners: bool,
    }
}

impl Family for GridSample {
    const NAME: &'static str = "grid_sample";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x"), Slot::One("grid")];

    fn facts(&self) -> Facts {
        // The numbers of a grid are coordinates from -1 on.
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: match self.mode {
                SampleMode::Nearest => Rounding::Exact,
                _ => Rounding::Mean,
            },
            inner_rounding: InnerRounding::Rounded { least: 1.0 },
            quantised: Meaning::Refused,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let (x, grid) = (operands[0], operands[1]);
        let (rank, symbols) = (x.rank(), &cx.graph.symbols);
        if !(3..=5).contains(&rank)
            || grid.rank() != rank
            || x.dtype != grid.dtype
            || !x.dtype.is_float()
        {
            misfit!(
                "an image {x:?} with the grid {grid:?}: both must be floats of one dtype and of one rank from 3 to 5"
            );
        }
        if x.shape[2..].iter().any(|size| size.is(0)) {
            misfit!("the image has no elements: {x:?}");
        }
        let numbers = Dim::constant(rank as i64 - 2);
        if symbols.equal(&grid.shape[rank - 1], &numbers) == Some(false)
            || symbols.equal(&grid.shape[0], &x.shape[0]) == Some(false)
        {
            misfit!("the grid {grid:?} does not match the image {x:?}");
        }
        let mut shape = x.shape.clone();
        for axis in 1..rank - 1 {
            shape[axis + 1] = grid.shape[axis].clone();
        }
        one(x.with_shape(shape))
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        let rank = operands[operand].rank();
        let role = |i: usize| match (operand, i) {
            (_, 0) => AxisRole::Parallel(0),
            (0, 1) => AxisRole::Parallel(1),
            (0, _) => AxisRole::Indexed,
            (_, i) if i + 1 < rank => AxisRole::Parallel(i + 1),
            _ => AxisRole::Opaque,
        };
        (0..rank).map(role).collect()
    }
}
