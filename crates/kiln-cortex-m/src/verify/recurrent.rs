//! The rules of layers with state.

use super::rules::Rules;
use crate::dialect::{Build, Dtype, LstmGate, LstmParams, Svdf};

impl Rules<'_> {
    /// `arm_lstm_unidirectional_*`.
    pub fn lstm(&mut self, params: &LstmParams) {
        let is_wide = self.dtype("input") == Some(Dtype::I16);
        let sizes = [
            params.batch_size,
            params.time_steps,
            params.input_size,
            params.hidden_size,
        ];
        self.rule(sizes.iter().all(|&size| size >= 1), || {
            format!("sizes of {sizes:?}")
        });
        self.factor(
            "forget to cell",
            params.forget_to_cell_multiplier,
            params.forget_to_cell_shift,
        );
        self.factor(
            "input to cell",
            params.input_to_cell_multiplier,
            params.input_to_cell_shift,
        );
        self.factor("the output", params.output_multiplier, params.output_shift);
        self.output_offset(params.output_offset);
        self.rule((0..=32_767).contains(&params.cell_clip), || {
            format!("cell_clip is {}; it is 0 to 32767", params.cell_clip)
        });
        self.gate_shift(
            "cell_scale_power + 12",
            params.cell_scale_power.saturating_add(12),
        );
        let gates = [
            ("forget_gate", &params.forget_gate),
            ("input_gate", &params.input_gate),
            ("cell_gate", &params.cell_gate),
            ("output_gate", &params.output_gate),
        ];
        for (name, gate) in gates {
            self.gate(name, gate, is_wide);
        }
    }

    fn gate(&mut self, name: &str, gate: &LstmGate, is_wide: bool) {
        let factors = [
            ("input", gate.input_multiplier, gate.input_shift),
            ("hidden", gate.hidden_multiplier, gate.hidden_shift),
        ];
        for (of, multiplier, shift) in factors {
            let named = format!("{name}'s {of}");
            match is_wide {
                true => self.wide_factor(&named, multiplier, shift),
                false => self.factor(&named, multiplier, shift),
            }
            if is_wide && self.build == Build::Mve {
                self.narrow_bias(&format!("params.{name}.{of}_effective_bias"));
            }
        }
    }

    /// MVE reads a 64-bit bias as one of 32 bits.
    fn narrow_bias(&mut self, slot: &str) {
        let Some(bytes) = self.buffer(slot).and_then(|buffer| buffer.constant()) else {
            return;
        };
        let mut biases = bytes
            .chunks_exact(8)
            .map(|chunk| i64::from_le_bytes(chunk.try_into().expect("8 bytes")));
        let wide = biases.find(|&bias| i32::try_from(bias).is_err());
        self.rule(wide.is_none(), || {
            format!(
                "{slot} has {}, which MVE cuts to 32 bits",
                wide.unwrap_or(0)
            )
        });
    }

    /// `arm_svdf_*`.
    pub fn svdf(&mut self, svdf: &Svdf) {
        let (params, features) = (&svdf.svdf_params, svdf.weights_feature_dims.n);
        self.factor(
            "the features",
            svdf.input_quant_params.multiplier,
            svdf.input_quant_params.shift,
        );
        self.factor(
            "the output",
            svdf.output_quant_params.multiplier,
            svdf.output_quant_params.shift,
        );
        self.rule((-128..=127).contains(&params.input_offset), || {
            format!(
                "input_offset is {}; it is the zero point here, -128 to 127",
                params.input_offset
            )
        });
        self.output_offset(params.output_offset);
        self.range("state_data", &params.input_activation);
        self.range("output_data", &params.output_activation);
        self.rule(
            params.rank >= 1 && features >= 1 && features % params.rank.max(1) == 0,
            || format!("{features} features of a rank of {}", params.rank),
        );
        self.equal(
            "inputs of the features' weights",
            svdf.weights_feature_dims.h,
            svdf.input_dims.h,
        );
        self.equal(
            "features of the weights in time",
            svdf.weights_time_dims.n,
            features,
        );
        let sizes = [
            svdf.input_dims.n,
            svdf.input_dims.h,
            svdf.weights_time_dims.h,
        ];
        self.rule(sizes.iter().all(|&size| size >= 1), || {
            format!("sizes of {sizes:?}")
        });
        let columns = svdf.input_dims.sizes()[1];
        self.kernel_sums(
            "weights_feature_data",
            columns,
            params.input_offset.saturating_neg(),
            0,
        );
    }
}
