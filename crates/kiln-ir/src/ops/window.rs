//! Families that see windows of the axes behind the first two: pools and resizing.

use super::attribute::{Attribute, name_attribute};
use super::*;
use crate::dim::Dim;
use crate::dtype::DType;

/// How a window folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolFn {
    /// The greatest; NaN if any is. Padding does not count.
    Max,
    /// As `Max`, and a second result with the i64 row-major position in the input's spatial axes.
    MaxWithIndices,
    /// Sum divided by the number of elements.
    Avg {
        /// Padding counts as elements (what a ceil mode adds past the padding never does).
        count_include_pad: bool,
        /// Divide by that instead.
        divisor: Option<i64>,
    },
}

impl Attribute for PoolFn {
    fn print(&self, out: &mut String, names: &Names<'_>) {
        match self {
            PoolFn::Max => out.push_str("max"),
            PoolFn::MaxWithIndices => out.push_str("max_with_indices"),
            PoolFn::Avg {
                count_include_pad,
                divisor,
            } => {
                out.push_str(if *count_include_pad {
                    "avg_of_padded "
                } else {
                    "avg "
                });
                divisor.print(out, names);
            }
        }
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let word = cursor.word()?;
        match word {
            "max" => Ok(PoolFn::Max),
            "max_with_indices" => Ok(PoolFn::MaxWithIndices),
            "avg" | "avg_of_padded" => Ok(PoolFn::Avg {
                count_include_pad: word != "avg",
                divisor: Option::parse(cursor)?,
            }),
            _ => Err(cursor.error(format!("no pool is called {word}"))),
        }
    }

    crate::ops::attribute::no_dims!();
}

impl PoolFn {
    /// True if the fold gives one of the elements.
    fn picks(self) -> bool {
        match self {
            PoolFn::Max | PoolFn::MaxWithIndices => true,
            PoolFn::Avg { .. } => false,
        }
    }

    fn on_quantised(self) -> Meaning {
        match self.picks() {
            true => Meaning::Carried,
            false => Meaning::Computed,
        }
    }

    fn results(self, values: TensorType) -> Types {
        match self {
            PoolFn::Max | PoolFn::Avg { .. } => Types::from_elem(values, 1),
            PoolFn::MaxWithIndices => {
                let indices = values.with_dtype(DType::I64);
                Types::from_iter([values, indices])
            }
        }
    }
}

family! {
    /// Folds windows over the axes behind the first two of `x[n, c, ..]`.
    Pool {
        /// How.
        f: PoolFn,
        /// Window sizes, by spatial axis.
        kernel: Vec<i64>,
        /// Distance of neighbouring windows, by spatial axis.
        stride: Vec<i64>,
        /// Padding before, by spatial axis.
        pad_low: Vec<i64>,
        /// Padding behind, by spatial axis.
        pad_high: Vec<i64>,
        /// Distance of neighbouring taps, by spatial axis.
        dilation: Vec<i64>,
        /// Keep a last window that starts inside input or low padding but ends past the high padding.
        ceil: bool,
    }
}

impl Pool {
    /// Number of spatial axes.
    pub fn spatial(&self) -> usize {
        self.kernel.len()
    }

    /// The size of the result along spatial axis `i` of an input of size `size` (PyTorch's
    /// `pooling_output_shape`).
    pub fn spatial_size(&self, i: usize, size: &Dim) -> Dim {
        let stride = Dim::constant(self.stride[i]);
        let extent = Dim::constant(self.kernel[i] - 1) * self.dilation[i] + 1;
        let span = size + self.pad_low[i] + self.pad_high[i] - extent;
        if !self.ceil {
            return span.floor_div(&stride) + 1;
        }
        let windows = (span + self.stride[i] - 1).floor_div(&stride) + 1;
        // A window that starts past the input and its low padding is dropped.
        let starts = (size + self.pad_low[i] - 1).floor_div(&stride) + 1;
        Dim::min([windows, starts])
    }

    fn check(&self, x: &TensorType) -> Result<(), Misfit> {
        let n = self.spatial();
        let lists = [&self.stride, &self.pad_low, &self.pad_high, &self.dilation];
        if x.rank() != n + 2 || lists.iter().any(|l| l.len() != n) {
            misfit!("{x:?} with attributes for {n} spatial axes");
        }
        if self
            .kernel
            .iter()
            .chain(&self.stride)
            .chain(&self.dilation)
            .any(|&v| v < 1)
        {
            misfit!("kernel, stride and dilation are at least 1");
        }
        let lists = [&self.kernel].into_iter().chain(lists);
        check_magnitudes(lists.flatten())
    }
}

