/* Greatest elements and means of windows. */
#include "float.h"
#include "pool.h"

void kiln_max_pool_f32(const kiln_windows *windows, const cmsis_nn_dims *input_dims, const float *input,
    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, float *output)
{
    const kiln_pooling pooling = kiln_pooling_of(input_dims, filter_dims, output_dims, windows->stride, windows->padding,
        windows->dilation);
    int32_t channels = input_dims->c;
    for (int32_t place = 0; place < pooling.count; place++) {
        kiln_pool_window window = kiln_window_of(&pooling, place);
        for (int32_t c = 0; c < channels; c++) {
            const float *from = input + window.first + c;
            float greatest = -kiln_infinity();
            for (int32_t y = 0; y < window.rows; y++) {
                for (int32_t x = 0; x < window.columns; x++) {
                    greatest = kiln_greater(greatest, from[y * window.row + x * window.column]);
                }
            }
            *output++ = greatest;
        }
    }
}

void kiln_avg_pool_f32(const kiln_windows *windows, int32_t divisor, bool padding_counts, const cmsis_nn_dims *input_dims,
    const float *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, float *output)
{
    const cmsis_nn_tile dense = {1, 1};
    const kiln_pooling pooling = kiln_pooling_of(input_dims, filter_dims, output_dims, windows->stride, windows->padding, dense);
    int32_t channels = input_dims->c;
    for (int32_t place = 0; place < pooling.count; place++) {
        kiln_pool_window window = kiln_window_of(&pooling, place);
        int32_t elements = window.rows * window.columns, padded = kiln_padded_elements(&pooling, place);
        float by = (float)(divisor != 0 ? divisor : padding_counts ? padded : elements);
        for (int32_t c = 0; c < channels; c++) {
            float sum = 0.0f;
            int32_t row = window.first + c;
            for (int32_t y = window.rows; y > 0; y--, row += window.row) {
                int32_t at = row;
                for (int32_t x = window.columns; x > 0; x--, at += window.column) {
                    sum += input[at];
                }
            }
            *output++ = sum / by;
        }
    }
}
