/* SVDF with a state of int8_t. */
#include "svdf.h"

arm_cmsis_nn_status arm_svdf_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *input_ctx,
    const cmsis_nn_context *output_ctx, const cmsis_nn_svdf_params *svdf_params,
    const cmsis_nn_per_tensor_quant_params *input_quant_params, const cmsis_nn_per_tensor_quant_params *output_quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *state_dims, int8_t *state_data,
    const cmsis_nn_dims *weights_feature_dims, const int8_t *weights_feature_data, const cmsis_nn_dims *weights_time_dims,
    const int8_t *weights_time_data, const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data)
{
    (void)ctx;
    (void)input_ctx;
    (void)output_ctx;
    (void)state_dims;
    (void)bias_dims;
    (void)output_dims;
    const kiln_svdf s = kiln_svdf_of(svdf_params, input_dims, weights_feature_dims, weights_time_dims);
    int32_t units = s.features / s.rank;
    memmove(state_data, state_data + 1, (size_t)(s.batches * s.features * s.times - 1) * sizeof *state_data);
    for (int32_t n = 0; n < s.batches; n++, input_data += s.inputs) {
        const int8_t *weights = weights_time_data;
        for (int32_t unit = 0; unit < units; unit++) {
            uint32_t sum = bias_data != NULL ? (uint32_t)bias_data[unit] : 0;
            for (int32_t i = unit * s.rank; i < (unit + 1) * s.rank; i++, state_data += s.times, weights += s.times) {
                int32_t newest = kiln_svdf_feature(&s, svdf_params, input_quant_params, input_data, weights_feature_data, i);
                state_data[s.times - 1] = (int8_t)newest;
                sum = kiln_dot_s8(sum, state_data, s.times, 0, weights, 0);
            }
            *output_data++ = (int8_t)kiln_output(sum, output_quant_params->multiplier, output_quant_params->shift,
                svdf_params->output_offset, svdf_params->output_activation);
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}
