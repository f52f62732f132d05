/* Depthwise convolution of int16_t with int8_t weights. */
#include "window.h"

/* The sum over the taps of one channel, whose weights are `weights` apart. */
static int64_t window_sum(const int16_t *input, int32_t row, int32_t channels, const int8_t *taps, int32_t taps_row,
    int32_t weights, kiln_taps y, kiln_taps x)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < y.count; i++) {
        int32_t at = (y.input + i * y.input_step) * row + x.input * channels;
        int32_t tap = (y.tap + i) * taps_row + x.tap * weights;
        for (int32_t j = 0; j < x.count; j++, at += x.input_step * channels, tap += weights) {
            sum += input[at] * taps[tap];
        }
    }
    return sum;
}

arm_cmsis_nn_status arm_depthwise_conv_s16(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int16_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
    const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    const cmsis_nn_dw_conv_params *p = dw_conv_params;
    kiln_axis axis_y = kiln_plain_axis(input_dims->h, filter_dims->h, p->stride.h, p->padding.h, p->dilation.h);
    kiln_axis axis_x = kiln_plain_axis(input_dims->w, filter_dims->w, p->stride.w, p->padding.w, p->dilation.w);
    int32_t row = input_dims->w * input_dims->c, channels = output_dims->c, taps_row = filter_dims->w * channels;
    for (int32_t n = 0; n < input_dims->n; n++) {
        for (int32_t y = 0; y < output_dims->h; y++) {
            kiln_taps taps_y = kiln_taps_at(&axis_y, y);
            for (int32_t x = 0; x < output_dims->w; x++) {
                kiln_taps taps_x = kiln_taps_at(&axis_x, x);
                for (int32_t channel = 0; channel < channels; channel++) {
                    int64_t sum = window_sum(input_data + channel / p->ch_mult, row, input_dims->c, filter_data + channel,
                        taps_row, channels, taps_y, taps_x);
                    sum += bias_data != NULL ? bias_data[channel] : 0;
                    int32_t result = kiln_requantize_s64(sum, kiln_reduce(quant_params->multiplier[channel]),
                        quant_params->shift[channel]);
                    *output_data++ = (int16_t)kiln_clamp(result, p->activation.min, p->activation.max);
                }
            }
        }
        input_data += input_dims->h * row;
    }
    return ARM_CMSIS_NN_SUCCESS;
}

KILN_CONVOLUTION_AS(arm_depthwise_conv_wrapper_s16, cmsis_nn_dw_conv_params, int16_t, int64_t, false, arm_depthwise_conv_s16)
KILN_CONVOLUTION_AS(arm_depthwise_conv_fast_s16, cmsis_nn_dw_conv_params, int16_t, int64_t,
    input_dims->c != output_dims->c || filter_dims->w * filter_dims->h >= 512, arm_depthwise_conv_s16)
