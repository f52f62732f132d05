/* Depthwise convolution of int8_t with int8_t weights. */
#include "depthwise_conv.h"

arm_cmsis_nn_status arm_depthwise_conv_s8(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
    const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    kiln_depthwise_conv(dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, kiln_window_s8,
        kiln_window4_s8, bias_data, output_dims, output_data);
    return ARM_CMSIS_NN_SUCCESS;
}

KILN_DEPTHWISE_AS(arm_depthwise_conv_wrapper_s8, false, arm_depthwise_conv_s8)
KILN_DEPTHWISE_AS(arm_depthwise_conv_3x3_s8,
    input_dims->c != output_dims->c || params->padding.w > 1 || filter_dims->w != 3 || filter_dims->h != 3,
    arm_depthwise_conv_s8)
KILN_DEPTHWISE_AS(arm_depthwise_conv_s8_opt, input_dims->c != output_dims->c, arm_depthwise_conv_s8)
