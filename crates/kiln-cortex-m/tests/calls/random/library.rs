//! Calls of functions of the library that its suite does not have.

use super::{Dice, Draw};
use kiln_cortex_m::dialect::{
    Activation, Dims, Family, Function, PerChannel, Relu, Tile, TransposeConv, TransposeConvParams,
};

pub(super) fn draw(function: Function, dice: &mut Dice) -> Option<Draw> {
    match function.row().family {
        Family::Relu => Some(Draw::of(Relu {
            size: dice.within(0, 60),
        })),
        Family::TransposeConv => Some(transposed(dice)),
        _ => None,
    }
}

fn transposed(dice: &mut Dice) -> Draw {
    let [inputs, outputs] = [5, 4].map(|most| dice.within(1, most));
    let (stride, padding) = (dice.tile(1, 3), dice.tile(0, 1));
    // The library's function is for windows that meet.
    let filter_dims: Dims = [
        outputs,
        stride.h + dice.within(0, 2),
        stride.w + dice.within(0, 2),
        inputs,
    ]
    .into();
    let input_dims = dice.dims(inputs);
    let size =
        |size: i32, stride: i32, taps: i32, padding: i32| (size - 1) * stride + taps - padding;
    let output_dims: Dims = [
        input_dims.n,
        size(input_dims.h, stride.h, filter_dims.h, padding.h),
        size(input_dims.w, stride.w, filter_dims.w, padding.w),
        outputs,
    ]
    .into();
    let mut numbers = |least, most| (0..outputs).map(|_| dice.within(least, most)).collect();
    let quant_params = PerChannel {
        multiplier: numbers(1 << 30, i32::MAX),
        shift: numbers(-14, -4),
    };
    let transpose_conv_params = TransposeConvParams {
        input_offset: dice.within(-127, 128),
        output_offset: dice.within(-128, 127),
        stride,
        padding,
        padding_offsets: Tile { w: 0, h: 0 },
        dilation: Tile { w: 1, h: 1 },
        activation: Activation {
            min: -128,
            max: 127,
        },
    };
    let drawn = Draw::of(TransposeConv {
        transpose_conv_params,
        quant_params,
        input_dims,
        filter_dims,
        bias_dims: Dims::from([1, 1, 1, outputs]),
        output_dims,
    });
    drawn.optional(dice, &["bias_data"])
}
