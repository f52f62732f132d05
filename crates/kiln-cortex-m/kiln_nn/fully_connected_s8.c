/* Fully connected layers of int8_t with int8_t weights. */
#include "internal.h"

/* One row of the input by all rows of weights. With a filter offset b, (x + a) * (w + b) is the sum of (x + a) * w and
 * of b * (x + a), which all rows share. */
static void row_by_matrix(const cmsis_nn_fc_params *params, const cmsis_nn_per_channel_quant_params *quant, bool per_channel,
    const int8_t *input, int32_t columns, const int8_t *weights, const int32_t *bias, int32_t rows, int8_t *output)
{
    uint32_t shared = 0;
    if (params->filter_offset != 0) {
        for (int32_t i = 0; i < columns; i++) {
            shared += (uint32_t)(input[i] + params->input_offset);
        }
        shared *= (uint32_t)params->filter_offset;
    }
    for (int32_t row = 0; row < rows;) {
        int32_t count = rows - row >= 4 ? 4 : 1;
        uint32_t sums[4];
        for (int32_t i = 0; i < count; i++) {
            sums[i] = shared + (bias != NULL ? (uint32_t)bias[row + i] : 0);
        }
        if (count == 4) {
            kiln_dot4_s8(sums, input, columns, params->input_offset, weights, row * columns, columns);
        } else {
            sums[0] = kiln_dot_s8(sums[0], input, columns, params->input_offset, weights, row * columns);
        }
        for (int32_t i = 0; i < count; i++, row++) {
            int32_t scale = per_channel ? row : 0;
            output[row] = (int8_t)kiln_output(sums[i], quant->multiplier[scale], quant->shift[scale], params->output_offset,
                params->activation);
        }
    }
}

static arm_cmsis_nn_status rows_by_matrix(const cmsis_nn_fc_params *params, const cmsis_nn_per_channel_quant_params *quant,
    bool per_channel, const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims,
    const int8_t *weights, const int32_t *bias, const cmsis_nn_dims *output_dims, int8_t *output)
{
    for (int32_t n = 0; n < input_dims->n; n++, input += filter_dims->n, output += output_dims->c) {
        row_by_matrix(params, quant, per_channel, input, filter_dims->n, weights, bias, output_dims->c, output);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
    const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    int32_t multiplier = quant_params->multiplier, shift = quant_params->shift;
    cmsis_nn_per_channel_quant_params quant = {&multiplier, &shift};
    return rows_by_matrix(fc_params, &quant, false, input_dims, input_data, filter_dims, filter_data, bias_data, output_dims,
        output_data);
}

arm_cmsis_nn_status arm_fully_connected_per_channel_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
    const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    return rows_by_matrix(fc_params, quant_params, true, input_dims, input_data, filter_dims, filter_data, bias_data, output_dims,
        output_data);
}

arm_cmsis_nn_status arm_fully_connected_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
    const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    cmsis_nn_per_channel_quant_params quant = {quant_params->multiplier, quant_params->shift};
    return rows_by_matrix(fc_params, &quant, quant_params->is_per_channel != 0, input_dims, input_data, filter_dims, filter_data,
        bias_data, output_dims, output_data);
}
