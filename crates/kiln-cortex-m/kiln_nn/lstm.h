/* One cell of an LSTM, and the order in which cells are computed. */
#ifndef KILN_NN_LSTM_H
#define KILN_NN_LSTM_H

#include "internal.h"

enum { KILN_FORGET, KILN_INPUT, KILN_CELL, KILN_OUTPUT, KILN_GATES };

static inline const cmsis_nn_lstm_gate *kiln_lstm_gate(const cmsis_nn_lstm_params *params, int32_t gate)
{
    const cmsis_nn_lstm_gate *gates[KILN_GATES] = {
        &params->forget_gate, &params->input_gate, &params->cell_gate, &params->output_gate,
    };
    return gates[gate];
}

static inline int16_t kiln_saturate_s16(int32_t x)
{
    return (int16_t)kiln_clamp(x, INT16_MIN, INT16_MAX);
}

/* Updates the state of a cell from its gates, whose activations are not applied yet, and returns its output before clamping. */
static inline int32_t kiln_lstm_cell(const cmsis_nn_lstm_params *params, int16_t gates[KILN_GATES], int16_t *state)
{
    for (int32_t i = 0; i < KILN_GATES; i++) {
        arm_nn_activation_s16(&gates[i], &gates[i], 1, 0, kiln_lstm_gate(params, i)->activation_type);
    }
    int32_t kept = kiln_saturate_s16(
        kiln_requantize(gates[KILN_FORGET] * *state, params->forget_to_cell_multiplier, params->forget_to_cell_shift));
    int32_t added = kiln_requantize(
        gates[KILN_INPUT] * gates[KILN_CELL], params->input_to_cell_multiplier, params->input_to_cell_shift);
    bool clips = params->cell_clip > 0;
    *state = (int16_t)kiln_clamp(kept + added, clips ? -params->cell_clip : INT16_MIN, clips ? params->cell_clip : INT16_MAX);
    int16_t hidden;
    arm_nn_activation_s16(state, &hidden, 1, params->cell_scale_power + 12, ARM_TANH);
    return kiln_requantize(gates[KILN_OUTPUT] * hidden, params->output_multiplier, params->output_shift) + params->output_offset;
}

/* Step `step` of all batches and times, in the order that the data lie in. */
typedef struct {
    int32_t batch;
    int32_t time;
} kiln_lstm_place;

static inline kiln_lstm_place kiln_lstm_place_of(const cmsis_nn_lstm_params *params, int32_t step)
{
    kiln_lstm_place batch_first = {step / params->time_steps, step % params->time_steps};
    kiln_lstm_place time_first = {step % params->batch_size, step / params->batch_size};
    return params->time_major ? time_first : batch_first;
}

/* The function for data of a type, by gate_of for one gate of a cell. */
#define KILN_LSTM(name, type, min, max)                                                                                    \
    arm_cmsis_nn_status name(const type *input, type *output, const cmsis_nn_lstm_params *params,                          \
        cmsis_nn_lstm_context *buffers)                                                                                    \
    {                                                                                                                      \
        int16_t *states = buffers->cell_state;                                                                             \
        type *carried = buffers->hidden_state;                                                                             \
        int32_t cells = params->hidden_size, steps = params->batch_size * params->time_steps;                              \
        if (carried == NULL) {                                                                                             \
            memset(states, 0, (size_t)(params->batch_size * cells) * sizeof *states);                                      \
        }                                                                                                                  \
        for (int32_t step = 0; step < steps; step++, input += params->input_size, output += cells) {                       \
            kiln_lstm_place place = kiln_lstm_place_of(params, step);                                                      \
            type *held = carried != NULL ? carried + place.batch * cells : NULL;                                           \
            const type *hidden = place.time == 0 ? held : output - (params->time_major ? params->batch_size : 1) * cells;  \
            for (int32_t cell = 0; cell < cells; cell++) {                                                                 \
                int16_t gates[KILN_GATES];                                                                                 \
                for (int32_t i = 0; i < KILN_GATES; i++) {                                                                 \
                    gates[i] = gate_of(kiln_lstm_gate(params, i), input, params->input_size, hidden, cells, cell);         \
                }                                                                                                          \
                int32_t result = kiln_lstm_cell(params, gates, &states[place.batch * cells + cell]);                       \
                output[cell] = (type)kiln_clamp(result, min, max);                                                         \
            }                                                                                                              \
            if (held != NULL && place.time == params->time_steps - 1) {                                                    \
                memcpy(held, output, (size_t)cells * sizeof *output);                                                      \
            }                                                                                                              \
        }                                                                                                                  \
        return ARM_CMSIS_NN_SUCCESS;                                                                                       \
    }

#endif
