/* Convolution of int8_t with packed 4-bit weights. */
#include "convolve.h"

arm_cmsis_nn_status arm_convolve_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
    const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    kiln_convolution c = kiln_convolution_of(conv_params, quant_params, input_dims, filter_dims, bias_data, output_dims,
        kiln_dot_s4, kiln_dot4_s4);
    c.group_channels = c.input_channels;
    kiln_convolve(&c, input_data, filter_data, output_data);
    return ARM_CMSIS_NN_SUCCESS;
}

KILN_CONVOLVE_AS(arm_convolve_wrapper_s4, false, arm_convolve_s4)
KILN_CONVOLVE_AS(arm_convolve_even_s4, false, arm_convolve_s4)
KILN_CONVOLVE_AS(arm_convolve_1x1_s4, params->padding.w != 0 || params->padding.h != 0, arm_convolve_s4)
KILN_CONVOLVE_AS(arm_convolve_1x1_s4_fast, params->stride.w != 1 || params->stride.h != 1, arm_convolve_1x1_s4)
KILN_CONVOLVE_AS(arm_convolve_1_x_n_s4, !kiln_is_row(params, input_dims), arm_convolve_s4)
