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

arm_cmsis_nn_status arm_lstm_unidirectional_s16(const int16_t *input, int16_t *output, const cmsis_nn_lstm_params *params,
    cmsis_nn_lstm_context *buffers)
{
    int16_t *states = buffers->cell_state;
    int16_t *carried = buffers->hidden_state;
    int32_t cells = params->hidden_size, steps = params->batch_size * params->time_steps;
    if (carried == NULL) {
        memset(states, 0, (size_t)(params->batch_size * cells) * sizeof *states);
    }
    for (int32_t step = 0; step < steps; step++, input += params->input_size, output += cells) {
        kiln_lstm_place place = kiln_lstm_place_of(params, step);
        int16_t *held = carried != NULL ? carried + place.batch * cells : NULL;
        const int16_t *hidden = place.time == 0 ? held : output - (params->time_major ? params->batch_size : 1) * cells;
        for (int32_t cell = 0; cell < cells; cell++) {
            int16_t gates[KILN_GATES];
            for (int32_t i = 0; i < KILN_GATES; i++) {
                gates[i] = gate_of(kiln_lstm_gate(params, i), input, params->input_size, hidden, cells, cell);
            }
            int32_t result = kiln_lstm_cell(params, gates, &states[place.batch * cells + cell]);
            output[cell] = (int16_t)kiln_clamp(result, INT16_MIN, INT16_MAX);
        }
        if (held != NULL && place.time == params->time_steps - 1) {
            memcpy(held, output, (size_t)cells * sizeof *output);
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}
