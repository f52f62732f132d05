//! Calls of kernels of floats.

use super::integers::windows;
use super::{Dice, Draw, range};
use kiln_cortex_m::dialect::{
    Activation, AxisArgmax, AxisReduce, Clamp, Compare, Comparison, Convolution, Dequantise, Dims,
    Elu, Family, FloatAvgPool, FloatConv, FloatMatmul, FloatMaxPool, FloatRange, Function,
    LeakyRelu, Map, Matrices, Norm, Pairs, Quantise, Softplus, Strides, Tile, TopK, Windows,
};
use kiln_cortex_m::evaluate::Data;

pub(super) fn draw(function: Function, dice: &mut Dice) -> Draw {
    let size = dice.within(100, 300);
    match function.row().family {
        Family::Map => Draw::of(Map { size }),
        Family::Clamp => {
            let min = dice.tame();
            let max = min + dice.unit().abs();
            Draw::of(Clamp { min, max, size })
        }
        Family::LeakyRelu => {
            let slope = dice.unit();
            Draw::of(LeakyRelu { slope, size })
        }
        Family::Elu => Draw::of(Elu {
            alpha: dice.tame(),
            scale: dice.tame(),
            input_scale: dice.tame(),
            size,
        }),
        Family::Softplus => Draw::of(Softplus {
            beta: 1.0 + dice.unit(),
            threshold: 20.0,
            size,
        }),
        Family::Pairs | Family::Compare => pairs(function, dice),
        Family::Quantise | Family::Dequantise => quantised(function, dice),
        Family::FloatMatmul => matmul(dice),
        Family::FloatConv => conv(function, dice),
        Family::FloatMaxPool | Family::FloatAvgPool => pool(function, dice),
        _ => along(function, dice),
    }
}

fn pairs(function: Function, dice: &mut Dice) -> Draw {
    let mut sizes = dice.sizes(3);
    sizes.push(dice.within(1, 20));
    let (strides, counts) = dice.pair(&sizes);
    let drawn = match function.row().family {
        Family::Pairs => Draw::of(Pairs { strides }),
        _ => Draw::of(Compare {
            strides,
            comparison: dice.one(Comparison::ALL),
        }),
    };
    drawn.operands(counts)
}

fn quantised(function: Function, dice: &mut Dice) -> Draw {
    let [outer, n, inner] = [3, 4, 30].map(|most| dice.within(1, most));
    let mut scales = |is_inverse: bool| {
        let scale = (dice.unit().abs() + 0.01) / 8.0;
        if is_inverse { 1.0 / scale } else { scale }
    };
    let is_dequantise = function.row().family == Family::Dequantise;
    let scales = Data::F32((0..n).map(|_| scales(!is_dequantise)).collect());
    let zero_points = Data::I32((0..n).map(|_| dice.within(-128, 127)).collect());
    if is_dequantise {
        let drawn = Draw::of(Dequantise { outer, n, inner });
        return drawn
            .with("scales", scales)
            .with("zero_points", zero_points);
    }
    let (least, most) = range(function);
    let min = dice.within(least, 0);
    let activation = Activation {
        min,
        max: dice.within(min, most),
    };
    let drawn = Draw::of(Quantise {
        outer,
        n,
        inner,
        activation,
    });
    drawn
        .with("inverse_scales", scales)
        .with("zero_points", zero_points)
}

fn float_range(dice: &mut Dice) -> FloatRange {
    match dice.flip() {
        true => FloatRange::default(),
        false => FloatRange { min: 0.0, max: 6.0 },
    }
}