/// Sizes, distances and paddings of windows lie so far from 0 at most: what is made of two of them fits i64.
const MAX_MAGNITUDE: i64 = i32::MAX as i64;

/// Refuses attributes of windows with which sizes would overflow.
pub(super) fn check_magnitudes<'v>(
    values: impl IntoIterator<Item = &'v i64>,
) -> Result<(), Misfit> {
    match values
        .into_iter()
        .find(|v| !(-MAX_MAGNITUDE..=MAX_MAGNITUDE).contains(*v))
    {
        Some(value) => misfit!(
            "a window's attribute is {value}; at most {MAX_MAGNITUDE} is taken, to either side"
        ),
        None => Ok(()),
    }
}

impl Family for Pool {
    const NAME: &'static str = "pool";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerPair,
            parts: Parts::Cheap,
            rounding: match self.f.picks() {
                true => Rounding::Extreme,
                false => Rounding::Terms,
            },
            steps: Steps::One,
            quantised: self.f.on_quantised(),
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let x = operands[0];
        self.check(x)?;
        let mut shape = x.shape.clone();
        for i in 0..self.spatial() {
            shape[i + 2] = self.spatial_size(i, &x.shape[i + 2]);
            if cx.graph.symbols.less_equal(&0.into(), &shape[i + 2]) == Some(false) {
                misfit!(
                    "the window does not fit: spatial axis {i} would have size {}",
                    shape[i + 2]
                );
            }
        }
        Ok(self.f.results(x.with_shape(shape)))
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        windowed(operands[0].rank())
    }
}

fn windowed(rank: usize) -> Vec<AxisRole> {
    (0..rank)
        .map(|i| {
            if i < 2 {
                AxisRole::Parallel(i)
            } else {
                AxisRole::Windowed(i)
            }
        })
        .collect()
}

family! {
    /// Folds the axes behind the first two to given sizes: output `i` of `m` sees the elements from
    /// `floor(i * n / m)` up to `ceil((i + 1) * n / m)`.
    AdaptivePool {
        /// How; an average counts what it sees.
        f: PoolFn,
        /// Sizes of the result, by spatial axis.
        output: Vec<Dim>,
    }
}

impl Family for AdaptivePool {
    const NAME: &'static str = "adaptive_pool";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerPair,
            parts: Parts::Cheap,
            rounding: match self.f.picks() {
                true => Rounding::Extreme,
                false => Rounding::Mean,
            },
            steps: Steps::One,
            quantised: self.f.on_quantised(),
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let x = operands[0];
        if x.rank() != self.output.len() + 2 {
            misfit!("{x:?} with sizes for {} spatial axes", self.output.len());
        }
        let mut shape = x.shape.clone();
        self.output
            .iter()
            .enumerate()
            .for_each(|(i, size)| shape[i + 2] = size.clone());
        Ok(self.f.results(x.with_shape(shape)))
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        windowed(operands[0].rank())
    }
}

name_attribute! {
    /// How values between the given places come about.
    ResizeMode {
        /// The place to the left: `floor(i * scale)`.
        Nearest "nearest",
        /// Linear between the two neighbours along each axis.
        Linear "linear",
        /// Cubic convolution (a = -0.75) of four neighbours along each axis.
        Cubic "cubic",
    }
}

family! {
    /// Samples the axes behind the first two at other sizes.
    Resize {
        /// How.
        mode: ResizeMode,
        /// The corners' centres coincide, else the corners do.
        align_corners: bool,
        /// Sizes of the result, by spatial axis.
        output: Vec<Dim>,
        /// The user's factor by spatial axis, which then gives the distance of samples instead of the
        /// ratio of sizes.
        scales: Vec<Option<f64>>,
    }
}

impl Family for Resize {
    const NAME: &'static str = "resize";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        let (rounding, quantised) = match self.mode {
            ResizeMode::Nearest => (Rounding::Picked, Meaning::Carried),
            _ => (Rounding::Mean, Meaning::Computed),
        };
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerPair,
            parts: Parts::Cheap,
            rounding,
            steps: Steps::One,
            quantised,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let x = operands[0];
        if x.rank() != self.output.len() + 2 || self.scales.len() != self.output.len() {
            misfit!("{x:?} with sizes for {} spatial axes", self.output.len());
        }
        let mut shape = x.shape.clone();
        self.output
            .iter()
            .enumerate()
            .for_each(|(i, size)| shape[i + 2] = size.clone());
        one(x.with_shape(shape))
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        windowed(operands[0].rank())
    }
}
