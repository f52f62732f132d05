/* The second half of an SVDF layer: each unit's rank sums over time. */
#ifndef KILN_NN_SVDF_H
#define KILN_NN_SVDF_H

#include "internal.h"

/* What both kinds of state share. */
typedef struct {
    int32_t batches, inputs, features, times, rank;
} kiln_svdf;

static inline kiln_svdf kiln_svdf_of(const cmsis_nn_svdf_params *params, const cmsis_nn_dims *input_dims,
    const cmsis_nn_dims *feature_dims, const cmsis_nn_dims *time_dims)
{
    kiln_svdf svdf = {input_dims->n, input_dims->h, feature_dims->n, time_dims->h, params->rank};
    return svdf;
}

/* The newest element of the state of one feature. */
static inline int32_t kiln_svdf_feature(const kiln_svdf *svdf, const cmsis_nn_svdf_params *params,
    const cmsis_nn_per_tensor_quant_params *quant, const int8_t *input, const int8_t *weights, int32_t feature)
{
    uint32_t sum = kiln_dot_s8(0, input, svdf->inputs, -params->input_offset, weights, feature * svdf->inputs);
    return kiln_output(sum, quant->multiplier, quant->shift, 0, params->input_activation);
}

#endif
