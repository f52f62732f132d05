/* Maxima over windows, of the elements that lie in the input. */
#ifndef KILN_NN_MAX_POOL_H
#define KILN_NN_MAX_POOL_H

#include "pool.h"

static inline int32_t kiln_greatest_s8(const int8_t *input, const kiln_pool_window *window)
{
    int32_t max = INT8_MIN;
    for (int32_t y = 0; y < window->rows; y++) {
        const int8_t *at = input + window->first + y * window->row;
        for (int32_t x = 0; x < window->columns; x++) {
            max = kiln_max(max, at[x * window->column]);
        }
    }
    return max;
}

static inline int32_t kiln_greatest_s16(const int16_t *input, const kiln_pool_window *window)
{
    int32_t max = INT16_MIN;
    for (int32_t y = 0; y < window->rows; y++) {
        const int16_t *at = input + window->first + y * window->row;
        for (int32_t x = 0; x < window->columns; x++) {
            max = kiln_max(max, at[x * window->column]);
        }
    }
    return max;
}

/* Tensors of int8_t, or of int16_t if `wide`. A window without an element gives the type's smallest integer, clamped. */
static inline arm_cmsis_nn_status kiln_max_pool(const cmsis_nn_pool_params *params, cmsis_nn_tile dilation,
    const cmsis_nn_dims *input_dims, const void *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
    void *output, bool wide)
{
    kiln_axis axis_y = kiln_plain_axis(input_dims->h, filter_dims->h, params->stride.h, params->padding.h, dilation.h);
    kiln_axis axis_x = kiln_plain_axis(input_dims->w, filter_dims->w, params->stride.w, params->padding.w, dilation.w);
    int32_t channels = input_dims->c, image = input_dims->h * input_dims->w * channels, element = 0;
    if (input_dims->n < 1) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    for (int32_t n = 0; n < input_dims->n; n++) {
        for (int32_t y = 0; y < output_dims->h; y++) {
            kiln_taps taps_y = kiln_taps_at(&axis_y, y);
            for (int32_t x = 0; x < output_dims->w; x++) {
                kiln_pool_window window = kiln_pool_window_at(input_dims, taps_y, kiln_taps_at(&axis_x, x));
                for (int32_t first = n * image; first < n * image + channels; first++, element++) {
                    int32_t max = wide ? kiln_greatest_s16((const int16_t *)input + first, &window)
                                       : kiln_greatest_s8((const int8_t *)input + first, &window);
                    int32_t result = kiln_clamp(max, params->activation.min, params->activation.max);
                    if (wide) {
                        ((int16_t *)output)[element] = (int16_t)result;
                    } else {
                        ((int8_t *)output)[element] = (int8_t)result;
                    }
                }
            }
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

#endif
