/* The depthwise convolution of int8_t that 8-bit and 4-bit weights share. */
#include "depthwise_conv.h"

/* All channels of one element of the output. */
static void depthwise_element(const cmsis_nn_dw_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
    const kiln_window *window, const int8_t *input, const int8_t *weights, int32_t weight, kiln_window_sum *one,
    kiln_window4_sum *four, const int32_t *bias, int32_t channels, int8_t *output)
{
    int32_t repeats = params->ch_mult, repeat = 0;
    for (int32_t channel = 0; channel < channels;) {
        int32_t count = repeats == 1 && channels - channel >= 4 ? 4 : 1;
        uint32_t sums[4];
        kiln_begin_sums(sums, bias, channel, count);
        int32_t first = weight + channel;
        if (count == 4) {
            four(sums, window, input, weights, first);
        } else {
            sums[0] = one(sums[0], window, input, weights, first);
        }
        kiln_outputs_s8(sums, count, quant->multiplier + channel, quant->shift + channel, params->output_offset,
            params->activation, output + channel);
        channel += count;
        if (++repeat == repeats) {
            repeat = 0;
            input += count;
        }
    }
}

void kiln_depthwise_conv(const cmsis_nn_dw_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
    const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims, const int8_t *weights,
    kiln_window_sum *one, kiln_window4_sum *four, const int32_t *bias, const cmsis_nn_dims *output_dims, int8_t *output)
{
    kiln_axis axis_y = kiln_plain_axis(input_dims->h, filter_dims->h, params->stride.h, params->padding.h, params->dilation.h);
    kiln_axis axis_x = kiln_plain_axis(input_dims->w, filter_dims->w, params->stride.w, params->padding.w, params->dilation.w);
    int32_t row = input_dims->w * input_dims->c, channels = output_dims->c, weight_row = filter_dims->w * channels;
    for (int32_t n = 0; n < input_dims->n; n++) {
        for (int32_t y = 0; y < output_dims->h; y++) {
            kiln_taps taps_y = kiln_taps_at(&axis_y, y);
            for (int32_t x = 0; x < output_dims->w; x++) {
                kiln_taps taps_x = kiln_taps_at(&axis_x, x);
                kiln_window window = {
                    taps_y.count, taps_x.count, taps_y.input_step * row, taps_x.input_step * input_dims->c, weight_row, channels,
                    params->input_offset,
                };
                bool empty = window.rows == 0 || window.columns == 0;
                window.rows = empty ? 0 : window.rows;
                const int8_t *first = empty ? input : input + taps_y.input * row + taps_x.input * input_dims->c;
                int32_t weight = taps_y.tap * weight_row + taps_x.tap * channels;
                depthwise_element(params, quant, &window, first, weights, weight, one, four, bias, channels, output);
                output += channels;
            }
        }
        input += input_dims->h * row;
    }
}
