//! Fully connected layers, products of matrices, and softmaxes of rows.

use super::convert::{Converter, int, kernel, no_kernel};
use super::images::check_whole;
use super::names;
use crate::dialect::{
    BatchMatmul, Build, Call, Conv, ConvParams, FcQuant, FullyConnected, Function, Softmax, Tile,
};
use kiln_portable::calls::{self, Argument};
use kiln_transforms::framework::target::Reason;

/// The zero point of a softmax with the scale 1/256.
const SOFTMAX_ZERO: i32 = -128;

impl Converter<'_> {
    /// A fully connected layer. MVE reads kernel sums in place of the bias. The kernel has a single factor, so a layer with
    /// factors by channel is a convolution.
    pub(super) fn linear(
        &mut self,
        call: &Call,
        layer: &FullyConnected,
    ) -> Result<calls::Call, Reason> {
        let factor = match (&layer.quant_params, call.function) {
            (FcQuant::Tensor(factor), Function::FullyConnectedS8) => factor,
            (FcQuant::Channels(_), Function::FullyConnectedPerChannelS8) => {
                return self.linear_by_channel(call, layer);
            }
            _ => return Err(no_kernel(call)),
        };
        let [rows, inputs, outputs] = [
            layer.input_dims.sizes()[0],
            layer.filter_dims.sizes()[0],
            layer.output_dims.sizes()[3],
        ];
        let (bias, sums) = match self.build {
            Build::Mve => (Argument::None, self.optional(call, 4)?),
            Build::Scalar | Build::Dsp => (self.optional(call, 2)?, Argument::None),
        };
        let arguments = vec![
            Argument::Tensor(self.plain(call, 0, &[rows, inputs])?),
            Argument::Tensor(self.plain(call, 1, &[outputs, inputs])?),
            bias,
            sums,
            int(layer.fc_params.input_offset),
            int(layer.fc_params.filter_offset),
            int(layer.fc_params.output_offset),
            Argument::Ints(vec![factor.multiplier.into()]),
            Argument::Ints(vec![factor.shift.into()]),
            int(layer.fc_params.activation.max),
            int(layer.fc_params.activation.min),
        ];
        let out = self.plain(call, 3, &[rows, outputs])?;
        Ok(kernel(names::LINEAR, arguments, out))
    }

    fn linear_by_channel(
        &mut self,
        call: &Call,
        layer: &FullyConnected,
    ) -> Result<calls::Call, Reason> {
        let FcQuant::Channels(factors) = &layer.quant_params else {
            return Err(no_kernel(call));
        };
        if layer.fc_params.filter_offset != 0 {
            let found = layer.fc_params.filter_offset.to_string();
            return Err(Reason::new("weights have the zero point 0", found));
        }
        let one = Tile { w: 1, h: 1 };
        let mut filter = layer.filter_dims.clone();
        (filter.n, filter.c) = (filter.c, filter.n);
        let conv = Conv {
            conv_params: ConvParams {
                input_offset: layer.fc_params.input_offset,
                output_offset: layer.fc_params.output_offset,
                stride: one.clone(),
                padding: Tile { w: 0, h: 0 },
                dilation: one,
                activation: layer.fc_params.activation.clone(),
            },
            quant_params: factors.clone(),
            input_dims: layer.input_dims.clone(),
            filter_dims: filter,
            bias_dims: layer.bias_dims.clone(),
            bias_data: None,
            output_dims: layer.output_dims.clone(),
        };
        let own = Call {
            buffers: call.buffers[..4].to_vec(),
            views: call.views.iter().take(4).copied().collect(),
            ..call.clone()
        };
        self.conv(&own, &conv)
    }

    pub(super) fn batch_matmul(
        &mut self,
        call: &Call,
        product: &BatchMatmul,
    ) -> Result<calls::Call, Reason> {
        if call.function != Function::BatchMatmulS8 {
            return Err(no_kernel(call));
        }
        let fc_params = &product.bmm_params.fc_params;
        check_whole(&fc_params.activation)?;
        let three = |dims: &crate::dialect::Dims| {
            let [n, h, w, c] = dims.sizes();
            [n * h, w, c]
        };
        let [left, right, result] = [
            three(&product.input_lhs_dims),
            three(&product.input_rhs_dims),
            three(&product.output_dims),
        ];
        if left[0] != right[0] {
            let found = format!("{} and {}", left[0], right[0]);
            return Err(Reason::new(
                "the kernel has as many matrices on both sides",
                found,
            ));
        }
        let arguments = vec![
            Argument::Tensor(self.plain(call, 0, &left)?),
            int(fc_params.input_offset),
            Argument::Tensor(self.plain(call, 1, &right)?),
            int(fc_params.filter_offset),
            int(fc_params.output_offset),
            int(product.quant_params.multiplier),
            int(product.quant_params.shift),
            self.scratch(call, 0),
        ];
        let out = self.plain(call, 2, &result)?;
        Ok(kernel(names::BATCH_MATMUL, arguments, out))
    }

    pub(super) fn softmax(
        &mut self,
        call: &Call,
        softmax: &Softmax,
    ) -> Result<calls::Call, Reason> {
        if call.function != Function::SoftmaxS8 {
            return Err(no_kernel(call));
        }
        let sizes = [softmax.num_rows, softmax.row_size];
        let sizes = sizes.map(|size| usize::try_from(size).unwrap_or(0));
        let arguments = vec![
            Argument::Tensor(self.plain(call, 0, &sizes)?),
            int(1),
            // Differences have no zero point.
            int(0),
            int(SOFTMAX_ZERO),
            int(softmax.mult),
            int(softmax.shift),
            int(softmax.diff_min),
        ];
        let out = self.plain(call, 1, &sizes)?;
        Ok(kernel(names::SOFTMAX, arguments, out))
    }
}
