/* The depthwise convolution of int8_t that 8-bit and 4-bit weights share. */
#ifndef KILN_NN_DEPTHWISE_CONV_H
#define KILN_NN_DEPTHWISE_CONV_H

#include "window.h"

/* The sums are those of the weights' type: kiln_window_s8 and kiln_window4_s8, or kiln_window_s4 and kiln_window4_s4. */
void kiln_depthwise_conv(const cmsis_nn_dw_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
    const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims, const int8_t *weights,
    kiln_window_sum *one, kiln_window4_sum *four, const int32_t *bias, const cmsis_nn_dims *output_dims, int8_t *output);

#define KILN_DEPTHWISE_AS(name, refuses, called)                                                                          \
    KILN_CONVOLUTION_AS(name, cmsis_nn_dw_conv_params, int8_t, int32_t, refuses, called)

#endif
