//! Convolutions and pools over NHWC: `convolve_f32.c`, `pool_f32.c`.

use super::super::arguments::Arguments;
use super::super::data::Data;
use super::{greater, limited};
use crate::dialect::{
    Convolution, Dims, FloatAvgPool, FloatConv, FloatMaxPool, Function, Tile, Windows,
};

/// The windows along one axis.
#[derive(Clone, Copy)]
struct Axis {
    size: i32,
    taps: i32,
    stride: i32,
    padding: i32,
    dilation: i32,
    upscale: i32,
    is_flipped: bool,
}

impl Axis {
    /// The taps that meet the input, each as its place in the kernel and in the input.
    fn taps(self, place: usize) -> Vec<(usize, usize)> {
        let base = place as i64 * i64::from(self.stride) - i64::from(self.padding);
        let upscale = i64::from(self.upscale);
        let meets = |tap: i32| {
            let at = base + i64::from(tap) * i64::from(self.dilation);
            let is_element = at >= 0 && at % upscale == 0 && at / upscale < self.size.into();
            let turned = if self.is_flipped {
                self.taps - 1 - tap
            } else {
                tap
            };
            is_element.then_some((turned as usize, (at / upscale) as usize))
        };
        (0..self.taps).filter_map(meets).collect()
    }

    /// How many elements of the input and its padding the window has. The padding is as wide behind the input as in front of it.
    fn padded(self, place: usize) -> i64 {
        let first = place as i64 * i64::from(self.stride) - i64::from(self.padding);
        let end = i64::from(self.size) + i64::from(self.padding);
        (end - first).clamp(0, self.taps.into())
    }
}

/// Both axes, rows first.
struct Plane<'p> {
    axes: [Axis; 2],
    input: &'p Dims,
    output: &'p Dims,
}

/// A pair of places, in the kernel and in the input, row-major.
type Tap = (usize, usize);

impl<'p> Plane<'p> {
    fn new(of: &Convolution, filter: &Dims, input: &'p Dims, output: &'p Dims) -> Plane<'p> {
        let axis = |size, taps, number: fn(&Tile) -> i32| Axis {
            size,
            taps,
            stride: number(&of.stride),
            padding: number(&of.padding),
            dilation: number(&of.dilation),
            upscale: number(&of.upscale),
            is_flipped: of.flipped,
        };
        Plane {
            axes: [
                axis(input.h, filter.h, |tile| tile.h),
                axis(input.w, filter.w, |tile| tile.w),
            ],
            input,
            output,
        }
    }

    fn of_windows(of: &Windows, filter: &Dims, input: &'p Dims, output: &'p Dims) -> Plane<'p> {
        let plain = Convolution {
            stride: of.stride.clone(),
            padding: of.padding.clone(),
            dilation: of.dilation.clone(),
            upscale: Tile { w: 1, h: 1 },
            ..Convolution::default()
        };
        Plane::new(&plain, filter, input, output)
    }

    /// Calls a function for each window in order, with the batch, the taps, and the window's place.
    fn each(&self, mut f: impl FnMut(usize, &[Tap], [usize; 2])) {
        let [batches, height, width, _] = self.output.sizes();
        let [rows, columns] = self.axes;
        for (n, y) in (0..batches).flat_map(|n| (0..height).map(move |y| (n, y))) {
            let of_rows = rows.taps(y);
            for x in 0..width {
                let of_columns = columns.taps(x);
                let pairs = of_rows
                    .iter()
                    .flat_map(|row| of_columns.iter().map(move |column| (row, column)));
                let taps: Vec<Tap> = pairs
                    .map(|(row, column)| {
                        let tap = row.0 * columns.taps as usize + column.0;
                        (tap, row.1 * columns.size as usize + column.1)
                    })
                    .collect();
                f(n, &taps, [y, x]);
            }
        }
    }

    /// The result of a function for each channel of each window. It is given the elements of the window, their number, and the
    /// window's place.
    fn pooled(
        &self,
        x: &[f32],
        f: impl Fn(&mut dyn Iterator<Item = f32>, (usize, [usize; 2])) -> f32,
    ) -> Data {
        let channels = self.input.c as usize;
        let mut results = Vec::with_capacity(self.output.elements());
        self.each(|batch, taps, place| {
            results.extend((0..channels).map(|c| {
                let places = taps
                    .iter()
                    .map(|(_, at)| self.first(batch) + at * channels + c);
                f(&mut places.map(|at| x[at]), (taps.len(), place))
            }));
        });
        Data::F32(results)
    }

    /// The first element of a batch.
    fn first(&self, batch: usize) -> usize {
        let [_, h, w, c] = self.input.sizes();
        batch * h * w * c
    }
}

/// A convolution, of groups or of each channel.
pub fn convolved(function: Function, of: &FloatConv, arguments: &Arguments<'_>) -> Data {
    let (x, filter) = (arguments.f32("input"), arguments.f32("filter"));
    let bias = arguments.get("bias").map(|_| arguments.f32("bias"));
    let plane = Plane::new(
        &of.convolution,
        &of.filter_dims,
        &of.input_dims,
        &of.output_dims,
    );
    let (inputs, outputs) = (of.input_dims.c as usize, of.output_dims.c as usize);
    let [_, height, width, depth] = of.filter_dims.sizes();
    let is_depthwise = function == Function::KilnDepthwiseConvF32;
    let range = &of.convolution.range;
    let mut results = Vec::with_capacity(of.output_dims.elements());
    plane.each(|batch, taps, _| {
        for c in 0..outputs {
            let mut sum = bias.map_or(0.0, |bias| bias[c]);
            for (tap, place) in taps {
                let from = plane.first(batch) + place * inputs;
                if is_depthwise {
                    sum += x[from + c / (outputs / inputs)] * filter[tap * outputs + c];
                    continue;
                }
                let group = c / (outputs / (inputs / depth));
                let weights = &filter[(c * height * width + tap) * depth..][..depth];
                let values = &x[from + group * depth..][..depth];
                sum = values
                    .iter()
                    .zip(weights)
                    .fold(sum, |sum, (x, w)| sum + x * w);
            }
            results.push(limited(sum, range.min, range.max));
        }
    });
    Data::F32(results)
}

/// The greatest elements of windows.
pub fn greatest_of_windows(of: &FloatMaxPool, arguments: &Arguments<'_>) -> Data {
    let (input, output) = (&of.input_dims, &of.output_dims);
    let plane = Plane::of_windows(&of.windows, &of.filter_dims, input, output);
    plane.pooled(arguments.f32("input"), |elements, _| {
        elements.fold(f32::NEG_INFINITY, greater)
    })
}

/// The averages of windows.
pub fn averages(of: &FloatAvgPool, arguments: &Arguments<'_>) -> Data {
    let (input, output) = (&of.input_dims, &of.output_dims);
    let plane = Plane::of_windows(&of.windows, &of.filter_dims, input, output);
    plane.pooled(arguments.f32("input"), |elements, (taps, [row, column])| {
        let by = match of.divisor {
            0 if of.padding_counts => plane.axes[0].padded(row) * plane.axes[1].padded(column),
            0 => taps as i64,
            divisor => divisor.into(),
        };
        elements.fold(0.0, |sum, x| sum + x) / by as f32
    })
}
