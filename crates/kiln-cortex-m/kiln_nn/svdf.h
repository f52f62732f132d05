/* One step of an SVDF layer, with a state of int8_t or of int16_t. */
#ifndef KILN_NN_SVDF_H
#define KILN_NN_SVDF_H

#include "internal.h"

typedef struct {
    const cmsis_nn_svdf_params *params;
    const cmsis_nn_per_tensor_quant_params *input_quant;
    const cmsis_nn_per_tensor_quant_params *output_quant;
    const int8_t *feature_weights;
    const void *time_weights;
    const int32_t *bias;
    int32_t batches, inputs, features, times;
} kiln_svdf;

/* What the functions of CMSIS-NN's interface are given. */
static inline kiln_svdf kiln_svdf_of(const cmsis_nn_svdf_params *params,
    const cmsis_nn_per_tensor_quant_params *input_quant, const cmsis_nn_per_tensor_quant_params *output_quant,
    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *feature_dims, const int8_t *feature_weights,
    const cmsis_nn_dims *time_dims, const void *time_weights, const int32_t *bias)
{
    kiln_svdf svdf = {
        params, input_quant, output_quant, feature_weights, time_weights, bias,
        input_dims->n, input_dims->h, feature_dims->n, time_dims->h,
    };
    return svdf;
}

/* The newest element of the state of one feature. */
static inline int32_t kiln_svdf_feature(const kiln_svdf *s, const int8_t *input, int32_t feature)
{
    uint32_t sum = kiln_dot_s8(0, input, s->inputs, -s->params->input_offset, s->feature_weights, feature * s->inputs);
    return kiln_output(sum, s->input_quant->multiplier, s->input_quant->shift, 0, s->params->input_activation);
}

/* sum + the products of one feature's state with its weights of time; the newest element becomes the state's last first. */
static inline uint32_t kiln_svdf_times_s8(uint32_t sum, int8_t *state, const int8_t *weights, int32_t times, int32_t newest)
{
    state[times - 1] = (int8_t)newest;
    return kiln_dot_s8(sum, state, times, 0, weights, 0);
}

static inline uint32_t kiln_svdf_times_s16(uint32_t sum, int16_t *state, const int16_t *weights, int32_t times, int32_t newest)
{
    state[times - 1] = (int16_t)newest;
    for (int32_t time = 0; time < times; time++) {
        sum += (uint32_t)(state[time] * weights[time]);
    }
    return sum;
}

/* The step: the state moves by one element, and each unit adds up the features of its rank. State and weights of time are of
 * int8_t, or of int16_t if `wide`. */
static inline void kiln_svdf_step(const kiln_svdf *s, const int8_t *input, void *state, int8_t *output, bool wide)
{
    size_t element = wide ? sizeof(int16_t) : sizeof(int8_t), row = (size_t)s->times * element;
    char *rows = state;
    int32_t units = s->features / s->params->rank;
    memmove(rows, rows + element, (size_t)(s->batches * s->features) * row - element);
    for (int32_t n = 0; n < s->batches; n++, input += s->inputs) {
        const char *weights = s->time_weights;
        for (int32_t unit = 0; unit < units; unit++) {
            uint32_t sum = s->bias != NULL ? (uint32_t)s->bias[unit] : 0;
            for (int32_t i = unit * s->params->rank; i < (unit + 1) * s->params->rank; i++, rows += row, weights += row) {
                int32_t newest = kiln_svdf_feature(s, input, i);
                sum = wide ? kiln_svdf_times_s16(sum, (void *)rows, (const void *)weights, s->times, newest)
                           : kiln_svdf_times_s8(sum, (void *)rows, (const void *)weights, s->times, newest);
            }
            *output++ = (int8_t)kiln_output(sum, s->output_quant->multiplier, s->output_quant->shift, s->params->output_offset,
                s->params->output_activation);
        }
    }
}

#endif
