/* LSTM with data of int16_t. Each cell needs its own gates alone, so that there is nothing to store but the states. */
#include "lstm.h"

static int64_t dot(const int16_t *x, const int8_t *weights, int32_t length)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < length; i++) {
        sum += x[i] * weights[i];
    }
    return sum;
}

/* What one gate of cell `cell` gets from the input and the last outputs (or null). */
static int16_t gate_of(const cmsis_nn_lstm_gate *gate, const int16_t *input, int32_t inputs, const int16_t *hidden, int32_t cells,
    int32_t cell)
{
    const int64_t *input_bias = gate->input_effective_bias, *hidden_bias = gate->hidden_effective_bias;
    const int8_t *weights = (const int8_t *)gate->input_weights + cell * inputs;
    int64_t sum = input_bias[cell] + dot(input, weights, inputs);
    int16_t result = kiln_saturate_s16(kiln_requantize_s64(sum, kiln_reduce(gate->input_multiplier), gate->input_shift));
    if (hidden == NULL) {
        return result;
    }
    weights = (const int8_t *)gate->hidden_weights + cell * cells;
    sum = hidden_bias[cell] + dot(hidden, weights, cells);
    return kiln_saturate_s16(result + kiln_requantize_s64(sum, kiln_reduce(gate->hidden_multiplier), gate->hidden_shift));
}

KILN_LSTM(arm_lstm_unidirectional_s16, int16_t, INT16_MIN, INT16_MAX)
