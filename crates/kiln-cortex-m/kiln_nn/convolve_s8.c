/* Convolution of int8_t with int8_t weights. */
#include "convolve.h"

arm_cmsis_nn_status arm_convolve_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
    const cmsis_nn_dims *upscale_dims, const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    kiln_convolution c = kiln_convolution_of(conv_params, quant_params, input_dims, filter_dims, bias_data, output_dims,
        kiln_dot_s8, kiln_dot4_s8);
    if (c.group_channels <= 0 || c.input_channels % c.group_channels != 0 ||
        c.output_channels % (c.input_channels / c.group_channels) != 0) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    if (upscale_dims != NULL && (upscale_dims->h == 2 || upscale_dims->w == 2)) {
        if (c.y.dilation > 1 || c.x.dilation > 1) {
            return ARM_CMSIS_NN_ARG_ERROR;
        }
        c.y.upscale = upscale_dims->h == 2 ? 2 : 1;
        c.x.upscale = upscale_dims->w == 2 ? 2 : 1;
        c.y.size /= c.y.upscale;
        c.x.size /= c.x.upscale;
    }
    kiln_convolve(&c, input_data, filter_data, output_data);
    return ARM_CMSIS_NN_SUCCESS;
}

/* Without zeros between the elements of the input. */
#define PLAIN(ctx, params, quant_params, input_dims, input, filter_dims, filter, bias_dims, bias, output_dims, output)         \
    arm_convolve_s8(ctx, params, quant_params, input_dims, input, filter_dims, filter, bias_dims, bias, NULL, output_dims, output)

KILN_CONVOLVE_AS(arm_convolve_wrapper_s8, false, PLAIN)
KILN_CONVOLVE_AS(arm_convolve_1x1_s8, params->padding.w != 0 || params->padding.h != 0, PLAIN)
KILN_CONVOLVE_AS(arm_convolve_1x1_s8_fast, params->stride.w != 1 || params->stride.h != 1, arm_convolve_1x1_s8)
KILN_CONVOLVE_AS(arm_convolve_1_x_n_s8, !kiln_is_row(params, input_dims), PLAIN)
