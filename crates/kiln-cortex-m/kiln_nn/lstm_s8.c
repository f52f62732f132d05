/* LSTM with data of int8_t. Each cell needs its own gates alone, so that there is nothing to store but the states. */
#include "lstm.h"

/* What one gate of cell `cell` gets from the input and the last outputs (or null). */
static int16_t gate_of(const cmsis_nn_lstm_gate *gate, const int8_t *input, int32_t inputs, const int8_t *hidden, int32_t cells,
    int32_t cell)
{
    const int32_t *input_bias = gate->input_effective_bias, *hidden_bias = gate->hidden_effective_bias;
    uint32_t sum = kiln_dot_s8((uint32_t)input_bias[cell], input, inputs, 0, gate->input_weights, cell * inputs);
    int16_t result = kiln_saturate_s16(kiln_requantize((int32_t)sum, gate->input_multiplier, gate->input_shift));
    if (hidden == NULL) {
        return result;
    }
    sum = kiln_dot_s8((uint32_t)hidden_bias[cell], hidden, cells, 0, gate->hidden_weights, cell * cells);
    return kiln_saturate_s16(result + kiln_requantize((int32_t)sum, gate->hidden_multiplier, gate->hidden_shift));
}

KILN_LSTM(arm_lstm_unidirectional_s8, int8_t, INT8_MIN, INT8_MAX)
