/* Means over windows, with a choice of what a sum is divided by. */
#include "float.h"
#include "pool.h"

static int32_t window_sum(const void *input, bool wide, int32_t channel, const kiln_pool_window *window)
{
    int32_t sum = 0;
    for (int32_t y = 0; y < window->rows; y++) {
        int32_t at = channel + window->first + y * window->row;
        for (int32_t x = 0; x < window->columns; x++, at += window->column) {
            sum += wide ? ((const int16_t *)input)[at] : ((const int8_t *)input)[at];
        }
    }
    return sum;
}

/* The mean of a window in steps, as floats have it. */
static float real_steps(const void *input, bool wide, int32_t channel, const kiln_pool_window *window, const kiln_average *average,
    int32_t divisor)
{
    float sum = 0.0f;
    for (int32_t y = 0; y < window->rows; y++) {
        int32_t at = channel + window->first + y * window->row;
        for (int32_t x = 0; x < window->columns; x++, at += window->column) {
            int32_t element = wide ? ((const int16_t *)input)[at] : ((const int8_t *)input)[at];
            sum += (float)(element - average->zero_point) * average->scale;
        }
    }
    return sum / (float)divisor * average->inverse;
}

static int32_t mean_of(const void *input, bool wide, int32_t channel, const kiln_pool_window *window, const kiln_average *average,
    int32_t divisor)
{
    int32_t elements = window->rows * window->columns;
    int32_t distance = window_sum(input, wide, channel, window) - elements * average->zero_point;
    kiln_quotient found = kiln_quotient_of(distance, divisor);
    if (found.twice == divisor) {
        float steps = real_steps(input, wide, channel, window, average, divisor);
        return found.whole + (kiln_round(steps) > (float)found.whole ? 1 : 0);
    }
    return found.whole + (found.twice > divisor ? 1 : 0);
}

static inline arm_cmsis_nn_status average_of(const cmsis_nn_pool_params *params, const kiln_average *average,
    const cmsis_nn_dims *input_dims, const void *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
    void *output, bool wide)
{
    const cmsis_nn_tile dense = {1, 1};
    const kiln_pooling pooling = kiln_pooling_of(input_dims, filter_dims, output_dims, params->stride, params->padding, dense);
    int32_t channels = input_dims->c, element = 0;
    for (int32_t place = 0; place < pooling.count; place++) {
        kiln_pool_window window = kiln_window_of(&pooling, place);
        int32_t elements = window.rows * window.columns;
        int32_t divisor = average->divisor;
        if (divisor <= 0) {
            divisor = average->padding_counts ? kiln_padded_elements(&pooling, place) : elements;
        }
        if (divisor <= 0) {
            return ARM_CMSIS_NN_ARG_ERROR;
        }
        for (int32_t channel = 0; channel < channels; channel++, element++) {
            int32_t result = mean_of(input, wide, channel, &window, average, divisor) + average->zero_point;
            result = kiln_clamp(result, params->activation.min, params->activation.max);
            if (wide) {
                ((int16_t *)output)[element] = (int16_t)result;
            } else {
                ((int8_t *)output)[element] = (int8_t)result;
            }
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status kiln_avg_pool_s8(const cmsis_nn_pool_params *params, const kiln_average *average,
    const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
    int8_t *output)
{
    return average_of(params, average, input_dims, input, filter_dims, output_dims, output, false);
}

arm_cmsis_nn_status kiln_avg_pool_s16(const cmsis_nn_pool_params *params, const kiln_average *average,
    const cmsis_nn_dims *input_dims, const int16_t *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
    int16_t *output)
{
    return average_of(params, average, input_dims, input, filter_dims, output_dims, output, true);
}
