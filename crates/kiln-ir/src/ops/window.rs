//! Families with windows over the spatial axes, which are those behind the first two: pools and resizes.

use super::attribute::{Attribute, name_attribute};
use super::*;
use crate::dim::Dim;
use crate::dtype::DType;

/// How a window is reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolFn {
    /// The maximum; NaN if an element is NaN. Padding does not count.
    Max,
    /// As `Max`, with a second result: the i64 row-major index of the maximum in the input's spatial axes.
    MaxWithIndices,
    /// The sum divided by the number of elements.
    Avg {
        /// True if padding counts as elements. What the ceil mode adds beyond the padding never does.
        count_include_pad: bool,
        /// A divisor to use instead of the number of elements.
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
    /// True if the result is one of the elements.
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
    /// Reduces windows over the axes behind the first two of `x[n, c, ..]`.
    Pool {
        /// The reduction.
        f: PoolFn,
        /// The sizes of windows, by spatial axis.
        kernel: Vec<i64>,
        /// The distance of neighbouring windows, by spatial axis.
        stride: Vec<i64>,
        /// The padding before, by spatial axis.
        pad_low: Vec<i64>,
        /// The padding behind, by spatial axis.
        pad_high: Vec<i64>,
        /// The distance of neighbouring taps, by spatial axis.
        dilation: Vec<i64>,
        /// Ceil mode: keep a last window that starts inside of the input or the low padding, but ends beyond the high
        /// padding.
        ceil: bool,
    }
}

impl Pool {
    /// The number of spatial axes.
    pub fn spatial(&self) -> usize {
        self.kernel.len()
    }

    /// The size of the result along spatial axis `i`, for an input of size `size` (PyTorch's `pooling_output_shape`).
    pub fn spatial_size(&self, i: usize, size: &Dim) -> Dim {
        let stride = Dim::constant(self.stride[i]);
        let extent = Dim::constant(self.kernel[i] - 1) * self.dilation[i] + 1;
        let span = size + self.pad_low[i] + self.pad_high[i] - extent;
        if !self.ceil {
            return span.floor_div(&stride) + 1;
        }
        let windows = (span + self.stride[i] - 1).floor_div(&stride) + 1;
        // A window that starts beyond the input and its low padding is dropped.
        let starts = (size + self.pad_low[i] - 1).floor_div(&stride) + 1;
        Dim::min([windows, starts])
    }

    fn check(&self, x: &TensorType) -> Result<(), Misfit> {
        let n = self.spatial();
        let lists = [&self.stride, &self.pad_low, &self.pad_high, &self.dilation];
        if x.rank() != n + 2 || lists.iter().any(|l| l.len() != n) {
            misfit!("{x:?} does not have the {n} spatial axes of the attributes");
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

/// The greatest absolute value of sizes, distances and paddings, so that products of two of them fit i64.
const MAX_MAGNITUDE: i64 = i32::MAX as i64;

/// Refuses attributes that could make sizes overflow.
pub(super) fn check_magnitudes<'v>(
    values: impl IntoIterator<Item = &'v i64>,
) -> Result<(), Misfit> {
    match values
        .into_iter()
        .find(|v| !(-MAX_MAGNITUDE..=MAX_MAGNITUDE).contains(*v))
    {
        Some(value) => misfit!(
            "an attribute of a window is {value}; its absolute value may be at most {MAX_MAGNITUDE}"
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
            inner_rounding: InnerRounding::Exact,
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
    /// Reduces the axes behind the first two to given sizes. Output `i` of `m` depends on the elements from `floor(i *
    /// n / m)` up to `ceil((i + 1) * n / m)`.
    AdaptivePool {
        /// The reduction. An average divides by the number of elements in its window.
        f: PoolFn,
        /// The sizes of the result, by spatial axis.
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
            inner_rounding: InnerRounding::Exact,
            quantised: self.f.on_quantised(),
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let x = operands[0];
        if x.rank() != self.output.len() + 2 {
            misfit!(
                "{x:?} does not have the {} spatial axes of the attributes",
                self.output.len()
            );
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
    /// How values between elements are interpolated.
    ResizeMode {
        /// The element at `floor(i * scale)`.
        Nearest "nearest",
        /// Linear between two neighbours along each axis.
        Linear "linear",
        /// Cubic convolution (a = -0.75) of four neighbours along each axis.
        Cubic "cubic",
    }
}

family! {
    /// Resamples the axes behind the first two to other sizes.
    Resize {
        /// The interpolation.
        mode: ResizeMode,
        /// True if the centres of the corner elements are aligned, false if their outer corners are.
        align_corners: bool,
        /// The sizes of the result, by spatial axis.
        output: Vec<Dim>,
        /// The user's scale factor by spatial axis. If present, it gives the distance of samples, instead of the ratio
        /// of sizes.
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
            inner_rounding: InnerRounding::Exact,
            quantised,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let x = operands[0];
        if x.rank() != self.output.len() + 2 || self.scales.len() != self.output.len() {
            misfit!(
                "{x:?} does not have the {} spatial axes of the attributes",
                self.output.len()
            );
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
