//! The rules of products of matrices and vectors.

use super::rules::Rules;
use crate::dialect::{BatchMatmul, Build, Dtype, FcQuant, FullyConnected, Function, VectorSum};
use kiln_quantised::sums::{Channels, folded_bias, kernel_sums_of_bytes};

impl Rules<'_> {
    /// `arm_fully_connected_*`.
    pub fn fully_connected(&mut self, layer: &FullyConnected) {
        let (params, outputs) = (&layer.fc_params, layer.output_dims.c);
        let is_wide = self.dtype("input_data") == Some(Dtype::I16);
        self.equal(
            "batches of the output",
            layer.output_dims.n,
            layer.input_dims.n,
        );
        self.equal("outputs of the filter", layer.filter_dims.c, outputs);
        let is_form = match (self.function(), &layer.quant_params) {
            (Function::FullyConnectedPerChannelS8, quant) => matches!(quant, FcQuant::Channels(_)),
            (Function::FullyConnectedWrapperS8, quant) => matches!(quant, FcQuant::Either(_)),
            (_, quant) => matches!(quant, FcQuant::Tensor(_)),
        };
        self.rule(is_form, || "the factors are of another struct".to_owned());
        let (multipliers, shifts) = layer.quant_params.factors();
        let count = match &layer.quant_params {
            FcQuant::Tensor(_) => 1,
            FcQuant::Channels(_) => outputs,
            FcQuant::Either(either) => {
                if either.is_per_channel != 0 {
                    outputs
                } else {
                    1
                }
            }
        };
        self.factors(multipliers, shifts, count, is_wide);
        self.range("output_data", &params.activation);
        if is_wide {
            self.no_offset("input_offset", params.input_offset);
            self.no_offset("filter_offset", params.filter_offset);
            self.no_offset("output_offset", params.output_offset);
        } else {
            self.offset("input_offset", params.input_offset);
            self.offset("filter_offset", params.filter_offset);
            self.output_offset(params.output_offset);
        }
        let is_s4 = self.dtype("filter_data") == Some(Dtype::I4);
        self.rule(!is_s4 || params.filter_offset == 0, || {
            format!(
                "filter_offset is {}; with weights of 4 bits it is 0",
                params.filter_offset
            )
        });
        let columns = layer.filter_dims.sizes()[0];
        self.kernel_sums(
            "filter_data",
            columns,
            params.input_offset,
            params.filter_offset,
        );
    }

    /// On MVE a call has kernel sums, and they are those of its constant weights and bias.
    pub fn kernel_sums(
        &mut self,
        filter: &str,
        columns: usize,
        input_offset: i32,
        filter_offset: i32,
    ) {
        if self.build != Build::Mve || self.function().row().slot("ctx.buf").is_none() {
            return;
        }
        let Some(sums) = self.buffer("ctx.buf") else {
            return self
                .found
                .push("MVE reads kernel sums, and ctx.buf is a null pointer".into());
        };
        let bias = self
            .buffer("bias_data")
            .filter(|_| self.function() != Function::SvdfS8);
        let bytes = |name: &str| self.buffer(name).and_then(|buffer| buffer.constant());
        let (Some(found), Some(weights)) = (sums.constant(), bytes(filter)) else {
            return;
        };
        if bias.is_some_and(|bias| bias.constant().is_none()) || columns == 0 {
            return;
        }
        let integers = |bytes: &[u8]| -> Vec<i32> {
            let chunks = bytes.chunks_exact(4);
            chunks
                .map(|chunk| i32::from_le_bytes(chunk.try_into().expect("4 bytes")))
                .collect()
        };
        let channels = Channels::along(&[weights.len() / columns, columns], 0);
        let of_weights = kernel_sums_of_bytes(weights, i64::from(-filter_offset), channels);
        let bias = bias
            .and_then(|bias| bias.constant())
            .map(|bytes| integers(bytes));
        let expected = folded_bias(bias.as_deref(), &of_weights, -input_offset);
        self.rule(
            expected.is_some_and(|expected| expected == integers(found)),
            || {
                "ctx.buf has not the kernel sums of the weights, the input's offset and the bias"
                    .to_owned()
            },
        );
    }

    /// `arm_batch_matmul_*`.
    pub fn batch_matmul(&mut self, product: &BatchMatmul) {
        let (params, quant) = (&product.bmm_params.fc_params, &product.quant_params);
        let (left, right, output) = (
            &product.input_lhs_dims,
            &product.input_rhs_dims,
            &product.output_dims,
        );
        let is_wide = self.dtype("output") == Some(Dtype::I16);
        if is_wide {
            self.wide_factor("the product", quant.multiplier, quant.shift);
            self.no_offset("input_offset", params.input_offset);
            self.no_offset("filter_offset", params.filter_offset);
            self.no_offset("output_offset", params.output_offset);
        } else {
            self.factor("the product", quant.multiplier, quant.shift);
            self.offset("input_offset", params.input_offset);
            self.offset("filter_offset", params.filter_offset);
            self.output_offset(params.output_offset);
        }
        self.range("output", &params.activation);
        self.equal("common axis of the right", right.c, left.c);
        self.equal("rows of the output", output.w, left.w);
        self.equal("columns of the output", output.c, right.w);
        self.rule(left.c > 0, || "the common axis is empty".to_owned());
        for (left, right, output) in [(left.n, right.n, output.n), (left.h, right.h, output.h)] {
            self.repeated(left, right, output);
        }
    }

    /// `arm_vector_sum_*`.
    pub fn vector_sum(&mut self, sum: &VectorSum) {
        self.rule(sum.vector_cols > 0, || "rows without columns".to_owned());
    }
}
