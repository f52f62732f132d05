/* Transposed convolution of int8_t: a convolution of the input with stride - 1 zeros after each element, and with the
 * kernel turned round. */
#include "convolve.h"

arm_cmsis_nn_status arm_transpose_conv_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *output_ctx,
    const cmsis_nn_transpose_conv_params *transpose_conv_params, const cmsis_nn_per_channel_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)ctx;
    (void)output_ctx;
    (void)bias_dims;
    const cmsis_nn_transpose_conv_params *p = transpose_conv_params;
    kiln_axis y = {input_dims->h, filter_dims->h, 1, filter_dims->h - 1 - p->padding.h, 1, p->stride.h, true};
    kiln_axis x = {input_dims->w, filter_dims->w, 1, filter_dims->w - 1 - p->padding.w, 1, p->stride.w, true};
    kiln_convolution c = {
        p->input_offset, p->output_offset, p->activation, quant_params->multiplier, quant_params->shift, bias_data,
        input_dims->n, input_dims->c, input_dims->c, output_dims->c, output_dims->h, output_dims->w, y, x,
        kiln_dot_s8, kiln_dot4_s8,
    };
    kiln_convolve(&c, input_data, filter_data, output_data);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_transpose_conv_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *output_ctx,
    const cmsis_nn_transpose_conv_params *transpose_conv_params, const cmsis_nn_per_channel_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    return arm_transpose_conv_s8(ctx, output_ctx, transpose_conv_params, quant_params, input_dims, input_data, filter_dims,
        filter_data, bias_dims, bias_data, output_dims, output_data);
}
