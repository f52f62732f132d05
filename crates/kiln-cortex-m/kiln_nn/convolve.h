/* The convolution of int8_t that convolutions with 8-bit and 4-bit weights and transposed ones share. */
#ifndef KILN_NN_CONVOLVE_H
#define KILN_NN_CONVOLVE_H

#include "window.h"

typedef struct {
    int32_t input_offset;
    int32_t output_offset;
    cmsis_nn_activation activation;
    const int32_t *multiplier;
    const int32_t *shift;
    const int32_t *bias;
    int32_t batches;
    int32_t input_channels;
    int32_t group_channels;
    int32_t output_channels;
    int32_t output_height;
    int32_t output_width;
    kiln_axis y;
    kiln_axis x;
    kiln_dot *dot;
    kiln_dot4 *dot4;
} kiln_convolution;

/* The sums are those of the weights' type: kiln_dot_s8 and kiln_dot4_s8, or kiln_dot_s4 and kiln_dot4_s4. */
void kiln_convolve(const kiln_convolution *c, const int8_t *input, const int8_t *weights, int8_t *output);

/* What the functions of CMSIS-NN's interface are given. Groups that do not divide the channels are left to the caller. */
static inline kiln_convolution kiln_convolution_of(const cmsis_nn_conv_params *params,
    const cmsis_nn_per_channel_quant_params *quant, const cmsis_nn_dims *input, const cmsis_nn_dims *filter, const int32_t *bias,
    const cmsis_nn_dims *output, kiln_dot *dot, kiln_dot4 *dot4)
{
    kiln_convolution c = {
        params->input_offset, params->output_offset, params->activation, quant->multiplier, quant->shift, bias,
        input->n, input->c, filter->c, output->c, output->h, output->w,
        kiln_plain_axis(input->h, filter->h, params->stride.h, params->padding.h, params->dilation.h),
        kiln_plain_axis(input->w, filter->w, params->stride.w, params->padding.w, params->dilation.w),
        dot, dot4,
    };
    return c;
}

/* What arm_convolve_1_x_n_* takes. */
static inline bool kiln_is_row(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input)
{
    return input->h == 1 && params->dilation.w == 1 && params->stride.w != 0 && params->stride.w * input->c % 4 == 0;
}

#define KILN_CONVOLVE_AS(name, refuses, called)                                                                           \
    KILN_CONVOLUTION_AS(name, cmsis_nn_conv_params, int8_t, int32_t, refuses, called)

#endif
