//! Calls of kernels of quantised and of plain integers.

use super::{Dice, Draw, range};
use kiln_cortex_m::dialect::{
    Activation, Add, Average, AxisMean, AxisSoftmax, AxisSum, Broadcast, BroadcastMinMax,
    CountedPool, DilatedPool, Dims, Dtype, Family, Function, IntegerFunction, Integers, Mean,
    Operands, PoolParams, Requantise, Resize, Scaling, Table, Tile,
};
use kiln_cortex_m::evaluate::Data;

pub(super) fn draw(function: Function, dice: &mut Dice) -> Draw {
    let size = dice.within(0, 40);
    match function.row().family {
        Family::Requantise => Draw::of(Requantise {
            scaling: scaling(function, dice),
            size,
        }),
        Family::Table => Draw::of(Table { size }),
        Family::Add => Draw::of(sum(function, dice, size)),
        Family::Broadcast => broadcast(function, dice),
        Family::BroadcastMinMax => {
            let sizes = dice.sizes(4);
            let (strides, counts) = dice.pair(&sizes);
            Draw::of(BroadcastMinMax { strides }).operands(counts)
        }
        Family::AxisSum => Draw::of(AxisSum {
            scaling: scaling(function, dice),
            outer: dice.within(1, 4),
            n: dice.within(0, 9),
            inner: dice.within(1, 5),
        }),
        Family::AxisMean => Draw::of(mean(function, dice)),
        Family::AxisSoftmax => Draw::of(AxisSoftmax {
            outer: dice.within(1, 4),
            n: dice.within(1, 30),
            inner: dice.within(1, 5),
            multiplier: dice.within(1 << 30, i32::MAX),
            shift: dice.within(18, 26),
            diff_min: dice.within(-300, -50),
        }),
        Family::CountedPool => averages(function, dice),
        Family::DilatedPool => greatest(function, dice),
        Family::Resize => resized(function, dice),
        _ => plain(dice),
    }
}

fn activation(function: Function, dice: &mut Dice) -> Activation {
    let (least, most) = range(function);
    if dice.flip() {
        return Activation {
            min: least,
            max: most,
        };
    }
    let min = dice.within(least, most);
    Activation {
        min,
        max: dice.within(min, most),
    }
}

fn scaling(function: Function, dice: &mut Dice) -> Scaling {
    Scaling {
        input_offset: dice.within(-127, 128),
        multiplier: dice.within(1 << 30, i32::MAX),
        shift: dice.within(-12, 6),
        output_offset: dice.within(-128, 127),
        activation: activation(function, dice),
    }
}

/// A sum whose first factor is 1/2. Shifts are often those of steps that are alike.
fn sum(function: Function, dice: &mut Dice, block_size: i32) -> Add {
    let activation = activation(function, dice);
    let is_usual = dice.flip();
    let mut shift = |usual: [i32; 2], all: [i32; 2]| {
        let [least, most] = if is_usual { usual } else { all };
        dice.within(least, most)
    };
    let input_2_shift = shift([-3, -1], [-31, -1]);
    let out_shift = shift([-19, -17], [-22, -1]);
    Add {
        input_1_offset: dice.within(-127, 128),
        input_1_mult: 1 << 30,
        input_1_shift: 0,
        input_2_offset: dice.within(-127, 128),
        input_2_mult: dice.within(1 << 30, i32::MAX),
        input_2_shift,
        left_shift: 20,
        out_offset: dice.within(-128, 127),
        out_mult: dice.within(1 << 30, i32::MAX),
        out_shift,
        out_activation_min: activation.min,
        out_activation_max: activation.max,
        block_size,
    }
}

fn broadcast(function: Function, dice: &mut Dice) -> Draw {
    let sizes = dice.sizes(4);
    let (strides, counts) = dice.pair(&sizes);
    let is_sum = function.name().starts_with("kiln_add") || function.name().starts_with("kiln_sub");
    let (least, _) = range(function);
    let is_wide = least < -128;
    // Products of 16 bits fit 32 without offsets only.
    let most = if is_wide && !is_sum { 0 } else { 100 };
    let mut factor = || (dice.within(1 << 30, i32::MAX), dice.within(-4, 0));
    let ((multiplier_1, shift_1), (multiplier_2, shift_2)) = (factor(), factor());
    let operands = Operands {
        offset_1: dice.within(-most, most),
        multiplier_1,
        shift_1,
        offset_2: dice.within(-most, most),
        multiplier_2,
        shift_2,
        left_shift: if is_wide {
            dice.within(0, 13)
        } else {
            dice.within(0, 20)
        },
        output_offset: dice.within(-100, 100),
        multiplier: dice.within(1 << 30, i32::MAX),
        shift: dice.within(-16, 6),
        activation: activation(function, dice),
    };
    Draw::of(Broadcast { operands, strides }).operands(counts)
}

