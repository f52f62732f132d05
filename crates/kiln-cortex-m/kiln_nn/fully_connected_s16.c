/* Fully connected layers of int16_t with int8_t weights. */
#include "internal.h"

arm_cmsis_nn_status arm_fully_connected_s16(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int16_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
    const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    int32_t columns = filter_dims->n, reduced = kiln_reduce(quant_params->multiplier);
    for (int32_t n = 0; n < input_dims->n; n++, input_data += columns) {
        const int8_t *weights = filter_data;
        for (int32_t row = 0; row < output_dims->c; row++, weights += columns) {
            int64_t sum = bias_data != NULL ? bias_data[row] : 0;
            for (int32_t i = 0; i < columns; i++) {
                sum += input_data[i] * weights[i];
            }
            int32_t result = kiln_requantize_s64(sum, reduced, quant_params->shift);
            *output_data++ = (int16_t)kiln_clamp(result, fc_params->activation.min, fc_params->activation.max);
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}
