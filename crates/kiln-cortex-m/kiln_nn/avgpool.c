/* Means over windows, of the elements that lie in the input. */
#include "pool.h"

/* sum / count; halves away from 0. */
static int32_t mean(int32_t sum, int32_t count)
{
    return (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
}

static int32_t sum_s8(const int8_t *input, const kiln_pool_window *window)
{
    int32_t sum = 0;
    for (int32_t y = 0; y < window->rows; y++) {
        const int8_t *at = input + window->first + y * window->row;
        for (int32_t x = 0; x < window->columns; x++) {
            sum += at[x * window->column];
        }
    }
    return sum;
}

static int32_t sum_s16(const int16_t *input, const kiln_pool_window *window)
{
    int32_t sum = 0;
    for (int32_t y = 0; y < window->rows; y++) {
        const int16_t *at = input + window->first + y * window->row;
        for (int32_t x = 0; x < window->columns; x++) {
            sum += at[x * window->column];
        }
    }
    return sum;
}

/* Tensors of int8_t, or of int16_t if `wide`. */
static inline arm_cmsis_nn_status average(const cmsis_nn_pool_params *params, const cmsis_nn_dims *input_dims, const void *input,
    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, void *output, bool wide)
{
    kiln_axis axis_y = kiln_plain_axis(input_dims->h, filter_dims->h, params->stride.h, params->padding.h, 1);
    kiln_axis axis_x = kiln_plain_axis(input_dims->w, filter_dims->w, params->stride.w, params->padding.w, 1);
    int32_t channels = input_dims->c, image = input_dims->h * input_dims->w * channels, element = 0;
    if (input_dims->n < 1) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    for (int32_t n = 0; n < input_dims->n; n++) {
        for (int32_t y = 0; y < output_dims->h; y++) {
            kiln_taps taps_y = kiln_taps_at(&axis_y, y);
            for (int32_t x = 0; x < output_dims->w; x++) {
                kiln_pool_window window = kiln_pool_window_at(input_dims, taps_y, kiln_taps_at(&axis_x, x));
                int32_t count = window.rows * window.columns;
                if (count == 0) {
                    return ARM_CMSIS_NN_ARG_ERROR;
                }
                for (int32_t first = n * image; first < n * image + channels; first++, element++) {
                    int32_t sum = wide ? sum_s16((const int16_t *)input + first, &window)
                                       : sum_s8((const int8_t *)input + first, &window);
                    int32_t result = kiln_clamp(mean(sum, count), params->activation.min, params->activation.max);
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

arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
    int8_t *output_data)
{
    (void)ctx;
    return average(pool_params, input_dims, input_data, filter_dims, output_dims, output_data, false);
}

arm_cmsis_nn_status arm_avgpool_s16(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
    const cmsis_nn_dims *input_dims, const int16_t *input_data, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
    int16_t *output_data)
{
    (void)ctx;
    return average(pool_params, input_dims, input_data, filter_dims, output_dims, output_data, true);
}
