//! Convolutions and pools of images, channels last.

use super::convert::{Converter, int, kernel, no_kernel, pair};
use super::names;
use crate::dialect::{
    Activation, AxisSum, Call, Conv, ConvParams, Depthwise, Dims, DwConvParams, Function,
    PerChannel, Pool, Tile, TransposeConv,
};
use kiln_portable::calls::{self, Argument};
use kiln_transforms::framework::target::Reason;

/// The most ones of a sum that are written out as weights, in bytes.
const MOST_ONES: usize = 1 << 20;

impl Converter<'_> {
    /// A convolution. The kernel calls the wrapper, which chooses the function when it runs; all functions give the same bits.
    pub(super) fn conv(&mut self, call: &Call, conv: &Conv) -> Result<calls::Call, Reason> {
        let own = Conv {
            bias_data: None,
            ..conv.clone()
        };
        let call = self.with(call, Function::ConvolveWrapperS8, own)?;
        let weight = self.plain(&call, 1, &conv.filter_dims.sizes())?;
        let mut arguments = vec![
            Argument::Tensor(self.image(&call, 0, &conv.input_dims)?),
            Argument::Tensor(weight),
            self.optional(&call, 2)?,
            pair(&conv.conv_params.stride),
            pair(&conv.conv_params.padding),
            pair(&conv.conv_params.dilation),
        ];
        let offsets = [
            conv.conv_params.input_offset,
            conv.conv_params.output_offset,
        ];
        arguments.extend(self.last_stage(
            offsets,
            &conv.quant_params,
            &conv.conv_params.activation,
        ));
        arguments.push(self.scratch(&call, 0));
        let out = self.image(&call, 3, &conv.output_dims)?;
        Ok(kernel(names::CONV, arguments, out))
    }

    pub(super) fn depthwise(
        &mut self,
        call: &Call,
        conv: &Depthwise,
    ) -> Result<calls::Call, Reason> {
        if conv.input_dims.n != 1 {
            let rule = "the kernel of depthwise convolutions takes one image";
            return Err(Reason::new(rule, conv.input_dims.n.to_string()));
        }
        let call = self.with(call, Function::DepthwiseConvWrapperS8, conv.clone())?;
        let weight = self.plain(&call, 1, &conv.filter_dims.sizes())?;
        let (weight, bias) = (Argument::Tensor(weight), self.optional(&call, 2)?);
        self.depthwise_of(&call, conv, weight, bias)
    }

    fn depthwise_of(
        &mut self,
        call: &Call,
        conv: &Depthwise,
        weight: Argument,
        bias: Argument,
    ) -> Result<calls::Call, Reason> {
        let params = &conv.dw_conv_params;
        let output = call.buffers.len() - 1;
        let mut arguments = vec![
            Argument::Tensor(self.image(call, 0, &conv.input_dims)?),
            weight,
            bias,
            pair(&params.stride),
            pair(&params.padding),
            pair(&params.dilation),
            int(params.ch_mult),
        ];
        let offsets = [params.input_offset, params.output_offset];
        arguments.extend(self.last_stage(offsets, &conv.quant_params, &params.activation));
        arguments.push(self.depthwise_scratch(conv));
        let out = self.image(call, output, &conv.output_dims)?;
        Ok(kernel(names::DEPTHWISE, arguments, out))
    }

    /// The last stage of a layer, as the kernels of convolutions take it: both offsets, the factors by channel, and the
    /// activation range.
    fn last_stage(
        &mut self,
        [input, output]: [i32; 2],
        factors: &PerChannel,
        range: &Activation,
    ) -> [Argument; 6] {
        [
            int(input),
            int(output),
            Argument::Tensor(self.words(&factors.multiplier)),
            Argument::Tensor(self.words(&factors.shift)),
            int(range.min),
            int(range.max),
        ]
    }

    fn depthwise_scratch(&self, conv: &Depthwise) -> Argument {
        let row = Function::DepthwiseConvWrapperS8.row();
        let bytes = (row.scratch[0].bytes)(&conv.clone().into(), self.build);
        Argument::Scratch(bytes as u64)
    }

    /// Sums along an axis, as a depthwise convolution with ones whose windows are the axis.
    pub(super) fn axis_sum(&mut self, call: &Call, sum: &AxisSum) -> Result<calls::Call, Reason> {
        let [outer, n, inner] =
            [sum.outer, sum.n, sum.inner].map(|size| usize::try_from(size).unwrap_or(0));
        if call.function != Function::KilnSumS8 || n * inner > MOST_ONES {
            return Err(no_kernel(call));
        }
        let (height, scaling) = (sum.outer.saturating_mul(sum.n), &sum.scaling);
        let dims = |h: i32, c: i32| Dims { n: 1, h, w: 1, c };
        let conv = Depthwise {
            dw_conv_params: DwConvParams {
                input_offset: scaling.input_offset,
                output_offset: scaling.output_offset,
                ch_mult: 1,
                stride: Tile { w: 1, h: sum.n },
                padding: Tile { w: 0, h: 0 },
                dilation: Tile { w: 1, h: 1 },
                activation: scaling.activation.clone(),
            },
            quant_params: PerChannel {
                multiplier: vec![scaling.multiplier; inner].into(),
                shift: vec![scaling.shift; inner].into(),
            },
            input_dims: dims(height, sum.inner),
            filter_dims: dims(sum.n, sum.inner),
            bias_dims: dims(1, sum.inner),
            output_dims: dims(sum.outer, sum.inner),
        };
        let ones = vec![1; n * inner];
        let zeros = self.words(&vec![0; inner]);
        if inner == 1 {
            return self.dense_sum(call, &conv, ones, zeros);
        }
        debug_assert_eq!(self.elements(call, 0), outer * n * inner);
        let weight = self.bytes(ones, &[1, n, 1, inner]);
        self.depthwise_of(
            call,
            &conv,
            Argument::Tensor(weight),
            Argument::Tensor(zeros),
        )
    }

    /// Sums of rows, as a plain convolution: a depthwise one with one channel is the same.
    fn dense_sum(
        &mut self,
        call: &Call,
        of: &Depthwise,
        ones: Vec<u8>,
        zeros: calls::Tensor,
    ) -> Result<calls::Call, Reason> {
        let params = &of.dw_conv_params;
        let conv = Conv {
            conv_params: ConvParams {
                input_offset: params.input_offset,
                output_offset: params.output_offset,
                stride: params.stride.clone(),
                padding: params.padding.clone(),
                dilation: params.dilation.clone(),
                activation: params.activation.clone(),
            },
            quant_params: of.quant_params.clone(),
            input_dims: of.input_dims.clone(),
            filter_dims: of.filter_dims.clone(),
            bias_dims: of.bias_dims.clone(),
            bias_data: None,
            output_dims: of.output_dims.clone(),
        };
        let scratch = Function::ConvolveWrapperS8.row().scratch[0].bytes;
        let scratch = scratch(&conv.clone().into(), self.build);
        let n = ones.len();
        let mut arguments = vec![
            Argument::Tensor(self.image(call, 0, &conv.input_dims)?),
            Argument::Tensor(self.bytes(ones, &[1, n, 1, 1])),
            Argument::Tensor(zeros),
            pair(&params.stride),
            pair(&params.padding),
            pair(&params.dilation),
        ];
        let offsets = [params.input_offset, params.output_offset];
        arguments.extend(self.last_stage(offsets, &conv.quant_params, &params.activation));
        arguments.push(Argument::Scratch(scratch as u64));
        let out = self.image(call, 1, &conv.output_dims)?;
        Ok(kernel(names::CONV, arguments, out))
    }

    pub(super) fn transpose_conv(
        &mut self,
        call: &Call,
        conv: &TransposeConv,
    ) -> Result<calls::Call, Reason> {
        let call = self.with(call, Function::TransposeConvWrapperS8, conv.clone())?;
        let params = &conv.transpose_conv_params;
        let weight = self.plain(&call, 1, &conv.filter_dims.sizes())?;
        let mut arguments = vec![
            Argument::Tensor(self.image(&call, 0, &conv.input_dims)?),
            Argument::Tensor(weight),
            self.optional(&call, 2)?,
            pair(&params.stride),
            pair(&params.padding),
            pair(&params.padding_offsets),
            pair(&params.dilation),
        ];
        let offsets = [params.input_offset, params.output_offset];
        arguments.extend(self.last_stage(offsets, &conv.quant_params, &params.activation));
        arguments.push(self.scratch(&call, 0));
        arguments.push(self.scratch(&call, 1));
        let out = self.image(&call, 3, &conv.output_dims)?;
        Ok(kernel(names::TRANSPOSE_CONV, arguments, out))
    }

    pub(super) fn pool(&mut self, call: &Call, pool: &Pool) -> Result<calls::Call, Reason> {
        let window = Tile {
            w: pool.filter_dims.w,
            h: pool.filter_dims.h,
        };
        let params = &pool.pool_params;
        let mut arguments = vec![
            Argument::Tensor(self.image(call, 0, &pool.input_dims)?),
            pair(&window),
            pair(&params.stride),
            pair(&params.padding),
        ];
        let out = self.image(call, 1, &pool.output_dims)?;
        match call.function {
            Function::MaxPoolS8 => {
                // The kernel takes the sizes of the result as they are, and reads of the zero points only whether they are equal.
                arguments.extend([
                    Argument::Ints(vec![1, 1]),
                    Argument::Bool(false),
                    int(0),
                    int(0),
                    int(params.activation.min),
                    int(params.activation.max),
                ]);
                Ok(kernel(names::MAX_POOL, arguments, out))
            }
            Function::AvgpoolS8 => {
                check_whole(&params.activation)?;
                let is_ceil = ceil_mode(pool).ok_or_else(|| {
                    let rule = "the kernel of averages pads alike in front and behind";
                    Reason::new(rule, format!("{pool:?}"))
                })?;
                // The kernel reads neither the zero point nor the factor: input and output have one scale.
                arguments.extend([Argument::Bool(is_ceil), int(0), int(1 << 30), int(1)]);
                arguments.push(self.scratch(call, 0));
                Ok(kernel(names::AVG_POOL, arguments, out))
            }
            _ => Err(no_kernel(call)),
        }
    }
}

