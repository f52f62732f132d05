//! About how many instructions a call takes, by the rows that it computes.
//!
//! The numbers are those of CMSIS-NN compiled by GCC 12 at `-O2`, fitted to what QEMU counts for the layers of MLPerf Tiny's models. They
//! choose between calls that give the same bits, so only what they differ in matters.

use super::build::Build;
use super::parameters::{Conv, Depthwise, Parameters};
use super::program::Call;
use super::scratch::CHANNEL_BLOCK;
use super::table::Function;

/// Work in tenths of instructions. Places of a result are computed some at a time; those that are left over cost more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// Of a call, however little it computes.
    call: u64,
    /// Of a row.
    row: u64,
    /// Places of a row.
    width: u64,
    /// Places at a time.
    at_once: u64,
    /// Of as many places as are computed at a time.
    group: u64,
    /// Of a place that is left over.
    left: u64,
    /// Whether places are left over in each row.
    is_by_row: bool,
    /// Of everything else, whatever calls compute it.
    rest: u64,
    /// The rows of the whole.
    height: usize,
}

fn size(n: i32) -> u64 {
    u64::try_from(n).unwrap_or(0)
}

impl Work {
    /// The work of a call.
    pub(crate) fn of(call: &Call, build: Build) -> Work {
        match &call.parameters {
            Parameters::Conv(of) => Work::of_conv(of, call.function, build),
            Parameters::Depthwise(of) => Work {
                height: of.output_dims.sizes()[1],
                ..Work::depthwise(of, build)
            },
            Parameters::Add(of) => {
                let is_own = call.function == Function::KilnAddSameS8;
                let of_element = match (is_own, build == Build::Mve) {
                    (true, true) => 50,
                    (true, false) => 290,
                    (false, true) => 138,
                    (false, false) => 810,
                };
                Work::even(size(of.block_size) * of_element)
            }
            _ => {
                let of_product = if build == Build::Mve { 8 } else { 25 };
                Work::even(call.multiplications() * of_product)
            }
        }
    }

    /// The work of a convolution by a function.
    pub(crate) fn of_conv(of: &Conv, function: Function, build: Build) -> Work {
        let work = match is_pointwise(function) {
            true => Work::pointwise(of, function, build),
            false => Work::plane(of, build),
        };
        Work {
            height: of.output_dims.sizes()[1],
            ..work
        }
    }

    /// Work that is the same in one call and in several, but for the calls.
    fn even(rest: u64) -> Work {
        Work {
            call: 1_100,
            width: 1,
            at_once: 1,
            rest,
            ..Work::default()
        }
    }

    /// The instructions of a call for so many rows, without those that all calls share.
    pub(crate) fn of_rows(&self, rows: usize) -> u64 {
        let (rows, width, at_once) = (rows as u64, self.width, self.at_once.max(1));
        let of = |places: u64| places / at_once * self.group + places % at_once * self.left;
        let places = match self.is_by_row {
            true => rows * of(width),
            false => of(rows * width),
        };
        (self.call + rows * self.row + places) / 10
    }

    /// The instructions of the call as a whole.
    pub(crate) fn of_all(&self) -> u64 {
        self.of_rows(self.height) + self.rest / 10
    }

    /// A window of one element. Without MVE, the weights are added up first: in each call, or for each row where there are strides.
    fn pointwise(of: &Conv, function: Function, build: Build) -> Work {
        let (channels, depth) = (size(of.output_dims.c), size(of.filter_dims.c));
        let is_by_row = matches!(function, Function::Convolve1x1S8 | Function::Convolve1x1S4);
        let mut work = Work {
            call: 1_300,
            width: size(of.output_dims.w),
            is_by_row,
            ..Work::default()
        };
        let start = match build {
            Build::Mve => {
                let vectors = depth.div_ceil(16);
                (work.at_once, work.group) = (4, channels * (566 + 110 * vectors));
                work.left = channels * (280 + 50 * vectors);
                400
            }
            Build::Scalar | Build::Dsp => {
                (work.at_once, work.group) = (2, 2 * channels * (410 + 142 * depth / 10));
                work.left = channels * (410 + 200 * depth / 10);
                600 + 30 * channels * depth
            }
        };
        match is_by_row {
            true => work.row = start,
            false => work.call += start,
        }
        work
    }