/// Operands that lie with rows or with columns together, and batches that are repeated.
fn matmul(dice: &mut Dice) -> Draw {
    let [rows, depth, columns] = [6, 12, 9].map(|most| dice.within(1, most));
    let sizes = dice.sizes(2);
    let (batches, counts) = dice.pair(&sizes);
    let mut lie = |height: i32, width: i32| match dice.flip() {
        true => (width, 1),
        false => (1, height),
    };
    let ((lhs_row, lhs_column), (rhs_row, rhs_column)) = (lie(rows, depth), lie(depth, columns));
    let times = |strides: &[i32], by: i32| strides.iter().map(|s| s * by).collect::<Vec<_>>();
    let (one, two) = (rows * depth, depth * columns);
    let batches = Strides::new(
        &sizes,
        &times(&batches.strides_1.0, one),
        &times(&batches.strides_2.0, two),
    );
    let matrices = Matrices {
        rows,
        depth,
        columns,
        lhs_row,
        lhs_column,
        rhs_row,
        rhs_column,
        range: float_range(dice),
    };
    let mut drawn = Draw::of(FloatMatmul { matrices, batches }).tame();
    drawn.counts = vec![
        ("lhs", counts[0] * one as usize),
        ("rhs", counts[1] * two as usize),
    ];
    drawn.optional(dice, &["bias"])
}

fn conv(function: Function, dice: &mut Dice) -> Draw {
    let is_transposed = dice.flip();
    let one = Tile { w: 1, h: 1 };
    let convolution = Convolution {
        stride: if is_transposed {
            one.clone()
        } else {
            dice.tile(1, 3)
        },
        padding: dice.tile(-1, 2),
        dilation: if is_transposed {
            one.clone()
        } else {
            dice.tile(1, 2)
        },
        upscale: if is_transposed { dice.tile(1, 3) } else { one },
        flipped: dice.flip(),
        range: float_range(dice),
    };
    let groups = dice.within(1, 3);
    let (inputs, outputs) = (groups * dice.within(1, 4), groups * dice.within(1, 3));
    let [height, width] = [3, 4].map(|most| dice.within(1, most));
    let (input_dims, filter_dims, channels): (Dims, Dims, i32) = match function {
        Function::KilnDepthwiseConvF32 => {
            let outputs = inputs * dice.within(1, 2);
            (
                dice.dims(inputs),
                [1, height, width, outputs].into(),
                outputs,
            )
        }
        _ => {
            let filter = [outputs, height, width, inputs / groups];
            (dice.dims(inputs), filter.into(), outputs)
        }
    };
    let output = [input_dims.n, dice.within(1, 6), dice.within(1, 6), channels];
    let drawn = Draw::of(FloatConv {
        convolution,
        input_dims,
        filter_dims,
        output_dims: output.into(),
    });
    drawn.tame().optional(dice, &["bias"])
}

fn pool(function: Function, dice: &mut Dice) -> Draw {
    let is_max = function.row().family == Family::FloatMaxPool;
    let windows_of = Windows {
        stride: dice.tile(1, 3),
        padding: dice.tile(0, 2),
        dilation: if is_max {
            dice.tile(1, 3)
        } else {
            Tile { w: 1, h: 1 }
        },
    };
    let [input_dims, filter_dims, output_dims] = windows(
        dice,
        &windows_of.stride,
        &windows_of.padding,
        &windows_of.dilation,
    );
    if is_max {
        return Draw::of(FloatMaxPool {
            windows: windows_of,
            input_dims,
            filter_dims,
            output_dims,
        });
    }
    let drawn = Draw::of(FloatAvgPool {
        windows: windows_of,
        divisor: dice.within(0, 4),
        padding_counts: dice.flip(),
        input_dims,
        filter_dims,
        output_dims,
    });
    drawn.tame()
}

/// Functions along an axis.
fn along(function: Function, dice: &mut Dice) -> Draw {
    let [outer, n, inner] = [4, 20, 4].map(|most| dice.within(1, most));
    let is_tame = dice.flip();
    let mut drawn = match function.row().family {
        Family::AxisArgmax => Draw::of(AxisArgmax { outer, n, inner }),
        Family::Norm => {
            let norm = Norm {
                rows: outer,
                n,
                eps: 1e-5,
                centred: dice.flip(),
            };
            Draw::of(norm).optional(dice, &["weight", "bias"])
        }
        Family::TopK => Draw::of(TopK {
            outer,
            n,
            inner,
            k: dice.within(0, n),
            largest: dice.flip(),
        }),
        _ => Draw::of(AxisReduce { outer, n, inner }),
    };
    drawn.is_tame = is_tame;
    drawn
}
