/* The depthwise convolution of int8_t that 8-bit and 4-bit weights share. */
#ifndef KILN_NN_DEPTHWISE_CONV_H
#define KILN_NN_DEPTHWISE_CONV_H

#include "window.h"

/* The taps under one element of the output, and the distances from one to the next in the input and in the weights. */
typedef struct {
    int32_t rows, columns;
    int32_t input_row, input_column;
    int32_t weight_row, weight_column;
} kiln_depthwise_patch;

/* Adds the products of `count` channels (4 or 1) side by side to their sums. */
static inline void kiln_depthwise_sums(const kiln_depthwise_patch *p, const int8_t *input, int32_t input_offset,
    const int8_t *weights, int32_t weight, bool packed, int32_t count, uint32_t sums[4])
{
    uint32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
    for (int32_t y = 0; y < p->rows; y++) {
        int32_t at = y * p->input_row, tap = weight + y * p->weight_row;
        for (int32_t x = 0; x < p->columns; x++, at += p->input_column, tap += p->weight_column) {
            const int8_t *values = input + at;
            sum0 += (uint32_t)((values[0] + input_offset) * (packed ? kiln_nibble(weights, tap) : weights[tap]));
            if (count == 4) {
                sum1 += (uint32_t)((values[1] + input_offset) * (packed ? kiln_nibble(weights, tap + 1) : weights[tap + 1]));
                sum2 += (uint32_t)((values[2] + input_offset) * (packed ? kiln_nibble(weights, tap + 2) : weights[tap + 2]));
                sum3 += (uint32_t)((values[3] + input_offset) * (packed ? kiln_nibble(weights, tap + 3) : weights[tap + 3]));
            }
        }
    }
    sums[0] = sum0;
    sums[1] = sum1;
    sums[2] = sum2;
    sums[3] = sum3;
}

/* All channels of one element of the output. */
static inline void kiln_depthwise_element(const cmsis_nn_dw_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
    const kiln_depthwise_patch *patch, const int8_t *input, const int8_t *weights, int32_t weight, bool packed,
    const int32_t *bias, int32_t channels, int8_t *output)
{
    int32_t repeats = params->ch_mult, repeat = 0;
    for (int32_t channel = 0; channel < channels;) {
        int32_t count = repeats == 1 && channels - channel >= 4 ? 4 : 1;
        uint32_t sums[4] = {0, 0, 0, 0};
        if (bias != NULL) {
            for (int32_t i = 0; i < count; i++) {
                sums[i] = (uint32_t)bias[channel + i];
            }
        }
        if (count == 4) {
            kiln_depthwise_sums(patch, input, params->input_offset, weights, weight + channel, packed, 4, sums);
        } else {
            kiln_depthwise_sums(patch, input, params->input_offset, weights, weight + channel, packed, 1, sums);
        }
        for (int32_t i = 0; i < count; i++, channel++) {
            output[channel] = (int8_t)kiln_output(sums[i], quant->multiplier[channel], quant->shift[channel],
                params->output_offset, params->activation);
        }
        if (++repeat == repeats) {
            repeat = 0;
            input += count;
        }
    }
}

static inline void kiln_depthwise_conv(const cmsis_nn_dw_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
    const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims, const int8_t *weights, bool packed,
    const int32_t *bias, const cmsis_nn_dims *output_dims, int8_t *output)
{
    kiln_axis axis_y = kiln_plain_axis(input_dims->h, filter_dims->h, params->stride.h, params->padding.h, params->dilation.h);
    kiln_axis axis_x = kiln_plain_axis(input_dims->w, filter_dims->w, params->stride.w, params->padding.w, params->dilation.w);
    int32_t row = input_dims->w * input_dims->c, channels = output_dims->c, weight_row = filter_dims->w * channels;
    for (int32_t n = 0; n < input_dims->n; n++) {
        for (int32_t y = 0; y < output_dims->h; y++) {
            kiln_taps taps_y = kiln_taps_at(&axis_y, y);
            for (int32_t x = 0; x < output_dims->w; x++) {
                kiln_taps taps_x = kiln_taps_at(&axis_x, x);
                kiln_depthwise_patch patch = {
                    taps_y.count, taps_x.count, taps_y.input_step * row, taps_x.input_step * input_dims->c, weight_row, channels,
                };
                bool empty = patch.rows == 0 || patch.columns == 0;
                patch.rows = empty ? 0 : patch.rows;
                const int8_t *first = empty ? input : input + taps_y.input * row + taps_x.input * input_dims->c;
                int32_t weight = taps_y.tap * weight_row + taps_x.tap * channels;
                kiln_depthwise_element(params, quant, &patch, first, weights, weight, packed, bias, channels, output);
                output += channels;
            }
        }
        input += input_dims->h * row;
    }
}

#endif