    /// Any window: it is copied to a column first, tap by tap.
    fn plane(of: &Conv, build: Build) -> Work {
        let (channels, depth) = (size(of.output_dims.c), size(of.filter_dims.c));
        let taps = size(of.filter_dims.h) * size(of.filter_dims.w);
        let (columns, width) = (taps * depth, size(of.output_dims.w));
        match build {
            Build::Mve => {
                let vectors = columns.div_ceil(16);
                let copied = 400 + taps * (260 + 40 * depth.div_ceil(16));
                let group = 4 * copied + channels * (540 + 110 * vectors);
                let left = copied + channels * (280 + 50 * vectors);
                Work {
                    call: 2_300,
                    width,
                    at_once: 4,
                    group,
                    left,
                    ..Work::default()
                }
            }
            Build::Scalar | Build::Dsp => {
                let copied = 400 + taps * 450 + columns * 23;
                let (quads, single) = (columns / 4 * 4, columns % 4);
                let group = 2 * (copied + channels * (530 + quads * 162 / 10 + single * 200 / 10));
                let left = copied + channels * (530 + quads * 25 + single * 40);
                Work {
                    call: 2_500,
                    width,
                    at_once: 2,
                    group,
                    left,
                    ..Work::default()
                }
            }
        }
    }

    /// Each channel by itself; MVE copies windows to columns, some channels at a time.
    fn depthwise(of: &Depthwise, build: Build) -> Work {
        let channels = size(of.output_dims.c);
        let taps = size(of.filter_dims.h) * size(of.filter_dims.w);
        let width = size(of.output_dims.w);
        match build {
            Build::Mve => {
                let block = CHANNEL_BLOCK as u64;
                let blocks = channels.div_ceil(block);
                let vectors =
                    channels / block * block.div_ceil(16) + (channels % block).div_ceil(16);
                let copied = 400 * blocks + taps * (260 * blocks + 40 * vectors);
                let fours = channels.div_ceil(4);
                let group = 4 * copied + fours * (970 + 160 * taps);
                let left = copied + fours * (410 + 80 * taps);
                Work {
                    call: 900,
                    width,
                    at_once: 4,
                    group,
                    left,
                    ..Work::default()
                }
            }
            Build::Scalar | Build::Dsp => {
                let group = channels * (250 + 50 * taps);
                Work {
                    call: 1_100,
                    width,
                    at_once: 1,
                    group,
                    ..Work::default()
                }
            }
        }
    }
}

fn is_pointwise(function: Function) -> bool {
    matches!(
        function,
        Function::Convolve1x1S8Fast
            | Function::Convolve1x1S8
            | Function::Convolve1x1S4Fast
            | Function::Convolve1x1S4
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A convolution: the sizes of the result, and height, width and channels of the window.
    fn conv([h, w, c]: [i32; 3], [kh, kw, depth]: [i32; 3]) -> Conv {
        Conv {
            filter_dims: [c, kh, kw, depth].into(),
            output_dims: [1, h, w, c].into(),
            ..Conv::default()
        }
    }

    /// What QEMU counts for layers of ResNet8 and MobileNetV1 with CMSIS-NN linked, on Cortex-M4 and Cortex-M55.
    #[test]
    fn as_counted() {
        const PLANE: Function = Function::ConvolveS8;
        const FAST: Function = Function::Convolve1x1S8Fast;
        for (function, to, window, [m4, m55]) in [
            (PLANE, [32, 32, 16], [3, 3, 3], [2_110_092, 626_563]),
            (PLANE, [32, 32, 16], [3, 3, 16], [5_493_092, 941_937]),
            (PLANE, [16, 16, 32], [3, 3, 32], [4_543_892, 603_969]),
            (PLANE, [8, 8, 64], [3, 3, 64], [4_155_732, 487_250]),
            (PLANE, [48, 48, 8], [3, 3, 3], [3_044_932, 1_050_156]),
            (FAST, [48, 48, 16], [1, 1, 8], [1_954_932, 641_813]),
            (FAST, [24, 24, 32], [1, 1, 32], [1_589_572, 365_594]),
            (FAST, [12, 12, 64], [1, 1, 64], [1_226_692, 232_031]),
        ] {
            for (build, counted) in [(Build::Dsp, m4), (Build::Mve, m55)] {
                let of = Work::of_conv(&conv(to, window), function, build).of_all();
                assert!(
                    of.abs_diff(counted) < counted / 12,
                    "{build} {to:?} {window:?}: {of}, not {counted}"
                );
            }
        }
    }

    /// Rows by themselves have more work than all rows at once, and places that are left over more than others.
    #[test]
    fn few_rows_cost_more() {
        let work = Work::of_conv(
            &conv([25, 5, 64], [1, 1, 64]),
            Function::Convolve1x1S8Fast,
            Build::Mve,
        );
        assert!(25 * work.of_rows(1) > work.of_rows(25));
        assert!(work.of_rows(4) < 2 * work.of_rows(2));
    }
}