/// Checks that the range is the whole range, for a kernel that has no limits.
pub(super) fn check_whole(range: &Activation) -> Result<(), Reason> {
    match (range.min, range.max) {
        (-128, 127) => Ok(()),
        found => {
            let rule = "the kernel gives all 8-bit integers";
            Err(Reason::new(rule, format!("{found:?}")))
        }
    }
}

/// The `ceil_mode` with which PyTorch's pool has a result of these sizes; `None` if neither has it.
fn ceil_mode(pool: &Pool) -> Option<bool> {
    let params = &pool.pool_params;
    let axes = [
        (
            pool.input_dims.h,
            pool.filter_dims.h,
            params.stride.h,
            params.padding.h,
            pool.output_dims.h,
        ),
        (
            pool.input_dims.w,
            pool.filter_dims.w,
            params.stride.w,
            params.padding.w,
            pool.output_dims.w,
        ),
    ];
    [false, true].into_iter().find(|&is_ceil| {
        axes.iter().all(|&(size, window, stride, padding, found)| {
            result_size([size, window, stride, padding], is_ceil) == Some(found)
        })
    })
}

/// The size of a pool's result along one axis, as the kernel checks it.
pub(super) fn result_size([size, window, stride, padding]: [i32; 4], is_ceil: bool) -> Option<i32> {
    let rest = size
        .checked_add(padding.checked_mul(2)?)?
        .checked_sub(window)?;
    let mut windows = rest.checked_div(stride)?.checked_add(1)?;
    if is_ceil && rest % stride != 0 {
        windows += 1;
    }
    if is_ceil && (windows - 1).checked_mul(stride)? >= size.checked_add(padding)? {
        windows -= 1;
    }
    Some(windows)
}
