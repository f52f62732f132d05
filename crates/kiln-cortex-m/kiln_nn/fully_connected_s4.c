/* Fully connected layers of int8_t with packed 4-bit weights. */
#include "internal.h"

arm_cmsis_nn_status arm_fully_connected_s4(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
    const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    int32_t columns = filter_dims->n, rows = output_dims->c;
    for (int32_t n = 0; n < input_dims->n; n++, input_data += columns) {
        for (int32_t row = 0; row < rows;) {
            int32_t count = rows - row >= 4 ? 4 : 1, first = row * columns;
            uint32_t sums[4];
            for (int32_t i = 0; i < count; i++, row++) {
                sums[i] = bias_data != NULL ? (uint32_t)bias_data[row] : 0;
            }
            if (count == 4) {
                kiln_dot4_s4(sums, input_data, columns, fc_params->input_offset, filter_data, first, columns);
            } else {
                sums[0] = kiln_dot_s4(sums[0], input_data, columns, fc_params->input_offset, filter_data, first);
            }
            for (int32_t i = 0; i < count; i++) {
                *output_data++ = (int8_t)kiln_output(sums[i], quant_params->multiplier, quant_params->shift,
                    fc_params->output_offset, fc_params->activation);
            }
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}