/// A place and weights for each of `count` results along an axis of a size. One in some calls lies beyond it.
fn table(dice: &mut Dice, count: i32, taps: i32, size: i32) -> Data {
    let mut words = Vec::new();
    for _ in 0..count {
        words.push(dice.within(0, size - taps));
        words.extend((0..taps).map(|_| dice.within(-64, 64)));
    }
    if dice.within(0, 19) == 0 {
        words[0] = dice.one(&[-1, size - taps + 1]);
    }
    Data::I32(words)
}

fn resized(function: Function, dice: &mut Dice) -> Draw {
    let channels = dice.within(1, 5);
    let (input_dims, to) = (dice.dims(channels), dice.dims(channels));
    let output_dims: Dims = [input_dims.n, to.h, to.w, channels].into();
    let row_taps = dice.within(1, input_dims.h.min(4));
    let column_taps = dice.within(1, input_dims.w.min(4));
    let rows = table(dice, output_dims.h, row_taps, input_dims.h);
    let columns = table(dice, output_dims.w, column_taps, input_dims.w);
    let resize = Resize {
        scaling: scaling(function, dice),
        input_dims,
        row_taps,
        column_taps,
        output_dims,
    };
    let drawn = Draw::of(resize);
    drawn.with("rows", rows).with("columns", columns)
}

/// The dims of input, window and output, with windows that reach into the padding and beyond it.
pub(super) fn windows(
    dice: &mut Dice,
    stride: &Tile,
    padding: &Tile,
    dilation: &Tile,
) -> [Dims; 3] {
    let channels = dice.within(1, 5);
    let input = dice.dims(channels);
    let filter: Dims = [1, dice.within(1, 3), dice.within(1, 3), 1].into();
    let places = |size: i32, taps: i32, stride: i32, padding: i32, dilation: i32| {
        let span = size + 2 * padding - ((taps - 1) * dilation + 1);
        span.max(0) / stride + 1
    };
    let output = [
        input.n,
        places(input.h, filter.h, stride.h, padding.h, dilation.h),
        places(input.w, filter.w, stride.w, padding.w, dilation.w),
        channels,
    ];
    [input, filter, output.into()]
}

const CLOSE: Tile = Tile { w: 1, h: 1 };

fn pool_params(function: Function, dice: &mut Dice) -> PoolParams {
    PoolParams {
        stride: dice.tile(1, 3),
        padding: dice.tile(0, 1),
        activation: activation(function, dice),
    }
}

/// A scale.
fn step(dice: &mut Dice) -> f64 {
    f64::from(dice.within(1, 1 << 20)) / f64::from(1 << 24)
}

fn mean(function: Function, dice: &mut Dice) -> AxisMean {
    let (least, most) = range(function);
    let scale = step(dice);
    AxisMean {
        mean: Mean {
            zero_point: dice.within(least, most),
            scale: scale as f32,
            inverse: (1.0 / scale) as f32,
            activation: activation(function, dice),
        },
        outer: dice.within(1, 4),
        n: dice.within(1, 80),
        inner: dice.within(1, 5),
    }
}

fn averages(function: Function, dice: &mut Dice) -> Draw {
    let mut params = pool_params(function, dice);
    // Every window of means has an element.
    params.padding = Tile { w: 0, h: 0 };
    let [input_dims, filter_dims, output_dims] =
        windows(dice, &params.stride, &params.padding, &CLOSE);
    let (least, most) = range(function);
    let scale = step(dice);
    Draw::of(CountedPool {
        average: Average {
            zero_point: dice.within(least, most),
            divisor: dice.within(0, 5),
            padding_counts: dice.flip(),
            scale: scale as f32,
            inverse: (1.0 / scale) as f32,
        },
        params,
        input_dims,
        filter_dims,
        output_dims,
    })
}

fn greatest(function: Function, dice: &mut Dice) -> Draw {
    let params = pool_params(function, dice);
    let dilation = dice.tile(1, 3);
    let [input_dims, filter_dims, output_dims] =
        windows(dice, &params.stride, &params.padding, &dilation);
    Draw::of(DilatedPool {
        params,
        dilation,
        input_dims,
        filter_dims,
        output_dims,
    })
}

fn plain(dice: &mut Dice) -> Draw {
    let sizes = dice.sizes(4);
    let (strides, counts) = dice.pair(&sizes);
    let function = dice.one(IntegerFunction::ALL);
    Draw::of(Integers { strides, function }).operands(counts)
}

/// The types that are moved.
pub(super) const MOVED: [Dtype; 8] = [
    Dtype::I8,
    Dtype::U8,
    Dtype::I16,
    Dtype::I32,
    Dtype::I64,
    Dtype::F32,
    Dtype::F16,
    Dtype::Bf16,
];
