/* The depthwise convolution of int8_t that 8-bit and 4-bit weights share. */
#ifndef KILN_NN_DEPTHWISE_CONV_H
#define KILN_NN_DEPTHWISE_CONV_H

#include "internal.h"

/* The sums are those of the weights' type: kiln_window_s8 and kiln_window4_s8, or kiln_window_s4 and kiln_window4_s4. */
void kiln_depthwise_conv(const cmsis_nn_dw_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
    const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims, const int8_t *weights,
    kiln_window_sum *one, kiln_window4_sum *four, const int32_t *bias, const cmsis_nn_dims *output_dims, int8_t *output);

/* A function of the interface that computes as another does, but refuses more. */
#define KILN_DEPTHWISE_AS(name, refuses, called)                                                                           \
    arm_cmsis_nn_status name(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,                   \
        const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,  \
        const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,                       \
        const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data)                                   \
    {                                                                                                                      \
        if (refuses) {                                                                                                     \
            return ARM_CMSIS_NN_ARG_ERROR;                                                                                 \
        }                                                                                                                  \
        return called(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,      \
            bias_data, output_dims, output_data);                                                                          \
    }

#endif
