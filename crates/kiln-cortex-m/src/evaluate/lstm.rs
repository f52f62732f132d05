//! LSTMs over sequences: `arm_lstm_unidirectional_*`.

use super::activation::activated;
use super::arguments::Arguments;
use super::data::Data;
use super::stage::{dot, dot_wide, factor};
use crate::dialect::{ActivationType, LstmGate, LstmParams};
use kiln_quantised::cmsis::{requantize, requantize_wide};

/// The weights of a gate.
struct Gate<'a> {
    numbers: &'a LstmGate,
    input: Vec<i32>,
    hidden: Vec<i32>,
    input_bias: Bias<'a>,
    hidden_bias: Bias<'a>,
}

/// The effective biases: of 32 bits for 8-bit inputs, of 64 bits for 16-bit inputs.
enum Bias<'a> {
    Narrow(&'a [i32]),
    Wide(&'a [i64]),
}

impl<'a> Bias<'a> {
    fn of(data: &'a Data) -> Bias<'a> {
        match data {
            Data::I32(bias) => Bias::Narrow(bias),
            Data::I64(bias) => Bias::Wide(bias),
            other => unreachable!("a bias of {}", other.dtype()),
        }
    }

    /// The product of a row of weights with the input, plus the bias, requantised to the gate's scale.
    fn product(&self, unit: usize, x: &[i32], w: &[i32], multiplier: i32, shift: i32) -> i32 {
        let by = factor(multiplier, shift);
        match self {
            Bias::Narrow(bias) => requantize(dot(x, w).wrapping_add(bias[unit]), by),
            Bias::Wide(bias) => requantize_wide(dot_wide(x, w) + bias[unit], by),
        }
    }
}

impl<'a> Gate<'a> {
    fn of(arguments: &Arguments<'a>, name: &str, numbers: &'a LstmGate) -> Gate<'a> {
        let data = |member: &str| arguments.data(&format!("params.{name}.{member}"));
        Gate {
            numbers,
            input: data("input_weights").raised(0),
            hidden: data("hidden_weights").raised(0),
            input_bias: Bias::of(data("input_effective_bias")),
            hidden_bias: Bias::of(data("hidden_effective_bias")),
        }
    }

    /// The values of the gate for an input and, from the second time step on, the hidden state.
    fn values(&self, x: &[i32], hidden: Option<&[i32]>) -> Vec<i16> {
        let of = self.numbers;
        let rows = self.input.chunks_exact(x.len());
        let sums = rows.enumerate().map(|(unit, w)| {
            let product = self
                .input_bias
                .product(unit, x, w, of.input_multiplier, of.input_shift);
            let mut sum = limited(product);
            if let Some(hidden) = hidden {
                let w = &self.hidden[unit * hidden.len()..][..hidden.len()];
                let product = self.hidden_bias.product(
                    unit,
                    hidden,
                    w,
                    of.hidden_multiplier,
                    of.hidden_shift,
                );
                sum = limited(product.wrapping_add(sum.into()));
            }
            sum
        });
        activated(&sums.collect::<Vec<i16>>(), 0, of.activation_type)
    }
}

/// Limited to 16 bits.
fn limited(x: i32) -> i16 {
    x.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

/// The outputs of all time steps, the cells, and the hidden state after the last time step if it is kept. Without a hidden state,
/// the cells begin with 0.
pub(super) fn sequences(params: &LstmParams, arguments: &Arguments<'_>) -> Vec<Data> {
    let gates = [
        Gate::of(arguments, "forget_gate", &params.forget_gate),
        Gate::of(arguments, "input_gate", &params.input_gate),
        Gate::of(arguments, "cell_gate", &params.cell_gate),
        Gate::of(arguments, "output_gate", &params.output_gate),
    ];
    let sizes = [
        params.batch_size,
        params.time_steps,
        params.input_size,
        params.hidden_size,
    ];
    let [batches, steps, inputs, units] = sizes.map(|size| usize::try_from(size).unwrap_or(0));
    let x = arguments.data("input").raised(0);
    let kept = arguments
        .get("buffers.hidden_state")
        .map(|data| data.raised(0));
    let mut cells = match kept {
        Some(_) => arguments.i16("buffers.cell_state").to_vec(),
        None => vec![0; batches * units],
    };
    let mut results = vec![0; steps * batches * units];
    let mut last = kept.clone().unwrap_or_default();
    for batch in 0..batches {
        let cells = &mut cells[batch * units..][..units];
        let mut hidden = kept
            .as_ref()
            .map(|kept| kept[batch * units..][..units].to_vec());
        for step in 0..steps {
            let place = if params.time_major != 0 {
                step * batches + batch
            } else {
                batch * steps + step
            };
            let x = &x[place * inputs..][..inputs];
            let new = one_step(
                params,
                &gates,
                x,
                hidden.as_deref(),
                cells,
                arguments.result(),
            );
            results[place * units..][..units].copy_from_slice(&new);
            hidden = Some(new);
        }
        if let (Some(hidden), false) = (hidden, last.is_empty()) {
            last[batch * units..][..units].copy_from_slice(&hidden);
        }
    }
    let output = arguments.result();
    let mut written = vec![Data::narrowed(output, results), Data::I16(cells)];
    if kept.is_some() {
        written.push(Data::narrowed(output, last));
    }
    written
}

/// One time step of one sequence. It gives the new hidden state and updates the cells.
fn one_step(
    params: &LstmParams,
    gates: &[Gate<'_>; 4],
    x: &[i32],
    hidden: Option<&[i32]>,
    cells: &mut [i16],
    output: crate::dialect::Dtype,
) -> Vec<i32> {
    let [forget, input, new, shown] = gates.each_ref().map(|gate| gate.values(x, hidden));
    let product = |a: i16, b: i16, multiplier, shift| {
        requantize(i32::from(a) * i32::from(b), factor(multiplier, shift))
    };
    let clip = match params.cell_clip {
        clip @ 1.. => (-clip, clip),
        _ => (i16::MIN.into(), i16::MAX.into()),
    };
    for (i, cell) in cells.iter_mut().enumerate() {
        let kept = limited(product(
            forget[i],
            *cell,
            params.forget_to_cell_multiplier,
            params.forget_to_cell_shift,
        ));
        let taken = product(
            input[i],
            new[i],
            params.input_to_cell_multiplier,
            params.input_to_cell_shift,
        );
        *cell = taken.wrapping_add(kept.into()).max(clip.0).min(clip.1) as i16;
    }
    let tangents = activated(cells, params.cell_scale_power + 12, ActivationType::Tanh);
    let (least, greatest) = output.range().unwrap_or((0, 0));
    let results = tangents.into_iter().zip(shown).map(|(tangent, shown)| {
        let result = product(
            shown,
            tangent,
            params.output_multiplier,
            params.output_shift,
        );
        let raised = result.wrapping_add(params.output_offset);
        raised.clamp(least as i32, greatest as i32)
    });
    results.collect()
}
