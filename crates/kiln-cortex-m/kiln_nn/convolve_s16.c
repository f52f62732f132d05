/* Convolution of int16_t with int8_t weights. */
#include "window.h"

/* The sum over the taps of one output channel. It is exact, where CMSIS-NN's may wrap in 32 bits. */
static int64_t window_sum(const int16_t *input, const int8_t *weights, const kiln_axis *axis_x, kiln_taps y, kiln_taps x,
    int32_t channels)
{
    int64_t sum = 0;
    for (int32_t row = 0; row < y.count; row++) {
        for (int32_t column = 0; column < x.count; column++) {
            int32_t place = (y.input + row * y.input_step) * axis_x->size + x.input + column * x.input_step;
            const int16_t *values = input + place * channels;
            const int8_t *taps = weights + ((y.tap + row) * axis_x->taps + x.tap + column) * channels;
            for (int32_t i = 0; i < channels; i++) {
                sum += values[i] * taps[i];
            }
        }
    }
    return sum;
}

static int32_t requantized(int64_t sum, const cmsis_nn_bias_data *bias, int32_t channel, int32_t multiplier, int32_t shift)
{
    if (bias != NULL && bias->is_int32_bias) {
        const int32_t *values = bias->data;
        uint32_t added = values != NULL ? (uint32_t)values[channel] : 0;
        return kiln_requantize((int32_t)((uint32_t)sum + added), multiplier, shift);
    }
    const int64_t *values = bias != NULL ? bias->data : NULL;
    int64_t added = values != NULL ? values[channel] : 0;
    return kiln_requantize_s64(sum + added, kiln_reduce(multiplier), shift);
}

arm_cmsis_nn_status arm_convolve_s16(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int16_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const cmsis_nn_bias_data *bias_data, const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    const cmsis_nn_conv_params *p = conv_params;
    kiln_axis axis_y = kiln_plain_axis(input_dims->h, filter_dims->h, p->stride.h, p->padding.h, p->dilation.h);
    kiln_axis axis_x = kiln_plain_axis(input_dims->w, filter_dims->w, p->stride.w, p->padding.w, p->dilation.w);
    int32_t channels = input_dims->c, kernel = filter_dims->h * filter_dims->w * channels;
    for (int32_t n = 0; n < input_dims->n; n++) {
        for (int32_t y = 0; y < output_dims->h; y++) {
            kiln_taps taps_y = kiln_taps_at(&axis_y, y);
            for (int32_t x = 0; x < output_dims->w; x++) {
                kiln_taps taps_x = kiln_taps_at(&axis_x, x);
                for (int32_t channel = 0; channel < output_dims->c; channel++) {
                    int64_t sum = window_sum(input_data, filter_data + channel * kernel, &axis_x, taps_y, taps_x, channels);
                    int32_t multiplier = quant_params->multiplier[channel], shift = quant_params->shift[channel];
                    int32_t result = requantized(sum, bias_data, channel, multiplier, shift);
                    *output_data++ = (int16_t)kiln_clamp(result, p->activation.min, p->activation.max);
                }
            }
        }
        input_data += input_dims->h * input_dims->w * channels;
    }
    return ARM_CMSIS_NN_SUCCESS;
}

KILN_CONVOLUTION_AS(arm_convolve_wrapper_s16, cmsis_nn_conv_params, int16_t, cmsis_nn_bias_data, false, arm_convolve_s16)
